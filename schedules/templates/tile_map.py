"""The default schedule of kernels around a `tensor.tile_map`: transforms of windows, written out.

One vector of the last dim at a time: the numbers of a window take all registers there are.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import Operation

from mlc.dialects.tensor import StructuredOp, TileMapOp
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.vectorize import Vectorize


class TileMaps(ScheduleTemplate):
    """Maps of whole tiles: vectors of the last dim, one at a time, if all ops of the kernel have that dim."""

    name = "tile_map"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        ops = [op for op in kernel.function.body.block.ops if isinstance(op, StructuredOp | TileMapOp)]
        lasts = {_last_dim(op) for op in ops}
        if not any(isinstance(op, TileMapOp) for op in ops):
            return
        if len(lasts) != 1 or (name := lasts.pop()) is None:
            yield Candidate(())
        else:
            yield Candidate((Tile(name, kernel.lanes), Vectorize(f"{name}i", kernel.lanes)))


def _last_dim(op: Operation) -> str | None:
    if isinstance(op, TileMapOp):
        return op.dim_names[-1]
    assert isinstance(op, StructuredOp)
    return op.dim_names[op.num_parallel - 1] if op.num_parallel else None
