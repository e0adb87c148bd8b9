"""Means, differences from them and variances, of which norms are made."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float


def mean_and_differences(b: GraphBuilder, x: SSAValue, axes: Sequence[int]) -> tuple[SSAValue, SSAValue]:
    """The mean over some axes, which are kept with extent 1, and `x` less that.

    Both by the differences from the first element: the error of a mean of numbers themselves may be larger than all
    differences between them. Equal numbers have a variance of 0.
    """
    if 0 in shape_of(x):
        mean = b.reduce("mean", x, axes, True)
        return mean, b.sub(x, mean)
    first = x
    for axis in axes:
        first = b.slice(first, axis, 0, 1)
    shifted = b.sub(x, first)
    offset = b.reduce("mean", shifted, axes, True)
    return b.add(first, offset), b.sub(shifted, offset)


def mean(b: GraphBuilder, x: SSAValue, axes: Sequence[int], keepdims: bool = False) -> SSAValue:
    """The mean over some axes, whose extents may depend on data; of integers rounded towards zero, and 0 of none. That
    of halves whose number depends on data is computed in f32."""
    extents = b.knowledge.extents.get(x, {})
    if is_float(x) and not any(axis in extents for axis in axes):
        return b.reduce("mean", x, axes, keepdims)
    count = b.constant(prod(shape_of(x)[axis] for axis in axes if axis not in extents))
    for axis in axes:
        count = b.mul(count, extents[axis]) if axis in extents else count
    if not is_float(x):
        total = b.reduce("sum", x, axes, keepdims)
        return b.div(total, b.cast(b.maximum(count, b.constant(1)), element_of(x)))
    total = b.reduce("sum", b.widened(x), axes, keepdims)
    return b.cast(b.div(total, b.cast(count, element_of(total))), element_of(x))


def mean_square(b: GraphBuilder, x: SSAValue, axes: Sequence[int], keepdims: bool = False) -> SSAValue:
    """The mean of squares over some axes: the variance, where `x` are differences from the mean."""
    return b.reduce("mean", b.squared(x), axes, keepdims)


def inverse_root(b: GraphBuilder, variance: SSAValue, epsilon: float) -> SSAValue:
    """`1 / sqrt(variance + epsilon)`, by which norms scale."""
    return b(graph.RsqrtOp, b.add(variance, b.number(epsilon, variance)))
