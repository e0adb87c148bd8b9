"""What rules and estimates know of a machine, in numbers, and where each number comes from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from math import gcd
from typing import Any, Literal, cast

from mlc.support.errors import CompilerBug

SourceKind = Literal["measured", "sysfs", "manual", "LLVM", "assumed"]


@dataclass(frozen=True)
class FactSource:
    """Where a number comes from."""

    kind: SourceKind
    detail: str = ""
    """Of a manual its title; of what is measured when; of what is assumed why."""

    def __str__(self) -> str:
        words = "LLVM's scheduling model" if self.kind == "LLVM" else self.kind
        return f"{words}: {self.detail}" if self.detail else words


def _fact(default: float, unit: str, words: str, step: float = 1, least: float = 0) -> Any:
    """A field that is a fact.

    Args:
        default: for a machine of which nothing else is known.
        step: the differences that rules can see. What is measured is rounded to it, so that two measurements of one
            machine give the same code; 0 rounds to powers of two, and to halves of them.
        least: the smallest number that makes sense.
    """
    return field(default=default, metadata={"unit": unit, "words": words, "step": step, "least": least})


@dataclass(frozen=True)
class Issue:
    """What a core starts per cycle on full vectors, and how long it takes. 0 of an instruction that does not exist."""

    fma_units: int = _fact(2, "per cycle", "multiply-adds of f32", least=1)
    fma_latency: int = _fact(4, "cycles", "from one of them to one that needs its result", least=1)
    loads: int = _fact(2, "per cycle", "loads from the first cache", least=1)
    l2_loads: float = _fact(
        0.625, "per cycle", "loads from the second cache, as far as one may count on it", 0.25, least=0.25
    )
    late: float = _fact(
        0.0, "cycles", "lost by a loop of no more multiply-adds than are in flight; 0 where not measured", 0.25
    )
    adds: int = _fact(2, "per cycle", "additions of f32", least=1)
    add_latency: int = _fact(4, "cycles", "from one of them to one that needs its result", least=1)
    f64_fma_units: int = _fact(2, "per cycle", "multiply-adds of f64")
    f64_fma_latency: int = _fact(4, "cycles", "from one of them to one that needs its result")
    f16_fma_units: int = _fact(0, "per cycle", "multiply-adds of f16")
    bf16_dots: float = _fact(0.0, "per cycle", "dot products of pairs of bf16, added to f32", 0.5)
    i16_dots: float = _fact(
        1.0, "per cycle", "dot products of pairs of i16, added to i32, in whatever instructions", 0.5, 0.5
    )
    i8_dots: int = _fact(0, "per cycle", "dot products of fours of i8, added to i32")
    i8_outer_dots: int = _fact(0, "per cycle", "products of two rows with two columns of eights of i8, added to i32")
    bf16_outer_dots: float = _fact(
        0.0, "per cycle", "products of two rows with two columns of fours of bf16, added to f32", 0.5
    )
    mma_cycles: int = _fact(0, "cycles", "between products of matrices that fill registers")
    mma_latency: int = _fact(0, "cycles", "from one of them to one that adds to its result")
    mma_awake: int = _fact(
        0, "cycles", "after a store of a matrix, until the next one waits longer than others; 0 where none does", 0
    )
    stores: float = _fact(1.0, "per cycle", "stores to the first cache", 0.5, least=0.5)
    shuffles: float = _fact(1.0, "per cycle", "shuffles of two vectors", 0.5, least=0.5)
    gather_cycles: int = _fact(16, "cycles", "between gathers of a vector of f32", 0)
    pair_cycles: int = _fact(0, "cycles", "between loads of two vectors at once; 0 where they are as two loads")


@dataclass(frozen=True)
class Memory:
    """Caches beyond their sizes, and what arrives from each level on one core."""

    line_bytes: int = _fact(64, "B", "fetched at a time", least=16)
    l1_ways: int = _fact(8, "lines", "of the first cache that one set holds", least=1)
    set_period: int = _fact(4096, "B", "between places that fall on the same set of the first cache", least=64)
    l1_read: float = _fact(64.0, "B/cycle", "read from the first cache", 0)
    l2_read: float = _fact(32.0, "B/cycle", "read from the second cache", 0)
    l3_read: float = _fact(12.0, "B/cycle", "read from the last cache", 0)
    memory_read: float = _fact(4.0, "B/cycle", "read from the main memory", 0)
    l1_write: float = _fact(32.0, "B/cycle", "written to the first cache", 0)
    l2_write: float = _fact(16.0, "B/cycle", "written to the second cache", 0)
    l3_write: float = _fact(8.0, "B/cycle", "written to the last cache", 0)
    memory_write: float = _fact(3.0, "B/cycle", "written to the main memory", 0)
    l1_latency: int = _fact(4, "cycles", "until an address from the first cache can be used", least=1)
    l2_latency: int = _fact(14, "cycles", "from the second cache", least=1)
    l3_latency: int = _fact(48, "cycles", "from the last cache", 0, least=1)
    memory_latency: int = _fact(384, "cycles", "from the main memory", 0, least=1)

    def sets_of(self, step: int) -> int:
        """On how many sets of the first cache lines fall that are `step` bytes apart."""
        return self.set_period // gcd(step, self.set_period)


@dataclass(frozen=True)
class ThreadCosts:
    """What it costs to have others help."""

    fork_join_ns: int = _fact(1000, "ns", "to share a loop with threads that are awake", 0, least=250)
    wake_ns: int = _fact(64_000, "ns", "to share a loop with threads that sleep", 0, least=250)


@dataclass(frozen=True)
class CacheSizes:
    """The sizes of the data caches and the clock, under the names that they have in `Machine`."""

    l1_bytes: int = _fact(32 << 10, "B", "of the first data cache of one core", least=1)
    l2_bytes: int = _fact(512 << 10, "B", "of the second cache of one core", least=0)
    l3_bytes: int = _fact(0, "B", "of the last cache that one core reaches; 0 where there is none")
    frequency_mhz: int = _fact(3000, "MHz", "of a core that multiplies", 200, least=200)


@dataclass(frozen=True)
class Fact:
    """A kind of number."""

    name: str
    group: str
    """The field of `Machine` that holds it; "" for a field of `Machine` itself."""
    default: float
    unit: str
    words: str
    step: float
    least: float
    is_whole: bool

    def rounded(self, value: float, before: float | None = None) -> float:
        """A measured value as rules use it; the one that was used `before` as long as it is not plainly another.

        Between two steps a measurement would fall now here, now there.
        """
        if before is not None and self._is_near(value, before):
            return self._typed(before)
        if self.step:
            steps = round(value / self.step)
            return self._typed(max(self.least, steps * self.step))
        return self._typed(max(self.least, _half_octave(value)))

    def _is_near(self, value: float, before: float) -> bool:
        """Whether a value is at most three quarters of a step from another one, where half a step decides else."""
        if self.step:
            return abs(value - before) <= 0.75 * self.step
        return before > 0 and before / 1.35 <= value <= before * 1.35

    def _typed(self, value: float) -> float:
        return round(value) if self.is_whole else float(value)


def _half_octave(value: float) -> float:
    """The nearest of 1, 1.5, 2, 3, 4, 6, 8, 12, …, and of such parts of 1."""
    if value <= 0:
        return 0.0
    candidates = [base * 2.0**e for e in range(-8, 32) for base in (1.0, 1.5)]
    return min(candidates, key=lambda c: max(c / value, value / c))


_GROUPS: dict[str, type] = {"": CacheSizes, "issue": Issue, "memory": Memory, "threading": ThreadCosts}


def _all_facts() -> Iterator[Fact]:
    for group, cls in _GROUPS.items():
        for each in fields(cls):
            default = cast(float, each.default)
            yield Fact(name=each.name, group=group, default=default, is_whole=each.type == "int", **each.metadata)


FACTS: Mapping[str, Fact] = {fact.name: fact for fact in _all_facts()}
"""All of them by name, in the order in which they are shown."""


def facts(
    *, l1_kib: int | None = None, l2_kib: int | None = None, l3_mib: int | None = None, **others: float
) -> dict[str, float]:
    """Numbers by the names of their facts, for a row of a table; caches in KiB and MiB.

    Raises:
        CompilerBug: there is no such fact.
    """
    sizes = (("l1_bytes", l1_kib, 1 << 10), ("l2_bytes", l2_kib, 1 << 10), ("l3_bytes", l3_mib, 1 << 20))
    found = {name: size * unit for name, size, unit in sizes if size is not None} | others
    if unknown := found.keys() - FACTS.keys():
        raise CompilerBug(f"there is no fact named {', '.join(sorted(unknown))}", "architectures/facts.py")
    return found
