"""How long loops take on a machine: what a core computes, and what arrives from each level of the memory.

Bytes that pass by are told by the size of what one iteration of a loop touches. If a cache holds that, all that comes
again in the next iteration is there, and what the whole loop touches arrives once; else each iteration fetches its own.
That is the reuse of loops whose subscripts are affine (Wolf and Lam, "A Data Locality Optimizing Algorithm", 1991), for
a cache without conflicts. Nothing is asked of a schedule, so that steps of plugins and loops that a person wrote are
estimated like all others.

Lines arrive while the core computes, but only while it computes what needs them. All rows of a product use one panel of
weights: it arrives while the first of them are computed, which wait, and nothing arrives while the others are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import prod

from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, Operation, SSAValue

from mlc.analysis.memory_accesses import base_of
from mlc.dialects.loop import ForOp, LoadOp, LoopKind, PrefetchOp, StoreOp, enclosing_loops
from mlc.schedules.cost.bursts import Bursts
from mlc.schedules.cost.footprint import TouchedPlace, lines_touched
from mlc.schedules.cost.traffic import side_by_side
from mlc.schedules.cost.work import BlockWork, work_of_block
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
    """How long lines are on their way from each level, and back: "L2", "L3", "memory"."""
    computed: dict[str, float] = field(default_factory=dict[str, float])
    """What the core does one after the other: of each innermost loop the part that takes longest ("arithmetic",
    "loads", "stores", "shuffles") and what adds to that ("late results", "spilling"), "sharing", and what is "around"
    these loops."""
    cycles: float = 0.0
    """The whole: of each nest what takes longer, computing or bringing, and a little more if both do."""
    waiting: float = 0.0
    """For how long nothing is computed, since lines arrive in bursts."""
    spilled: int = 0
    """How many registers a loop needs beyond those that there are, at most."""

    @property
    def around(self) -> float:
        """For how long the core does what stands around innermost loops, such as what follows a sum."""
        return self.computed.get("around", 0.0)

    @property
    def spent(self) -> dict[str, float]:
        """`cycles`, by what they are spent on one after the other: `computed`, "waiting" while nothing is computed, and
        the rest, in which lines are "arriving"."""
        rest = self.cycles - sum(self.computed.values()) - self.waiting
        return {**self.computed, "waiting": self.waiting, "arriving": max(rest, 0.0)}

    @property
    def decided_by(self) -> str:
        """What takes longest."""
        all_parts = self.parts | self.brought
        return max(all_parts, key=lambda name: all_parts[name])

    def seconds(self, machine: Machine) -> float:
        """The whole as a time."""
        return self.cycles / (machine.frequency_mhz * 1e6)


def estimate(
    function: FuncOp, machine: Machine, threads: int = 1, distances: Mapping[SSAValue, int] | None = None
) -> Estimate:
    """What `function`, at the loop level and without calls, takes on so many threads, or on one per core of `machine`.

    On one thread the caller runs all loops, and no sharing is paid for.

    Args:
        function: its loops are looked at.
        machine: whose facts count.
        threads: that share what is spread.
        distances: of arguments that other code was between the last use of and this call, how many bytes it touched.
    """
    total = Estimate()
    machine = replace(machine, cores=min(threads, machine.cores))
    root = _Loop(None, function.body.block, machine)
    for nest in (*root.inside, _Loop(None, function.body.block, machine, inside=[])):
        total.cycles += _cycles_of(nest, root, machine, total, distances or {})
    return total


def estimate_nests(function: FuncOp, machine: Machine) -> dict[ForOp, float]:
    """The cycles of each outermost loop of `function`, which may call others, on one thread."""
    machine = replace(machine, cores=1)
    root = _Loop(None, function.body.block, machine)
    return {n.loop: _cycles_of(n, root, machine, Estimate(), {}) for n in root.inside if n.loop is not None}


def _cycles_of(nest: _Loop, root: _Loop, machine: Machine, total: Estimate, distances: Mapping[SSAValue, int]) -> float:
    """What a nest takes; `total` learns the parts of computing and bringing.

    Lines arrive while the core computes, but what is spilled goes the way that lines come.
    """
    before = total.parts.get("spilling", 0.0)
    computed = nest.compute(total)
    spilling = total.parts.get("spilling", 0.0) - before
    levels = _levels(machine)
    for level in levels:
        total.brought.setdefault(level.name, 0.0)
    at_a_time: dict[tuple[_Level, Bursts], float] = {}
    for level, cycles, bursts in _arrivals(nest, root.bytes_of_iteration, levels, machine, distances):
        total.brought[level.name] += cycles
        at_a_time[level, bursts] = at_a_time.get((level, bursts), 0.0) + cycles
    waits = (bursts.waiting(cycles, computed, level.latency) for (level, bursts), cycles in at_a_time.items())
    total.waiting += (waiting := sum(waits))
    return max(side_by_side(computed, sum(at_a_time.values()) + spilling), computed + waiting)


@dataclass(frozen=True)
class _Level:
    """A level of the memory beyond the first cache."""

    name: str
    number: int
    """Of the cache that lines go to from there."""
    nearer_bytes: int
    """The size of that cache."""
    read: float
    write: float
    """Bytes per cycle."""
    latency: float


def _levels(machine: Machine) -> tuple[_Level, ...]:
    memory, last = machine.memory, max(machine.l2_bytes, machine.l3_bytes)
    return (
        _Level("L2", 1, machine.l1_bytes, memory.l2_read, memory.l2_write, memory.l2_latency),
        _Level("L3", 2, machine.l2_bytes, memory.l3_read, memory.l3_write, memory.l3_latency),
        _Level("memory", 3, last, memory.memory_read, memory.memory_write, memory.memory_latency),
    )


def _arrivals(
    nest: _Loop, everything: int, levels: Sequence[_Level], machine: Machine, distances: Mapping[SSAValue, int]
) -> Iterator[tuple[_Level, float, Bursts]]:
    """What comes to a nest, buffer by buffer: from which level, for how many cycles lines are on their way, or changed
    ones back, and when.

    `everything` is the size of all that the function touches: what a cache holds is there when the function is called.
    """
    missed: list[Mapping[SSAValue, float]] = []
    for level in levels:
        found = nest.missed(level.nearer_bytes) if max(everything, *distances.values(), 0) > level.nearer_bytes else {}
        missed.append({b: n for b, n in found.items() if max(everything, distances.get(b, 0)) > level.nearer_bytes})
    for level, here, beyond in zip(levels, missed, [*missed[1:], {}], strict=True):
        bursts = nest.bursts(level.nearer_bytes, nest.fetches_into(level.number)) if here else {}
        # The main memory has no more for several cores than for one.
        share = nest.share if level.name != "memory" else 1.0
        for buffer, lines in here.items():
            size = max(lines - beyond.get(buffer, 0.0), 0.0) * machine.memory.line_bytes * share
            if nest.stores_to(buffer):  # which wait in a queue of their own until their lines are there
                yield level, size / level.read + size / level.write, Bursts()
            else:
                yield level, size / level.read, bursts[buffer]


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
        self._own_fetches = [op for op in ops if isinstance(op, PrefetchOp)]
        self._fetches: dict[SSAValue, list[PrefetchOp]] = {}
        for op in self._own_fetches:
            self._fetches.setdefault(base_of(op.memref), []).append(op)
        for each in found:
            for buffer, places in each._places.items():
                self._places.setdefault(buffer, []).extend(places)
            for buffer, fetches in each._fetches.items():
                self._fetches.setdefault(buffer, []).extend(fetches)
        self.cycles = 0.0
        """Of all iterations, computing alone; `compute` finds it."""
        self._own_cycles = 0.0

    @cached_property
    def threads(self) -> int:
        """How many threads share the iterations.

        In an iteration of a loop that is shared all threads are at work: one within it runs where it is met.
        """
        if self.loop is None or not _is_spread(self.loop) or any(map(_is_spread, enclosing_loops(self.loop))):
            return 1
        return max(1, min(self._machine.cores, self._tasks, self.loop.most_threads or self._tasks))

    @cached_property
    def _tasks(self) -> int:
        """How many iterations are handed to threads: those of loops that are spread with this one are, too."""
        return prod(len(each.range) for each in self.loop.spread_with) if self.loop is not None else 1

    @cached_property
    def trips_of_one(self) -> float:
        """The iterations of the thread that runs most of them; a part of one if it shares that with others."""
        if self.threads == 1:
            return self.trips
        return -(-self._tasks // self.threads) * self.trips / self._tasks

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

    def missed(self, capacity: int) -> dict[SSAValue, float]:
        """The lines that a cache of `capacity` bytes has to fetch, by buffer."""
        if self._is_held_by(capacity):
            return {buffer: float(lines) for buffer, lines in self._lines_of_all.items()}
        each: dict[SSAValue, float] = {b: float(n) for b, n in self._lines(self._own_places, frozenset()).items()}
        for loop in self.inside:
            for buffer, lines in loop.missed(capacity).items():
                each[buffer] = each.get(buffer, 0.0) + lines
        return {buffer: lines * self.trips for buffer, lines in each.items()}

    def stores_to(self, buffer: SSAValue) -> bool:
        """Whether it writes to a buffer."""
        return any(place.is_store for place in self._places[buffer])

    def fetches_into(self, level: int) -> dict[SSAValue, list[PrefetchOp]]:
        """The prefetches of each buffer that bring lines into the cache of a level, or a nearer one."""
        near = {b: [op for op in fetches if op.level.value.data <= level] for b, fetches in self._fetches.items()}
        return {buffer: fetches for buffer, fetches in near.items() if fetches}

    def bursts(self, capacity: int, fetches: Mapping[SSAValue, Sequence[PrefetchOp]]) -> dict[SSAValue, Bursts]:
        """When lines of each buffer arrive that a cache of `capacity` bytes lacks: where they are asked for, by one of
        `fetches` or else by who reads them."""
        is_held = self._is_held_by(capacity)
        whole = self._own_cycles + sum(loop.cycles for loop in self.inside)
        # What is read beside loops is there in time: a core looks some hundred instructions ahead.
        found = {buffer: Bursts() for buffer in self._own_places if buffer not in fetches}
        found |= {base_of(op.memref): Bursts() for op in self._own_fetches if op in fetches.get(base_of(op.memref), ())}
        for loop in self.inside:
            share = loop.cycles / whole if whole else 1.0
            for buffer, each in loop.bursts(capacity, fetches).items():
                if buffer not in found:
                    found[buffer] = each.within(share)
                elif not is_held:
                    found[buffer] = found[buffer].and_also(each.within(share))
        return {
            buffer: each.in_first_of(max(self.trips_of_one, 1.0))
            if is_held and not self._moves_on_in(buffer, fetches.get(buffer))
            else each.in_each_of(max(self.trips_of_one, 1.0))
            for buffer, each in found.items()
        }

    def _is_held_by(self, capacity: int) -> bool:
        """Whether what an iteration touches is still there in the next one."""
        return not self.is_body and self.bytes_of_iteration <= capacity

    def _moves_on_in(self, buffer: SSAValue, fetches: Sequence[PrefetchOp] | None) -> bool:
        """Whether each iteration reads, or asks for, other places of a buffer."""
        if fetches is not None:
            return any(not self.counters.isdisjoint(op.indices) for op in fetches)
        return any(not self.counters.isdisjoint(place.counters) for place in self._places[buffer])

    @cached_property
    def _work(self) -> BlockWork:
        return work_of_block(self._block, self._machine)

    def _rounds(self, lanes: int) -> float:
        """How often one thread computes what the loop holds, for so many iterations at a time."""
        return self.trips_of_one if self.trips_of_one % 1 else -(-self.trips_of_one // lanes)

    def compute(self, total: Estimate, times: float = 1) -> float:
        """The cycles of all iterations that one thread runs, on a core that has all in its first cache.

        `total` learns what they are spent on, `times` over.
        """
        entered = times
        parts = self._work.work.cycles(self._machine)
        busy = max(parts.values())
        if self.inside:
            # What stands after a loop that carries values begins when these are there.
            own = max(busy, self._work.path) if any(loop.is_waited_for for loop in self.inside) else busy
            lanes = self._work.side_by_side if all(each._work.side_by_side == 1 for each in self.inside) else 1
            rounds = self._rounds(lanes)
            times = entered * rounds
            cycles = rounds * (own + sum(loop.compute(total, times) for loop in self.inside))
            self._own_cycles = own
            parts["late results"] = own - busy
            computed = {"around": own}
        else:
            rounds = self._rounds(self._work.side_by_side)
            times = entered * rounds
            spilling = self._work.spilling(self._machine)
            each = max(busy, self._work.chain, 0.0 if self.is_body else 1.0)  # one jump per cycle
            last = max(self._work.path - each, 0.0) if self.is_waited_for else 0.0
            cycles = rounds * (each + spilling) + last
            longest = max(parts, key=lambda name: parts[name])
            parts["late results"] = each - busy + last / max(rounds, 1)
            parts["spilling"] = spilling
            computed = {name: parts[name] for name in (longest, "late results", "spilling")}
        for told, found in ((total.parts, parts), (total.computed, computed)):
            for name, amount in found.items():
                told[name] = told.get(name, 0.0) + amount * times
        total.spilled = max(total.spilled, self._work.spilled)
        self.cycles = cycles + self._sharing(total, entered)
        return self.cycles

    def _sharing(self, total: Estimate, entered: float) -> float:
        """The cycles that it takes to hand the iterations to threads, if there are others."""
        if self.threads == 1:
            return 0.0
        cycles = self._machine.threading.fork_join_ns * self._machine.frequency_mhz / 1000
        for told in (total.parts, total.computed):
            told["sharing"] = told.get("sharing", 0.0) + cycles * entered
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
