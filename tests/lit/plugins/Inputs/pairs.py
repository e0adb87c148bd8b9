"""Complex numbers as a plugin: each tensor of them becomes two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Attribute, Dialect, Operation, ParametrizedAttribute, SSAValue, TypeAttribute
from xdsl.irdl import (
    BaseAttr,
    IRDLOperation,
    VarConstraint,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from mlc.dialects.graph.types import shape_of
from mlc.pass_manager.lowering import lowers
from mlc.pass_manager.type_conversion import converts_type
from mlc.passes.graph_to_tensor import Body, Builder, Points, ToTensor, every


@irdl_attr_definition
class PairType(ParametrizedAttribute, TypeAttribute):
    """A complex number."""

    name = "pairs.complex"


PairTensor = TensorType.constr(BaseAttr(PairType))
PartTensor = TensorType.constr(f32)


@irdl_op_definition
class MulOp(IRDLOperation):
    """The product of complex numbers."""

    T: ClassVar = VarConstraint("T", PairTensor)
    name = "pairs.mul"
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


@irdl_op_definition
class NormOp(IRDLOperation):
    """The square of the absolute value."""

    name = "pairs.norm"
    input = operand_def(PairTensor)
    result = result_def(PartTensor)
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"


Pairs = Dialect("pairs", [MulOp, NormOp], [PairType])


@converts_type("convert-graph-to-tensor", PairType)
def both_parts(number: PairType) -> Sequence[Attribute]:
    return [f32, f32]


class _OfParts(ToTensor):
    def points(self, op: Operation, b: Builder, body: Body) -> SSAValue:
        """A tensor of what `body` makes of both parts of all operands."""
        shape = shape_of(op.operands[0])
        parts = [part for value in op.operands for part in self.parts(value)]
        return b.map_points([(part, every(len(shape))) for part in parts], shape, f32, body)


@lowers("convert-graph-to-tensor", MulOp)
class LowerMul(_OfParts):
    """Two maps: one for each part."""

    def build(self, op: Operation, b: Builder) -> Sequence[SSAValue]:
        def real(p: Points, a: SSAValue, b: SSAValue, c: SSAValue, d: SSAValue) -> SSAValue:
            return p.sub(p.mul(a, c), p.mul(b, d))

        def imaginary(p: Points, a: SSAValue, b: SSAValue, c: SSAValue, d: SSAValue) -> SSAValue:
            return p.add(p.mul(a, d), p.mul(b, c))

        return [self.points(op, b, real), self.points(op, b, imaginary)]


@lowers("convert-graph-to-tensor", NormOp)
class LowerNorm(_OfParts):
    """The sum of two squares."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        def square(p: Points, x: SSAValue, y: SSAValue) -> SSAValue:
            return p.add(p.mul(x, x), p.mul(y, y))

        return self.points(op, b, square)
