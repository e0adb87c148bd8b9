"""How threads may share a nest: its outer loops, together if one has too few iterations, or else the loops in them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import accumulate, dropwhile, takewhile
from math import prod
from operator import mul

from xdsl.ir import Operation

from mlc.analysis.nests import perfect_nest
from mlc.dialects.loop import ForOp
from mlc.passes.loop._distribution import distribute, pieces_of

BUSY = 0.97
"""The share of its time that a thread has to work; where more would, smaller tasks are not worth looking for."""
_GAIN = 0.97
"""What loops that are taken apart, or spread further inside, have to take of the time of those that are not."""


@dataclass(frozen=True)
class Way:
    """A way to share a nest.

    Attributes:
        ns: how long it takes each time, all in all, in nanoseconds.
        carry_out: makes the loops such that they are shared so.
        remark: what is unusual about it, in words; empty if nothing is.
    """

    ns: float
    carry_out: Callable[[], None]
    remark: str = ""


class Sharing:
    """How so many threads may share the loops of a nest.

    Nests are shared in one of three ways, whichever takes the least time:

    - the outermost parallel loop is spread, and those that are alone in it, if its iterations are too few;
    - the loop is taken apart, and what it holds gets a loop each: the whole tiles of a product become a perfect nest,
      of which two loops can be spread together, beside that of the rows that are left over (loop distribution: Kennedy
      and Allen, "Optimizing Compilers for Modern Architectures", 2002, section 2.2);
    - the loop stays on one thread, and those in it are spread, each time.

    Args:
        threads: how many.
        fork_ns: what it costs to share a loop with threads that are awake.
        least_ns: the time of a loop on one thread that is worth it.
        root: an outermost loop.
        root_ns: how long that takes on one thread.
        spread: is called with loops that are to be spread together.
    """

    def __init__(
        self,
        threads: int,
        fork_ns: float,
        least_ns: float,
        root: ForOp,
        root_ns: float,
        spread: Callable[[Sequence[ForOp]], None],
    ) -> None:
        self._threads, self._fork_ns, self._least_ns, self._spread = threads, fork_ns, least_ns, spread
        self._ns_per_op = root_ns / ops_executed(root)

    def best_way(self, loop: ForOp, entered: int = 1) -> Way:
        """The way that takes the least time for a loop that is run so many times."""
        alone = self._ns(loop)
        best = Way(entered * alone, lambda: None)
        if alone < self._least_ns:
            return best
        run, forks = parallel_loops(loop)
        why = "it is serial"
        if run and alone >= forks * self._least_ns:
            chosen, busy = outermost_that_keep_busy(run, self._threads)
            shared = entered * (alone / (self._threads * busy) + forks * self._fork_ns)
            if shared < best.ns:
                best = Way(shared, partial(self._spread, chosen))
            if busy >= BUSY:
                return best
            tasks = prod(len(each.range) for each in chosen)
            dims = ", ".join(f"'{each.dim.data}'" for each in chosen)
            why = f"{tasks} iteration{'s' * (tasks > 1)} of {dims} keep{'s' * (tasks == 1)} "
            why += f"{self._threads} threads busy for {busy:.0%} of the time"
        for way in (self._taken_apart(loop, entered, why), self._inside(loop, entered, why)):
            if way is not None and way.ns < _GAIN * best.ns:
                best = way
        if best.ns < entered * alone:
            return best
        return replace(best, remark=f"loop '{loop.dim.data}' stays on one thread: {why}")

    def _taken_apart(self, loop: ForOp, entered: int, why: str) -> Way | None:
        """A loop for each of the pieces of what a nest of parallel loops holds."""
        nest = perfect_nest(loop)
        pieces = pieces_of(nest[-1]) if all(each.is_parallel for each in nest) else []
        if len(pieces) < 2:
            return None
        trips = prod(len(each.range) for each in nest)
        total = sum(self._ns_of_piece(piece, nest, trips) for piece in pieces)

        def carry_out() -> None:
            for part in distribute(nest, pieces):
                self.best_way(part, entered).carry_out()

        return Way(entered * total, carry_out, f"loop '{loop.dim.data}' is taken apart: {why}")

    def _ns_of_piece(self, piece: Sequence[Operation], nest: Sequence[ForOp], trips: int) -> float:
        """How long loops around a piece would take, each time."""
        alone, only = trips * sum(map(self._ns, piece)), piece[0]
        if alone < self._least_ns:
            return alone
        inside = parallel_loops(only)[0] if isinstance(only, ForOp) and only.is_parallel and len(piece) == 1 else []
        _, busy = outermost_that_keep_busy([*nest, *inside], self._threads)
        return alone / (self._threads * busy) + self._fork_ns

    def _inside(self, loop: ForOp, entered: int, why: str) -> Way | None:
        """The loops in a nest are spread, whenever they are met."""
        nest = perfect_nest(loop)
        if any(each.iter_args for each in nest):
            return None
        trips = entered * prod(len(each.range) for each in nest)
        parts = [op for op in nest[-1].body.block.ops if isinstance(op, ForOp)]
        ways = [self.best_way(part, trips) for part in parts]
        beside = entered * self._ns(loop) - trips * sum(map(self._ns, parts))

        def carry_out() -> None:
            for way in ways:
                way.carry_out()

        return Way(sum(way.ns for way in ways) + beside, carry_out, f"loops in '{loop.dim.data}' are spread: {why}")

    def _ns(self, op: Operation) -> float:
        return self._ns_per_op * ops_executed(op)


def parallel_loops(loop: ForOp) -> tuple[list[ForOp], int]:
    """The first parallel loops of a perfect nest that stand in each other, and how often they are met.

    Of loops that run once, the last is among them at most.
    """
    nest = perfect_nest(loop)
    behind = list(dropwhile(lambda each: not each.is_parallel, nest))
    parallel = list(takewhile(lambda each: each.is_parallel, behind))
    met = prod(len(each.range) for each in nest[: len(nest) - len(behind)])
    return list(dropwhile(lambda each: len(each.range) == 1, parallel)) or parallel[-1:], met


def outermost_that_keep_busy(run: Sequence[ForOp], threads: int) -> tuple[Sequence[ForOp], float]:
    """The fewest outer loops whose iterations together keep so many threads busy, or do best; and the part of the time
    for which they do."""
    tasks = accumulate((len(loop.range) for loop in run), mul)
    shares = [share_of_work(each, threads) for each in tasks]
    best = next((n for n, share in enumerate(shares) if share >= BUSY), shares.index(max(shares)))
    return run[: best + 1], shares[best]


def share_of_work(tasks: int, threads: int) -> float:
    """The part of the time of the busiest thread for which threads work on average, if they share equal tasks."""
    return tasks / (threads * -(-tasks // threads))


def ops_executed(op: Operation) -> int:
    """How many ops run when `op` runs once, counting each iteration of the loops in it."""
    total = 1
    for region in op.regions:
        for block in region.blocks:
            total += sum(ops_executed(inner) for inner in block.ops)
    return total * len(op.range) if isinstance(op, ForOp) else total
