"""Operators that combine elements along axes."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.dialects.builtin import i1, i32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._node import Node, axes_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.logarithms import log_sum_exp
from mlc.frontends.operators.statistics import mean

_BEFORE: dict[str, Callable[[GraphBuilder, SSAValue], SSAValue]] = {
    "ReduceL1": lambda b, x: b(graph.AbsOp, x),
    "ReduceL2": GraphBuilder.squared,
    "ReduceSumSquare": GraphBuilder.squared,
}
"""What is summed instead of the elements."""
_KINDS = {
    "ReduceSum": "sum",
    "ReduceMean": "mean",
    "ReduceMax": "max",
    "ReduceMin": "min",
    "ReduceProd": "prod",
    "ReduceL1": "sum",
    "ReduceL2": "sum",
    "ReduceSumSquare": "sum",
    "ReduceLogSum": "sum",
}
_AFTER: dict[str, Callable[[GraphBuilder, SSAValue], SSAValue]] = {
    "ReduceL2": lambda b, x: b(graph.SqrtOp, x),
    "ReduceLogSum": lambda b, x: b(graph.LogOp, x),
}


def _axes(b: Node) -> list[int] | None:
    """The axes, all of them where none is named; None where nothing is to be done."""
    named = b.ints("axes") if "axes" in b.op.attributes else b.known_ints(1) if b.has(1) else []
    if not named:
        return None if b.flag("noop_with_empty_axes") else list(range(b.rank()))
    return axes_of(named, b.rank())


@converts(*_KINDS, bounded=True, rounds_once=lambda b: b.op.OP_TYPE in ("ReduceL2", "ReduceSumSquare", "ReduceLogSum"))
def reduction(b: Node) -> Results:
    """A reduction of what the operator makes of the elements."""
    name, axes = b.op.OP_TYPE, _axes(b)
    x = _BEFORE[name](b, b[0]) if name in _BEFORE else b[0]
    if axes is not None:
        x = reduce(b, _KINDS[name], x, axes, bool(b.int("keepdims", 1)))
    return _AFTER[name](b, x) if name in _AFTER else x


def reduce(b: GraphBuilder, kind: str, x: SSAValue, axes: list[int], keepdims: bool) -> SSAValue:
    """A reduction, of booleans and of nothing, too."""
    if element_of(x) == i1 and kind in ("max", "min"):
        extreme = b.reduce(kind, b.cast(x, i32), axes, keepdims)
        return b.compare("gt", extreme, b.number(0, extreme))  # of nothing, it is the least or the greatest integer
    if not axes:
        return x
    return mean(b, x, axes, keepdims) if kind == "mean" else b.reduce(kind, x, axes, keepdims)


@converts("ReduceLogSumExp", bounded=True, rounds_once=True)
def reduce_log_sum_exp(b: Node) -> Results:
    """`log(sum(e^x))`, the largest element taken out first, unless it is infinite."""
    x, axes = b[0], _axes(b)
    if axes is None:
        return x
    return log_sum_exp(b, x, axes, bool(b.int("keepdims", 1)))


@converts("ArgMax", "ArgMin", bounded=True)
def arg_reduce(b: Node) -> Results:
    """The place of the first, or last, largest or least element."""
    op_type = graph.ArgMaxOp if b.op.OP_TYPE == "ArgMax" else graph.ArgMinOp
    x, axis, keepdims = b[0], b.axis(), bool(b.int("keepdims", 1))
    if not b.flag("select_last_index"):
        return b(op_type, x, axis, keepdims)
    found = b(op_type, b(graph.ReverseOp, x, [axis]), axis, keepdims)
    extent = b.knowledge.extents.get(x, {}).get(axis) or b.constant(b.shape()[axis])
    return b.sub(b.sub(extent, b.constant(1)), found)
