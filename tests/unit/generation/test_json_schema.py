"""Answers that are JSON of a schema."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("llguidance")
pytest.importorskip("tokenizers")

from mlc.generation.json_schema import JsonSchemas
from mlc.generation.sampling import Sampling
from mlc.generation.tokenizer import Tokenizer
from mlc.support.errors import UserError
from mlc.tests.unit.generation.files import by_ranks, by_scores, with_metadata

_SCHEMA = {"type": "array", "items": {"enum": ["hello", "h|e"]}, "minItems": 2, "maxItems": 3}


def _schemas(pairs: bool = True) -> JsonSchemas:
    tokenizer = Tokenizer.of(with_metadata(by_ranks() if pairs else by_scores(add_space_prefix=False)))
    return JsonSchemas(tokenizer, len(tokenizer.tokens) + 5)


@pytest.mark.parametrize("pairs", [True, False])
def test_chance_writes_json(pairs: bool) -> None:
    """Whatever tokens chance would take, also such that the tokenizer does not know and one for the end."""
    schemas, chance = _schemas(pairs), np.random.default_rng(0)
    for seed in range(10):
        constraint, sampling, tokens = schemas.constraint(_SCHEMA), Sampling(3.0, 0, 1, 0, seed), list[int]()
        while not constraint.is_over and len(tokens) < 200:
            logits = chance.standard_normal(schemas.vocabulary).astype(np.float32)
            token = sampling.token(constraint.allowed(logits))
            if token in schemas.tokenizer.ends:
                break
            constraint.take(token)
            tokens.append(token)
        found = json.loads(schemas.tokenizer.decoded(tokens))
        assert 2 <= len(found) <= 3 and set(found) <= {"hello", "h|e"}


def test_what_is_wrong() -> None:
    with pytest.raises(UserError, match="the JSON schema cannot be used: "):
        _schemas().constraint({"type": "list"})
    with pytest.raises(UserError, match="the JSON schema cannot be used: "):
        _schemas().constraint([1])
    without = by_ranks()
    without["tokenizer.ggml.tokens"][without["tokenizer.ggml.tokens"].index("{")] = "unused"
    with pytest.raises(UserError, match=r"found no token for '\{'; required: one for each character of JSON's syntax"):
        JsonSchemas(Tokenizer.of(with_metadata(without)), 110).constraint(_SCHEMA)
