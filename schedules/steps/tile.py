"""`tile`: split loops into blocks."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import AccessOp, replace_counter, simplify_quotients
from mlc.analysis.legality import require_whole_blocks
from mlc.dialects.loop import ForOp, LoopKind, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext
from mlc.support.ir import clone


def tile(loop: ForOp, size: int) -> list[ForOp]:
    """Split `loop` into blocks of `size` iterations; a loop named `<dim>i` right inside runs over one block.

        for m in 0..64: S(m)   ->   for m in 0..64 step 8: for mi in 0..8: S(m + mi)

    Iterations that fill no block get a nest of their own, over one smaller block, so that the main one has no test. A
    loop no longer than one block becomes one block. If a loop is spread over threads, its blocks are. Returns the loops
    over blocks, in program order.

    Raises:
        Refused: the loop is serial, and a limit may end it within a block; nothing has been changed.
    """
    step, trips = loop.step.value.data, len(loop.range)
    require_whole_blocks(loop, min(size, trips))
    if trips > size and trips % size:
        rest = peel(loop, trips - trips % size)
        return [*tile(loop, size), *tile(rest, size)]
    size = min(size, trips)
    inner_body = loop.detach_region(loop.body)
    outer_types = [a.type for a in inner_body.block.args]
    block = Block(arg_types=outer_types)
    loop.add_region(Region(block))
    for old, new in zip(inner_body.block.args, block.args, strict=True):
        new.name_hint = old.name_hint
    dim = loop.dim.data
    kind = LoopKind.PARALLEL if loop.kind.data is LoopKind.THREADS and trips > size else loop.kind.data
    inner = ForOp(f"{dim}i", 0, size * step, step, kind, block.args[1:], inner_body)
    inner.location = loop.location
    if trips == size:  # the one block is all that the loop was
        inner.attributes |= loop.attributes
    inner.induction_variable.name_hint = f"{dim}i"
    block.add_ops([inner, YieldOp(*inner.results)])
    outer_counter, inner_counter = loop.induction_variable, inner.induction_variable
    _shift_by(inner_counter, outer_counter)
    loop.properties["step"] = IntegerAttr(size * step, i64)
    for use in list(inner_counter.uses):
        if isinstance(use.operation, AccessOp):
            simplify_quotients(use.operation)
    return [loop]


def _shift_by(counter: SSAValue, base: SSAValue) -> None:
    """Make every use of `counter` see `base + counter`."""
    replace_counter(counter, ((base, counter), AffineExpr.dimension(0) + AffineExpr.dimension(1)))


def peel(loop: ForOp, trips: int) -> ForOp:
    """Leave the first `trips` iterations to `loop` and give the others to a copy right after it, which is returned."""
    rest = clone(loop)
    assert isinstance(rest, ForOp)
    boundary = IntegerAttr(loop.range.start + trips * loop.step.value.data, i64)
    rest.properties["lower"] = boundary
    loop.properties["upper"] = boundary
    for result, continued in zip(loop.results, rest.results, strict=True):
        result.replace_all_uses_with(continued)
    Rewriter.insert_op(rest, InsertPoint.after(loop))
    rest.start_from(loop.results)
    return rest


@dataclass(frozen=True)
class Tile(LoopStep):
    """`n` runs in steps of 64, around a new loop `ni`; what fills no block becomes a nest of its own"""

    name = "tile"
    example = "tile(n, 64)"

    loop: LoopName
    size: int

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        tile(loop, self.size)

    def words(self, plan: LoopPlan) -> str:
        trips = plan.trips.get(self.loop)
        return blocks_in_words(trips, self.size)

    def follow(self, plan: LoopPlan) -> None:
        plan.tile(self.loop, self.size)


def blocks_in_words(trips: int | None, size: int) -> str:
    """What becomes of a loop of so many iterations, if that is known, in blocks of `size`."""
    if trips is None:
        return f"blocks of {size}"
    blocks, rest = divmod(trips, size)
    if not blocks or (blocks, rest) == (1, 0):
        return f"one block of all {trips}"
    return f"{blocks} block{'s' * (blocks > 1)} of {size}" + (f", and one of {rest}" if rest else "")
