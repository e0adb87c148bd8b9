"""Spending a budget of time on the schedules of several kernels."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlc.tuning.isolated import Failure
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.ranking import LearnedRanker
from mlc.tuning.record import Outcome, Record, TunedMachine
from mlc.tuning.schedule_texts import Schedule, schedule_text
from mlc.tuning.workbench import Comparison

_FRUITLESS = 40
"""After so many rounds in a row that found nothing to try a search is at its end."""


@dataclass
class Tuner:
    """Tries schedules of `kernels` until the time is over. Everything measured is handed to `keep` at once.

    A candidate is measured in turns with the best one so far. If it wins by more than the noise, both are measured
    again, at length, and then the winner beside the schedule by the rules: that is what compilations trust.
    """

    kernels: Sequence[KernelSearch]
    machine: TunedMachine
    keep: Callable[[Record], None]
    jobs: int = 1
    """How many candidates are compiled at the same time; measured is one at a time, alone."""
    clock: Callable[[], float] = time.monotonic
    changed: Callable[[KernelSearch], None] = field(default=lambda _: None)
    """Is told when a kernel's numbers have changed."""
    _start: float = 0.0

    def run(self, seconds: float) -> None:
        """Search for so long; the last measurement may take a little more."""
        self._start = self.clock()
        end = self._start + seconds
        fruitless = 0
        while self.clock() < end and fruitless < _FRUITLESS and self.kernels:
            search = max(self.kernels, key=lambda k: k.promise)
            candidates = [c for c in (search.next() for _ in range(self.jobs)) if c is not None]
            fruitless = 0 if candidates else fruitless + 1
            if not candidates:
                search.gain *= 0.5
                search.tried += 1
                continue
            for candidate, failure in zip(candidates, search.bench.build(candidates), strict=True):
                if failure is not None:
                    self._drop(search, candidate, failure)
                elif self.clock() < end:
                    self._measure(search, candidate)
                if failure is None and candidate != search.best:
                    search.bench.drop(candidate)
            self.changed(search)

    def _measure(self, search: KernelSearch, candidate: Schedule) -> None:
        best = search.best
        first = search.bench.compare(candidate, best)
        if isinstance(first, Failure):
            self._drop(search, candidate, first)
            return
        ratio = first.ratio * search.ratio
        self._record(search, candidate, "ok", found=first, beside=best, ratio=ratio)
        if first.is_won:
            second = search.bench.compare(candidate, best, thorough=True)
            if isinstance(second, Failure):
                self._drop(search, candidate, second)
                return
            if second.is_won:
                if self._confirm(search, candidate, second) and best != search.rules:
                    search.bench.drop(best)
                return
            ratio = second.ratio * search.ratio
            self._record(search, candidate, "ok", found=second, beside=best, ratio=ratio)
        search.measured(candidate, ratio, self.clock() - self._start, False)
        if isinstance(search.ranker, LearnedRanker):
            search.ranker.add(candidate, ratio)

    def _confirm(self, search: KernelSearch, candidate: Schedule, second: Comparison) -> bool:
        """Measure the winner beside the schedule by the rules, unless that was the best one."""
        found: Comparison | Failure = second
        if search.best != search.rules:
            found = search.bench.compare(candidate, search.rules, thorough=True)
        if isinstance(found, Failure):
            self._drop(search, candidate, found)
            return False
        self._record(search, candidate, "ok", found=found, beside=search.rules, ratio=found.ratio, confirmed=True)
        search.measured(candidate, found.ratio, self.clock() - self._start, True)
        if isinstance(search.ranker, LearnedRanker):
            search.ranker.add(candidate, found.ratio)
        return True

    def _drop(self, search: KernelSearch, candidate: Schedule, failure: Failure) -> None:
        search.failed()
        self._record(search, candidate, failure.outcome, reason=failure.reason)
        if isinstance(search.ranker, LearnedRanker):
            search.ranker.add(candidate, None)

    def _record(
        self,
        search: KernelSearch,
        schedule: Schedule,
        outcome: Outcome,
        *,
        found: Comparison | None = None,
        beside: Schedule = (),
        ratio: float | None = None,
        reason: str = "",
        confirmed: bool = False,
    ) -> None:
        key = search.key
        self.keep(
            Record(
                key.exact,
                key.kind,
                key.sizes,
                key.spelling,
                key.arguments,
                self.machine,
                schedule_text(schedule),
                outcome,
                reason,
                None if found is None else round(found.seconds * 1e9, 1),
                schedule_text(beside) if found is not None else "",
                None if found is None else round(found.beside * 1e9, 1),
                None if ratio is None else round(ratio, 5),
                None if found is None else round(found.noise, 5),
                confirmed,
                Record.now(),
            )
        )
