"""Losses of which torch checks the arguments, so that they are not taken apart."""

from __future__ import annotations

from math import prod

from xdsl.dialects.builtin import i1, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.places import taken_along
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts

_NONE, _MEAN = 0, 1
"""Numbers of reductions; that of the sum is 2."""


@converts("nll_loss_forward", "nll_loss2d_forward")
def negative_likelihood(
    b: Call, self: SSAValue, target: SSAValue, weight: SSAValue | None, reduction: int, ignore_index: int
) -> Results:
    """Minus the elements at labels, times the weights of these, and the sum of the weights. Classes are dim 1, or all
    of a vector; a label that is to be ignored counts nothing."""
    axis = 0 if len(shape_of(self)) == 1 else 1
    labels = b.cast(target, i64)
    counted = b.compare("ne", labels, b.constant(ignore_index))
    labels = b.where(counted, labels, b.constant(0))
    b.require_places(labels, shape_of(self)[axis])
    at = b.unsqueeze(labels, [axis])
    x = b.widened(self)
    if not prod(shape_of(at)):
        picked, weights = b.splat(0, shape_of(target), element_of(x)), b.splat(0, shape_of(target), element_of(x))
    else:
        picked = b.minus(b.squeeze(taken_along(b, x, at, axis), [axis]))
        if weight is None:
            weights = b.cast(counted, element_of(x))
        else:
            weights = b(graph.GatherOp, b.cast(weight, element_of(x)), labels, 0)
            picked = b.mul(picked, weights)
            weights = b.where(counted, weights, b.number(0, weights))
        picked = b.where(counted, picked, b.number(0, picked))
    if reduction == _NONE and shape_of(target):
        return [picked, b.splat(0, (), b.element(1))]
    total = _sum(b, weights)
    found = _sum(b, picked)
    return [b.div(found, total) if reduction == _MEAN else found, total]


@converts("binary_cross_entropy")
def binary_cross_entropy(b: Call, self: SSAValue, target: SSAValue, weight: SSAValue | None, reduction: int) -> Results:
    """Logarithms are -100 at least, as torch has them."""
    x = b.widened(self)
    zero, one, least = b.number(0, x), b.number(1, x), b.number(-100, x)
    fits = b(graph.AndOp, b.compare("ge", x, zero), b.compare("le", x, one))
    b.require_none(b(graph.XorOp, fits, b.constant(True, i1)), "an element is not between 0 and 1")
    y = b.cast(target, element_of(x))
    log, log_of_rest = b(graph.LogOp, x), b(graph.Log1pOp, b.minus(x))
    found = b.sub(b.mul(b.sub(y, one), b.maximum(log_of_rest, least)), b.mul(y, b.maximum(log, least)))
    if weight is not None:
        found = b.mul(found, b.cast(weight, element_of(x)))
    if reduction == _NONE:
        return found
    total = _sum(b, found)
    return b.div(total, b.number(prod(shape_of(found)), total)) if reduction == _MEAN else total


def _sum(b: Call, x: SSAValue) -> SSAValue:
    return b.reduce("sum", x, range(len(shape_of(x)))) if shape_of(x) else x
