"""Which of several schedules to measure first: models of time that need no measurement.

A `Ranker` is the one place where a model comes in. `LearnedRanker` starts from the estimate of a schedule's loops, and
learns from records by how much it is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from math import isnan, log2
from random import Random
from typing import Protocol

from mlc.schedules.records.kernel_key import KernelKey
from mlc.schedules.records.record import Record
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.rank_correlation import rank_correlation
from mlc.tuning.description import CYCLES, Description, beside
from mlc.tuning.step_features import step_features
from mlc.tuning.trees import Estimator, Numbers, can_learn, fitted

ENOUGH = 30
"""So many measurements are needed to learn from them."""
_EVERY = 12
"""After so many more it learns again."""
_PARTS = 5
"""Into so many parts measurements are split to judge a model by those that it has not seen."""
_FAILED = 3.0
"""What a schedule that is refused, or dropped, counts as: a time, as a part of that by the rules."""
_MOST_FAILED = 200
"""Of those only the last ones count."""
_MOST_OF_OTHERS = 2000
"""Of the measurements of other kernels only so many count."""
_DESCRIBED = 8
"""So many schedules of those to be ranked are described, for each takes tens of milliseconds."""


class Ranker(Protocol):
    """Estimates schedules of one kernel."""

    def estimates(self, schedules: Sequence[Schedule]) -> Sequence[float] | None:
        """A number for each schedule, smaller for one that should be faster; None if it cannot tell."""
        ...


@dataclass(frozen=True)
class Measured:
    """A schedule that was measured."""

    steps: Numbers
    """What its steps say; nothing if it is one of another kernel."""
    loops: Numbers | None
    """How its loops differ from those by the rules; None if that is not known."""
    ratio: float
    """The logarithm, to base 2, of its time as a part of that by the rules."""


class LoopModel:
    """How fast a schedule is, told from its loops: the estimate, and what trees learnt of its errors.

    Loops of all kernels speak of the same things, so it learns from all. Untrained, it is the estimate itself.
    """

    def __init__(self, measured: Sequence[Measured]) -> None:
        known = [(each.loops, each.ratio - each.loops[CYCLES]) for each in measured if each.loops is not None]
        enough = len(known) >= ENOUGH and can_learn()
        self._errors = fitted([loops for loops, _ in known], [error for _, error in known]) if enough else None

    def __call__(self, loops: Sequence[Numbers]) -> list[float]:
        errors = [0.0] * len(loops) if self._errors is None else self._errors(loops)
        return [each[CYCLES] + error for each, error in zip(loops, errors, strict=True)]


@dataclass
class LearnedRanker:
    """Ranks the schedules of one kernel, on one machine, by their loops; by their steps, where loops are not known."""

    key: KernelKey
    rules: Schedule = ()
    describe: Callable[[Schedule], Description | None] = lambda _: None
    """The numbers of a schedule's loops; None if these are not known."""
    _own: list[Measured] = field(default_factory=list[Measured])
    """Of this kind of kernel."""
    _others: list[Measured] = field(default_factory=list[Measured])
    _failed: list[Numbers] = field(default_factory=list[Numbers])
    """The steps of what was refused or dropped."""
    _known: int = -1
    """How many measurements the models have seen."""
    _by_steps: Estimator | None = None
    _by_loops: LoopModel = field(default_factory=lambda: LoopModel([]))

    def learn(self, records: Iterable[Record], ctx: CompilerContext) -> None:
        """Take over what other runs have measured on this machine."""
        for record in records:
            if record.kind != self.key.kind or len(record.sizes) != len(self.key.sizes):
                if record.loops is not None and CYCLES in record.loops and record.ratio is not None:
                    measured = Measured({}, record.loops, _logarithm(record.ratio))
                    self._others = [*self._others[1 - _MOST_OF_OTHERS :], measured]
                continue
            try:
                steps = step_features(parse_schedule(record.schedule, ctx), record.sizes)
            except UserError:
                continue
            self._take(steps, record.loops, record.ratio if record.outcome == "ok" else None)

    def add(self, steps: Schedule, ratio: float | None) -> None:
        """One more measurement: the time as a part of that by the rules, or None for a schedule that was dropped."""
        loops = None if ratio is None else self.difference(steps)
        self._take(step_features(steps, self.key.sizes), loops, ratio)

    def _take(self, steps: Numbers, loops: Numbers | None, ratio: float | None) -> None:
        if ratio is None:
            self._failed = [*self._failed[1 - _MOST_FAILED :], steps]
        else:
            known = loops if loops is not None and CYCLES in loops else None
            self._own.append(Measured(steps, known, _logarithm(ratio)))

    def difference(self, steps: Schedule) -> dict[str, float] | None:
        """How the loops of a schedule differ from those by the rules; None if one of both is not known."""
        own, rules = self.describe(steps), self.describe(self.rules)
        return None if own is None or rules is None else beside(own, rules)

    def estimates(self, schedules: Sequence[Schedule]) -> Sequence[float] | None:
        """By their loops for those that seem best by their steps; what is not described comes after these."""
        self._learn_again()
        rough = self._rough(schedules)
        order = sorted(range(len(schedules)), key=lambda i: rough[i]) if rough is not None else range(len(schedules))
        loops = {i: found for i in order[:_DESCRIBED] if (found := self.difference(schedules[i])) is not None}
        if not loops:
            return rough
        known = dict(zip(loops, self._by_loops(list(loops.values())), strict=True))
        behind = max(known.values()) + 1
        places = {i: place for place, i in enumerate(order)}
        return [known.get(i, behind + places[i]) for i in range(len(schedules))]

    def _rough(self, schedules: Sequence[Schedule]) -> list[float] | None:
        if self._by_steps is None:
            return None
        return self._by_steps([step_features(steps, self.key.sizes) for steps in schedules])

    def _learn_again(self) -> None:
        is_first = self._known < ENOUGH <= len(self._own)
        if self._known < 0 or is_first or len(self._own) >= self._known + _EVERY:
            self._known = len(self._own)
            self._by_loops = LoopModel([*self._others, *self._own])
            self._by_steps = self._step_model(self._own) if self._knows_enough else None

    @property
    def _knows_enough(self) -> bool:
        return len(self._own) >= ENOUGH and can_learn()

    def _step_model(self, measured: Sequence[Measured]) -> Estimator:
        rows = [*(each.steps for each in measured), *self._failed]
        return fitted(rows, [*(each.ratio for each in measured), *(log2(_FAILED) for _ in self._failed)])

    def held_out_correlation(self) -> float | None:
        """How well schedules are ranked that were not learnt from: Spearman's coefficient of estimates and times.

        Each fifth of the measurements is estimated by a model of the others; schedules that give the same loops are in
        the same fifth. None if there are too few of them, or nothing that learns.
        """
        if not self._knows_enough:
            return None
        by_loops = all(each.loops is not None for each in self._own)
        estimates = held_out(self._own, lambda others: self._judged(others, by_loops))
        found = rank_correlation(estimates, [each.ratio for each in self._own])
        return None if isnan(found) else found

    def _judged(self, others: Sequence[Measured], by_loops: bool) -> Callable[[Sequence[Measured]], list[float]]:
        if by_loops:
            model = LoopModel([*self._others, *others])
            return lambda measured: model([each.loops or {} for each in measured])
        by_steps = self._step_model(others)
        return lambda measured: by_steps([each.steps for each in measured])

    @property
    def measurements(self) -> int:
        """How many there are of this kind of kernel to learn from."""
        return len(self._own)


def held_out(
    measured: Sequence[Measured],
    model: Callable[[Sequence[Measured]], Callable[[Sequence[Measured]], list[float]]],
) -> list[float]:
    """What models say of each measurement that were made of others: `model` makes one.

    What gives the same loops, or has the same steps where these are not known, is left out together.
    """
    same: dict[object, list[int]] = {}
    for i, each in enumerate(measured):
        same.setdefault(tuple(sorted((each.steps if each.loops is None else each.loops).items())), []).append(i)
    groups = Random(0).sample(list(same.values()), len(same))
    estimates = [0.0] * len(measured)
    for part in range(_PARTS):
        left_out = [i for group in groups[part::_PARTS] for i in group]
        without = set(left_out)
        estimate = model([each for i, each in enumerate(measured) if i not in without])
        for i, number in zip(left_out, estimate([measured[i] for i in left_out]), strict=True):
            estimates[i] = number
    return estimates


def _logarithm(ratio: float) -> float:
    return log2(max(ratio, 1e-3))
