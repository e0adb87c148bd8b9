"""Gather against indexing by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlc.dialects.graph.gather import GatherNdOp, GatherOp
from mlc.reference.execution import UndefinedBehavior
from mlc.reference.graph import evaluate

Values = Callable[..., Any]


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_negative_indices_count_from_the_end(dtype: str, values: Values) -> None:
    x, i = np.arange(24).reshape(2, 4, 3), np.array([[3, -1], [0, -4]], dtype)
    (found,) = evaluate(GatherOp(*values(x, i), axis=1), [x, i])
    assert found.dtype == x.dtype and found.shape == (2, 2, 2, 3)
    for n, r, s, k in np.ndindex(*found.shape):
        assert found[n, r, s, k] == x[n, i[r, s], k]


def test_a_scalar_index_drops_the_axis(values: Values) -> None:
    x, i = np.arange(6.0).reshape(2, 3), np.array(-2)
    assert evaluate(GatherOp(*values(x, i), axis=1), [x, i])[0].tolist() == [1, 4]


@pytest.mark.parametrize("index", [4, -5])
def test_an_index_out_of_range_has_no_meaning(index: int, values: Values) -> None:
    x, i = np.zeros((4, 2), np.float32), np.array([0, index])
    message = rf"graph.gather: index {index} is out of range for axis 0 of extent 4"
    with pytest.raises(UndefinedBehavior, match=message):
        evaluate(GatherOp(*values(x, i)), [x, i])


def test_coordinates_along_some_axes(values: Values) -> None:
    """Axis 0 is the point's own, axis 2 is read whole."""
    x, i = np.arange(120).reshape(3, 4, 2, 5), np.array([[[3, -1], [0, 4]], [[-4, 0], [1, 1]]])
    (found,) = evaluate(GatherNdOp(*values(x, i), axes=[1, 3], own=[0]), [x, i])
    assert found.shape == (2, 2, 2)
    for b, m, n in np.ndindex(*found.shape):
        assert found[b, m, n] == x[b, i[b, m, 0], n, i[b, m, 1]]


def test_along_one_axis_is_what_numpy_says(values: Values) -> None:
    rng = np.random.default_rng(0)
    x, i = rng.standard_normal((3, 4, 5)), rng.integers(-4, 4, (3, 7, 5))
    (found,) = evaluate(GatherNdOp(*values(x, i[..., None]), axes=[1], own=[0, 2]), [x, i[..., None]])
    np.testing.assert_array_equal(found, np.take_along_axis(x, i, 1))


@pytest.mark.parametrize("index", [4, -5])
def test_a_coordinate_out_of_range_has_no_meaning(index: int, values: Values) -> None:
    x, i = np.zeros((4, 2), np.float32), np.array([[0, 1], [index, 0]])
    message = rf"graph.gather_nd: index {index} is out of range for axis 0 of extent 4"
    with pytest.raises(UndefinedBehavior, match=message):
        evaluate(GatherNdOp(*values(x, i), axes=[0, 1]), [x, i])


def test_no_points_of_a_tensor_without_elements(values: Values) -> None:
    x, i = np.zeros((0, 3), np.float32), np.zeros((0, 2, 1), np.int64)
    assert evaluate(GatherNdOp(*values(x, i), axes=[0]), [x, i])[0].shape == (0, 2, 3)
