"""A tagged tensor as a plugin: a type around a tensor that says what its numbers are measured in."""

from __future__ import annotations

from typing import ClassVar, cast

from xdsl.dialects.builtin import StringAttr, TensorType, f32
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

from mlc.dialects.graph.types import Tensor
from mlc.pass_manager.lowering import lowers
from mlc.pass_manager.type_conversion import converts_type
from mlc.passes.graph_to_tensor import Builder, Elementwise, Points


@irdl_attr_definition
class TaggedType(ParametrizedAttribute, TypeAttribute):
    """`!tag.of<tensor<4xf32>, "m">`: lengths in metres, say."""

    name = "tag.of"
    tensor: Attribute
    unit: StringAttr


@irdl_op_definition
class AddOp(IRDLOperation):
    """The sum of what is measured in one unit."""

    T: ClassVar = VarConstraint("T", BaseAttr(TaggedType))
    name = "tag.add"
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


@irdl_op_definition
class StripOp(IRDLOperation):
    """The numbers without the unit."""

    name = "tag.strip"
    input = operand_def(BaseAttr(TaggedType))
    result = result_def(TensorType.constr(f32))
    traits = traits_def(Pure())
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"


Tag = Dialect("tag", [AddOp, StripOp], [TaggedType])


@converts_type("convert-graph-to-tensor", TaggedType)
def numbers_of(tagged: TaggedType) -> Attribute:
    return cast(Tensor, tagged.tensor)


@lowers("convert-graph-to-tensor", AddOp)
class LowerAdd(Elementwise):
    """The sum of the numbers."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        return self.map(op, b, Points.add)


@lowers("convert-graph-to-tensor", StripOp)
class LowerStrip(Elementwise):
    """The numbers, moved."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        def point(_: Points, x: SSAValue) -> SSAValue:
            return x

        return self.map(op, b, point)
