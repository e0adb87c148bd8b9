"""Hand-over: an xDSL parser at the position of ours, for syntax that has a hand-written parser.

Operations with a `parse` method, dialect types and attributes, and the custom directives of assembly formats keep
working unchanged: they get this object, which shares names, blocks and aliases with the builder, and comes back to
the machine
for regions and to the builder for types and attributes.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    LocationAttr,
    RankedStructure,
    ShapedType,
    UnknownLoc,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue, TypeAttribute
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from mlc.syntax import dense
from mlc.syntax.errors import Fault, reason_of
from mlc.syntax.lexer import FRACTION, SIMPLE_TYPE, STRING

if TYPE_CHECKING:
    from mlc.syntax.builder import Builder

_SIMPLE_TYPE = re.compile(rf"{SIMPLE_TYPE}|[a-z]+[0-9]*(?![\w.$<])").match


class _Lexer(MLIRLexer):
    """xDSL's lexer, with a pattern for strings that takes linear time for unclosed ones too, and our numbers."""

    _unescaped_characters_regex = re.compile(STRING)
    _fractional_suffix_regex = re.compile(FRACTION)


@dataclass
class _LocatedArgument(Parser.UnresolvedArgument):
    """An argument of a region, whose type is not known yet, and its location in the text."""

    location: LocationAttr | None

    def resolve(self, type: Attribute) -> Parser.Argument:
        return Parser.Argument(self.name, type, self.location)


