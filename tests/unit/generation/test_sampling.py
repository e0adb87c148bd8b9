"""Drawing tokens from logits."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from mlc.generation.sampling import Sampling
from mlc.support.errors import UserError

_LOGITS = np.log(np.array([0.1, 0.4, 0.05, 0.3, 0.15], np.float32))


def test_the_likeliest() -> None:
    assert [Sampling(seed=seed).token(_LOGITS) for seed in range(3)] == [1, 1, 1]


@pytest.mark.parametrize(
    "options, tokens",
    [
        ({"top_k": 0, "top_p": 1, "min_p": 0}, [1, 3, 4, 0, 2]),
        ({"top_k": 3, "top_p": 1, "min_p": 0}, [1, 3, 4]),
        ({"top_k": 99, "top_p": 0.5, "min_p": 0}, [1, 3]),
        ({"top_k": 0, "top_p": 0, "min_p": 0}, [1]),
        ({"top_k": 0, "top_p": 1, "min_p": 0.3}, [1, 3, 4]),
        ({"top_k": 0, "top_p": 1, "min_p": 1}, [1]),
    ],
)
def test_the_likely_ones(options: dict[str, Any], tokens: list[int]) -> None:
    found, weights = Sampling(temperature=1, **options).likely(_LOGITS)
    assert found.tolist() == tokens
    expected = np.exp(_LOGITS.astype(np.float64))[tokens]
    np.testing.assert_allclose(weights, expected / expected.sum(), rtol=1e-6)


def test_temperatures_change_weights() -> None:
    _, weights = Sampling(temperature=0.5, top_k=0, top_p=1, min_p=0).likely(_LOGITS)
    squares = np.sort(np.exp(_LOGITS.astype(np.float64)))[::-1] ** 2
    np.testing.assert_allclose(weights, squares / squares.sum(), rtol=1e-6)


def test_draws_have_the_weights_and_a_seed() -> None:
    def drawn(seed: int) -> list[int]:
        sampling = Sampling(temperature=1, top_k=0, top_p=1, min_p=0, seed=seed)
        return [sampling.token(_LOGITS) for _ in range(4000)]

    counts = Counter(drawn(1))
    assert all(abs(counts[i] / 4000 - p) < 0.03 for i, p in enumerate(np.exp(_LOGITS)))
    assert drawn(1) == drawn(1) != drawn(2)


def test_what_is_impossible_is_not_drawn() -> None:
    logits = np.array([0, -np.inf, -np.inf, -3], np.float32)
    sampling = Sampling(temperature=1, top_k=0, top_p=1, min_p=0)
    assert sampling.likely(logits)[0].tolist() == [0, 3]
    chance = np.random.default_rng(0)
    for _ in range(50):  # sums of weights are not always 1
        logits = np.append(chance.standard_normal(7).astype(np.float32), np.float32(-np.inf))
        assert len(sampling.likely(logits)[0]) == 7


def test_tokens_that_are_together_as_likely_as_asked() -> None:
    found, _ = Sampling(temperature=1, top_k=0, top_p=0.5, min_p=0).likely(np.zeros(4, np.float32))
    assert len(found) == 2


def test_penalties() -> None:
    logits = np.array([2, -2, 1, 0.5], np.float32)
    assert Sampling().penalized(logits, [0], [0]) is logits
    found = Sampling(repetition_penalty=2).penalized(logits, [0, 1, 0], [])
    assert found.tolist() == [1, -4, 1, 0.5] and Sampling(repetition_penalty=4).token(logits, [0]) == 2
    found = Sampling(frequency_penalty=0.5, presence_penalty=0.25).penalized(logits, [3], [0, 2, 0])
    assert found.tolist() == [0.75, -2, 0.25, 0.5] and logits[0] == 2


@pytest.mark.parametrize(
    "options, words",
    [
        ({"temperature": -1.0}, "found temperature -1.0; required: a number from 0 to"),
        ({"temperature": float("nan")}, "found temperature nan"),
        ({"top_p": 1.5}, "found top-p 1.5; required: a number from 0 to 1"),
        ({"min_p": -0.1}, "found min-p -0.1; required: a number from 0 to 1"),
        ({"top_k": -1}, "found top-k -1; required"),
        ({"seed": -1}, "found seed -1; required"),
        ({"repetition_penalty": 0.0}, "found repetition penalty 0.0; required: a number from 0.01 to 100"),
        ({"presence_penalty": 1e9}, "found presence penalty 1000000000.0; required: a number from -100 to 100"),
    ],
)
def test_numbers_out_of_range(options: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Sampling(**options)
