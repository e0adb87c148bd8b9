"""`NonMaxSuppression`: of boxes that cover one another, the one with the highest score."""

from __future__ import annotations

from math import inf

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import only_integer
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.selection import positions_of
from mlc.frontends.operators.suppression import Boxes, all_left, chosen_boxes


@converts("NonMaxSuppression", bounded=True)
def non_max_suppression(b: Node) -> Results:
    """Batch, class and box of each one that is chosen, of any number of boxes."""
    batches, classes, count = b.shape(1)
    require_fixed(b, b[0], "'boxes'", [0])
    require_fixed(b, b[1], "'scores'", [0, 1])
    if b.shape() != (batches, count, 4):
        raise Unconvertible(f"boxes are {b[0].type}; required: {batches} x {count} x 4, as the scores are")
    most = b.knowledge.array(b[2]) if b.has(2) else np.zeros((), np.int64)
    steps = count if most is None else min(max(only_integer(most), 0), count)
    if not steps or not batches * classes:
        return b.splat(0, (0, 3), i64)
    boxes = _corners(b, filled(b, b[0], 0), b.int("center_point_box"))
    limit = b.reshape(b.cast(b[2], i64), ())
    overlap = b.reshape(b[3], ()) if b.has(3) else b.number(0, b[1])
    chosen = chosen_boxes(b, boxes, _left(b), limit, overlap, steps)
    flat = b.reshape(chosen, (batches * classes * steps,))
    places, _ = positions_of(b, b.compare("ge", flat, b.number(0, flat)))
    group = b.div(places, b.number(steps, places))
    columns = [
        b.div(group, b.number(classes, group)),
        b(graph.RemOp, group, b.number(classes, group)),
        b(graph.GatherOp, flat, places, 0),
    ]
    return b.concat([b.unsqueeze(each, [1]) for each in columns], 1)


def _corners(b: GraphBuilder, boxes: SSAValue, is_centered: int) -> Boxes:
    """`[batch, count]` each, of two corners `y, x, y, x` in any order, or of a center `x, y`, a width and a height."""
    p, q, r, s = (b.reshape(b.slice(boxes, 2, i, i + 1), shape_of(boxes)[:2]) for i in range(4))
    if is_centered:
        half_x, half_y = (b.div(size, b.number(2, size)) for size in (r, s))
        low_y, low_x, high_y, high_x = b.sub(q, half_y), b.sub(p, half_x), b.add(q, half_y), b.add(p, half_x)
    else:
        low_y, high_y = b(graph.MinOp, p, r), b(graph.MaxOp, p, r)
        low_x, high_x = b(graph.MinOp, q, s), b(graph.MaxOp, q, s)
    return Boxes(low_y, low_x, high_y, high_x, b.mul(b.sub(high_y, low_y), b.sub(high_x, low_x)))


def _left(b: Node) -> SSAValue:
    """The scores of boxes that may be chosen, minus infinity for others."""
    scores = filled(b, b[1], -inf)
    if b.has(4):
        return b.where(b.compare("gt", scores, b.reshape(b[4], ())), scores, b.number(-inf, scores))
    return filled(b, all_left(b, b[1]), -inf)
