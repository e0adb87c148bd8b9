"""Philox against the known answers of its authors' library, Random123."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import i32, i64

from mlc.dialects.graph.random import PhiloxOp
from mlc.reference.graph import evaluate
from mlc.support.dtypes import unsigned

Array = NDArray[Any]
Values = Callable[..., Any]

KNOWN_ANSWERS = [
    ([0, 0, 0, 0], [0, 0], [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    ([0xFFFFFFFF] * 4, [0xFFFFFFFF] * 2, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]
"""Counters and keys, the lowest word first, and their blocks."""


def _pair(words: list[int]) -> int:
    return words[0] | words[1] << 32


def _bits(values: Values, place: Any, key: Any, low: Any, high: Any, width: int = 32) -> Array:
    inputs = [np.asarray(v, np.uint64) for v in (place, key, low, high)]
    (found,) = evaluate(PhiloxOp(*values(*inputs), element_type=unsigned(i32 if width == 32 else i64)), inputs)
    assert found.dtype == np.dtype(f"uint{width}")
    return found


@pytest.mark.parametrize(("counter", "key", "block"), KNOWN_ANSWERS)
def test_known_answers(counter: list[int], key: list[int], block: list[int], values: Values) -> None:
    operands = [_pair(key), _pair(counter[:2]), _pair(counter[2:])]
    assert _bits(values, np.arange(4), *operands).tolist() == block
    assert _bits(values, np.arange(2), *operands, width=64).tolist() == [_pair(block[:2]), _pair(block[2:])]


def test_a_carry_reaches_the_upper_half_of_the_counter(values: Values) -> None:
    last = (1 << 64) - 1
    assert np.array_equal(_bits(values, np.arange(4, 12), 7, last, 3), _bits(values, np.arange(8), 7, 0, 4))
    assert np.array_equal(_bits(values, np.arange(4, 8), 7, last, last), _bits(values, np.arange(4), 7, 0, 0))


def test_each_element_may_have_a_key_and_a_counter_of_its_own(values: Values) -> None:
    keys, lows = np.arange(3)[:, None], np.array([5, 9])
    together = _bits(values, 2, keys, lows, 0)
    for (i, j), found in np.ndenumerate(together):
        assert found == _bits(values, 2, keys[i, 0], lows[j], 0)


def test_without_elements(values: Values) -> None:
    assert _bits(values, np.zeros((2, 0)), 1, 2, 3).shape == (2, 0)
