"""What follows the sums of a register tile: copies of it beside each other, or a loop."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from mlc.dialects.tensor import MapOp
from mlc.schedules.register_tile import RegisterTile
from mlc.schedules.templates._contractions import Contraction

LONG_EPILOGUE = 8
"""Ops per result from which on copies of them for all of a tile are more than what computes its sums: a requantisation
has ten, a bias and a relu three."""
FEW_SUMS = 4
"""The most vectors of a tile for which copies are no more than a loop over rows of them."""


def loops_over_epilogue(contraction: Contraction, tile: RegisterTile) -> bool:
    """Whether what follows the sums of a tile is a loop over these.

    The sums are stored and loaded once more then, beside at least eight ops each: kernels take as long, or less.
    """
    is_reduced = prod(contraction.reduced_sizes) > 1
    return is_reduced and tile.rows * tile.vectors > FEW_SUMS and _ops_behind(contraction) >= LONG_EPILOGUE


def _ops_behind(contraction: Contraction) -> int:
    """How many ops follow each result of the contraction in its kernel."""
    reached: set[SSAValue] = {contraction.op.result}
    total = 0
    for op in contraction.kernel.body.block.ops:
        if isinstance(op, MapOp) and not reached.isdisjoint(op.inputs):
            reached.add(op.result)
            total += sum(not isinstance(inner, arith.ConstantOp) for inner in op.body.block.ops) - 1
    return total
