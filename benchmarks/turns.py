"""Measuring in turns: every engine gets a short turn in each round, so that all see the same weather.

A machine's clock frequency, its temperature and, on a virtual machine, its neighbours change within seconds. What is to
be compared is therefore measured within a fraction of a second, and compared round by round.
"""

from __future__ import annotations

import gc
import itertools
import time
from collections.abc import Generator, Mapping
from contextlib import contextmanager

from mlc.benchmarks.engines import Call

_BATCH_SECONDS = 2e-4
"""Calls are timed in batches that take at least this long, so that reading the clock costs nothing."""
_LEAST_BATCHES = 3


def measure_in_turns(
    calls: Mapping[str, Call], rounds: int, turn_seconds: float, pause: float = 0.0
) -> dict[str, list[float]]:
    """Seconds per call by name, one number per round: the fastest batch of the turn.

    The fastest, because whatever interrupts a batch only makes it slower. A `pause` (seconds) before each turn lets the
    threads of the engine before go to sleep: they spin for a while after each call, on cores that are not theirs now.
    """
    sizes = {name: _batch_size(call) for name, call in calls.items()}
    times: dict[str, list[float]] = {name: [] for name in calls}
    with _no_collection():
        for _ in range(rounds):
            for name, call in calls.items():
                time.sleep(pause)
                times[name].append(_turn(call, sizes[name], turn_seconds))
    return times


def _batch_size(call: Call) -> int:
    """How many calls take `_BATCH_SECONDS`; also warms up caches, pages and predictors."""
    call()
    size = 1
    while (seconds := _time_batch(call, size)) < _BATCH_SECONDS:
        size = max(2 * size, int(size * _BATCH_SECONDS / max(seconds, 1e-7) / 2))
    return size


def _turn(call: Call, size: int, seconds: float) -> float:
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
