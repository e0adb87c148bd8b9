"""The one nest that moves data: copy a buffer into (a window of) another."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.dialects.loop import ForOp, LoadOp, LoopKind, StoreOp, YieldOp
from mlc.support.types import memref_type


def parallel_nest(
    dims: Sequence[tuple[str, int]], body: Callable[[list[SSAValue]], Sequence[Operation]]
) -> list[Operation]:
    """Parallel loops over `dims`, outermost first, around the ops that `body` makes from the loop counters."""
    loops = [ForOp(name, 0, size, kind=LoopKind.PARALLEL) for name, size in dims]
    inside: Sequence[Operation] = list(body([loop.induction_variable for loop in loops]))
    for loop in reversed(loops):
        loop.body.block.add_ops([*inside, YieldOp()])
        inside = [loop]
    return list(inside)


def copy_nest(source: SSAValue, target: SSAValue, offsets: Sequence[int] | None = None) -> list[Operation]:
    """Copy all of `source` to `target`, starting there at `offsets` (default: its first element)."""
    shape = memref_type(source).get_shape()
    shift = offsets or [0] * len(shape)
    where = AffineMap(len(shape), 0, tuple(AffineExpr.dimension(i) + s for i, s in enumerate(shift)))

    def body(counters: list[SSAValue]) -> list[Operation]:
        load = LoadOp(source, counters)
        return [load, StoreOp(load.result, target, counters, where)]

    return parallel_nest([(f"d{i}", size) for i, size in enumerate(shape)], body)
