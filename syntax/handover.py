"""Hand-over: an xDSL parser at the position of ours, for syntax that has a hand-written parser.

Operations with a `parse` method, dialect types and attributes, and the custom directives of assembly formats keep
working unchanged: they get this object, which shares names, blocks and aliases with the builder, and comes back to
the machine
for regions and to the builder for types and attributes.
"""

from __future__ import annotations

import inspect
import re
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn, cast

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.context import Context
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    LocationAttr,
    RankedStructure,
    ShapedType,
    UnknownLoc,
    UnregisteredAttr,
    UnregisteredOp,
)
from xdsl.ir import Attribute, Block, Operation, ParametrizedAttribute, Region, SSAValue, TypeAttribute
from xdsl.ir.affine import AffineMap, AffineSet
from xdsl.parser import AttrParser, Parser, UnresolvedOperand
from xdsl.parser.generic_parser import ParserState
from xdsl.traits import SymbolOpInterface
from xdsl.utils.exceptions import ParseError, VerifyException
from xdsl.utils.lexer import Input, Span
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRToken, MLIRTokenKind

from mlc.support.errors import SourceLocation, UserError
from mlc.support.requirements import check_type, complete_dialects
from mlc.support.spelling import STRING
from mlc.syntax import dense
from mlc.syntax.errors import Consequence, Fault, mistake_of, reason_of
from mlc.syntax.lexer import FRACTION, LIKE_TYPE, SIMPLE_TYPE, SPACE
from mlc.syntax.plain_parameters import has_plain_parameters, made_of
from mlc.syntax.recovery import starts_operation
from mlc.syntax.words import counted, one_line

if TYPE_CHECKING:
    from mlc.syntax.builder import ModuleBuilder

_SIMPLE_TYPE = re.compile(rf"{SIMPLE_TYPE}|[a-z]\w*+(?![.$<])", re.ASCII).match


class _Lexer(MLIRLexer):
    """xDSL's lexer with our numbers and white space, and strings in linear time, also unclosed ones."""

    _unescaped_characters_regex = re.compile(STRING)
    _whitespace_regex = re.compile(rf"(?://[^\n]*\n?|{SPACE}+)*", re.ASCII)
    _fractional_suffix_regex = re.compile(FRACTION)


@dataclass
class _LocatedArgument(Parser.UnresolvedArgument):
    """An argument of a region, whose type is not known yet, and its location in the text."""

    location: LocationAttr | None

    def resolve(self, type: Attribute) -> Parser.Argument:
        return Parser.Argument(self.name, type, self.location)


