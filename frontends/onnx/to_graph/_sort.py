"""Operators that sort."""

from __future__ import annotations

from mlc.dialects import graph
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
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
    places = b(graph.ArgsortOp, b[0], axis, bool(b.int("largest", 1)), count)
    return [taken_along(b, b[0], places, axis), places]
