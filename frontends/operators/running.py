"""Running sums and products: loops that carry what was combined so far."""

from __future__ import annotations

from math import prod

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter


def running(
    b: GraphBuilder,
    op_type: type[graph.AddOp | graph.MulOp],
    x: SSAValue,
    axis: int,
    backwards: bool = False,
    exclusive: bool = False,
) -> SSAValue:
    """The sum or the product of all elements so far along an axis, from either end; with `exclusive`, of those before
    each element."""
    if not prod(shape_of(x)):
        return x
    order = [axis, *(i for i in range(len(shape_of(x))) if i != axis)]
    front = b.transpose(x, order)
    steps, *row = shape_of(front)
    scan = ScanWriter(b, steps)
    total = scan.carry(b.splat(0 if op_type is graph.AddOp else 1, row, element_of(front)))
    next = scan.inside(op_type, total, scan.row(front, backwards))
    _, found = scan.finish([next], [total if exclusive else next], backwards)
    return b.transpose(found, [order.index(i) for i in range(len(order))])
