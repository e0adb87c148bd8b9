"""Binary elementwise ops with NumPy broadcasting, one small class each.

```mlir
%y = graph.add %x, %bias : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
```
"""

from __future__ import annotations

from abc import ABC
from dataclasses import dataclass
from math import copysign, inf
from typing import ClassVar

from xdsl.dialects.builtin import i1
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.irdl import irdl_op_definition, operand_def, traits_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern
from xdsl.traits import Commutative

from mlc.dialects.graph.constant import splat_of
from mlc.dialects.graph.elementwise import ElementwiseOp, ReadUnbroadcast
from mlc.dialects.graph.types import (
    AnyTensor,
    IntegerTensor,
    NumberTensor,
    Tensor,
    Value,
    is_float,
    tensor,
    type_of,
    violation,
)

__all__ = [
    "AddOp", "AndOp", "BinaryOp", "DivOp", "MaxOp", "MinOp", "ModOp", "MulOp", "OrOp", "PowOp", "RemOp", "ShlOp",
    "ShrOp", "SubOp", "XorOp"
]  # fmt: skip


@dataclass(frozen=True)
class Neutral:
    """The right operand that leaves every left operand as it is, bit for bit (NaN payloads apart)."""

    float: float | None = None
    integer: int | None = None

    def matches(self, value: int | float, of_floats: bool) -> bool:
        """Whether `value` is the neutral element; the sign of a zero counts: `x + 0.0` turns -0.0 into 0.0."""
        if not of_floats or self.float is None:
            return not of_floats and value == self.integer
        return value == self.float and copysign(1.0, value) == copysign(1.0, self.float)


class BinaryOp(ElementwiseOp, HasCanonicalizationPatternsInterface, ABC):
    """An elementwise op of two operands of one element type."""

    NEUTRAL: ClassVar[Neutral] = Neutral()
    IDEMPOTENT: ClassVar[bool] = False
    """Whether `f(x, x) = x` for every `x`."""

    lhs = operand_def(AnyTensor)
    rhs = operand_def(AnyTensor)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: Value, rhs: Value) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[self.infer(type_of(lhs), type_of(rhs))])

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        """The broadcast shape, with the common element type.

        Raises:
            VerifyException: c1 the shapes do not broadcast, c2 element types differ.
        """
        return tensor(cls.broadcast(lhs, rhs), cls.common_element(lhs, rhs))

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.lhs), type_of(self.rhs))

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldNeutralOperand(), FoldEqualOperands(), ReadUnbroadcast())


class FoldNeutralOperand(RewritePattern):
    """`x * 1`, `x / 1`, `x - 0`, `x + (-0.0)` and the like are `x`; a commutative op is tried both ways."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BinaryOp, rewriter: PatternRewriter) -> None:
        of_floats = is_float(op.result.type)
        for kept, neutral in ((op.lhs, op.rhs), (op.rhs, op.lhs)):
            if kept.type == op.result.type:
                splat = splat_of(neutral)
                if splat is not None and op.NEUTRAL.matches(splat, of_floats):
                    rewriter.replace(op, (), (kept,))
                    return
            if not op.has_trait(Commutative):
                return


class FoldEqualOperands(RewritePattern):
    """`max(x, x)`, `min(x, x)`, `and(x, x)` and `or(x, x)` are `x`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BinaryOp, rewriter: PatternRewriter) -> None:
        if op.IDEMPOTENT and op.lhs is op.rhs:
            rewriter.replace(op, (), (op.lhs,))


class NumberBinaryOp(BinaryOp, ABC):
    """A binary op on floats and integers."""

    lhs = operand_def(NumberTensor)
    rhs = operand_def(NumberTensor)


class LogicOp(BinaryOp, ABC):
    """A bitwise op on integers, which is the logical one on `i1`."""

    IDEMPOTENT: ClassVar[bool] = True
    lhs = operand_def(IntegerTensor)
    rhs = operand_def(IntegerTensor)
    traits = traits_def(Commutative())


@irdl_op_definition
class AddOp(NumberBinaryOp):
    """`x + y`.

    ```mlir
    %z = graph.add %x, %y : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.add"
    NEUTRAL: ClassVar[Neutral] = Neutral(float=-0.0, integer=0)
    traits = traits_def(Commutative())


@irdl_op_definition
class SubOp(NumberBinaryOp):
    """`x - y`.

    ```mlir
    %z = graph.sub %x, %y : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.sub"
    NEUTRAL: ClassVar[Neutral] = Neutral(float=0.0, integer=0)


@irdl_op_definition
class MulOp(NumberBinaryOp):
    """`x * y`.

    ```mlir
    %z = graph.mul %x, %y : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.mul"
    NEUTRAL: ClassVar[Neutral] = Neutral(float=1.0, integer=1)
    traits = traits_def(Commutative())


