"""Lark's part: from grammar text to LALR(1) tables."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from lark import Lark
from lark.lexer import Lexer, TerminalDef
from lark.parsers.lalr_analysis import Shift
from xdsl.irdl import IRDLOperation

from mlc.syntax.formats import grammar_of
from mlc.syntax.tables import Production, Row, Tables

STARTS = ("file", "region", "attribute", "type", "location", "dense_elements", "affine_map", "affine_set")
_HERE = Path(__file__).parent


class _NoLexer(Lexer):
    """Stands for `lexer.Lexer`, which runs with the tables, not with lark."""

    __future_interface__ = 2

    def __init__(self, lexer_conf: Any) -> None: ...

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Any]:
        raise NotImplementedError


def build_tables(operations: Sequence[type[IRDLOperation]]) -> Tables:
    """Compile the grammar with lark."""
    rules: list[str] = []
    alternatives: list[str] = []
    terminals: list[str] = []
    for op in operations:
        part = grammar_of(op)
        if part is not None:
            alternatives.append(part.alternative)
            rules += part.rules
            terminals += part.terminals
    text = (_HERE / "mlir.lark").read_text("utf-8").replace("%%OPERATIONS%%", "\n".join(alternatives))
    declared = f"\n%declare {' '.join(terminals)}\n" if terminals else "\n"
    lark = Lark(
        text + "\n".join(rules) + declared,
        parser="lalr",
        lexer=_NoLexer,
        start=list(STARTS),
        keep_all_tokens=True,
        maybe_placeholders=False,
    )
    return _flatten(cast(Any, lark).parser.parser._parse_table, lark.terminals)


def _flatten(table: Any, terminals: Iterable[TerminalDef]) -> Tables:
    """Lark's parse table (states that map symbols to actions on rule objects) as plain data."""
    numbers: dict[int, int] = {}
    rules: list[Production] = []

    def number(rule: Any) -> int:
        if id(rule) not in numbers:
            numbers[id(rule)] = len(rules)
            action = sys.intern(str(rule.alias or rule.options.template_source or rule.origin.name))
            rules.append(
                Production(
                    len(rule.expansion),
                    sys.intern(str(rule.origin.name)),
                    None if action == "keep" else action,
                )
            )
        return numbers[id(rule)]

    rows: list[Row] = [{} for _ in table.states]
    for state, actions in cast("dict[int, dict[str, tuple[Any, Any]]]", table.states).items():
        rows[state] = {
            sys.intern(str(symbol)): arg if kind is Shift else ~number(arg) for symbol, (kind, arg) in actions.items()
        }
    words = {str(t.pattern.value): sys.intern(str(t.name)) for t in terminals}
    directive_rows = {
        i: found for i, row in enumerate(rows) if (found := [t for t in row if t.startswith("DIRECTIVE__")])
    }
    return Tables(
        rows,
        rules,
        dict(table.start_states),
        dict(table.end_states),
        {s: t for s, t in words.items() if s[0].isalpha() or s[0] == "_"},
        {s: t for s, t in words.items() if not (s[0].isalpha() or s[0] == "_")},
        directive_rows,
    )
