"""`partition`: split loops into a border and an interior, so that no padded copy of an image is needed."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from random import Random
from typing import Self

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import IntegerAttr, MemRefType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import counter_bounds, loop_of, shift_subscripts, shifts_of
from mlc.analysis.legality import note_if_refused
from mlc.analysis.memory_accesses import Effects, MemoryAccess, range_of, writes_to
from mlc.analysis.neutral import leave_out, leaves_no_trace, never_counts
from mlc.dialects.loop import ForOp, LoadOp, StoreOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, function_of, other
from mlc.schedules.steps.tile import peel
from mlc.support.affine import split_constant, split_terms
from mlc.support.context import Remark
from mlc.support.errors import Refused
from mlc.support.ir import ancestor_in, is_made_in
from mlc.support.types import memref_type

_TWO_DIMS = 0.3
"""How often a drawn step names two loops."""


MOST_PARTS = 5
"""A loop that falls into more parts than this is mostly border; it stays as it is."""


@dataclass(frozen=True)
class Padded:
    """A buffer that holds a copy of another one, with constants around it."""

    buffer: memref.AllocOp
    source: SSAValue
    low: tuple[int, ...]
    """Where the copy begins, per axis."""
    writes: tuple[Operation, ...]
    """What fills it: ops of its block, loops mostly, that do nothing else. Each holds one store."""
    reads: tuple[LoadOp, ...]
    padding: tuple[arith.ConstantOp, ...]
    """What stands around it."""

    @property
    def inside(self) -> tuple[range, ...]:
        """The subscripts that are inside the copy, per axis."""
        shape = memref_type(self.source).get_shape()
        return tuple(range(low, low + size) for low, size in zip(self.low, shape, strict=True))

    def shift(self, axes: Sequence[int]) -> list[int]:
        """What subscripts change by where the padding in front is left out along `axes`."""
        return [-low if axis in axes else 0 for axis, low in enumerate(self.low)]


def find_padded(buffer: memref.AllocOp) -> Padded | None:
    """`buffer` as a padded copy of what its source is until the last read; None if it may be anything else."""
    reads: list[LoadOp] = []
    writes: dict[Operation, StoreOp] = {}
    for use in buffer.memref.uses:
        op = use.operation
        if not isinstance(op, LoadOp | StoreOp) or op.memref is not buffer.memref:
            return None
        if any(range_of(v) is None for v in op.indices):
            return None
        if isinstance(op, LoadOp):
            reads.append(op)
        elif (nest := ancestor_in(op, buffer.parent)) in writes or not _only_fills(nest, buffer):
            return None
        else:
            writes[nest] = op
    makers = {store: store.value.owner for store in writes.values()}
    copies = [(store, load) for store, load in makers.items() if isinstance(load, LoadOp)]
    padding = {store: value for store, value in makers.items() if isinstance(value, arith.ConstantOp)}
    if len(copies) != 1 or len(padding) + 1 != len(writes):
        return None
    store, load = copies[0]
    shift = _shift(load, store, ancestor_in(store, buffer.parent))
    if shift is None or not _stays_until_read(buffer, load.memref, writes, reads):
        return None
    padded = Padded(buffer, load.memref, shift, tuple(writes), tuple(reads), tuple(dict.fromkeys(padding.values())))
    return padded if all(_is_around(store, padded.inside) for store in padding) else None


def _only_fills(nest: Operation, buffer: memref.AllocOp) -> bool:
    """Whether an op of the block of `buffer` writes to it and has no other effect, nor a result that is used."""
    effects = Effects.of(nest)
    return not effects.unknown and effects.stored == {buffer.memref} and all(not r.uses for r in nest.results)


def _shift(load: LoadOp, store: StoreOp, nest: Operation) -> tuple[int, ...] | None:
    """How far `store` puts what `load` takes, per axis, if both go through all of the source in the same order."""
    counters = list(load.indices)
    if counters != list(store.indices) or load.map.data != AffineMap.identity(len(counters)):
        return None
    if load.result.type != memref_type(load.memref).element_type:
        return None
    extents = [range(extent) for extent in memref_type(load.memref).get_shape()]
    if [range_of(v) for v in counters] != extents or not all(is_made_in(v, nest) for v in counters):
        return None
    shifts = shifts_of(store.map.data)
    return shifts if shifts is not None and min(shifts, default=0) >= 0 else None


def _stays_until_read(
    buffer: memref.AllocOp, source: SSAValue, writes: Container[Operation], reads: Sequence[LoadOp]
) -> bool:
    """Whether the buffer is read after all that fills it, and its source not written in between."""
    assert buffer.parent is not None
    readers = {ancestor_in(read, buffer.parent) for read in reads}
    ops = list(buffer.parent.ops)
    filling = [i for i, op in enumerate(ops) if op in writes]
    reading = [i for i, op in enumerate(ops) if op in readers]
    if not reading or filling[-1] >= reading[0]:
        return False
    return not writes_to(ops[filling[0] : reading[-1] + 1], source)


def _is_around(store: StoreOp, inside: Sequence[range]) -> bool:
    """Whether a store of padding leaves what is copied alone."""
    access = MemoryAccess.of(store)
    for subscript, reach, middle in zip(access.subscripts, access.reach, inside, strict=True):
        bounds = None if subscript is None else subscript.bounds()
        if bounds is not None and (bounds[1] + reach < middle.start or bounds[0] >= middle.stop):
            return True
    return False


_Parts = list[tuple[range, dict[ForOp, range]]]
"""The parts of a loop, each with the ranges that loops inside of it have there."""


def partition(padded: Padded, names: Sequence[str]) -> bool:
    """Read `padded.source` itself, after splitting the loops `names` into a border and what is inside.

        p[0], p[9] = 0; for i in 0..8: p[i + 1] = x[i]
        for y in 0..8: s = for k in 0..3: p[y + k]
    ->
        for y in 0..1: s = for k in 1..3: x[y + k - 1]
        for y in 1..7: s = for k in 0..3: x[y + k - 1]
        for y in 7..8: s = for k in 0..2: x[y + k - 1]

    Where loops are unrolled already, steps of a reduction that take nothing but padding are left out first.

    An axis along which windows do not move with these loops keeps its padding, and the copy is needed for that alone.
    Returns False, and changes nothing, where no axis can lose it, or where what is left out would count: a sum does not
    notice zeros, nor a maximum what never wins.
    """
    if not all(never_counts(read, value) for read in padded.reads for value in padded.padding):
        return False
    padded = _without_reads_of_padding(padded)
    plan: dict[ForOp, _Parts] = {}
    bare = [axis for axis in range(len(padded.low)) if _plan_axis(padded, axis, names, plan)]
    whole = len(bare) == len(padded.low)
    shape = memref_type(padded.buffer.memref).get_shape()
    if all(len(padded.inside[axis]) == shape[axis] for axis in bare) or not (whole or _can_be_narrowed(padded, bare)):
        return False
    target = padded.source if whole else _narrow(padded, bare)
    for read in padded.reads:
        read.operands[0] = target
        shift_subscripts(read, padded.shift(bare))
    # Innermost first, so that the copies of an outer loop have split loops inside.
    copies = {window: [window] for parts in plan.values() for _, windows in parts for window in windows}
    for loop, parts in sorted(plan.items(), key=lambda item: -len(enclosing_loops(item[0]))):
        _carry_out(loop, parts, copies)
    if whole:
        for write in padded.writes:
            Rewriter.erase_op(write)
    Rewriter.erase_op(padded.buffer)
    return True


def _plan_axis(padded: Padded, axis: int, names: Sequence[str], plan: dict[ForOp, _Parts]) -> bool:
    """Whether no read needs padding along an axis once the loops are split as is then noted in `plan`."""
    inside = padded.inside[axis]
    found: dict[ForOp, _Parts] = {}
    for read in padded.reads:
        low, high = _reach(read, axis)
        if low >= inside.start and high < inside.stop:
            continue
        window = None if read.reach[axis] else _window(read, read.map.data.results[axis], names)
        if window is None or window[0] in plan or window[0] in found:
            return False
        if not leaves_no_trace(window[1], read):
            return False
        if not is_made_in(window[0].induction_variable, ancestor_in(read, padded.buffer.parent)):
            return False
        parts = _split(*window, inside)
        if parts is None:
            return False
        found[window[0]] = parts
    plan |= found
    return True


def _can_be_narrowed(padded: Padded, axes: Sequence[int]) -> bool:
    """Whether each write stays on one side of the border of the copy along these axes."""
    for store in _stores(padded):
        for axis in axes:
            low, high = counter_bounds(store.map.data.results[axis], store.indices)
            inside = padded.inside[axis]
            if (low in inside) != (high in inside) or (low < inside.start and high >= inside.stop):
                return False
    return True


def _narrow(padded: Padded, axes: Sequence[int]) -> SSAValue:
    """Leave the padding along `axes` out of the buffer; returns the smaller one."""
    old = memref_type(padded.buffer.memref)
    shape = list(old.get_shape())
    for axis in axes:
        shape[axis] = len(padded.inside[axis])
    smaller = memref.AllocOp([], [], MemRefType(old.element_type, shape), alignment=padded.buffer.alignment)
    smaller.memref.name_hint = padded.buffer.memref.name_hint
    Rewriter.insert_op(smaller, InsertPoint.before(padded.buffer))
    for store in _stores(padded):
        subscripts = store.map.data.results
        if all(counter_bounds(subscripts[a], store.indices)[0] in padded.inside[a] for a in axes):
            store.operands[1] = smaller.memref
            shift_subscripts(store, padded.shift(axes))
        else:
            Rewriter.erase_op(ancestor_in(store, padded.buffer.parent))
    return smaller.memref


def _stores(padded: Padded) -> list[StoreOp]:
    return [use.operation for use in padded.buffer.memref.uses if isinstance(use.operation, StoreOp)]


def _without_reads_of_padding(padded: Padded) -> Padded:
    """Leave out reads that are outside of the copy in all iterations, with the steps that add what they read."""
    kept: list[LoadOp] = []
    for read in padded.reads:
        if any(_is_outside(read, axis, inside) for axis, inside in enumerate(padded.inside)):
            leave_out(read)
        else:
            kept.append(read)
    return replace(padded, reads=tuple(kept))


def _is_outside(read: LoadOp, axis: int, inside: range) -> bool:
    low, high = _reach(read, axis)
    return high < inside.start or low >= inside.stop


def _reach(read: LoadOp, axis: int) -> tuple[int, int]:
    """The first and the last subscript of an axis that `read` reads at, with all of its lanes, in all iterations."""
    low, high = counter_bounds(read.map.data.results[axis], read.indices)
    return low, high + read.reach[axis]


def _window(read: LoadOp, subscript: AffineExpr, names: Sequence[str]) -> tuple[ForOp, ForOp, int, int] | None:
    """The loop over positions, that over the window in it, and their factors in a subscript `y * s + k * d`."""
    terms, constant = split_constant(subscript)
    factors = split_terms(subscript)
    if terms is None or constant or len(factors) != 2:
        return None
    loops = {loop: factor for dim, factor in factors.items() if (loop := loop_of(read.indices[dim])) is not None}
    if len(loops) != 2 or any(loop.step.value.data != 1 for loop in loops):
        return None
    position, window = sorted(loops, key=lambda loop: len(enclosing_loops(loop)))
    if position.dim.data not in names or window.is_parallel:
        return None
    at, step = loops[position], loops[window]
    return (position, window, at, step) if at and step and at > 0 and step > 0 else None


def _split(loop: ForOp, window: ForOp, at: int, step: int, inside: range) -> _Parts | None:
    """The parts of `loop`, each with the range of the window that stays inside for all of its positions."""

    def valid(position: int) -> tuple[int, int]:
        first = max(window.range.start, -(-(inside.start - position * at) // step))
        last = min(window.range.stop, (inside.stop - 1 - position * at) // step + 1)
        return first, last

    parts: _Parts = []
    for (first, last), positions in groupby(loop.range, key=valid):
        if first >= last:
            return None
        part = list(positions)
        parts.append((range(part[0], part[-1] + 1), {window: range(first, last)}))
    return parts if len(parts) <= MOST_PARTS else None


def _carry_out(loop: ForOp, parts: _Parts, copies: dict[ForOp, list[ForOp]]) -> None:
    """Split `loop` into its parts; `copies` holds each window and what it has become where loops inside are split."""
    rest = loop
    for number, (positions, windows) in enumerate(parts):
        part = rest
        if number + 1 < len(parts):
            rest = peel(part, len(positions))
            twin = dict(zip(part.walk(), rest.walk(), strict=True))
            for known in copies.values():
                known += [copy for op in known if isinstance(copy := twin.get(op), ForOp)]
        for window, taps in windows.items():
            for limited in copies[window]:
                if is_made_in(limited.induction_variable, part):
                    limited.properties["lower"] = IntegerAttr(taps.start, i64)
                    limited.properties["upper"] = IntegerAttr(taps.stop, i64)


@dataclass(frozen=True)
class Partition(LoopStep):
    """windows at the border of an image run over what is inside it: no padded copy is made"""

    name = "partition"
    example = "partition(y, x)"

    loop: LoopName
    others: tuple[LoopName, ...] = ()

    @classmethod
    def along(cls, *names: str) -> Self:
        """The step for one or more loops over positions."""
        first, *others = names
        return cls(first, tuple(others))

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        return self.apply_to(function_of(loops[0]))

    def apply_to(self, function: Operation) -> list[Remark]:
        """Leave out the padding of all copies of images in a function where that is possible; why not, elsewhere."""
        refusals: list[Remark] = []
        for op in list(function.walk()):
            if isinstance(op, memref.AllocOp) and (padded := find_padded(op)) is not None:
                with note_if_refused(refusals, op, "still padded"):
                    if not partition(padded, self.loops):
                        along = ", ".join(self.loops)
                        raise Refused(f"its windows do not move along {along} alone, or the padding counts")
        return refusals

    def words(self, plan: LoopPlan) -> str:
        return f"windows at the border along {', '.join(self.loops)} stay inside the image, which avoids a copy"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.dim.data in ("y", "m", "p")

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        name = loop.dim.data
        second = other(rng, loop)
        return cls(name, (second,) if rng.random() < _TWO_DIMS and second != name else ())
