"""Quantised numbers: integers that stand for `(q - zero point) * scale`.

Scale and zero point broadcast like operands of other elementwise ops: one number, one for each element of an axis
(`tensor<8x1x1xf32>` for the channels of an image), or one for each block that is spelled out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from math import inf, isfinite
from typing import TYPE_CHECKING, cast

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, TensorType, bf16, f16, f32, f64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import AttrSetConstraint, irdl_op_definition, operand_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.graph.binary import MaxOp, MinOp
from mlc.dialects.graph.constant import constant_of, splat_of
from mlc.dialects.graph.elementwise import ElementwiseOp, ReadUnbroadcast
from mlc.dialects.graph.types import (
    FloatTensor,
    Tensor,
    Value,
    element_of,
    tensor,
    type_of,
)
from mlc.dialects.graph.unary import ReluOp
from mlc.support.dtypes import ELEMENT_TYPES, STORED_TYPES, least_of, most_of
from mlc.support.semantics import evaluates
from mlc.support.types import integer_width

if TYPE_CHECKING:
    from mlc.support.semantics import Array

__all__ = ["QUANTIZED", "DequantizeOp", "QuantizeOp"]

QUANTIZED: frozenset[Attribute] = frozenset(
    e.type
    for e in (*ELEMENT_TYPES, *STORED_TYPES)
    if (width := integer_width(e.type)) is not None and (1 < width <= 16 or e.dtype == "int32")
)
"""The types of quantised numbers: integers of 2, 4, 8 and 16 bits, and i32, in which products of them are summed."""
QuantizedTensor = TensorType.constr(AttrSetConstraint(QUANTIZED))


class _QuantizationOp(ElementwiseOp, HasCanonicalizationPatternsInterface, ABC):
    """What both ops share: numbers, a scale and a zero point, which broadcast."""

    assembly_format = "operands attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, input: Value, scale: Value, zero_point: Value) -> None:
        result = self.infer(type_of(input), type_of(scale), type_of(zero_point))
        super().__init__(operands=[input, scale, zero_point], result_types=[result])

    @classmethod
    @abstractmethod
    def infer(cls, input: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        """The type of the result."""

    def inferred_type(self) -> Tensor:
        input, scale, zero_point = self.operands
        return self.infer(type_of(input), type_of(scale), type_of(zero_point))


@irdl_op_definition
class QuantizeOp(_QuantizationOp):
    """`round(x / scale) + zero point`, as the nearest integer of the zero point's type.

    Rounds to the nearest integer, and from the middle between two of them to the even one. NaN becomes the least number
    of the type, as what is too small does. All is computed in the type of `x`, in f32 if that has 16 bits.

    ```mlir
    %q = graph.quantize %x, %s, %z : tensor<4x8xf32>, tensor<f32>, tensor<ui8> -> tensor<4x8xui8>
    %r = graph.quantize %x, %ss, %zz : tensor<4x8xf32>, tensor<4x1xf32>, tensor<4x1xi8> -> tensor<4x8xi8>
    ```
    """

    name = "graph.quantize"

    input = operand_def(FloatTensor)
    scale = operand_def(FloatTensor)
    zero_point = operand_def(QuantizedTensor)

    @classmethod
    def infer(cls, input: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        """The broadcast shape, of the zero point's type.

        Raises:
            VerifyException: c1 the shapes do not broadcast, c2 the scale has not the element type of the input.
        """
        shape = cls.broadcast(input, scale, zero_point)
        cls.common_element(input, scale)
        return tensor(shape, zero_point.element_type)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldQuantizeOfDequantize(), DropLimits(), ReadUnbroadcast())


@irdl_op_definition
class DequantizeOp(_QuantizationOp):
    """`(q - zero point) * scale`, in the type of the scale.

    The difference is one of i32, which wraps; as a float it is multiplied with the scale, in f32 if that has 16 bits.

    ```mlir
    %x = graph.dequantize %q, %s, %z : tensor<4x8xui8>, tensor<f32>, tensor<ui8> -> tensor<4x8xf32>
    %y = graph.dequantize %p, %ss, %zz : tensor<4x8xi8>, tensor<4x1xf32>, tensor<4x1xi8> -> tensor<4x8xf32>
    ```
    """

    name = "graph.dequantize"

    input = operand_def(QuantizedTensor)
    scale = operand_def(FloatTensor)
    zero_point = operand_def(QuantizedTensor)

    @classmethod
    def infer(cls, input: Tensor, scale: Tensor, zero_point: Tensor) -> Tensor:
        """The broadcast shape, of the scale's type.

        Raises:
            VerifyException: c1 the shapes do not broadcast, c2 the zero point has not the element type of the input.
        """
        shape = cls.broadcast(input, scale, zero_point)
        cls.common_element(input, zero_point)
        return tensor(shape, scale.element_type)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ReadUnbroadcast(),)


class FoldQuantizeOfDequantize(RewritePattern):
    """`quantize(dequantize(q, s, z), s, z)` is `q`, if scales are known and normal, and nothing overflows.

    Proof: let `n = q - z`, an integer with `|n| <= N`, where N is the span of the type; that is not i32, so no
    difference wraps. Let `u` be the unit roundoff of the scale's type. If `n` is 0, both roundings are exact. Else
    `|n s| >= |s|` is not subnormal, and `N |s|` does not overflow. So `dequantize` gives `n s (1 + a)`, where `a` is of
    the roundings of the product, in f32 or f64 and to the scale's type: `|a| <= 2 u + u^2`. The division gives
    `n (1 + a) (1 + b)` with `|b| <= u`. That is off `n` by less than `4 N u`, and rounds to `n` if `8 N u <= 1`. And
    `n` and `n + z = q` are exact in f32, which has 24 bits.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QuantizeOp, rewriter: PatternRewriter) -> None:
        inner = op.input.owner
        if not isinstance(inner, DequantizeOp) or inner.input.type != op.result.type:
            return
        if not is_same_constant(inner.scale, op.scale) or not is_same_constant(inner.zero_point, op.zero_point):
            return
        if _returns(element_of(op.result), op.scale):
            rewriter.replace(op, (), (inner.input,))


