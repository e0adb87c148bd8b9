"""Transposed convolution against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph.conv_transpose import ConvTranspose2dOp, ConvTranspose3dOp, ConvTransposeOp
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]


def naive(x: Array, w: Array, op: ConvTransposeOp, shape: tuple[int, ...]) -> Array:
    """Channels first: every pixel adds every tap to one element, if that is inside."""
    y = np.zeros(shape, x.dtype)
    window, per_group = op.window, x.shape[1] // op.options["groups"]
    moves = list(zip(window.strides, window.dilations, window.padding, strict=False))
    for n, c, *pixel in np.ndindex(*x.shape):
        for o, *tap in np.ndindex(*w.shape[1:]):
            at = [p * s + t * d - low for p, t, (s, d, low) in zip(pixel, tap, moves, strict=True)]
            if all(0 <= a < extent for a, extent in zip(at, shape[2:], strict=True)):
                y[n, c // per_group * w.shape[1] + o, *at] += x[n, c, *pixel] * w[c, o, *tap]
    return y


CASES: list[dict[str, Any]] = [
    {},
    {"strides": (2, 2), "padding": (1, 1, 1, 1), "output_padding": (1, 1)},
    {"strides": (2, 3), "padding": (0, 1, 1, 0)},
    {"dilations": (2, 1), "strides": (1, 2)},
    {"groups": 2, "strides": (3, 2)},
    {"groups": 4, "strides": (2, 2), "padding": (1, 2, 0, 1), "dilations": (1, 2)},
]
CASES_3D: list[dict[str, Any]] = [
    {},
    {"strides": (2, 1, 3), "padding": (1, 0, 1, 0, 1, 2), "output_padding": (1, 0, 2), "groups": 2},
    {"dilations": (1, 2, 3), "strides": (3, 2, 2)},
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("options", CASES)
def test_conv_transpose2d(
    options: dict[str, Any], layout: str, dtype: str, values: Values, rng: np.random.Generator
) -> None:
    x, w = (rng.integers(-4, 5, shape).astype(dtype) for shape in ((2, 4, 3, 4), (4, 3, 3, 2)))
    _check(ConvTranspose2dOp, x, w, layout, options, values)


@pytest.mark.parametrize("layout", ["NCDHW", "NDHWC"])
@pytest.mark.parametrize("options", CASES_3D)
def test_conv_transpose3d(options: dict[str, Any], layout: str, values: Values, rng: np.random.Generator) -> None:
    x, w = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((1, 4, 2, 3, 2), (4, 2, 2, 3, 2)))
    _check(ConvTranspose3dOp, x, w, layout, options, values)


def _check(
    op_type: type[ConvTransposeOp], x: Array, w: Array, layout: str, options: dict[str, Any], values: Values
) -> None:
    last = layout.endswith("C")
    operands = [np.moveaxis(x, 1, -1), np.moveaxis(w, (0, 1), (-2, -1))] if last else [x, w]
    op = op_type(*values(*operands), layout=layout, **options)
    (found,) = evaluate(op, operands)
    assert found.dtype == x.dtype and found.shape == op.result.type.get_shape()
    found = np.moveaxis(found, -1, 1) if last else found
    np.testing.assert_array_equal(found, naive(x, w, op, found.shape))
