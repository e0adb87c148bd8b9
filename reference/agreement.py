"""Whether two arrays are the same numbers: to the bit, or as far as rounding explains.

How far rounding may move a result is measured, not guessed: the function runs again with the results of its float ops
moved by a unit in the last place, up or down at random, and what that does to an element is its *spread* (Monte Carlo
arithmetic). A sum of numbers that cancel has a large one, a single addition has one unit.

What a pass makes of a function is one more such run. So no rule says what may become of a float that is used: of the
bits of a NaN or of a number next to 0, of a power whose exponent may be an integer or not. It is what some run has, if
there are enough of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np

from mlc.reference.execution import Array
from mlc.support.dtypes import is_float, limits_of
from mlc.support.rounding import Rounding


def bits_differ(before: Array, after: Array) -> Array:
    """Which elements are not the same to the bit; one NaN is like another."""
    different = (before != after) & ~((before != before) & (after != after))
    if is_float(before.dtype):
        different = different | (np.signbit(before) != np.signbit(after)) & (before == 0) & (after == 0)
    return different


def beyond_rounding(
    before: Array,
    after: Array,
    rounding: Rounding,
    terms: int,
    is_even: bool,
    spreads: Callable[[], tuple[Array, Array]],
) -> Array:
    """Which elements differ by more than `rounding` explains, where at most `terms` numbers are summed into one.

    If elements `is_even`, a small part of the largest one is within rounding for all of them. `spreads` measures the
    spread of `before` and `after`, if that is needed. What spreads over the border of infinity
    or NaN `before` may be either. The spread of `after` counts for no more than is usual in sums of random numbers, so
    that a form of needless cancellation is not an excuse for what it gives.
    """
    if not is_float(before.dtype):
        return _integers_beyond_rounding(before, after, rounding, terms, spreads)
    with np.errstate(all="ignore"):
        a, b = before.astype(np.float64), after.astype(np.float64)
        limits = limits_of(before.dtype)
        epsilon = float(limits.eps)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if rounding.skips_zeros:
            same |= np.isnan(a) | np.isnan(b)
        if rounding.finite_only:
            same |= ~(np.isfinite(a) & np.isfinite(b))
        difference = np.where(same, 0, np.abs(a - b))
        allowed = np.where(np.isfinite(a), rounding.ulps * epsilon * np.abs(a) + float(limits.smallest_normal), 0)
        largest = np.max(np.abs(a), where=np.isfinite(a), initial=0.0)
        if is_even:
            allowed = allowed + np.where(np.isfinite(a), epsilon * rounding.ulps * min(sqrt(terms), 16) * largest, 0)
        if not np.any(beyond := ~(difference <= allowed)):
            return beyond
        own, other = (np.fmax(s, _typical(s)) for s in spreads())
        usual = 1000 * epsilon * np.abs(a) + epsilon * max(100.0, 4 * sqrt(terms)) * largest
        factor = rounding.ulps * (1 + sqrt(terms))
        allowed = allowed + factor * own + np.fmin(factor * other, usual)
        return ~((difference <= allowed) | np.isinf(own))


def _integers_beyond_rounding(
    before: Array, after: Array, rounding: Rounding, terms: int, spreads: Callable[[], tuple[Array, Array]]
) -> Array:
    """Integers differ by no more than their spread, which is 0 unless they come from floats: rounded, compared, read as
    bits. That of `after` counts as well: an op such as gelu rounds once, and several times when it is spelled out."""
    if not np.any(beyond := np.asarray(before != after)):
        return beyond
    own = np.fmax(*(np.fmax(each, _typical(each)) for each in spreads()))
    allowed = rounding.ulps * (1 + sqrt(terms)) * own
    return beyond & ~(_moved(before, after) <= allowed)


def spread(base: Sequence[Array], runs: Sequence[Sequence[Array]]) -> list[Array]:
    """By how much each element moves in the `runs` with noise; infinite where it becomes infinite or NaN, or was."""
    return [
        np.max([_moved(b, r) for b, r in zip([each] * len(runs), others, strict=True)], 0)
        for each, *others in zip(base, *runs, strict=True)
    ]


def _moved(base: Array, moved: Array) -> Array:
    with np.errstate(all="ignore"):
        a, b = base.astype(np.float64), moved.astype(np.float64)
        same = (base == moved) | (np.isnan(a) & np.isnan(b))
        distance = np.abs(a - b)
        if not is_float(base.dtype):
            distance = np.maximum(distance, 1)  # of large integers, an f64 does not have the last digits
        return np.where(same, 0, np.where(np.isfinite(a) & np.isfinite(b), distance, np.inf))


def _typical(spread: Array) -> float:
    """The median: an element may be moved by nothing in all runs, by chance."""
    finite = spread[np.isfinite(spread)]
    return float(np.median(finite)) if finite.size else 0.0
