"""Distances between rows, and their gradients."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts


@converts("_cdist_forward")
def cdist(b: Call, x1: SSAValue, x2: SSAValue, p: float) -> Results:
    """The distance of each row of one matrix from each of another, always by differences: torch takes products of
    matrices for many rows, which is less exact."""
    if not prod(b.shape()) or not shape_of(x1)[-1]:
        return b.splat(0, b.shape(), b.element())
    return _norm(b, _differences(b, x1, x2), p)


def _differences(b: Call, x1: SSAValue, x2: SSAValue) -> SSAValue:
    return b.sub(b.unsqueeze(x1, [len(shape_of(x1)) - 1]), b.unsqueeze(x2, [len(shape_of(x2)) - 2]))


def _norm(b: Call, x: SSAValue, p: float) -> SSAValue:
    """The p-norm along the last dim."""
    axes = [len(shape_of(x)) - 1]
    size = b(graph.AbsOp, x)
    if p == 0:
        return b.reduce("sum", b.cast(b.to_bool(x), element_of(x)), axes)
    if p == inf:
        return b.reduce("max", size, axes)
    if p == 1:
        return b.reduce("sum", size, axes)
    if p == 2:
        return b(graph.SqrtOp, b.reduce("sum", b.squared(x), axes))
    total = b.reduce("sum", b(graph.PowOp, size, b.number(p, x)), axes)
    return b(graph.PowOp, total, b.number(1 / p, x))


@converts("_cdist_backward")
def cdist_backward(b: Call, grad: SSAValue, x1: SSAValue, x2: SSAValue, p: float, cdist: SSAValue) -> Results:
    """The gradient of `x1` `[..., p, m]`, from that of distances `[..., p, r]` to `x2` `[..., r, m]` in the p-norm."""
    if not prod(shape_of(grad)) or not prod(b.shape()):
        return b.splat(0, b.shape(), b.element())
    last = len(shape_of(grad))
    terms = _slopes(b, _differences(b, x1, x2), b.unsqueeze(cdist, [last]), b.unsqueeze(grad, [last]), p)
    return b.reduce("sum", terms, [last - 1])


def _slopes(b: Call, x: SSAValue, distance: SSAValue, gradient: SSAValue, p: float) -> SSAValue:
    """What a difference contributes to the gradient; 0 where the distance is."""
    zero = b.number(0, x)
    if p == 0:
        return b.mul(x, zero)
    if p == 1:
        return b.mul(b(graph.SignOp, x), gradient)
    if p == inf:
        is_most = b.compare("eq", b(graph.AbsOp, x), distance)
        return b.where(is_most, b.mul(b(graph.SignOp, x), gradient), zero)
    nowhere = b.compare("eq", distance, zero)
    if p == 2:
        return b.where(nowhere, zero, b.mul(gradient, b.div(x, distance)))
    power = b(graph.PowOp, b(graph.AbsOp, x), b.number(p - 1, x))
    power = b.mul(b(graph.SignOp, x), power)
    if p < 1:
        power = b.where(b.compare("eq", x, zero), zero, power)
    slope = b.div(b.mul(power, gradient), b(graph.PowOp, distance, b.number(p - 1, x)))
    return b.where(nowhere, zero, slope)


@converts("_pdist_forward")
def pdist(b: Call, self: SSAValue, p: float) -> Results:
    """The distances of all pairs of rows, the first row with each later one first."""
    if not prod(b.shape()) or not shape_of(self)[1]:
        return b.splat(0, b.shape(), b.element())
    first, second = _pairs(b, shape_of(self)[0])
    return _norm(b, b.sub(b(graph.GatherOp, self, first, 0), b(graph.GatherOp, self, second, 0)), p)


def _pairs(b: Call, rows: int) -> Sequence[SSAValue]:
    return [b.constant(places.astype(np.int64), i64) for places in np.triu_indices(rows, 1)]


@converts("_pdist_backward")
def pdist_backward(b: Call, grad: SSAValue, self: SSAValue, p: float, pdist: SSAValue) -> Results:
    """The gradient of `self` `[n, m]`, from that of the distances of all pairs of rows, `[n (n - 1) / 2]`."""
    if not prod(b.shape()) or not prod(shape_of(grad)):
        return b.splat(0, b.shape(), b.element())
    first, second = _pairs(b, shape_of(self)[0])
    x = b.sub(b(graph.GatherOp, self, first, 0), b(graph.GatherOp, self, second, 0))
    terms = _slopes(b, x, b.unsqueeze(pdist, [1]), b.unsqueeze(grad, [1]), p)
    count = shape_of(grad)[0]
    zeros = b.splat(0, shape_of(self), element_of(self))
    found = b(graph.ScatterNdOp, "add", zeros, b.reshape(first, (count, 1)), terms, [0])
    return b(graph.ScatterNdOp, "add", found, b.reshape(second, (count, 1)), b.minus(terms), [0])
