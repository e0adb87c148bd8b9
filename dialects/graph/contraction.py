"""Matrix products."""

from __future__ import annotations

from typing import ClassVar

from xdsl.irdl import irdl_op_definition, operand_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import (
    NumberTensor,
    Tensor,
    Value,
    broadcast_shapes,
    tensor,
    type_of,
    violation,
)


@irdl_op_definition
class MatmulOp(GraphOp):
    """The product of matrices, or of stacks of them: the last two dimensions multiply, leading ones broadcast.

    ```mlir
    %y = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
    ```
    """

    name = "graph.matmul"
    CONTRACTS: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    lhs = operand_def(NumberTensor)
    rhs = operand_def(NumberTensor)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: Value, rhs: Value) -> None:
        super().__init__(operands=[lhs, rhs], result_types=[self.infer(type_of(lhs), type_of(rhs))])

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor) -> Tensor:
        """`[..., m, k] x [..., k, n] -> [..., m, n]`.

        Raises:
            VerifyException: c1 rank below 2, c2 inner extents differ, c3 leading dimensions do not broadcast, c4
                element types differ.
        """
        a, b = lhs.get_shape(), rhs.get_shape()
        if min(len(a), len(b)) < 2:
            raise violation(cls.name, 1, f"{lhs} and {rhs} must both have at least 2 dimensions; use graph.reshape")
        if a[-1] != b[-2]:
            raise violation(cls.name, 2, f"{lhs} has {a[-1]} columns and {rhs} has {b[-2]} rows; these must be equal")
        batch = broadcast_shapes(a[:-2], b[:-2])
        if batch is None:
            raise violation(cls.name, 3, f"the leading dimensions of {lhs} and {rhs} do not broadcast")
        if lhs.element_type != rhs.element_type:
            raise violation(cls.name, 4, f"{lhs} and {rhs} have different element types; insert graph.cast")
        return tensor((*batch, a[-2], b[-1]), lhs.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.lhs), type_of(self.rhs))
