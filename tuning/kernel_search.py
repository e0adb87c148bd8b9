"""The search among the schedules of one kernel: what is known, and what to try next."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from mlc.schedules.records.kernel_key import KernelKey
from mlc.schedules.records.schedule_texts import Schedule, schedule_text
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import Ranker

_ELITES = 6
"""So many good schedules have descendants."""
_RANKED = 24
"""From so many proposals a ranker takes the best one."""
_CURIOSITY = 0.25
"""How often it is not asked: what it has never seen it cannot know."""
_FADE = 0.9
"""What a trial leaves of the gains before it."""
_HOPE = 0.05
"""The gain per trial that is expected of a kernel that nobody searched."""
_ATTEMPTS = 60


@dataclass(frozen=True)
class Trial:
    """A point of the picture of a search."""

    at: float
    """Seconds since the search began."""
    ratio: float
    """The time as a part of that by the rules."""
    is_best: bool


@dataclass
class KernelSearch:
    """What is known of one kernel."""

    name: str
    key: KernelKey
    calls: int
    rules: Schedule
    seconds: float
    """Of one call with the schedule by the rules."""
    mutator: Mutator
    ranker: Ranker | None = None
    waiting: list[Schedule] = field(default_factory=list[Schedule])
    """What is to be tried first: what records say of this kernel and of like ones; candidates of its template."""
    best: Schedule = ()
    ratio: float = 1.0
    """The time of the best one as a part of that by the rules."""
    elites: list[tuple[float, Schedule]] = field(default_factory=list[tuple[float, Schedule]])
    seen: set[str] = field(default_factory=set[str])
    history: list[Trial] = field(default_factory=list[Trial])
    refusal: Callable[[Schedule], str | None] = lambda _: None
    """Why the loops do not allow a schedule; None if they do."""
    fingerprint: Callable[[Schedule], str | None] = lambda _: None
    """Equal for schedules that make the same code; None if that is not known."""
    stop: Callable[[], None] = lambda: None
    """Ends the process that knows the loops."""
    refused: int = 0
    """How many proposals they did not allow: nothing was compiled for these."""
    repeated: int = 0
    """How many had the loops of an earlier one: nothing was compiled for these either."""
    tried: int = 0
    dropped: int = 0
    useless: int = 0
    """How many were faster alone, and not in the whole model."""
    gain: float = _HOPE
    """The part of its time that a trial has saved of late."""
    _ratios: dict[Schedule, float] = field(default_factory=dict[Schedule, float])
    """Of all schedules that were the best one."""
    _loops: set[str | None] = field(default_factory=set[str | None])
    """The fingerprints of the schedule by the rules, and of those that were handed out."""

    def __post_init__(self) -> None:
        self.best = self.rules
        self.elites = [(1.0, self.rules)]
        self._ratios = {self.rules: 1.0}
        self.seen.add(schedule_text(self.rules))

    @property
    def cost(self) -> float:
        """The seconds of a model's call that all calls of the kernel take now."""
        return self.calls * self.seconds * self.ratio

    @property
    def promise(self) -> float:
        """The seconds of a call of the model that the next trial may save: its time, and how it improves."""
        return self.cost * (self.gain + _HOPE / (1 + self.tried) ** 0.5)

    def know(self, schedules: Iterable[str]) -> None:
        """Schedules that were measured before are not measured again, but for those that wait."""
        self.seen.update(schedules)
        self.seen.difference_update(schedule_text(s) for s in self.waiting)

    def next(self) -> Schedule | None:
        """A schedule that was never tried, that the loops allow, and whose loops are new; None if there is none."""
        self._loops.add(self.fingerprint(self.rules))
        for schedule in self._proposals():
            self.seen.add(schedule_text(schedule))
            if self.refusal(schedule) is not None:
                self.refused += 1
            elif (loops := self.fingerprint(schedule)) is not None and loops in self._loops:
                self.repeated += 1
            else:
                self._loops.add(loops)
                return schedule
        return None

    def _proposals(self) -> Iterator[Schedule]:
        """Schedules that were never tried: those that wait, then new ones, what promises most first."""
        while self.waiting:
            if schedule_text(schedule := self.waiting.pop(0)) not in self.seen:
                yield schedule
        is_ranked = self.mutator.rng.random() >= _CURIOSITY and self._estimates([self.best]) is not None
        if is_ranked and (estimates := self._estimates(fresh := list(islice(self._fresh(), _RANKED)))) is not None:
            yield from (fresh[i] for i in sorted(range(len(fresh)), key=lambda i: estimates[i]))
        yield from self._fresh()

    def _fresh(self) -> Iterator[Schedule]:
        """Each once."""
        given: set[str] = set()
        for _ in range(_ATTEMPTS):
            schedule = self.mutator.propose([s for _, s in self.elites])
            if schedule is not None and (text := schedule_text(schedule)) not in self.seen | given:
                given.add(text)
                yield schedule

    def _estimates(self, schedules: Sequence[Schedule]) -> Sequence[float] | None:
        return None if self.ranker is None else self.ranker.estimates(schedules)

    def known_ratio(self, best: Schedule) -> float:
        """The time of a schedule that is or was the best one, as a part of that by the rules."""
        return self._ratios[best]

    def return_to(self, schedule: Schedule) -> None:
        """A candidate was not measured after all: it is the next one."""
        self.seen.discard(schedule_text(schedule))
        self._loops.discard(self.fingerprint(schedule))
        self.waiting.insert(0, schedule)

    def failed(self) -> None:
        """A candidate was dropped."""
        self.dropped += 1

    def disappointed(self) -> None:
        """A candidate is faster alone, and not in the whole model."""
        self.tried += 1
        self.useless += 1
        self.gain *= _FADE

    def measured(self, schedule: Schedule, ratio: float, at: float, is_best: bool) -> None:
        """A candidate takes `ratio` of the time by the rules; if it `is_best`, that is confirmed."""
        self.tried += 1
        saved = max(0.0, 1 - ratio / self.ratio) if is_best else 0.0
        self.gain = _FADE * self.gain + (1 - _FADE) * saved * 4
        self.history.append(Trial(at, ratio, is_best))
        if is_best:
            self.best, self.ratio = schedule, ratio
            self._ratios[schedule] = ratio
        self.elites = sorted([*self.elites, (ratio, schedule)], key=lambda each: each[0])[:_ELITES]
        self.elites.sort(key=lambda each: (each[1] != self.best, each[0]))
