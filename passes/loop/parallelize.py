"""`parallelize`: spread loops over threads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod

from xdsl.dialects import memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.analysis.nests import functions_with_loops, outermost_loops
from mlc.architectures.facts import ThreadCosts
from mlc.dialects.loop import ForOp, LoopKind, enclosing_loops
from mlc.pass_manager.base import Pass
from mlc.passes.loop._sharing import (
    BUSY,
    Sharing,
    ops_executed,
    outermost_that_keep_busy,
    parallel_loops,
    share_of_work,
)
from mlc.schedules.cost.estimate import estimate_nests
from mlc.schedules.steps.threads import spread
from mlc.schedules.steps.tile import tile
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.targets.machine import Machine, resolve_target

BLOCKS_PER_THREAD = 4
"""Enough to even out what threads take unequally long for."""
_LOOPS_PER_WAKING = 16
"""How many loops follow each other before threads fall asleep, as far as one may count on it."""
MANY = 8
"""How many iterations per wanted block are enough to hand them out in blocks."""
_NEARLY_BUSY = 0.9
"""The least share of its time that a thread has to work on blocks with buffers, if none do better."""


@dataclass(frozen=True)
class ParallelizePass(Pass):
    """Spread the outermost parallel loops over threads where there is enough work in them.

        loop.for parallel "m" %m = 0 to 512 { … }   ->   loop.for threads "m" %m = 0 to 512 { … }

    Of a nest, the outermost loop is spread. If its iterations do not keep all threads busy to the end, loops that are
    alone in it are spread with it, what it holds gets loops of its own, or those inside it are spread; of these ways,
    that which is estimated to take the least time. A remark says so.

        loop.for parallel "n" %n = 0 to 9 { loop.for parallel "m" %m = 0 to 25 { tile } rows that are left }
    ->
        loop.for threads "n" %n = 0 to 9 { loop.for threads "m" %m = 0 to 25 { tile } }
        loop.for threads "n" %n = 0 to 9 { rows that are left }

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
        for option, least in (("threads", 1), ("least_ns", 0)):
            if (found := getattr(self, option)) < least:
                spelling = option.replace("_", "-")
                raise UserError(f"{self.name}: found {spelling}={found:g}; required: {least} or more")
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
                    self._block(loop.spread_with)
            return
        if (short := times.if_short(root)) is not None:
            words = f"estimated {short:,.0f} ns, worth sharing from {times.least_ns:,.0f} ns on"
            ctx.remark(root, f"loop '{root.dim.data}' stays on one thread: {words}")
            return
        run, met = parallel_loops(root)
        chosen, busy = outermost_that_keep_busy(run, self.threads) if run else (run, 0.0)
        if busy >= BUSY and met == 1:
            self._share(chosen)
            return
        sharing = Sharing(self.threads, times.fork_ns, times.least_ns, root, times.of(root), self._share)
        way = sharing.best_way(root)
        if way.remark:
            ctx.remark(root, way.remark)
        way.carry_out()

    def _share(self, nest: Sequence[ForOp]) -> None:
        """Spread the loops of a nest together."""
        for loop in nest:
            spread(loop)
        self._block(nest)

    def _block(self, nest: Sequence[ForOp]) -> None:
        """Let each thread run blocks of iterations where there are many, or each has a buffer."""
        *outer, inner = nest
        threads = min(self.threads, nest[0].most_threads or self.threads)
        trips, around, wanted = len(inner.range), prod(len(loop.range) for loop in outer), BLOCKS_PER_THREAD * threads
        has_buffers = any(isinstance(op, memref.AllocOp) for op in inner.walk())
        if trips * around <= MANY * wanted and not has_buffers:
            return
        possible = range(1, 4 * wanted // around + 1)
        counts = [n for n in possible if trips % n == 0 and n * around >= threads]
        busy = {n: share_of_work(n * around, threads) for n in counts}
        good = [n for n in counts if busy[n] >= BUSY]
        good = good or [n for n in counts if has_buffers and busy[n] >= _NEARLY_BUSY]
        count = min(good, key=lambda n: abs(n * around - wanted), default=trips)
        if count < trips:
            tile(inner, trips // count)


class _Times:
    """How long the nests of a function take; those that cannot be short are not looked at closely."""

    def __init__(self, function: FuncOp, machine: Machine, least_ns: float) -> None:
        self.least_ns = least_ns
        self.fork_ns = min(machine.threading.fork_join_ns, least_ns)
        self._function = function
        self._machine = machine

    def if_short(self, root: ForOp) -> float | None:
        """The time of a nest on one thread, in nanoseconds; None if it is worth sharing."""
        issue = self._machine.issue
        at_once = issue.fma_units + issue.adds + issue.loads + issue.stores + issue.shuffles
        time = ops_executed(root) / at_once * self._ns_per_cycle
        if time < self.least_ns:
            time = self.of(root)
        return time if time < self.least_ns else None

    def of(self, root: ForOp) -> float:
        """The time of a nest on one thread, in nanoseconds, looked at closely."""
        return self._cycles[root] * self._ns_per_cycle

    @property
    def _ns_per_cycle(self) -> float:
        return 1000 / self._machine.frequency_mhz

    @cached_property
    def _cycles(self) -> dict[ForOp, float]:
        return estimate_nests(self._function, self._machine)


def _least_ns(costs: ThreadCosts, threads: int) -> float:
    """The time on one thread of which as much is saved by sharing as sharing costs."""
    return (costs.fork_join_ns + costs.wake_ns / _LOOPS_PER_WAKING) / (1 - 1 / threads)
