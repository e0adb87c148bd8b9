"""Reading pages that `mlc explore` wrote: the documents in them, of another version perhaps, or another machine."""

from __future__ import annotations

import base64
import binascii
import json
import re
import zlib
from collections.abc import Sequence
from dataclasses import is_dataclass
from functools import cache
from types import UnionType
from typing import Any, cast, get_args, get_origin, get_type_hints

from mlc.support.errors import UserError
from mlc.tools.explorer.document import FORMAT, Document

_ELEMENT = re.compile(r'<script type="application/gzip" class="(document|texts)">([A-Za-z0-9+/=]*)</script>')
_MOST_BYTES = 1 << 30
"""The most that an element may hold: more is no page of a model, but an attack."""
_GZIP = 31
"""What zlib calls a stream of gzip with the largest window."""


def documents_in(page: str, name: str) -> list[Document]:
    """The documents of a page; `name` stands in messages.

    Raises:
        UserError: it is no such page, or one of another format.
    """
    found: list[dict[str, Any]] = []
    try:
        for kind, data in _ELEMENT.findall(page):
            held = json.loads(_unpacked(data))
            if kind == "document":
                if held.get("format") != FORMAT:
                    raise UserError(
                        f"'{name}' is a page of format {held.get('format')}; required: format {FORMAT}, which this "
                        "version of mlc reads: write the page again"
                    )
                found.append(held | {"texts": []})
            else:
                found[-1]["texts"] += held
        documents = [_as(Document, each) for each in found]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, zlib.error, binascii.Error):
        raise UserError(f"'{name}' is a damaged page of mlc explore; write it again") from None
    if not documents:
        raise UserError(
            f"'{name}' is not a page of mlc explore; required: one that `mlc explore MODEL -o {name}` writes"
        )
    return documents


def _unpacked(data: str) -> bytes:
    stream = zlib.decompressobj(_GZIP)
    unpacked = stream.decompress(base64.b64decode(data), _MOST_BYTES)
    if not stream.eof:
        raise ValueError("the end is missing, or too far away")
    return unpacked


def _as(kind: Any, value: Any) -> Any:
    """A value of JSON as one of a type of the document.

    Raises:
        TypeError: it is none.
    """
    if isinstance(kind, type) and is_dataclass(kind):
        return cast(Any, kind)(**{name: _as(hint, value[name]) for name, hint in _hints(kind).items()})
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is UnionType:
        return None if value is None else _as(arguments[0], value)
    if origin is tuple:
        return tuple(_as(each, part) for each, part in zip(arguments, value, strict=True))
    if origin is Sequence:
        return tuple(_as(arguments[0], each) for each in _checked(list, value))
    if origin is dict:
        return {key: _as(arguments[1], each) for key, each in value.items()}
    return _checked((int, float) if kind is float else kind, value)


def _checked(kind: Any, value: Any) -> Any:
    if not isinstance(value, kind):
        raise TypeError(f"found {value!r}; required: {kind}")
    return value


@cache
def _hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)
