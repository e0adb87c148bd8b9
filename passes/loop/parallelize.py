"""`parallelize`: spread loops over threads."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.dialects.loop import ForOp, LoopKind, LoopKindAttr
from mlc.passes.base import Pass
from mlc.passes.loop._nests import functions_with_loops, outermost_loops
from mlc.support.context import CompilerContext


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

    Of a nest, the first loop with at least two iterations is taken. Small nests stay on one thread: waking others costs
    microseconds. Loops that are spread already stay as they are.
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
        if any(isinstance(op, ForOp) and op.kind.data is LoopKind.THREADS for op in root.walk()):
            return
        work = ops_executed(root)
        if work < self.least_work:
            ctx.remark(root, f"loop '{root.dim.data}' stays on one thread: about {work} ops")
            return
        loop = root
        while len(loop.range) < 2 and isinstance(first := loop.body.block.first_op, ForOp):
            loop = first
        if not (len(loop.range) > 1 and spread(loop)):
            ctx.remark(root, f"loop '{loop.dim.data}' stays on one thread: its iterations depend on each other")


def ops_executed(op: Operation) -> int:
    """How many ops run when `op` runs once, counting each iteration of the loops in it."""
    total = 1
    for region in op.regions:
        for block in region.blocks:
            total += sum(ops_executed(inner) for inner in block.ops)
    return total * len(op.range) if isinstance(op, ForOp) else total
