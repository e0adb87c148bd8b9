"""Changing an element of a buffer in one step that no other thread can divide."""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import (
    I64,
    AnyFloatConstr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    SignlessIntegerConstraint,
    i64,
)
from xdsl.ir import Attribute
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import MemRef

KINDS = (
    "addf",
    "addi",
    "assign",
    "maximumf",
    "maxs",
    "maxu",
    "minimumf",
    "mins",
    "minu",
    "mulf",
    "muli",
    "ori",
    "andi",
    "maxnumf",
    "minnumf",
)
"""How an element and a value are combined, by upstream's numbers (`AtomicRMWKind`)."""

_FLOATS = ("addf", "maximumf", "minimumf", "mulf", "maxnumf", "minnumf")


@irdl_op_definition
class AtomicRMWOp(IRDLOperation):
    """Combines an element of a buffer with a value; the result is what the element was before.

    ```mlir
    %old = memref.atomic_rmw addf %x, %m[%i] : (f32, memref<10xf32>) -> f32
    ```

    Constraints:
      atomic_rmw_c1: there is one index for each dim
      atomic_rmw_c2: floats are combined as floats, integers as integers
    """

    name = "memref.atomic_rmw"

    T: ClassVar = VarConstraint("T", AnyFloatConstr | SignlessIntegerConstraint)

    value = operand_def(T)
    memref = operand_def(MemRefType.constr(T))
    indices = var_operand_def(IndexType())
    kind = prop_def(IntegerAttr[I64])
    result = result_def(T)

    traits = traits_def(MemoryWriteEffect(), MemoryReadEffect())

    def verify_(self) -> None:
        rank = cast(MemRef, self.memref.type).get_num_dims()
        if len(self.indices) != rank:
            raise VerifyException(f"memref.atomic_rmw: {len(self.indices)} indices for {rank} dims (atomic_rmw_c1)")
        number = self.kind.value.data
        name = KINDS[number] if 0 <= number < len(KINDS) else str(number)
        is_integer = isinstance(self.value.type, IntegerType)
        if name not in KINDS or (name != "assign" and (name in _FLOATS) == is_integer):
            raise VerifyException(f"memref.atomic_rmw: '{name}' does not combine {self.value.type} (atomic_rmw_c2)")

    @classmethod
    def parse(cls, parser: Parser) -> AtomicRMWOp:
        kind = parser.parse_keyword_in(KINDS)
        position = parser.pos
        names = [parser.parse_unresolved_operand(), parser.parse_punctuation(",") and parser.parse_unresolved_operand()]
        indices = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
        parser.parse_punctuation("->")
        operands = parser.resolve_operands(names, types, position)
        return cls.create(
            operands=[*operands, *(parser.resolve_operand(i, IndexType()) for i in indices)],
            result_types=[parser.parse_type()],
            properties={"kind": IntegerAttr(KINDS.index(kind), i64)},
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {KINDS[self.kind.value.data]} ")
        printer.print_operand(self.value)
        printer.print_string(", ")
        printer.print_operand(self.memref)
        with printer.in_square_brackets():
            printer.print_list(self.indices, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        types: list[Attribute] = [self.value.type, self.memref.type]
        with printer.in_parens():
            printer.print_list(types, printer.print_attribute)
        printer.print_string(" -> ")
        printer.print_attribute(self.result.type)
