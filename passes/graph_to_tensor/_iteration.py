"""Which dims an elementwise op iterates over: those of the op that made its operand, so that both can be one nest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.tensor import CollapseShapeOp, ExpandShapeOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.tensor import StructuredOp
from mlc.passes.graph_to_tensor._builder import Access, d, dims_of, every
from mlc.support.types import tensor_type


@dataclass(frozen=True)
class IterationSpace:
    """The points of a tensor, by dims that may be finer than its axes.

    Attributes:
        dims: names and sizes.
        axes: for each axis of the tensor, the place that a point has there.
    """

    dims: list[tuple[str, int]]
    axes: list[AffineExpr]

    def access(self, operand: SSAValue, subscripts: Sequence[AffineExpr]) -> Access:
        """Read `operand`, whose subscripts are in terms of axes; one that was made over these dims, as it was made."""
        source = before_reshape(operand)
        if source is not None and tensor_type(source).get_shape() == tuple(size for _, size in self.dims):
            return source, every(len(self.dims))
        return operand, [e.replace_dims_and_symbols(self.axes, []) for e in subscripts]


def points_like(operands: Sequence[SSAValue], shape: Sequence[int]) -> IterationSpace:
    """The dims of a producer that computes the same points, reshaped or not; else the usual ones.

    A transposed convolution computes `[b, y, py, x, px, n]` and reshapes it to `[b, y * s + py, x * s + px, n]`. What
    follows element by element is computed on the six dims, and reshaped after that.
    """
    for operand in operands:
        producer = operand.owner
        if isinstance(producer, StructuredOp) and producer.dim_sizes[: producer.num_parallel] == tuple(shape):
            return IterationSpace(_over(producer), every(len(shape)))
    for operand in operands:
        source = before_reshape(operand)
        if source is not None and tensor_type(operand).get_shape() == tuple(shape):
            producer = source.owner
            assert isinstance(producer, StructuredOp)
            axes = _joined(tensor_type(source).get_shape(), shape)
            if axes is not None:
                return IterationSpace(_over(producer), axes)
    return IterationSpace(dims_of(shape), every(len(shape)))


def before_reshape(value: SSAValue) -> SSAValue | None:
    """The result of a structured op that `value` is with another shape; None if it is something else."""
    owner = value.owner
    if not isinstance(owner, CollapseShapeOp | ExpandShapeOp):
        return None
    while isinstance(owner, CollapseShapeOp | ExpandShapeOp):
        value = owner.operands[0]
        owner = value.owner
    return value if isinstance(owner, StructuredOp) else None


def _over(op: StructuredOp) -> list[tuple[str, int]]:
    return list(zip(op.dim_names, op.dim_sizes, strict=True))[: op.num_parallel]


def _joined(fine: Sequence[int], coarse: Sequence[int]) -> list[AffineExpr] | None:
    """The axes of a row-major `coarse` shape over dims of sizes `fine`, if each is some of these dims one by one."""
    axes: list[AffineExpr] = []
    position = 0
    for number, extent in enumerate(coarse):
        begin = position
        is_last = number == len(coarse) - 1
        while position < len(fine) and (is_last or prod(fine[begin:position]) < extent):
            position += 1
        if prod(fine[begin:position]) != extent:
            return None
        expr: AffineExpr = AffineExpr.constant(0)
        for i in range(begin, position):
            if fine[i] != 1:
                expr = expr * fine[i] + d(i) if not _is_zero(expr) else d(i)
        axes.append(expr)
    return axes if position == len(fine) else None


def _is_zero(expr: AffineExpr) -> bool:
    return expr == AffineExpr.constant(0)
