"""Which elements of which buffers ops touch, and whether two ops can touch the same element.

Subscripts are sums of loop counters, so the question is one of intervals: the difference of two subscripts is a sum
over ranges that are known. (The first test of dependence analysis, after Banerjee, "Dependence Analysis for
Supercomputing", 1988, one subscript position at a time.) Where the answer is not known, it is "yes".
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import memref, vector
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.traits import is_side_effect_free

from mlc.dialects.loop import ForOp, LoadOp, PrefetchOp, StoreOp, YieldOp
from mlc.passes.loop._accesses import AccessOp, loop_of
from mlc.support.affine import split_constant, split_terms
from mlc.support.types import memref_type, vector_type

Interval = tuple[int, int]
"""The least and the greatest value."""

_VIEWS = (memref.ReinterpretCastOp, memref.ViewOp, memref.CastOp, memref.CollapseShapeOp, memref.ExpandShapeOp)


@dataclass(frozen=True)
class Linear:
    """A sum of index values, each times a factor that is not 0, and a constant."""

    factors: Mapping[SSAValue, int]
    constant: int

    @staticmethod
    def of(expr: AffineExpr, values: Sequence[SSAValue]) -> Linear | None:
        """The expression over `values`; None if there is a division or a remainder in it."""
        _, constant = split_constant(expr)
        factors: dict[SSAValue, int] = defaultdict(int)
        for dim, factor in split_terms(expr).items():
            if factor is None:
                return None
            factors[values[dim]] += factor
        return Linear({value: factor for value, factor in factors.items() if factor}, constant)

    def __sub__(self, other: Linear) -> Linear:
        factors = defaultdict(int, self.factors)
        for value, factor in other.factors.items():
            factors[value] -= factor
        return Linear({v: factor for v, factor in factors.items() if factor}, self.constant - other.constant)

    def without(self, *values: SSAValue) -> Linear:
        """The sum without the terms in `values`."""
        return Linear({v: factor for v, factor in self.factors.items() if v not in values}, self.constant)

    def bounds(self) -> Interval | None:
        """All values that the sum can have; None if one of its values is no loop counter."""
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
class Access:
    """One load or store, as dependence analysis sees it.

    Attributes:
        buffer: what it reads or writes, behind all views.
        subscripts: where, per dim; None for what is not known: the whole dim. No subscripts at all: the whole buffer.
        reach: how far the lanes of a vector go beyond the subscript, per dim.
    """

    op: AccessOp
    buffer: SSAValue
    subscripts: tuple[Linear | None, ...]
    reach: tuple[int, ...]

    @staticmethod
    def of(op: AccessOp) -> Access:
        """What `op` accesses."""
        buffer = base_of(op.memref)
        if buffer is not op.memref:
            return Access(op, buffer, (), ())
        reach = [0] * memref_type(buffer).get_num_dims()
        if (kind := vector_type(op.accessed)) is not None:
            along, stride, active = op.lanes
            length = kind.get_shape()[0] if active is None else active
            reach[-1 if along is None else along] = (length - 1) * stride
        subscripts = tuple(Linear.of(e, op.indices) for e in op.map.data.results)
        return Access(op, buffer, subscripts, tuple(reach))

    @property
    def is_store(self) -> bool:
        """Whether it writes."""
        return isinstance(self.op, StoreOp)

    def never_meets(self, other: Access) -> bool:
        """Whether the two, for whatever values of the counters that only one of them depends on, are always apart."""
        for gap, near in self._gaps(other):
            bounds = gap.bounds()
            if bounds is not None and (bounds[0] > near[1] or bounds[1] < near[0]):
                return True
        return False

    def meets_in_one_iteration_only(self, other: Access, mine: ForOp, others: ForOp) -> bool:
        """Whether iterations of the loops `mine` and `others` with different counters never touch the same element.

        `mine` is around this access, `others` around the other one, and both have the same steps.
        """
        first, second, step = mine.induction_variable, others.induction_variable, mine.step.value.data
        for (gap, near), a, b in zip(self._gaps(other), self.subscripts, other.subscripts, strict=False):
            if a is None or b is None:
                continue
            factor = a.factors.get(first, 0)
            bounds = gap.without(first, second).bounds()
            if not factor or b.factors.get(second, 0) != factor or bounds is None:
                continue
            stride = abs(factor) * step
            if bounds[0] + stride > near[1] and bounds[1] - stride < near[0]:
                return True
        return False

    def _gaps(self, other: Access) -> list[tuple[Linear, Interval]]:
        """Per dim, how far `other` begins behind this access, and the distances at which they still touch."""
        return [
            (_ANYWHERE, (0, 0)) if a is None or b is None else (b - a, (-other_reach, reach))
            for a, b, reach, other_reach in zip(
                self.subscripts, other.subscripts, self.reach, other.reach, strict=False
            )
        ]


_ANYWHERE = Linear({}, 0)
"""A distance that says nothing: the two touch."""


def base_of(buffer: SSAValue) -> SSAValue:
    """The buffer that a view is a view of; two different ones, arguments of functions included, share no memory."""
    while isinstance(buffer.owner, _VIEWS):
        buffer = buffer.owner.operands[0]
    return buffer


@dataclass
class Effects:
    """What ops do to memory."""

    accesses: dict[SSAValue, list[Access]] = field(default_factory=dict[SSAValue, list[Access]])
    """All loads and stores, by buffer."""
    stored: set[SSAValue] = field(default_factory=set[SSAValue])
    """The buffers with a store."""
    unknown: str | None = None
    """The name of an op that may read and write anything."""

    @staticmethod
    def of(op: Operation) -> Effects:
        """The effects of `op` and all ops in it."""
        effects = Effects()
        for inner in op.walk():
            if isinstance(inner, AccessOp):
                effects._add(Access.of(inner))
            elif not _is_harmless(inner):
                effects.unknown = inner.name
        return effects

    def _add(self, access: Access) -> None:
        self.accesses.setdefault(access.buffer, []).append(access)
        if access.is_store:
            self.stored.add(access.buffer)

    def add(self, other: Effects) -> None:
        """Also do what `other` does."""
        for buffer, accesses in other.accesses.items():
            self.accesses.setdefault(buffer, []).extend(accesses)
        self.stored |= other.stored
        self.unknown = self.unknown or other.unknown

    def conflicts(self, other: Effects) -> list[tuple[Access, Access]]:
        """The pairs of accesses, one from each side, that may touch the same element, one of them to write it."""
        found: list[tuple[Access, Access]] = []
        for buffer, mine in self.accesses.items():
            if buffer not in self.stored and buffer not in other.stored:
                continue
            for b in other.accesses.get(buffer, ()):
                found += [(a, b) for a in mine if (a.is_store or b.is_store) and not a.never_meets(b)]
        return found


def buffers_stored_in(op: Operation) -> set[SSAValue] | None:
    """The buffers that `op` and the ops in it write to; None if one of them may write to any."""
    stored: set[SSAValue] = set()
    for inner in op.walk():
        if isinstance(inner, StoreOp):
            stored.add(base_of(inner.memref))
        elif not isinstance(inner, LoadOp) and not _is_harmless(inner):
            return None
    return stored


def _is_harmless(op: Operation) -> bool:
    """Whether an op other than an access touches no memory, apart from what the ops in its regions do."""
    # Two ops of upstream's vector dialect that compute values only do not say so.
    values_only = isinstance(op, ForOp | YieldOp | PrefetchOp | memref.AllocOp | vector.ReductionOp | vector.BitcastOp)
    return values_only or is_side_effect_free(op)
