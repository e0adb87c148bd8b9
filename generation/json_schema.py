"""Answers that are JSON of a schema: which tokens may follow, by the package `llguidance`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.generation.packages import llm_package
from mlc.generation.tokenizer import Tokenizer
from mlc.support.errors import UserError

ANY_OBJECT: dict[str, Any] = {"type": "object"}
"""The schema of all objects."""
_SPECIAL = b"\xff"
"""How llguidance wants tokens to begin that stand for no text."""
_SYNTAX = '{}[]",:\\ -.0123456789eEtrufalsn'
"""Characters that llguidance takes for granted as tokens."""


@dataclass(frozen=True)
class JsonSchemas:
    """Makes constraints for the tokens of a model; the list of these is prepared once, by the first.

    Attributes:
        vocabulary: how many logits there are.
    """

    tokenizer: Tokenizer
    vocabulary: int

    def constraint(self, schema: object) -> JsonConstraint:
        """What answers have to be, from their start on.

        Raises:
            UserError: the schema is not one, or uses what llguidance does not know; or the package is missing.
        """
        package = llm_package("llguidance", "answers of a JSON schema")
        try:
            grammar = package.LLMatcher.grammar_from_json_schema(json.dumps(schema))
        except ValueError as e:
            raise UserError(f"the JSON schema cannot be used: {e}") from None
        matcher = package.LLMatcher(self._tokens, grammar, log_level=0)
        if matcher.is_error():
            raise UserError(f"the JSON schema cannot be used: {_first_line(matcher.get_error())}")
        return JsonConstraint(matcher)

    @cached_property
    def _tokens(self) -> Any:
        package, tokenizer = llm_package("llguidance", "answers of a JSON schema"), self.tokenizer
        names = {i: name.encode(errors="replace") for name, i in tokenizer.controls.items()}
        known = range(len(tokenizer.tokens))
        spelled = [_SPECIAL + names[i] if i in names else tokenizer.spelling.bytes_of(i) for i in known]
        if missing := [each for each in _SYNTAX if each.encode() not in spelled]:
            raise UserError(f"found no token for {missing[0]!r}; required: one for each character of JSON's syntax")
        end = min(tokenizer.ends, default=None)
        if end is None:
            raise UserError("the model has no token for the end of a text; required: one, after which JSON ends")

        class Wrapped(SimpleNamespace):
            def __call__(self, text: str) -> list[int]:
                return tokenizer.encoded(text, is_start=False)

        wrapped = Wrapped(eos_token_id=end, bos_token_id=tokenizer.first, tokens=spelled, special_token_ids=[*names])
        return package.LLTokenizer(package.TokenizerWrapper(wrapped), self.vocabulary, [*tokenizer.ends])


@dataclass
class JsonConstraint:
    """Which tokens may follow in one answer."""

    matcher: Any

    def allowed(self, logits: NDArray[np.float32]) -> NDArray[np.float32]:
        """Logits in which tokens that may not follow are impossible.

        Raises:
            UserError: the schema takes too much work.
        """
        bits = np.frombuffer(self.matcher.compute_bitmask(), np.uint8)
        if self.matcher.is_error():
            raise UserError(f"the JSON schema cannot be used: {_first_line(self.matcher.get_error())}")
        is_allowed = np.unpackbits(bits, bitorder="little")[: len(logits)].astype(bool)
        return np.where(is_allowed, logits, np.float32(-np.inf))

    def take(self, token: int) -> None:
        """Go on after a token."""
        self.matcher.consume_token(token)

    @property
    def is_over(self) -> bool:
        """Whether the JSON is complete and cannot go on."""
        return bool(self.matcher.is_stopped())


def _first_line(text: str) -> str:
    return text.strip().partition("\n")[0]
