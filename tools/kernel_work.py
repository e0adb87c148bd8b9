"""How much a kernel computes and moves, counted at the tensor level, where nothing is computed twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product, repeat
from math import prod

from xdsl.dialects import arith, tensor
from xdsl.dialects.builtin import FloatAttr, IntegerAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.dialects.tensor import StructuredOp, TakeOp
from mlc.support.dtypes import to_numpy
from mlc.support.types import tensor_type

_MANY_POINTS = 1 << 17
"""How many values of a subscript are counted one by one at most."""


@dataclass(frozen=True)
class KernelWork:
    """What one call of a kernel does."""

    multiply_adds: int
    """Flops of multiply-adds, two for each."""
    other_flops: int
    """All other scalar operations, one for each: an `exp` counts like an addition."""
    bytes: int
    """Operands and results, once each: what has to be moved at least."""
    element_bits: int
    """The width of the widest element that is computed with."""
    with_padding: int = 0
    """Flops of those multiply-adds whose one factor is a zero of the padding: a kernel may leave them out."""

    @property
    def flops(self) -> int:
        """All operations; multiply-adds count as two."""
        return self.multiply_adds + self.other_flops

    @property
    def intensity(self) -> float:
        """Flops per byte."""
        return self.flops / max(self.bytes, 1)


def work_of(kernel: FuncOp) -> KernelWork:
    """The work of a kernel at the tensor level; products with the padding of a convolution count, as in papers."""
    multiply_adds = other = with_padding = 0
    bits = 8
    for op in kernel.body.block.ops:
        if not isinstance(op, StructuredOp):
            continue
        points = prod(op.dim_sizes)
        bits = max(bits, 8 * to_numpy(tensor_type(op.result).element_type).itemsize)
        if op.contracts:
            multiply_adds += 2 * points
            with_padding += 2 * max(map(points_in_padding, repeat(op), range(len(op.inputs))))
        else:
            other += points * (_scalar_ops(op) + (op.reduction is not None))
    last = kernel.body.block.last_op
    results = last.arguments if isinstance(last, ReturnOp) else ()
    moved = sum(map(_bytes_read, kernel.body.block.args)) + sum(map(_bytes, results))
    return KernelWork(multiply_adds, other, moved, bits, with_padding)


def points_in_padding(op: StructuredOp, operand: int) -> int:
    """The points of `op` at which it reads a zero that a `tensor.pad` put around its operand.

    0 where that is not plain: two subscripts go over the same dim, or a subscript over very many points.
    """
    pad = op.inputs[operand].owner
    if not isinstance(pad, tensor.PadOp) or not _pads_with_zeros(pad):
        return 0
    extents = tensor_type(pad.source).get_shape()
    inside, seen = 1, set[int]()
    for subscript, low, extent in zip(
        op.index_maps[operand].results, pad.static_low.get_values(), extents, strict=True
    ):
        dims = sorted(subscript.used_dims())
        sizes = [op.dim_sizes[d] for d in dims]
        if seen & set(dims) or prod(sizes) > _MANY_POINTS:
            return 0
        seen |= set(dims)
        inside *= _count_inside(subscript, dims, sizes, range(low, low + extent))
    rest = prod(size for d, size in enumerate(op.dim_sizes) if d not in seen)
    return prod(op.dim_sizes) - inside * rest


def _count_inside(subscript: AffineExpr, dims: Sequence[int], sizes: Sequence[int], inside: range) -> int:
    """At how many points of `dims` the subscript is within `inside`."""
    point = [0] * (max(dims, default=-1) + 1)
    count = 0
    for values in product(*map(range, sizes)):
        for d, value in zip(dims, values, strict=True):
            point[d] = value
        count += subscript.eval(point, []) in inside
    return count


def _pads_with_zeros(pad: tensor.PadOp) -> bool:
    last = pad.region.block.last_op
    value = last.operands[0].owner if last is not None and last.operands else None
    return (
        isinstance(value, arith.ConstantOp)
        and isinstance(value.value, FloatAttr | IntegerAttr)
        and value.value.value.data == 0
    )


def _scalar_ops(op: StructuredOp) -> int:
    """The ops that compute a point; one in a region of another counts as well."""
    point = op.point_block()
    count = sum(not isinstance(inner, arith.ConstantOp | tensor.YieldOp) for inner in point.walk())
    point.erase(safe_erase=False)
    return count


def _bytes_read(argument: BlockArgument) -> int:
    """The bytes of an operand; of a table, those of the rows that are looked up."""
    readers = list(_readers(argument))
    rows = [op.result for op, operand in readers if isinstance(op, TakeOp) and operand == 0]
    if not readers or len(rows) < len(readers):
        return _bytes(argument)
    return min(_bytes(argument), sum(map(_bytes, rows)))


def _readers(value: SSAValue) -> Iterator[tuple[Operation, int]]:
    """The ops that read a tensor, perhaps under another shape, each with the number of the operand."""
    for use in value.uses:
        if isinstance(use.operation, tensor.CollapseShapeOp | tensor.ExpandShapeOp):
            yield from _readers(use.operation.result)
        else:
            yield use.operation, use.index


def _bytes(value: SSAValue) -> int:
    shaped = tensor_type(value)
    return prod(shaped.get_shape()) * to_numpy(shaped.element_type).itemsize
