"""Unary elementwise ops, one small class each: the operand and the result have one type.

```mlir
%y = graph.relu %x : tensor<64x200xf32>
```
"""

from __future__ import annotations

from abc import ABC
from typing import ClassVar

from xdsl.dialects.builtin import StringAttr
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import OpResult
from xdsl.irdl import VarConstraint, irdl_op_definition, operand_def, prop_def, result_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.graph.elementwise import ElementwiseOp
from mlc.dialects.graph.types import (
    AnyTensor,
    FloatTensor,
    IntegerTensor,
    NumberTensor,
    SignedTensor,
    Tensor,
    Value,
    type_of,
    violation,
)

__all__ = [
    "AbsOp", "CeilOp", "ErfOp", "ExpM1Op", "ExpOp", "FloorOp", "GeluOp", "Log1pOp", "LogOp", "NegOp", "NotOp",
    "ReluOp", "RoundOp", "RsqrtOp", "SigmoidOp", "SignOp", "SiluOp", "SqrtOp", "TanhOp", "TruncOp", "UnaryOp"
]  # fmt: skip


class UnaryOp(ElementwiseOp, HasCanonicalizationPatternsInterface, ABC):
    """An elementwise op of one operand; subclasses narrow `T` to the element types they take."""

    T: ClassVar = VarConstraint("T", AnyTensor)
    ABSORBS: ClassVar[tuple[str, ...]] = ()
    """Ops that may be dropped before this one: `f(g(x)) = f(x)` for every `x`."""
    INVERTS: ClassVar[str] = ""
    """The op that this one undoes: `f(g(x)) = x` for every `x`."""

    input = operand_def(T)
    result: OpResult[Tensor] = result_def(T)

    assembly_format = "$input attr-dict `:` type($result)"

    def __init__(self, input: Value) -> None:
        super().__init__(operands=[input], result_types=[self.infer(type_of(input))])

    @classmethod
    def infer(cls, input: Tensor) -> Tensor:
        """The type of the operand."""
        return input

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input))

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldUnaryOfUnary(),) if cls.ABSORBS or cls.INVERTS else ()


