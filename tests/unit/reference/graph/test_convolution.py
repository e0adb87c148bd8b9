"""Convolutions against plain loops, over images with two and three spatial dimensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph.convolution import Conv2dOp, Conv3dOp, ConvOp
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]


def numbers(rng: np.random.Generator, shape: tuple[int, ...], dtype: str) -> Array:
    """Small integers, whose products and sums are exact in every dtype."""
    return rng.integers(-4, 5, shape).astype(dtype)


def naive(x: Array, w: Array, op: ConvOp, shape: tuple[int, ...]) -> Array:
    """Channels first, loop by loop."""
    y = np.zeros(shape, x.dtype)
    per_group, window = w.shape[1], op.window
    moves = list(zip(window.strides, window.dilations, window.padding, strict=False))
    for n, o, *position in np.ndindex(*shape):
        group = o // (shape[1] // op.options["groups"])
        for c, *tap in np.ndindex(*w.shape[1:]):
            at = [p * s + t * d - low for p, t, (s, d, low) in zip(position, tap, moves, strict=True)]
            if all(0 <= a < extent for a, extent in zip(at, x.shape[2:], strict=True)):
                y[n, o, *position] += x[n, group * per_group + c, *at] * w[o, c, *tap]
    return y


CASES: list[dict[str, Any]] = [
    {},
    {"padding": (1, 1, 1, 1)},
    {"strides": (2, 3), "padding": (0, 1, 1, 0)},
    {"dilations": (2, 1), "padding": (2, 0, 1, 1)},
    {"groups": 2},
    {"groups": 4, "strides": (2, 2), "padding": (1, 1, 1, 1), "dilations": (1, 2)},
]
CASES_3D: list[dict[str, Any]] = [
    {},
    {"strides": (1, 2, 3), "padding": (0, 1, 0, 1, 2, 0), "dilations": (2, 1, 1)},
    {"groups": 4, "padding": (1, 1, 1, 1, 0, 0)},
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("options", CASES)
def test_conv2d(options: dict[str, Any], layout: str, dtype: str, values: Values, rng: np.random.Generator) -> None:
    x, w = numbers(rng, (2, 4, 7, 6), dtype), numbers(rng, (8, 4 // options.get("groups", 1), 3, 2), dtype)
    _check(Conv2dOp, x, w, layout, options, values)


@pytest.mark.parametrize("layout", ["NCDHW", "NDHWC"])
@pytest.mark.parametrize("options", CASES_3D)
def test_conv3d(options: dict[str, Any], layout: str, values: Values, rng: np.random.Generator) -> None:
    x, w = (
        numbers(rng, (1, 4, 4, 5, 6), "float32"),
        numbers(rng, (4, 4 // options.get("groups", 1), 2, 3, 2), "float32"),
    )
    _check(Conv3dOp, x, w, layout, options, values)


def _check(op_type: type[ConvOp], x: Array, w: Array, layout: str, options: dict[str, Any], values: Values) -> None:
    last = layout.endswith("C")
    operands = [np.moveaxis(x, 1, -1), np.moveaxis(w, (1, 0), (-2, -1))] if last else [x, w]
    op = op_type(*values(*operands), layout=layout, **options)
    (found,) = evaluate(op, operands)
    assert found.dtype == x.dtype and found.shape == op.result.type.get_shape()
    found = np.moveaxis(found, -1, 1) if last else found
    np.testing.assert_array_equal(found, naive(x, w, op, found.shape))
