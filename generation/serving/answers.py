"""Answers in the shape of OpenAI's interface: as one object, or as events of `text/event-stream`."""

from __future__ import annotations

import json
import secrets
import time
from base64 import b64encode
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.generation.serving.engine import Answered
from mlc.generation.serving.request_error import RequestError

END_OF_EVENTS = "data: [DONE]\n\n"


@dataclass(frozen=True)
class Shape:
    """How an answer of one kind looks.

    Attributes:
        is_chat: whether it is a message, or the end of a text.
        model: what the model is called.
        read: how many tokens the prompt has.
    """

    is_chat: bool
    model: str
    read: int
    name: str = field(default_factory=lambda: secrets.token_hex(12))
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, text: str, answered: Answered) -> dict[str, Any]:
        """The answer as one object."""
        said = {"message": {"role": "assistant", "content": text}} if self.is_chat else {"text": text}
        choice = {"index": 0, **said, "logprobs": None, "finish_reason": answered.ending.value}
        return {**self._head("chat.completion"), "choices": [choice], "usage": self._usage(answered)}

    def opening(self) -> list[str]:
        """The events in front of the text."""
        return [self._event({"role": "assistant", "content": ""})] if self.is_chat else []

    def piece(self, text: str) -> str:
        """The event for a part of the text."""
        return self._event({"content": text} if self.is_chat else text)

    def closing(self, answered: Answered, wants_usage: bool) -> list[str]:
        """The events after the text."""
        last = self._event({} if self.is_chat else "", answered.ending.value)
        usage = event({**self._head("chat.completion.chunk"), "choices": [], "usage": self._usage(answered)})
        return [last, *([usage] if wants_usage else []), END_OF_EVENTS]

    def _event(self, said: object, ending: str | None = None) -> str:
        choice = {"index": 0, "delta" if self.is_chat else "text": said, "logprobs": None, "finish_reason": ending}
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
