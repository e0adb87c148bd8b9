"""Constants, and what patterns ask about them."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, DenseResourceAttr
from xdsl.ir import OpResult, SSAValue
from xdsl.irdl import (
    AnyAttr,
    IRDLOperation,
    ParamAttrConstraint,
    VarConstraint,
    irdl_op_definition,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import ConstantLike, Pure

from mlc.dialects.graph.types import AnyTensor, Tensor
from mlc.support.types import repeated_number

__all__ = ["ConstantOp", "constant_of", "splat_of"]

ConstantValue: TypeAlias = DenseIntOrFPElementsAttr | DenseResourceAttr


@irdl_op_definition
class ConstantOp(IRDLOperation):
    """A tensor known at compile time: spelled out, or named data of the compilation (`mlc.support.resources`).

    ```mlir
    %half = graph.constant dense<0.5> : tensor<f32>
    %w = graph.constant dense_resource<fc1.weight> : tensor<784x200xf32>
    ```
    """

    name = "graph.constant"

    T: ClassVar = VarConstraint("T", AnyTensor)
    value = prop_def(
        ParamAttrConstraint(DenseIntOrFPElementsAttr, (T, AnyAttr()))
        | ParamAttrConstraint(DenseResourceAttr, (AnyAttr(), T))
    )
    result: OpResult[Tensor] = result_def(T)

    traits = traits_def(Pure(), ConstantLike())

    assembly_format = "attr-dict $value"

    def __init__(self, value: ConstantValue) -> None:
        super().__init__(properties={"value": value}, result_types=[value.get_type()])


def constant_of(value: SSAValue) -> ConstantOp | None:
    """The constant that defines `value`, if one does."""
    owner = value.owner
    return owner if isinstance(owner, ConstantOp) else None


def splat_of(value: SSAValue) -> int | float | None:
    """The one number that all elements of `value` are, if that is visible in the IR (resources are not opened)."""
    constant = constant_of(value)
    if constant is None or not isinstance(constant.value, DenseIntOrFPElementsAttr):
        return None
    return repeated_number(constant.value)
