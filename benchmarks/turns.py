"""Measuring in turns: every engine gets a short turn in each round, so that all see the same weather.

A machine's clock frequency, its temperature and, on a virtual machine, its neighbours change within seconds. What is to
be compared is therefore measured within a fraction of a second, and compared round by round.
"""

from __future__ import annotations

import gc
import itertools
import math
import statistics
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from mlc.benchmarks.engines import Call

_BATCH_SECONDS = 2e-4
"""Calls are timed in batches that take at least this long, so that reading the clock costs nothing."""
_LEAST_BATCHES = 3
_LONGEST_WAIT = 1.0
_IDLE_SECONDS = 0.02
_FULL_SPEED = 1.15
"""Times up to this factor above the shortest count as full speed; sharing a core makes it 2."""


@dataclass
class FreeCores:
    """Waits until each of our threads has a whole core, as far as `probe`, arithmetic on all threads, can tell.

    Two things take cores away. The threads of the engine before spin for a while after its last call. And a hypervisor
    may run two virtual CPUs as hyperthreads of one core: each has half the speed then, until they have idled and
    are placed anew.
    """

    probe: Call
    _shortest: float = math.inf

    def wait(self) -> None:
        """Return when the probe has run at full speed twice in a row, or after a second."""
        deadline = time.perf_counter() + _LONGEST_WAIT
        full_speed = 0
        while full_speed < 2 and time.perf_counter() < deadline:
            seconds = _time_batch(self.probe, 1)
            self._shortest = min(self._shortest, seconds)
            if seconds < _FULL_SPEED * self._shortest:
                full_speed += 1
            else:
                full_speed = 0
                time.sleep(_IDLE_SECONDS)


def measure_in_turns(
    calls: Mapping[str, Call], rounds: int, turn_seconds: float, before_turn: Callable[[], None] = lambda: None
) -> dict[str, list[float]]:
    """Seconds per call by name, one number per round: the fastest batch of the turn.

    The fastest, because whatever interrupts a batch only makes it slower.
    """
    sizes = {name: batch_size(call) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    with _no_collection():
        for _ in range(rounds):
            for name, call in calls.items():
                before_turn()
                times[name].append(turn(call, sizes[name], turn_seconds))
    return times


def batch_size(call: Call) -> int:
    """How many calls take `_BATCH_SECONDS`; also warms up caches, pages and predictors."""
    call()
    size = 1
    while (seconds := _time_batch(call, size)) < _BATCH_SECONDS:
        size = max(2 * size, int(size * _BATCH_SECONDS / max(seconds, 1e-7) / 2))
    return size


def turn(call: Call, size: int, seconds: float) -> float:
    """Seconds per call: the fastest batch, of `size` calls, in a turn of so many seconds."""
    best = float("inf")
    end = time.perf_counter() + seconds
    batches = 0
    while batches < _LEAST_BATCHES or time.perf_counter() < end:
        best = min(best, _time_batch(call, size))
        batches += 1
    return best / size


def _time_batch(call: Call, size: int) -> float:
    start = time.perf_counter()
    for _ in itertools.repeat(None, size):
        call()
    return time.perf_counter() - start


@contextmanager
def _no_collection() -> Generator[None, None, None]:
    """Without Python's cycle collector."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def ratio_to_best(seconds: Mapping[str, Sequence[float]]) -> float | None:
    """How many times faster mlc is than the fastest other engine: the median over the rounds; None without another.

    `seconds` per call are by engine, one number per round.
    """
    others = [times for engine, times in seconds.items() if engine != "mlc"]
    if not others or "mlc" not in seconds:
        return None
    rounds = zip(seconds["mlc"], *others, strict=True)
    return statistics.median(min(them) / ours for ours, *them in rounds)
