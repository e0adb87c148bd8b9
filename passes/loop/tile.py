"""`tile`: split loops into blocks."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp, YieldOp
from mlc.passes.base import Pass
from mlc.passes.loop._accesses import AccessOp, replace_counter, simplify_quotients
from mlc.passes.loop._legality import Refused
from mlc.passes.loop._nests import functions_with_loops, inline_single_iterations, outermost_loops, perfect_nest
from mlc.passes.loop.interchange import interchange
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.ir import clone


def tile(loop: ForOp, size: int) -> list[ForOp]:
    """Split `loop` into blocks of `size` iterations; a loop named `<dim>i` right inside runs over one block.

        for m in 0..64: S(m)   ->   for m in 0..64 step 8: for mi in 0..8: S(m + mi)

    Iterations that fill no block get a nest of their own, over one smaller block, so that the main one has no test. A
    loop no longer than one block becomes one block. Returns the loops over blocks, in program order.
    """
    step, trips = loop.step.value.data, len(loop.range)
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
    inner = ForOp(f"{dim}i", 0, size * step, step, loop.kind.data, block.args[1:], inner_body)
    inner.location = loop.location
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
    rest.operands = loop.results
    return rest


@dataclass(frozen=True)
class TilePass(Pass):
    """Tile the outermost loops of every nest, blocks outside, points inside.

    `--tile="sizes=8,48"`:

        for m in 0..64: for n in 0..200: S(m, n)
    ->
        for m in 0..64 step 8: for n in 0..192 step 48: for mi in 0..8: for ni in 0..48: S(m + mi, n + ni)
        … and a nest for the last 8 of n

    A nest with fewer parallel loops than sizes uses the first sizes. Loops that carry values stay as they are.
    """

    name = "tile"

    sizes: tuple[int, ...] = ()
    """The block size of each loop, outermost first; 0 leaves a loop alone."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        del ctx
        if not self.sizes or any(size < 0 for size in self.sizes):
            raise UserError('tile: expected positive sizes, one for each loop from the outside in, as in "sizes=8,48"')
        for function in functions_with_loops(module):
            for root in outermost_loops(function):
                self._tile_nest(root)
            inline_single_iterations(function)

    def _tile_nest(self, root: ForOp) -> None:
        nest = [loop for loop in perfect_nest(root) if loop.is_parallel]
        wanted = [(loop.dim.data, size) for loop, size in zip(nest, self.sizes, strict=False) if size]
        if wanted:
            self._tile_from(root, wanted, points=0)

    def _tile_from(self, root: ForOp, wanted: list[tuple[str, int]], points: int) -> None:
        """Tile the loops of `wanted` under `root`, outermost first; `points` loops over points are at the bottom."""
        (name, size), *others = wanted
        loop = next(level for level in perfect_nest(root) if level.dim.data == name)
        for block in tile(loop, size):
            points_loop = perfect_nest(block)[1]
            names = [level.dim.data for level in perfect_nest(points_loop)]
            below = names[1 : 1 + len(others) + points]
            with suppress(Refused):  # over a serial loop: points stay where they are
                interchange(points_loop, [*below, names[0]])
            if others:
                self._tile_from(points_loop, others, points + 1)
