"""How many lines of a cache loads and stores touch while some of the loops around them run."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, prod

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.analysis.accesses import AccessOp
from mlc.analysis.memory_accesses import Interval, base_of, range_of
from mlc.dialects.loop import StoreOp
from mlc.support.affine import affine_interval
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type, memref_type


@dataclass(frozen=True)
class TouchedPlace:
    """What one load or store touches.

    Attributes:
        buffer: what it reads or writes, behind all views.
        shape: that of the memref that it names.
        element_bytes: the size of an element.
        subscripts: one per dim of the memref, over `counters`.
        reach: how far the lanes of a vector go beyond the subscript, per dim.
    """

    buffer: SSAValue
    shape: tuple[int, ...]
    element_bytes: int
    subscripts: tuple[AffineExpr, ...]
    counters: tuple[SSAValue, ...]
    reach: tuple[int, ...]
    is_store: bool

    @staticmethod
    def of(op: AccessOp) -> TouchedPlace:
        """What `op` touches."""
        kind = memref_type(op.memref)
        return TouchedPlace(
            base_of(op.memref),
            kind.get_shape(),
            to_numpy(element_type(kind)).itemsize,
            op.map.data.results,
            tuple(op.indices),
            tuple(op.reach),
            isinstance(op, StoreOp),
        )

    def interval(self, axis: int, running: Container[SSAValue]) -> Interval:
        """Between which places of a dim it is, while the loops of `running` go on and all others stand at their start.

        What is not a counter of a loop is taken to be 0: a place that is data, say.
        """
        intervals: list[Interval] = []
        for counter, values in zip(self.counters, self._ranges, strict=True):
            intervals.append((values[0], values[-1] if counter in running else values[0]))
        low, high = affine_interval(self.subscripts[axis], intervals)
        return low, high + self.reach[axis]

    def steps(self, axis: int, running: Container[SSAValue]) -> int:
        """How many values the subscript of a dim has at most, while the loops of `running` go on."""
        return prod(trips for counter, trips in self._trips[axis].items() if counter in running)

    @cached_property
    def _ranges(self) -> list[range]:
        """What each counter runs over."""
        return [range_of(counter) or range(1) for counter in self.counters]

    @cached_property
    def _trips(self) -> list[dict[SSAValue, int]]:
        """How many values each counter has that a subscript depends on, per dim of the memref."""
        used = (subscript.used_dims() for subscript in self.subscripts)
        return [{self.counters[d]: len(self._ranges[d]) for d in dims} for dims in used]


def lines_touched(places: Sequence[TouchedPlace], running: Container[SSAValue], line_bytes: int) -> int:
    """The lines of one buffer that `places` touch while the loops of `running` go on: those of a box around them all.

    Places that lie far apart in a dim, rows of which a few are read, are counted one by one.
    """
    kinds: dict[tuple[tuple[int, ...], int], list[TouchedPlace]] = {}
    for place in places:
        kinds.setdefault((place.shape, place.element_bytes), []).append(place)
    return sum(_lines(shape, size, group, running, line_bytes) for (shape, size), group in kinds.items())


def _lines(
    shape: tuple[int, ...],
    element_bytes: int,
    places: Sequence[TouchedPlace],
    running: Container[SSAValue],
    line_bytes: int,
) -> int:
    if not shape:
        return 1
    counts: list[int] = []
    starts: set[int] = set()
    span = 1
    for axis in range(len(shape)):
        intervals = [place.interval(axis, running) for place in places]
        span = max(i[1] for i in intervals) - min(i[0] for i in intervals) + 1
        starts = {i[0] for i in intervals}
        points = len(starts) * max(place.steps(axis, running) * (place.reach[axis] + 1) for place in places)
        counts.append(max(1, min(span, points, shape[axis])))
    run, axis = counts[-1], len(shape) - 1
    if run < min(span, shape[axis]):  # with gaps, so that pieces may lie on lines of their own
        sizes = [(place.reach[axis] + 1, place.steps(axis, running)) for place in places]
        pieces = len(starts) * max(ceil(size * element_bytes / line_bytes) * steps for size, steps in sizes)
        return min(pieces, ceil(span * element_bytes / line_bytes)) * prod(counts[:axis])
    while axis and counts[axis] == shape[axis]:  # whole rows follow each other
        axis -= 1
        run *= counts[axis]
    return ceil(run * element_bytes / line_bytes) * prod(counts[:axis])
