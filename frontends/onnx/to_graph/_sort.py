"""Operators that sort."""

from __future__ import annotations

from math import inf, nan

from mlc.dialects import graph
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.extents import filled, nearest_number
from mlc.frontends.operators.graph_builder import is_float
from mlc.frontends.operators.places import taken_along
from mlc.frontends.operators.refusal import Unconvertible


@converts("TopK", bounded=True)
def top_k(b: Node) -> Results:
    """The largest or smallest elements and where they are; sorted, which nobody who asks for any order minds.

    Of an axis that is as long as data says they are as many as are asked for, or all.
    """
    axis = b.axis()
    count = b.int("k") if b.since < 10 else int(b.known(1).reshape(-1)[0])
    if not 0 <= count <= b.shape()[axis]:
        raise Unconvertible(f"the first {count} of {b.shape()[axis]} elements are asked for")
    x, largest = b[0], bool(b.int("largest", 1))
    extent = b.knowledge.extents.get(x, {}).get(axis)
    if extent is not None:  # what lies beyond comes last
        x = filled(b, x, nearest_number(x, -inf) if largest else nan if is_float(x) else nearest_number(x, inf), [axis])
    places = b(graph.ArgsortOp, x, axis, largest, count)
    results = [taken_along(b, x, places, axis), places]
    if extent is not None:
        found = b(graph.MinOp, extent, b.constant(count))
        results = [b.bounded(v, {**b.knowledge.extents.get(v, {}), axis: found}) for v in results]
    return results
