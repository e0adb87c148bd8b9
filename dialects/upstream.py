"""How dialects of xDSL are completed: ops of ours beside or in place of its own, and formats that upstream has for its
ops.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast, runtime_checkable

import xdsl.irdl.declarative_assembly_format as daf
from xdsl.dialects.builtin import DenseResourceAttr, ShapedType, TensorType
from xdsl.ir import Attribute, Block, Dialect, Operation, Region
from xdsl.irdl import IRDLOperation, OpDef
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import IsTerminator

Op = TypeVar("Op", bound=IRDLOperation)


def completed(
    dialect: Dialect, operations: Sequence[type[Operation]], attributes: Sequence[type[Attribute]] = ()
) -> Dialect:
    """The dialect with these operations and attributes, which replace those of the same name."""
    ours = {definition.name for definition in (*operations, *attributes)}
    return Dialect(
        dialect.name,
        [*operations, *(op for op in dialect.operations if op.name not in ours)],
        [*attributes, *(a for a in dialect.attributes if a.name not in ours)],
    )


def written(assembly_format: str) -> Callable[[type[Op]], type[Op]]:
    """A decorator for a plain subclass of one of xDSL's ops: it is the same op, and has this format.

    @written("$source attr-dict `:` type($source) `to` type($dest)")
    class CastOp(memref.CastOp):
        "A cast ..."
    """

    def decorate(op: type[Op]) -> type[Op]:
        definition = replace(op.get_irdl_definition(), assembly_format=assembly_format)
        program = daf.FormatProgram.from_str(assembly_format, definition)

        def parse(cls: type[Op], parser: Parser) -> Op:
            return program.parse(parser, cls)

        def write(self: Op, printer: Printer) -> None:
            program.print(printer, self)

        def get_irdl_definition(_cls: type[Op]) -> OpDef:
            return definition

        members: dict[str, object] = {
            "parse": classmethod(parse),
            "print": write,
            "get_irdl_definition": classmethod(get_irdl_definition),
        }
        for name, member in members.items():
            setattr(op, name, member)
        return op

    return decorate


def parse_arrow_types(parser: Parser) -> Sequence[Attribute]:
    """`-> (i32, f32)`, `-> i32`, or nothing."""
    if parser.parse_optional_punctuation("->") is None:
        return ()
    types = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
    return (parser.parse_type(),) if types is None else types


def print_arrow_types(printer: Printer, types: Sequence[Attribute]) -> None:
    """` -> (i32, f32)`, or nothing."""
    if types:
        printer.print_string(" -> ")
        with printer.in_parens():
            printer.print_list(types, printer.print_attribute)


@runtime_checkable
class NotesResources(Protocol):
    """A parser that wants to know which resources a text uses."""

    def resource_use(self, name: str, kind: ShapedType, position: int) -> DenseResourceAttr:
        """The attribute for a resource that the text names at `position`."""
        ...


def parse_untyped_data(parser: Parser, kind: TensorType[Attribute]) -> Attribute:
    """`dense<…>` or `dense_resource<…>` where the type stands elsewhere."""
    if parser.parse_optional_keyword("dense"):
        return parser.parse_dense_int_or_fp_elements_attr(cast(Any, kind))
    parser.parse_keyword("dense_resource")
    with parser.in_angle_brackets():
        position = parser.pos
        name = parser.parse_identifier_or_str_literal(" for the name of a resource")
    if isinstance(parser, NotesResources):
        return parser.resource_use(name, kind, position)
    return DenseResourceAttr.from_params(name, kind)


def close(region: Region, terminator: Callable[[], Operation]) -> None:
    """Add the terminator that the text of a region may leave out."""
    if not region.blocks:
        region.add_block(Block())
    for block in region.blocks:
        last = block.last_op
        if last is None or not last.has_trait(IsTerminator, value_if_unregistered=False):
            block.add_op(terminator())


def print_closed(printer: Printer, region: Region) -> None:
    """A region whose entry block has its arguments elsewhere, without a terminator that says nothing."""
    last = region.block.last_op if len(region.blocks) == 1 else None
    says_something = last is None or bool(last.operands or last.attributes or [*last.walk()][1:])
    printer.print_region(region, print_entry_block_args=False, print_block_terminators=says_something)
