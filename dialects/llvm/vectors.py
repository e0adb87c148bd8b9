"""Ops on vectors, elements and masks, and the conversions between integers and floats that xDSL lacks."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    I1,
    I32,
    AnyFloatConstr,
    IntegerAttr,
    SignlessIntegerConstraint,
    VectorType,
    i1,
    i64,
)
from xdsl.dialects.llvm import FastMathAttr, FCmpPredicateFlag, GenericCastOp, LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParsePropInAttrDict,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from mlc.support.types import vector_type

_MASK = I1 | VectorType[I1]


@irdl_op_definition
class FPToSIOp(GenericCastOp):
    """A float to a signed integer, towards zero; poison if it does not fit.

    ```mlir
    %i = llvm.fptosi %x : vector<8xf32> to vector<8xi32>
    ```
    """

    name = "llvm.fptosi"


@irdl_op_definition
class FPToUIOp(GenericCastOp):
    """A float to an unsigned integer, towards zero; poison if it does not fit.

    ```mlir
    %i = llvm.fptoui %x : f32 to i32
    ```
    """

    name = "llvm.fptoui"


@irdl_op_definition
class UIToFPOp(GenericCastOp):
    """An unsigned integer to a float.

    ```mlir
    %x = llvm.uitofp %i : vector<8xi1> to vector<8xf32>
    ```
    """

    name = "llvm.uitofp"


@irdl_op_definition
class PoisonOp(IRDLOperation):
    """A value that nothing may depend on: what a vector is before its elements are inserted.

    ```mlir
    %v = llvm.mlir.poison : vector<8xf32>
    ```
    """

    name = "llvm.mlir.poison"
    res = result_def(Attribute)
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($res)"

    def __init__(self, result_type: Attribute):
        super().__init__(result_types=[result_type])


@irdl_op_definition
class ExtractElementOp(IRDLOperation):
    """The element of a vector at a position.

    ```mlir
    %x = llvm.extractelement %v[%i : i64] : vector<8xf32>
    ```
    """

    name = "llvm.extractelement"
    T: ClassVar = VarConstraint("T", AnyAttr())
    vector = operand_def(VectorType.constr(T))
    position = operand_def(SignlessIntegerConstraint)
    res = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$vector `[` $position `:` type($position) `]` attr-dict `:` type($vector)"

    def __init__(self, vector: SSAValue, position: SSAValue):
        shape = vector_type(vector.type)
        assert shape is not None
        super().__init__(operands=[vector, position], result_types=[shape.element_type])


@irdl_op_definition
class FCmpOp(IRDLOperation):
    """A comparison of floats, elementwise on vectors.

    ```mlir
    %m = llvm.fcmp "olt" %a, %b : vector<16xf32>
    ```
    """

    name = "llvm.fcmp"
    T: ClassVar = VarConstraint("T", AnyFloatConstr | VectorType.constr(AnyFloatConstr))
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(_MASK)
    predicate = prop_def(IntegerAttr[i64])
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())

    def __init__(self, lhs: SSAValue, rhs: SSAValue, predicate: FCmpPredicateFlag):
        super().__init__(
            operands=[lhs, rhs],
            result_types=[mask_type_of(lhs.type)],
            properties={"predicate": IntegerAttr(predicate.to_int(), i64)},
        )

    def verify_(self) -> None:
        required = mask_type_of(self.lhs.type)
        if self.res.type != required:
            raise VerifyException(f"llvm.fcmp: the result is {self.res.type}, operands like these require {required}")

    @classmethod
    def parse(cls, parser: Parser) -> "FCmpOp":
        position = parser.pos
        literal = parser.parse_str_literal()
        if literal not in list(FCmpPredicateFlag):
            parser.raise_error(f"unknown predicate '{literal}' of llvm.fcmp", at_position=position)
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        operand_type = parser.parse_type()
        op = cls(
            parser.resolve_operand(lhs, operand_type),
            parser.resolve_operand(rhs, operand_type),
            FCmpPredicateFlag(literal),
        )
        flags = attributes.pop("fastmathFlags", None)
        if flags is not None:
            op.properties["fastmathFlags"] = flags
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f' "{FCmpPredicateFlag.from_int(self.predicate.value.data).value}" ')
        printer.print_ssa_value(self.lhs)
        printer.print_string(", ")
        printer.print_ssa_value(self.rhs)
        shown = dict(self.attributes)
        if self.fastmathFlags.data:
            shown["fastmathFlags"] = self.fastmathFlags
        printer.print_op_attributes(shown)
        printer.print_string(" : ")
        printer.print_attribute(self.lhs.type)


@irdl_op_definition
class SelectOp(IRDLOperation):
    """One of two values, or of two vectors element by element.

    ```mlir
    %r = llvm.select %c, %a, %b : i1, f32
    %s = llvm.select %m, %v, %w : vector<8xi1>, vector<8xf32>
    ```
    """

    name = "llvm.select"
    T: ClassVar = VarConstraint("T", AnyAttr())
    cond = operand_def(_MASK)
    lhs = operand_def(T)
    rhs = operand_def(T)
    res = result_def(T)
    fastmathFlags = prop_def(FastMathAttr, default_value=FastMathAttr(None))
    traits = traits_def(Pure())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$cond `,` $lhs `,` $rhs attr-dict `:` type($cond) `,` type($res)"

    def __init__(self, cond: SSAValue, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[cond, lhs, rhs], result_types=[lhs.type])

    def verify_(self) -> None:
        if self.cond.type != i1 and self.cond.type != mask_type_of(self.res.type):
            raise VerifyException(
                f"llvm.select: the condition is {self.cond.type}, a choice of {self.res.type} requires i1 "
                f"or {mask_type_of(self.res.type)}"
            )


@irdl_op_definition
class MaskedLoadOp(IRDLOperation):
    """Reads the lanes whose mask bit is set; the others are taken from `pass_thru` and not touched in memory.

    ```mlir
    %v = llvm.intr.masked.load %p, %mask, %zero {alignment = 4 : i32}
           : (!llvm.ptr, vector<16xi1>, vector<16xf32>) -> vector<16xf32>
    ```
    """

    name = "llvm.intr.masked.load"
    T: ClassVar = VarConstraint("T", AnyAttr())
    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    pass_thru = operand_def(T)
    res = result_def(T)
    alignment = prop_def(IntegerAttr[I32])
    traits = traits_def(MemoryReadEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "operands attr-dict `:` functional-type(operands, results)"


@irdl_op_definition
class MaskedStoreOp(IRDLOperation):
    """Writes the lanes whose mask bit is set; memory of the others is not touched.

    ```mlir
    llvm.intr.masked.store %v, %p, %mask {alignment = 4 : i32} : vector<16xf32>, vector<16xi1> into !llvm.ptr
    ```
    """

    name = "llvm.intr.masked.store"
    value = operand_def(VectorType)
    data = operand_def(LLVMPointerType)
    mask = operand_def(VectorType[I1])
    alignment = prop_def(IntegerAttr[I32])
    traits = traits_def(MemoryWriteEffect())
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = "$value `,` $data `,` $mask attr-dict `:` type($value) `,` type($mask) `into` type($data)"


def mask_type_of(compared: Attribute) -> Attribute:
    """The type of a comparison of two values of type `compared`: i1, or a vector of as many."""
    vector = vector_type(compared)
    return i1 if vector is None else VectorType(i1, vector.get_shape())


VECTOR_OPS: Sequence[type[IRDLOperation]] = (
    FPToSIOp,
    FPToUIOp,
    UIToFPOp,
    PoisonOp,
    ExtractElementOp,
    FCmpOp,
    SelectOp,
    MaskedLoadOp,
    MaskedStoreOp,
)
