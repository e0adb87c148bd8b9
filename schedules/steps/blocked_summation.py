"""`blocked-summation`: add up long sums block by block, so that rounding errors do not pile up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp, LoadOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.schedules.steps.tile import blocks_in_words, tile
from mlc.schedules.steps.vectorize import splat
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy
from mlc.support.errors import Refused
from mlc.support.ir import zero_of
from mlc.support.types import element_type, vector_type
from mlc.targets.machine import Machine

NEAR = 256
"""The additions of a block where registers hold the sums of blocks too: the end of a block costs 0.5% of it."""
FAR = 64
"""Where numbers come from beyond the second cache, the end of a block costs nothing at all."""
SPILLED = 1024
"""Where the sums of a block take more than half of the registers, the sums of blocks wait in memory meanwhile."""
_ADDITIONS: dict[type[Operation], tuple[int, ...]] = {
    arith.AddfOp: (0, 1),
    math.FmaOp: (2,),
    vector.FMAOp: (2,),
}
"""What adds to a sum, and which of its operands may be the sum so far."""
LoopSums = dict[ForOp, list[int | None]]
"""What `additions` says of the values that a loop carries, for loops that it was asked about before."""


def blocked_summation(loop: ForOp, terms: int, known: LoopSums) -> bool:
    """Let the sums that a loop carries be sums of blocks of up to `terms` additions, if they have more than twice that.

        s = for k in 0..65536 iter_args(a = 0): a + x[k]
    ->
        s = for k in 0..65536 step 256 iter_args(a = 0): a + (for ki in 0..256 iter_args(b = 0): b + x[k + ki])

    Sums of many blocks are blocked again. Of nested loops, an inner one that adds a block or more starts from 0. The
    error of the pairwise sum (Higham, "The accuracy of floating point summation", 1993), with blocks that a machine
    adds at full speed. Returns whether anything was changed.

    Args:
        known: of loops that have not changed since; emptied by a change.
    """
    if len(loop.range) * _longest(loop, known) <= 2 * terms:
        return False
    for position in _sums(loop, known):
        for inner, at in _inner_sums(loop, position):
            if 2 * len(inner.range) * _longest(inner, known) >= terms:
                _restart(inner, at)
                known.clear()
    size = max(terms // _longest(loop, known), 1)
    while len(loop.range) > 2 * terms * size:
        size *= terms
    if loop.limit is not None:  # which ends no block
        step = loop.step.value.data
        block = gcd(size * step, loop.limit_multiple)
        size = 1 if block % step else block // step
    if size > 1 and len(loop.range) > 2 * size:
        known.clear()
        for block in sum_in_blocks(loop, size):
            blocked_summation(block, terms, known)
    return True


def sum_in_blocks(loop: ForOp, size: int) -> list[ForOp]:
    """Tile `loop`, and let the sums of each block of `size` iterations start from 0.

    Returns the loops over one block, and over what fills none. If `loop` carries no sum of floats, nothing is changed,
    and there are none.
    """
    found: list[ForOp] = []
    if not _sums(loop, {}):
        return found
    for blocks in tile(loop, size):
        inner = blocks.body.block.first_op
        assert isinstance(inner, ForOp)
        for position in _sums(inner, {}):
            _restart(inner, position)
        found.append(inner)
    return found


def _sums(loop: ForOp, known: LoopSums) -> list[int]:
    """The positions of the carried values that are sums."""
    return [position for position, count in enumerate(additions(loop, known)) if count]


def _longest(loop: ForOp, known: LoopSums) -> int:
    """How many numbers one iteration adds to a sum that the loop carries, at most."""
    return max((count or 0 for count in additions(loop, known)), default=0)


def additions(loop: ForOp, known: LoopSums) -> list[int | None]:
    """How many numbers one iteration adds to each carried value, one after the other; None if that is not a sum of
    floats.

    A sum has no other use in the loop; one that is also stored is a prefix sum.
    """
    if loop not in known:
        known[loop] = [_additions_to(value, position, loop, known) for position, value in enumerate(loop.carried)]
    return known[loop]


def _additions_to(value: SSAValue, position: int, loop: ForOp, known: LoopSums) -> int | None:
    if not isinstance(element_type(value.type), AnyFloat):
        return None
    count = 0
    for op, at in _chain(loop, value):
        if isinstance(op, YieldOp):
            return count if at == position else None
        inside = 1
        if isinstance(op, ForOp):
            if (each := additions(op, known)[at]) is None:
                return None
            inside = each * len(op.range)
        count += inside
    return None


def _chain(loop: ForOp, value: SSAValue) -> Iterator[tuple[Operation, int]]:
    """The ops that take a value that `loop` carries on, one after the other, up to the yield.

    They end with any use that is not an addition. With each comes which of its operands that is; of loops and the
    yield, which of their values.
    """
    while len(uses := list(value.uses)) == 1:
        op, at = uses[0].operation, uses[0].index
        if isinstance(op, ForOp | YieldOp) or at in _ADDITIONS.get(type(op), ()):
            if op.parent is not loop.body.block:
                return
            yield op, at
            if isinstance(op, YieldOp):
                return
            value = op.results[at if isinstance(op, ForOp) else 0]
        else:
            return


def _inner_sums(loop: ForOp, position: int) -> list[tuple[ForOp, int]]:
    """The loops right inside `loop` that a sum runs through, and which of their values it is there."""
    return [(op, at) for op, at in _chain(loop, loop.carried[position]) if isinstance(op, ForOp)]


def _restart(loop: ForOp, position: int) -> None:
    """Let a sum that a loop carries start from 0, and add after the loop what it started from."""
    initial, result = loop.iter_args[position], loop.results[position]
    ops: list[Operation] = [zero_of(element_type(result.type))]
    if (kind := vector_type(result.type)) is not None:
        ops = [splat(ops[0].results[0], kind.get_shape()[0])]
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    total = arith.AddfOp(initial, result)
    total.location = loop.location
    total.result.name_hint = result.name_hint
    Rewriter.insert_op(total, InsertPoint.after(loop))
    loop.operands[position] = ops[-1].results[0]
    result.replace_uses_with_if(total.result, lambda use: use.operation is not total)


def block_terms(loop: ForOp, machine: Machine, known: LoopSums) -> int:
    """How many additions make a block of the sums of `loop`, so that the blocks cost next to nothing."""
    carried = loop.carried
    registers = sum(-(-_bits(carried[position].type) // machine.vector_bits) for position in _sums(loop, known))
    if 2 * registers > machine.vector_registers:
        return SPILLED
    loads = [op for op in loop.body.block.ops if isinstance(op, LoadOp) and loop.induction_variable in op.indices]
    size = sum(_bits(op.accessed) // 8 for op in loads) * len(loop.range)
    return FAR if size > machine.l2_bytes else NEAR


def _bits(kind: Attribute) -> int:
    """The size of a number, or of all numbers of a vector."""
    vector = vector_type(kind)
    lanes = 1 if vector is None else vector.get_shape()[0]
    return to_numpy(element_type(kind)).itemsize * 8 * lanes


@dataclass(frozen=True)
class BlockedSummation(LoopStep):
    """`k` runs in steps of 256, around a new loop `ki` whose sums start from 0 in each block"""

    name = "blocked_summation"
    example = "blocked_summation(k, 256)"

    loop: LoopName
    size: int

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        if not sum_in_blocks(loop, self.size):
            raise Refused("it carries no sum of floats")

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' not summed in blocks"

    def words(self, plan: LoopPlan) -> str:
        return f"{blocks_in_words(plan.trips.get(self.loop), self.size)}, whose sums start from 0"

    def follow(self, plan: LoopPlan) -> None:
        plan.tile(self.loop, self.size)
