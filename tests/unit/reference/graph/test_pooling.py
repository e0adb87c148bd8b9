"""Pooling against plain loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph.pooling import AvgPool2dOp, MaxPool2dOp
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]
WINDOWS: list[dict[str, Any]] = [
    {"kernel": (2, 2), "strides": (2, 2)},
    {"kernel": (3, 2), "strides": (1, 2), "padding": (1, 0, 2, 1)},
]


def elements_under(x: Array, options: dict[str, Any], i: int, j: int) -> list[Any]:
    """The elements of the image `x` [height, width] under one position of the window."""
    top, left, _, _ = options.get("padding", (0, 0, 0, 0))
    (down, across), (dil_r, dil_c) = options.get("strides", (1, 1)), options.get("dilations", (1, 1))
    places = [(i * down + r * dil_r - top, j * across + s * dil_c - left) for r, s in np.ndindex(*options["kernel"])]
    return [x[p] for p in places if 0 <= p[0] < x.shape[0] and 0 <= p[1] < x.shape[1]]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("options", [*WINDOWS, {"kernel": (2, 2), "dilations": (2, 3), "padding": (1, 1, 1, 1)}])
def test_max_pool2d(options: dict[str, Any], layout: str, dtype: str, values: Values, rng: np.random.Generator) -> None:
    x = rng.integers(-9, -1, (2, 3, 6, 7)).astype(dtype)
    operand = x if layout == "NCHW" else x.transpose(0, 2, 3, 1)
    op = MaxPool2dOp(*values(operand), layout=layout, **options)
    (found,) = evaluate(op, [operand])
    assert found.dtype == dtype and found.shape == op.result.type.get_shape()
    found = found if layout == "NCHW" else found.transpose(0, 3, 1, 2)
    for n, c, i, j in np.ndindex(*found.shape):
        assert found[n, c, i, j] == max(elements_under(x[n, c], options, i, j))


def test_max_pool2d_keeps_nan_and_minus_infinity(values: Values) -> None:
    x = np.array([[[[np.nan, 1, -np.inf, -np.inf]]]], np.float32)
    op = MaxPool2dOp(*values(x), kernel=(1, 2), strides=(1, 2))
    np.testing.assert_array_equal(evaluate(op, [x])[0].ravel(), [np.nan, -np.inf])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("count_include_pad", [False, True])
@pytest.mark.parametrize("options", WINDOWS)
def test_avg_pool2d(
    options: dict[str, Any],
    count_include_pad: bool,
    layout: str,
    dtype: str,
    values: Values,
    rng: np.random.Generator,
) -> None:
    x = rng.integers(-9, 9, (2, 3, 6, 7)).astype(dtype)
    operand = x if layout == "NCHW" else x.transpose(0, 2, 3, 1)
    op = AvgPool2dOp(*values(operand), layout=layout, count_include_pad=count_include_pad, **options)
    (found,) = evaluate(op, [operand])
    assert found.dtype == dtype and found.shape == op.result.type.get_shape()
    found = found if layout == "NCHW" else found.transpose(0, 3, 1, 2)
    for n, c, i, j in np.ndindex(*found.shape):
        elements = elements_under(x[n, c], options, i, j)
        count = math.prod(options["kernel"]) if count_include_pad else len(elements)
        assert found[n, c, i, j] == pytest.approx(sum(elements) / count, rel=1e-6)
