"""Activations that several sources have; those of `graph` itself are ops."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.graph_builder import GraphBuilder


def leaky_relu(b: GraphBuilder, x: SSAValue, slope: SSAValue) -> SSAValue:
    """`slope x` where `x` is negative, else `x`; the slope broadcasts."""
    return b.where(b.compare("lt", x, b.number(0, x)), b.mul(slope, x), x)


def thresholded_relu(b: GraphBuilder, x: SSAValue, threshold: float) -> SSAValue:
    """`x` above a threshold, else 0."""
    return b.where(b.compare("gt", x, b.number(threshold, x)), x, b.number(0, x))


def elu(b: GraphBuilder, x: SSAValue, alpha: float, scale: float = 1, input_scale: float = 1) -> SSAValue:
    """`scale x`, or `scale alpha (e^(input_scale x) - 1)` where `x` is negative."""
    curve = b.scaled(b(graph.ExpM1Op, b.scaled(x, input_scale)), alpha * scale)
    return b.where(b.compare("lt", x, b.number(0, x)), curve, b.scaled(x, scale))


def hard_sigmoid(b: GraphBuilder, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    """`max(0, min(1, alpha x + beta))`."""
    return b.maximum(b.minimum(line(b, x, alpha, beta), b.number(1, x)), b.number(0, x))


def line(b: GraphBuilder, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    """`alpha x + beta`."""
    return b.add(b.mul(x, b.number(alpha, x)), b.number(beta, x))


def softplus(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`log(1 + e^x)`, as `max(x, 0) + log(1 + e^-|x|)`, which never overflows."""
    small = b(graph.ExpOp, b.minus(b(graph.AbsOp, x)))
    return b.add(b(graph.ReluOp, x), b(graph.Log1pOp, small))


def softsign(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`x / (1 + |x|)`."""
    return b.div(x, b.add(b.number(1, x), b(graph.AbsOp, x)))
