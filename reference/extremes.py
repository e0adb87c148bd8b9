"""The larger and the smaller of two numbers: `maximum` and `minimum` of IEEE 754-2019."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


def maximum(a: Array, b: Array) -> Array:
    """NaN if either is, and 0 of 0 and -0, in whatever order; NumPy's own says which of two zeros by its vectors."""
    found = np.maximum(a, b)
    return found if found.dtype.kind in "iub" else np.where(_are_zeros(a, b), np.where(np.signbit(a), b, a), found)


def minimum(a: Array, b: Array) -> Array:
    """NaN if either is, and -0 of 0 and -0, in whatever order."""
    found = np.minimum(a, b)
    return found if found.dtype.kind in "iub" else np.where(_are_zeros(a, b), np.where(np.signbit(a), a, b), found)


def _are_zeros(a: Array, b: Array) -> NDArray[np.bool_]:
    return (a == 0) & (b == 0)
