"""`parallelize`: spread loops over threads."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.dialects.loop import ForOp, LoopKind, LoopKindAttr, enclosing_loops
from mlc.passes.base import Pass
from mlc.passes.loop._nests import functions_with_loops, outermost_loops, perfect_nest
from mlc.passes.loop.tile import tile
from mlc.support.context import CompilerContext

BLOCKS_PER_THREAD = 4
"""Enough to even out what threads take unequally long for."""


def spread(loop: ForOp) -> bool:
    """Mark a parallel loop to be spread over threads; False, and nothing changed, if it is serial."""
    if not loop.is_parallel:
        return False
    loop.properties["kind"] = LoopKindAttr(LoopKind.THREADS)
    return True


@dataclass(frozen=True)
class ParallelizePass(Pass):
    """Spread the outermost parallel loops over threads where there is enough work in them.

        loop.for parallel "m" %m = 0 to 512 { … }   ->   loop.for threads "m" %m = 0 to 512 { … }

    Of a nest, the first loop with an iteration for each thread is taken, or else the longest one. Small nests stay on
    one thread: waking others costs microseconds. Loops that are spread already stay as they are.

    Where iterations have buffers of their own, a few blocks of iterations per thread are spread instead, so that there
    are few buffers.

        loop.for parallel "m" %m = 0 to 512 { %t = memref.alloc() … }
    ->
        loop.for threads "m" %m = 0 to 512 step 64 { loop.for parallel "mi" %mi = 0 to 64 { %t = memref.alloc() … } }
    """

    name = "parallelize"

    threads: int = 2
    """The number of threads; with 1 nothing is spread."""
    least_work: int = 200_000
    """The fewest ops (counted over all iterations) that are worth it."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if self.threads < 2:
            return
        for function in functions_with_loops(module):
            for root in outermost_loops(function):
                self._spread_nest(root, ctx)

    def _spread_nest(self, root: ForOp, ctx: CompilerContext) -> None:
        spread_already = [op for op in root.walk() if isinstance(op, ForOp) and op.kind.data is LoopKind.THREADS]
        if spread_already:
            for loop in spread_already:
                if not any(outer.kind.data is LoopKind.THREADS for outer in enclosing_loops(loop)):
                    self._block(loop)
            return
        work = ops_executed(root)
        if work < self.least_work:
            ctx.remark(root, f"loop '{root.dim.data}' stays on one thread: about {work} ops")
            return
        nest = [loop for loop in perfect_nest(root) if loop.is_parallel] or [root]
        longest = max(nest, key=lambda loop: len(loop.range))
        loop = next((loop for loop in nest if len(loop.range) >= self.threads), longest)
        if len(loop.range) > 1 and spread(loop):
            self._block(loop)
        else:
            ctx.remark(root, f"loop '{loop.dim.data}' stays on one thread: its iterations depend on each other")

    def _block(self, loop: ForOp) -> None:
        """Let each thread run blocks of iterations where each iteration has a buffer."""
        if not any(isinstance(op, memref.AllocOp) for op in loop.walk()):
            return
        trips, wanted = len(loop.range), BLOCKS_PER_THREAD * self.threads
        counts = [n for n in range(self.threads, min(trips, 4 * wanted + 1)) if trips % n == 0]
        if counts:
            (blocks,) = tile(loop, trips // min(counts, key=lambda n: abs(n - wanted)))
            (inner,) = (op for op in blocks.body.block.ops if isinstance(op, ForOp))
            inner.properties["kind"] = LoopKindAttr(LoopKind.PARALLEL)


def ops_executed(op: Operation) -> int:
    """How many ops run when `op` runs once, counting each iteration of the loops in it."""
    total = 1
    for region in op.regions:
        for block in region.blocks:
            total += sum(ops_executed(inner) for inner in block.ops)
    return total * len(op.range) if isinstance(op, ForOp) else total
