"""Transposed convolution against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph.conv_transpose import ConvTranspose2dOp
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]


def naive(x: Array, w: Array, op: ConvTranspose2dOp, shape: tuple[int, ...]) -> Array:
    """NCHW: every pixel adds every tap to one element, if that is inside."""
    y = np.zeros(shape, x.dtype)
    options = op.options
    (sy, sx), (dy, dx), groups = options["strides"], options["dilations"], options["groups"]
    top, left, _, _ = options["padding"]
    per_group = x.shape[1] // groups
    for n, c, i, j in np.ndindex(*x.shape):
        for o, r, s in np.ndindex(*w.shape[1:]):
            row, column = i * sy + r * dy - top, j * sx + s * dx - left
            if 0 <= row < shape[2] and 0 <= column < shape[3]:
                y[n, c // per_group * w.shape[1] + o, row, column] += x[n, c, i, j] * w[c, o, r, s]
    return y


CASES: list[dict[str, Any]] = [
    {},
    {"strides": (2, 2), "padding": (1, 1, 1, 1), "output_padding": (1, 1)},
    {"strides": (2, 3), "padding": (0, 1, 1, 0)},
    {"dilations": (2, 1), "strides": (1, 2)},
    {"groups": 2, "strides": (3, 2)},
    {"groups": 4, "strides": (2, 2), "padding": (1, 2, 0, 1), "dilations": (1, 2)},
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("options", CASES)
def test_conv_transpose2d(
    options: dict[str, Any], layout: str, dtype: str, values: Values, rng: np.random.Generator
) -> None:
    x, w = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((2, 4, 3, 4), (4, 3, 3, 2)))
    operands = [x, w] if layout == "NCHW" else [x.transpose(0, 2, 3, 1), w.transpose(2, 3, 0, 1)]
    op = ConvTranspose2dOp(*values(*operands), layout=layout, **options)
    (found,) = evaluate(op, operands)
    assert found.dtype == dtype and found.shape == op.result.type.get_shape()
    found = found if layout == "NCHW" else found.transpose(0, 3, 1, 2)
    np.testing.assert_array_equal(found, naive(x, w, op, found.shape))
