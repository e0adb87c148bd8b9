"""Answers in the shape of OpenAI's interface: as one object, or as events of `text/event-stream`."""

from __future__ import annotations

import json
import secrets
import time
from dataclasses import dataclass, field
from typing import Any

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


def event(content: object) -> str:
    """One event."""
    return f"data: {json.dumps(content, ensure_ascii=False)}\n\n"


def error_event(error: RequestError) -> str:
    """The event for an answer that cannot go on, after which no other follows."""
    return event(error.content())
