"""Answers in the shape of OpenAI's interface: as one object, or as events of `text/event-stream`."""

from __future__ import annotations

import json
import secrets
import time
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.generation.serving.engine import Answered, Piece
from mlc.generation.serving.request_error import RequestError
from mlc.generation.spelling import Spelling
from mlc.generation.token_probability import TokenProbability

END_OF_EVENTS = "data: [DONE]\n\n"


@dataclass(frozen=True)
class Shape:
    """How an answer of one kind looks.

    Attributes:
        is_chat: whether it is a message, or the end of a text.
        model: what the model is called.
        read: how many tokens the prompt has.
        spelling: that of tokens, if their probabilities are asked for.
    """

    is_chat: bool
    model: str
    read: int
    spelling: Spelling | None = None
    name: str = field(default_factory=lambda: secrets.token_hex(12))
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, pieces: Sequence[Piece], answered: Answered) -> dict[str, Any]:
        """The answer as one object."""
        text = "".join(each.text for each in pieces)
        said = {"message": {"role": "assistant", "content": text}} if self.is_chat else {"text": text}
        drawn = self._drawn([token for each in (*pieces, answered) for token in each.drawn], 0)
        choice = {"index": 0, **said, "logprobs": drawn, "finish_reason": answered.ending.value}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage(answered)}

    def opening(self) -> list[str]:
        """The events in front of the text."""
        return [self._event({"role": "assistant", "content": ""})] if self.is_chat else []

    def piece(self, piece: Piece, start: int) -> str:
        """The event for a part of the text, after so many characters."""
        return self._event({"content": piece.text} if self.is_chat else piece.text, self._drawn(piece.drawn, start))

    def closing(self, answered: Answered, start: int, wants_usage: bool) -> list[str]:
        """The events after the text, of so many characters."""
        drawn = self._drawn(answered.drawn, start) if answered.drawn else None
        last = self._event({} if self.is_chat else "", drawn, answered.ending.value)
        usage = event({**self._head("chat.completion.chunk"), "choices": [], "usage": self._usage(answered)})
        return [last, *([usage] if wants_usage else []), END_OF_EVENTS]

    def _drawn(self, drawn: Sequence[TokenProbability], start: int) -> dict[str, Any] | None:
        """Tokens with their probabilities, the first of them after so many characters; None if nobody asks."""
        if self.spelling is None:
            return None
        shown = self.spelling.shown
        if self.is_chat:
            content = [
                {
                    **self._token(each.token, each.logarithm),
                    "top_logprobs": [self._token(*other) for other in each.likeliest],
                }
                for each in drawn
            ]
            return {"content": content, "refusal": None}
        texts = [shown(each.token) for each in drawn]
        return {
            "tokens": texts,
            "token_logprobs": [each.logarithm for each in drawn],
            "top_logprobs": [{shown(token): number for token, number in reversed(each.likeliest)} for each in drawn],
            "text_offset": [*accumulate(map(len, texts[:-1]), initial=start)][: len(texts)],
        }

    def _token(self, token: int, logarithm: float) -> dict[str, Any]:
        assert self.spelling is not None
        return {
            "token": self.spelling.shown(token),
            "logprob": logarithm,
            "bytes": [*self.spelling.bytes_of(token)] or None,
        }

    def _event(self, said: object, drawn: object = None, ending: str | None = None) -> str:
        choice = {"index": 0, "delta" if self.is_chat else "text": said, "logprobs": drawn, "finish_reason": ending}
        return event({**self._head("chat.completion.chunk"), "choices": [choice]})

    def _head(self, chat: str) -> dict[str, Any]:
        kind, prefix = (chat, "chatcmpl") if self.is_chat else ("text_completion", "cmpl")
        return {"id": f"{prefix}-{self.name}", "object": kind, "created": self.created, "model": self.model}

    def _usage(self, answered: Answered) -> dict[str, Any]:
        total = self.read + answered.written
        details = {"prompt_tokens_details": {"cached_tokens": answered.reused}}
        return {"prompt_tokens": self.read, "completion_tokens": answered.written, "total_tokens": total, **details}


def embeddings(model: str, found: Sequence[NDArray[np.float32]], is_base64: bool, read: int) -> dict[str, Any]:
    """Vectors of length 1, in the direction of those that are given, as one object."""
    data: list[dict[str, Any]] = []
    for i, each in enumerate(found):
        unit = (each / max(float(np.linalg.norm(each)), 1e-30)).astype("<f4")
        shown = b64encode(unit.tobytes()).decode() if is_base64 else unit.tolist()
        data.append({"object": "embedding", "index": i, "embedding": shown})
    return {"object": "list", "data": data, "model": model, "usage": {"prompt_tokens": read, "total_tokens": read}}


def event(content: object) -> str:
    """One event."""
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n"


def error_event(error: RequestError) -> str:
    """The event for an answer that cannot go on, after which no other follows."""
    return event(error.content())
