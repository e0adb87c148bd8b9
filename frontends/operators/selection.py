"""Where a vector of truth values holds, as many times as data says."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from xdsl.dialects.builtin import i8, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder


def positions_of(b: GraphBuilder, mask: SSAValue) -> tuple[SSAValue, SSAValue]:
    """The positions at which a vector of truth values holds, in order, and how many there are, an i64.

    After these are the other positions. Sorting by one bit is a single pass of the radix sort.
    """
    order, count = order_of(b, mask), count_of(b, mask)
    return shortened(b, order, 0, count), count


def order_of(b: GraphBuilder, mask: SSAValue) -> SSAValue:
    """All positions of a vector of truth values: those at which it holds, in order, then the others."""
    return b(graph.ArgsortOp, b.cast(mask, i8), 0, True)


def count_of(b: GraphBuilder, mask: SSAValue) -> SSAValue:
    """At how many positions a vector of truth values holds, an i64."""
    return b.reduce("sum", b.cast(mask, i64), [0])


def shortened(b: GraphBuilder, value: SSAValue, axis: int, count: SSAValue) -> SSAValue:
    """The first `count` elements along an axis, which is data unless it is known now."""
    known = b.knowledge.array(count)
    if known is not None:
        return b.slice(value, axis, 0, int(known))
    b.knowledge.count(count, shape_of(value)[axis])
    return b.bounded(value, {**b.knowledge.extents.get(value, {}), axis: count})


def coordinates_of(b: GraphBuilder, positions: SSAValue, shape: Sequence[int]) -> list[SSAValue]:
    """The coordinates of positions in a tensor of a shape whose elements are counted in order, one vector per dim."""
    found: list[SSAValue] = []
    for axis, extent in enumerate(shape):
        behind = prod(shape[axis + 1 :])
        at = positions if behind == 1 else b.div(positions, b.number(max(behind, 1), positions))
        found.append(at if axis == 0 else b(graph.RemOp, at, b.number(max(extent, 1), at)))
    return found
