"""Matrix products and convolutions against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph.contraction import Conv2dOp, MatmulOp
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


def naive_conv2d(
    x: Array, w: Array, strides: Any, padding: Any, dilations: Any, groups: int, shape: tuple[int, ...]
) -> Array:
    """NCHW, loop by loop."""
    y = np.zeros(shape, x.dtype)
    per_group, kernel_h, kernel_w = w.shape[1:]
    for n, o, i, j in np.ndindex(*shape):
        group = o // (shape[1] // groups)
        for c, r, s in np.ndindex(per_group, kernel_h, kernel_w):
            row = i * strides[0] + r * dilations[0] - padding[0]
            column = j * strides[1] + s * dilations[1] - padding[1]
            if 0 <= row < x.shape[2] and 0 <= column < x.shape[3]:
                y[n, o, i, j] += x[n, group * per_group + c, row, column] * w[o, c, r, s]
    return y


CONVOLUTIONS: list[dict[str, Any]] = [
    {},
    {"padding": (1, 1, 1, 1)},
    {"strides": (2, 3), "padding": (0, 1, 1, 0)},
    {"dilations": (2, 1), "padding": (2, 0, 1, 1)},
    {"groups": 2},
    {"groups": 4, "strides": (2, 2), "padding": (1, 1, 1, 1), "dilations": (1, 2)},
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("options", CONVOLUTIONS)
def test_conv2d(options: dict[str, Any], layout: str, dtype: str, values: Values, rng: np.random.Generator) -> None:
    groups: int = options.get("groups", 1)
    x, w = numbers(rng, (2, 4, 7, 6), dtype), numbers(rng, (8, 4 // groups, 3, 2), dtype)
    operands = [x, w] if layout == "NCHW" else [x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0)]
    op = Conv2dOp(*values(*operands), layout=layout, **options)
    (found,) = evaluate(op, operands)
    assert found.dtype == dtype and found.shape == op.result.type.get_shape()
    found = found if layout == "NCHW" else found.transpose(0, 3, 1, 2)
    strides, dilations = options.get("strides", (1, 1)), options.get("dilations", (1, 1))
    padding = options.get("padding", (0, 0, 0, 0))
    expected = naive_conv2d(x, w, strides, padding, dilations, groups, found.shape)
    np.testing.assert_array_equal(found, expected)
