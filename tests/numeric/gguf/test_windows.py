"""Layers that see a window of the last tokens, beside an evaluation in f64: contexts much longer than the window."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("gguf")

import mlc
from mlc.tests.numeric.gguf.reference_models import ReferenceModel
from mlc.tests.numeric.gguf.test_language_models import Array, caches_of, check_sequences, error_of
from mlc.tests.numeric.gguf.tiny_models import MODELS, VOCABULARY, write_model

_CONTEXT, _CHUNK = 100, 16
_TOKENS = np.random.default_rng(11).integers(0, VOCABULARY, _CONTEXT).tolist()
_BEFORE = 64
"""So many places before a window may be computed with: blocks of them, whose results nothing adds."""


def _written(path: Path, name: str) -> tuple[int, list[bool]]:
    """Write a model; its window, and which of its layers have it."""
    write_model(path, name, "F32", "F32", context=_CONTEXT)
    of = MODELS[name]
    period = int(of.get("attention.sliding_window_pattern", _CONTEXT))
    return int(of["attention.sliding_window"]), [(i + 1) % period != 0 for i in range(int(of["block_count"]))]


def _spoil(caches: list[Array], has_window: list[bool], before: int) -> None:
    """NaN in all places before this one, of layers with a window."""
    for i, each in enumerate(has_window):
        if each and before > 0:
            caches[2 * i][:, :, :before] = np.nan
            caches[2 * i + 1][:, :before] = np.nan


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemma3", "phi3"])
def test_chunks_and_tokens(name: str, tmp_path: Path) -> None:
    """Below, at and above the window, in chunks that end anywhere; then from a place before the end on, as a prompt
    with the same beginning is read. What is before all windows is not looked at."""
    window, has_window = _written(path := tmp_path / "model.gguf", name)
    model = mlc.compile(path, shapes={"tokens": [(1, 1), (1, _CHUNK)]})
    caches, position, found = caches_of(model), 0, list[tuple[int, Array]]()

    def read(tokens: list[int], sizes: list[int]) -> None:
        nonlocal position
        for size in sizes:
            given = np.zeros((1, 1 if size == 1 else _CHUNK), np.int64)
            given[0, :size] = tokens[position : position + size]
            found.append((position + size, model.in_place(given, np.array(position), np.array(size), *caches)[0][0]))
            position += size

    read(_TOKENS, [1] * (window + 2) + [_CHUNK, 3, 2, _CHUNK, 15])
    expected = ReferenceModel(path).logits(_TOKENS)
    assert position > 4 * window and error_of(found, expected) < 3e-6
    position, others = 30, [*_TOKENS[:30], *_TOKENS[:20], *_TOKENS[50:]]
    found.clear()
    read(others, [_CHUNK, 4, *[1] * 10])
    expected = ReferenceModel(path).logits(others)
    assert error_of(found, expected) < 3e-6
    while position < _CONTEXT:
        _spoil(caches, has_window, position - window + 1 - _BEFORE)
        read(others, [_CHUNK if position + _CHUNK <= _CONTEXT and position % 2 else 1])
    assert error_of(found, expected) < 3e-6 and found[-1][0] == _CONTEXT
    assert np.isnan(caches[0][0, 0, 0])


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gemma3", "phi3"])
def test_several_sequences(name: str, tmp_path: Path) -> None:
    """A token of each of three, whose windows begin elsewhere, and of which one is absent at times."""
    window, has_window = _written(path := tmp_path / "model.gguf", name)
    check_sequences(
        path,
        _TOKENS,
        [0, 30, 84],
        16,
        lambda caches, position: _spoil(caches, has_window, position - window + 1 - _BEFORE),
    )
