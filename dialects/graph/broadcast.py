"""Ops that repeat elements, or turn them round."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.graph.moves import MoveOp
from mlc.dialects.graph.shape import ReshapeOp
from mlc.dialects.graph.types import (
    AnyTensor,
    I64ArrayConstr,
    Shape,
    Tensor,
    Value,
    broadcast_shapes,
    i64_array,
    ints,
    shape_of,
    tensor,
    times,
    type_of,
    violation,
)
from mlc.support.semantics import Array, evaluates

__all__ = ["BroadcastOp", "ReverseOp"]


@irdl_op_definition
class BroadcastOp(MoveOp, HasCanonicalizationPatternsInterface):
    """The elements repeated to another shape, as NumPy broadcasts: shapes are aligned at their last dimensions, and
    extent 1 stretches.

    ```mlir
    %y = graph.broadcast %x : tensor<3x1xf32> -> tensor<2x3x4xf32>
    ```
    """

    name = "graph.broadcast"

    input = operand_def(AnyTensor)

    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, shape: Shape) -> None:
        super().__init__(operands=[input], result_types=[self.infer(type_of(input), shape)])

    @classmethod
    def infer(cls, input: Tensor, shape: Shape) -> Tensor:
        """The shape asked for.

        Raises:
            VerifyException: c1 the operand does not broadcast to it.
        """
        if broadcast_shapes(input.get_shape(), shape) != tuple(shape):
            raise violation(
                cls.name,
                1,
                f"{input} does not broadcast to {times(shape)}; aligned at the right, extents must be equal or 1",
            )
        return tensor(tuple(shape), input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), shape_of(self.result))

    def read_through(self, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr]:
        own, shape = shape_of(self.input), shape_of(self.result)
        aligned = zip(own, shape[len(shape) - len(own) :], subscripts[len(shape) - len(own) :], strict=True)
        return [at if extent == wide else AffineExpr.constant(0) for extent, wide, at in aligned]

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldIdentityBroadcast(), FoldBroadcastOfBroadcast(), ReplaceUnitBroadcast())


class FoldIdentityBroadcast(RewritePattern):
    """A broadcast to the shape that the operand has is the operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BroadcastOp, rewriter: PatternRewriter) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


class FoldBroadcastOfBroadcast(RewritePattern):
    """Of two broadcasts in a row only the last shape counts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BroadcastOp, rewriter: PatternRewriter) -> None:
        if isinstance(inner := op.input.owner, BroadcastOp):
            rewriter.replace(op, BroadcastOp(inner.input, shape_of(op.result)))


class ReplaceUnitBroadcast(RewritePattern):
    """A broadcast that only puts dimensions of extent 1 in front repeats nothing: it is a reshape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: BroadcastOp, rewriter: PatternRewriter) -> None:
        own, shape = shape_of(op.input), shape_of(op.result)
        front = len(shape) - len(own)
        if own == shape[front:] and all(extent == 1 for extent in shape[:front]):
            rewriter.replace(op, ReshapeOp(op.input, shape))


@irdl_op_definition
class ReverseOp(MoveOp, HasCanonicalizationPatternsInterface):
    """The elements in the opposite order along some axes.

    ```mlir
    %y = graph.reverse %x axes [1] : tensor<4x8xf32> -> tensor<4x8xf32>
    ```
    """

    name = "graph.reverse"

    input = operand_def(AnyTensor)
    axes = prop_def(I64ArrayConstr)

    assembly_format = "$input `axes` $axes attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, axes: Sequence[int]) -> None:
        super().__init__(
            operands=[input],
            properties={"axes": i64_array(axes)},
            result_types=[self.infer(type_of(input), axes)],
        )

    @classmethod
    def infer(cls, input: Tensor, axes: Sequence[int]) -> Tensor:
        """The type of the operand.

        Raises:
            VerifyException: c1 an axis out of range, c2 axes not ascending.
        """
        rank = input.get_num_dims()
        if not all(0 <= axis < rank for axis in axes):
            raise violation(cls.name, 1, f"axes are {list(axes)}; {input} has axes 0 to {rank - 1}")
        if list(axes) != sorted(set(axes)):
            raise violation(cls.name, 2, f"axes are {list(axes)}; list each once, in ascending order")
        return input

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), ints(self.axes))

    def read_through(self, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr]:
        shape, axes = shape_of(self.input), ints(self.axes)
        return [at * -1 + (shape[i] - 1) if i in axes else at for i, at in enumerate(subscripts)]

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldIdleReverse(), FoldReverseOfReverse())


class FoldIdleReverse(RewritePattern):
    """A reverse of axes of extent 1, or of none, is its operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReverseOp, rewriter: PatternRewriter) -> None:
        shape = shape_of(op.input)
        if all(shape[axis] == 1 for axis in ints(op.axes)):
            rewriter.replace(op, (), (op.input,))


class FoldReverseOfReverse(RewritePattern):
    """What two reverses in a row both turn round is as it was."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReverseOp, rewriter: PatternRewriter) -> None:
        if isinstance(inner := op.input.owner, ReverseOp):
            rewriter.replace(op, ReverseOp(inner.input, sorted({*ints(inner.axes)} ^ {*ints(op.axes)})))


@evaluates(BroadcastOp)
def broadcast(op: BroadcastOp, x: Array) -> Array:
    """As NumPy does."""
    import numpy as np  # which takes a tenth of a second

    return np.broadcast_to(x, shape_of(op.result))


@evaluates(ReverseOp)
def reverse(op: ReverseOp, x: Array) -> Array:
    """Along the op's axes."""
    import numpy as np

    return np.flip(x, ints(op.axes))
