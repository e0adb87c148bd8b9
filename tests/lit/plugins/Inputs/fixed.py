"""Fixed-point numbers as a plugin: a type of elements that becomes integers."""

from __future__ import annotations

from typing import Any, ClassVar, cast

import numpy as np
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import IntAttr, IntegerType, TensorType, f32, i32
from xdsl.ir import Attribute, Dialect, Operation, OpResult, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import BaseAttr, VarConstraint, irdl_attr_definition, irdl_op_definition, operand_def, result_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import Tensor
from mlc.pass_manager.lowering import lowers
from mlc.pass_manager.type_conversion import converts_type
from mlc.passes.graph_to_tensor import Builder, Elementwise, Points
from mlc.reference.execution import Array, evaluates


@irdl_attr_definition
class FixedType(ParametrizedAttribute, TypeAttribute):
    """`!fx.fixed<16, 8>`: a signed number of 16 bits, 8 of them behind the point."""

    name = "fx.fixed"
    width: IntAttr
    fraction: IntAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> list[Attribute]:
        with parser.in_angle_brackets():
            width = parser.parse_integer()
            parser.parse_punctuation(",")
            return [IntAttr(width), IntAttr(parser.parse_integer())]

    def print_parameters(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string(f"{self.width.data}, {self.fraction.data}")

    def verify(self) -> None:
        if self.width.data not in (8, 16) or not 0 <= self.fraction.data < self.width.data:
            raise VerifyException(f"found {self.width.data} bits with {self.fraction.data} behind the point")


FixedTensor = TensorType.constr(BaseAttr(FixedType))
FloatTensor = TensorType.constr(f32)


class FixedOp(GraphOp):
    """An op on fixed-point numbers: a point of the result is computed from a point of each operand."""

    MAPS: ClassVar[bool] = True

    def inferred_type(self) -> Tensor:
        shape = cast(Tensor, self.operands[0].type).get_shape()
        return TensorType(self.result.type.element_type, shape)

    @property
    def fixed(self) -> FixedType:
        """The type of fixed-point numbers, of which there is one."""
        elements = [cast(Tensor, value.type).element_type for value in (*self.results, *self.operands)]
        return next(each for each in elements if isinstance(each, FixedType))


@irdl_op_definition
class QuantizeOp(FixedOp):
    """The nearest fixed-point number."""

    name = "fx.quantize"
    input = operand_def(FloatTensor)
    result: OpResult[Tensor] = result_def(FixedTensor)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"


@irdl_op_definition
class DequantizeOp(FixedOp):
    """The number as a float."""

    name = "fx.dequantize"
    input = operand_def(FixedTensor)
    result: OpResult[Tensor] = result_def(FloatTensor)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"


@irdl_op_definition
class AddOp(FixedOp):
    """The sum, modulo 2 to the power of the width."""

    T: ClassVar = VarConstraint("T", FixedTensor)
    name = "fx.add"
    lhs = operand_def(T)
    rhs = operand_def(T)
    result: OpResult[Tensor] = result_def(T)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


@irdl_op_definition
class MulOp(FixedOp):
    """The product, rounded towards minus infinity, modulo 2 to the power of the width."""

    T: ClassVar = VarConstraint("T", FixedTensor)
    name = "fx.mul"
    lhs = operand_def(T)
    rhs = operand_def(T)
    result: OpResult[Tensor] = result_def(T)
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


Fx = Dialect("fx", [QuantizeOp, DequantizeOp, AddOp, MulOp], [FixedType])


def _stored(op: FixedOp, numbers: Array) -> Array:
    return numbers.astype(f"int{op.fixed.width.data}")


@evaluates(QuantizeOp)
def quantize(op: QuantizeOp, x: Array) -> Array:
    limit = 1 << (op.fixed.width.data - 1)
    scaled = np.rint(x * np.float32(1 << op.fixed.fraction.data))
    return _stored(op, np.clip(np.nan_to_num(scaled), -limit, limit - 1))


@evaluates(DequantizeOp)
def dequantize(op: DequantizeOp, x: Array) -> Array:
    return x.astype(np.float32) / np.float32(1 << op.fixed.fraction.data)


@evaluates(AddOp)
def add(op: AddOp, x: Array, y: Array) -> Array:
    return x + y


@evaluates(MulOp)
def mul(op: MulOp, x: Array, y: Array) -> Array:
    return _stored(op, (x.astype(np.int64) * y.astype(np.int64)) >> op.fixed.fraction.data)


@converts_type("convert-graph-to-tensor", FixedType)
def bits_of(fixed: FixedType) -> Attribute:
    return IntegerType(fixed.width.data)


@lowers("convert-graph-to-tensor", QuantizeOp)
class LowerQuantize(Elementwise):
    """Scale, round, and stay in the range of the integer."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, QuantizeOp)
        fixed = op.fixed
        limit = 1 << (fixed.width.data - 1)

        def point(p: Points, x: SSAValue) -> SSAValue:
            scaled = p(math.RoundEvenOp, p.mul(x, p.number(1 << fixed.fraction.data, f32)))
            is_number = p(arith.CmpfOp, scaled, scaled, "ord")
            known = p(arith.SelectOp, is_number, scaled, p.number(0, f32))
            high = p(arith.MinimumfOp, known, p.number(limit - 1, f32))
            return p(arith.FPToSIOp, p(arith.MaximumfOp, high, p.number(-limit, f32)), bits_of(fixed))

        return self.map(op, b, point)


@lowers("convert-graph-to-tensor", DequantizeOp)
class LowerDequantize(Elementwise):
    """To a float, and scale."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, DequantizeOp)
        factor = 1.0 / (1 << op.fixed.fraction.data)

        def point(p: Points, x: SSAValue) -> SSAValue:
            return p.mul(p(arith.SIToFPOp, x, f32), p.number(factor, f32))

        return self.map(op, b, point)


@lowers("convert-graph-to-tensor", AddOp)
class LowerAdd(Elementwise):
    """The sum of integers."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        return self.map(op, b, Points.add)


@lowers("convert-graph-to-tensor", MulOp)
class LowerMul(Elementwise):
    """The product of twice the bits, shifted back."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, MulOp)
        fixed = op.fixed

        def point(p: Points, x: SSAValue, y: SSAValue) -> SSAValue:
            product = p.mul(p(arith.ExtSIOp, x, i32), p(arith.ExtSIOp, y, i32))
            shifted = p(arith.ShRSIOp, product, p.number(fixed.fraction.data, i32))
            return p(arith.TruncIOp, shifted, cast(Any, bits_of(fixed)))

        return self.map(op, b, point)
