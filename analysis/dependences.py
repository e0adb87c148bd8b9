"""Whether two accesses can touch the same element, in iterations of loops that stand in a given order.

Subscripts are sums of loop counters, so the distance between two elements is a sum of whole numbers, each from a range
that is known: it lies in an interval and is, counted from its least value, a multiple of what its factors have in
common. (The tests of Banerjee, "Dependence Analysis for Supercomputing", 1988: bounds with the order of one pair of
counters, and the greatest common divisor, one subscript position at a time.) What is not known is answered "yes".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from math import gcd

from xdsl.ir import SSAValue

from mlc.analysis.memory_accesses import Effects, IndexSum, Interval, MemoryAccess, range_of
from mlc.dialects.loop import ForOp
from mlc.support.ir import is_made_in


class Direction(Enum):
    """How the iteration in which the first of two accesses happens stands to that of the second."""

    SAME = "="
    BEFORE = "<"
    AFTER = ">"


@dataclass(frozen=True)
class Level:
    """The loop around the first access and that around the second, often the same, and the order of the iterations.

    Two different loops run over the same range.
    """

    first: ForOp
    second: ForOp
    order: Direction


def may_meet(first: MemoryAccess, second: MemoryAccess, *levels: Level, scope: ForOp | None = None) -> bool:
    """Whether the accesses, to one buffer, may touch an element in iterations that stand to each other as `levels` say.

    Other loops inside of `scope` are in any iteration: each access has counters of its own, even where the loop is one.
    Loops around it are in the same iteration for both accesses.

    Args:
        scope: a loop around both accesses; the first of `levels` if it is one. Without it, all loops around both are in
            the same iteration.
    """
    if scope is None and levels and levels[0].first is levels[0].second:
        scope = levels[0].first
    if any(len(level.first.range) < (1 if level.order is Direction.SAME else 2) for level in levels):
        return False
    for a, b, reach, other_reach in zip(first.subscripts, second.subscripts, first.reach, second.reach, strict=False):
        if a is None or b is None:
            continue
        distance = _distance(a, b, levels, scope)
        if distance is not None and not distance.can_lie_in((-other_reach, reach)):
            return False
    return True


def iterations_meet(effects: Effects, loop: ForOp) -> tuple[MemoryAccess, MemoryAccess] | None:
    """Two accesses in `loop`, one to write, that may touch an element in different iterations; None if there are none.

    Args:
        effects: those of the loop. Buffers that are made in it are new in each iteration.
    """
    for a, b in effects.meetings(effects):
        if not is_made_in(a.buffer, loop) and may_meet(a, b, Level(loop, loop, Direction.BEFORE)):
            return a, b
    return None


@dataclass
class _Distance:
    """The whole numbers from `low` to `high` that are a multiple of `step` above `low`; `low` alone if `step` is 0."""

    low: int
    high: int
    step: int = 0

    def add(self, factor: int, values: range) -> None:
        """Add `factor` times any of `values`."""
        if factor:
            ends = (factor * values[0], factor * values[-1])
            self._widen(min(ends), max(ends), factor * values.step if len(values) > 1 else 0)

    def add_ordered(self, early: int, late: int, values: range) -> None:
        """Add `early` times one of `values` and `late` times a later one."""
        # The pairs form a triangle; a sum of their products is least and greatest in corners of it.
        corners = ((values[0], values[1]), (values[0], values[-1]), (values[-2], values[-1]))
        sums = [early * a + late * b for a, b in corners]
        self._widen(min(sums), max(sums), gcd((early + late) * values.step, late * values.step))

    def _widen(self, low: int, high: int, step: int) -> None:
        self.low, self.high, self.step = self.low + low, self.high + high, gcd(self.step, step)

    def can_lie_in(self, near: Interval) -> bool:
        """Whether one of the numbers lies in this interval."""
        low, high = max(self.low, near[0]), min(self.high, near[1])
        if self.step:
            low = self.low + -(-(low - self.low) // self.step) * self.step
        return low <= high


def _distance(a: IndexSum, b: IndexSum, levels: Sequence[Level], scope: ForOp | None) -> _Distance | None:
    """How far `b` may be behind `a`; None if one of them depends on what is not a loop counter."""
    distance = _Distance(b.constant - a.constant, b.constant - a.constant)
    terms, others = dict(a.factors), dict(b.factors)
    for level in levels:
        early, late = -terms.pop(level.first.induction_variable, 0), others.pop(level.second.induction_variable, 0)
        values = level.first.range
        if level.order is Direction.SAME:
            distance.add(early + late, values)
        elif level.order is Direction.BEFORE:
            distance.add_ordered(early, late, values)
        else:
            distance.add_ordered(late, early, values)
    shared = [v for v in terms if v in others and not (scope and is_made_in(v, scope))]
    free: list[tuple[SSAValue, int]] = [(v, others.pop(v) - terms.pop(v)) for v in shared]
    free += [(v, -factor) for v, factor in terms.items()] + list(others.items())
    for value, factor in free:
        values = range_of(value)
        if factor and values is None:
            return None
        if values is not None:
            distance.add(factor, values)
    return distance
