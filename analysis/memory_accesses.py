"""What ops do to memory: which elements of which buffers they load and store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref, vector
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import is_side_effect_free

from mlc.analysis.accesses import AccessOp, loop_of
from mlc.dialects.loop import ForOp, LoadOp, PrefetchOp, RowOp, SpanOp, StoreOp, YieldOp
from mlc.support.affine import split_constant, split_terms

Interval = tuple[int, int]
"""The least and the greatest value."""

_OF_VALUES = frozenset({vector.ReductionOp, vector.BitcastOp})
"""Ops without effects, of which xDSL says nothing."""
_VALUES_ONLY = _OF_VALUES | {ForOp, YieldOp, PrefetchOp, memref.AllocOp}
"""Ops without effects of their own on buffers that exist; those of upstream's vector dialect do not say so."""
_VIEWS = (
    memref.ReinterpretCastOp,
    memref.ViewOp,
    memref.CastOp,
    memref.CollapseShapeOp,
    memref.ExpandShapeOp,
    RowOp,
    SpanOp,
)


@dataclass(frozen=True)
class IndexSum:
    """A sum of index values, each times a factor that is not 0, and a constant."""

    factors: Mapping[SSAValue, int]
    constant: int

    @staticmethod
    def of(expr: AffineExpr, values: Sequence[SSAValue]) -> IndexSum | None:
        """The expression over `values`; None if there is a division or a remainder in it."""
        _, constant = split_constant(expr)
        factors: dict[SSAValue, int] = defaultdict(int)
        for dim, factor in split_terms(expr).items():
            if factor is None:
                return None
            factors[values[dim]] += factor
        return IndexSum({value: factor for value, factor in factors.items() if factor}, constant)

    def without(self, *values: SSAValue) -> IndexSum:
        """The sum without the terms in `values`."""
        return IndexSum({v: factor for v, factor in self.factors.items() if v not in values}, self.constant)

    def bounds(self) -> Interval | None:
        """All values that the sum can have; None if one of its values is not a loop counter."""
        low = high = self.constant
        for value, factor in self.factors.items():
            trips = range_of(value)
            if trips is None:
                return None
            ends = (trips.start * factor, trips[-1] * factor)
            low, high = low + min(ends), high + max(ends)
        return low, high


def range_of(counter: SSAValue) -> range | None:
    """The values of a loop counter; None if it is none, or its loop does not run."""
    loop = loop_of(counter)
    return loop.range or None if loop is not None else None


@dataclass(frozen=True)
class MemoryAccess:
    """One load or store, as dependence analysis sees it.

    Attributes:
        buffer: what it reads or writes, behind all views.
        subscripts: where, per dim; None for what is not known: the whole dim. No subscripts at all: the whole buffer.
        reach: how far the lanes of a vector go beyond the subscript, per dim.
    """

    op: AccessOp
    buffer: SSAValue
    subscripts: tuple[IndexSum | None, ...]
    reach: tuple[int, ...]

    @staticmethod
    def of(op: AccessOp) -> MemoryAccess:
        """What `op` accesses."""
        buffer = base_of(op.memref)
        if buffer is not op.memref:
            return MemoryAccess(op, buffer, (), ())
        subscripts = tuple(IndexSum.of(e, op.indices) for e in op.map.data.results)
        return MemoryAccess(op, buffer, subscripts, tuple(op.reach))

    @property
    def is_store(self) -> bool:
        """Whether it writes."""
        return isinstance(self.op, StoreOp)


def is_view(op: object) -> bool:
    """Whether the result of an op is the memory of its first operand under another type."""
    return isinstance(op, _VIEWS)


def base_of(buffer: SSAValue) -> SSAValue:
    """The buffer that a view is a view of; two different ones, arguments of functions included, do not share memory."""
    while isinstance(buffer.owner, _VIEWS):
        buffer = buffer.owner.operands[0]
    return buffer


@dataclass
class Effects:
    """What ops do to memory."""

    accesses: dict[SSAValue, list[MemoryAccess]] = field(default_factory=dict[SSAValue, list[MemoryAccess]])
    """All loads and stores, by buffer."""
    stored: set[SSAValue] = field(default_factory=set[SSAValue])
    """The buffers with a store."""
    unknown: str | None = None
    """The name of an op that may read and write anything."""

    @staticmethod
    def of(*ops: Operation) -> Effects:
        """The effects of `ops` and all ops in them."""
        effects = Effects()
        for inner in (inner for op in ops for inner in op.walk()):
            if isinstance(inner, AccessOp):
                effects._add(MemoryAccess.of(inner))
            elif not _is_harmless(inner):
                effects.unknown = inner.name
        return effects

    def _add(self, access: MemoryAccess) -> None:
        self.accesses.setdefault(access.buffer, []).append(access)
        if access.is_store:
            self.stored.add(access.buffer)

    def add(self, other: Effects) -> None:
        """Also do what `other` does."""
        for buffer, accesses in other.accesses.items():
            self.accesses.setdefault(buffer, []).extend(accesses)
        self.stored |= other.stored
        self.unknown = self.unknown or other.unknown

    def meetings(self, other: Effects) -> Iterator[tuple[MemoryAccess, MemoryAccess]]:
        """The pairs of accesses, one from each side, to the same buffer, one of them to write it."""
        for buffer, mine in self.accesses.items():
            if buffer not in self.stored and buffer not in other.stored:
                continue
            for b in other.accesses.get(buffer, ()):
                yield from ((a, b) for a in mine if a.is_store or b.is_store)


def writes_to(ops: Iterable[Operation], *buffers: SSAValue) -> bool:
    """Whether one of `ops`, or an op in them, may write to one of `buffers` or to a view of it."""
    bases = {base_of(buffer) for buffer in buffers}
    return any((stored := buffers_stored_in(op)) is None or not bases.isdisjoint(stored) for op in ops)


def buffers_stored_in(op: Operation) -> set[SSAValue] | None:
    """The buffers that `op` and the ops in it write to; None if one of them may write to any."""
    stored: set[SSAValue] = set()
    for inner in op.walk():
        if isinstance(inner, StoreOp):
            stored.add(base_of(inner.memref))
        elif not isinstance(inner, LoadOp) and not _is_harmless(inner):
            return None
    return stored


def is_repeatable(op: Operation) -> bool:
    """Whether an op does nothing but compute values from its operands."""
    return not op.regions and (type(op) in _OF_VALUES or is_side_effect_free(op))


def _is_harmless(op: Operation) -> bool:
    """Whether an op other than an access touches no memory, apart from what the ops in its regions do."""
    return type(op) in _VALUES_ONLY or is_side_effect_free(op)