class HandOver(Parser):
    """xDSL's parser interface over the state of a builder."""

    def __init__(self, ctx: Context, builder: Builder) -> None:
        lexer = _Lexer(Input(builder.text, builder.source.filename))
        lexer.pos = len(builder.text)  # it is told later where to start
        AttrParser.__init__(self, ParserState(lexer), ctx, builder.aliases)
        self.ssa_values = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}
        self._builder = builder
        self._op: type[Operation] | None = None

    # ---- from the lexer

    def operation(self, op: type[Operation], position: int, dialects: Sequence[str]) -> tuple[Operation, int]:
        """The operation whose body starts at `position`, and where it ends."""
        with self._inside(op, dialects):
            self._resume_from(position)
            result = op.parse(self)
        return result, self.pos

    @contextmanager
    def _inside(self, op: type[Operation], dialects: Sequence[str]) -> Generator[None, None, None]:
        """While a part of `op` is parsed: its dialect's names need no prefix, and regions are its regions."""
        outer = self._parser_state.dialect_stack, self._op
        self._parser_state.dialect_stack, self._op = [*dialects, op.dialect_name()], op
        try:
            yield
        except (Fault, ParseError):
            raise
        except Exception as e:
            if (reason := reason_of(e, f"cannot parse this as part of '{op.name}'")) is None:
                raise
            raise Fault(reason, self.pos) from e
        finally:
            self._parser_state.dialect_stack, self._op = outer

    def dialect_attribute(self, name: str, start: int, end: int) -> tuple[Attribute, int]:
        """The type (`!a.b`) or attribute (`#a.b`) that starts at `start` and whose name ends at `end`."""
        builder = self._builder
        if (known := builder.dialect_attribute_at(start, end)) is not None:
            return known
        builder.require_dialect(name[1:].split(".", 1)[0], start)
        self._resume_from(end)
        attribute = self._parse_extended_type_or_attribute(name[1:], cast(Any, name[0] == "!"))
        builder.remember_attribute(start, self._consumed_to(), attribute)
        return attribute, self.pos

    def directive(self, terminal: str, position: int, dialects: Sequence[str]) -> tuple[daf.ParsingState, int]:
        """What a directive of an assembly format finds at `position`."""
        op, directive = self._builder.directive_of(terminal)
        state = daf.ParsingState(op)
        with self._inside(op, dialects):
            self._resume_from(position)
            directive.parse(self, state)
        return state, self.pos

    def _consumed_to(self) -> int:
        """The end of the last token that was consumed."""
        text, position = self._builder.text, self.pos
        while position > 0 and text[position - 1] in " \t\n\r":
            position -= 1
        return position

    # ---- names and blocks

    def resolve_operand(self, operand: UnresolvedOperand, type: Any) -> Any:
        """The value of an operand, or a placeholder for a later definition."""
        return self._builder.scopes.resolve(operand.operand_name, operand.index, operand.span.start, type)

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        self._builder.scopes.define(name, values, span.start)

    def _parse_optional_operand_without_type(self) -> SSAValue | None:
        operand = self.parse_optional_unresolved_operand()
        if operand is None:
            return None
        values = self._builder.scopes.lookup(operand.operand_name)
        if values is None:
            raise Fault(f"value '%{operand.operand_name}' is used before it is defined", operand.span.start)
        if operand.index >= len(values):
            raise Fault(f"'%{operand.operand_name}#{operand.index}' does not exist", operand.span.start)
        return values[operand.index]

    def _get_block_from_name(self, block_name: Span) -> Block:
        return self._builder.scopes.block(block_name.text[1:], block_name.start)

    def parse_optional_successor(self) -> Block | None:
        """The block that a label names, if one stands here."""
        token = self._parse_optional_token(MLIRTokenKind.CARET_IDENT)
        return None if token is None else self._get_block_from_name(token.span)

    # ---- back to the machine and the builder

    def parse_optional_region(self, arguments: Iterable[Parser.Argument] | None = None) -> Region | None:
        """A region, if one starts here; `arguments` become those of its first block."""
        if self._current_token.kind != MLIRTokenKind.L_BRACE:
            return None
        region, end = self._builder.parse_region(self.pos, arguments, self._op, self._parser_state.dialect_stack)
        self._resume_from(end)
        return region

    def parse_operation(self) -> Operation:
        """An operation inside of another one's syntax."""
        position, outer = self.pos, self._op
        op = super().parse_operation()
        self._op = outer
        if isinstance(op.location, UnknownLoc):
            op.location = self._builder.location_at(position)
        return op

    def parse_optional_argument(self, expect_type: bool = True) -> Any:
        """An argument of a region, if one stands here, with its location.

        Functions are left out: they have attributes in front of the locations of arguments, and read both.
        """
        argument = super().parse_optional_argument(expect_type)
        if argument is None or (expect_type and self._op is not None and self._op.has_trait(SymbolOpInterface)):
            return argument
        location = self.parse_optional_location()
        if isinstance(argument, Parser.UnresolvedArgument):
            return _LocatedArgument(argument.name, location)
        argument.location = location
        return argument

    def parse_optional_type(self) -> TypeAttribute | None:
        """A type, if one stands here; plain builtin types are not parsed twice."""
        token = self._current_token
        if token.kind == MLIRTokenKind.BARE_IDENT and (m := _SIMPLE_TYPE(self._builder.text, token.span.start)):
            found = self._builder.simple_type(m[0]) if m[0][-1] == ">" else self._builder.scalar_type(m[0])
            if found is not None:
                self._resume_from(m.end())
                return cast(TypeAttribute, found)
        elif token.kind == MLIRTokenKind.EXCLAMATION_IDENT:
            start, end = token.span.start, token.span.end
            if "." in token.text and (known := self._builder.dialect_attribute_at(start, end)) is not None:
                self._resume_from(known[1])
                return cast(TypeAttribute, known[0])
        return cast("TypeAttribute | None", self._parse_prefix("type"))

    def parse_optional_attribute(self) -> Attribute | None:
        """An attribute, if one stands here."""
        return self._parse_prefix("attribute")

    def parse_optional_location(self) -> LocationAttr | None:
        """A location, if one stands here."""
        if self._current_token.text != "loc":
            return None
        return cast(LocationAttr, self._parse_prefix("location"))

    def _parse_prefix(self, symbol: str) -> Any:
        if self._current_token.kind == MLIRTokenKind.EOF:
            return None
        found = self._builder.parse_prefix(symbol, self.pos)
        if found is None:
            return None
        self._resume_from(found[1])
        return found[0]

    def parse_dense_int_or_fp_elements_attr(self, type: RankedStructure[Any] | None) -> DenseIntOrFPElementsAttr:
        """A dense attribute behind its keyword; `type` is its type if the text does not say it."""
        position = self.pos
        self.parse_punctuation("<")
        literal = self._parse_prefix("dense_elements")
        self.parse_punctuation(">")
        if type is None:
            self.parse_punctuation(":")
        return dense.attribute(literal, type or self.parse_type(), position)

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        self.parse_punctuation("<")
        position = self.pos
        name = self.parse_identifier_or_str_literal(" for the name of a resource")
        self.parse_punctuation(">")
        self.parse_punctuation(":")
        kind = self.parse_type()
        if not isinstance(kind, ShapedType):
            raise Fault(f"a dense_resource has a shaped type, got {kind}", position)
        return self._builder.resource_use(name, kind, position)
