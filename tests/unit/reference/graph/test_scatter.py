"""Scatter against updates by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlc.dialects.graph.scatter import ScatterNdOp
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.graph import evaluate

Values = Callable[..., Any]
_COMBINED: dict[str, Callable[[Any, Any], Any]] = {
    "set": lambda old, new: new,
    "add": lambda old, new: old + new,
    "mul": lambda old, new: old * new,
    "max": np.maximum,
    "min": np.minimum,
}


@pytest.mark.parametrize("kind", _COMBINED)
@pytest.mark.parametrize("dtype", ["float32", "int64"])
def test_updates_follow_each_other(kind: str, dtype: str, values: Values) -> None:
    """Axis 0 is the point's own, axis 2 is changed whole; places occur several times."""
    rng = np.random.default_rng(0)
    x, i = rng.integers(-9, 10, (3, 4, 2, 5)).astype(dtype), rng.integers(-4, 4, (3, 30, 2))
    u = rng.integers(-9, 10, (3, 30, 2)).astype(dtype)
    (found,) = evaluate(ScatterNdOp(kind, *values(x, i, u), axes=[1, 3], own=[0]), [x, i, u])
    expected = x.copy()
    for b, m, n in np.ndindex(*u.shape):
        at = b, i[b, m, 0], n, i[b, m, 1]
        expected[at] = _COMBINED[kind](expected[at], u[b, m, n])
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, expected)


def test_the_last_one_of_several_is_set(values: Values) -> None:
    x, i, u = np.zeros(3, np.float32), np.array([[1], [2], [-2], [2]]), np.arange(4, dtype=np.float32)
    assert evaluate(ScatterNdOp("set", *values(x, i, u), axes=[0]), [x, i, u])[0].tolist() == [0, 2, 3]


def test_nan_wins(values: Values) -> None:
    x, i = np.array([np.nan, 1, 2], np.float32), np.array([[0], [1], [2]])
    u = np.array([5, np.nan, 3], np.float32)
    for kind in ("max", "min"):
        (found,) = evaluate(ScatterNdOp(kind, *values(x, i, u), axes=[0]), [x, i, u])
        assert np.isnan(found[:2]).all()


@pytest.mark.parametrize("index", [3, -4])
def test_a_place_out_of_range_has_no_meaning(index: int, values: Values) -> None:
    x, i, u = np.zeros(3, np.float32), np.array([[index]]), np.ones(1, np.float32)
    with pytest.raises(UndefinedBehavior, match=rf"graph.scatter_nd: index {index} is out of range for axis 0 of ext"):
        evaluate(ScatterNdOp("add", *values(x, i, u), axes=[0]), [x, i, u])
