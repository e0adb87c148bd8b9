"""Compiling and measuring schedules of one kernel, on its real weights, each in a process of its own."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod, sqrt
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler import Compilation, CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.tensor import StructuredOp
from mlc.passes.loop.apply_schedule import ApplySchedulePass
from mlc.passes.manager import PassManager
from mlc.reference.agreement import beyond_rounding, spread
from mlc.reference.inputs import random_array
from mlc.runtime import Model, load
from mlc.support.context import CompilerContext
from mlc.support.dtypes import dtype_named, is_float
from mlc.support.errors import UserError
from mlc.targets.cache import Cache
from mlc.tools.lone_kernel import repeat_body
from mlc.tools.measure import Buffers, aligned, repeatedly, shortest_time
from mlc.tuning.isolated import Failure, Job, WrongResult, run_all
from mlc.tuning.schedule_texts import Schedule

Array = NDArray[Any]

_LONG_CALL = 2e-4
"""Seconds that a call from Python should last, of which it takes well below a microsecond itself."""
_SLICE = 3e-3
"""Seconds in which one of two schedules is called again and again, before it is the turn of the other."""
_ROUNDS, _MORE_ROUNDS = 7, 25
"""Turns of a first measurement, and of one that confirms."""
_PROCESSES = 4
"""So many processes confirm, each with memory of its own."""
_HOPELESS = 1.3
"""A first turn that is so many times as slow ends the measurement."""
_COMPILE_SECONDS = 30.0
_MEASURE_SECONDS = 20.0
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


class Bench(Protocol):
    """What a search needs to know of the schedules of one kernel."""

    def build(self, schedules: Sequence[Schedule]) -> list[Failure | None]:
        """Compile schedules, at the same time; None for those that can be measured."""
        ...

    def compare(self, one: Schedule, other: Schedule, thorough: bool = False) -> Comparison | Failure:
        """Measure two schedules that were built, in turns; a `Failure` if the first does not do what it should."""
        ...

    def drop(self, schedule: Schedule) -> None:
        """Forget what was built of a schedule."""
        ...


class Workbench:
    """Builds and measures the schedules of one kernel here."""

    def __init__(
        self, alone: ModuleOp, name: str, ctx: CompilerContext, options: CompileOptions, folder: Path, rules: Schedule
    ) -> None:
        """
        Args:
            alone: the kernel with its constants as a model (`lone_kernel`), which stays as it is.
            name: what the kernel is called in it.
            ctx: its context.
            options: how it is compiled.
            folder: where libraries go.
            rules: the schedule whose results are right.

        Raises:
            UserError: the kernel cannot be compiled, or not run.
        """
        self._alone, self._name, self._ctx, self._rules = alone, name, ctx, rules
        self._options = replace(options, records="")
        self._folder = folder
        self._times = 1
        self._paths: dict[Schedule, Path] = {}
        self.seconds = self._start()

    def _start(self) -> float:
        """Build the schedule by the rules; the time of a call."""
        for again in (True, False):
            (failure,) = self.build([self._rules])
            if failure is not None:
                raise UserError(f"the schedule of '{self._name}' by the rules cannot be tuned: {failure.reason}")
            path = self._paths[self._rules]
            once = Job(partial(_shortest, path), _MEASURE_SECONDS).value()
            if isinstance(once, Failure):
                raise UserError(f"'{self._name}' cannot be measured: {once.reason}")
            if again and (times := int(_LONG_CALL / once)) > 1:
                self._times = times
                self.drop(self._rules)
            else:
                return once / self._times
        raise AssertionError("unreachable")

    def build(self, schedules: Sequence[Schedule]) -> list[Failure | None]:
        missing = [s for s in dict.fromkeys(schedules) if s not in self._paths]
        paths = {s: self._folder / f"{self._name}-{time.monotonic_ns()}-{i}.so" for i, s in enumerate(missing)}

        def work(schedule: Schedule) -> Callable[[], None]:
            return lambda: self._compile(schedule, paths[schedule])

        outcomes = dict(zip(missing, run_all([work(s) for s in missing], _COMPILE_SECONDS), strict=True))
        self._paths |= {s: paths[s] for s, outcome in outcomes.items() if outcome is None}
        return [outcomes.get(s) for s in schedules]

    def _compile(self, schedule: Schedule, path: Path) -> None:
        """Raises: UserError if the schedule names loops that are not there."""
        module, ctx = self._alone.clone(), self._ctx.clone()
        kernel = _function(module, self._name)
        kernel.attributes["schedule"] = ScheduleAttr(schedule)
        compilation = Compilation(module, ctx, self._options, PassManager(ctx), reached="tensor")
        compilation.lower("loop")
        if self._times > 1:
            repeat_body(module, self._times)
        compilation.build("shared", path, Cache(self._folder / "cache"))

    def compare(self, one: Schedule, other: Schedule, thorough: bool = False) -> Comparison | Failure:
        paths = [self._paths[s] for s in (one, other, self._rules)]
        terms = _terms(_function(self._alone, self._name))
        rounds, threads = _MORE_ROUNDS if thorough else _ROUNDS, self._options.threads
        each: list[Comparison] = []
        for _ in range(_PROCESSES if thorough else 1):
            turn = Job(lambda: _compare(paths, terms, rounds, threads), _MEASURE_SECONDS).value()
            if isinstance(turn, Failure):
                return turn
            each.append(turn)
        found = together(each)
        return replace(found, seconds=found.seconds / self._times, beside=found.beside / self._times)

    def drop(self, schedule: Schedule) -> None:
        if (path := self._paths.pop(schedule, None)) is not None:
            path.unlink(missing_ok=True)


def _function(module: ModuleOp, name: str) -> FuncOp:
    return next(op for op in module.ops if isinstance(op, FuncOp) and op.sym_name.data == name)


def _terms(kernel: FuncOp) -> int:
    """How many numbers are summed into one at most."""
    ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp)]
    return max((prod(op.dim_sizes[op.num_parallel :]) for op in ops), default=1)


def _inputs(model: Model, seed: int) -> list[Array]:
    generator = np.random.default_rng(seed)
    return [aligned(random_array(generator, t.shape, dtype_named(t.dtype))) for t in model.inputs]


def _shortest(path: Path) -> float:
    model = load(path)
    return shortest_time(model, _inputs(model, 0), seconds=0.05)


def _outputs(model: Model, inputs: Sequence[Array]) -> list[Array]:
    found: Any = model(*inputs)
    return list(cast(Sequence[Array], found)) if isinstance(found, tuple | list) else [found]


def _compare(paths: Sequence[Path], terms: int, rounds: int, threads: int) -> Comparison:
    """Raises: WrongResult if the first library computes something else than the last one."""
    libraries = {path: load(path) for path in dict.fromkeys(paths)}
    one, other, rules = (libraries[path] for path in paths)
    inputs = _inputs(rules, 0)
    if one is not rules:
        _check(one, rules, inputs, terms)
    memory = Buffers.of([one, other])
    calls = [repeatedly(model, inputs, 1, memory) for model in (one, other)]
    for call in calls:
        call()
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(rounds):
        for which in (0, 1) if turn % 2 else (1, 0):
            times[which].append(_shortest_in(calls[which], _SLICE))
            if threads > 1:
                time.sleep(_PAUSE)
        if turn == 1 and min(times[0]) > _HOPELESS * min(times[1]):
            break
    ratios = [a / b for a, b in zip(*times, strict=True)]
    return Comparison(min(times[0]), min(times[1]), statistics.median(ratios), _standard_error(ratios))


def _shortest_in(call: Callable[[], object], seconds: float) -> float:
    shortest, now = float("inf"), time.perf_counter()
    end = now + seconds
    while now < end:
        call()
        start, now = now, time.perf_counter()
        shortest = min(shortest, now - start)
    return shortest


def _standard_error(ratios: Sequence[float]) -> float:
    """Of the median, from the middle half: what else runs makes some turns much longer."""
    if len(ratios) < 4:
        return 0.05
    low, _, high = statistics.quantiles(ratios, n=4)
    return 1.25 * (high - low) / 1.35 / sqrt(len(ratios))


def _check(model: Model, rules: Model, inputs: Sequence[Array], terms: int) -> None:
    """Compare results on inputs; other inputs come first, so that no right result lies in memory that is not written.

    Raises:
        WrongResult: they differ by more than rounding explains.
    """
    rounding = ApplySchedulePass.rounding
    assert rounding is not None
    _outputs(model, _inputs(model, 1))
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
