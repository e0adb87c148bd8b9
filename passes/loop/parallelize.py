"""`parallelize`: spread loops over threads."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.dialects.loop import ForOp, LoopKind, LoopKindAttr, enclosing_loops
from mlc.passes.base import Pass
from mlc.passes.loop._nests import functions_with_loops, outermost_loops, perfect_nest
from mlc.passes.loop.cost.estimate import estimate_nests
from mlc.passes.loop.steps.parallel import spread
from mlc.passes.loop.steps.tile import tile
from mlc.support.context import CompilerContext
from mlc.targets.facts import ThreadCosts
from mlc.targets.machine import Machine, resolve_target

BLOCKS_PER_THREAD = 4
"""Enough to even out what threads take unequally long for."""

BUSY = 0.9
"""The least share of its time that a thread has to work."""
_LOOPS_PER_WAKING = 16
"""How many loops follow each other before threads fall asleep, as far as one may count on it."""
MANY = 8
"""How many iterations per wanted block are enough to hand them out in blocks."""


@dataclass(frozen=True)
class ParallelizePass(Pass):
    """Spread the outermost parallel loops over threads where there is enough work in them.

        loop.for parallel "m" %m = 0 to 512 { … }   ->   loop.for threads "m" %m = 0 to 512 { … }

    Of a nest, the outermost loop is taken whose iterations keep all threads busy to the end, or else the longest one.
    Nests that are estimated to be short stay on one thread: waking others costs microseconds. Loops that are spread
    already stay as they are, with the number of threads that they ask for at most.

    Where there are many iterations, blocks of them are spread, a few per thread: each one that is handed out costs some
    hundred cycles, and has buffers of its own.

        loop.for parallel "m" %m = 0 to 512 { %t = memref.alloc() … }
    ->
        loop.for threads "m" %m = 0 to 512 step 64 { loop.for parallel "mi" %mi = 0 to 64 { %t = memref.alloc() … } }
    """

    name = "parallelize"

    threads: int = 2
    """The number of threads; with 1 nothing is spread."""
    least_ns: float = 0
    """The shortest time of a nest on one thread that is worth it; 0 asks the target what sharing costs."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if self.threads < 2:
            return
        machine = resolve_target(ctx.target)
        for function in functions_with_loops(module):
            times = _Times(function, machine, self.least_ns or _least_ns(machine.threading, self.threads))
            for root in outermost_loops(function):
                self._spread_nest(root, times, ctx)

    def _spread_nest(self, root: ForOp, times: _Times, ctx: CompilerContext) -> None:
        spread_already = [op for op in root.walk() if isinstance(op, ForOp) and op.kind.data is LoopKind.THREADS]
        if spread_already:
            for loop in spread_already:
                if not any(outer.kind.data is LoopKind.THREADS for outer in enclosing_loops(loop)):
                    self._block(loop)
            return
        if (short := times.if_short(root)) is not None:
            words = f"estimated {short:,.0f} ns, worth sharing from {times.least_ns:,.0f} ns on"
            ctx.remark(root, f"loop '{root.dim.data}' stays on one thread: {words}")
            return
        nest = [loop for loop in perfect_nest(root) if loop.is_parallel] or [root]
        longest = max(nest, key=lambda loop: len(loop.range))
        loop = next((loop for loop in nest if _keeps_busy(len(loop.range), self.threads)), longest)
        if len(loop.range) > 1 and spread(loop):
            self._block(loop)
        else:
            ctx.remark(root, f"loop '{loop.dim.data}' stays on one thread: its iterations depend on each other")

    def _block(self, loop: ForOp) -> None:
        """Let each thread run blocks of iterations where there are many, or each has a buffer."""
        threads = min(self.threads, loop.most_threads or self.threads)
        trips, wanted = len(loop.range), BLOCKS_PER_THREAD * threads
        if trips <= MANY * wanted and not any(isinstance(op, memref.AllocOp) for op in loop.walk()):
            return
        counts = [n for n in range(threads, 4 * wanted + 1) if trips % n == 0 and _keeps_busy(n, threads)]
        count = min(counts, key=lambda n: abs(n - wanted), default=trips)
        if count < trips:
            (blocks,) = tile(loop, trips // count)
            (inner,) = (op for op in blocks.body.block.ops if isinstance(op, ForOp))
            inner.properties["kind"] = LoopKindAttr(LoopKind.PARALLEL)


def _keeps_busy(trips: int, threads: int) -> bool:
    """Whether threads that share `trips` equal tasks work for most of the time that the busiest of them does."""
    return trips >= BUSY * threads * -(-trips // threads)


class _Times:
    """How long the nests of a function take; those that cannot be short are not looked at closely."""

    def __init__(self, function: FuncOp, machine: Machine, least_ns: float) -> None:
        self.least_ns = least_ns
        self._function = function
        self._machine = machine

    def if_short(self, root: ForOp) -> float | None:
        """The time of a nest on one thread, in nanoseconds; None if it is worth sharing."""
        issue = self._machine.issue
        at_once = issue.fma_units + issue.adds + issue.loads + issue.stores + issue.shuffles
        cycles = ops_executed(root) / at_once
        if cycles * self._ns_per_cycle < self.least_ns:
            cycles = self._cycles[root]
        time = cycles * self._ns_per_cycle
        return time if time < self.least_ns else None

    @property
    def _ns_per_cycle(self) -> float:
        return 1000 / self._machine.frequency_mhz

    @cached_property
    def _cycles(self) -> dict[ForOp, float]:
        return estimate_nests(self._function, self._machine)


def _least_ns(costs: ThreadCosts, threads: int) -> float:
    """The time on one thread of which as much is saved by sharing as sharing costs."""
    return (costs.fork_join_ns + costs.wake_ns / _LOOPS_PER_WAKING) / (1 - 1 / threads)


def ops_executed(op: Operation) -> int:
    """How many ops run when `op` runs once, counting each iteration of the loops in it."""
    total = 1
    for region in op.regions:
        for block in region.blocks:
            total += sum(ops_executed(inner) for inner in block.ops)
    return total * len(op.range) if isinstance(op, ForOp) else total
