"""`mlc-opt --print-grammar`."""

from __future__ import annotations

from typing import TextIO

from mlc.compiler.compilation import new_context
from mlc.pass_manager.registry import suggest
from mlc.support.errors import UserError
from mlc.syntax.grammar import core_grammar, dialect_grammar


def print_grammar(dialect: str, stream: TextIO) -> None:
    """Print the core grammar, or, if `dialect` is not empty, what that dialect adds.

    Raises:
        UserError: there is no such dialect.
    """
    if not dialect:
        stream.write(core_grammar())
        return
    ctx = new_context()
    known = sorted({*ctx.registered_dialect_names, "builtin"})
    if dialect not in known:
        raise UserError(f"unknown dialect '{dialect}'{suggest(dialect, known)}")
    stream.write(dialect_grammar(ctx.get_dialect(dialect)))
