"""The default schedule of windows that move over an image: depthwise convolutions and pooling.

    for y, x blocks: for n: out[2 × 4 results] = combine of the taps, written out, of vectors along n

No operand is shared between lanes, so there is nothing to hold but a small window of results, which read the same
elements under them. Lanes run innermost, so that memory is read from front to back, and once.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.tensor import PadOp

from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.loop.steps.unpad import Unpad
from mlc.passes.loop.steps.unroll import Unroll
from mlc.passes.loop.steps.vectorize import Vectorize
from mlc.passes.shared.in_place import is_one_nest
from mlc.passes.tensor._contraction_schedule import runs_along_memory, short_reductions
from mlc.targets.machine import Machine

MOST_TAPS = 32
"""The largest window that becomes straight-line code."""
HEIGHT = 2
"""Rows of results at a time."""


def window_steps(ops: Sequence[StructuredOp], lanes: int, machine: Machine) -> list[Step]:
    """The steps for a kernel of one nest in which a window moves over an operand; none for other kernels."""
    windows = [op for op in ops if op.reduction is not None]
    root = ops[-1]
    if len(windows) != 1 or not is_one_nest(ops):
        return []
    op = windows[0]
    lane = op.num_parallel - 1
    parallel = op.dim_names[: op.num_parallel]
    if lane < 1 or parallel != root.dim_names[: root.num_parallel] or not _moves(op):
        return []
    if any(not runs_along_memory(m, lane) for m in op.index_maps):
        return []
    steps: list[Step] = []
    moving = [i for i in range(lane) if op.dim_sizes[i] > 1]
    if moving and any(isinstance(v.owner, PadOp) for v in op.inputs):
        # A copy would be as much work as all the rest.
        steps.append(Unpad.along(*(parallel[i] for i in moving)))
    steps += [Tile(parallel[lane], lanes), Vectorize(f"{parallel[lane]}i", lanes)]
    for dim, most in zip(reversed(moving), (machine.vector_registers // 4, HEIGHT), strict=False):
        block = _even_block(op.dim_sizes[dim], most)
        if block > 1:
            steps += [Tile(parallel[dim], block), Unroll(f"{parallel[dim]}i")]
    return steps + short_reductions(op, MOST_TAPS)


def _moves(op: StructuredOp) -> bool:
    """Whether a subscript of an operand has a position and a tap in it."""
    return any(
        min(used) < op.num_parallel <= max(used)
        for affine in op.index_maps
        for subscript in affine.results
        if (used := subscript.used_dims())
    )


def _even_block(size: int, most: int) -> int:
    """The block size, of up to `most`, that leaves least over; of several, the one next to half of `most`."""
    return min(range(1, most + 1), key=lambda b: (-(-size // b) * b - size, abs(b - max(2, most // 2))))
