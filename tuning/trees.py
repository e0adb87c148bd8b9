"""Trees of scikit-learn that estimate a number from others, some of which may be missing."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from math import nan
from typing import Any

Numbers = Mapping[str, float]
"""What is known of a thing, by name."""
Estimator = Callable[[Sequence[Numbers]], list[float]]
"""Estimates a number for each thing."""

_BOOSTED = {"max_iter": 100, "learning_rate": 0.06, "max_leaf_nodes": 8, "min_samples_leaf": 6}
_RANDOM = {"n_estimators": 100, "min_samples_leaf": 2, "max_features": 0.5}


def can_learn() -> bool:
    """Whether the library is there."""
    return importlib.util.find_spec("sklearn") is not None


def fitted(rows: Sequence[Numbers], targets: Sequence[float]) -> Estimator:
    """The mean of boosted trees and of extremely randomised ones: these err in different places.

    (Friedman, "Greedy function approximation", 2001; Geurts et al., "Extremely randomized trees", 2006.)
    """
    import numpy as np

    ensemble: Any = importlib.import_module("sklearn.ensemble")
    names = sorted({name for row in rows for name in row})

    def table(rows: Sequence[Numbers]) -> Any:
        return np.array([[row.get(name, nan) for name in names] for row in rows], np.float64)

    models: list[Any] = [
        ensemble.HistGradientBoostingRegressor(**_BOOSTED, random_state=0),
        ensemble.ExtraTreesRegressor(**_RANDOM, random_state=0),
    ]
    for model in models:
        _quietly(model.fit, table(rows), list(targets))

    def estimate(rows: Sequence[Numbers]) -> list[float]:
        told = [[float(v) for v in _quietly(model.predict, table(rows))] for model in models]
        return [sum(each) / len(models) for each in zip(*told, strict=True)]

    return estimate


def _quietly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of the library on one thread: others would wait awake, beside what is measured next."""
    limits: Any = importlib.import_module("threadpoolctl")
    with limits.threadpool_limits(1):
        return function(*arguments)
