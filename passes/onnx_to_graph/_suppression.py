"""`NonMaxSuppression`: of boxes that cover one another, the one with the highest score."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import element_of, shape_of
from mlc.passes.lowering import lowers
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._patterns import PASS, FromOnnx, Results
from mlc.passes.shared.graph_builder import GraphBuilder
from mlc.passes.shared.loop_writer import WhileWriter, only_integer
from mlc.passes.shared.refusal import Unconvertible
from mlc.passes.shared.selection import positions_of

_LANES = 16
"""Rows of chosen boxes fill vectors of up to as many lanes."""
_PART = 4
"""What part of the boxes may be chosen so that comparing with these, which sorting takes, is less work."""


@lowers(PASS, onnx.op("NonMaxSuppression"))
class NonMaxSuppression(FromOnnx):
    """Batch, class and box of each one that is chosen.

    A loop chooses the best box that none of those which it has chosen covers, of all classes and batches at once. It
    ends when nothing is left, or as many are chosen as may be. How many that is says what a step compares with what.
    """

    def build(self, node: Node, b: GraphBuilder) -> Results:
        batches, classes, count = node.shape(1)
        if node.shape() != (batches, count, 4):
            raise Unconvertible(f"boxes are {node[0].type}; required: {batches} x {count} x 4, as the scores are")
        most = node.knowledge.array(node[2]) if node.has(2) else np.zeros((), np.int64)
        steps = count if most is None else min(max(only_integer(most), 0), count)
        if not steps or not batches * classes:
            return b.splat(0, (0, 3), i64)
        boxes = _corners(b, node[0], node.int("center_point_box"))
        choose = _choose_in_order if steps * _PART <= count else _choose_from_all
        flat = b.reshape(choose(node, b, boxes, steps), (batches * classes * steps,))
        places, _ = positions_of(b, b.compare("ge", flat, b.number(0, flat)))
        group = b.div(places, b.number(steps, places))
        columns = [
            b.div(group, b.number(classes, group)),
            b(graph.RemOp, group, b.number(classes, group)),
            b(graph.GatherOp, flat, places, 0),
        ]
        return b.concat([b.unsqueeze(each, [1]) for each in columns], 1)


@dataclass(frozen=True)
class _Boxes:
    """The edges of boxes, and what they cover; one shape for all five."""

    low_y: SSAValue
    low_x: SSAValue
    high_y: SSAValue
    high_x: SSAValue
    area: SSAValue

    @property
    def parts(self) -> list[SSAValue]:
        """All five."""
        return [self.low_y, self.low_x, self.high_y, self.high_x, self.area]

    @staticmethod
    def of(b: GraphBuilder, parts: SSAValue) -> _Boxes:
        """The boxes whose five lie side by side in the dim before the last."""
        shape = shape_of(parts)
        axis = len(shape) - 2
        return _Boxes(*(b.squeeze(b.slice(parts, axis, i, i + 1), [axis]) for i in range(shape[axis])))


def _corners(b: GraphBuilder, boxes: SSAValue, is_centered: int) -> _Boxes:
    """`[batch, count]` each, of two corners `y, x, y, x` in any order, or of a center `x, y`, a width and a height."""
    p, q, r, s = (b.reshape(b.slice(boxes, 2, i, i + 1), shape_of(boxes)[:2]) for i in range(4))
    if is_centered:
        half_x, half_y = (b.div(size, b.number(2, size)) for size in (r, s))
        low_y, low_x, high_y, high_x = b.sub(q, half_y), b.sub(p, half_x), b.plus(q, half_y), b.plus(p, half_x)
    else:
        low_y, high_y = b(graph.MinOp, p, r), b(graph.MaxOp, p, r)
        low_x, high_x = b(graph.MinOp, q, s), b(graph.MaxOp, q, s)
    return _Boxes(low_y, low_x, high_y, high_x, b.mul(b.sub(high_y, low_y), b.sub(high_x, low_x)))


def _choose_from_all(node: Node, b: GraphBuilder, boxes: _Boxes, steps: int) -> SSAValue:
    """The chosen boxes, `[batch, class, steps]`, and -1 behind them, where they may be most of all.

    Each step looks for the best that is left, and takes away what it covers.
    """
    scores = node[1]
    batches, classes, count = shape_of(scores)
    gone = b.number(-inf, scores)
    limit = b.reshape(b.cast(node[2], i64), ())
    overlap = b.reshape(node[3], ()) if node.has(3) else b.number(0, scores)
    loop = WhileWriter(b, [b.constant(0), _left(node, b), b.splat(-1, (steps, batches, classes), i64)])
    check, ahead = loop.check, loop.ahead
    best_left = check.reduce("max", ahead[1], [0, 1, 2])
    is_open = check.compare("lt", ahead[0], check(graph.MinOp, limit, check.constant(steps)))
    go_on = check(graph.AndOp, is_open, check.compare("gt", best_left, check.number(-inf, best_left)))

    inside, (step, left, chosen) = loop.inside, loop.carried
    best = inside(graph.ArgMaxOp, left, 2, True)
    is_left = inside.compare("gt", inside.reduce("max", left, [2], True), gone)
    found = inside.reshape(inside.where(is_left, best, inside.constant(-1)), (1, batches, classes))
    place = inside.reshape(step, (1, 1))
    next_chosen = inside(graph.ScatterNdOp, "set", chosen, place, found, [0])

    def at_best(each: SSAValue) -> SSAValue:
        return inside.reshape(inside(graph.GatherNdOp, each, best, [1], [0]), (batches, classes, 1))

    def of_all_classes(each: SSAValue) -> SSAValue:
        return inside.reshape(each, (batches, 1, count))

    is_covered = inside.compare(
        "gt", _overlap(inside, _Boxes(*map(at_best, boxes.parts)), _Boxes(*map(of_all_classes, boxes.parts))), overlap
    )
    is_best = inside.compare("eq", inside.constant(np.arange(count), i64), best)
    next_left = inside.where(inside(graph.OrOp, is_covered, is_best), gone, left)
    found = loop.finish(go_on, [inside.plus(step, inside.constant(1)), next_left, next_chosen])[2]
    return b.transpose(found, (1, 2, 0))


def _choose_in_order(node: Node, b: GraphBuilder, boxes: _Boxes, steps: int) -> SSAValue:
    """The same where they are few: boxes are sorted by their scores, and compared with the few.

    A step looks at the next best box of each batch and class. Those that are chosen already lie side by side. It is
    written behind them in any case, and counts if none of them covers it; if not, the next one is written over it. So
    there is a place more than may be chosen.
    """
    batches, classes, count = shape_of(node[1])
    places = -(-(steps + 1) // _LANES) * _LANES
    left = _left(node, b)
    gone = b.number(-inf, left)
    order = b(graph.ArgsortOp, left, 2, True)
    limit = b(graph.MinOp, b.reshape(b.cast(node[2], i64), ()), b.constant(steps))
    overlap = b.reshape(node[3], ()) if node.has(3) else b.number(0, left)
    edges = b.concat([b.unsqueeze(each, [1]) for each in boxes.parts], 1)

    def next_best(b: GraphBuilder, step: SSAValue, taken: SSAValue) -> tuple[SSAValue, SSAValue]:
        """The box that is next, `[batch, class, 1]`, and whether it may be chosen."""
        box = b(graph.GatherOp, order, b.reshape(b(graph.MinOp, step, b.constant(count - 1)), (1,)), 2)
        is_left = b.compare("gt", b(graph.GatherNdOp, left, box, [2], [0, 1]), gone)
        return b.unsqueeze(box, [3]), b(graph.AndOp, is_left, b.compare("lt", taken, limit))

    initial = [
        b.constant(0),
        b.splat(0, (batches, classes), i64),
        b.splat(0, (batches, classes, len(boxes.parts), places), element_of(edges)),
        b.splat(-1, (batches, classes, places), i64),
    ]
    loop = WhileWriter(b, initial)
    check, (step, taken, *_) = loop.check, loop.ahead
    is_any = check.reduce("max", check.cast(next_best(check, step, taken)[1], i32), [0, 1])
    ahead = check.compare("lt", step, check.constant(count))
    go_on = check(graph.AndOp, ahead, check.compare("gt", is_any, check.number(0, is_any)))

    inside, (step, taken, others, chosen) = loop.inside, loop.carried
    box, is_open = next_best(inside, step, taken)
    one = inside(graph.GatherNdOp, edges, inside.reshape(box, (batches, classes, 1)), [2], [0])
    parts = [_Boxes.of(inside, each) for each in (inside.unsqueeze(one, [3]), others)]
    is_covered = inside.compare("gt", _overlap(inside, *parts), overlap)
    is_taken = inside.compare(
        "lt", inside.constant(np.arange(places), i32), inside.unsqueeze(inside.cast(taken, i32), [2])
    )
    covers = inside.reduce("max", inside.cast(inside(graph.AndOp, is_covered, is_taken), i32), [2])
    is_chosen = inside(graph.AndOp, is_open, inside.compare("eq", covers, inside.number(0, covers)))
    at = inside.unsqueeze(taken, [2])
    next_others = inside(graph.ScatterNdOp, "set", others, at, one, [3], [0, 1])
    next_chosen = inside(graph.ScatterNdOp, "set", chosen, at, inside.reshape(box, (batches, classes)), [2], [0, 1])
    next_taken = inside.plus(taken, inside.cast(is_chosen, i64))
    step = inside.plus(step, inside.constant(1))
    _, taken, _, chosen = loop.finish(go_on, [step, next_taken, next_others, next_chosen])
    is_taken = b.compare("lt", b.constant(np.arange(steps)), b.unsqueeze(taken, [2]))
    return b.where(is_taken, b.slice(chosen, 2, 0, steps), b.constant(-1))


def _left(node: Node, b: GraphBuilder) -> SSAValue:
    """The scores of boxes that may be chosen, minus infinity for others."""
    scores = node[1]
    gone = b.number(-inf, scores)
    if node.has(4):
        return b.where(b.compare("gt", scores, b.reshape(node[4], ())), scores, gone)
    lowest = b.number(float(np.finfo(np.float32).min), scores)
    return b.where(b.compare("gt", scores, lowest), scores, lowest)  # without a bound, infinities and NaN are the last


def _overlap(b: GraphBuilder, one: _Boxes, other: _Boxes) -> SSAValue:
    """The area that both boxes cover, in parts of what they cover together."""
    heights = b.sub(b(graph.MinOp, one.high_y, other.high_y), b(graph.MaxOp, one.low_y, other.low_y))
    widths = b.sub(b(graph.MinOp, one.high_x, other.high_x), b(graph.MaxOp, one.low_x, other.low_x))
    common = b.mul(b(graph.ReluOp, heights), b(graph.ReluOp, widths))
    return b.div(common, b.sub(b.plus(one.area, other.area), common))
