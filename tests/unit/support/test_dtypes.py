"""The description of element types agrees with what C and NumPy say."""

import re
from importlib import resources

import numpy as np
import pytest

from mlc.support.dtypes import ELEMENT_TYPES, STORED_TYPES, ElementType, dtype_named, from_numpy, to_numpy


@pytest.mark.parametrize("element", (*ELEMENT_TYPES, *STORED_TYPES), ids=lambda e: str(e.type))
def test_numpy(element: ElementType) -> None:
    dtype = to_numpy(element.type)
    assert dtype == dtype_named(element.dtype) and str(dtype) == element.dtype
    assert from_numpy(dtype) == element.type
    assert np.ones(3, dtype).astype(np.float64).sum() == 3


def test_the_constants_of_c_are_those_of_the_header() -> None:
    header = resources.files("mlc.runtime").joinpath("mlc.h").read_text(encoding="utf-8")
    values = dict(re.findall(r"(MLC_\w+) = (\d+)", header))
    assert set(values) == {e.c_constant for e in (*ELEMENT_TYPES, *STORED_TYPES)}
    assert len(set(values.values())) == len(values)
