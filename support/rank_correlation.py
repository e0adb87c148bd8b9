"""How far two lists of numbers agree on an order."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def rank_correlation(first: Sequence[float], second: Sequence[float]) -> float:
    """Spearman's coefficient; equal numbers share the mean of their ranks (Spearman 1904). NaN if all are equal."""
    ranks = _ranks(first), _ranks(second)
    if any(min(each) == max(each) for each in ranks):
        return float("nan")
    return float(np.corrcoef(*ranks)[0, 1])


def _ranks(values: Sequence[float]) -> list[float]:
    ordered = sorted(values)
    places = {value: [i for i, other in enumerate(ordered) if other == value] for value in set(values)}
    return [sum(places[value]) / len(places[value]) for value in values]
