"""Operators of `ai.onnx.ml` that give numbers other names."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import i8

from mlc.dialects import graph
from mlc.frontends.onnx.to_graph._ml_linear import ML
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import Array, is_float
from mlc.frontends.operators.refusal import Unconvertible

_SHOWN = 8
"""How many classes a message names."""


@converts("LabelEncoder", domain=ML)
def label_encoder(b: Node) -> Results:
    """The value whose key an element is, or a default; a key that is NaN is every NaN."""
    keys, values = _table(b, "keys"), _table(b, "values")
    if keys.size != values.size:
        raise Unconvertible(f"it has {keys.size} keys and {values.size} values")
    # Of equal keys the last one counts.
    _, last = np.unique(keys[::-1], return_index=True)
    keys, values = keys[::-1][last], values[::-1][last]
    default = _default(b, values.dtype)

    x = b.reshape(b[0], (*b.shape(), 1))
    matches = b.compare("eq", x, b.cast(b.constant(keys), b.element()))
    if is_float(x) and (missing := np.isnan(keys)).any():
        matches = b(graph.OrOp, matches, b(graph.AndOp, b.compare("ne", x, x), b.constant(missing)))
    otherwise = b.splat(1, (*b.shape(), 1), i8)
    place = b(graph.ArgMaxOp, b.concat([b.cast(matches, i8), otherwise], b.rank()), b.rank())
    return b(graph.GatherOp, b.constant(np.append(values, default).astype(values.dtype)), place, 0)


def _table(b: Node, noun: str) -> Array:
    """The keys or the values.

    Raises:
        Unconvertible: they are left out.
    """
    if (found := b.tensor(f"{noun}_tensor")) is not None:
        return found.reshape(-1)
    types: dict[str, type[Any]] = {"int64s": np.int64, "floats": np.float32}
    for name, dtype in types.items():
        if numbers := b.list(f"{noun}_{name}"):
            return np.asarray(numbers, dtype)
    raise Unconvertible(f"it has no {noun}")


def _default(b: Node, dtype: np.dtype[Any]) -> Any:
    """The value of what is not a key."""
    if b.list("values_int64s"):
        return b.int("default_int64", -1)
    if b.list("values_floats"):
        return b.float("default_float", -0.0)
    found = b.tensor("default_tensor")
    if found is None:
        return -1 if dtype.kind in "iu" else -0.0
    if found.size != 1:
        raise Unconvertible(f"default_tensor has {found.size} elements; required: one")
    return found.reshape(-1)[0]


@converts("ZipMap", domain=ML)
def zip_map(b: Node) -> Results:
    """The scores as they are, a column for each class: what ONNX makes of them, a map for each row, is not a tensor."""
    classes = b.list("classlabels_int64s") or b.list("classlabels_strings")
    if b.rank() > 2 or (b.rank() and b.shape()[-1] != len(classes)):
        raise Unconvertible(f"x has shape {list(b.shape())}; required: a column for each of {len(classes)} classes")
    shown = ", ".join(str(name) for name in classes[:_SHOWN]) + (", …" if len(classes) > _SHOWN else "")
    b.run.warn(
        b.op,
        f"ZipMap: its maps become a tensor with a column for each class ({shown}); exported with zipmap=False "
        "the model says so itself",
    )
    return b[0]
