"""`partition`: split loops into a border and an interior, so that no padded copy of an image is needed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Operation

from mlc.analysis.accesses import loop_of
from mlc.analysis.memory_accesses import IndexSum
from mlc.analysis.neutral import leave_out, leaves_no_trace
from mlc.dialects.loop import ForOp, LoadOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.schedules.steps._padding import (
    ImageWindow,
    Padded,
    PaddingStep,
    stays_inside,
    without_padding,
)
from mlc.schedules.steps.tile import peel
from mlc.support.affine import split_terms
from mlc.support.errors import Refused
from mlc.support.ir import ancestor_in, is_made_in

MOST_PARTS = 5
"""A loop that falls into more parts than this is mostly border; it stays as it is."""


@dataclass(frozen=True)
class _Part:
    """A part of a loop over positions."""

    trips: int
    windows: dict[ForOp, range]
    """The ranges that loops inside of it have there."""
    outside: tuple[LoadOp, ...] = ()
    """What reads nothing but padding there."""


_Plan = dict[ForOp, list[_Part]]


def partition(padded: Padded, names: Sequence[str]) -> bool:
    """Read `padded.source` itself, after splitting the loops `names` into a border and what is inside.

        p[0], p[9] = 0; for i in 0..8: p[i + 1] = x[i]
        for y in 0..8: s = for k in 0..3: p[y + k]
    ->
        for y in 0..1: s = for k in 1..3: x[y + k - 1]
        for y in 1..7: s = for k in 0..3: x[y + k - 1]
        for y in 7..8: s = for k in 0..2: x[y + k - 1]

    Where loops over a window are unrolled already, the steps of a reduction that take nothing but padding are left out.

    An axis along which windows do not move with these loops keeps its padding, and the copy is needed for that alone.
    Returns False, and changes nothing, where no axis can lose it, or where what is left out would count: a sum does not
    notice zeros, nor a maximum what never wins.
    """
    plan: _Plan = {}
    if not without_padding(padded, lambda left, axis: _plan_axis(left, axis, names, plan)):
        return False
    # Innermost first, so that the copies of an outer loop have split loops inside.
    copies: dict[Operation, list[Operation]] = {
        op: [op] for parts in plan.values() for part in parts for op in (*part.windows, *part.outside)
    }
    for loop, parts in sorted(plan.items(), key=lambda item: -len(enclosing_loops(item[0]))):
        _carry_out(loop, parts, copies)
    return True


def _plan_axis(padded: Padded, axis: int, names: Sequence[str], plan: _Plan) -> bool:
    """Whether no read needs padding along an axis once the loops are split as is then noted in `plan`."""
    inside = padded.inside[axis]
    found: _Plan = {}
    blocks: dict[ForOp, list[LoadOp]] = {}
    for read in padded.reads:
        if stays_inside(read, axis, inside):
            continue
        nest = ancestor_in(read, padded.buffer.parent)
        if (block := _block(read, axis, names)) is not None and is_made_in(block.induction_variable, nest):
            blocks.setdefault(block, []).append(read)
            continue
        window = ImageWindow.of(read, axis, names)
        if window is None or window.position in plan or window.position in found:
            return False
        if not leaves_no_trace(window.taps, read) or not is_made_in(window.position.induction_variable, nest):
            return False
        if (parts := _split(window, inside)) is None:
            return False
        found[window.position] = parts
    for block, reads in blocks.items():
        if block in plan or block in found or (parts := _split_blocks(block, reads, axis, inside)) is None:
            return False
        found[block] = parts
    plan |= found
    return True


def _block(read: LoadOp, axis: int, names: Sequence[str]) -> ForOp | None:
    """The loop, of one of these names, whose counter alone moves a subscript: no window is left that moves it, too."""
    factors = split_terms(read.map.data.results[axis])
    if len(factors) != 1:
        return None
    ((dim, factor),) = factors.items()
    loop = loop_of(read.indices[dim])
    return loop if loop is not None and factor and loop.dim.data in names else None


def _split(window: ImageWindow, inside: range) -> list[_Part] | None:
    """The parts of a loop over positions, each with the range of the window that stays inside for all of them."""
    parts: list[_Part] = []
    for taps, positions in groupby(window.position.range, key=lambda place: window.inside(place, inside)):
        if not taps:
            return None
        parts.append(_Part(len(list(positions)), {window.taps: taps}))
    return parts if len(parts) <= MOST_PARTS else None


def _split_blocks(loop: ForOp, reads: Sequence[LoadOp], axis: int, inside: range) -> list[_Part] | None:
    """The parts of a loop over blocks, in each of which the same reads read nothing but padding, and others none."""
    subscripts = [(read, IndexSum.of(read.map.data.results[axis], read.indices)) for read in reads]

    def outside(place: int) -> tuple[LoadOp, ...] | None:
        """Those outside in a block; None if one of them is neither, as lanes can be at the border."""
        found: list[LoadOp] = []
        for read, subscript in subscripts:
            assert subscript is not None
            at = subscript.constant + place * subscript.factors[loop.induction_variable]
            last = at + read.reach[axis]
            if at >= inside.stop or last < inside.start:
                found.append(read)
            elif at < inside.start or last >= inside.stop:
                return None
        return tuple(found)

    parts: list[_Part] = []
    for left_out, places in groupby(loop.range, key=outside):
        if left_out is None:
            return None
        parts.append(_Part(len(list(places)), {}, left_out))
    return parts if len(parts) <= MOST_PARTS else None


def _carry_out(loop: ForOp, parts: Sequence[_Part], copies: dict[Operation, list[Operation]]) -> None:
    """Split `loop` into its parts; `copies` holds what windows and reads have become."""
    rest = loop
    useless: set[Operation] = set()
    for number, planned in enumerate(parts):
        part = rest
        if number + 1 < len(parts):
            rest = peel(part, planned.trips)
            twin = dict(zip(part.walk(), rest.walk(), strict=True))
            for known in copies.values():
                known += [twin[op] for op in known if op in twin]
        inside = set(part.walk())
        for window, taps in planned.windows.items():
            for limited in inside.intersection(copies[window]):
                limited.properties["lower"] = IntegerAttr(taps.start, i64)
                limited.properties["upper"] = IntegerAttr(taps.stop, i64)
        useless |= {copy for read in planned.outside for copy in copies[read] if copy in inside}
    for read in useless:
        assert isinstance(read, LoadOp)
        leave_out(read)
    for known in copies.values():
        known[:] = [op for op in known if op not in useless]


@dataclass(frozen=True)
class Partition(PaddingStep):
    """windows at the border of an image run over what is inside it: no padded copy is made"""

    name = "partition"
    example = "partition(y, x)"

    def leave_out(self, padded: Padded) -> None:
        if not partition(padded, self.loops):
            raise Refused(f"its windows do not move along {', '.join(self.loops)} alone, or the padding counts")

    def follow(self, plan: LoopPlan) -> None:
        for name in self.loops:  # of the part inside they are as many as windows fit there
            plan.trips.pop(name, None)

    def words(self, plan: LoopPlan) -> str:
        return f"windows at the border along {', '.join(self.loops)} stay inside the image, which avoids a copy"
