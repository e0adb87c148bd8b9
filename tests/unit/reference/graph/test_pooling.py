"""Pooling against plain loops, over images with two and three spatial dimensions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph import (
    ArgMaxPool2dOp,
    ArgMaxPool3dOp,
    AvgPool2dOp,
    AvgPool3dOp,
    MaxPool2dOp,
    MaxPool3dOp,
    PadOp,
)
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]
SHAPES = {2: (2, 3, 6, 7), 3: (1, 2, 4, 5, 6)}
WINDOWS: list[dict[str, Any]] = [
    {"kernel": (2, 2), "strides": (2, 2)},
    {"kernel": (3, 2), "strides": (1, 2), "padding": (1, 0, 2, 1)},
    {"kernel": (2, 2), "dilations": (2, 3), "padding": (1, 1, 1, 1)},
    {"kernel": (2, 2, 3), "strides": (1, 2, 1)},
    {"kernel": (2, 3, 2), "strides": (2, 1, 3), "padding": (1, 0, 1, 0, 2, 1)},
    {"kernel": (2, 2, 2), "dilations": (1, 2, 3), "padding": (0, 1, 1, 1, 0, 2)},
]
CHANNELS_LAST = [False, True]


def places_under(options: dict[str, Any], position: tuple[int, ...], extents: tuple[int, ...]) -> list[tuple[int, ...]]:
    """Where the elements inside the image are that lie under one position of the window, in row-major order."""
    kernel = options["kernel"]
    spatial = len(kernel)
    strides, dilations = options.get("strides", (1,) * spatial), options.get("dilations", (1,) * spatial)
    low = options.get("padding", (0,) * spatial)[:spatial]
    places = (
        tuple(p * s + t * d - a for p, s, t, d, a in zip(position, strides, tap, dilations, low, strict=True))
        for tap in np.ndindex(*kernel)
    )
    return [place for place in places if all(0 <= at < extent for at, extent in zip(place, extents, strict=True))]


def pooled(classes: tuple[Any, Any], x: Array, last: bool, values: Values, options: dict[str, Any]) -> Array:
    """The reference of the op of the image's rank, in either layout; as channels first."""
    spatial = x.ndim - 2
    layout = {2: ("NCHW", "NHWC"), 3: ("NCDHW", "NDHWC")}[spatial][last]
    operand = np.ascontiguousarray(np.moveaxis(x, 1, -1)) if last else x
    op = classes[spatial - 2](*values(operand), layout=layout, **options)
    op.verify_()
    (found,) = evaluate(op, [operand])
    assert found.shape == op.result.type.get_shape()
    return np.moveaxis(found, -1, 1) if last else found


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("last", CHANNELS_LAST)
@pytest.mark.parametrize("options", WINDOWS)
def test_max_pool(options: dict[str, Any], last: bool, dtype: str, values: Values, rng: np.random.Generator) -> None:
    x = rng.integers(-9, -1, SHAPES[len(options["kernel"])]).astype(dtype)
    found = pooled((MaxPool2dOp, MaxPool3dOp), x, last, values, options)
    assert found.dtype == dtype
    for n, c, *at in np.ndindex(*found.shape):
        image = x[n, c]
        assert found[n, c, *at] == max(image[p] for p in places_under(options, tuple(at), image.shape))


@pytest.mark.parametrize("dtype", ["float32", "int64"])
@pytest.mark.parametrize("last", CHANNELS_LAST)
@pytest.mark.parametrize("options", WINDOWS)
def test_arg_max_pool(
    options: dict[str, Any], last: bool, dtype: str, values: Values, rng: np.random.Generator
) -> None:
    """The first of several: numbers are drawn from three, so that there are many equal ones."""
    x = rng.integers(-3, 0, SHAPES[len(options["kernel"])]).astype(dtype)
    found = pooled((ArgMaxPool2dOp, ArgMaxPool3dOp), x, last, values, options)
    assert found.dtype == np.int64
    for n, c, *at in np.ndindex(*found.shape):
        image = x[n, c]
        best = max(places_under(options, tuple(at), image.shape), key=lambda p: image[p])
        assert found[n, c, *at] == np.ravel_multi_index(best, image.shape)


def test_arg_max_pool_of_nan_minus_infinity_and_nothing(values: Values) -> None:
    x = np.array([[[[1, np.nan, np.nan, -np.inf, -np.inf]]]], np.float32)
    found = pooled(
        (ArgMaxPool2dOp, None), x, False, values, {"kernel": (1, 3), "strides": (1, 2), "padding": (0, 1, 0, 1)}
    )
    assert found.ravel().tolist() == [1, 1, 3]
    found = pooled(
        (ArgMaxPool2dOp, None),
        x[..., :1],
        False,
        values,
        {"kernel": (1, 2), "dilations": (1, 3), "padding": (0, 1, 0, 2)},
    )
    assert found.ravel().tolist() == [-1]


def test_max_pool_keeps_nan_and_minus_infinity(values: Values) -> None:
    x = np.array([[[[np.nan, 1, -np.inf, -np.inf]]]], np.float32)
    found = pooled((MaxPool2dOp, None), x, False, values, {"kernel": (1, 2), "strides": (1, 2)})
    np.testing.assert_array_equal(found.ravel(), [np.nan, -np.inf])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("last", CHANNELS_LAST)
@pytest.mark.parametrize("count_include_pad", [False, True])
@pytest.mark.parametrize("options", WINDOWS)
def test_avg_pool(
    options: dict[str, Any],
    count_include_pad: bool,
    last: bool,
    dtype: str,
    values: Values,
    rng: np.random.Generator,
) -> None:
    x = rng.integers(-9, 9, SHAPES[len(options["kernel"])]).astype(dtype)
    found = pooled((AvgPool2dOp, AvgPool3dOp), x, last, values, {**options, "count_include_pad": count_include_pad})
    assert found.dtype == dtype
    for n, c, *at in np.ndindex(*found.shape):
        image = x[n, c]
        elements = [image[p] for p in places_under(options, tuple(at), image.shape)]
        count = math.prod(options["kernel"]) if count_include_pad else len(elements)
        assert found[n, c, *at] == pytest.approx(sum(elements) / count, rel=1e-6)


def test_the_mean_of_nothing_is_nan(values: Values) -> None:
    x = np.ones((1, 1, 1, 1), np.float32)
    found = pooled(
        (AvgPool2dOp, None), x, False, values, {"kernel": (1, 2), "dilations": (1, 3), "padding": (0, 1, 0, 2)}
    )
    assert np.isnan(found).all()


def test_padding_that_counts_and_padding_that_does_not(values: Values, rng: np.random.Generator) -> None:
    """Windows of 3 at stride 2 over 6 + 2 elements, the last of which reaches one element beyond: "ceil mode"."""
    x = rng.integers(-9, 9, (1, 1, 1, 6)).astype(np.float64)
    pad = PadOp(*values(x), low=(0, 0, 0, 1), high=(0, 0, 0, 1), value=0)
    op = AvgPool2dOp(pad, kernel=(1, 3), strides=(1, 2), padding=(0, 0, 0, 1))
    (padded,) = evaluate(pad, [x])
    (found,) = evaluate(op, [padded])
    row = [0, *x.ravel(), 0]
    expected = [sum(row[i : i + 3]) / len(row[i : i + 3]) for i in (0, 2, 4, 6)]
    assert len(row[6:9]) == 2
    np.testing.assert_allclose(found.ravel(), expected)
