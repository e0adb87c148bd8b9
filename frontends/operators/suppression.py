"""Of boxes that cover one another, the one with the highest score."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np
from xdsl.dialects.builtin import i32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import WhileWriter

_LANES = 16
"""Rows of chosen boxes fill vectors of up to as many lanes."""
_PART = 4
"""What part of the boxes may be chosen so that comparing with these, which sorting takes, is less work."""


def chosen_boxes(
    b: GraphBuilder, boxes: Boxes, left: SSAValue, limit: SSAValue, overlap: SSAValue, steps: int
) -> SSAValue:
    """The boxes that none of those with higher scores covers, the best first, [batch, class, steps]; -1 after them.

    A loop chooses the best box that none of those which it has chosen covers, of all classes and batches at once. It
    ends when nothing is left, or as many are chosen as may be. How many that is says what a step compares with what.

    Args:
        left: the scores, [batch, class, count], minus infinity for boxes that may not be chosen.
        limit: how many may be chosen of each class of a batch, an i64 of no dims.
        overlap: which part two boxes have in common at most that are both chosen.
        steps: no more than this number are chosen.
    """
    choose = _choose_in_order if steps * _PART <= shape_of(left)[2] else _choose_from_all
    return choose(b, boxes, left, limit, overlap, steps)


@dataclass(frozen=True)
class Boxes:
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
    def of(b: GraphBuilder, parts: SSAValue) -> Boxes:
        """The boxes whose five lie side by side in the dim before the last."""
        shape = shape_of(parts)
        axis = len(shape) - 2
        return Boxes(*(b.squeeze(b.slice(parts, axis, i, i + 1), [axis]) for i in range(shape[axis])))


def all_left(b: GraphBuilder, scores: SSAValue) -> SSAValue:
    """The scores if no box is left out for its own: infinities and NaN are the last."""
    lowest = b.number(float(np.finfo(np.float32).min), scores)
    return b.where(b.compare("gt", scores, lowest), scores, lowest)


def _choose_from_all(
    b: GraphBuilder, boxes: Boxes, left: SSAValue, limit: SSAValue, overlap: SSAValue, steps: int
) -> SSAValue:
    """The chosen boxes, `[batch, class, steps]`, and -1 after them, where they may be most of all.

    Each step looks for the best that is left, and takes away what it covers.
    """
    batches, classes, count = shape_of(left)
    gone = b.number(-inf, left)
    loop = WhileWriter(b, [b.constant(0), left, b.splat(-1, (steps, batches, classes), i64)])
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
        "gt", _overlap(inside, Boxes(*map(at_best, boxes.parts)), Boxes(*map(of_all_classes, boxes.parts))), overlap
    )
    is_best = inside.compare("eq", inside.constant(np.arange(count), i64), best)
    next_left = inside.where(inside(graph.OrOp, is_covered, is_best), gone, left)
    found = loop.finish(go_on, [inside.add(step, inside.constant(1)), next_left, next_chosen])[2]
    return b.transpose(found, (1, 2, 0))


def _choose_in_order(
    b: GraphBuilder, boxes: Boxes, left: SSAValue, limit: SSAValue, overlap: SSAValue, steps: int
) -> SSAValue:
    """The same where they are few: boxes are sorted by their scores, and compared with the few.

    A step looks at the next best box of each batch and class. Those that are chosen already lie side by side. It is
    written after them in any case, and counts if none of them covers it; if not, the next one is written over it. So
    there is a place more than may be chosen.
    """
    batches, classes, count = shape_of(left)
    places = -(-(steps + 1) // _LANES) * _LANES
    gone = b.number(-inf, left)
    order = b(graph.ArgsortOp, left, 2, True)
    limit = b(graph.MinOp, limit, b.constant(steps))
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
    parts = [Boxes.of(inside, each) for each in (inside.unsqueeze(one, [3]), others)]
    is_covered = inside.compare("gt", _overlap(inside, *parts), overlap)
    is_taken = inside.compare(
        "lt", inside.constant(np.arange(places), i32), inside.unsqueeze(inside.cast(taken, i32), [2])
    )
    covers = inside.reduce("max", inside.cast(inside(graph.AndOp, is_covered, is_taken), i32), [2])
    is_chosen = inside(graph.AndOp, is_open, inside.compare("eq", covers, inside.number(0, covers)))
    at = inside.unsqueeze(taken, [2])
    next_others = inside(graph.ScatterNdOp, "set", others, at, one, [3], [0, 1])
    next_chosen = inside(graph.ScatterNdOp, "set", chosen, at, inside.reshape(box, (batches, classes)), [2], [0, 1])
    next_taken = inside.add(taken, inside.cast(is_chosen, i64))
    step = inside.add(step, inside.constant(1))
    _, taken, _, chosen = loop.finish(go_on, [step, next_taken, next_others, next_chosen])
    is_taken = b.compare("lt", b.constant(np.arange(steps)), b.unsqueeze(taken, [2]))
    return b.where(is_taken, b.slice(chosen, 2, 0, steps), b.constant(-1))


def _overlap(b: GraphBuilder, one: Boxes, other: Boxes) -> SSAValue:
    """The area that both boxes cover, in parts of what they cover together."""
    heights = b.sub(b(graph.MinOp, one.high_y, other.high_y), b(graph.MaxOp, one.low_y, other.low_y))
    widths = b.sub(b(graph.MinOp, one.high_x, other.high_x), b(graph.MaxOp, one.low_x, other.low_x))
    common = b.mul(b(graph.ReluOp, heights), b(graph.ReluOp, widths))
    return b.div(common, b.sub(b.add(one.area, other.area), common))
