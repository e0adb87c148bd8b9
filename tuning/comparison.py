"""Two libraries measured in turns, in a process of its own."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log, sqrt
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlc.passes.loop.apply_schedule import ApplySchedulePass
from mlc.reference.agreement import beyond_rounding, spread
from mlc.runtime import Model, load
from mlc.support.dtypes import is_float
from mlc.tuning.isolated import Failure, Job, WrongResult
from mlc.tuning.measure import Buffers, aligned, repeatedly
from mlc.tuning.model_inputs import Counts, random_inputs

Array = NDArray[Any]

_SLICE = 3e-3
"""Seconds in which one of two libraries is called again and again, before it is the turn of the other."""
_ROUNDS, _MORE_ROUNDS = 7, 25
"""Turns of a first measurement, and of one that confirms."""
_FEW_ROUNDS = 3
_WARM = 3
"""Calls before one is measured."""
_FIRST_SECONDS = 0.05
"""For how long the time of one call is looked for."""
_PROCESSES = 4
"""So many processes confirm, each with memory of its own."""
_HOPELESS = 1.3
"""A first turn that is so many times as slow ends the measurement."""
_MOST_SECONDS = 20.0
"""That one process may take."""
_LONG = _MOST_SECONDS / 3
"""What the turns of one process should take at most: slow models have fewer of them."""
_PAUSE = 1e-3
"""Seconds in which the threads of one library go to sleep, before another one is called."""


@dataclass(frozen=True)
class Comparison:
    """Two schedules, measured in turns."""

    seconds: float
    """The shortest time of the first one."""
    beside: float
    """That of the other one."""
    ratio: float
    """The median of the first by the other in each turn: below 1 the first is faster."""
    noise: float
    """The standard error of the ratio."""

    @property
    def is_won(self) -> bool:
        """Whether the first one is faster by more than chance explains."""
        return self.ratio < 1 - max(0.005, 3 * self.noise)

    def helps(self, expected: float) -> bool:
        """Whether a gain shows here that should be `expected`, a part of the time of the other one.

        A loss beyond the noise is none, nor is nothing where so much should be seen. What is too small to be seen here
        is taken on trust. Logarithms are compared, as noise grows with the ratio: one of 400 with a standard error of
        200 is a loss.
        """
        noise = max(self.noise / self.ratio, 0.001)
        saved = -log(self.ratio)
        return saved >= -3 * noise and (saved > noise or expected <= 4 * noise)


def together(comparisons: Sequence[Comparison]) -> Comparison:
    """What several processes say: their memory lies elsewhere, so their ratios may differ by more than their noise."""
    ratios = sorted(each.ratio for each in comparisons)
    spread = (ratios[-1] - ratios[0]) / 2
    return Comparison(
        min(each.seconds for each in comparisons),
        min(each.beside for each in comparisons),
        statistics.median(ratios),
        max(spread / sqrt(len(ratios)), *(each.noise for each in comparisons), 0.0),
    )


@dataclass(frozen=True)
class Surroundings:
    """What a library finds when it is called."""

    threads: int = 1
    """How many a call may use."""
    others: int = 0
    """The bytes that a program reads and writes between two calls. If there are any, each call is measured after as
    many were touched, and after its inputs were written anew: weights and results have left the nearest caches then,
    and inputs have not. Else calls follow each other."""
    counts: Counts = field(default_factory=dict[int, int])
    """What some inputs are; others are random."""


def compare_libraries(
    one: Path, other: Path, rules: Path | None, terms: int, around: Surroundings, thorough: bool
) -> Comparison | Failure:
    """Measure two libraries of one signature in turns.

    Args:
        rules: a library whose results the first one has to have; None if that is known.
        terms: how many numbers are summed into one at most.
        thorough: in more turns, of several processes.
    """
    each: list[Comparison] = []
    for _ in range(_PROCESSES if thorough else 1):
        rounds = _MORE_ROUNDS if thorough else _ROUNDS
        turn = Job(lambda: _compare(one, other, rules, terms, rounds, around), _MOST_SECONDS).value()  # noqa: B023
        if isinstance(turn, Failure):
            return turn
        each.append(turn)
    return together(each)


def shortest_call(path: Path, around: Surroundings) -> float | Failure:
    """The seconds of the shortest call of a library, on random inputs."""
    return Job(lambda: _shortest(path, around), _MOST_SECONDS).value()


def _shortest(path: Path, around: Surroundings) -> float:
    model = load(path)
    calls = _Calls(model, random_inputs(model, around.counts), Buffers.of([model]), around)
    for _ in range(_WARM):
        calls.shortest(0)
    return calls.shortest(_FIRST_SECONDS)


class _Calls:
    """Calls a library again and again."""

    def __init__(self, model: Model, inputs: Sequence[Array], memory: Buffers, around: Surroundings) -> None:
        """`inputs` are written anew before each call if other memory is touched between them."""
        self._call = repeatedly(model, inputs, 1, memory)
        self._inputs, self._copies = inputs, [each.copy() for each in inputs]
        self._others = np.zeros(around.others, np.uint8)

    def shortest(self, seconds: float) -> float:
        """The shortest of those calls that fit into a time; of one, at least."""
        shortest = float("inf")
        end = time.perf_counter() + seconds
        while shortest == float("inf") or time.perf_counter() < end:
            if self._others.size:
                self._leave()
            start = time.perf_counter()
            self._call()
            shortest = min(shortest, time.perf_counter() - start)
        return shortest

    def _leave(self) -> None:
        """Do to the caches what a program does between two calls."""
        self._others += 1
        for each, copy in zip(self._inputs, self._copies, strict=True):
            np.copyto(each, copy)


def _outputs(model: Model, inputs: Sequence[Array]) -> list[Array]:
    found: Any = model(*inputs)
    return list(cast(Sequence[Array], found)) if isinstance(found, tuple | list) else [found]


def _compare(
    first: Path, second: Path, reference: Path | None, terms: int, rounds: int, around: Surroundings
) -> Comparison:
    """Raises: WrongResult if the first library computes something else than the reference."""
    libraries = {path: load(path) for path in dict.fromkeys([first, second, reference or second])}
    one, other = libraries[first], libraries[second]
    inputs = random_inputs(other, around.counts)
    if reference is not None and first != reference:
        _check(one, libraries[reference], inputs, random_inputs(one, around.counts, 1), terms)
    memory = Buffers.of([one, other])
    calls = [_Calls(model, inputs, memory, around) for model in (one, other)]
    once = sum(each.shortest(0) for each in calls)
    rounds = max(_FEW_ROUNDS, min(rounds, int(_LONG / max(once, 2 * _SLICE))))
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            times[which].append(calls[which].shortest(_SLICE))
            if around.threads > 1:
                time.sleep(_PAUSE)
        if turn == 1 and min(times[0]) > _HOPELESS * min(times[1]):
            break
    ratios = [a / b for a, b in zip(*times, strict=True)]
    return Comparison(min(times[0]), min(times[1]), statistics.median(ratios), _standard_error(ratios))


def _standard_error(ratios: Sequence[float]) -> float:
    """Of the median, from the middle half: what else runs makes some turns much longer."""
    if len(ratios) < 4:
        return 0.05
    low, _, high = statistics.quantiles(ratios, n=4)
    return 1.25 * (high - low) / 1.35 / sqrt(len(ratios))


def _check(model: Model, rules: Model, inputs: Sequence[Array], others: Sequence[Array], terms: int) -> None:
    """Compare results on inputs; the others come first, so that no right result lies in memory that is not written.

    Raises:
        WrongResult: they differ by more than rounding explains.
    """
    rounding = ApplySchedulePass.rounding
    assert rounding is not None
    _outputs(model, others)
    for number, (right, found) in enumerate(zip(_outputs(rules, inputs), _outputs(model, inputs), strict=True)):

        def spreads(number: int = number, right: Array = right) -> tuple[Array, Array]:
            """How far inputs that move by a unit in the last place move a result, in the code of the rules."""
            runs = [[_outputs(rules, _moved(inputs, seed))[number]] for seed in range(2)]
            (own,) = spread([right], runs)
            return own, own

        beyond = beyond_rounding(right, found, rounding, terms, True, spreads)
        if np.any(beyond):
            place = tuple(int(i) for i in np.argwhere(beyond)[0])
            counts = f"{int(np.sum(beyond))} of {beyond.size} elements"
            raise WrongResult(f"{counts} differ; at {place} found {found[place]}, required {right[place]}")


def _moved(inputs: Sequence[Array], seed: int) -> list[Array]:
    generator = np.random.default_rng(seed)
    moved: list[Array] = []
    for each in inputs:
        if is_float(each.dtype):
            signs = generator.integers(-1, 2, each.shape).astype(each.dtype)
            each = aligned((each + np.abs(np.spacing(each)) * signs).astype(each.dtype))
        moved.append(each)
    return moved