class FoldUnaryOfUnary(RewritePattern):
    """`relu(relu(x))` is `relu(x)`, `abs(neg(x))` is `abs(x)`, `neg(neg(x))` is `x`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: UnaryOp, rewriter: PatternRewriter) -> None:
        inner = op.input.owner
        if not isinstance(inner, UnaryOp):
            return
        if inner.name == op.INVERTS:
            rewriter.replace(op, (), (inner.input,))
        elif inner.name in op.ABSORBS:
            rewriter.replace(op, type(op)(inner.input))


class NumberUnaryOp(UnaryOp, ABC):
    """A unary op on floats and integers."""

    T: ClassVar = VarConstraint("T", NumberTensor)
    input = operand_def(T)
    result: OpResult[Tensor] = result_def(T)


class FloatUnaryOp(UnaryOp, ABC):
    """A unary op on floats."""

    T: ClassVar = VarConstraint("T", FloatTensor)
    input = operand_def(T)
    result: OpResult[Tensor] = result_def(T)


@irdl_op_definition
class NegOp(UnaryOp):
    """`-x`, of floats and signed integers; of a float, the sign bit is flipped.

    ```mlir
    %y = graph.neg %x : tensor<64x200xf32>
    ```
    """

    name = "graph.neg"
    T: ClassVar = VarConstraint("T", SignedTensor)
    input = operand_def(T)
    result: OpResult[Tensor] = result_def(T)
    INVERTS: ClassVar[str] = "graph.neg"


@irdl_op_definition
class AbsOp(NumberUnaryOp):
    """`|x|`.

    ```mlir
    %y = graph.abs %x : tensor<64x200xf32>
    ```
    """

    name = "graph.abs"
    ABSORBS: ClassVar[tuple[str, ...]] = ("graph.abs", "graph.neg")


@irdl_op_definition
class ReluOp(NumberUnaryOp):
    """`max(x, 0)`; NaN stays NaN.

    ```mlir
    %y = graph.relu %x : tensor<64x200xf32>
    ```
    """

    name = "graph.relu"
    ABSORBS: ClassVar[tuple[str, ...]] = ("graph.relu",)


@irdl_op_definition
class ExpOp(FloatUnaryOp):
    """`e^x`.

    ```mlir
    %y = graph.exp %x : tensor<64x200xf32>
    ```
    """

    name = "graph.exp"
    POINT: ClassVar[tuple[str, ...]] = ("math.exp",)


@irdl_op_definition
class LogOp(FloatUnaryOp):
    """The natural logarithm.

    ```mlir
    %y = graph.log %x : tensor<64x200xf32>
    ```
    """

    name = "graph.log"
    POINT: ClassVar[tuple[str, ...]] = ("math.log",)


@irdl_op_definition
class ExpM1Op(FloatUnaryOp):
    """`e^x - 1`, with all digits where `x` is small.

    ```mlir
    %y = graph.expm1 %x : tensor<64x200xf32>
    ```
    """

    name = "graph.expm1"
    POINT: ClassVar[tuple[str, ...]] = ("math.expm1",)


@irdl_op_definition
class Log1pOp(FloatUnaryOp):
    """The natural logarithm of `1 + x`, with all digits where `x` is small.

    ```mlir
    %y = graph.log1p %x : tensor<64x200xf32>
    ```
    """

    name = "graph.log1p"
    POINT: ClassVar[tuple[str, ...]] = ("math.log1p",)


@irdl_op_definition
class SqrtOp(FloatUnaryOp):
    """The square root, correctly rounded.

    ```mlir
    %y = graph.sqrt %x : tensor<64x200xf32>
    ```
    """

    name = "graph.sqrt"
    POINT: ClassVar[tuple[str, ...]] = ("math.sqrt",)


@irdl_op_definition
class RsqrtOp(FloatUnaryOp):
    """`1 / sqrt(x)`.

    ```mlir
    %y = graph.rsqrt %x : tensor<64x200xf32>
    ```
    """

    name = "graph.rsqrt"
    POINT: ClassVar[tuple[str, ...]] = ("math.rsqrt",)


@irdl_op_definition
class TanhOp(FloatUnaryOp):
    """The hyperbolic tangent.

    ```mlir
    %y = graph.tanh %x : tensor<64x200xf32>
    ```
    """

    name = "graph.tanh"
    POINT: ClassVar[tuple[str, ...]] = ("math.tanh",)


@irdl_op_definition
class SigmoidOp(FloatUnaryOp):
    """The logistic function `1 / (1 + e^-x)`.

    ```mlir
    %y = graph.sigmoid %x : tensor<64x200xf32>
    ```
    """

    name = "graph.sigmoid"


@irdl_op_definition
class SiluOp(FloatUnaryOp):
    """The sigmoid-weighted linear unit `x / (1 + e^-x)` (also called swish).

    ```mlir
    %y = graph.silu %x : tensor<64x200xf32>
    ```
    """

    name = "graph.silu"


@irdl_op_definition
class ErfOp(FloatUnaryOp):
    """The Gauss error function.

    ```mlir
    %y = graph.erf %x : tensor<64x200xf32>
    ```
    """

    name = "graph.erf"
    POINT: ClassVar[tuple[str, ...]] = ("math.erf",)


@irdl_op_definition
class FloorOp(FloatUnaryOp):
    """Rounds towards minus infinity.

    ```mlir
    %y = graph.floor %x : tensor<64x200xf32>
    ```
    """

    name = "graph.floor"
    POINT: ClassVar[tuple[str, ...]] = ("math.floor",)
    ABSORBS: ClassVar[tuple[str, ...]] = ("graph.floor",)


@irdl_op_definition
class CeilOp(FloatUnaryOp):
    """Rounds towards infinity.

    ```mlir
    %y = graph.ceil %x : tensor<64x200xf32>
    ```
    """

    name = "graph.ceil"
    POINT: ClassVar[tuple[str, ...]] = ("math.ceil",)
    ABSORBS: ClassVar[tuple[str, ...]] = ("graph.ceil",)


@irdl_op_definition
class RoundOp(FloatUnaryOp):
    """Rounds to the nearest integer, and from the middle between two of them to the even one.

    ```mlir
    %y = graph.round %x : tensor<64x200xf32>
    ```
    """

    name = "graph.round"
    POINT: ClassVar[tuple[str, ...]] = ("math.roundeven",)
    ABSORBS: ClassVar[tuple[str, ...]] = ("graph.round",)


@irdl_op_definition
class TruncOp(FloatUnaryOp):
    """Rounds towards zero.

    ```mlir
    %y = graph.trunc %x : tensor<64x200xf32>
    ```
    """

    name = "graph.trunc"
    POINT: ClassVar[tuple[str, ...]] = ("math.trunc",)
    ABSORBS: ClassVar[tuple[str, ...]] = ("graph.trunc",)


@irdl_op_definition
class SignOp(NumberUnaryOp):
    """1 for positive numbers and -1 for negative ones; a zero, of either sign, and NaN stay as they are.

    ```mlir
    %y = graph.sign %x : tensor<64x200xf32>
    ```
    """

    name = "graph.sign"
    ABSORBS: ClassVar[tuple[str, ...]] = ("graph.sign",)


@irdl_op_definition
class NotOp(UnaryOp):
    """The complement: logical for `i1`, of every bit for other integers.

    ```mlir
    %y = graph.not %x : tensor<64xi1>
    ```
    """

    name = "graph.not"
    T: ClassVar = VarConstraint("T", IntegerTensor)
    INVERTS: ClassVar[str] = "graph.not"
    input = operand_def(T)
    result: OpResult[Tensor] = result_def(T)


@irdl_op_definition
class GeluOp(FloatUnaryOp):
    """The Gaussian error linear unit, `x * Phi(x)`.

    With `approximate = "tanh"` it is `0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))` (Hendrycks and Gimpel,
    "Gaussian Error Linear Units", arXiv:1606.08415).

    ```mlir
    %y = graph.gelu %x : tensor<64x200xf32>
    %z = graph.gelu %x approximate "tanh" : tensor<64x200xf32>
    ```
    """

    name = "graph.gelu"
    approximate = prop_def(StringAttr, default_value=StringAttr("none"))

    assembly_format = "$input (`approximate` $approximate^)? attr-dict `:` type($result)"

    def __init__(self, input: Value, approximate: str = "none") -> None:
        super().__init__(input)
        self.approximate = StringAttr(approximate)

    def inferred_type(self) -> Tensor:
        """The type of the operand.

        Raises:
            VerifyException: c1 `approximate` is neither "none" nor "tanh".
        """
        if self.approximate.data not in ("none", "tanh"):
            raise violation(self.name, 1, f'approximate is "{self.approximate.data}"; use "none" or "tanh"')
        return super().inferred_type()
