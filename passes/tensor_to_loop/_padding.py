"""What surrounds the source of a `tensor.pad` in the padded buffer."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.dialects.loop import StoreOp
from mlc.passes.loop._nests import parallel_nest
from mlc.support.ir import clone
from mlc.support.locations import error_at
from mlc.support.types import memref_type, tensor_type


def is_constant_pad(op: tensor.PadOp) -> bool:
    """Whether amounts and value are constants, which stand in `op`."""
    inside = op.region.block
    return not (op.low or op.high) and not any(operand.owner is not inside and operand.owner.parent is not inside
        for inner in inside.ops for operand in inner.operands if isinstance(operand.owner, Operation)) and not any(
        a.uses for a in inside.args)


def pad_by(value: SSAValue) -> tensor.PadOp | None:
    """The `tensor.pad` that alone reads `value`, so that `value` may be computed where its result is."""
    use = value.get_user_of_unique_use()
    return use if isinstance(use, tensor.PadOp) and is_constant_pad(use) else None


def border(op: tensor.PadOp, target: SSAValue) -> list[Operation]:
    """Nests that store the padding value all around the source: for each axis, what is in front and what is behind.

    Of the axes before it, only the part that the source covers is left to do.

    Raises:
        UserError: the amounts or the value are not constants.
    """
    if op.low or op.high or any(a.uses for a in op.region.block.args):
        raise error_at(op, "tensor.pad: only constant amounts and one constant value can be lowered to loops")
    mapping: dict[SSAValue, SSAValue] = {}
    ops = [clone(inner, mapping) for inner in list(op.region.block.ops)[:-1]]
    assert isinstance(op.region.block.last_op, tensor.YieldOp)
    yielded = op.region.block.last_op.arguments[0]
    value = mapping.get(yielded, yielded)
    low, extents = list(op.static_low.get_values()), source_shape(op)
    total = memref_type(target).get_shape()
    for axis, (before, extent, whole) in enumerate(zip(low, extents, total, strict=True)):
        for start, end in ((0, before), (before + extent, whole)):
            if start < end:
                starts = [*low[:axis], start, *([0] * (len(total) - axis - 1))]
                ops += _fill(target, value, starts, [*extents[:axis], end - start, *total[axis + 1 :]])
    return ops


def _fill(target: SSAValue, value: SSAValue, starts: Sequence[int], extents: Sequence[int]) -> list[Operation]:
    """Store `value` in a window of `target`."""
    dims = [(f"d{i}", extent) for i, extent in enumerate(extents)]
    return parallel_nest(dims, lambda counters: [StoreOp(value, target, counters, shifted(starts))])


def shifted(starts: Sequence[int]) -> AffineMap:
    """The subscripts of a window that begins at `starts`."""
    return AffineMap(len(starts), 0, tuple(AffineExpr.dimension(i) + s for i, s in enumerate(starts)))


def source_shape(op: tensor.PadOp) -> list[int]:
    """The extents of what is padded, which may be a buffer by now."""
    amounts = zip(op.static_low.get_values(), op.static_high.get_values(), strict=True)
    return [extent - low - high for extent, (low, high) in zip(tensor_type(op.result).get_shape(), amounts, strict=True)]
