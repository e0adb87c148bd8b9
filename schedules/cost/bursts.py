"""When lines arrive while loops run: all the time, or in bursts, for which the core waits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bursts:
    """In which part of the computing time lines of a buffer arrive, and how many times they begin to."""

    part: float = 1.0
    count: float = 1.0

    def within(self, share: float) -> Bursts:
        """Those of a loop that takes `share` of the time of all that is looked at."""
        return Bursts(self.part * share, self.count)

    def and_also(self, other: Bursts) -> Bursts:
        """Those of two loops that run one after the other."""
        return Bursts(min(self.part + other.part, 1.0), self.count + other.count)

    def in_each_of(self, trips: float) -> Bursts:
        """If each iteration of a loop brings lines of its own."""
        return Bursts(self.part, self.count * trips if self.part < 1 else 1.0)

    def in_first_of(self, trips: float) -> Bursts:
        """If the first iteration brings what all others need."""
        return Bursts(self.part / trips, self.count)

    def waiting(self, cycles: float, computed: float, latency: float) -> float:
        """How many cycles nothing is computed, if lines take `cycles` to arrive, and what is computed takes `computed`.

        Between two bursts, what is asked for early gets ahead by what can be on its way at a time: what arrives within
        the `latency` of the level, in cycles (Little's law).
        """
        apart = (1 - self.part) * computed / self.count
        return max(cycles - self.part * computed - self.count * min(apart, latency), 0.0)
