"""Ops that keep every element, under another shape or in another order."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import ClassVar

from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.graph.moves import MoveOp
from mlc.dialects.graph.types import (
    AnyTensor,
    I64ArrayConstr,
    Shape,
    Tensor,
    Value,
    i64_array,
    ints,
    shape_of,
    tensor,
    times,
    type_of,
    violation,
)
from mlc.support.linear import through_reshape
from mlc.support.semantics import Array, evaluates

__all__ = ["ReshapeOp", "TransposeOp"]


@irdl_op_definition
class ReshapeOp(MoveOp, HasCanonicalizationPatternsInterface):
    """The same elements in row-major order, under another shape.

    ```mlir
    %y = graph.reshape %x : tensor<1x8x8xf32> -> tensor<1x64xf32>
    ```
    """

    name = "graph.reshape"

    input = operand_def(AnyTensor)

    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, shape: Shape) -> None:
        super().__init__(operands=[input], result_types=[self.infer(type_of(input), shape)])

    @classmethod
    def infer(cls, input: Tensor, shape: Shape) -> Tensor:
        """The shape asked for.

        Raises:
            VerifyException: c1 the number of elements changes.
        """
        before, after = prod(input.get_shape()), prod(shape)
        if before != after:
            raise violation(
                cls.name,
                1,
                f"{input} has {before} elements and {times(shape)} has {after}; these must be equal",
            )
        return tensor(shape, input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), shape_of(self.result))

    def read_through(self, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr] | None:
        return through_reshape(subscripts, shape_of(self.result), shape_of(self.input), sizes)

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldIdentityReshape(), FoldReshapeOfReshape())


class FoldIdentityReshape(RewritePattern):
    """A reshape to the shape that the operand has is the operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter) -> None:
        if op.input.type == op.result.type:
            rewriter.replace(op, (), (op.input,))


class FoldReshapeOfReshape(RewritePattern):
    """Of two reshapes in a row only the last shape counts."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReshapeOp, rewriter: PatternRewriter) -> None:
        if isinstance(inner := op.input.owner, ReshapeOp):
            rewriter.replace(op, ReshapeOp(inner.input, shape_of(op.result)))


@irdl_op_definition
class TransposeOp(MoveOp, HasCanonicalizationPatternsInterface):
    """Permutes dimensions: dimension `i` of the result is dimension `permutation[i]` of the operand.

    ```mlir
    %y = graph.transpose %x [0, 2, 3, 1] : tensor<1x3x8x8xf32> -> tensor<1x8x8x3xf32>
    ```
    """

    name = "graph.transpose"
    STORED_BY_PRODUCER: ClassVar[bool] = True

    input = operand_def(AnyTensor)
    permutation = prop_def(I64ArrayConstr)

    assembly_format = "$input $permutation attr-dict `:` type($input) `->` type($result)"

    def __init__(self, input: Value, permutation: Sequence[int]) -> None:
        super().__init__(
            operands=[input],
            properties={"permutation": i64_array(permutation)},
            result_types=[self.infer(type_of(input), permutation)],
        )

    @classmethod
    def infer(cls, input: Tensor, permutation: Sequence[int]) -> Tensor:
        """The permuted shape.

        Raises:
            VerifyException: c1 not a permutation of the operand's dimensions.
        """
        shape = input.get_shape()
        if sorted(permutation) != list(range(len(shape))):
            raise violation(cls.name, 1, f"{list(permutation)} does not permute the {len(shape)} dimensions of {input}")
        return tensor(tuple(shape[d] for d in permutation), input.element_type)

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.input), ints(self.permutation))

    def read_through(self, subscripts: Sequence[AffineExpr], sizes: Sequence[int]) -> list[AffineExpr]:
        permutation = ints(self.permutation)
        return [subscripts[permutation.index(axis)] for axis in range(len(permutation))]

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (FoldIdentityTranspose(), FoldTransposeOfTranspose(), ReplaceUnitTranspose())


class FoldIdentityTranspose(RewritePattern):
    """A transpose that permutes nothing is its operand."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter) -> None:
        permutation = ints(op.permutation)
        if permutation == tuple(range(len(permutation))):
            rewriter.replace(op, (), (op.input,))


class ReplaceUnitTranspose(RewritePattern):
    """A transpose that only moves dimensions of extent 1 leaves the elements in order: it is a reshape."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter) -> None:
        shape = shape_of(op.input)
        wide = [d for d in ints(op.permutation) if shape[d] != 1]
        if wide == sorted(wide):
            rewriter.replace(op, ReshapeOp(op.input, shape_of(op.result)))


class FoldTransposeOfTranspose(RewritePattern):
    """Two transposes in a row are one."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: TransposeOp, rewriter: PatternRewriter) -> None:
        if isinstance(inner := op.input.owner, TransposeOp):
            first, second = ints(inner.permutation), ints(op.permutation)
            rewriter.replace(op, TransposeOp(inner.input, tuple(first[d] for d in second)))


@evaluates(ReshapeOp)
def reshape(op: ReshapeOp, x: Array) -> Array:
    """In row-major order."""
    import numpy as np

    return np.reshape(x, shape_of(op.result))


@evaluates(TransposeOp)
def transpose(op: TransposeOp, x: Array) -> Array:
    """Dimension `i` of the result is dimension `permutation[i]` of the operand."""
    import numpy as np

    return np.transpose(x, ints(op.permutation))
