"""The element types that mlc computes with, as xDSL types and as NumPy dtypes."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import IndexType, f32, f64, i1, i8, i32, i64
from xdsl.ir import Attribute

_PAIRS: tuple[tuple[Attribute, str], ...] = (
    (f32, "float32"),
    (f64, "float64"),
    (i32, "int32"),
    (i64, "int64"),
    (i1, "bool"),
    (i8, "int8"),
    (IndexType(), "int64"),
)
_TO_NUMPY: dict[Attribute, np.dtype[Any]] = {t: np.dtype(n) for t, n in _PAIRS}


def is_supported(element_type: Attribute) -> bool:
    """Whether mlc computes with elements of this type."""
    return element_type in _TO_NUMPY


def to_numpy(element_type: Attribute) -> np.dtype[Any]:
    """The NumPy dtype of an element type (`index` is 64 bits wide).

    Raises:
        KeyError: mlc does not compute with this type.
    """
    return _TO_NUMPY[element_type]
