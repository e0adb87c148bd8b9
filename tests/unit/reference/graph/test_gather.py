"""Gather against indexing by hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlc.dialects.graph.gather import GatherOp
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
