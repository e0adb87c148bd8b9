"""Matrix products against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph.contraction import MatmulOp
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]
DTYPES = ["float32", "float64", "int32", "int64"]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Small integers, whose products and sums are exact in every dtype."""
    return rng.integers(-4, 5, shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_matmul_broadcasts_leading_dims(dtype: str, values: Values, rng: np.random.Generator) -> None:
    a, b = numbers(rng, (2, 1, 3, 4), dtype), numbers(rng, (5, 4, 2), dtype)
    (found,) = evaluate(MatmulOp(*values(a, b)), [a, b])
    assert found.dtype == dtype and found.shape == (2, 5, 3, 2)
    for i, j, m, n in np.ndindex(2, 5, 3, 2):
        assert found[i, j, m, n] == sum(a[i, 0, m, k] * b[j, k, n] for k in range(4))


def test_matmul_of_integers_wraps(values: Values) -> None:
    a = np.array([[2**30, 2**30]], np.int32)
    b = np.array([[1], [1]], np.int32)
    assert evaluate(MatmulOp(*values(a, b)), [a, b])[0].tolist() == [[-(2**31)]]
