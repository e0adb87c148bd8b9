"""Padded copies of images: what they are, and reading the image itself instead."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Self

from xdsl.dialects import arith, memref
from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import counter_bounds, loop_of, shift_subscripts, shifts_of
from mlc.analysis.legality import note_if_refused
from mlc.analysis.memory_accesses import Effects, MemoryAccess, range_of, writes_to
from mlc.analysis.neutral import leave_out, never_counts
from mlc.dialects.loop import ForOp, LoadOp, StoreOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, function_of, other
from mlc.support.affine import split_constant, split_terms
from mlc.support.context import Remark
from mlc.support.ir import ancestor_in, is_made_in
from mlc.support.types import memref_type

_TWO_DIMS = 0.3
"""How often a drawn step names two loops."""


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


def without_padding(padded: Padded, plan_axis: Callable[[Padded, int], bool]) -> bool:
    """Let what reads a copy read its source along the axes that are planned; False where that is not possible, or where
    what is left out would count: a sum does not notice zeros, nor a maximum what never wins.

    Reads of nothing but padding are left out first.

    Args:
        plan_axis: notes what is to be done to loops so that no read of what it is given needs padding along an axis;
            False, and nothing is noted, if there is no way.
    """
    if not all(never_counts(read, value) for read in padded.reads for value in padded.padding):
        return False
    padded = _without_reads_of_padding(padded)
    return _read_source(padded, [axis for axis in range(len(padded.low)) if plan_axis(padded, axis)])


def _read_source(padded: Padded, axes: Sequence[int]) -> bool:
    """Let what reads a copy read its source, shifted, along axes along which nothing reads padding.

    Along the others the copy is needed still, as a smaller one. Returns False, and changes nothing, if there is no such
    axis that is padded, or if the copy cannot be made smaller.
    """
    whole = len(axes) == len(padded.low)
    shape = memref_type(padded.buffer.memref).get_shape()
    if all(len(padded.inside[axis]) == shape[axis] for axis in axes) or not (whole or _can_be_narrowed(padded, axes)):
        return False
    target = padded.source if whole else _narrow(padded, axes)
    for read in padded.reads:
        read.operands[0] = target
        shift_subscripts(read, padded.shift(axes))
    if whole:
        for write in padded.writes:
            Rewriter.erase_op(write)
    Rewriter.erase_op(padded.buffer)
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
    low, high = reach(read, axis)
    return high < inside.start or low >= inside.stop


def reach(read: LoadOp, axis: int) -> tuple[int, int]:
    """The first and the last subscript of an axis that `read` reads at, with all of its lanes, in all iterations."""
    low, high = counter_bounds(read.map.data.results[axis], read.indices)
    return low, high + read.reach[axis]


def stays_inside(read: LoadOp, axis: int, inside: range) -> bool:
    """Whether `read` never reads padding along an axis."""
    low, high = reach(read, axis)
    return low >= inside.start and high < inside.stop


@dataclass(frozen=True)
class ImageWindow:
    """A loop over a window that moves over an image: a subscript `y * stride + k * dilation`."""

    position: ForOp
    taps: ForOp
    """The loop over the window, inside of `position`."""
    stride: int
    dilation: int

    @staticmethod
    def of(read: LoadOp, axis: int, names: Container[str]) -> ImageWindow | None:
        """The window with which `read` moves along an axis, if the loop over positions has one of these names."""
        terms, constant = split_constant(read.map.data.results[axis])
        factors = split_terms(read.map.data.results[axis])
        if read.reach[axis] or terms is None or constant or len(factors) != 2:
            return None
        loops = {loop: factor for dim, factor in factors.items() if (loop := loop_of(read.indices[dim])) is not None}
        if len(loops) != 2 or any(loop.step.value.data != 1 for loop in loops):
            return None
        position, taps = sorted(loops, key=lambda loop: len(enclosing_loops(loop)))
        if position.dim.data not in names or taps.is_parallel:
            return None
        stride, dilation = loops[position], loops[taps]
        if not stride or not dilation or stride < 0 or dilation < 0:
            return None
        return ImageWindow(position, taps, stride, dilation)

    def inside(self, place: int, inside: range) -> range:
        """The taps that are inside of the image where the window stands at `place`."""
        first = max(self.taps.range.start, -(-(inside.start - place * self.stride) // self.dilation))
        last = min(self.taps.range.stop, (inside.stop - 1 - place * self.stride) // self.dilation + 1)
        return range(first, last)


@dataclass(frozen=True)
class PaddingStep(LoopStep):
    """A step that lets windows along some loops read images themselves, and not padded copies."""

    loop: LoopName
    others: tuple[LoopName, ...] = ()

    @classmethod
    def along(cls, *names: str) -> Self:
        """The step for one or more loops over positions."""
        first, *others = names
        return cls(first, tuple(others))

    @abstractmethod
    def leave_out(self, padded: Padded) -> None:
        """Leave out the padding of a copy.

        Raises:
            Refused: windows do not move as the step wants, or the padding counts.
        """

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        return self.apply_to(function_of(loops[0]))

    def apply_to(self, function: Operation) -> list[Remark]:
        """Leave out the padding of all copies of images in a function where that is possible; why not, elsewhere."""
        refusals: list[Remark] = []
        for op in list(function.walk()):
            if isinstance(op, memref.AllocOp) and (padded := find_padded(op)) is not None:
                with note_if_refused(refusals, op, "still padded"):
                    self.leave_out(padded)
        return refusals

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return loop.dim.data in ("y", "m", "p")

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        name = loop.dim.data
        second = other(rng, loop)
        return cls(name, (second,) if rng.random() < _TWO_DIMS and second != name else ())
