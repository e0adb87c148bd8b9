"""Spending a budget of time on the schedules of several kernels, wherever they are measured."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from mlc.schedules.records.record import Outcome, Record
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.support.context import CompilerContext
from mlc.tuning.comparison import Comparison
from mlc.tuning.examination import Examination
from mlc.tuning.executor import Executor
from mlc.tuning.isolated import Failure
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.ranking import LearnedRanker
from mlc.tuning.work import Answer, Build, Examine, Lost, Site, Work

_FRUITLESS = 40
"""After so many rounds in a row that found nothing to try a search is at its end."""
_PATIENCE = 0.5
"""Seconds after which is looked whether places have come."""
_OVERTIME = 60.0
"""Seconds in which work that was begun in time may be finished."""
_CHANCES = 2
"""A candidate with which so many places were lost is dropped."""


@dataclass
class Tuner:
    """Tries schedules until the time is over. Everything measured is handed to `keep` at once.

    A candidate is measured in turns with the best one so far of the same machine. If it wins by more than the noise,
    both are measured again, at length, then the winner beside the schedule by the rules, and in the whole model: that
    is what compilations trust. A candidate whose place is lost is tried elsewhere.
    """

    executor: Executor
    searches_of: Callable[[Site], Sequence[KernelSearch]]
    """The searches of a place, the same for all places of one machine."""
    ctx: CompilerContext
    """Knows the steps of schedules."""
    keep: Callable[[Record], None]
    clock: Callable[[], float] = time.monotonic
    changed: Callable[[KernelSearch], None] = field(default=lambda _: None)
    """Is told when a kernel's numbers have changed."""
    lost: Callable[[str], None] = field(default=lambda _: None)
    """Is told why a place was lost."""
    _start: float = 0.0
    _running: dict[str, KernelSearch] = field(default_factory=dict[str, KernelSearch])
    """By the names of places that are at work."""
    _built: dict[str, list[Schedule]] = field(default_factory=dict[str, list[Schedule]])
    """What waits to be measured where it was built."""
    _answers: list[tuple[Site, Work, Answer]] = field(default_factory=list[tuple[Site, Work, Answer]])
    """What was not taken in yet."""
    _losses: Counter[tuple[str, str]] = field(default_factory=Counter[tuple[str, str]])
    _fruitless: int = 0

    def run(self, seconds: float) -> None:
        """Search for so long; what was begun then may take a little more.

        Raises:
            UserError: there is no place left to measure at.
        """
        self._start = self.clock()
        end = self._start + seconds
        while self._fruitless < _FRUITLESS and self.clock() < end:
            for site in self.executor.sites():
                if site.name not in self._running:
                    self._start_next(site)
            self._answers += self.executor.wait(_PATIENCE)
            self._handle(self.clock() < end)
        while self._running and self.clock() < end + _OVERTIME:
            self._answers += self.executor.wait(_PATIENCE)
            self._handle(False)

    def finish(self) -> None:
        """Keep what was done, and not kept yet, when Ctrl-C came."""
        self._handle(False)
        self._answers += self.executor.wait(0)
        self._handle(False)

    def _start_next(self, site: Site) -> None:
        """Give a place work: what is built there, else new candidates for the kernel that promises most."""
        searches = self.searches_of(site)
        if not searches:
            self._fruitless += 1
            return
        search = max(searches, key=lambda k: k.promise)
        candidates = [c for c in (search.next() for _ in range(site.jobs)) if c is not None]
        self._fruitless = 0 if candidates else self._fruitless + 1
        if not candidates:
            search.gain *= 0.5
            search.tried += 1
            return
        texts = tuple(map(schedule_text, candidates))
        self._give(site, search, Build(search.name, texts, schedule_text(search.best)))

    def _give(self, site: Site, search: KernelSearch, work: Work) -> None:
        self._running[site.name] = search
        self.executor.start(site, work)

    def _handle(self, goes_on: bool) -> None:
        """Take in what was answered, and let places go on with what is built there."""
        while self._answers:
            site, work, answer = self._answers.pop(0)
            search = self._running.pop(site.name)
            match work, answer:
                case Build(), tuple():
                    schedules = [self._parsed(text) for text in work.schedules]
                    for schedule, failure in zip(schedules, answer, strict=True):
                        if failure is not None:
                            self._drop(site, search, schedule, failure)
                    self._built[site.name] = [s for s, f in zip(schedules, answer, strict=True) if f is None]
                case Examine(), Examination():
                    self._examined(site, search, work, answer)
                case _, Lost(reason):
                    self._lose(site, search, work, reason)
                case _:
                    raise AssertionError(f"{answer} is not an answer to {work}")
            self.changed(search)
            if goes_on and (built := self._built.get(site.name)):
                self._give(site, search, Examine(search.name, schedule_text(built.pop(0)), schedule_text(search.best)))

    def _parsed(self, text: str) -> Schedule:
        return parse_schedule(text, self.ctx) if text else ()

    def _lose(self, site: Site, search: KernelSearch, work: Work, reason: str) -> None:
        """Let what a place was busy with be tried again, and what waited there."""
        texts = work.schedules if isinstance(work, Build) else (work.schedule,)
        for text in texts:
            self._losses[search.name, text] += 1
            if self._losses[search.name, text] < _CHANCES:
                search.return_to(self._parsed(text))
            else:
                failure = Failure("crash", f"{_CHANCES} workers were lost with it")
                self._drop(site, search, self._parsed(text), failure)
        for schedule in self._built.pop(site.name, []):
            search.return_to(schedule)
        self.lost(reason)

    def _examined(self, site: Site, search: KernelSearch, work: Examine, found: Examination) -> None:
        """Keep what was measured of a candidate beside the schedule that was the best one then."""
        candidate, best = self._parsed(work.schedule), self._parsed(work.best)
        known = search.known_ratio(best)
        if found.first is None:
            self._drop(site, search, candidate, found.failure or Failure("crash", "nothing was measured"))
            return
        ratio = found.first.ratio * known
        self._record(site, search, candidate, "ok", found=found.first, beside=best, ratio=ratio)
        if found.again is not None:
            ratio = found.again.ratio * known
        if found.failure is not None:
            self._drop(site, search, candidate, found.failure)
            return
        if found.beside_rules is not None:
            ratio = found.beside_rules.ratio
            confirming, beside = found.beside_rules, search.rules
            self._record(
                site, search, candidate, "ok", found=confirming, beside=beside, ratio=ratio, confirmed=True, whole=found
            )
        elif found.again is not None:
            self._record(site, search, candidate, "ok", found=found.again, beside=best, ratio=ratio)
        if found.beside_rules is not None and not found.helps:
            search.disappointed()
        else:
            is_best = found.beside_rules is not None and ratio < search.ratio
            search.measured(candidate, ratio, self.clock() - self._start, is_best)
        if isinstance(search.ranker, LearnedRanker):
            search.ranker.add(candidate, ratio)

    def _drop(self, site: Site, search: KernelSearch, candidate: Schedule, failure: Failure) -> None:
        search.failed()
        self._record(site, search, candidate, failure.outcome, reason=failure.reason)
        if isinstance(search.ranker, LearnedRanker):
            search.ranker.add(candidate, None)

    def _record(
        self,
        site: Site,
        search: KernelSearch,
        schedule: Schedule,
        outcome: Outcome,
        *,
        found: Comparison | None = None,
        beside: Schedule = (),
        ratio: float | None = None,
        reason: str = "",
        confirmed: bool = False,
        whole: Examination | None = None,
    ) -> None:
        key, ranker = search.key, search.ranker
        model = None if whole is None else whole.model
        self.keep(
            Record(
                key.exact,
                key.kind,
                key.sizes,
                key.spelling,
                key.arguments,
                site.machine,
                schedule_text(schedule),
                outcome,
                reason,
                None if found is None else round(found.seconds * 1e9, 1),
                schedule_text(beside) if found is not None else "",
                None if found is None else round(found.beside * 1e9, 1),
                None if ratio is None else round(ratio, 5),
                None if found is None else round(found.noise, 5),
                confirmed,
                None if model is None else round(model.ratio, 5),
                None if model is None else round(model.noise, 5),
                whole is None or whole.helps,
                Record.now(),
                worker=site.name,
                loops=ranker.difference(schedule) if found is not None and isinstance(ranker, LearnedRanker) else None,
            )
        )
