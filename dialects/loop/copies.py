"""The one nest that moves data: copy a buffer into (a window of) another."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap

from mlc.dialects.loop import LoadOp, StoreOp
from mlc.dialects.loop.nests import parallel_nest
from mlc.support.types import memref_type


def copy_nest(source: SSAValue, target: SSAValue, offsets: Sequence[int] | None = None) -> list[Operation]:
    """Copy all of `source` to `target`, starting there at `offsets` (default: its first element)."""
    shape = memref_type(source).get_shape()
    shift = offsets or [0] * len(shape)
    where = AffineMap(len(shape), 0, tuple(AffineExpr.dimension(i) + s for i, s in enumerate(shift)))

    def body(counters: list[SSAValue]) -> list[Operation]:
        load = LoadOp(source, counters)
        return [load, StoreOp(load.result, target, counters, where)]

    return parallel_nest([(f"d{i}", size) for i, size in enumerate(shape)], body)