class DropLimits(RewritePattern):
    """A limit before a quantisation is dropped where the quantised type has that limit, or a narrower one.

    `quantize(max(x, c))` is `quantize(x)` if `c` becomes the least integer: rounding is monotone, so all `x` below `c`
    become that, too. Likewise for `min` and the greatest one. `relu` is a limit of 0. NaN becomes the least number with
    or without it.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: QuantizeOp, rewriter: PatternRewriter) -> None:
        inner = op.input.owner
        scale, zero = splat_of(op.scale), splat_of(op.zero_point)
        if element_of(op.input) != f32 or scale is None or zero is None or not 0 < scale < inf:
            return
        if isinstance(inner, ReluOp):
            value, limit, is_least = inner.input, 0.0, True
        elif isinstance(inner, MaxOp | MinOp):
            is_least = isinstance(inner, MaxOp)
            value, other = inner.lhs, inner.rhs
            if (limit := splat_of(other)) is None:
                value, other = inner.rhs, inner.lhs
                limit = splat_of(other)
            if limit is None or limit != limit or value.type != op.input.type:
                return
        else:
            return
        steps = limit / scale + zero
        if steps <= least_of(element_of(op.result)) if is_least else steps >= most_of(element_of(op.result)):
            new = QuantizeOp(value, op.scale, op.zero_point)
            rewriter.replace(op, new)


_FORMATS: dict[Attribute, tuple[int, int, int]] = {
    f16: (11, -14, 15),
    bf16: (8, -126, 127),
    f32: (24, -126, 127),
    f64: (53, -1022, 1023),
}
"""Of each float: the bits of its significand, and the exponents of its least and its greatest normal number."""


def _returns(element: Attribute, scale: SSAValue) -> bool:
    """Whether quantised numbers of type `element` are the same after dequantisation and quantisation by `scale`."""
    constant = constant_of(scale)
    if constant is None or not isinstance(constant.value, DenseIntOrFPElementsAttr):
        return False
    digits, least, most = _FORMATS[element_of(scale)]
    span = most_of(element) - least_of(element)
    if span >= 2**31 or 8 * span > 2**digits:
        return False
    scales = (abs(cast(float, s)) for s in constant.value.get_values())
    return all(isfinite(s) and 2.0**least <= s and s * span < 2.0**most for s in scales)


def is_same_constant(a: SSAValue, b: SSAValue) -> bool:
    """Whether two values are one, or constants that spell out the same numbers."""
    if a is b:
        return True
    first, second = constant_of(a), constant_of(b)
    return first is not None and second is not None and first.value == second.value


@evaluates(QuantizeOp)
def quantize(op: QuantizeOp, x: Array, scale: Array, zero_point: Array) -> Array:
    """Saturates; the limits of i32, which f32 does not have, are those of f64."""
    import numpy as np

    element = element_of(op.result)
    moved = (np.rint(x / scale) + zero_point.astype(x.dtype)).astype(np.float64)
    limited = np.clip(np.where(np.isnan(moved), -np.inf, moved), least_of(element), most_of(element))
    return limited.astype(np.int64).astype(zero_point.dtype)


@evaluates(DequantizeOp)
def dequantize(op: DequantizeOp, q: Array, scale: Array, zero_point: Array) -> Array:
    """The difference wraps in i32."""
    import numpy as np

    return (q.astype(np.int32) - zero_point.astype(np.int32)).astype(scale.dtype) * scale
