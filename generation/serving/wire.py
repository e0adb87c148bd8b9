"""What requests ask for, out of their JSON."""

from __future__ import annotations

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

from mlc.generation.chat import Message
from mlc.generation.json_schema import ANY_OBJECT
from mlc.generation.sampling import Sampling
from mlc.generation.serving.request_error import RequestError
from mlc.support.errors import UserError

_ROLES = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}
"""What clients call who speaks, and what templates do."""
_NOT_OFFERED: dict[str, tuple[Any, ...]] = {
    "n": (1,),
    "best_of": (1,),
    "echo": (False,),
    "suffix": ("",),
    "logit_bias": ({},),
    "tools": ([],),
    "functions": ([],),
    "audio": (),
    "modalities": (["text"],),
}
"""Fields that would change answers in ways that are not offered, and the values that do not."""
_MOST_STOPS, _LONGEST_STOP = 16, 1000
_COMPLETION = 16
"""How many tokens follow a text unless that is said, by the interface."""
_TEMPERATURE = 0.8
_MOST_INPUTS = 2048
_MOST_LIKELIEST = 20
_UNSUPPORTED = "unsupported_parameter"


@dataclass(frozen=True)
class Asked:
    """A request for text.

    Attributes:
        messages: those of a chat; none of a text that is to go on.
        prompt: that text, or its tokens.
        most: how many tokens may be written; None for what the context leaves.
        schema: that of the JSON that is to be written, or None for any text.
        is_streamed: whether the answer is to come piece by piece, and `wants_usage` whether the numbers of tokens
            follow it then.
        likeliest: how many of the likeliest tokens come beside each, with their probabilities; None for none of these.
    """

    messages: list[Message]
    prompt: str | list[int]
    most: int | None
    sampling: Sampling
    stops: Sequence[str]
    schema: object | None
    is_streamed: bool
    wants_usage: bool
    likeliest: int | None = None


