"""The default schedule of attention: two contractions with reductions over rows of scores in between.

    for b: for blocks of m: scores = q[m] · k; softmax of these rows; out[m] = scores · v

All nests of such a kernel run over the same heads `b` and rows `m`. Fused, they work on a block of rows at a time,
whose scores never leave the first cache. Rabe and Staats, "Self-attention does not need O(n²) memory", 2021, and Dao
et al., "FlashAttention", 2022, go one step further and block the keys too, which rows of some hundred do not need.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlc.dialects.tensor import StructuredOp
from mlc.passes.tensor._contraction_schedule import Contraction, Step, can_be_packed, packing_steps, runs_along_memory
from mlc.targets.machine import Machine

TILE_VECTORS = 2
"""The width of a register tile; its rows take the registers that are left."""


def attention_steps(ops: Sequence[StructuredOp], lanes: int, machine: Machine) -> list[Step]:
    """The steps for a kernel of two contractions with reductions over their common rows; none for other kernels."""
    contractions = [op for op in ops if op.contracts]
    reductions = [op for op in ops if op.reduction is not None and not op.contracts]
    if len(contractions) != 2 or not reductions or any(op.num_parallel < 2 for op in contractions):
        return []
    scores, values = (Contraction(op, op) for op in contractions)
    *heads, row = scores.op.dim_names[: scores.lane_dim]
    if values.op.dim_names[: values.lane_dim] != (*heads, row) or any(row not in op.dim_names for op in reductions):
        return []
    rows = machine.vector_registers // 4
    steps: list[Step] = [*(("fuse", name) for name in heads), ("tile", row, rows), ("fuse", row)]
    for contraction in (scores, values):
        inside = _contraction_steps(contraction, lanes)
        if inside is None:
            return []
        steps += inside
    reduced = dict.fromkeys(name for op in reductions for name in op.dim_names[op.num_parallel :])
    steps += [("vectorize_reduction", name, lanes) for name in reduced]
    return [*steps, ("unroll", f"{row}i")]


def _contraction_steps(contraction: Contraction, lanes: int) -> list[Step] | None:
    """The columns of a register tile; None if they cannot become vectors."""
    lane = contraction.op.dim_names[contraction.lane_dim]
    steps: list[Step] = [("tile", lane, TILE_VECTORS * lanes)]
    for value, affine in contraction.operands_with_lanes():
        if not runs_along_memory(affine, contraction.lane_dim):
            if not can_be_packed(value):
                return None
            steps += packing_steps(value, affine, contraction, lanes)
    return [*steps, ("tile", f"{lane}i", lanes), ("vectorize", f"{lane}ii", lanes), ("unroll", f"{lane}i")]
