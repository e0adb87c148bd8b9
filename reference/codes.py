"""Floats of 8 bits and less: the nearest number that a format has, found in the list of its numbers."""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from math import inf, isfinite, nan
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import FloatNanEncoding, ReducedPrecisionFloatType

from mlc.support.dtypes import from_numpy

Array = NDArray[Any]


def nearest_stored(x: Array, dtype: np.dtype[Any]) -> Array:
    """Numbers as floats of a type of 8 bits or less, which `graph.cast` describes; each is rounded once.

    Of two numbers that are as near it is the one whose last bit is 0. `ml_dtypes` rounds what is not an f32 twice, and
    numbers below 2^-126 to `float8_e8m0fnu` upwards.
    """
    kind = cast(ReducedPrecisionFloatType, from_numpy(dtype))
    form = kind.SEMANTICS
    wide = np.asarray(x).astype(np.float64)
    middles = _middles(kind)
    size = np.abs(wide)
    low, high = (np.searchsorted(middles, size, side) for side in ("left", "right"))  # they differ in a middle
    odd = (low & 1 if form.mantissa_bits else 1) == 1
    code = np.where(odd, high, low)
    code = np.where(code == len(middles), _code(kind, inf), code)
    not_a_number = np.isnan(wide)
    if not form.has_sign:
        return np.where((wide > 0) & ~not_a_number, code, _code(kind, nan)).astype(np.uint8).view(dtype)
    has_nan = kind.decode_bits(_code(kind, nan)) != kind.decode_bits(_code(kind, nan))
    code = np.where(not_a_number, _code(kind, nan) if has_nan else 0, code)
    is_signed = (code != 0) | (form.nan_encoding is not FloatNanEncoding.NEGATIVE_ZERO)
    sign = np.signbit(wide) & is_signed & (has_nan | ~not_a_number)
    return (code | (sign.astype(np.int64) << form.sign_shift)).astype(np.uint8).view(dtype)


@cache
def _middles(kind: ReducedPrecisionFloatType) -> Array:
    """The middles between numbers that follow each other, from 0 up; the last is that of the greatest one and the one
    that would follow."""
    numbers = [n for code in range(1 << kind.SEMANTICS.sign_shift) if isfinite(n := kind.decode_bits(code))]
    numbers.append(2 * numbers[-1] - numbers[-2] if kind.SEMANTICS.mantissa_bits else 2 * numbers[-1])
    return np.array([(a + b) / 2 for a, b in pairwise(numbers)])


def _code(kind: ReducedPrecisionFloatType, number: float) -> int:
    return int.from_bytes(kind.pack((number,)), "little")
