"""The check dialect: what self-checking programs expect of their results. A program that is run by the reference fails
at the first expectation that does not hold, and says what it found.

```mlir
check.expect_eq_const %x, dense<[1, 2]> : tensor<2xi32>
check.expect_close %x, %y, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
```
"""

from __future__ import annotations

from typing import Any, ClassVar, Self, cast

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, IntegerType, Signedness, f64
from xdsl.ir import Attribute, Dialect, SSAValue
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, opt_prop_def, prop_def, traits_def
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

_UI64 = IntegerType(64, Signedness.UNSIGNED)


def _violation(op: IRDLOperation, message: str) -> VerifyException:
    return VerifyException(f"{op.name}: {message} ({op.name.partition('.')[2]}_c1)")


class ExpectOp(IRDLOperation):
    """An expectation; it has no results."""

    LIMITS: ClassVar[tuple[tuple[str, Attribute], ...]] = ()
    """The names of numbers that may be given, and their types."""

    traits = traits_def(MemoryWriteEffect())

    def limit(self, name: str, default: float) -> float:
        """A number that may be given."""
        found = self.properties.get(name)
        return default if found is None else float(cast(Any, found).value.data)

    @classmethod
    def _parse_limits(cls, parser: Parser) -> dict[str, Attribute]:
        found: dict[str, Attribute] = {}
        types = dict(cls.LIMITS)
        while parser.parse_optional_punctuation(","):
            start = parser.pos
            name = parser.parse_identifier()
            if name not in types or name in found:
                parser.raise_error(f"expected one of {', '.join(types) or 'nothing'}, each once, got {name}", start)
            parser.parse_punctuation("=")
            number = parser.parse_number()
            kind = types[name]
            found[name] = FloatAttr(float(number), f64) if kind == f64 else IntegerAttr(int(number), cast(Any, kind))
        return found

    def _print_limits(self, printer: Printer) -> None:
        for name, kind in self.LIMITS:
            if (found := self.properties.get(name)) is not None:
                number = cast(Any, found).value.data
                printer.print_string(f", {name} = {number!r}" if kind == f64 else f", {name} = {number}")


class ExpectConstantOp(ExpectOp):
    """An expectation of known data, which has the type of the operand."""

    lhs = operand_def()
    value = prop_def()

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        operand = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        start = parser.pos
        value = parser.parse_attribute()
        if not hasattr(value, "get_type"):
            parser.raise_error(f"expected dense data, got {value}", start, parser.pos)
        limits = cls._parse_limits(parser)
        attributes = parser.parse_optional_attr_dict()
        lhs = parser.resolve_operand(operand, cast(Any, value).get_type())
        return cls.create(operands=[lhs], properties={"value": value, **limits}, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_ssa_value(self.lhs)
        printer.print_string(", ")
        printer.print_attribute(self.value)
        self._print_limits(printer)
        printer.print_op_attributes(self.attributes)

    def verify_(self) -> None:
        if not hasattr(self.value, "get_type"):
            raise _violation(self, f"the expected value is {self.value}; it has to be dense data")
        needed = cast(Any, self.value).get_type()
        if self.lhs.type != needed:
            raise _violation(self, f"the operand is {self.lhs.type}; the data is {needed}")


class ExpectTensorOp(ExpectOp):
    """An expectation of another tensor, which has the type of the operand."""

    lhs = operand_def()
    rhs = operand_def()
    BOTH_TYPES: ClassVar[bool] = False
    """Whether the types of both are written."""

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        lhs = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        rhs = parser.parse_unresolved_operand()
        limits = cls._parse_limits(parser)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        one = two = parser.parse_type()
        if cls.BOTH_TYPES:
            parser.parse_punctuation(",")
            two = parser.parse_type()
        operands: list[SSAValue] = [parser.resolve_operand(lhs, one), parser.resolve_operand(rhs, two)]
        return cls.create(operands=operands, properties=limits, attributes=attributes)

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.operands, printer.print_ssa_value)
        self._print_limits(printer)
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        types = [o.type for o in self.operands]
        printer.print_list(types if self.BOTH_TYPES else types[:1], printer.print_attribute)

    def verify_(self) -> None:
        if self.lhs.type != self.rhs.type:
            raise _violation(self, f"found {self.lhs.type} and {self.rhs.type}; both have one type")


@irdl_op_definition
class ExpectEqConstOp(ExpectConstantOp):
    """Expects exactly this data, where any NaN is any other.

    ```mlir
    check.expect_eq_const %x, dense<[1, 2]> : tensor<2xi32>
    ```

    Required:

    - `expect_eq_const_c1`: the data has the type of the operand
    """

    name = "check.expect_eq_const"


@irdl_op_definition
class ExpectEqOp(ExpectTensorOp):
    """Expects two tensors to be the same, where any NaN is any other.

    ```mlir
    check.expect_eq %x, %y : tensor<2xi32>
    ```

    Required:

    - `expect_eq_c1`: both operands have one type
    """

    name = "check.expect_eq"


@irdl_op_definition
class ExpectAlmostEqConstOp(ExpectConstantOp):
    """Expects numbers near this data: they differ by less than the tolerance, 0.0001 if none is given.

    ```mlir
    check.expect_almost_eq_const %x, dense<[0.999999, 2.0]> : tensor<2xf32>
    ```

    Required:

    - `expect_almost_eq_const_c1`: the data has the type of the operand
    """

    name = "check.expect_almost_eq_const"
    tolerance = opt_prop_def(FloatAttr)
    LIMITS: ClassVar[tuple[tuple[str, Attribute], ...]] = (("tolerance", f64),)


@irdl_op_definition
class ExpectAlmostEqOp(ExpectTensorOp):
    """Expects two tensors to differ by less than the tolerance, 0.0001 if none is given.

    ```mlir
    check.expect_almost_eq %x, %y, tolerance = 0.001 : tensor<2xf32>
    ```

    Required:

    - `expect_almost_eq_c1`: both operands have one type
    """

    name = "check.expect_almost_eq"
    tolerance = opt_prop_def(FloatAttr)
    LIMITS: ClassVar[tuple[tuple[str, Attribute], ...]] = (("tolerance", f64),)


@irdl_op_definition
class ExpectCloseOp(ExpectTensorOp):
    """Expects that there are so many floats between those of two tensors.

    ```mlir
    check.expect_close %x, %y, max_ulp_difference = 3 : tensor<2xf32>, tensor<2xf32>
    ```

    Required:

    - `expect_close_c1`: both operands have one type
    """

    name = "check.expect_close"
    max_ulp_difference = opt_prop_def(IntegerAttr)
    min_ulp_difference = opt_prop_def(IntegerAttr)
    LIMITS: ClassVar[tuple[tuple[str, Attribute], ...]] = (("max_ulp_difference", _UI64), ("min_ulp_difference", _UI64))
    BOTH_TYPES: ClassVar[bool] = True


Check = Dialect("check", [ExpectAlmostEqConstOp, ExpectAlmostEqOp, ExpectCloseOp, ExpectEqConstOp, ExpectEqOp])

__all__ = [
    "Check",
    "ExpectAlmostEqConstOp",
    "ExpectAlmostEqOp",
    "ExpectCloseOp",
    "ExpectConstantOp",
    "ExpectEqConstOp",
    "ExpectEqOp",
    "ExpectOp",
    "ExpectTensorOp",
]
