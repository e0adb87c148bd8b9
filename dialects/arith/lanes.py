"""Comparisons and selections, of scalars or lane by lane."""

from collections.abc import Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.arith import (
    CMPF_COMPARISON_OPERATIONS,
    CMPI_COMPARISON_OPERATIONS,
    FastMathFlagsAttr,
    floatingPointLike,
    signlessIntegerLike,
)
from xdsl.dialects.builtin import IntegerAttr, TensorType, VectorType, i1, i64
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.irdl import (
    AnyAttr,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

MaskConstraint = EqAttrConstraint(i1) | BaseAttr(VectorType) | BaseAttr(TensorType)
"""One truth value, or one for each lane or element."""


def mask_of(compared: Attribute) -> Attribute:
    """The type of a comparison of two values of this type: i1, in the same shape."""
    if isinstance(compared, VectorType):
        lanes = cast(VectorType[Any], compared)
        return VectorType(i1, lanes.shape, lanes.scalable_dims)
    if isinstance(compared, TensorType):
        return TensorType(i1, cast(TensorType[Any], compared).shape)
    return i1


class _CompareOp(IRDLOperation):
    """What both comparisons share."""

    PREDICATES: ClassVar[Sequence[str]] = ()
    predicate = prop_def(IntegerAttr)
    result = result_def(MaskConstraint)

    traits = traits_def(Pure())

    @property
    def predicate_name(self) -> str:
        """The predicate as it is written: "slt", "oeq"."""
        return self.PREDICATES[self.predicate.value.data]

    @classmethod
    def properties_of(cls, predicate: int | str) -> dict[str, Attribute]:
        """The properties of a comparison.

        Raises:
            VerifyException: there is no such predicate.
        """
        if isinstance(predicate, str):
            if predicate not in cls.PREDICATES:
                names = ", ".join(cls.PREDICATES)
                raise VerifyException(f"{cls.name}: unknown predicate '{predicate}', required one of {names}")
            predicate = list(cls.PREDICATES).index(predicate)
        return {"predicate": IntegerAttr(predicate, i64)}

    def verify_(self) -> None:
        if not 0 <= self.predicate.value.data < len(self.PREDICATES):
            raise VerifyException(f"{self.name}: there is no predicate {self.predicate.value.data}")
        lhs, rhs = self.operands
        if lhs.type != rhs.type:
            raise VerifyException(f"{self.name}: operands must have one type, got {lhs.type} and {rhs.type}")
        if self.result.type != mask_of(lhs.type):
            raise VerifyException(
                f"{self.name}: comparing {lhs.type} gives {mask_of(lhs.type)}, the result is {self.result.type}"
            )

    @classmethod
    def parse_comparison(cls, parser: Parser) -> tuple[str, Sequence[SSAValue], dict[str, Attribute]]:
        """Parse `slt, %a, %b : i32`, with fast-math flags where the op has them."""
        position = parser.pos
        predicate = parser.parse_identifier()
        if predicate not in cls.PREDICATES:
            names = ", ".join(cls.PREDICATES)
            parser.raise_error(f"unknown predicate '{predicate}', required one of {names}", at_position=position)
        parser.parse_punctuation(",")
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        more: dict[str, Attribute] = {}
        if parser.parse_optional_keyword("fastmath"):
            more["fastmath"] = FastMathFlagsAttr(FastMathFlagsAttr.parse_parameter(parser))
        more |= parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        compared = parser.parse_type()
        return predicate, parser.resolve_operands([lhs, rhs], [compared, compared], parser.pos), more

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.predicate_name}, ")
        printer.print_list(self.operands, printer.print_operand)
        flags = self.properties.get("fastmath")
        if isinstance(flags, FastMathFlagsAttr) and flags != FastMathFlagsAttr("none"):
            printer.print_string(" fastmath")
            flags.print_parameter(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.operands[0].type)


