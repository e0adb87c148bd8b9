"""One of two values whose extents differ."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.nodes import in_words
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible


def either(b: GraphBuilder, condition: SSAValue, one: SSAValue, other: SSAValue) -> SSAValue:
    """`one` where a truth value of no dims holds, else `other`: both are computed, and have as many dims.

    The result has the larger one of the shapes, and ends where the value does that is chosen.

    Raises:
        Unconvertible: they differ in the number of dims, or in the type of elements.
    """
    if len(shape_of(one)) != len(shape_of(other)) or element_of(one) != element_of(other):
        raise Unconvertible(f"its branches give {in_words(one.type)} and {in_words(other.type)}")
    shape = [max(sizes) for sizes in zip(shape_of(one), shape_of(other), strict=True)]
    ends: dict[int, SSAValue] = {}
    for axis, most in enumerate(shape):
        first, second = (b.knowledge.extents.get(value, {}).get(axis) for value in (one, other))
        if first is None and second is None and shape_of(one)[axis] == shape_of(other)[axis]:
            continue
        if first is not None and first is second:
            ends[axis] = first
            continue
        ends[axis] = b.where(condition, _end(b, one, axis), _end(b, other, axis))
        b.knowledge.count(ends[axis], most)
    whole = b.where(condition, *(_padded(b, value, shape) for value in (one, other)))
    return b.bounded(b.viewed(whole, shape, {}), ends)


def _end(b: GraphBuilder, value: SSAValue, axis: int) -> SSAValue:
    known = b.knowledge.extents.get(value, {}).get(axis)
    return b.constant(np.asarray(shape_of(value)[axis]), i64) if known is None else known


def _padded(b: GraphBuilder, value: SSAValue, shape: list[int]) -> SSAValue:
    """All of a value in memory, with elements after it up to a shape."""
    value = b.viewed(value, shape_of(value), {})
    high = [most - size for most, size in zip(shape, shape_of(value), strict=True)]
    return b(graph.PadOp, value, [0] * len(high), high, 0) if any(high) else value
