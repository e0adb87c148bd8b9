"""Running sums and products: loops that carry what was added up so far."""

from __future__ import annotations

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.extents import filled
from mlc.frontends.operators.loop_writer import ScanWriter, only_integer


@converts("CumSum", "CumProd", bounded=True, rounds_once=True)
def cumulative(b: Node) -> Results:
    """Along an axis, of which each step gets a row; `exclusive` stacks what was there before the step.

    What lies behind an extent that depends on data changes nothing, from whichever end the rows come.
    """
    is_sum = b.op.OP_TYPE == "CumSum"
    axis = axis_of(only_integer(b.known(1)), b.rank())
    backwards = b.flag("reverse")
    order = [axis, *(i for i in range(b.rank()) if i != axis)]
    neutral = 0 if is_sum else 1
    front = b.transpose(filled(b, b[0], neutral), order)
    steps, *row = shape_of(front)
    scan = ScanWriter(b, steps)
    total = scan.carry(b.splat(neutral, row, element_of(front)))
    each = scan.row(front, backwards)
    next = scan.inside(graph.AddOp if is_sum else graph.MulOp, total, each)
    _, found = scan.finish([next], [total if b.flag("exclusive") else next], backwards)
    result = b.transpose(found, [order.index(i) for i in range(len(order))])
    return b.bounded(result, b.knowledge.extents.get(b[0], {}))
