"""A small number of mutated texts; fuzz.py runs as many as one likes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

_spec = importlib.util.spec_from_file_location("fuzz", Path(__file__).with_name("fuzz.py"))
assert _spec is not None and _spec.loader is not None
fuzz = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(fuzz)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_mutated_texts_parse_or_give_an_error(seed: int) -> None:
    for text in fuzz.mutations(500, seed):
        assert fuzz.failure(text) is None, text
