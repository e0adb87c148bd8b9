"""The default schedule of attention: two contractions with reductions over rows of scores in between.

    for b: for blocks of m: scores = q[m] · k; softmax of these rows; out[m] = scores · v

All nests of such a kernel run over the same heads `b` and rows `m`. Fused, they work on a block of rows at a time,
whose scores stay in the first cache, or in the second one where rows are long. In a block, one panel of keys or values
is used by all rows before the next one is: keys and values of a head may be more than the second cache holds, and
then come from far away once for each block. Both are packed into panels, since the rows of a head lie as far apart
as all heads together are wide.

Few rows, such as the one of a token that is written, fit in one tile. They use each number of keys and values once,
and wait for these: tiles are wider, so that rows of values are read as a whole, and the next block of keys, of which
each number of a head has a row in a page of its own, is fetched ahead.

Rabe and Staats, "Self-attention does not need O(n²) memory", 2021, and Dao et al., "FlashAttention", 2022, go one step
further and block the keys too, which rows of some thousand do not need.
"""

from __future__ import annotations

from collections.abc import Iterator

from xdsl.ir import BlockArgument

from mlc.dialects.loop import LIMITS, LimitsAttr
from mlc.dialects.loop.prefetch import SECOND_CACHE
from mlc.dialects.loop.steps import Step
from mlc.schedules.register_tile import RegisterTile, TileProblem, best_tile
from mlc.schedules.schedule_template import Candidate, ScheduleTemplate, TensorKernel, distinct
from mlc.schedules.steps.fuse import Fuse
from mlc.schedules.steps.interchange import Interchange
from mlc.schedules.steps.prefetch_next import PrefetchNext
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.schedules.steps.vectorize_reduction import VectorizeReduction
from mlc.schedules.templates._contractions import Contraction
from mlc.schedules.templates._tile_problems import rows_in_cache
from mlc.schedules.templates.contraction import (
    READS_PER_PACKING,
    can_be_packed,
    packing_steps,
    runs_along_memory,
)
from mlc.support.dtypes import to_numpy
from mlc.support.types import tensor_type
from mlc.targets.machine import Machine

TILE_VECTORS = 2
"""The width of a register tile; its rows take the registers that are left."""
FEW_ROWS_VECTORS = 4
"""The width where one tile has all rows: the first place of a cache costs as much as the columns of a tile."""
TILES_PER_BLOCK = 2
"""How many register tiles at least share a panel that is in the first cache."""
BLOCKS = (("", 1.0), ("half of the rows in a block", 0.5), ("twice the rows in a block", 2.0))
"""How large blocks of rows are, by the size that is usual; the default first."""


class Attention(ScheduleTemplate):
    """Two contractions with reductions over their common rows: all nests by blocks of rows, whose scores stay near."""

    name = "attention"

    def candidates(self, kernel: TensorKernel) -> Iterator[Candidate]:
        def candidate(difference: str, share: float) -> Candidate:
            steps = _steps(kernel, share)
            return Candidate(tuple(steps), difference, is_only_shown=bool(difference))

        return distinct(candidate(*block) for block in BLOCKS)


def _steps(kernel: TensorKernel, share: float) -> list[Step]:
    """The steps for a kernel whose blocks of rows are `share` times as large as is usual; none for other kinds."""
    ops, lanes, machine = kernel.ops, kernel.lanes, kernel.machine
    contractions = [op for op in ops if op.contracts]
    reductions = [op for op in ops if op.reduction is not None and not op.contracts]
    if len(contractions) != 2 or not reductions or any(op.num_parallel < 2 for op in contractions):
        return []
    scores, values = (Contraction(op, op) for op in contractions)
    *heads, row = scores.op.dim_names[: scores.lane_dim]
    if values.op.dim_names[: values.lane_dim] != (*heads, row) or any(row not in op.dim_names for op in reductions):
        return []
    tile = _register_tile(scores, lanes, machine)
    block = _rows_of_block(scores, tile, machine, share)
    steps: list[Step] = [*(Fuse(name) for name in heads), Tile(row, block), Fuse(row)]
    steps += [Interchange.around(c.op.dim_names[c.lane_dim], f"{row}i") for c in (scores, values)]
    steps += [Tile(f"{row}i", tile.rows)]
    # Before rows are unrolled: one loop with a sum of each row is none that becomes vectors.
    reduced = dict.fromkeys(name for op in reductions for name in op.dim_names[op.num_parallel :])
    steps += [VectorizeReduction(name, lanes) for name in reduced]
    steps.append(Unroll(f"{row}ii"))
    has_all_rows = tile.rows == scores.op.dim_sizes[scores.lane_dim - 1]
    for contraction in (scores, values):
        vectors = _widest(contraction, tile, kernel) if has_all_rows else tile.vectors
        inside = _contraction_steps(contraction, vectors, kernel)
        if inside is None:
            return []
        steps += inside
    return [*steps, *_fetched_ahead(scores, _widest(scores, tile, kernel), kernel)] if has_all_rows else steps


