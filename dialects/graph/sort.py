"""Sorting along an axis."""

from __future__ import annotations

from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import OpResult
from xdsl.irdl import EqAttrConstraint, irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.reduction import ArgMaxOp, ArgMinOp
from mlc.dialects.graph.types import NumberTensor, Tensor, Value, is_float, require_axis, tensor, type_of, violation
from mlc.support.semantics import Array, evaluates

__all__ = ["ArgsortOp"]


@irdl_op_definition
class ArgsortOp(GraphOp, HasCanonicalizationPatternsInterface):
    """The positions of the `first` elements of the sorted axis, as i64: least first, or greatest first if `descending`.

    Of equal elements, the two zeros included, the one at the lower position comes first. NaN counts as greater than any
    number, and one NaN as equal to another. `graph.gather_nd` reads the elements at these positions, which are the
    sorted tensor or, with fewer than there are, the top k. Sorting by several keys is sorting by the last one, and the
    result by the one before.

    ```mlir
    %order = graph.argsort %x axis 1 first 1000 : tensor<64x1000xf32> -> tensor<64x1000xi64>
    %best = graph.argsort %x axis 1 descending first 5 : tensor<64x1000xf32> -> tensor<64x5xi64>
    ```
    """

    name = "graph.argsort"

    input = operand_def(NumberTensor)
    axis = prop_def(IntegerAttr.constr(i64))
    descending = opt_prop_def(UnitAttr)
    first = prop_def(IntegerAttr.constr(i64))
    result: OpResult[Tensor] = result_def(TensorType.constr(EqAttrConstraint(i64)))

    assembly_format = (
        "$input `axis` $axis (`descending` $descending^)? `first` $first attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(self, input: Value, axis: int, descending: bool = False, first: int | None = None) -> None:
        first = type_of(input).get_shape()[axis] if first is None else first
        super().__init__(
            operands=[input],
            properties={
                "axis": IntegerAttr(axis, i64),
                "descending": UnitAttr() if descending else None,
                "first": IntegerAttr(first, i64),
            },
            result_types=[self.infer(type_of(input), axis, first)],
        )

    @classmethod
    def infer(cls, input: Tensor, axis: int, first: int) -> Tensor:
        """The input with `first` positions along the axis.

        Raises:
            VerifyException: c1 the axis is out of range, c2 more elements are wanted than there are, c3 there are more
                than 2^31 - 1.
        """
        require_axis(cls.name, input, axis)
        shape = input.get_shape()
        if not 0 <= first <= shape[axis]:
            raise violation(
                cls.name, 2, f"the first {first} of {shape[axis]} elements along axis {axis}; there are not"
            )
        if shape[axis] >= 1 << 31:
            raise violation(cls.name, 3, f"axis {axis} of {input} is too long; at most {(1 << 31) - 1} are sorted")
        return tensor((*shape[:axis], first, *shape[axis + 1 :]), i64)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), self.axis.value.data, self.first.value.data)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (ReplaceSortForExtreme(),)


class ReplaceSortForExtreme(RewritePattern):
    """The first of a sorted axis is argmax or argmin; but argmin has NaN first, which sorting has last."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ArgsortOp, rewriter: PatternRewriter) -> None:
        input_type, axis = type_of(op.input), op.axis.value.data
        if op.first.value.data != 1:
            return
        if op.descending is not None:
            rewriter.replace(op, ArgMaxOp(op.input, axis, keepdims=True))
        elif not is_float(input_type):
            rewriter.replace(op, ArgMinOp(op.input, axis, keepdims=True))


@evaluates(ArgsortOp)
def argsort(op: ArgsortOp, x: Array) -> Array:
    """Descending is ascending of the reversed axis, reversed, so that equal elements stay in their order."""
    import numpy as np

    axis, first = op.axis.value.data, op.first.value.data
    if op.descending is None:
        order = np.argsort(x, axis, kind="stable")
    else:
        backwards = np.flip(np.argsort(np.flip(x, axis), axis, kind="stable"), axis)
        order = x.shape[axis] - 1 - backwards
    return np.take(order, np.arange(first), axis).astype(np.int64)
