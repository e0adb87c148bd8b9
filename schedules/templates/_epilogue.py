"""What follows the sums of a register tile: copies of it beside each other, or a loop."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith
from xdsl.ir import SSAValue

from mlc.dialects.tensor import MapOp, StructuredOp
from mlc.polynomials.functions import EXPANSIONS
from mlc.schedules.register_tile import RegisterTile
from mlc.schedules.templates._contractions import Contraction
from mlc.targets.machine import Machine

LONG_EPILOGUE = 8
"""Ops per result from which on copies of them for all of a tile are more than what computes its sums: a requantisation
has ten, a bias and a relu three."""
FEW_SUMS = 4
"""The most vectors of a tile for which copies take no more than a loop over rows of them."""


MOST_WAITING = 0.2
"""The part of the time of sums that storing and loading these may take, which goes on beside other work then.

Measured, a kernel of four dot products per sum takes 1.3 times as long with a loop, one of 16 as long as without.
"""


def loops_over_epilogue(contraction: Contraction, tile: RegisterTile, computing: Machine) -> bool:
    """Whether what follows the sums of a tile is a loop over these, which wait in a buffer.

    `computing` is a machine whose multiply-adds are as fast as those of the contraction.
    """
    issue, steps = computing.issue, prod(contraction.reduced_sizes)
    waiting = 1 / issue.stores + 1 / issue.loads
    is_long = steps > 1 and waiting <= MOST_WAITING * steps / issue.fma_units
    return is_long and tile.rows * tile.vectors > FEW_SUMS and is_long_epilogue(contraction.op, 1)


def is_long_epilogue(reduction: StructuredOp, of_function: int) -> bool:
    """Whether copies of what follows each result of a reduction in its kernel are more than what computes it.

    A function that becomes a polynomial counts as `of_function` ops.
    """
    block = reduction.parent
    assert block is not None
    reached: set[SSAValue] = {reduction.result}
    total = 0
    for op in block.ops:
        if isinstance(op, MapOp) and not reached.isdisjoint(op.inputs):
            reached.add(op.result)
            inner = [each for each in op.body.block.ops if not isinstance(each, arith.ConstantOp)]
            total += sum(of_function if type(each) in EXPANSIONS else 1 for each in inner) - 1
    return total >= LONG_EPILOGUE
