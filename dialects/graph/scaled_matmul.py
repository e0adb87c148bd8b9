"""Matrix products with short integers as weights, whose scales are shared by groups of rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import TensorType, f32, i8
from xdsl.irdl import irdl_op_definition, operand_def, var_operand_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import AnyTensor, Tensor, Value, shape_of, tensor, type_of, violation
from mlc.support.semantics import evaluates

if TYPE_CHECKING:
    from mlc.support.semantics import Array

__all__ = ["ScaledMatmulOp"]


@irdl_op_definition
class ScaledMatmulOp(GraphOp):
    """The product of a matrix of floats and one of integers, summed group by group and scaled once per group.

    With `k` rows of weights and `g` rows of scales, `k / g` neighbours along `k` are a group. In f32,
    `y[m, n] = sum over g of scale[g, n] * (sum over the group of x[m, k] * w[k, n])`.

    ```mlir
    %y = graph.scaled_matmul %x, %w, %s
        : tensor<1x4096xf32>, tensor<4096x11008xi8>, tensor<32x11008xf32> -> tensor<1x11008xf32>
    ```

    Zero points, integers or floats, and the sums of `x` over each group may follow: each sum of a group is less
    `zero[g, n] * sums[m, g]` then.

    ```mlir
    %y = graph.scaled_matmul %x, %w, %s, %z, %t : tensor<1x4096xf32>, tensor<4096x11008xi8>, tensor<32x11008xf32>,
        tensor<32x11008xi8>, tensor<1x32xf32> -> tensor<1x11008xf32>
    ```
    """

    name = "graph.scaled_matmul"
    CONTRACTS: ClassVar[bool] = True

    lhs = operand_def(TensorType.constr(f32))
    rhs = operand_def(TensorType.constr(i8))
    scale = operand_def(TensorType.constr(f32))
    less = var_operand_def(AnyTensor)
    """Zero points and the sums that they are multiplied with, or nothing."""

    assembly_format = "operands attr-dict `:` type(operands) `->` type($result)"

    def __init__(self, lhs: Value, rhs: Value, scale: Value, less: tuple[Value, Value] | None = None) -> None:
        operands = [lhs, rhs, scale, *(less or ())]
        super().__init__(
            operands=[lhs, rhs, scale, list(less or ())], result_types=[self.infer(*map(type_of, operands))]
        )

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor, scale: Tensor, *less: Tensor) -> Tensor:
        """`[m, k] x [k, n]` with scales `[g, n]`, zero points `[g, n]` and sums `[m, g]` gives `[m, n]`.

        Raises:
            VerifyException: c1 an operand is no matrix, c2 inner extents differ, c3 scales have other columns than
                weights, c4 groups do not divide the rows of the weights, c5 zero points and sums have other shapes or
                types.
        """
        shapes = [each.get_shape() for each in (lhs, rhs, scale)]
        if any(len(shape) != 2 for shape in shapes):
            raise violation(cls.name, 1, f"{lhs}, {rhs} and {scale} must have 2 dimensions; use graph.reshape")
        (m, depth), (k, n), (groups, columns) = shapes
        if depth != k:
            raise violation(cls.name, 2, f"{lhs} has {depth} columns and {rhs} has {k} rows; these must be equal")
        if columns != n:
            raise violation(cls.name, 3, f"{scale} has {columns} columns and {rhs} has {n}; these must be equal")
        if not groups or k % groups:
            raise violation(cls.name, 4, f"{scale} has {groups} rows, which must divide the {k} rows of {rhs}")
        if less and list(less) not in [[tensor((groups, n), e), tensor((m, groups), f32)] for e in (i8, f32)]:
            required = f"{tensor((groups, n), i8)}, or of f32, and {tensor((m, groups), f32)}"
            raise violation(cls.name, 5, f"zero points and sums are {', '.join(map(str, less))}; required: {required}")
        return tensor((m, n), f32)

    def inferred_type(self) -> Tensor:
        return self.infer(*map(type_of, self.operands))

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return shape_of(self.scale)[0]

    @property
    def group(self) -> int:
        """How many rows of the weights share a scale."""
        return shape_of(self.rhs)[0] // self.groups


@evaluates(ScaledMatmulOp)
def scaled_matmul(op: ScaledMatmulOp, lhs: Array, rhs: Array, scale: Array, *less: Array) -> Array:
    """Sums of groups first; in f32."""
    import numpy as np

    rows = np.moveaxis(lhs.reshape(lhs.shape[0], op.groups, op.group), 1, 0)
    totals = rows @ rhs.astype(np.float32).reshape(op.groups, op.group, -1)
    if less:
        zero, sums = less
        totals = totals - zero.astype(np.float32)[:, None, :] * sums.T[:, :, None]
    return (totals * scale[:, None, :]).sum(0, dtype=np.float32)
