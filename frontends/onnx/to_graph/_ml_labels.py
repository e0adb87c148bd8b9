"""Operators of `ai.onnx.ml` that give numbers other names."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import i8

from mlc.dialects import graph, onnx
from mlc.frontends.onnx.to_graph._ml_linear import ML
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, FromOnnx, Results
from mlc.frontends.operators.graph_builder import Array, GraphBuilder, is_float
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers

_SHOWN = 8
"""How many classes a message names."""


@lowers(PASS, onnx.op("LabelEncoder", ML))
class LabelEncoder(FromOnnx):
    """The value whose key an element is, or a default; a key that is NaN is every NaN."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        keys, values = _table(node, "keys"), _table(node, "values")
        if keys.size != values.size:
            raise Unconvertible(f"it has {keys.size} keys and {values.size} values")
        # Of equal keys the last one counts.
        _, last = np.unique(keys[::-1], return_index=True)
        keys, values = keys[::-1][last], values[::-1][last]
        default = _default(node, values.dtype)

        x = b.reshape(node[0], (*node.shape(), 1))
        matches = b.compare("eq", x, b.cast(b.constant(keys), node.element()))
        if is_float(x) and (missing := np.isnan(keys)).any():
            matches = b(graph.OrOp, matches, b(graph.AndOp, b.compare("ne", x, x), b.constant(missing)))
        otherwise = b.splat(1, (*node.shape(), 1), i8)
        place = b(graph.ArgMaxOp, b.concat([b.cast(matches, i8), otherwise], node.rank()), node.rank())
        return b(graph.GatherOp, b.constant(np.append(values, default).astype(values.dtype)), place, 0)


def _table(node: Node, noun: str) -> Array:
    """The keys or the values.

    Raises:
        Unconvertible: they are left out.
    """
    if (found := node.tensor(f"{noun}_tensor")) is not None:
        return found.reshape(-1)
    types: dict[str, type[Any]] = {"int64s": np.int64, "floats": np.float32}
    for name, dtype in types.items():
        if numbers := node.list(f"{noun}_{name}"):
            return np.asarray(numbers, dtype)
    raise Unconvertible(f"it has no {noun}")


def _default(node: Node, dtype: np.dtype[Any]) -> Any:
    """The value of what is no key."""
    if node.list("values_int64s"):
        return node.int("default_int64", -1)
    if node.list("values_floats"):
        return node.float("default_float", -0.0)
    found = node.tensor("default_tensor")
    if found is None:
        return -1 if dtype.kind in "iu" else -0.0
    if found.size != 1:
        raise Unconvertible(f"default_tensor has {found.size} elements; required: one")
    return found.reshape(-1)[0]


@lowers(PASS, onnx.op("ZipMap", ML))
class ZipMap(FromOnnx):
    """The scores as they are, a column for each class: what ONNX makes of them, a map for each row, is no tensor."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        classes = node.list("classlabels_int64s") or node.list("classlabels_strings")
        if node.rank() > 2 or (node.rank() and node.shape()[-1] != len(classes)):
            raise Unconvertible(
                f"x has shape {list(node.shape())}; required: a column for each of {len(classes)} classes"
            )
        shown = ", ".join(str(name) for name in classes[:_SHOWN]) + (", …" if len(classes) > _SHOWN else "")
        self.conversion.warn(
            node.op,
            f"ZipMap: its maps become a tensor with a column for each class ({shown}); exported with zipmap=False "
            "the model says so itself",
        )
        return node[0]
