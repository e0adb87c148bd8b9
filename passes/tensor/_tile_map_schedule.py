"""The default schedule of kernels around a `tensor.tile_map`: transforms of windows, written out.

One vector of the last dim at a time: the numbers of a window take all registers there are.
"""

from __future__ import annotations

from xdsl.dialects import func
from xdsl.ir import Operation

from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp, TileMapOp
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.loop.steps.vectorize import Vectorize
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type
from mlc.targets.machine import Machine


def tile_map_steps(kernel: func.FuncOp, machine: Machine) -> list[Step]:
    """The steps for a kernel with a tile map; none if the last dim of its ops is not one that they all have."""
    ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp | TileMapOp)]
    lasts = {_last_dim(op) for op in ops}
    bits = max(to_numpy(element_type(v.type)).itemsize * 8 for op in ops for v in op.operands)
    lanes = machine.lanes(max(bits, 32))
    if len(lasts) != 1 or (name := lasts.pop()) is None:
        return []
    return [Tile(name, lanes), Vectorize(f"{name}i", lanes)]


def _last_dim(op: Operation) -> str | None:
    if isinstance(op, TileMapOp):
        return op.dim_names[-1]
    assert isinstance(op, StructuredOp)
    return op.dim_names[op.num_parallel - 1] if op.num_parallel else None
