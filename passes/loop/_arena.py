"""Placing buffers in an arena: buffers that live at the same time must not overlap."""

from __future__ import annotations

import heapq
from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.support.functions import ALIGNMENT


@dataclass(frozen=True)
class Lifetime:
    """A buffer's size in bytes, and the first and the last time at which it is touched."""

    size: int
    first: int
    last: int


def place(lifetimes: Sequence[Lifetime]) -> tuple[list[int], int]:
    """The offset of each buffer, and the size of the arena, in bytes, all multiples of 64.

    Best fit in order of first use, as in linear-scan register allocation (Poletto and Sarkar, 1999): what has died is
    given back first, then the smallest free gap that is large enough is taken, else the arena grows.
    """
    gaps = _Gaps()
    offsets = [0] * len(lifetimes)
    living: list[tuple[int, int, int]] = []
    for number in sorted(range(len(lifetimes)), key=lambda i: (lifetimes[i].first, -lifetimes[i].size)):
        buffer = lifetimes[number]
        while living and living[0][0] < buffer.first:
            _, offset, size = heapq.heappop(living)
            gaps.give_back(offset, size)
        size = max(aligned(buffer.size), ALIGNMENT)
        offsets[number] = gaps.take(size)
        heapq.heappush(living, (buffer.last, offsets[number], size))
    return offsets, gaps.end


def aligned(size: int) -> int:
    """`size` rounded up to a multiple of the alignment."""
    return -(-size // ALIGNMENT) * ALIGNMENT


class _Gaps:
    """The free ranges below `end`, by offset and by size."""

    def __init__(self) -> None:
        self.end = 0
        self._by_offset: list[tuple[int, int]] = []
        self._by_size: list[tuple[int, int]] = []

    def take(self, size: int) -> int:
        """The offset of a range of `size` bytes that is no longer free."""
        index = bisect_left(self._by_size, (size, 0))
        if index < len(self._by_size):
            found, offset = self._by_size[index]
            self._remove(offset, found)
            if found > size:
                self._add(offset + size, found - size)
            return offset
        offset = self.end
        if self._by_offset and sum(self._by_offset[-1]) == self.end:
            offset, free = self._by_offset[-1]
            self._remove(offset, free)
        self.end = offset + size
        return offset

    def give_back(self, offset: int, size: int) -> None:
        """Free a range, joined with the free ranges that touch it."""
        index = bisect_left(self._by_offset, (offset, 0))
        if index < len(self._by_offset) and self._by_offset[index][0] == offset + size:
            after, more = self._by_offset[index]
            self._remove(after, more)
            size += more
        if index and sum(self._by_offset[index - 1]) == offset:
            before, more = self._by_offset[index - 1]
            self._remove(before, more)
            offset, size = before, size + more
        self._add(offset, size)

    def _add(self, offset: int, size: int) -> None:
        insort(self._by_offset, (offset, size))
        insort(self._by_size, (size, offset))

    def _remove(self, offset: int, size: int) -> None:
        del self._by_offset[bisect_left(self._by_offset, (offset, size))]
        del self._by_size[bisect_left(self._by_size, (size, offset))]