@irdl_op_definition
class DivOp(NumberBinaryOp):
    """`x / y`; of integers, rounded towards zero, where `x / 0` is 0 and a quotient that does not fit wraps.

    ```mlir
    %z = graph.div %x, %y : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.div"
    NEUTRAL: ClassVar[Neutral] = Neutral(float=1.0, integer=1)


@irdl_op_definition
class MaxOp(NumberBinaryOp):
    """The larger operand; NaN if either is NaN.

    ```mlir
    %z = graph.max %x, %y : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.max"
    POINT: ClassVar[tuple[str, ...]] = ("arith.maximumf", "arith.maxsi", "arith.maxui")
    NEUTRAL: ClassVar[Neutral] = Neutral(float=-inf)
    IDEMPOTENT: ClassVar[bool] = True
    traits = traits_def(Commutative())


@irdl_op_definition
class MinOp(NumberBinaryOp):
    """The smaller operand; NaN if either is NaN.

    ```mlir
    %z = graph.min %x, %y : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.min"
    POINT: ClassVar[tuple[str, ...]] = ("arith.minimumf", "arith.minsi", "arith.minui")
    NEUTRAL: ClassVar[Neutral] = Neutral(float=inf)
    IDEMPOTENT: ClassVar[bool] = True
    traits = traits_def(Commutative())


@irdl_op_definition
class PowOp(NumberBinaryOp):
    """`x` to the power of `y`.

    Powers of integers wrap; with a negative `y` they are 0, unless `x` is 1 or -1.

    ```mlir
    %z = graph.pow %x, %y : tensor<64x200xf32>, tensor<f32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.pow"
    NEUTRAL: ClassVar[Neutral] = Neutral(float=1.0, integer=1)


@irdl_op_definition
class RemOp(NumberBinaryOp):
    """What remains of `x / y` rounded towards zero, which is exact and has the sign of `x`.

    Of integers, `x` rem 0 is `x`. Of floats it is C's `fmod`: NaN if `x` is infinite or `y` is 0, and `x` if `y` is
    infinite.

    ```mlir
    %z = graph.rem %x, %y : tensor<64x200xf32>, tensor<200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.rem"
    POINT: ClassVar[tuple[str, ...]] = ("arith.remf", "arith.remsi", "arith.remui")


@irdl_op_definition
class ModOp(NumberBinaryOp):
    """What remains of `x / y` rounded towards minus infinity: `graph.rem`, plus `y` if that has not the sign of `y`.

    Of floats, 0 has the sign of `y`, too.

    ```mlir
    %z = graph.mod %x, %y : tensor<64x200xi64>, tensor<i64> -> tensor<64x200xi64>
    ```
    """

    name = "graph.mod"


@irdl_op_definition
class AndOp(LogicOp):
    """Bitwise conjunction.

    ```mlir
    %z = graph.and %x, %y : tensor<64xi1>, tensor<64xi1> -> tensor<64xi1>
    ```
    """

    name = "graph.and"
    POINT: ClassVar[tuple[str, ...]] = ("arith.andi",)
    NEUTRAL: ClassVar[Neutral] = Neutral(integer=-1)


@irdl_op_definition
class OrOp(LogicOp):
    """Bitwise disjunction.

    ```mlir
    %z = graph.or %x, %y : tensor<64xi1>, tensor<64xi1> -> tensor<64xi1>
    ```
    """

    name = "graph.or"
    POINT: ClassVar[tuple[str, ...]] = ("arith.ori",)
    NEUTRAL: ClassVar[Neutral] = Neutral(integer=0)


@irdl_op_definition
class XorOp(LogicOp):
    """Bitwise exclusive disjunction.

    ```mlir
    %z = graph.xor %x, %y : tensor<64xi1>, tensor<64xi1> -> tensor<64xi1>
    ```
    """

    name = "graph.xor"
    POINT: ClassVar[tuple[str, ...]] = ("arith.xori",)
    NEUTRAL: ClassVar[Neutral] = Neutral(integer=0)
    IDEMPOTENT: ClassVar[bool] = False


class ShiftOp(BinaryOp, ABC):
    """Moves the bits of integers by a number of places, which is unsigned and may be the width or more."""

    NEUTRAL: ClassVar[Neutral] = Neutral(integer=0)
    lhs = operand_def(IntegerTensor)
    rhs = operand_def(IntegerTensor)

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        """The broadcast shape, with the common element type.

        Raises:
            VerifyException: c1 the shapes do not broadcast, c2 element types differ, c3 they are i1.
        """
        if lhs.element_type == i1:
            raise violation(cls.name, 3, f"{lhs} holds truth values, which have no places", "insert graph.cast")
        return super().infer(lhs, rhs)


@irdl_op_definition
class ShlOp(ShiftOp):
    """`x * 2^y`: moves bits to the left; zeros come in, and all that is left are zeros if `y` is the width or more.

    ```mlir
    %z = graph.shl %x, %y : tensor<64xi32>, tensor<i32> -> tensor<64xi32>
    ```
    """

    name = "graph.shl"
    POINT: ClassVar[tuple[str, ...]] = ("arith.shli",)


@irdl_op_definition
class ShrOp(ShiftOp):
    """`x / 2^y` rounded towards minus infinity: moves bits to the right, and copies of the sign come in.

    Zeros come in if `x` is unsigned. If `y` is the width or more, what came in is all that is left.

    ```mlir
    %z = graph.shr %x, %y : tensor<64xi32>, tensor<i32> -> tensor<64xi32>
    ```
    """

    name = "graph.shr"
    POINT: ClassVar[tuple[str, ...]] = ("arith.shrsi", "arith.shrsi", "arith.shrui")
