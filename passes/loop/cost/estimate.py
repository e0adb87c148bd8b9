"""How long loops take on a machine: what a core computes, and what arrives from each level of the memory.

Bytes that pass by are told by the size of what one iteration of a loop touches. If a cache holds that, all that comes
again in the next iteration is there, and what the whole loop touches arrives once; else each iteration fetches its own.
That is the reuse of loops whose subscripts are affine (Wolf and Lam, "A Data Locality Optimizing Algorithm", 1991), for
a cache without conflicts. Nothing is asked of a schedule, so that steps of plugins and loops that a person wrote are
estimated like all others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from mlc.dialects.loop import ForOp, LoadOp, LoopKind, StoreOp, enclosing_loops
from mlc.passes.loop.cost.footprint import TouchedPlace, lines_touched
from mlc.passes.loop.cost.work import BlockWork, work_of_block
from mlc.targets.machine import Machine


@dataclass
class Estimate:
    """What one call of a function takes, in cycles from its beginning to its end.

    Operands lie in the nearest level of the memory that holds all that the function touches. Of a loop that several
    threads share, it is the time of the one that runs most iterations: what its core computes, and what arrives there.
    All of them get no more from the main memory than one does.
    """

    parts: dict[str, float] = field(default_factory=dict[str, float])
    """What keeps the core busy, or lets it wait, and for how long: "arithmetic", "loads", "stores", "shuffles",
    "spilling", "sharing" of loops where there are other threads, and "late results", where nothing starts, since what
    an iteration needs is not there yet."""
    brought: dict[str, float] = field(default_factory=dict[str, float])
    """How long lines are on their way from each level, and back: "second cache", "last cache", "main memory"."""
    cycles: float = 0.0
    """The whole: of each nest what takes longer, computing or bringing, and a little more if both do."""
    spilled: int = 0
    """How many registers a loop needs beyond those that there are, at most."""

    @property
    def decided_by(self) -> str:
        """What takes longest."""
        all_parts = self.parts | self.brought
        return max(all_parts, key=lambda name: all_parts[name])

    def seconds(self, machine: Machine) -> float:
        """The whole as a time."""
        return self.cycles / (machine.frequency_mhz * 1e6)


def estimate(function: FuncOp, machine: Machine, threads: int = 1) -> Estimate:
    """What `function`, at the loop level and without calls, takes on so many threads, or on one per core of `machine`.

    On one thread whoever calls runs all loops, and no sharing is paid for.
    """
    total = Estimate()
    machine = replace(machine, cores=min(threads, machine.cores))
    root = _Loop(None, function.body.block, machine)
    for nest in (*root.inside, _Loop(None, function.body.block, machine, inside=[])):
        total.cycles += _cycles_of(nest, root, machine, total)
    return total


def estimate_nests(function: FuncOp, machine: Machine) -> dict[ForOp, float]:
    """The cycles of each outermost loop of `function`, which may call others, on one thread."""
    machine = replace(machine, cores=1)
    root = _Loop(None, function.body.block, machine)
    return {n.loop: _cycles_of(n, root, machine, Estimate()) for n in root.inside if n.loop is not None}


def _cycles_of(nest: _Loop, root: _Loop, machine: Machine, total: Estimate) -> float:
    """What a nest takes; `total` learns the parts of computing and bringing.

    Lines arrive while the core computes, but what is spilled goes the way that lines come.
    """
    before = total.parts.get("spilling", 0.0)
    computed = nest.compute(total)
    spilling = total.parts.get("spilling", 0.0) - before
    brought = _bring(nest, root.bytes_of_iteration, machine)
    for level in brought.keys() - {"main memory"}:
        brought[level] *= nest.share
    for level, cycles in brought.items():
        total.brought[level] = total.brought.get(level, 0.0) + cycles
    return _side_by_side(computed, sum(brought.values()) + spilling)


def _side_by_side(one: float, other: float) -> float:
    """How long two things take at a time: the longer one, and a little more where both take about as long.

    The norm of both times for the exponent 4. Which exponent ranks measured schedules best was tried.
    """
    longer, shorter = max(one, other), min(one, other)
    return longer * (1 + (shorter / longer) ** 4) ** 0.25 if longer else 0.0


def _bring(nest: _Loop, everything: int, machine: Machine) -> dict[str, float]:
    """The cycles in which lines arrive for a nest from each level, and go back there.

    `everything` is the size of all that the function touches: what a cache holds is there when the function is called.
    """
    memory = machine.memory
    levels = (
        ("second cache", machine.l1_bytes, memory.l2_read, memory.l2_write),
        ("last cache", machine.l2_bytes, memory.l3_read, memory.l3_write),
        ("main memory", max(machine.l2_bytes, machine.l3_bytes), memory.memory_read, memory.memory_write),
    )
    missed = [nest.missed(capacity) if everything > capacity else (0.0, 0.0) for _, capacity, _, _ in levels]
    cycles: dict[str, float] = {}
    for (source, _, read, write), here, beyond in zip(levels, missed, [*missed[1:], (0.0, 0.0)], strict=True):
        fetched, written = (max(a - b, 0.0) * memory.line_bytes for a, b in zip(here, beyond, strict=True))
        cycles[source] = fetched / read + written / write
    return cycles


class _Loop:
    """A loop, or the body of the function (`loop` is None), with the loops in it."""

    def __init__(self, loop: ForOp | None, block: Block, machine: Machine, inside: list[_Loop] | None = None) -> None:
        self.loop = loop
        self.trips = len(loop.range) if loop is not None else 1
        self.counters = frozenset([loop.induction_variable]) if loop is not None else frozenset[SSAValue]()
        self.is_waited_for = loop is not None and bool(loop.results)
        self.is_body = loop is None
        self._block = block
        self._machine = machine
        ops = list(_flat(block))
        found = [_Loop(op, op.body.block, machine) for op in ops if isinstance(op, ForOp)] if inside is None else inside
        self.inside = found
        """The loops in it, in order."""
        self.counters_inside = frozenset[SSAValue]().union(*(each.counters | each.counters_inside for each in found))
        self._own_places: dict[SSAValue, list[TouchedPlace]] = {}
        for place in (TouchedPlace.of(op) for op in ops if isinstance(op, LoadOp | StoreOp)):
            self._own_places.setdefault(place.buffer, []).append(place)
        self._places = {buffer: list(places) for buffer, places in self._own_places.items()}
        for each in found:
            for buffer, places in each._places.items():
                self._places.setdefault(buffer, []).extend(places)

    @cached_property
    def threads(self) -> int:
        """How many threads share the iterations.

        In an iteration of a loop that is shared all threads are at work: one within it runs where it is met.
        """
        if self.loop is None or not _is_spread(self.loop) or any(map(_is_spread, enclosing_loops(self.loop))):
            return 1
        return max(1, min(self._machine.cores, self.trips, self.loop.most_threads or self.trips))

    @property
    def trips_of_one(self) -> int:
        """The iterations of the thread that runs most of them."""
        return -(-self.trips // self.threads)

    @cached_property
    def share(self) -> float:
        """The part of its iterations, or of those of the loops in it, that the thread runs which runs most."""
        if self.threads > 1:
            return self.trips_of_one / self.trips
        return max((each.share for each in self.inside), default=1.0)

    @cached_property
    def bytes_of_iteration(self) -> int:
        """The size of the lines that one iteration touches."""
        lines = self._lines(self._places, self.counters_inside)
        return sum(lines.values()) * self._machine.memory.line_bytes

    @cached_property
    def _lines_of_all(self) -> dict[SSAValue, int]:
        """The lines that all iterations touch, by buffer."""
        return self._lines(self._places, self.counters_inside | self.counters)

    def _lines(self, places: dict[SSAValue, list[TouchedPlace]], running: frozenset[SSAValue]) -> dict[SSAValue, int]:
        size = self._machine.memory.line_bytes
        return {buffer: lines_touched(each, running, size) for buffer, each in places.items()}

    def missed(self, capacity: int) -> tuple[float, float]:
        """The lines that a cache of `capacity` bytes has to fetch, and those of them that go back changed."""
        lines = self._missed(capacity)
        stored = {buffer for buffer in lines if any(place.is_store for place in self._places[buffer])}
        return sum(lines.values()), sum(lines[buffer] for buffer in stored)

    def _missed(self, capacity: int) -> dict[SSAValue, float]:
        """The lines that a cache of `capacity` bytes has to fetch, by buffer."""
        if not self.is_body and self.bytes_of_iteration <= capacity:
            return {buffer: float(lines) for buffer, lines in self._lines_of_all.items()}
        each: dict[SSAValue, float] = {b: float(n) for b, n in self._lines(self._own_places, frozenset()).items()}
        for loop in self.inside:
            for buffer, lines in loop._missed(capacity).items():
                each[buffer] = each.get(buffer, 0.0) + lines
        return {buffer: lines * self.trips for buffer, lines in each.items()}

    @cached_property
    def _work(self) -> BlockWork:
        return work_of_block(self._block, self._machine)

    def compute(self, total: Estimate, times: int = 1) -> float:
        """The cycles of all iterations that one thread runs, on a core that has all in its first cache.

        `total` learns what they are spent on, `times` over.
        """
        entered = times
        parts = self._work.work.cycles(self._machine)
        busy = max(parts.values())
        if self.inside:
            # What stands behind a loop that carries values begins when these are there.
            own = max(busy, self._work.path) if any(loop.is_waited_for for loop in self.inside) else busy
            lanes = self._work.side_by_side if all(each._work.side_by_side == 1 for each in self.inside) else 1
            rounds = -(-self.trips_of_one // lanes)
            times = entered * rounds
            cycles = rounds * (own + sum(loop.compute(total, times) for loop in self.inside))
            parts["late results"] = own - busy
        else:
            rounds = -(-self.trips_of_one // self._work.side_by_side)
            times = entered * rounds
            spilling = self._work.spilling(self._machine)
            each = max(busy, self._work.chain, 0.0 if self.is_body else 1.0)  # one jump per cycle
            last = max(self._work.path - each, 0.0) if self.is_waited_for else 0.0
            cycles = rounds * (each + spilling) + last
            parts["late results"] = each - busy + last / max(rounds, 1)
            parts["spilling"] = spilling
        for name, amount in parts.items():
            total.parts[name] = total.parts.get(name, 0.0) + amount * times
        total.spilled = max(total.spilled, self._work.spilled)
        return cycles + self._sharing(total, entered)

    def _sharing(self, total: Estimate, entered: int) -> float:
        """The cycles that it takes to hand the iterations to threads, if there are others."""
        if self.threads == 1:
            return 0.0
        cycles = self._machine.threading.fork_join_ns * self._machine.frequency_mhz / 1000
        total.parts["sharing"] = total.parts.get("sharing", 0.0) + cycles * entered
        return cycles


def _is_spread(loop: ForOp) -> bool:
    return loop.kind.data is LoopKind.THREADS and loop.most_threads != 1


def _flat(block: Block) -> Iterator[Operation]:
    """The ops of a block and of the regions in it, but those of loops."""
    for op in block.ops:
        yield op
        if not isinstance(op, ForOp):
            for region in op.regions:
                for inner in region.blocks:
                    yield from _flat(inner)
