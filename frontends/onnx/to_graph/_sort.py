"""Operators that sort."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from mlc.dialects import graph
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.places import taken_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.selection import shortened
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds, in_symbols


@converts("TopK", bounded=True)
def top_k(b: Node) -> Results:
    """The largest or smallest elements and where they are; sorted, which nobody who asks for any order minds.

    Of an axis that is as long as data says they are as many as are asked for, or all. How many are asked for may follow
    from the extents of a call, or depend on data: then all are sorted.
    """
    axis = b.axis()
    if b.since >= 10 and not b.is_size(1) and b.knowledge.array(b[1]) is None:
        return _first_by_data(b, axis)
    count = _count(b)
    (low, high), there = bounds(count), b.axis_size(b[0], axis)
    if isinstance(count, SymbolicSize):
        fewest = -1 if there is None else bounds(there - count)[0]
    else:
        fewest = b.shape()[axis] - count
    if low < 0 or fewest < 0:
        of = b.shape()[axis] if there is None else in_symbols(there)
        raise Unconvertible(f"the first {in_symbols(count)} of {of} elements are asked for")
    places = b(graph.ArgsortOp, b[0], axis, bool(b.int("largest", 1)), high)
    results = [taken_along(b, b[0], places, axis), places]
    return [b.sized(each, {axis: count}) for each in results] if isinstance(count, SymbolicSize) else results


def _first_by_data(b: Node, axis: int) -> Results:
    """As many as an operand says, and not more than there are."""
    there = b.knowledge.extents.get(b[0], {}).get(axis) or b.constant(b.shape()[axis])
    asked = b.maximum(b.reshape(b.cast(b[1], i64), ()), b.constant(0))
    places = b(graph.ArgsortOp, b[0], axis, bool(b.int("largest", 1)))
    count = b.minimum(asked, there)
    return [shortened(b, each, axis, count) for each in (taken_along(b, b[0], places, axis), places)]


def _count(b: Node) -> AnySize:
    if b.since < 10:
        return b.int("k")
    return b.sizes(1)[0] if b.is_size(1) else int(b.known(1).reshape(-1)[0])
