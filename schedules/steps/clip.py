"""`clip`: a window at the border of an image begins and ends where the image does, at run time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.neutral import leaves_no_trace
from mlc.dialects.loop import ForOp, LoadOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.schedules.steps._padding import (
    ImageWindow,
    Padded,
    PaddingStep,
    stays_inside,
    without_padding,
)
from mlc.support.errors import Refused
from mlc.support.ir import ancestor_in, is_made_in


@dataclass(frozen=True)
class _Clipped:
    """A window that stays inside of an image."""

    window: ImageWindow
    inside: range


def clip(padded: Padded, names: Sequence[str]) -> bool:
    """Read `padded.source` itself, after bounding the loops over windows by the image.

        p[0], p[9] = 0; for i in 0..8: p[i + 1] = x[i]
        for y in 0..8: s = for k in 0..3: p[y + k]
    ->
        for y in 0..8: s = for k in 0..3 from 1 - y limit 9 - y: x[y + k - 1]

    `partition` makes a copy of the nest for each border instead, in which the window's bounds are constants.

    Returns False, and changes nothing, where no axis can lose its padding, or where what is left out would count.
    """
    plan: dict[ForOp, _Clipped] = {}
    if not without_padding(padded, lambda left, axis: _plan_axis(left, axis, names, plan)):
        return False
    for clipped in plan.values():
        _bound(clipped)
    return True


def _plan_axis(padded: Padded, axis: int, names: Sequence[str], plan: dict[ForOp, _Clipped]) -> bool:
    """Whether no read needs padding along an axis once the loops are bounded as is then noted in `plan`."""
    inside = padded.inside[axis]
    moving: dict[ImageWindow, list[LoadOp]] = {}
    for read in padded.reads:
        if stays_inside(read, axis, inside):
            continue
        window = ImageWindow.of(read, axis, names)
        if window is None or (window not in moving and not _can_be_bounded(window, inside)):
            return False
        if not is_made_in(window.position.induction_variable, ancestor_in(read, padded.buffer.parent)):
            return False
        moving.setdefault(window, []).append(read)
    found = {window.taps: _Clipped(window, inside) for window in moving}
    if len(found) != len(moving) or not plan.keys().isdisjoint(found):
        return False
    if not all(leaves_no_trace(window.taps, *reads) for window, reads in moving.items()):
        return False
    plan |= found
    return True


def _can_be_bounded(window: ImageWindow, inside: range) -> bool:
    """Whether bounds that are a sum say where the window is inside, which it is with a tap at all places."""
    has_own = window.taps.limit is not None
    return not has_own and window.dilation == 1 and all(window.inside(y, inside) for y in window.position.range)


def _bound(clipped: _Clipped) -> None:
    """Let a loop over a window begin and end where the image does."""
    window, loop = clipped.window, clipped.window.taps
    places = [window.inside(place, clipped.inside) for place in window.position.range]
    loop.properties["lower"] = IntegerAttr(min(taps.start for taps in places), i64)
    loop.properties["upper"] = IntegerAttr(max(taps.stop for taps in places), i64)
    moves_start = any(taps.start != places[0].start for taps in places)
    if not moves_start and all(taps.stop == places[0].stop for taps in places):
        return
    counter = window.position.induction_variable
    at = counter if window.stride == 1 else _inserted(arith.MuliOp(counter, _index(window.stride, loop)), loop)
    limit = _inserted(arith.SubiOp(_index(clipped.inside.stop, loop), at), loop)
    start = _inserted(arith.SubiOp(_index(clipped.inside.start, loop), at), loop) if moves_start else None
    loop.set_limit(limit, 1, start)


def _index(value: int, before: ForOp) -> SSAValue:
    return _inserted(arith.ConstantOp(IntegerAttr.from_index_int_value(value)), before)


def _inserted(op: Operation, before: ForOp) -> SSAValue:
    Rewriter.insert_op(op, InsertPoint.before(before))
    return op.results[0]


@dataclass(frozen=True)
class Clip(PaddingStep):
    """windows begin and end where the image does, by bounds computed from `y`: no padded copy is made"""

    name = "clip"
    example = "clip(y)"

    def leave_out(self, padded: Padded) -> None:
        if not clip(padded, self.loops):
            raise Refused(f"no loop over a window moves along {', '.join(self.loops)} alone, or the padding counts")

    def words(self, plan: LoopPlan) -> str:
        return f"windows along {', '.join(self.loops)} begin and end where the image does, which avoids a copy"
