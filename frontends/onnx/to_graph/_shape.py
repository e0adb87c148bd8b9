"""Operators whose results follow from shapes, and those that make or name data."""

from __future__ import annotations

from functools import reduce
from math import prod
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr, f32, i64

from mlc.dialects.graph import ConstantOp
from mlc.dialects.onnx import TYPES_BY_NUMBER
from mlc.frontends.onnx.to_graph._each_step import in_each_step
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import MOST_COUNTED
from mlc.frontends.operators.open_shapes import counted, splat
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import SymbolicSize, in_symbols
from mlc.support.dtypes import is_supported, to_numpy

_TENSORS = ("value", "sparse_value")
"""The attributes of `Constant` that are tensors; reading a model makes a sparse one dense."""
_NUMBERS = {"value_float": np.float32, "value_floats": np.float32, "value_int": np.int64, "value_ints": np.int64}
"""The attributes of `Constant` that are numbers, not tensors."""


@converts("Constant")
def constant(b: Node) -> Results:
    """Data of the model."""
    value = next((v for name in _TENSORS if (v := b.op.attributes.get(name)) is not None), None)
    if isinstance(value, DenseIntOrFPElementsAttr | DenseResourceAttr):
        element = cast(Any, value.get_type()).element_type
        if not is_supported(element):
            raise Unconvertible(f"it holds elements of type {element}, with which mlc does not compute")
        op = ConstantOp(cast(Any, value))
        return b.insert_constant(op)
    for name, kind in _NUMBERS.items():
        if (found := b.attribute(name)) is not None:
            return b.constant(np.asarray(found, kind))
    raise Unconvertible(f"it holds no numbers; required: one of {', '.join((*_TENSORS, *_NUMBERS))}")


@converts("ConstantOfShape")
def constant_of_shape(b: Node) -> Results:
    """One number everywhere, 0 by default."""
    value = b.op.attributes.get("value")
    shape = b.sizes(0)
    if not isinstance(value, DenseIntOrFPElementsAttr):
        return splat(b, 0, shape, f32)
    kind = cast(Any, value.get_type())
    return splat(b, next(iter(value.get_values())), shape, kind.element_type)


@converts("Shape", bounded=True)
def shape_of(b: Node) -> Results:
    """The extents, or some of them; those that depend on data are computed."""
    actual = b.knowledge.extents.get(b[0], {})
    axes = range(b.rank())[slice(b.attribute("start"), b.attribute("end"))]
    if not any(axis in actual for axis in axes):
        return b.constant(np.asarray([b.shape()[axis] for axis in axes], np.int64))
    extents = [actual.get(axis) or b.constant(b.shape()[axis]) for axis in axes]
    return b.concat([b.reshape(extent, (1,)) for extent in extents], 0)


@converts("Size", bounded=True)
def size_of(b: Node) -> Results:
    """The number of elements."""
    actual = b.knowledge.extents.get(b[0], {})
    known = b.constant(prod(e for axis, e in enumerate(b.shape()) if axis not in actual))
    return reduce(b.mul, actual.values(), known)


@converts("Range")
def range_(b: Node) -> Results:
    """Numbers from a start up to a limit; as many in each step of a loop whose counter gives one of them."""
    rows = in_each_step(b.knowledge, [b[i] for i in range(3)])
    if rows is None and any(map(b.is_size, range(3))):
        (start,), (limit,), (step,) = (b.sizes(i) for i in range(3))
        if isinstance(step, SymbolicSize):
            raise Unconvertible(f"its step is {in_symbols(step)}; required: a number")
        return counted(b, start, limit, step, b.element(0))
    if rows is None:
        start, limit, step = (b.known(i).reshape(()) for i in range(3))
        numbers = start + np.arange(_count(start, limit, step)).astype(start.dtype) * step
        return b.constant(numbers.astype(start.dtype), b.element(0))
    counts = {_count(*numbers) for numbers in np.broadcast(*(a.reshape(-1) for a in rows))}
    if len(counts) > 1:
        raise Unconvertible(
            f"it counts {min(counts)} to {max(counts)} numbers in the steps of a loop; required: as many in each"
        )
    start, step = b.reshape(b[0], ()), b.reshape(b[2], ())
    return b.add(start, b.mul(b.constant(np.arange(counts.pop()), b.element(0)), step))


def _count(start: Any, limit: Any, step: Any) -> int:
    """How many numbers there are.

    Raises:
        Unconvertible: the step is 0, or there are too many.
    """
    if step == 0:
        raise Unconvertible("its step is 0")
    count = max(int(np.ceil((np.float64(limit) - start) / step)), 0)
    if count > MOST_COUNTED:
        raise Unconvertible(f"it counts {count} numbers")
    return count


@converts("EyeLike", bounded=True)
def eye_like(b: Node) -> Results:
    """Ones on a diagonal: where the number of the column is that of the row and `k`."""
    rows, columns = b.shape()
    number = b.attribute("dtype")
    element = b.element() if number is None else TYPES_BY_NUMBER[number]
    numbers = [b.constant(n, i64) for n in (np.arange(rows).reshape(-1, 1) + b.int("k"), np.arange(columns))]
    found, extents = b.cast(b.compare("eq", *numbers), element), b.knowledge.extents.get(b[0], {})
    return b.bounded(b.viewed(found, (rows, columns), {}), extents) if extents else found


@converts("HannWindow", "HammingWindow", "BlackmanWindow")
def cosine_window(b: Node) -> Results:
    """Sums of cosines over a window of known size (Harris, 1978)."""
    size = int(b.known(0))
    span = max(size if b.flag("periodic") else size - 1, 1)
    terms = _WINDOWS[b.op.OP_TYPE]
    angle = 2 * np.pi * np.arange(size) / span
    window = sum(a * np.cos(i * angle) for i, a in enumerate(terms))
    element = TYPES_BY_NUMBER[b.int("output_datatype", 1)]
    return b.constant(np.asarray(window).astype(to_numpy(element)), element)


_WINDOWS = {
    "HannWindow": (0.5, -0.5),
    "HammingWindow": (25 / 46, -21 / 46),
    "BlackmanWindow": (0.42, -0.5, 0.08),
}


@converts("MelWeightMatrix")
def mel_weight_matrix(b: Node) -> Results:
    """Triangles in the frequencies of a spectrum, as wide as the mel scale has them (Davis and Mermelstein, 1980)."""
    bins, length, rate = (int(b.known(i)) for i in range(3))
    low, high = (float(b.known(i)) for i in (3, 4))
    first, last = (2595 * np.log10(1 + edge / 700) for edge in (low, high))
    step = (last - first) / (bins + 2)
    mel = first + np.arange(bins + 2) * step
    places = ((length + 1) * (700 * (10 ** (mel / 2595) - 1)) // rate).astype(int)
    result = np.zeros((length // 2 + 1, bins))
    for i in range(bins):
        first, middle, last = places[i : i + 3]
        if middle == first:
            result[middle, i] = 1
        else:
            result[first : middle + 1, i] = (np.arange(first, middle + 1) - first) / (middle - first)
        if last > middle:
            result[middle:last, i] = (last - np.arange(middle, last)) / (last - middle)
    element = TYPES_BY_NUMBER[b.int("output_datatype", 1)]
    return b.constant(result.astype(to_numpy(element)), element)
