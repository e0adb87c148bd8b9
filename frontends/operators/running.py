"""What elements along an axis have made so far: loops that carry it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod

from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter

_Step = Callable[[ScanWriter, Sequence[SSAValue], SSAValue], list[SSAValue]]
"""What a step makes of what is carried, and of the elements that it is at."""


def carried_along(
    b: GraphBuilder,
    x: SSAValue,
    axis: int,
    starts: Sequence[tuple[float, Attribute]],
    step: _Step,
    backwards: bool = False,
    exclusive: bool = False,
) -> list[SSAValue]:
    """The values that a loop along an axis of `x` carries, each of the shape of `x`: those after each step, or with
    `exclusive` those before it. `starts` are the first ones, numbers with their types."""
    steps, *row = shape_of(front := b.axis_first(x, axis))
    scan = ScanWriter(b, steps)
    values = [scan.carry(b.splat(number, row, element)) for number, element in starts]
    next = step(scan, values, scan.row(front, backwards))
    found = scan.finish(next, values if exclusive else next, backwards)
    return [b.first_to_axis(each, axis) for each in found[len(starts) :]]


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
    start = 0 if op_type is graph.AddOp else 1, element_of(x)
    return carried_along(
        b, x, axis, [start], lambda scan, so_far, each: [scan.inside(op_type, *so_far, each)], backwards, exclusive
    )[0]
