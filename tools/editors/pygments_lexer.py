"""A lexer of Pygments, which colours IR in documentation and in notebooks: an entry point of `pygments.lexers`."""

from __future__ import annotations

from functools import reduce
from typing import Any

from pygments.lexer import RegexLexer
from pygments.token import Punctuation, Token, Whitespace

from mlc.tools.editors.spelled_tokens import spelled_tokens


def _category(name: str) -> Any:
    return reduce(getattr, name.split("."), Token.Literal if name.startswith(("String", "Number")) else Token)


class MlirLexer(RegexLexer):
    """Text of IR."""

    name = "MLIR"
    aliases = ["mlir"]
    filenames = ["*.mlir"]
    mimetypes = ["text/x-mlir"]
    url = "https://mlir.llvm.org/docs/LangRef/"
    tokens = {
        "root": [
            (r"\s+", Whitespace),
            *((each.pattern, _category(each.category)) for each in spelled_tokens()),
            (r".", Punctuation),
        ]
    }