class HandOver(Parser):
    """xDSL's parser interface over the state of a builder."""

    def __init__(self, ctx: Context, builder: ModuleBuilder) -> None:
        lexer = _Lexer(Input(builder.text, builder.source.filename))
        lexer.pos = len(builder.text)  # it is told later where to start
        AttrParser.__init__(self, ParserState(lexer), ctx, builder.aliases)
        self.ssa_values = {}
        self.blocks = {}
        self.forward_block_references = defaultdict(list)
        self.forward_ssa_references = {}
        self._builder = builder
        self._op: type[Operation] | None = None
        self._around: list[str] = []
        """The dialects of the types and attributes that are open, from the outermost on."""
        self._read_to = 0
        """The end of the last token that was taken."""

    def _go_on_at(self, position: int) -> None:
        """Go on after what something else has read."""
        self._resume_from(position)
        self._read_to = position

    # ---- from the lexer

    def operation(self, op: type[Operation], name: tuple[int, int], dialects: Sequence[str]) -> tuple[Operation, int]:
        """The operation whose name starts and ends at `name`, and where it ends itself."""
        start, end = name
        with self._inside(op, dialects, start):
            self._go_on_at(end)
            result = op.parse(self)
            if not isinstance(cast(object, result), op):
                raise _gives_no_operation(op, result)
        return result, self.pos

    @contextmanager
    def _inside(self, op: type[Operation], dialects: Sequence[str], start: int) -> Generator[None, None, None]:
        """While a part of `op` is parsed: its dialect's names need no prefix, and regions are its regions.

        Faults get a place: where the parser is, and `start` for what only shows when all has been read.
        """
        outer = self._parser_state.dialect_stack, self._op
        self._parser_state.dialect_stack, self._op = [*dialects, op.dialect_name()], op
        try:
            yield
        except Fault as e:
            if e.position is None:
                e.position = self._place()
            raise
        except ParseError:
            raise
        except Exception as e:
            if (mistake := mistake_of(op, e, self._builder.source.locate(start))) is not None:
                raise mistake from e
            if (reason := reason_of(e)) is None:
                raise
            raise Fault(f"'{op.name}': {reason}", start if self._at_next_operation() else self.pos) from e
        finally:
            self._parser_state.dialect_stack, self._op = outer

    def _consume_token(self, expected_kind: MLIRTokenKind | None = None) -> MLIRToken:
        token = super()._consume_token(expected_kind)
        self._read_to = token.span.end
        return token

    def _place(self) -> int:
        """Where an error belongs that is found here: at the next token, unless that starts the next operation."""
        return self.pos if not self._at_next_operation() else max(self._read_to - 1, 0)

    def _at_next_operation(self) -> bool:
        text, token = self._builder.text, self._current_token
        at = token.span.start
        if "\n" not in text[self._read_to : at]:
            return False
        if text[at : at + 1] in ("", "}") or starts_operation(text, at):
            return True
        named = [self._builder.operation_class(f"{d}.{token.text}") for d in self._parser_state.dialect_stack]
        return any(op is not None and not issubclass(op, UnregisteredOp) for op in named)

    def raise_error(self, msg: str, at_position: Any = None, end_position: Any = None) -> NoReturn:
        """Raise an error of a hand-written parser. One that finds a line too short is shown at the end of that line."""
        if at_position in (None, self.pos, self._current_token.span) and self._at_next_operation():
            raise Fault(one_line(msg), self._place())
        cast(Any, super().raise_error)(msg, at_position, end_position)
        raise AssertionError("the line above raises")

    def dialect_attribute(self, name: str, start: int, end: int) -> tuple[Attribute, int]:
        """The type (`!a.b`) or attribute (`#a.b`) that starts at `start` and whose name ends at `end`."""
        builder = self._builder
        if (known := builder.dialect_attribute_at(start, end)) is not None:
            return known
        builder.require_dialect(name[1:].split(".", 1)[0], start)
        self._go_on_at(end)
        dialect = name[1:].split(".", 1)[0]
        self._around.append(dialect)
        try:
            attribute = self._parse_extended_type_or_attribute(name[1:], cast(Any, name[0] == "!"))
        finally:
            self._around.pop()
        if builder.checked and dialect not in self._around[-1:]:  # a check covers what it holds of its dialect
            self._check_attribute(attribute, name, start)
        builder.remember_attribute(start, self._consumed_to(), attribute)
        return attribute, self.pos

    def _parse_dialect_type_or_attribute_body(
        self, attr_name: str, is_type: bool, is_opaque: bool, starting_opaque_pos: int | None
    ) -> Any:
        """The parameters of a type or attribute, and what its class makes of them."""
        start = self._builder.text.rfind("!" if is_type else "#", 0, self._read_to)
        find = self.ctx.get_optional_type if is_type else self.ctx.get_optional_attr
        definition = find(attr_name)
        try:
            if has_plain_parameters(definition):
                return made_of(cast("type[ParametrizedAttribute]", definition), self.parse_paramattr_parameters())
            return super()._parse_dialect_type_or_attribute_body(attr_name, is_type, is_opaque, starting_opaque_pos)
        except Exception as e:
            read = self._builder.source.locate(start)
            if definition is not None and (mistake := mistake_of(definition, e, read)) is not None:
                raise mistake from e
            raise

    def _check_attribute(self, attribute: Attribute, name: str, start: int) -> None:
        """Raise Fault for what xDSL takes and upstream refuses."""
        if isinstance(attribute, UnregisteredAttr) and attribute.attr_name.data.split(".")[0] in complete_dialects:
            noun = "type" if name[0] == "!" else "attribute"
            raise Fault(f"unknown {noun} '{name[0]}{attribute.attr_name.data}'", start)
        try:
            check_type(attribute)
        except VerifyException as e:
            raise Fault(str(e), start) from None

    def directive(self, terminal: str, position: int, dialects: Sequence[str]) -> tuple[daf.ParsingState, int]:
        """What a directive of an assembly format finds at `position`."""
        op, directive = self._builder.directive_of(terminal)
        state = daf.ParsingState(op)
        with self._inside(op, dialects, position):
            self._go_on_at(position)
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

    def resolve_operands(
        self, args: Sequence[UnresolvedOperand], input_types: Sequence[Attribute], error_pos: int
    ) -> Sequence[SSAValue]:
        """The values of operands. Raises Fault if there are more or fewer types."""
        if len(args) != len(input_types):
            message = f"{counted(len(args), 'operand')} but {counted(len(input_types), 'operand type')}"
            raise Fault(message, args[0].span.start if args else error_pos)
        return [self.resolve_operand(operand, kind) for operand, kind in zip(args, input_types, strict=True)]

    def _register_ssa_definition(self, name: str, values: Sequence[SSAValue], span: Span) -> None:
        self._builder.scopes.define(name, values, span.start)

    def parse_affine_map_of_ssa_ids(self) -> tuple[AffineMap, Sequence[Any]]:
        """Subscripts, by a parser of its own that shares the position."""
        found = super().parse_affine_map_of_ssa_ids()
        self._read_to = self._builder.text.rindex("]", 0, self.pos) + 1
        return found

    def _parse_optional_operand_without_type(self) -> SSAValue | None:
        operand = self.parse_optional_unresolved_operand()
        if operand is None:
            return None
        values = self._builder.scopes.lookup(operand.operand_name)
        if values is None and self._builder.scopes.unusable(operand.operand_name):
            raise Consequence
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
        self._go_on_at(end)
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

        Functions are left out: they have attributes before the locations of arguments, and read both.
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
        token, builder = self._current_token, self._builder
        if token.kind == MLIRTokenKind.BARE_IDENT:
            start = token.span.start
            if m := _SIMPLE_TYPE(builder.text, start):
                found = builder.simple_type(m[0], start) if m[0][-1] == ">" else builder.scalar_type(m[0])
                if found is not None:
                    self._go_on_at(m.end())
                    return cast(TypeAttribute, found)
            if LIKE_TYPE(token.text):
                raise builder.unknown_type(token.text, start)
        elif token.kind == MLIRTokenKind.EXCLAMATION_IDENT:
            start, end = token.span.start, token.span.end
            if "." in token.text and (known := builder.dialect_attribute_at(start, end)) is not None:
                self._go_on_at(known[1])
                return cast(TypeAttribute, known[0])
        return cast("TypeAttribute | None", self._parse_prefix("type"))

    def parse_type(self) -> TypeAttribute:
        """A type."""
        if (found := self.parse_optional_type()) is None:
            self.raise_error("expected a type")
        return found

    def parse_affine_map(self) -> AffineMap:
        """An affine map without its keyword."""
        return self._parse_prefix("affine_map") or self.raise_error("expected an affine map")

    def parse_affine_set(self) -> AffineSet:
        """An affine set without its keyword."""
        return self._parse_prefix("affine_set") or self.raise_error("expected an affine set")

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
        self._go_on_at(found[1])
        return found[0]

    def parse_dense_int_or_fp_elements_attr(self, type: RankedStructure[Any] | None) -> DenseIntOrFPElementsAttr:
        """A dense attribute after its keyword; `type` is its type if the text does not say it."""
        position = self.pos
        self.parse_punctuation("<")
        literal = self._parse_prefix("dense_elements")
        self.parse_punctuation(">")
        if type is None:
            self.parse_punctuation(":")
        return dense.attribute(literal, type or self.parse_type(), position, self._builder.checked)

    def _parse_builtin_dense_resource_attr(self) -> DenseResourceAttr:
        self.parse_punctuation("<")
        position = self.pos
        name = self.parse_identifier_or_str_literal(" for the name of a resource")
        self.parse_punctuation(">")
        self.parse_punctuation(":")
        kind = self.parse_type()
        if not isinstance(kind, ShapedType):
            raise Fault(f"a dense_resource has a shaped type, got {kind}", position)
        return self.resource_use(name, kind, position)

    def resource_use(self, name: str, kind: ShapedType, position: int) -> DenseResourceAttr:
        """The attribute for a resource, which is looked for at the end of the file (`NotesResources`)."""
        return self._builder.resource_use(name, kind, position)


def _gives_no_operation(op: type[Operation], found: object) -> UserError:
    """The error of a plugin whose parser forgets what it is for."""
    parse = inspect.unwrap(op.parse)
    code = getattr(parse, "__code__", None)
    place = SourceLocation(code.co_filename, code.co_firstlineno) if code is not None else None
    return UserError(f"'{op.name}': {op.__name__}.parse gave {found!r}; it has to return a {op.__name__}", place)