@dataclass(frozen=True)
class Fields:
    """The fields of a JSON object; one that is null is missing."""

    found: dict[str, Any]

    @classmethod
    def of(cls, body: bytes) -> Fields:
        """Raises: RequestError if it is not a JSON object."""
        try:
            found: object = json.loads(body, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as e:
            raise RequestError(f"the body is not JSON: {e}; required: an object", code="invalid_json") from None
        if not isinstance(found, dict):
            raise RequestError(f"the body is {_kind(found)}; required: an object", code="invalid_json")
        return cls(cast("dict[str, Any]", found))

    def get(self, name: str) -> Any:
        """What a field holds; None if it is missing."""
        return self.found.get(name)

    def number(self, name: str, default: float, least: float, most: float) -> float:
        """Raises: RequestError if it is no number, or out of range."""
        found = self.get(name)
        if found is None:
            return default
        if type(found) not in (int, float) or not least <= found <= most:
            raise self.wrong(name, f"a number from {least:g} to {most:g}")
        return float(found)

    def whole(self, name: str, default: int | None, least: int, most: int) -> int | None:
        """Raises: RequestError if it is no whole number, or out of range."""
        found = self.get(name)
        if found is None:
            return default
        if type(found) is not int or not least <= found <= most:
            raise self.wrong(name, f"a whole number from {least} to {most}")
        return found

    def flag(self, name: str) -> bool:
        """Raises: RequestError if it is neither true nor false."""
        found = self.get(name)
        if found is not None and type(found) is not bool:
            raise self.wrong(name, "true or false")
        return bool(found)

    def wrong(self, name: str, required: str) -> RequestError:
        """The error for a field."""
        shown = json.dumps(self.get(name), ensure_ascii=True)
        shown = shown if len(shown) <= 60 else _kind(self.get(name))
        return RequestError(f"found {shown} in '{name}'; required: {required}", name, "invalid_value")


def asked_chat(fields: Fields) -> Asked:
    """A chat that is to go on.

    Raises:
        RequestError: something in it is wrong, or not offered.
    """
    most = fields.whole("max_completion_tokens", fields.whole("max_tokens", None, 1, 1 << 24), 1, 1 << 24)
    count = fields.whole("top_logprobs", None, 0, _MOST_LIKELIEST)
    wants = fields.flag("logprobs")
    if count and not wants:
        raise fields.wrong("top_logprobs", "'logprobs' of true beside it")
    return _asked(fields, _messages(fields), "", most, (count or 0) if wants else None)


def asked_completion(fields: Fields) -> Asked:
    """A text that is to go on.

    Raises:
        RequestError: something in it is wrong, or not offered.
    """
    found = fields.get("prompt")
    if isinstance(found, list) and len(listed := cast("list[Any]", found)) == 1 and not isinstance(listed[0], int):
        found = listed[0]
    if not isinstance(found, str) and not _is_tokens(found):
        raise fields.wrong("prompt", "a text, or a list of tokens; several prompts are several requests")
    most = fields.whole("max_tokens", _COMPLETION, 1, 1 << 24)
    likeliest = None if fields.get("logprobs") is False else fields.whole("logprobs", None, 0, _MOST_LIKELIEST)
    return _asked(fields, [], cast("str | list[int]", found), most, likeliest)


def asked_embeddings(fields: Fields) -> tuple[list[str | list[int]], bool]:
    """The texts, or their tokens, of which embeddings are asked for, and whether these are to be in base64.

    Raises:
        RequestError: something is wrong, or not offered.
    """
    found = fields.get("input")
    if isinstance(found, str) or (_is_tokens(found) and found):
        found = [found]
    listed = cast("list[Any]", found if isinstance(found, list) else [])
    is_right = all(isinstance(each, str) or _is_tokens(each) for each in listed)
    if not listed or len(listed) > _MOST_INPUTS or not is_right:
        raise fields.wrong("input", f"a text, a list of tokens, or 1 to {_MOST_INPUTS} of these")
    if fields.get("dimensions") is not None:
        raise RequestError("'dimensions' is not offered by this server; leave it out", "dimensions", _UNSUPPORTED)
    if (form := fields.get("encoding_format") or "float") not in ("float", "base64"):
        raise fields.wrong("encoding_format", '"float" or "base64"')
    return listed, form == "base64"


def _asked(
    fields: Fields, messages: list[Message], prompt: str | list[int], most: int | None, likeliest: int | None
) -> Asked:
    for name, harmless in _NOT_OFFERED.items():
        if fields.get(name) is not None and all(fields.get(name) != each for each in harmless):
            raise RequestError(f"'{name}' is not offered by this server; leave it out", name, _UNSUPPORTED)
    options: object = fields.get("stream_options") or {}
    if not isinstance(options, dict):
        raise fields.wrong("stream_options", "an object")
    usage = Fields(cast("dict[str, Any]", options)).flag("include_usage")
    drawn, stops, schema = _sampling(fields), _stops(fields), _schema(fields)
    return Asked(messages, prompt, most, drawn, stops, schema, fields.flag("stream"), usage, likeliest)


def _sampling(fields: Fields) -> Sampling:
    default, seed = Sampling(), fields.whole("seed", None, 0, (1 << 63) - 1)
    try:
        return Sampling(
            temperature=fields.number("temperature", _TEMPERATURE, 0, 2),
            top_k=fields.whole("top_k", default.top_k, 0, 1 << 24) or 0,
            top_p=fields.number("top_p", default.top_p, 0, 1),
            min_p=fields.number("min_p", default.min_p, 0, 1),
            seed=secrets.randbits(63) if seed is None else seed,
            repetition_penalty=fields.number("repetition_penalty", 1, 0.01, 10),
            frequency_penalty=fields.number("frequency_penalty", 0, -2, 2),
            presence_penalty=fields.number("presence_penalty", 0, -2, 2),
        )
    except UserError as e:
        raise RequestError(str(e)) from None


def _stops(fields: Fields) -> list[str]:
    found = fields.get("stop")
    listed: list[Any] = [] if found is None else [found] if isinstance(found, str) else found
    is_right = isinstance(found, str | list | None) and len(listed) <= _MOST_STOPS
    if not is_right or not all(isinstance(each, str) and 0 < len(each) <= _LONGEST_STOP for each in listed):
        raise fields.wrong("stop", f"up to {_MOST_STOPS} texts of 1 to {_LONGEST_STOP} characters")
    return listed


def _schema(fields: Fields) -> object | None:
    found = fields.get("response_format")
    match found:
        case None | {"type": "text"}:
            return None
        case {"type": "json_object"}:
            return ANY_OBJECT
        case {"type": "json_schema", "json_schema": {"schema": schema}}:
            return cast("object", schema)
        case _:
            form = '{"type": "text"}, {"type": "json_object"}, or {"type": "json_schema", "json_schema": {"schema": …}}'
            raise fields.wrong("response_format", form)


def _messages(fields: Fields) -> list[Message]:
    found = fields.get("messages")
    if not isinstance(found, list) or not found:
        raise fields.wrong("messages", "a list of at least one message")
    return [_message(each, i) for i, each in enumerate(cast("list[Any]", found))]


def _message(found: Any, number: int) -> Message:
    param = f"messages[{number}]"
    if not isinstance(found, dict):
        raise RequestError(f"'{param}' is {_kind(found)}; required: an object", param, "invalid_value")
    fields = Fields(cast("dict[str, Any]", found))
    role = fields.get("role")
    if not isinstance(role, str) or role not in _ROLES:
        raise RequestError(f"the role of '{param}' is {_shown(role)}; required: {', '.join(_ROLES)}", f"{param}.role")
    return {"role": _ROLES[role], "content": _content(fields.get("content"), f"{param}.content")}


def _content(found: Any, param: str) -> str:
    """A text, or those of its parts together."""
    parts: object = [{"type": "text", "text": found}] if isinstance(found, str) else found
    if isinstance(parts, list):
        parts = cast("list[Any]", parts)
        texts = [each["text"] for each in parts if _is_text(each)]
        if len(texts) == len(parts):
            return "".join(texts)
    raise RequestError(f"'{param}' is {_kind(found)}; required: a text, or a list of parts of type 'text'", param)


def _is_tokens(found: Any) -> bool:
    return isinstance(found, list) and all(type(each) is int for each in cast("list[Any]", found))


def _is_text(part: Any) -> bool:
    match part:
        case {"type": "text", "text": str()}:
            return True
        case _:
            return False


def _refuse_constant(name: str) -> None:
    raise ValueError(f"found {name}, which JSON does not have")


def _shown(found: object) -> str:
    return f"'{found}'" if isinstance(found, str) and len(found) <= 60 else _kind(found)


def _kind(found: object) -> str:
    """What JSON calls the type of a value."""
    names = {dict: "an object", list: "a list", str: "a text", bool: "a truth value", type(None): "null"}
    return next((name for kind, name in names.items() if isinstance(found, kind)), "a number")
