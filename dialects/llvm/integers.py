"""Integer ops that say which overflows cannot happen.

xDSL keeps their flags as a number, which MLIR does not read; here they are the attribute that MLIR prints.
"""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import SignlessIntegerConstraint, VectorType
from xdsl.dialects.llvm import OverflowAttr
from xdsl.ir import SSAValue
from xdsl.irdl import IRDLOperation, VarConstraint, irdl_op_definition, operand_def, prop_def, result_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure

NO_OVERFLOW_FLAGS = OverflowAttr("none")


class IntegerBinaryOp(IRDLOperation, ABC):
    """A function of two integers, elementwise on vectors; poison if it overflows as its flags say it does not.

    ```mlir
    %next = llvm.add %i, %one overflow<nsw, nuw> : i64
    ```
    """

    T: ClassVar = VarConstraint("T", SignlessIntegerConstraint | VectorType.constr(SignlessIntegerConstraint))
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    overflowFlags = prop_def(OverflowAttr, default_value=NO_OVERFLOW_FLAGS)
    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, overflow: OverflowAttr = NO_OVERFLOW_FLAGS):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type], properties={"overflowFlags": overflow})

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        overflow = NO_OVERFLOW_FLAGS
        if parser.parse_optional_keyword("overflow"):
            overflow = OverflowAttr(OverflowAttr.parse_parameter(parser))
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        kind = parser.parse_type()
        op = cls(parser.resolve_operand(lhs, kind), parser.resolve_operand(rhs, kind), overflow)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        if self.overflowFlags.data:
            printer.print_string(" overflow")
            self.overflowFlags.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class AddOp(IntegerBinaryOp):
    """The sum.

    ```mlir
    %r = llvm.add %a, %b overflow<nsw, nuw> : i64
    ```
    """

    name = "llvm.add"


@irdl_op_definition
class SubOp(IntegerBinaryOp):
    """The difference.

    ```mlir
    %r = llvm.sub %a, %b overflow<nsw, nuw> : i64
    ```
    """

    name = "llvm.sub"


@irdl_op_definition
class MulOp(IntegerBinaryOp):
    """The product.

    ```mlir
    %r = llvm.mul %a, %b overflow<nsw, nuw> : i64
    ```
    """

    name = "llvm.mul"


@irdl_op_definition
class ShlOp(IntegerBinaryOp):
    """Shifted left, with zeros from the right.

    ```mlir
    %r = llvm.shl %a, %b overflow<nsw, nuw> : i64
    ```
    """

    name = "llvm.shl"


INTEGER_OPS: Sequence[type[IntegerBinaryOp]] = (AddOp, SubOp, MulOp, ShlOp)
