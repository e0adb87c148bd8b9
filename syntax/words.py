"""Terminals in human words."""

from __future__ import annotations

from collections.abc import Iterable

from xdsl.dialects.builtin import UnregisteredOp
from xdsl.ir import Operation

from mlc.syntax.tables import Tables

END = "end of file"
_TERMS = {
    "PERCENT_ID": "a value such as %x",
    "PERCENT_INDEXED": "a value such as %x",
    "CARET_ID": "a block such as ^bb0",
    "AT_ID": "a symbol such as @main",
    "HASH_ALIAS": "an alias",
    "EXCL_ALIAS": "an alias",
    "BARE_ID": "a name",
    "STRING_LIT": "a string",
    "INT_LIT": "an integer",
    "HEX_LIT": "an integer",
    "FLOAT_LIT": "a number",
    "DIM": "a size",
    "SCALABLE_DIM": "a size",
    "STAR_DIM": "'*'",
    "TYPE": "a type",
    "DIALECT_TYPE": "a type",
    "DIALECT_ATTR": "an attribute",
    "DENSE_LIST": "a list of numbers",
    "OP_STRING": "an operation",
    "OP_NAME": "an operation",
    "HAND_BODY": "an operation",
    "$END": END,
}
_IMPLIED = {
    "an operation": {"a value such as %x", "an alias", "'{-#'", END},
    "a type": {"an alias", "'tensor'", "'memref'", "'vector'", "'complex'", "'tuple'", "'('"},
    "an attribute": {
        *("an alias", "a string", "an integer", "a number", "a symbol such as @main", "a type", "'true'", "'false'"),
        *("'unit'", "'dense'", "'dense_resource'", "'array'", "'affine_map'", "'affine_set'", "'strided'", "'opaque'"),
        *("'['", "'{'", "'('", "'-'", "'loc'", "'tensor'", "'memref'", "'vector'", "'complex'", "'tuple'"),
    },
    "a number": {"an integer", "'-'"},
}
"""What a term covers, so that its parts need not be said."""
_MANY = 6


def expected(tables: Tables, stack: list[int]) -> str:
    """What may stand next, as in `')' or ','`; empty where that would be a long list."""
    found = {term(tables, t) for t in tables.expected(stack)} - {"'loc'"}
    for whole, parts in _IMPLIED.items():
        if whole in found:
            found -= parts
    if not found or len(found) > _MANY:
        return ""
    return listed(sorted(found, key=lambda w: (w[0] != "'", w)))


def spellings(tables: Tables, stack: list[int]) -> list[str]:
    """The keywords and the punctuation that may stand next."""
    return sorted(tables.spellings[terminal] for terminal in tables.expected(stack) if terminal in tables.spellings)


def term(tables: Tables, terminal: str) -> str:
    """One terminal in words."""
    if terminal in _TERMS:
        return _TERMS[terminal]
    if terminal in tables.spellings:
        return f"'{tables.spellings[terminal]}'"
    return "an attribute" if terminal.startswith("DIRECTIVE__") else "an operation"


def listed(items: Iterable[str]) -> str:
    """`a`, `a or b`, `a, b or c`."""
    items = list(items)
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} or {items[-1]}"


def counted(number: int, noun: str) -> str:
    """`1 operand`, `2 operands`, `2 passes`."""
    ending = "" if number == 1 else "es" if noun.endswith(("s", "x", "ch", "sh")) else "s"
    return f"{number} {noun}{ending}"


def one_line(message: str) -> str:
    """A message of xDSL, which may have several lines, as one."""
    return " ".join(line.strip() for line in message.strip().splitlines())


def name_of(op: Operation) -> str:
    """The name of an operation, also of one that no dialect has."""
    return op.op_name.data if isinstance(op, UnregisteredOp) else op.name
