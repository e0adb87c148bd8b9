"""Measuring a machine: probes in rounds, and the facts that follow from their times.

Each round takes the best of a few calls of each probe, and of the clock beside it. A number is the median of the best
quarter of the rounds: whatever else runs on the machine makes calls longer, and a round that caught the clock at a bad
moment looks too good. How far that quarter is apart says how much a number can be trusted.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf

from mlc.architectures.facts import FACTS, FactSource
from mlc.targets import host
from mlc.targets.machine import Machine
from mlc.targets.machine_file import MEASURED, MachineFile, Measured
from mlc.tools.machine_probes import MEMORY_LEVELS, Probe, probes_of
from mlc.tools.probe_library import shortest

ROUNDS = 90
_BEST = 4
"""One of so many rounds counts."""
_TOO_GOOD = 20
"""One of so many looks better than it was: the clock beside it was disturbed."""
_UNSTEADY = {"ns": 1.0, "B/cycle": 0.4}
"""The spread from which on a fact is not used: of what has few steps to round to, more is allowed."""
_UNSTEADY_CYCLES = 0.12
_RATES = {
    "fma_units": "fma", "adds": "add", "f64_fma_units": "f64 fma", "f16_fma_units": "f16 fma", "i8_dots": "i8 dots",
    "i16_dots": "i16 dots", "bf16_dots": "bf16 dots", "loads": "loads", "stores": "stores", "shuffles": "shuffles",
    "i8_outer_dots": "i8 outer dots", "bf16_outer_dots": "bf16 outer dots",
    **{f"{level}_{way}": f"{way} {level}" for way in ("read", "write") for level in MEMORY_LEVELS},
}  # fmt: skip
"""Facts that say how many of what a probe does fit into a cycle."""
_CYCLES = {
    "mma_cycles": "mma", "mma_latency": "mma 1",
    "fma_latency": "fma 1", "add_latency": "add 1", "f64_fma_latency": "f64 fma 1", "gather_cycles": "gathers",
    **{f"{level}_latency": f"chase {level}" for level in MEMORY_LEVELS},
}  # fmt: skip
"""Facts that say how many cycles one of what a probe does takes."""
_MOST_SPREAD = 9.99
"""What is written of a spread that says nothing any more."""
_COUNTED_ON = 0.8
"""The part of what a stream of loads gets from the second cache that loads between multiply-adds are planned with."""
_SLOWER = 1.5
"""By how much loads take longer where a cache no longer holds what they read."""
_HELPED = 0.5
"""The part of a task that sharing it takes at most, if somebody came to help."""
_ABSENT = (
    "f16_fma_units", "i8_dots", "bf16_dots", "i8_outer_dots", "bf16_outer_dots", "mma_cycles", "mma_latency",
)  # fmt: skip
"""Facts of instructions that a CPU may not have."""


@dataclass
class Rounds:
    """What was seen of each probe in each round, in seconds for one unit of its work."""

    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def run(self, probes: Mapping[str, Probe], rounds: int, progress: Callable[[int], None] | None = None) -> None:
        """Measure all probes, one after the other, `rounds` times."""
        clock = probes["clock"]
        for done in range(rounds):
            for name, probe in probes.items():
                probe.prepare()
                before = shortest(clock.call, 2)
                seconds = shortest(probe.call, probe.batches) / probe.work
                cycle = min(before, shortest(clock.call, 2)) / clock.work
                self.seconds.setdefault(name, []).append(seconds)
                self.seconds.setdefault(f"clock beside {name}", []).append(cycle)
            if progress is not None:
                progress(done + 1)

    def cycles(self, name: str) -> list[float]:
        """The cycles of a unit of work, round by round."""
        return [s / c for s, c in zip(self.seconds[name], self.seconds[f"clock beside {name}"], strict=True)]

    def __contains__(self, name: str) -> bool:
        return name in self.seconds


def measure_machine(
    machine: Machine,
    before: MachineFile | None = None,
    rounds: int = ROUNDS,
    progress: Callable[[int], None] | None = None,
) -> dict[str, Measured]:
    """The facts of this machine, for code of `machine`.

    Args:
        before: what was measured earlier: a value between two steps is rounded to the one that was used.
        progress: is told how many rounds are done.

    Raises:
        UserError: there is no usable clang or linker.
    """
    seen = Rounds()
    seen.run(probes_of(machine), rounds, progress)
    found = facts_of(seen, machine)
    facts: dict[str, Measured] = {}
    for name in FACTS:
        if name in found:
            value, spread, source = found[name]
            old = before.facts[name].planned if before is not None and name in before.facts else None
            planned = FACTS[name].rounded(value, old) if spread <= unsteady_from(name) else None
            facts[name] = Measured(value, min(spread, _MOST_SPREAD), planned, source)
    return facts


def unsteady_from(name: str) -> float:
    """The spread from which on a fact is too unsteady to be used."""
    return _UNSTEADY.get(FACTS[name].unit, _UNSTEADY_CYCLES if FACTS[name].step else 0.4)


_Value = tuple[float, float, FactSource]
"""What was measured, its spread as a part of it, and how."""


def facts_of(seen: Rounds, machine: Machine) -> dict[str, _Value]:
    """The facts that follow from what was seen of the probes, by name."""
    found: dict[str, _Value] = {name: (0.0, 0.0, FactSource("sysfs", "not in its flags")) for name in _ABSENT}
    for name, probe in _RATES.items():
        if probe in seen:
            found[name] = _measured([1 / cycles for cycles in seen.cycles(probe)], more_is_better=True)
    for name, probe in _CYCLES.items():
        if probe in seen:
            found[name] = _measured(seen.cycles(probe))
    found["frequency_mhz"] = _measured([1e-6 / s for s in seen.seconds["clock beside fma"]], more_is_better=True)
    if "l2_read" in found:
        value, spread, source = found["l2_read"]
        found["l2_loads"] = _COUNTED_ON * value / (machine.vector_bits // 8), spread, source
    found |= dict(_late(seen, found))
    if "shared" in seen:
        found["fork_join_ns"] = _difference(seen, "shared", "alone")
        found["wake_ns"] = _difference(seen, "woken", "woken alone")
    return found | dict(_caches(seen, machine, found))


def _measured(values: list[float], more_is_better: bool = False) -> _Value:
    too_good = len(values) // _TOO_GOOD
    best = sorted(values, reverse=more_is_better)[too_good : too_good - (-len(values) // _BEST)]
    value = statistics.median(best)
    return value, (max(best) - min(best)) / value if value else 0.0, MEASURED


def _difference(seen: Rounds, together: str, alone: str) -> _Value:
    """The nanoseconds that a task takes longer where it is shared.

    Where the other core is busy nobody helps, and two tasks take twice as long: that is not a cost of threads.
    """
    least = _measured(seen.seconds[alone])[0]
    value, spread, source = _measured([max(1e9 * (s - least), 1.0) for s in seen.seconds[together]])
    return value, spread if value < _HELPED * 1e9 * least else inf, source


def _late(seen: Rounds, found: Mapping[str, _Value]) -> Iterator[tuple[str, _Value]]:
    """What a loop loses that has as many multiply-adds as are in flight, against a single chain.

    It is a small difference, so times are compared with times, whatever a cycle is.
    """
    count = round(found["fma_units"][0]) * round(found["fma_latency"][0])
    if f"fma {count}" in seen:
        together, alone = (_measured([chains * s for s in seen.seconds[f"fma {chains}"]]) for chains in (count, 1))
        lost = round(found["fma_latency"][0]) * (together[0] / alone[0] - 1)
        yield "late", (max(0.0, lost), max(together[1], alone[1]), MEASURED)


def _caches(seen: Rounds, machine: Machine, found: Mapping[str, _Value]) -> Iterator[tuple[str, _Value]]:
    """Sizes, lines and ways as the system says, and whether walks over memory agree."""
    for level, size in host.cache_bytes().items():
        name = f"l{level}"
        if f"chase {name} whole" not in seen:
            continue
        beyond = "memory_latency" if name == "l3" or not machine.l3_bytes else "l3_latency"
        limit = _SLOWER * found[f"{name}_latency"][0] if name != "l3" else found[beyond][0] / _SLOWER
        holds = min(seen.cycles(f"chase {name} whole")) < limit
        words = "a probe of three quarters of it agrees" if holds else "a probe of three quarters of it meets others"
        yield f"{name}_bytes", (size, 0.0, FactSource("sysfs", words))
    cache = host.first_cache()
    if cache is None or "chase ways" not in seen:
        return
    line, ways = cache
    # A neighbour on the same core takes lines away, but nobody makes lines fit that do not.
    one_set, two_sets = (min(seen.cycles(f"chase {name}")) for name in ("ways", "sets"))
    latency = found["l1_latency"][0]
    agrees = one_set < _SLOWER * latency and two_sets > _SLOWER * latency
    words = "a probe agrees" if agrees else "a probe sees something else"
    source, spread = FactSource("sysfs", words), 0.0 if agrees else 1.0
    yield "line_bytes", (line, 0.0, FactSource("sysfs"))
    yield "l1_ways", (ways, spread, source)
    yield "set_period", (machine.l1_bytes // ways, spread, source)
