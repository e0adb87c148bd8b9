"""Warnings about a text, at the place where it is being parsed."""

from __future__ import annotations

from xdsl.parser import AttrParser

from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation


def warn_in_text(parser: AttrParser, position: int, message: str) -> None:
    """Warn of something at a position of the text that is parsed; of equal messages the first one is kept."""
    ctx, text = parser.ctx, parser.lexer.input
    if isinstance(ctx, CompilerContext):
        before = text.content[:position]
        line_start = before.rfind("\n") + 1
        ctx.warn_at(SourceLocation(text.name, before.count("\n") + 1, position - line_start + 1), message)
