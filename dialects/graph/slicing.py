"""Ops that put tensors together, cut them, and surround them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, TypeAlias

from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i64
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    BaseAttr,
    VarOperand,
    irdl_op_definition,
    operand_def,
    prop_def,
    var_operand_def,
)
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.moves import MoveOp
from mlc.dialects.graph.types import (
    AnyTensor,
    I64ArrayConstr,
    Shape,
    Tensor,
    Value,
    element_of,
    i64_array,
    ints,
    is_float,
    tensor,
    type_of,
    violation,
)
from mlc.support.semantics import Array, evaluates

__all__ = ["ConcatOp", "PadOp", "SliceOp"]

NumberAttr: TypeAlias = FloatAttr[Any] | IntegerAttr[Any]


@irdl_op_definition
class ConcatOp(GraphOp, HasCanonicalizationPatternsInterface):
    """Puts tensors one after the other along an axis.

    ```mlir
    %y = graph.concat %a, %b axis 1 : tensor<1x2xf32>, tensor<1x3xf32> -> tensor<1x5xf32>
    ```
    """

    name = "graph.concat"
    MOVES: ClassVar[bool] = True

    inputs: VarOperand = var_operand_def(AnyTensor)
    axis = prop_def(IntegerAttr.constr(i64))

    assembly_format = "$inputs `axis` $axis attr-dict `:` type($inputs) `->` type($result)"

    def __init__(self, inputs: Sequence[Value], axis: int) -> None:
        super().__init__(
            operands=[[SSAValue.get(v) for v in inputs]],
            properties={"axis": IntegerAttr(axis, i64)},
            result_types=[self.infer([type_of(v) for v in inputs], axis)],
        )

    @classmethod
    def infer(cls, inputs: Sequence[Tensor], axis: int) -> Tensor:
        """The first shape, with the sum of the extents along the axis.

        Raises:
            VerifyException: c1 no operands, c2 the axis is out of range, c3 the operands differ in more than the axis.
        """
        if not inputs:
            raise violation(cls.name, 1, "it has no operands; it needs at least one")
        first = inputs[0]
        if not 0 <= axis < first.get_num_dims():
            raise violation(cls.name, 2, f"axis is {axis}; {first} has axes 0 to {first.get_num_dims() - 1}")
        for other in inputs[1:]:
            if _without(axis, other) != _without(axis, first):
                raise violation(cls.name, 3, f"{first} and {other} differ in more than the extent of axis {axis}")
        shape = first.get_shape()
        total = sum(t.get_shape()[axis] for t in inputs)
        return tensor((*shape[:axis], total, *shape[axis + 1 :]), first.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer([type_of(v) for v in self.inputs], self.axis.value.data)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return FoldSingleConcat(), SplitLargeConcat()


class FoldSingleConcat(RewritePattern):
    """The concatenation of one tensor is that tensor."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConcatOp, rewriter: PatternRewriter) -> None:
        if len(op.inputs) == 1:
            rewriter.replace(op, (), (op.inputs[0],))


class SplitLargeConcat(RewritePattern):
    """The concatenation of many tensors is one of concatenations of some, which need no memory of their own.

    As one kernel it is a straight line of copies, for which clang takes time that grows with their number squared.
    """

    MOST: ClassVar[int] = 32
    """Operands of one op."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ConcatOp, rewriter: PatternRewriter) -> None:
        if len(op.inputs) > self.MOST:
            axis, inputs = op.axis.value.data, op.inputs
            parts = [ConcatOp(inputs[i : i + self.MOST], axis) for i in range(0, len(inputs), self.MOST)]
            rewriter.replace(op, (*parts, whole := ConcatOp([part.result for part in parts], axis)), (whole.result,))


def _without(axis: int, type: Tensor) -> tuple[Shape, Shape, Attribute]:
    """What must be equal in all operands of a concatenation."""
    shape = type.get_shape()
    return shape[:axis], shape[axis + 1 :], type.element_type


@irdl_op_definition
class SliceOp(MoveOp, HasCanonicalizationPatternsInterface):
    """The elements from `starts` up to, not including, `ends`, every `strides`-th; all per dimension, all from 0.

    ```mlir
    %y = graph.slice %x starts [0, 2] ends [4, 8] strides [1, 2] : tensor<4x8xf32> -> tensor<4x3xf32>
    ```
    """

    name = "graph.slice"

    input = operand_def(AnyTensor)
    starts = prop_def(I64ArrayConstr)
    ends = prop_def(I64ArrayConstr)
    strides = prop_def(I64ArrayConstr)

    assembly_format = (
        "$input `starts` $starts `ends` $ends `strides` $strides attr-dict `:` type($input) `->` type($result)"
    )

    def __init__(
        self, input: Value, starts: Sequence[int], ends: Sequence[int], strides: Sequence[int] | None = None
    ) -> None:
        strides = [1] * len(starts) if strides is None else strides
        super().__init__(
            operands=[input],
            properties={
                "starts": i64_array(starts),
                "ends": i64_array(ends),
                "strides": i64_array(strides),
            },
            result_types=[self.infer(type_of(input), starts, ends, strides)],
        )

    @classmethod
    def infer(cls, input: Tensor, starts: Sequence[int], ends: Sequence[int], strides: Sequence[int]) -> Tensor:
        """The shape of what is selected.

        Raises:
            VerifyException: c1 a list has not one number per dimension, c2 a range runs backwards or leaves the tensor,
                c3 a stride below 1.
        """
        shape = input.get_shape()
        if not len(starts) == len(ends) == len(strides) == len(shape):
            raise violation(
                cls.name, 1, f"starts, ends and strides have {len(starts)}, {len(ends)} and {len(strides)} elements; "
                f"{input} needs {len(shape)} of each"
            )  # fmt: skip
        for axis, (start, end, extent) in enumerate(zip(starts, ends, shape, strict=True)):
            if not 0 <= start <= end <= extent:
                raise violation(
                    cls.name,
                    2,
                    f"axis {axis} of {input} is cut from {start} to {end}; stay within 0 to {extent}",
                )
        if min(strides, default=1) < 1:
            raise violation(cls.name, 3, f"strides are {list(strides)}; each must be at least 1")
        cut = tuple(-(-(e - s) // step) for s, e, step in zip(starts, ends, strides, strict=True))
        return tensor(cut, input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), ints(self.starts), ints(self.ends), ints(self.strides))

    def read_through(self, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr]:
        windows = zip(subscripts, ints(self.strides), ints(self.starts), strict=True)
        return [e * stride + start for e, stride, start in windows]

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldFullSlice(),)


class FoldFullSlice(RewritePattern):
    """A slice of everything is its operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: SliceOp, rewriter: PatternRewriter) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


