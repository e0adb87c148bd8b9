"""Sums and products whose terms have no order, in runs with noise: a partial one may overflow in one order only.

Such a result may be infinite, NaN or a number, so that one run with noise has NaN there, and another one an infinity.
No partial sum is larger than the sum of absolute values, and no partial product than that of the factors above 1.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from typing import Any, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from mlc.support.dtypes import is_float, limits_of

Array = NDArray[Any]
_E = TypeVar("_E", bound=Callable[..., Array])
_OPEN: ContextVar[float | None] = ContextVar("any order", default=None)


@contextmanager
def any_order(open_value: float | None) -> Generator[None]:
    """Sums and products that overflow in some order are `open_value`; None leaves them as they are."""
    token = _OPEN.set(open_value)
    try:
        yield
    finally:
        _OPEN.reset(token)


def sum_of(compute: Callable[..., Any], *factors: Array) -> Array:
    """What `compute` sums up, of terms or of products of `factors`."""
    found = np.asarray(compute(*factors))
    if (value := _OPEN.get()) is None or not is_float(found.dtype):
        return found
    return np.where(np.isfinite(compute(*map(_sizes, factors))), found, found.dtype.type(value))


def sums(evaluate: _E) -> _E:
    """Decorator: the result of `evaluate(op, *factors)` is such sums."""

    @wraps(evaluate)
    def evaluate_in_any_order(op: Any, *factors: Array) -> Array:
        return sum_of(partial(evaluate, op), *factors)

    return cast(_E, evaluate_in_any_order)


def product_of(compute: Callable[..., Any], factors: Array) -> Array:
    """What `compute` multiplies; digits are lost where factors below 1 make a partial product too small."""
    found = np.asarray(compute(factors))
    if (value := _OPEN.get()) is None or not is_float(found.dtype):
        return found
    one, sizes = found.dtype.type(1), _sizes(factors)
    is_large = ~np.isfinite(compute(np.maximum(sizes, one)))
    is_small = compute(np.where(sizes == 0, one, np.minimum(sizes, one))) < limits_of(found.dtype).smallest_normal
    return np.where(is_large | is_small, found.dtype.type(value), found)


def _sizes(terms: Array) -> Array:
    """Absolute values; 0 for infinities and NaN, with which the result is the same in all orders."""
    return np.where(np.isfinite(terms), np.abs(terms), terms.dtype.type(0))
