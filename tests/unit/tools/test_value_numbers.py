"""Values in the page of `mlc explore`: what is told of an array, by how much two differ, pictures, whole models."""

from __future__ import annotations

import base64
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.tools.explorer.document_values import Picture
from mlc.tools.explorer.value_numbers import difference_of, numbers_of
from mlc.tools.explorer.value_pictures import picture_of
from mlc.tools.explorer.value_store import ArrayStore

if TYPE_CHECKING:
    pass

Array = NDArray[Any]
_NAN, _INF = float("nan"), float("inf")


def test_numbers_of_an_array_with_everything_in_it() -> None:
    found = numbers_of(np.array([[0.0, -0.0, _NAN], [_INF, -_INF, 2.0], [4.0, 1.0, -3.0]], np.float32))
    assert (found.elements, found.nans, found.infinities, found.zeros) == (9, 1, 2, 2)
    assert (found.least, found.most, found.mean) == (-3.0, 4.0, pytest.approx(4 / 6))
    assert found.quantiles[0] == -3.0 and found.quantiles[-1] == 4.0
    assert found.quantiles == sorted(found.quantiles)
    assert list(found.first) == ["0.0", "-0.0", "nan", "inf", "-inf", "2.0", "4.0", "1.0"]


@pytest.mark.parametrize(
    ("array", "least", "most", "mean"),
    [
        (np.array(True), 1, 1, 1),
        (np.array([1 + 4j], np.complex64), 1, 4, 2.5),
        (np.array([1.5, 3], ml_dtypes.bfloat16), 1.5, 3, 2.25),
        (np.array([-7, 7], ml_dtypes.int4), -7, 7, 0),
        (np.array([1.7e308, 1.7e308]), 1.7e308, 1.7e308, 1.7e308),
        (np.array([2**64 - 1], np.uint64), 2.0**64, 2.0**64, 2.0**64),
        (np.array([_NAN]), None, None, None),
        (np.empty((0, 3)), None, None, None),
    ],
)
def test_numbers_of_types(array: Array, least: float, most: float, mean: float) -> None:
    found = numbers_of(array)
    assert (found.least, found.most, found.mean) == (least, most, mean)
    assert len(found.quantiles) == (0 if least is None else 5)


def test_equal_arrays_do_not_differ() -> None:
    array = np.array([_NAN, _INF, 0.0, 3.0])
    assert difference_of(array, array.copy()) is None
    assert difference_of(np.empty(0), np.empty(0)) is None


@pytest.mark.parametrize(
    ("before", "after", "largest", "at", "count"),
    [
        ([1.0, 2.0, 3.0], [1.0, 2.5, 3.25], 0.5, [1], 2),
        ([0.0, 2.0], [-0.0, 2.0], 0.0, [0], 1),
        ([0.0, 2.0], [_NAN, 2.5], None, [0], 2),
        ([_NAN, _INF, 2.0], [_NAN, _INF, 2.5], 0.5, [2], 1),
        ([5.0, _INF], [5.0, -_INF], None, [1], 1),
        ([1.7e308, 1.0], [-1.7e308, 1.0], None, [0], 1),
    ],
)
def test_differences(before: list[float], after: list[float], largest: float | None, at: list[int], count: int) -> None:
    found = difference_of(np.array(before), np.array(after))
    assert found is not None
    assert (found.largest, found.at, found.count, found.elements) == (largest, at, count, len(before))
    assert (found.before, found.after) == (str(np.array(before)[at[0]]), str(np.array(after)[at[0]]))
    assert not found.is_reordered


def test_differences_of_large_integers_and_of_complex_numbers() -> None:
    found = difference_of(np.array([2**62]), np.array([2**62 + 1]))
    assert found is not None and found.largest == 1
    found = difference_of(np.array([[1 + 2j, 3j]]), np.array([[1 + 2j, 1 + 3j]]))
    assert found is not None and (found.largest, found.at) == (1, [0, 1, 0])


