"""What is told of a value: numbers that say how its elements are distributed, and by how much another array differs."""

from __future__ import annotations

from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.reference.agreement import bits_differ
from mlc.tools.explorer.document_values import ValueDifference, ValueNumbers

Array = NDArray[Any]

_FIRST = 8
"""How many elements are told one by one."""
QUANTILES = (0.01, 0.25, 0.5, 0.75, 0.99)
_ROUNDED = 1e-5
"""Numbers of two arrays, each in ascending order, are the same up to this part of the largest."""


def numbers_of(array: Array) -> ValueNumbers:
    """The distribution of an array of any type; the parts of a complex number are two elements."""
    flat = real_parts(array)
    wide = _wide(flat)
    finite = wide[np.isfinite(wide)]
    least = most = mean = None
    quantiles: list[float] = []
    if finite.size:
        least, most = _finite(finite.min()), _finite(finite.max())
        mean = _finite(np.sum(finite / finite.size))  # a sum of large numbers would be infinite
        quantiles = [float(each) for each in np.quantile(finite, QUANTILES, method="nearest")]
    return ValueNumbers(
        elements=flat.size,
        least=least,
        most=most,
        mean=mean,
        quantiles=quantiles,
        nans=int(np.count_nonzero(np.isnan(wide))),
        infinities=int(np.count_nonzero(np.isinf(wide))),
        zeros=int(np.count_nonzero(wide == 0)),
        first=[str(each) for each in flat[:_FIRST]],
    )


def difference_of(before: Array, after: Array) -> ValueDifference | None:
    """How `after` differs from `before`, which has as many elements of the same type; None if no bit does.

    NaN is equal to NaN, and zeros have signs. Where both have the same numbers in another order, which is so if a pass
    stores channels last, the difference is that of the numbers in ascending order.
    """
    old, new = real_parts(before), real_parts(after)
    if not (count := int(np.count_nonzero(bits_differ(old, new)))):
        return None
    wide = _wide(old), _wide(new)
    largest, place = _largest(*wide)
    rounded = _ROUNDED * float(np.max(np.abs(wide[0]), where=np.isfinite(wide[0]), initial=0))
    if largest is None or largest > rounded:
        in_order, _ = _largest(*map(np.sort, wide))
        if in_order is not None and in_order <= rounded:
            return ValueDifference(in_order, [], "", "", count, new.size, is_reordered=True)
    shape = after.shape if new.size == after.size else (*after.shape, 2)
    at = [int(i) for i in np.unravel_index(place, shape)]
    return ValueDifference(largest, at, str(old[place]), str(new[place]), count, new.size, is_reordered=False)


def _largest(old: Array, new: Array) -> tuple[float | None, int]:
    """The largest difference and where it is; None where only one of two numbers is finite, or their difference."""
    with np.errstate(all="ignore"):
        same = (old == new) | (np.isnan(old) & np.isnan(new))
        apart = np.where(same, 0, np.abs(new - old))
    apart = np.where(np.isnan(apart), np.inf, apart)
    place = int(np.argmax(apart))
    if not apart[place]:  # signs of zeros
        place = int(np.argmax(np.signbit(old) != np.signbit(new)))
    return _finite(apart[place]), place


def real_parts(array: Array) -> Array:
    """The elements in order, those of complex numbers in two parts, and truth values as 0 and 1."""
    flat = np.ascontiguousarray(array).reshape(-1)
    if flat.dtype.kind == "c":
        return flat.view(np.float32 if flat.itemsize == 8 else np.float64)
    return flat.view(np.uint8) if flat.dtype == np.bool_ else flat


def _wide(flat: Array) -> Array:
    """Floats that hold all elements; integers of 64 bits need more than 53."""
    return flat.astype(np.longdouble if flat.dtype.kind in "iu" and flat.itemsize == 8 else np.float64)


def _finite(number: Any) -> float | None:
    found = float(number)
    return found if isfinite(found) else None
