"""Logarithms of sums of exponentials, which do not overflow where their result does not."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder


def log_sum_exp(b: GraphBuilder, x: SSAValue, axes: Sequence[int], keepdims: bool) -> SSAValue:
    """`log(sum(e^x))` over some axes; the largest element is taken out first, unless it is infinite."""
    if not prod(shape_of(x)):
        return b(graph.LogOp, b.reduce("sum", b(graph.ExpOp, x), axes, keepdims))
    highest = b.reduce("max", x, axes, True)
    finite = b.compare("lt", b(graph.AbsOp, highest), b.number(inf, x))
    base = b.where(finite, highest, b.number(0, x))
    total = b.add(b(graph.LogOp, b.reduce("sum", b(graph.ExpOp, b.sub(x, base)), axes, True)), base)
    return total if keepdims else b.squeeze(total, axes)


def log_softmax(b: GraphBuilder, x: SSAValue, axis: int) -> SSAValue:
    """`x - max - log(sum(e^(x - max)))` along an axis."""
    moved = b.sub(x, b.reduce("max", x, [axis], True))
    return b.sub(moved, b(graph.LogOp, b.reduce("sum", b(graph.ExpOp, moved), [axis], True)))
