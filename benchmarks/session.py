"""One case from its text to its figures: prepare all engines, compare their results, measure them in turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from mlc.benchmarks.case import Array, Case
from mlc.benchmarks.engines import (
    TOLERANCE,
    Runner,
    compile_case,
    mlc_function,
    mlc_python_call,
    numpy_function,
    reference_output,
    relative_error,
)
from mlc.benchmarks.peers import available_peers
from mlc.benchmarks.probes import Limits
from mlc.benchmarks.results import OURS, OURS_IN_PYTHON, OURS_ON_ONE_THREAD, CaseResult
from mlc.benchmarks.turns import FreeCores, measure_in_turns


@dataclass(frozen=True)
class Session:
    """How to measure."""

    limits: Limits
    rounds: int
    turn_seconds: float
    with_peers: bool = True

    def measure(self, family: str, case: Case) -> CaseResult:
        """All engines on one case. An engine that fails, or computes something else, is left out and says why."""
        runners, errors = self._prepare(case)
        level = self.limits.level_of(case.bytes)
        peak, read = self.limits.peak, level.probe
        # Ours runs between the probes that it is held against.
        calls = {peak.name: peak.call, **{name: runner.call for name, runner in runners.items()}, read.name: read.call}
        seconds = measure_in_turns(calls, self.rounds, self.turn_seconds, self._before_turn)
        return CaseResult(
            name=case.name,
            family=family,
            kind=case.kind,
            flops=case.flops,
            bytes=case.bytes,
            wide=case.wide,
            level=level.name,
            peak=[peak.work / t for t in seconds.pop(peak.name)],
            bandwidth=[read.work / t for t in seconds.pop(read.name)],
            seconds=seconds,
            errors=errors,
        )

    def probe(self) -> dict[str, float]:
        """Every limit in flop/s or byte/s: the best round."""
        probes = [self.limits.peak, *(level.probe for level in self.limits.levels)]
        times = measure_in_turns({p.name: p.call for p in probes}, self.rounds, self.turn_seconds)
        return {p.name: p.work / min(times[p.name]) for p in probes}

    @cached_property
    def _free_cores(self) -> FreeCores:
        return FreeCores(self.limits.peak.call)

    def _before_turn(self) -> None:
        if self.limits.threads > 1:
            self._free_cores.wait()

    def _prepare(self, case: Case) -> tuple[dict[str, Runner], dict[str, str]]:
        """The engines that compute the case, and what is wrong with the others."""
        runners: dict[str, Runner] = {}
        errors: dict[str, str] = {}
        try:
            expected = reference_output(case)
        except Exception as e:
            return {}, {OURS: f"the reference failed with {type(e).__name__}: {e}"}
        for engine, prepare in self._engines(case).items():
            # Whatever one engine raises must not end the measurement of the others.
            try:
                runner = prepare()
                if runner is not None:
                    _check(runner, expected)
                    runners[engine] = runner
            except Exception as e:
                errors[engine] = f"{type(e).__name__}: {e}"
        return runners, errors

    def _engines(self, case: Case) -> dict[str, Callable[[], Runner | None]]:
        target, threads = self.limits.target, self.limits.threads
        engines: dict[str, Callable[[], Runner | None]] = {
            OURS: lambda: mlc_function(case, compile_case(case, target, threads))
        }
        if threads > 1:
            engines[OURS_ON_ONE_THREAD] = lambda: mlc_function(case, compile_case(case, target))
        if case.python_call:
            engines[OURS_IN_PYTHON] = lambda: mlc_python_call(case, compile_case(case, target, threads))
        if self.with_peers:
            for name, prepare in available_peers().items():
                engines[name] = lambda prepare=prepare: prepare(case, threads)
            engines["NumPy"] = lambda: numpy_function(case)
        return engines


def _check(runner: Runner, expected: Array) -> None:
    """Run once and compare.

    Raises:
        ValueError: the result is not the reference's.
    """
    runner.call()
    error = relative_error(runner.output(), expected)
    if error > TOLERANCE:
        raise ValueError(f"wrong result, with a relative error of {error:.1e}")
