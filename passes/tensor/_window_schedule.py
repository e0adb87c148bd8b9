"""The default schedule of windows that move over an image: depthwise convolutions and pooling.

    for y, x blocks: for n: out[2 × 4 results] = combine of the taps, written out, of vectors along n

No operand is shared between lanes, so there is nothing to hold but a small window of results, which read the same
elements under them. Lanes run innermost, so that memory is read from front to back, and once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import prod

from xdsl.dialects.tensor import PadOp
from xdsl.ir.affine import AffineMap

from mlc.dialects.loop.steps import Step
from mlc.dialects.tensor import StructuredOp
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.loop.steps.unpad import Unpad
from mlc.passes.loop.steps.unroll import Unroll
from mlc.passes.loop.steps.vectorize import Vectorize
from mlc.passes.shared.in_place import is_one_nest
from mlc.passes.shared.kernel_kinds import KernelKind, Offer, TensorKernel, distinct
from mlc.passes.tensor._contraction_schedule import runs_along_memory, short_reductions
from mlc.passes.tensor._padding_schedule import padded_dims
from mlc.support.affine import split_terms
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type
from mlc.targets.machine import Machine

MOST_TAPS = 32
"""The largest window that becomes straight-line code."""
HEIGHTS = (2, 1, 4)
"""Rows of results at a time, at most; the favourite first."""
ALIKE = 1.05
"""The ratio of costs up to which blocks that leave nothing over, and middling ones, are preferred."""


class Windows(KernelKind):
    """One nest in which a window moves over an operand: blocks of results whose taps are written out."""

    name = "window"

    def offers(self, kernel: TensorKernel) -> Iterator[Offer]:
        def offer(rows: int) -> Offer:
            steps = _steps(kernel.ops, kernel.lanes, kernel.machine, rows)
            difference = f"at most {rows} rows of results at a time" if rows != HEIGHTS[0] else ""
            return Offer(tuple(steps), difference, is_only_shown=bool(difference))

        return distinct(map(offer, HEIGHTS))


def _steps(ops: Sequence[StructuredOp], lanes: int, machine: Machine, most_rows: int) -> list[Step]:
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
    height = _even_height(op.dim_sizes[moving[-2]], most_rows) if len(moving) > 1 else 1
    blocks = [(moving[-1], _best_width(op, moving, height, machine))] if moving else []
    for dim, block in [*blocks, *((dim, height) for dim in moving[-2:-1])]:
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


def _even_height(size: int, most: int) -> int:
    """How many rows of results a block has: those that leave none over."""
    return max(rows for rows in range(1, most + 1) if size % rows == 0)


def _best_width(op: StructuredOp, moving: Sequence[int], height: int, machine: Machine) -> int:
    """How many results beside each other a block has: those that cost least in what is left without the borders."""
    dim = moving[-1]
    borders = [padded.border for padded in padded_dims(op) if padded.dim == dim]
    inside = max(op.dim_sizes[dim] - max(borders, default=0), 1)
    rows = dict.fromkeys(moving[-2:-1], height)

    def cost(width: int) -> float:
        blocks, rest = divmod(inside, width)
        whole = blocks * _cycles_of_block(op, {**rows, dim: width}, dim, machine)
        return whole + (_cycles_of_block(op, {**rows, dim: rest}, dim, machine) if rest else 0.0)

    most = machine.vector_registers // 4
    costs = {width: cost(width) for width in range(1, min(most, inside) + 1)}
    alike = [width for width, each in costs.items() if each <= ALIKE * min(costs.values())]
    stride = max(split_terms(e).get(dim, 0) or 0 for affine in op.index_maps for e in affine.results)
    middle = max(2, most // 2) // max(stride, 1)  # the fewer neighbours share, the less a wide block gains
    return min(alike, key=lambda width: (inside % width != 0, abs(width - middle)))


def _cycles_of_block(op: StructuredOp, block: Mapping[int, int], along: int, machine: Machine) -> float:
    """The cycles of a vector of each result of a block, which has so many places along some dims.

    What the windows of a block share is loaded once. All lanes of a block pass by before the next one, along one dim,
    begins: if the first cache holds these, it still has what the next block shares with it, and the weights.
    """
    sizes = [block.get(i, 1) if i < op.num_parallel else size for i, size in enumerate(op.dim_sizes)]
    results = prod(sizes[: op.num_parallel])
    read = sum(_places(affine, sizes) for affine in op.index_maps)
    arithmetic = prod(sizes) / (machine.issue.fma_units if op.contracts else machine.issue.adds)
    kept = read
    if (read + results) * _lane_bytes(op) <= machine.l1_bytes:
        both = [2 * size if i == along else size for i, size in enumerate(sizes)]
        kept = sum(_places(affine, both) for affine in op.index_maps) - read
    arriving = kept * machine.vector_bits // 8 / machine.memory.l2_read
    return max(arithmetic, read / machine.issue.loads) + arriving


def _lane_bytes(op: StructuredOp) -> int:
    """The size of one place of an operand with all of its lanes."""
    return op.dim_sizes[op.num_parallel - 1] * to_numpy(element_type(op.result.type)).itemsize


def _places(affine: AffineMap, sizes: Sequence[int]) -> int:
    """How many places a map has for so many values of each dim, each subscript on its own."""
    counts: list[int] = []
    for subscript in affine.results:
        reached = {0}
        for dim, factor in split_terms(subscript).items():
            reached = {place + i * (factor or 1) for place in reached for i in range(sizes[dim])}
        counts.append(len(reached))
    return prod(counts)
