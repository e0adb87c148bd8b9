"""Sorting against Python's."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlc.dialects.graph.sort import ArgsortOp
from mlc.reference.graph import evaluate

Values = Callable[..., Any]


def _key(x: float) -> tuple[bool, float]:
    return math.isnan(x), 0 if math.isnan(x) else x


@pytest.mark.parametrize("descending", [False, True])
def test_nan_is_the_greatest_and_equal_elements_stay_in_order(descending: bool, values: Values) -> None:
    x = np.array([3, np.nan, -0.0, 0.0, -np.inf, 3, np.nan, np.inf, 0.0, -0.0], np.float32)
    (found,) = evaluate(ArgsortOp(*values(x), axis=0, descending=descending), [x])
    assert found.dtype == np.int64
    # Python keeps equal elements in their order, reversed or not.
    assert found.tolist() == sorted(range(x.size), key=lambda i: _key(x[i]), reverse=descending)


def test_the_first_ones_along_an_axis(values: Values) -> None:
    x = np.random.default_rng(0).integers(-4, 4, (2, 7, 3))
    (found,) = evaluate(ArgsortOp(*values(x), axis=1, descending=True, first=4), [x])
    assert found.shape == (2, 4, 3)
    for m, n in np.ndindex(2, 3):
        assert found[m, :, n].tolist() == sorted(range(7), key=lambda i: -x[m, i, n])[:4]
