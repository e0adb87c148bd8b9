"""What the tokens of a text are, for editors that colour them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from xdsl.ir import Block

from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.tokens import tokens_of_line

TokenKind = Literal["comment", "string", "variable", "parameter", "label", "function", "macro", "method", "number"]
ColouredLine = Sequence[tuple[int, int, TokenKind]]
"""The position in the line, the length and the kind of each token."""

_KINDS: dict[str, TokenKind] = {
    "comment": "comment",
    "string": "string",
    "block": "label",
    "symbol": "function",
    "alias": "macro",
    "number": "number",
}


def coloured_lines(text: AnalysedText) -> Sequence[ColouredLine]:
    """The tokens of all lines; after an edit, those of lines that it did not touch are the same."""
    if text.coloured is None:
        count = len(text.source.line_starts)
        if text.earlier is None:
            text.coloured = coloured(text, 0, count)
        else:
            before, edit = text.earlier
            first = text.source.locate(edit.start).line - 1
            old_end, new_end = before.source.locate(edit.old_end).line, text.source.locate(edit.new_end).line
            known = coloured_lines(before)
            text.coloured = [*known[:first], *coloured(text, first, new_end), *known[old_end:]]
    return text.coloured


def coloured(text: AnalysedText, first: int, end: int) -> list[ColouredLine]:
    """The tokens of the lines from `first`, which are numbered from 0, to the one before `end`."""
    return [_coloured_line(text, number) for number in range(first, min(end, len(text.source.line_starts)))]


def _coloured_line(text: AnalysedText, number: int) -> ColouredLine:
    text.check()
    start = text.source.line_starts[number]
    found: list[tuple[int, int, TokenKind]] = []
    for token in tokens_of_line(text.line(number)):
        kind: TokenKind | None = _KINDS.get(token.kind)
        if token.kind == "value":
            value = text.value_at(start + token.start)
            kind = "parameter" if value is not None and isinstance(value.owner, Block) else "variable"
        elif token.kind == "word" and "." in token.text and text.ctx.get_optional_op(token.text) is not None:
            kind = "method"
        if kind is not None:
            found.append((token.start, len(token.text), kind))
    return found
