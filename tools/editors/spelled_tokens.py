"""The kinds of tokens of IR text that are coloured, each with its regular expression.

At each position the first kind decides whose expression matches there. Expressions are in the part of the language that
Python and Oniguruma, which editors have, share.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from mlc.support.spelling import STRING, VALUE_NAME

_GRAMMAR = Path(__file__).parents[2] / "syntax" / "mlir.lark"
_WORD = r"[a-zA-Z_][a-zA-Z0-9_$]*"
_END = r"(?![a-zA-Z0-9_$.])"
_CONSTANTS = ("false", "true", "unit", "unknown")
_CONTAINERS = ("complex", "memref", "tensor", "tuple", "vector")


class SpelledToken(NamedTuple):
    """A kind of tokens."""

    kind: str
    pattern: str
    scope: str
    """What TextMate calls it; nothing for what has no colour."""
    category: str
    """What Pygments calls it."""


@cache
def spelled_tokens() -> tuple[SpelledToken, ...]:
    """All kinds, in the order in which they are tried."""
    keywords = "|".join(sorted({*re.findall(r'"([a-z_]+)"', _GRAMMAR.read_text(encoding="utf-8"))}))
    return (
        SpelledToken("comment", r"//[^\n]*", "comment.line.double-slash", "Comment.Single"),
        SpelledToken("string", STRING, "string.quoted.double", "String.Double"),
        SpelledToken("value", rf"%{VALUE_NAME}(?:#[0-9]+)?", "variable.other", "Name.Variable"),
        SpelledToken("block", rf"\^{VALUE_NAME}", "entity.name.label", "Name.Label"),
        SpelledToken("symbol", rf"@(?:[a-zA-Z_][a-zA-Z0-9_$.]*|{STRING})", "entity.name.function", "Name.Function"),
        SpelledToken("attribute", r"#[a-zA-Z_$.][a-zA-Z0-9$._-]*", "entity.other.attribute-name", "Name.Attribute"),
        SpelledToken("named type", r"![a-zA-Z_$.][a-zA-Z0-9$._-]*", "entity.name.type", "Name.Class"),
        SpelledToken("sizes", r"(?:(?:[1-9][0-9]*|\?)x)+", "constant.numeric", "Number.Integer"),
        SpelledToken(
            "type",
            rf"(?:[su]?i[0-9]+|(?:b|t)?f[0-9]+[a-zA-Z0-9]*|index|none){_END}|(?:{'|'.join(_CONTAINERS)})(?=<)",
            "storage.type",
            "Keyword.Type",
        ),
        SpelledToken("constant", rf"(?:{'|'.join(_CONSTANTS)}){_END}", "constant.language", "Keyword.Constant"),
        SpelledToken("keyword", rf"(?:{keywords}){_END}", "keyword.other", "Keyword"),
        SpelledToken("operation", rf"{_WORD}(?:\.[a-zA-Z0-9_$]+)+", "support.function", "Name.Builtin"),
        SpelledToken("word", _WORD, "", "Name"),
        SpelledToken("number", r"0x[0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?", "constant.numeric", "Number"),
    )
