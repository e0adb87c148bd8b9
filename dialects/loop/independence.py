"""What a `parallel` loop must not do: two of its iterations touch the same element, and one of them writes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Block, SSAValue

from mlc.dialects.loop.counted import CountedLoop, loop_counting
from mlc.dialects.loop.memory import LoadOp, StoreOp
from mlc.support.ir import is_made_in
from mlc.support.types import memref_type, vector_type

_MOST_ITERATIONS = 256
_MOST_POINTS = 4096
_MOST_ACCESSES = 256
"""How many iterations of the loop, elements of an access and accesses are looked at: the first ones."""

_Points = NDArray[np.int64]
_Access = tuple[LoadOp | StoreOp, list[CountedLoop]]
"""An access, and the loops between the one that is looked at and it."""


@dataclass(frozen=True)
class Clash:
    """Two iterations of a loop that are not independent."""

    loop: CountedLoop
    iterations: tuple[int, int]
    """The values of the loop's counter."""
    buffer: SSAValue
    element: tuple[int, ...]

    def __str__(self) -> str:
        counter = self.loop.induction_variable.name_hint or self.loop.dim.data
        buffer = f"'%{self.buffer.name_hint}'" if self.buffer.name_hint else "a buffer"
        first, second = self.iterations
        return (
            f"the iterations of a {self.loop.kind.data} loop must be independent, but %{counter} = {first} and "
            f"{second} both touch element {list(self.element)} of {buffer}, and one of them writes it"
        )


def find_clash(loop: CountedLoop) -> Clash | None:
    """Two of the first iterations of `loop` that touch the same element, and one of them writes it; None if none do.

    Accesses that may not happen, those of buffers that an iteration makes for itself and those at subscripts that are
    computed by other ops than loops are left out, so that what is found is a fact.
    """
    if len(loop.range) < 2:
        return None
    accesses = list(_certain_accesses(loop.body.block, loop, []))
    stored = dict.fromkeys(op.memref for op, _ in accesses if isinstance(op, StoreOp))
    for buffer in stored:
        if is_made_in(buffer, loop):
            continue
        mine = [(op, loops) for op, loops in accesses if op.memref is buffer]
        mine.sort(key=lambda access: isinstance(access[0], LoadOp))  # stable: stores first
        if (clash := _clash_in(buffer, loop, mine[:_MOST_ACCESSES])) is not None:
            return clash
    return None


def _certain_accesses(block: Block, loop: CountedLoop, loops: list[CountedLoop]) -> Iterator[_Access]:
    """The accesses in `block` that happen in each iteration, with the loops between `loop` and them."""
    for op in block.ops:
        if isinstance(op, LoadOp | StoreOp):
            yield op, loops
        elif isinstance(op, CountedLoop) and op.range:
            yield from _certain_accesses(op.body.block, loop, [*loops, op])


def _clash_in(buffer: SSAValue, loop: CountedLoop, accesses: Sequence[_Access]) -> Clash | None:
    shape = memref_type(buffer).get_shape()
    elements: list[_Points] = []
    iterations: list[_Points] = []
    writes: list[NDArray[np.bool_]] = []
    for op, inner in accesses:
        points = _points(op, loop, inner, shape)
        if points is not None:
            elements.append(points[0])
            iterations.append(points[1])
            writes.append(np.full(points[0].size, isinstance(op, StoreOp)))
    if not elements:
        return None
    element, iteration, written = (np.concatenate(parts) for parts in (elements, iterations, writes))
    if not _repeats(element):
        return None
    places, element = np.unique(element, return_inverse=True)
    size = places.size
    first, last = np.full(size, np.iinfo(np.int64).max), np.full(size, -1)
    np.minimum.at(first, element, iteration)
    np.maximum.at(last, element, iteration)
    is_written = np.zeros(size, bool)
    is_written[element[written]] = True
    clashes = np.flatnonzero(is_written & (first < last))
    if not clashes.size:
        return None
    found = clashes[0]
    values = loop.range[int(first[found])], loop.range[int(last[found])]
    return Clash(loop, values, buffer, tuple(int(i) for i in np.unravel_index(places[found], shape)))


def _repeats(elements: NDArray[Any]) -> bool:
    """Whether a number occurs twice. Most loops touch each element once, and counting takes less time than sorting."""
    base = elements.min()
    span = int(elements.max() - base) + 1
    return span > 8 * elements.size + _MOST_POINTS or bool((np.bincount(elements - base) > 1).any())


def _points(
    op: LoadOp | StoreOp, loop: CountedLoop, inner: Sequence[CountedLoop], shape: Sequence[int]
) -> tuple[_Points, _Points] | None:
    """The elements that `op` touches, row-major, and the number of the iteration of `loop` for each.

    None if a subscript is not a sum of loop counters, or outside of the buffer.
    """
    budget = _MOST_POINTS
    values: dict[SSAValue, _Points] = {}
    axes = [loop, *inner]
    for number, level in enumerate(axes):
        trips = level.range[: min(budget, _MOST_ITERATIONS)]
        budget = max(budget // len(trips), 1)
        values[level.induction_variable] = np.reshape(np.asarray(trips), (-1,) + (1,) * (len(axes) - number))
    if not all(v in values or _fix(v, values) for v in op.indices):
        return None
    counters = [values[v] for v in op.indices]
    # xDSL computes with Python's operators, so arrays do where it expects integers.
    subscripts = [np.asarray(cast(Any, e).eval(counters, ())) for e in op.map.data.results]
    if (kind := vector_type(op.accessed)) is not None:
        lanes, shaped = op.lanes, kind.get_shape()
        count, rows = shaped[-1] if lanes.active is None else lanes.active, 1 if lanes.rows is None else shaped[0]
        along = len(subscripts) - 1 if lanes.along is None else lanes.along
        subscripts[along] = subscripts[along] + np.tile(np.arange(count) * lanes.stride, rows)
        if lanes.rows is not None:
            subscripts[lanes.rows] = subscripts[lanes.rows] + np.repeat(np.arange(rows) * lanes.row_stride, count)
    if any(s.min() < 0 or s.max() >= extent for s, extent in zip(subscripts, shape, strict=True)):
        return None
    counts = np.arange(values[loop.induction_variable].size).reshape(values[loop.induction_variable].shape)
    flat = np.zeros((), np.int64)
    for subscript, extent in zip(subscripts, shape, strict=True):
        flat = flat * extent + subscript
    elements, numbers = np.broadcast_arrays(flat, counts)
    return elements.ravel(), numbers.ravel()


def _fix(value: SSAValue, values: dict[SSAValue, _Points]) -> bool:
    """Give the counter of a loop around all this its first value; False if it is none."""
    if (loop := loop_counting(value)) is None or not loop.range:
        return False
    values[value] = np.asarray(loop.range[0])
    return True