def test_numbers_in_another_order() -> None:
    array = np.random.default_rng(1).standard_normal((2, 3, 4, 5), np.float32)
    moved = array.transpose(0, 2, 3, 1) + np.float32(1e-7)
    found = difference_of(array, moved)
    assert found is not None and found.is_reordered
    assert found.largest is not None and found.largest < 1e-6
    found = difference_of(array, array + np.float32(0.5))
    assert found is not None and not found.is_reordered and found.largest == pytest.approx(0.5)


def test_arrays_are_stored_once() -> None:
    store = ArrayStore()
    arrays = [np.arange(6.0).reshape(2, 3), np.array(7, np.int8), np.empty((0, 2)), np.array([1], ml_dtypes.bfloat16)]
    stored = [store.keep(array) for array in arrays]
    assert store.keep(arrays[0].T.copy().T) == stored[0]
    for array, held in zip(arrays, stored, strict=True):
        again = store.read(held)
        assert (again.shape, again.dtype, again.tolist()) == (array.shape, array.dtype, array.tolist())
    store.close()


def _picture(shape: str, array: Array, use: str = "graph.relu %x", to: str = "") -> Picture | None:
    types = f"tensor<{shape}> -> tensor<{to}>" if to else f"tensor<{shape}>"
    text = f"func.func @main(%x: tensor<{shape}>) {{\n  %0 = {use} : {types}\n  return\n}}"
    module = parse_verified(text, "m.mlir", new_context(), Path())
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    return picture_of(function.args[0], array)


def _pixels(picture: Picture | None) -> list[int]:
    assert picture is not None
    return list(base64.b64decode(picture.pixels))


def test_pictures() -> None:
    grey = np.arange(24, dtype=np.float32).reshape(1, 1, 4, 6)
    found = _picture("1x1x4x6xf32", grey)
    assert found is not None
    assert (found.width, found.height, found.colours, found.words) == (6, 4, 1, "4 x 6")
    assert _pixels(found)[:2] == [1, 12] and _pixels(found)[-1] == 255
    # Channels are the dim with 3 extents; where an op says otherwise, it is right.
    colours = np.zeros((2, 5, 4, 3), np.float32)
    colours[0, 0, 0] = [0.0, 1.0, _NAN]
    found = _picture("2x5x4x3xf32", colours)
    assert found is not None
    assert (found.width, found.height, found.colours) == (4, 5, 3)
    assert found.words == "5 x 4, the first of 2 images"
    assert _pixels(found)[:3] == [1, 255, 0]
    pool = 'graph.max_pool2d %x {kernel = array<i64: 2, 2>, layout = "NHWC"}'
    found = _picture("1x8x9x5xf32", np.zeros((1, 8, 9, 5), np.float32), pool, "1x7x8x5xf32")
    assert found is not None and found.words == "8 x 9, the first of 5 channels"
    channels = _picture("1x5x8x9xf32", np.full((1, 5, 8, 9), 7, np.float32))
    assert channels is not None and channels.words == "8 x 9, the first of 5 channels"
    assert set(_pixels(channels)) == {1}, "all the same number"


def test_large_pictures_are_made_smaller_and_odd_numbers_stay_apart() -> None:
    array = np.zeros((1, 1, 500, 250), np.float64)
    array[0, 0, 0, :12] = [1e308, -1e308, _INF, _NAN, *[0.0] * 8]
    found = _picture("1x1x500x250xf64", array)
    assert found is not None
    assert max(found.width, found.height) <= 96 and found.words == "500 x 250"
    assert _pixels(found)[0] == 255
    nothing = _picture("1x1x4x4xf32", np.full((1, 1, 4, 4), _NAN, np.float32))
    assert set(_pixels(nothing)) == {0}


@pytest.mark.parametrize("shape", [(4, 4), (1, 2, 3, 3), (8, 3, 1), (0, 1, 8, 8)])
def test_what_is_no_image(shape: tuple[int, ...]) -> None:
    text = "x".join(map(str, shape))
    assert _picture(f"{text}xf32", np.zeros(shape, np.float32)) is None