@irdl_op_definition
class CmpiOp(_CompareOp):
    """Compares integers.

    ```mlir
    %c = arith.cmpi slt, %a, %b : i32
    %m = arith.cmpi eq, %v, %w : vector<4xi64>
    ```
    """

    name = "arith.cmpi"
    PREDICATES: ClassVar[Sequence[str]] = CMPI_COMPARISON_OPERATIONS
    lhs = operand_def(signlessIntegerLike)
    rhs = operand_def(signlessIntegerLike)

    def __init__(self, lhs: Operation | SSAValue, rhs: Operation | SSAValue, predicate: int | str) -> None:
        compared = SSAValue.get(lhs).type
        super().__init__(
            operands=[lhs, rhs], result_types=[mask_of(compared)], properties=self.properties_of(predicate)
        )

    @classmethod
    def parse(cls, parser: Parser) -> "CmpiOp":
        predicate, (lhs, rhs), attributes = cls.parse_comparison(parser)
        op = cls(lhs, rhs, predicate)
        op.attributes |= attributes
        return op


@irdl_op_definition
class CmpfOp(_CompareOp):
    """Compares floats; predicates that start with `o` are false where an operand is NaN, those with `u` are true.

    ```mlir
    %c = arith.cmpf olt, %a, %b : f32
    %m = arith.cmpf ogt, %v, %w : vector<16xf32>
    ```
    """

    name = "arith.cmpf"
    PREDICATES: ClassVar[Sequence[str]] = CMPF_COMPARISON_OPERATIONS
    lhs = operand_def(floatingPointLike)
    rhs = operand_def(floatingPointLike)
    fastmath = prop_def(FastMathFlagsAttr, default_value=FastMathFlagsAttr("none"))

    def __init__(
        self,
        lhs: Operation | SSAValue,
        rhs: Operation | SSAValue,
        predicate: int | str,
        fastmath: FastMathFlagsAttr | None = None,
    ) -> None:
        compared = SSAValue.get(lhs).type
        properties = {**self.properties_of(predicate), "fastmath": fastmath or FastMathFlagsAttr("none")}
        super().__init__(operands=[lhs, rhs], result_types=[mask_of(compared)], properties=properties)

    @classmethod
    def parse(cls, parser: Parser) -> "CmpfOp":
        predicate, (lhs, rhs), attributes = cls.parse_comparison(parser)
        flags = attributes.pop("fastmath", None)
        op = cls(lhs, rhs, predicate, flags if isinstance(flags, FastMathFlagsAttr) else None)
        op.attributes |= attributes
        return op


@irdl_op_definition
class SelectOp(IRDLOperation):
    """Chooses between two values, or lane by lane if the condition is a mask.

    ```mlir
    %r = arith.select %c, %a, %b : f32
    %s = arith.select %m, %v, %w : vector<16xi1>, vector<16xf32>
    ```
    """

    name = "arith.select"
    T: ClassVar = VarConstraint("T", AnyAttr())
    cond = operand_def(MaskConstraint)
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)

    traits = traits_def(Pure())

    def __init__(self, cond: Operation | SSAValue, lhs: Operation | SSAValue, rhs: Operation | SSAValue) -> None:
        super().__init__(operands=[cond, lhs, rhs], result_types=[SSAValue.get(lhs).type])

    def verify_(self) -> None:
        if self.cond.type not in (i1, mask_of(self.lhs.type)):
            raise VerifyException(
                f"arith.select: choosing between values of type {self.lhs.type} takes i1 or "
                f"{mask_of(self.lhs.type)}, got {self.cond.type}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> "SelectOp":
        operands = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_unresolved_operand)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        position = parser.pos
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        if len(operands) != 3 or len(types) > 2:
            parser.raise_error(
                f"arith.select takes 3 operands and 1 or 2 types, got {len(operands)} and {len(types)}",
                at_position=position,
            )
        mask = types[0] if len(types) == 2 else i1
        cond, lhs, rhs = parser.resolve_operands(operands, [mask, types[-1], types[-1]], position)
        op = cls(cond, lhs, rhs)
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_operand)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        if self.cond.type != i1:
            printer.print_attribute(self.cond.type)
            printer.print_string(", ")
        printer.print_attribute(self.lhs.type)
