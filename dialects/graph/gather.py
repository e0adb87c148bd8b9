"""Reading a tensor at positions that another tensor holds."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, TensorType, i32, i64
from xdsl.irdl import EqAttrConstraint, irdl_op_definition, operand_def, prop_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import AnyTensor, Tensor, Value, require_axis, tensor, type_of, violation


@irdl_op_definition
class GatherOp(GraphOp):
    """The slices of `data` at `indices` along an axis: rows of an embedding table, say.

    The shape of the indices takes the place of the axis. A negative index counts from the end. An index out of range is
    an error of the model: the reference says so, compiled code takes the nearest slice.

    ```mlir
    %y = graph.gather %table, %ids axis 0 : tensor<1000x64xf32>, tensor<1x16xi64> -> tensor<1x16x64xf32>
    ```
    """

    name = "graph.gather"
    MOVES: ClassVar[bool] = True

    data = operand_def(AnyTensor)
    indices = operand_def(TensorType.constr(EqAttrConstraint(i32) | EqAttrConstraint(i64)))
    axis = prop_def(IntegerAttr.constr(i64))

    assembly_format = "operands `axis` $axis attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, data: Value, indices: Value, axis: int = 0) -> None:
        super().__init__(
            operands=[data, indices],
            properties={"axis": IntegerAttr(axis, i64)},
            result_types=[self.infer(type_of(data), type_of(indices), axis)],
        )

    @classmethod
    def infer(cls, data: Tensor, indices: Tensor, axis: int = 0) -> Tensor:
        """The shape of the data, with that of the indices in place of the axis.

        Raises:
            VerifyException: c1 the axis is out of range, c2 there is nothing along it.
        """
        require_axis(cls.name, data, axis)
        shape = data.get_shape()
        if shape[axis] == 0:
            raise violation(cls.name, 2, f"{data} has no elements along axis {axis}; it needs at least one")
        return tensor((*shape[:axis], *indices.get_shape(), *shape[axis + 1 :]), data.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.data), type_of(self.indices), self.axis.value.data)