def _register_tile(scores: Contraction, lanes: int, machine: Machine) -> RegisterTile:
    """The tile of both contractions, whose rows are the same."""
    op, row = scores.op, scores.lane_dim - 1
    most = min(rows_in_cache(v, m, row, machine) for v, m in zip(op.inputs, op.index_maps, strict=True))
    return best_tile(TileProblem(op.dim_sizes[row], TILE_VECTORS * lanes, lanes, most), machine)


def _widest(contraction: Contraction, tile: RegisterTile, kernel: TensorKernel) -> int:
    """How many vectors a tile of all rows has: twice as many as usual, if there are registers and columns for them."""
    columns, machine = contraction.op.dim_sizes[contraction.lane_dim], kernel.machine
    wide = RegisterTile(tile.rows, FEW_ROWS_VECTORS)
    problem = TileProblem(tile.rows, columns, kernel.lanes)
    fits = problem.registers(wide, machine) <= machine.vector_registers and columns >= wide.vectors * kernel.lanes
    return wide.vectors if fits else tile.vectors


def _fetched_ahead(scores: Contraction, vectors: int, kernel: TensorKernel) -> list[Step]:
    """The step that brings the next block of keys, where there is one and they are read where they lie."""
    op, dim = scores.op, scores.lane_dim
    keys = [value for value, _ in scores.operands_with_lanes()]
    if _is_worth_a_copy(scores, kernel) or op.dim_sizes[dim] <= vectors * kernel.lanes:
        return []
    if not all(isinstance(value, BlockArgument) for value in keys):
        return []
    return [PrefetchNext(op.dim_names[-1], op.dim_names[dim], SECOND_CACHE)]


def _rows_of_block(scores: Contraction, tile: RegisterTile, machine: Machine, share: float) -> int:
    """How many rows are one block: whole tiles, whose scores take half of the first cache, or of the second one.

    Or `share` times as many.
    Fewer if blocks then are all the same: what is left over is code of its own for all that a block does.
    """
    op, rows = scores.op, scores.op.dim_sizes[scores.lane_dim - 1]
    size = op.dim_sizes[scores.lane_dim] * to_numpy(tensor_type(op.result).element_type).itemsize * tile.rows
    tiles = machine.l1_bytes // 2 // size
    if tiles < TILES_PER_BLOCK:
        tiles = max(1, machine.l2_bytes // 2 // size)
    tiles = min(max(1, int(share * tiles)), -(-rows // tile.rows))
    even = (n for n in range(tiles, tiles // 2, -1) if rows % (n * tile.rows) == 0)
    return tile.rows * next(even, tiles)


def _contraction_steps(contraction: Contraction, vectors: int, kernel: TensorKernel) -> list[Step] | None:
    """The columns of a register tile; None if they cannot become vectors."""
    dim, lanes = contraction.lane_dim, kernel.lanes
    lane, is_worth_a_copy = contraction.op.dim_names[dim], _is_worth_a_copy(contraction, kernel)
    steps: list[Step] = [Tile(lane, vectors * lanes)]
    for value, affine in contraction.operands_with_lanes():
        in_order = runs_along_memory(affine, dim)
        if can_be_packed(value) and (is_worth_a_copy or not in_order):
            steps += packing_steps(value, affine, contraction, lanes, kernel.constants)
        elif not in_order:
            return None
    return [*steps, Tile(f"{lane}i", lanes), Vectorize(f"{lane}ii", lanes), Unroll(f"{lane}i")]


def _is_worth_a_copy(contraction: Contraction, kernel: TensorKernel) -> bool:
    """Whether panels are read often enough to be made, of all that there is: loops may end early, copies do not."""
    op, dim = contraction.op, contraction.lane_dim
    limits = kernel.function.attributes.get(LIMITS)
    limited = {limit.dim for limit in limits.data} if isinstance(limits, LimitsAttr) else set[str]()
    ends_early = not limited.isdisjoint((op.dim_names[dim], op.dim_names[-1]))
    return op.dim_sizes[dim - 1] >= READS_PER_PACKING and op.dim_sizes[dim] >= kernel.lanes and not ends_early
