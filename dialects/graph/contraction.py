"""Matrix products."""

from __future__ import annotations

from typing import ClassVar

from xdsl.dialects.builtin import f32, i32
from xdsl.interfaces import HasCanonicalizationPatternsInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

from mlc.dialects.graph.base import GraphOp
from mlc.dialects.graph.constant import constant_of
from mlc.dialects.graph.shape import TransposeOp
from mlc.dialects.graph.types import (
    NumberTensor,
    Tensor,
    Value,
    broadcast_shapes,
    element_of,
    ints,
    shape_of,
    tensor,
    type_of,
    violation,
)
from mlc.support.dtypes import HALVES
from mlc.support.types import integer_width

__all__ = ["MatmulOp"]

_MOST_NESTED = 8
"""How many ops a matrix that counts as constant may be computed by."""
_MOST_BITS = 16
"""Products of integers of up to so many bits may be added in i32."""


def type_of_sums(name: str, constraint: int, lhs: Tensor, rhs: Tensor, element: Attribute | None) -> Attribute:
    """The element type in which an op adds products of elements of two tensors.

    Args:
        name: of the op.
        constraint: the number of the constraint of the op that is broken else.
        lhs: the first operand.
        rhs: the second one.
        element: what the result has; by default the type of the operands.

    Raises:
        VerifyException: products of these types are not added in that type.
    """
    left, right = lhs.element_type, rhs.element_type
    widths = [integer_width(each) for each in (left, right)]
    if element == i32 and all(width is not None and width <= _MOST_BITS for width in widths):
        return i32
    if left != right:
        raise violation(name, constraint, f"{lhs} and {rhs} have different element types", "insert graph.cast")
    if element not in (None, left) and not (left in HALVES and element == f32):
        raise violation(
            name, constraint, f"products of elements of type {left} are not added as {element}", "insert graph.cast"
        )
    return left if element is None else element


@irdl_op_definition
class MatmulOp(GraphOp, HasCanonicalizationPatternsInterface):
    """The product of matrices, or of stacks of them: the last two dimensions multiply, leading ones broadcast.

    ```mlir
    %y = graph.matmul %x, %w : tensor<64x784xf32>, tensor<784x200xf32> -> tensor<64x200xf32>
    ```

    Products are added in the element type of the operands, or in a wider one: i32 for integers of up to 16 bits, whose
    types may differ, and f32 for floats of 16 bits.

    ```mlir
    %z = graph.matmul %q, %v : tensor<64x784xui8>, tensor<784x200xi8> -> tensor<64x200xi32>
    ```
    """

    name = "graph.matmul"
    CONTRACTS: ClassVar[bool] = True
    WHOLE_AXES: ClassVar[bool] = True

    lhs = operand_def(NumberTensor)
    rhs = operand_def(NumberTensor)

    assembly_format = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)"

    def __init__(self, lhs: Value, rhs: Value, element: Attribute | None = None) -> None:
        """Sums are of the type `element`; by default of that of the operands."""
        super().__init__(operands=[lhs, rhs], result_types=[self.infer(type_of(lhs), type_of(rhs), element)])

    @classmethod
    def infer(cls, lhs: Tensor, rhs: Tensor, element: Attribute | None = None) -> Tensor:
        """`[..., m, k] x [..., k, n] -> [..., m, n]`, with sums of the type `element`.

        Raises:
            VerifyException: c1 rank below 2, c2 inner extents differ, c3 leading dimensions do not broadcast, c4
                products of these element types are not added in `element`.
        """
        a, b = lhs.get_shape(), rhs.get_shape()
        if min(len(a), len(b)) < 2:
            raise violation(cls.name, 1, f"{lhs} and {rhs} must both have at least 2 dimensions; use graph.reshape")
        if a[-1] != b[-2]:
            raise violation(cls.name, 2, f"{lhs} has {a[-1]} columns and {rhs} has {b[-2]} rows; these must be equal")
        batch = broadcast_shapes(a[:-2], b[:-2])
        if batch is None:
            raise violation(cls.name, 3, f"the leading dimensions of {lhs} and {rhs} do not broadcast")
        return tensor((*batch, a[-2], b[-1]), type_of_sums(cls.name, 4, lhs, rhs, element))

    def inferred_type(self) -> Tensor:
        return self.infer(type_of(self.lhs), type_of(self.rhs), element_of(self.result))

    @property
    def summed_axes(self) -> tuple[int, int]:
        """The axes of both operands along which products are summed."""
        return len(shape_of(self.lhs)) - 1, len(shape_of(self.rhs)) - 2

    @property
    def output_axis(self) -> int:
        """The axis of the second operand whose elements are for different columns of the result."""
        return len(shape_of(self.rhs)) - 1

    @classmethod
    def get_canonicalization_patterns(cls) -> tuple[RewritePattern, ...]:
        return (SwapTransposedOperands(),)


class SwapTransposedOperands(RewritePattern):
    """`a^T b^T` is `(b a)^T`, sum by sum, where rows of both operands lie across memory, and those of `b` and `a` along
    it.

    The same for one matrix whose rows lie across memory and a vector: `x^T a^T` is `(a x)^T`. A matrix that is constant
    stays as it is: it is transposed when the model is compiled. Who names dims instead of ordering them (`einsum`,
    `dot_general`) gets products of the first kind, a linear layer whose weights are arguments is of the second.
    """

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        rows, columns = shape_of(op.result)[-2:]
        matrices = [v for v, extent in ((op.lhs, rows), (op.rhs, columns)) if extent != 1]
        if not matrices or not all(map(_lies_across, matrices)):
            return
        left, right = _turned(op.rhs), _turned(op.lhs)
        product = MatmulOp(left.result, right.result, element_of(op.result))
        rewriter.replace(op, (left, right, product, _turned(product.result)))


def _lies_across(value: SSAValue) -> bool:
    """Whether the dim that is last in memory is the last but one of a matrix."""
    owner = value.owner
    if not isinstance(owner, TransposeOp) or _is_known(owner.input):
        return False
    return ints(owner.permutation)[-2] == len(shape_of(value)) - 1


def _is_known(value: SSAValue, most: int = _MOST_NESTED) -> bool:
    """Whether a value is computed from constants by a few ops."""
    owner = value.owner
    if not isinstance(owner, GraphOp) or not owner.operands or not most:
        return constant_of(value) is not None
    return all(_is_known(v, most - 1) for v in owner.operands)


def _turned(value: SSAValue) -> TransposeOp:
    """Matrices transposed; what a transpose gives is what it takes, in another order."""
    owner = value.owner
    rank = len(shape_of(value))
    *front, row, column = ints(owner.permutation) if isinstance(owner, TransposeOp) else range(rank)
    return TransposeOp(owner.input if isinstance(owner, TransposeOp) else value, [*front, column, row])