@irdl_op_definition
class PadOp(GraphOp, HasCanonicalizationPatternsInterface):
    """Surrounds a tensor with a constant: `low` elements before and `high` after, per dimension.

    ```mlir
    %y = graph.pad %x low [0, 1] high [0, 1] with 0.0 : f32 : tensor<4x8xf32> -> tensor<4x10xf32>
    ```
    """

    name = "graph.pad"
    MOVES: ClassVar[bool] = True
    STORED_BY_PRODUCER: ClassVar[bool] = True

    input = operand_def(AnyTensor)
    low = prop_def(I64ArrayConstr)
    high = prop_def(I64ArrayConstr)
    value: NumberAttr = prop_def(BaseAttr(FloatAttr) | BaseAttr(IntegerAttr))

    assembly_format = "$input `low` $low `high` $high `with` $value attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, low: Sequence[int], high: Sequence[int], value: float | NumberAttr = 0) -> None:
        if isinstance(value, int | float):
            element: Any = element_of(input)
            value = FloatAttr(value, element) if is_float(type_of(input)) else IntegerAttr(int(value), element)
        super().__init__(
            operands=[input],
            properties={"low": i64_array(low), "high": i64_array(high), "value": value},
            result_types=[self.infer(type_of(input), low, high, value)],
        )

    @classmethod
    def infer(cls, input: Tensor, low: Sequence[int], high: Sequence[int], value: NumberAttr) -> Tensor:
        """The enlarged shape.

        Raises:
            VerifyException: c1 a list has not one number per dimension, c2 a negative amount, c3 the value has
                another type than the elements.
        """
        shape = input.get_shape()
        if not len(low) == len(high) == len(shape):
            raise violation(
                cls.name,
                1,
                f"low and high have {len(low)} and {len(high)} elements; {input} needs {len(shape)} of each",
            )
        if min((*low, *high), default=0) < 0:
            raise violation(
                cls.name,
                2,
                f"low {list(low)} and high {list(high)} must not be negative; use graph.slice to cut",
            )
        if value.type != input.element_type:
            raise violation(cls.name, 3, f"the value is of type {value.type}; {input} needs {input.element_type}")
        padded = tuple(a + e + b for a, e, b in zip(low, shape, high, strict=True))
        return tensor(padded, input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), ints(self.low), ints(self.high), self.value)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldEmptyPad(),)


class FoldEmptyPad(RewritePattern):
    """A pad by nothing is its operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: PadOp, rewriter: PatternRewriter) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


@evaluates(ConcatOp)
def concat(op: ConcatOp, *inputs: Array) -> Array:
    """In the order of the operands."""
    import numpy as np

    return np.concatenate(inputs, op.axis.value.data)


@evaluates(SliceOp)
def slice_(op: SliceOp, x: Array) -> Array:
    """One range per dimension."""
    bounds = zip(ints(op.starts), ints(op.ends), ints(op.strides), strict=True)
    return x[tuple(slice(*b) for b in bounds)]


@evaluates(PadOp)
def pad(op: PadOp, x: Array) -> Array:
    """Constant padding."""
    import numpy as np

    amounts = list(zip(ints(op.low), ints(op.high), strict=True))
    return np.pad(x, amounts, constant_values=op.value.value.data) if amounts else x
