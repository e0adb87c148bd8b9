"""Running sums and products."""

from __future__ import annotations

from mlc.dialects import graph
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.loop_writer import only_integer
from mlc.frontends.operators.running import running


@converts("CumSum", "CumProd", bounded=True, rounds_once=True)
def cumulative(b: Node) -> Results:
    """Along an axis, of which each step gets a row; `exclusive` stacks what was there before the step.

    What lies beyond an extent that depends on data changes nothing, from whichever end the rows come.
    """
    is_sum = b.op.OP_TYPE == "CumSum"
    axis = axis_of(only_integer(b.known(1)), b.rank())
    x = filled(b, b[0], 0 if is_sum else 1)
    found = running(b, graph.AddOp if is_sum else graph.MulOp, x, axis, b.flag("reverse"), b.flag("exclusive"))
    return b.bounded(found, b.knowledge.extents.get(b[0], {}))
