"""The types of tensors that hold what NumPy arrays hold."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.dialects.builtin import f32, f64, i1, i8, i32, i64
from xdsl.ir import Attribute

from mlc.support.dtypes import to_numpy

_TYPES: dict[np.dtype[Any], Attribute] = {to_numpy(t): t for t in (f32, f64, i1, i8, i32, i64)}


def element_type_of(dtype: np.dtype[Any]) -> Attribute:
    """The element type of an array; mlc computes with it."""
    return _TYPES[dtype]
