"""Declarative assembly formats as grammar rules.

A format such as `$lhs `,` $rhs attr-dict `:` type($result)` becomes one alternative of `custom_body`, introduced by a
terminal of its own, and one small rule for each optional group. What the parser finds is put in place by the same
directive objects of xDSL that would have parsed it, in the order of the format.

Shift/reduce conflicts, which an optional piece can cause, are resolved by shifting: what recursive descent does too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import ParseError

from mlc.syntax.directives import NotInGrammar, Parts, Setter, piece_of
from mlc.syntax.errors import Fault, reason_of
from mlc.syntax.inference import TypePlan

if TYPE_CHECKING:
    from mlc.syntax.build_operations import OperationActions

Directive = daf.FormatDirective


@dataclass
class OpGrammar:
    """What one operation adds to the grammar."""

    alternative: str
    """The alternative of `custom_body`."""
    rules: list[str] = field(default_factory=list[str])
    terminals: list[str] = field(default_factory=list[str])


@dataclass
class Format:
    """How the values that the parser found for one operation become the operation."""

    op: type[IRDLOperation]
    setters: tuple[tuple[int, Setter], ...]
    """What to do with which child of the alternative."""
    defaults: tuple[Callable[[Parts], None], ...]
    """Directives that stand for no text."""
    directives: dict[str, Directive]
    """Hand-written directives, by terminal."""
    types: TypePlan

    def build(self, builder: OperationActions, children: Sequence[Any]) -> Operation:
        """The operation. Raises Fault."""
        try:
            return self._build(builder, children)
        except (Fault, ParseError):
            raise
        except Exception as e:
            if (reason := reason_of(e)) is None:
                raise
            raise Fault(f"'{self.op.name}': {reason}", children[0]) from e

    def _build(self, builder: OperationActions, children: Sequence[Any]) -> Operation:
        parts = Parts(self.op)
        for i, put in self.setters:
            put(builder, parts, children[i])
        for put in self.defaults:
            put(parts)
        operand_types, result_types = self.types.resolve(parts)
        return builder.create_formatted(self.op, parts, operand_types, result_types)


@cache
def identifier(op: type[Operation]) -> str:
    """The op's name as a part of the names of rules and terminals."""
    return re.sub(r"\W", lambda m: "__" if m[0] == "." else f"_x{ord(m[0]):x}_", op.name)


def terminal(op: type[Operation]) -> str:
    """The terminal that stands for the op's name."""
    return f"OP__{identifier(op).upper()}"


def action(op: type[Operation]) -> str:
    """The action of the op's alternative."""
    return f"op__{identifier(op).lower()}"


def directive_terminal(op: type[Operation], number: int) -> str:
    """The terminal of one of the op's hand-written directives."""
    return f"DIRECTIVE__{identifier(op).upper()}__{number}"


def action_of_directive(terminal: str) -> str:
    """The action of the op to which the terminal of a directive belongs."""
    return f"op__{terminal.removeprefix('DIRECTIVE__').rpartition('__')[0].lower()}"


def grammar_of(op: type[IRDLOperation]) -> OpGrammar | None:
    """The grammar of an op with an assembly format, or None where only xDSL's own parser can read that format."""
    compiler = _Compiler(op)
    try:
        symbols = compiler.sequence(_program(op).stmts)
    except NotInGrammar:
        return None
    body = " ".join([terminal(op), *(s for s, _ in symbols if s)])
    return OpGrammar(f"    | {body} -> {action(op)}", compiler.rules, [terminal(op), *compiler.directives])


@cache
def format_of(op: type[IRDLOperation]) -> Format:
    """The other half of `grammar_of`: what to do with what was parsed."""
    compiler = _Compiler(op)
    program = _program(op)
    symbols = compiler.sequence(program.stmts)
    setters, defaults = _place(symbols, first_child=1)
    return Format(op, setters, defaults, compiler.directives, TypePlan.of(op, program))


def _program(op: type[IRDLOperation]) -> daf.FormatProgram:
    definition = op.get_irdl_definition()
    assert definition.assembly_format is not None
    return daf.FormatProgram.from_str(definition.assembly_format, definition)


_Symbol = tuple[str, "Setter | None"]


def _place(
    symbols: Sequence[_Symbol], first_child: int
) -> tuple[tuple[tuple[int, Setter], ...], tuple[Callable[[Parts], None], ...]]:
    """Number the children: a directive without text has a setter but no child."""
    setters: list[tuple[int, Setter]] = []
    defaults: list[Callable[[Parts], None]] = []
    position = first_child
    for symbol, put in symbols:
        if put is not None and symbol:
            setters.append((position, put))
        elif put is not None:
            defaults.append(_without_child(put))
        position += len(symbol.split())
    return tuple(setters), tuple(defaults)


def _without_child(put: Setter) -> Callable[[Parts], None]:
    return lambda parts: put(None, parts, None)  # pyright: ignore[reportArgumentType]


class _Compiler:
    """Turns the directives of one op into grammar symbols and setters."""

    def __init__(self, op: type[IRDLOperation]) -> None:
        self.op = op
        self.rules: list[str] = []
        self.directives: dict[str, Directive] = {}
        self._groups = 0

    def sequence(self, directives: Sequence[Directive], opens_group: bool = False) -> list[_Symbol]:
        return [self._symbol(d, opens_group and i == 0) for i, d in enumerate(directives)]

    def _symbol(self, directive: Directive, opens_group: bool) -> _Symbol:
        if isinstance(directive, daf.OptionalGroupDirective):
            return self._group(directive)
        piece = piece_of(directive, opens_group)
        if piece is not None:
            return piece
        if opens_group or isinstance(directive, daf.CustomDirective):
            # A custom directive may look at what the op's other directives have found, which only xDSL's parser knows.
            raise NotInGrammar(type(directive).__name__)
        name = directive_terminal(self.op, len(self.directives))
        self.directives[name] = directive
        return name, _merge

    def _group(self, group: daf.OptionalGroupDirective) -> _Symbol:
        taken = self.sequence((group.then_first, *group.then_elements), opens_group=True)
        absent = self.sequence(group.else_elements)
        name = f"group__{identifier(self.op).lower()}__{self._groups}"
        self._groups += 1
        self.rules.append(
            f"{name}: {' '.join(s for s, _ in taken if s)} -> group_taken"
            f"\n    | {' '.join(s for s, _ in absent if s)} -> group_absent"
        )
        then_setters, then_defaults = _place(taken, first_child=0)
        else_setters, else_defaults = _place(absent, first_child=0)

        def put(builder: OperationActions, parts: Parts, found: tuple[bool, Sequence[Any]]) -> None:
            is_taken, children = found
            for d in group.else_elements if is_taken else (group.then_first, *group.then_elements):
                d.set_empty(parts)  # pyright: ignore[reportArgumentType]
            for i, setter in then_setters if is_taken else else_setters:
                setter(builder, parts, children[i])
            for default in then_defaults if is_taken else else_defaults:
                default(parts)

        return name, put


def _merge(builder: OperationActions, parts: Parts, found: daf.ParsingState) -> None:
    """Take over what a hand-written directive found."""
    parts.merge(found)
