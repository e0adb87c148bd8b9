"""Calls whose results lie in the memory of inputs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlc
from mlc.runtime.model import InputError, Model

_PUT = """
func.func @main(%cache: tensor<8x4xf32>, %at: tensor<1xi64>, %row: tensor<1x4xf32>)
    -> (tensor<f32>, tensor<8x4xf32> {mlc.donated = 0 : i64}) {
  %i = graph.reshape %at : tensor<1xi64> -> tensor<1x1xi64>
  %new = graph.scatter_nd set %cache, %i, %row axes [0]
      : tensor<8x4xf32>, tensor<1x1xi64>, tensor<1x4xf32> -> tensor<8x4xf32>
  %sum = graph.reduce sum %new axes [0, 1] : tensor<8x4xf32> -> tensor<f32>
  return %sum, %new : tensor<f32>, tensor<8x4xf32>
}
"""


@pytest.fixture(scope="module")
def put() -> Model:
    return mlc.compile(_PUT)


def test_the_input_is_changed(put: Model) -> None:
    assert put.outputs[1].donor == 0 and put.outputs[0].donor is None
    cache, expected = np.zeros((8, 4), np.float32), np.zeros((8, 4), np.float32)
    for at in (3, 0, 7):
        row = np.full((1, 4), at + 1, np.float32)
        (total,) = put.in_place(cache, np.array([at]), row)
        expected[at] = row
        assert np.array_equal(cache, expected) and total == expected.sum()


def test_a_plain_call_changes_nothing(put: Model) -> None:
    cache = np.zeros((8, 4), np.float32)
    _, new = put(cache, np.array([3]), np.ones((1, 4), np.float32))
    assert not cache.any() and new[3].all()


_FROZEN = np.zeros((8, 4), np.float32)
_FROZEN.flags.writeable = False
_ROW = np.ones((1, 4), np.float32)


@pytest.mark.parametrize(
    "cache, words",
    [
        (np.zeros((8, 4)), r"input 'cache', which is changed, is float64\[8, 4\]; required: a NumPy array of float32"),
        ([[0.0]], "input 'cache', which is changed, is list; required: a NumPy array"),
        (_FROZEN, "is read-only, strided or not aligned; required: an array of its own"),
        (np.zeros((4, 8), np.float32).T, "is read-only, strided or not aligned"),
    ],
    ids=["dtype", "list", "read-only", "strided"],
)
def test_what_cannot_be_changed(put: Model, cache: Any, words: str) -> None:
    with pytest.raises(InputError, match=words):
        put.in_place(cache, np.array([0]), _ROW)


def test_what_shares_memory(put: Model) -> None:
    """The first rows, the last ones, and elements that are not side by side; what lies beside the array does not."""
    memory = np.zeros((10, 4), np.float32)
    cache = memory[1:9]
    for row in (cache[:1], cache[7:], cache[4:0:-1, :1].T):
        with pytest.raises(InputError, match="shares memory with another one; required: an array of its own"):
            put.in_place(cache, np.array([0]), row)
    for row in (memory[:1], memory[9:]):
        put.in_place(cache, np.array([2]), row)


def test_the_number_of_inputs(put: Model) -> None:
    with pytest.raises(InputError, match="the model takes 3 inputs"):
        put.in_place(np.zeros((8, 4), np.float32))
