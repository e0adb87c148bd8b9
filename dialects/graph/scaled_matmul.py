"""Matrix products with short integers as weights, whose scales are shared by groups of rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from xdsl.dialects.builtin import TensorType, f16, f32, i8
from xdsl.ir import SSAValue
from xdsl.irdl import AttrSetConstraint, irdl_op_definition, operand_def, var_operand_def

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.types import AnyTensor, Tensor, Value, element_of, shape_of, tensor, type_of, violation
from mlc.support.dtypes import unsigned
from mlc.support.semantics import evaluates

if TYPE_CHECKING:
    from mlc.support.semantics import Array

__all__ = ["ScaledMatmulOp"]

ui8 = unsigned(i8)


@irdl_op_definition
class ScaledMatmulOp(GraphOp):
    """The product of a matrix and one of short integers, summed group by group and scaled once per group.

    With `k` rows of weights and `g` rows of scales, `k / g` neighbours along `k` are a group. In f32,
    `y[m, n] = sum over g of scale[g, n] * (sum over the group of x[m, k] * w[k, n])`.

    ```mlir
    %y = graph.scaled_matmul %x, %w, %s
        : tensor<1x4096xf32>, tensor<4096x11008xi8>, tensor<32x11008xf32> -> tensor<1x11008xf32>
    ```

    Of integers, `x` has scales, too, one for each row and group. Sums of a group are exact in i32, become f32, and are
    scaled by `x_scale[m, g]`.

    ```mlir
    %y = graph.scaled_matmul %q, %w, %s, %x_scale : tensor<1x4096xi8>, tensor<4096x11008xi8>, tensor<32x11008xf32>,
        tensor<1x32xf32> -> tensor<1x11008xf32>
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

    lhs = operand_def(TensorType.constr(AttrSetConstraint(frozenset((f32, i8)))))
    rhs = operand_def(TensorType.constr(AttrSetConstraint(frozenset((i8, ui8)))))
    scale = operand_def(TensorType.constr(AttrSetConstraint(frozenset((f32, f16)))))
    """Of f32, or stored as f16."""
    others = var_operand_def(AnyTensor)
    """The scales of the first factor, if it is one of integers; zero points and the sums that they are multiplied with,
    if there are any."""

    assembly_format = "operands attr-dict `:` type(operands) `->` type($result)"

    def __init__(
        self,
        lhs: Value,
        rhs: Value,
        scale: Value,
        less: tuple[Value, Value] | None = None,
        lhs_scale: Value | None = None,
    ) -> None:
        others = [*([] if lhs_scale is None else [lhs_scale]), *(less or ())]
        result = self.infer(*map(type_of, (lhs, rhs, scale, *others)))
        super().__init__(operands=[lhs, rhs, scale, others], result_types=[result])

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor, scale: Tensor, *others: Tensor) -> Tensor:
        """`[m, k] x [k, n]` with scales `[g, n]` and `[m, g]`, zero points `[g, n]` and sums `[m, g]` gives `[m, n]`.

        Raises:
            VerifyException: c1 an operand is not a matrix, c2 inner extents differ, c3 scales have other columns than
                weights, c4 groups do not divide the rows of the weights, c5 zero points and sums have other shapes or
                types, c6 a first factor of integers has no scales for its rows and groups, c7 weights of ui8 meet
                floats.
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
        by_row, less = tensor((m, groups), f32), others
        if lhs.element_type == i8:
            if others[:1] != (by_row,):
                found = ", ".join(map(str, others)) or "nothing"
                raise violation(cls.name, 6, f"{lhs} is scaled by {found}; required: {by_row}")
            less = others[1:]
        elif rhs.element_type != i8:
            raise violation(cls.name, 7, f"{rhs} is multiplied with floats; required: elements of i8")
        if less and list(less) not in [[tensor((groups, n), e), by_row] for e in (i8, ui8, f32)]:
            required = f"{tensor((groups, n), i8)}, or of ui8 or f32, and {by_row}"
            raise violation(cls.name, 5, f"zero points and sums are {', '.join(map(str, less))}; required: {required}")
        return tensor((m, n), f32)

    def inferred_type(self) -> Tensor:
        return self.infer(*map(type_of, self.operands))

    @property
    def lhs_scale(self) -> SSAValue | None:
        """The scale of each row and group of the first factor; None if that is one of floats."""
        return self.others[0] if element_of(self.lhs) == i8 else None

    @property
    def less(self) -> Sequence[SSAValue]:
        """Zero points and the sums that they are multiplied with, or nothing."""
        return self.others[self.lhs_scale is not None :]

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return shape_of(self.scale)[0]

    @property
    def group(self) -> int:
        """How many rows of the weights share a scale."""
        return shape_of(self.rhs)[0] // self.groups


@evaluates(ScaledMatmulOp)
def scaled_matmul(op: ScaledMatmulOp, lhs: Array, rhs: Array, scale: Array, *others: Array) -> Array:
    """Sums of groups first; in f32, or in i32."""
    import numpy as np

    sums_of = np.int32 if lhs.dtype == np.int8 else np.float32
    rows = np.moveaxis(lhs.astype(sums_of).reshape(lhs.shape[0], op.groups, op.group), 1, 0)
    scale = scale.astype(np.float32)
    totals = (rows @ rhs.astype(sums_of).reshape(op.groups, op.group, -1)).astype(np.float32)
    if op.lhs_scale is not None:
        totals = totals * others[0].T[:, :, None]
    if op.less:
        zero, sums = others[-2:]
        totals = totals - zero.astype(np.float32)[:, None, :] * sums.T[:, :, None]
    return (totals * scale[:, None, :]).sum(0, dtype=np.float32)
