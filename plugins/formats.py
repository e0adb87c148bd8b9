"""Assembly formats that give two readings of one text are refused when their dialect is loaded.

Formats that make no sense at all do not come this far: xDSL refuses them when the class of the op is made.
"""

from __future__ import annotations

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation

from mlc.support.errors import UserError


def check_formats(dialect: Dialect, origin: str) -> None:
    """Check each format, and compile the grammar of all of them, which the cache keeps for the next time.

    Raises:
        UserError: a format is ambiguous, or is none that a grammar can say; the message names its op.
    """
    from mlc.syntax.grammar import formatted_operations

    operations = formatted_operations(dialect)
    for op in operations:
        if (found := _undecided(op)) is not None:
            first, second = found
            example = {"operand": "%x", "attribute": "42"}.get(first, first.strip("'"))
            reason = (
                f"in the text '{op.name} … {example} …', the {first} may begin the optional group that starts with it, "
                f"or {second}; put another literal before one of them"
            )
            raise _error(dialect, origin, f"op '{op.name}'", f"is ambiguous: {reason}")
    failure = _failure(dialect)
    if failure is not None:
        culprits = [f"'{op.name}'" for op in operations if _failure(Dialect(dialect.name, [op], []))]
        what = f"op {' and '.join(culprits)}" if culprits else "its ops together"
        raise _error(dialect, origin, what, _in_words(failure)) from failure


def _undecided(op: type[IRDLOperation]) -> tuple[str, str] | None:
    """What could begin two parts of the format at one place, and what the second of them is."""
    definition = op.get_irdl_definition()
    assert definition.assembly_format is not None
    optional: set[str] = set()
    for part in daf.FormatProgram.from_str(definition.assembly_format, definition).stmts:
        if isinstance(part, daf.WhitespaceDirective):
            continue
        is_group = isinstance(part, daf.OptionalGroupDirective)
        first = _first(part.then_first if is_group else part)
        if first is not None and first in optional:
            return first, "the next optional group" if is_group else f"be the {first} that always follows"
        if is_group and not part.else_elements:
            optional |= {first} if first is not None else set()
        elif not isinstance(part, daf.AttrDictDirective):
            optional.clear()
    return None


def _first(part: object) -> str | None:
    """What a part of a format begins with: a literal in quotes, an operand or an attribute; None if unknown."""
    match part:
        case daf.PunctuationDirective():
            return f"'{part.punctuation}'"
        case daf.KeywordDirective():
            return f"'{part.keyword}'"
        case daf.OperandVariable() | daf.OptionalOperandVariable() | daf.VariadicOperandVariable():
            return "operand"
        case daf.AttributeVariable():
            return "attribute"
        case _:
            return None


def _failure(dialect: Dialect) -> Exception | None:
    """What comes of making the grammar of a dialect, if that fails."""
    from mlc.syntax.grammar import tables_for

    try:
        tables_for([dialect])
    except Exception as e:
        return e
    return None


def _in_words(failure: Exception) -> str:
    """Lark finds two readings of a text; whatever else fails is something that a format may say, but not to mlc."""
    from lark.exceptions import GrammarError

    message = " ".join(str(failure).split())[:200]
    if isinstance(failure, GrammarError) and ("conflict" in message.lower() or "collision" in message.lower()):
        return f"is ambiguous: {message}"
    return f"cannot be made a grammar ({type(failure).__name__}: {message}); write it in another way"


def _error(dialect: Dialect, origin: str, what: str, reason: str) -> UserError:
    return UserError(f"dialect '{dialect.name}' of {origin}: the assembly format of {what} {reason}")
