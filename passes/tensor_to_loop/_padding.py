"""What surrounds the source of a `tensor.pad` in the padded buffer."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import tensor
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.dialects.loop import StoreOp
from mlc.dialects.loop.nests import parallel_nest
from mlc.support.ir import clone
from mlc.support.types import memref_type


def is_constant(op: tensor.PadOp) -> bool:
    """Whether the amounts are known, and the value is one for all elements."""
    return not (op.low or op.high or any(a.uses for a in op.region.block.args))


def border(op: tensor.PadOp, target: SSAValue) -> list[Operation]:
    """Store the padding value all around the source.

    Each side of the border lies between those of the axes before it, and goes all the way along the axes after it.
    """
    block = op.region.block
    mapping: dict[SSAValue, SSAValue] = {}
    ops = [clone(inner, mapping) for inner in list(block.ops)[:-1]]
    assert isinstance(block.last_op, tensor.YieldOp)
    yielded = block.last_op.arguments[0]
    value = mapping.get(yielded, yielded)
    shape, low = memref_type(target).get_shape(), op.static_low.get_values()
    high = op.static_high.get_values()
    inside = [n - before - behind for n, before, behind in zip(shape, low, high, strict=True)]
    for axis, extent in enumerate(shape):
        for start, width in ((0, low[axis]), (extent - high[axis], high[axis])):
            if width:
                starts = [*low[:axis], start, *[0] * (len(shape) - axis - 1)]
                ops += _fill(value, target, starts, [*inside[:axis], width, *shape[axis + 1 :]])
    return ops


def _fill(value: SSAValue, target: SSAValue, starts: Sequence[int], sizes: Sequence[int]) -> list[Operation]:
    """Store `value` to a box of `target`."""
    dims = [(f"d{i}", size) for i, size in enumerate(sizes)]
    return parallel_nest(dims, lambda counters: [StoreOp(value, target, counters, shifted(starts))])


def shifted(starts: Sequence[int]) -> AffineMap:
    """Where the points of a box lie that begins at `starts`."""
    return AffineMap(len(starts), 0, tuple(AffineExpr.dimension(i) + start for i, start in enumerate(starts)))


def padded_in_place(value: SSAValue) -> tensor.PadOp | None:
    """The `tensor.pad` that alone reads `value`, which is then computed right where its result is."""
    user = value.get_user_of_unique_use()
    if not isinstance(user, tensor.PadOp) or not is_constant(user):
        return None
    block = user.region.block
    inside = {result for inner in block.ops for result in inner.results}
    return user if all(operand in inside for inner in block.ops for operand in inner.operands) else None
