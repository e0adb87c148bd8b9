"""Which of several schedules to measure first: models of time that need no measurement.

A `Ranker` is the one place where a model comes in. `LearnedRanker` is trained on records: boosted trees of
scikit-learn, over what steps say and how large the kernel is.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, fields
from math import isnan, log, log2, nan
from random import Random
from typing import Any, Protocol

from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.rank_correlation import rank_correlation
from mlc.tuning.kernel_key import KernelKey
from mlc.tuning.record import Record
from mlc.tuning.schedule_texts import Schedule, parse_schedule

ENOUGH = 30
"""So many measurements of a kind of kernel are needed to learn from them."""
_EVERY = 12
"""After so many more it learns again."""
_PARTS = 5
"""Into so many parts measurements are split to judge a model by those that it has not seen."""
_FAILED = 3.0
"""What a schedule that is refused, or dropped, counts as: a time, as a part of that by the rules."""
_MOST_FAILED = 200
"""Of those only the last ones count."""


class Ranker(Protocol):
    """Estimates schedules of one kernel."""

    def estimates(self, schedules: Sequence[Schedule]) -> Sequence[float] | None:
        """A number for each schedule, smaller for one that should be faster; None if it cannot tell."""
        ...


def can_learn() -> bool:
    """Whether the library is there that `LearnedRanker` needs."""
    return importlib.util.find_spec("sklearn") is not None


@dataclass
class LearnedRanker:
    """Boosted trees over the records of one kind of kernel, on one machine."""

    key: KernelKey
    _features: list[dict[str, float]] = field(default_factory=list[dict[str, float]])
    _targets: list[float] = field(default_factory=list[float])
    _failed: list[tuple[dict[str, float], float]] = field(default_factory=list[tuple[dict[str, float], float]])
    _known: int = 0
    """How many measurements the model has seen."""
    _model: Callable[[Sequence[dict[str, float]]], list[float]] | None = None

    def learn(self, records: Iterable[Record], ctx: CompilerContext) -> None:
        """Take over what other runs have measured of this kind of kernel."""
        for record in records:
            if record.kind == self.key.kind and len(record.sizes) == len(self.key.sizes):
                try:
                    steps = parse_schedule(record.schedule, ctx)
                except UserError:
                    continue
                self.add(steps, record.ratio if record.outcome == "ok" else None, record.sizes)

    def add(self, steps: Schedule, ratio: float | None, sizes: Sequence[int] | None = None) -> None:
        """One more measurement: the time as a part of that by the rules, or None for a schedule that was dropped."""
        row = features(steps, self.key.sizes if sizes is None else sizes)
        if ratio is None:
            self._failed = [*self._failed[1 - _MOST_FAILED :], (row, log(_FAILED))]
        else:
            self._features.append(row)
            self._targets.append(log(max(ratio, 1e-3)))

    def estimates(self, schedules: Sequence[Schedule]) -> Sequence[float] | None:
        if len(self._targets) < ENOUGH or not can_learn():
            return None
        if self._model is None or len(self._targets) >= self._known + _EVERY:
            self._model = self._fitted(self._features, self._targets)
            self._known = len(self._targets)
        return self._model([features(steps, self.key.sizes) for steps in schedules])

    def held_out_correlation(self) -> float | None:
        """How well schedules are ranked that were not learnt from: Spearman's coefficient of estimates and times.

        Each fifth of the measurements is estimated by a model of the other four. None if there are too few of them, or
        nothing that learns.
        """
        count = len(self._targets)
        if count < ENOUGH or not can_learn():
            return None
        order = Random(0).sample(range(count), count)
        estimates: list[float] = [0.0] * count
        for part in range(_PARTS):
            held_out = order[part::_PARTS]
            others = [i for i in order if i not in set(held_out)]
            model = self._fitted([self._features[i] for i in others], [self._targets[i] for i in others])
            for i, estimate in zip(held_out, model([self._features[i] for i in held_out]), strict=True):
                estimates[i] = estimate
        found = rank_correlation(estimates, self._targets)
        return None if isnan(found) else found

    @property
    def measurements(self) -> int:
        """How many there are to learn from."""
        return len(self._targets)

    def _fitted(
        self, rows: Sequence[dict[str, float]], targets: Sequence[float]
    ) -> Callable[[Sequence[dict[str, float]]], list[float]]:
        """What estimates features, learnt from measurements and from what failed."""
        import numpy as np

        ensemble: Any = importlib.import_module("sklearn.ensemble")
        everything = [*rows, *(row for row, _ in self._failed)]
        names = sorted({name for row in everything for name in row})

        def table(rows: Sequence[dict[str, float]]) -> Any:
            return np.array([[row.get(name, nan) for name in names] for row in rows], np.float64)

        size = {"max_iter": 80, "max_leaf_nodes": 15, "min_samples_leaf": 4}
        model: Any = ensemble.HistGradientBoostingRegressor(**size, random_state=0)
        self._quietly(model.fit, table(everything), [*targets, *(target for _, target in self._failed)])
        return lambda rows: [float(v) for v in self._quietly(model.predict, table(rows))]

    @staticmethod
    def _quietly(function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function of the library on one thread: others would wait awake, beside what is measured next."""
        limits: Any = importlib.import_module("threadpoolctl")
        with limits.threadpool_limits(1):
            return function(*arguments)


def features(steps: Schedule, sizes: Sequence[int]) -> dict[str, float]:
    """What trees can ask of a schedule: which step is where, on which loop, with which number; and the extents."""
    found: dict[str, float] = {f"extent {i}": log2(max(size, 1)) for i, size in enumerate(sizes)}
    product = 0.0
    for place, step in enumerate(steps):
        name = f"{step.name} {' '.join(step.loops)}"
        found[f"{name} at"] = place
        found[f"number of {step.name}"] = found.get(f"number of {step.name}", 0) + 1
        for f in fields(step):
            value = getattr(step, f.name)
            if isinstance(value, int):
                found[f"{name} {f.name}"] = value
                product += log2(value)
    return {**found, "steps": len(steps), "product": product}
