"""The search itself, with a clock and measurements that are made up."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest

from mlc.dialects.loop.steps import Step
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.loop.steps.unroll import Unroll
from mlc.tuning.isolated import Failure
from mlc.tuning.kernel_key import KernelKey
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import ENOUGH, LearnedRanker
from mlc.tuning.record import Record, TunedMachine
from mlc.tuning.schedule_texts import Schedule, schedule_text
from mlc.tuning.tuner import Tuner
from mlc.tuning.workbench import Comparison, together

_MACHINE = TunedMachine("test", "test", "0", 1, 3)
_KEY = KernelKey("exact", "kind", (8, 200), "map(m: 8, n: 200)", ("x",))


class _Clock:
    """Advances by what is measured."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class _Bench:
    """Schedules whose time follows from the size of their tile: 64 is best. 13 is wrong, and 17 is refused."""

    def __init__(self, clock: _Clock, cost: float = 1.0) -> None:
        self.clock, self.cost = clock, cost
        self.compared: list[str] = []
        self.built: set[Schedule] = set()

    def seconds(self, schedule: Schedule) -> float:
        sizes = [step.size for step in schedule if isinstance(step, Tile)]
        return self.cost * (2.0 if not sizes else 1.0 + abs(sizes[0] - 64) / 64)

    def build(self, schedules: Sequence[Schedule]) -> list[Failure | None]:
        self.clock.now += 0.5
        self.built.update(schedules)
        return [Failure("refused", "17") if "17" in schedule_text(s) else None for s in schedules]

    def compare(self, one: Schedule, other: Schedule, thorough: bool = False) -> Comparison | Failure:
        assert one in self.built
        self.clock.now += 0.5
        if not thorough:
            self.compared.append(schedule_text(one))
        if "13" in schedule_text(one):
            return Failure("wrong", "13")
        a, b = self.seconds(one), self.seconds(other)
        return Comparison(a, b, a / b, 0.001)

    def drop(self, schedule: Schedule) -> None:
        self.built.discard(schedule)


def _draw(steps: Schedule) -> Step | None:
    return Unroll("m") if steps else Tile("n", 8)


def _search(clock: _Clock, name: str = "kernel", seed: int = 0, calls: int = 1, cost: float = 1.0) -> KernelSearch:
    rules = (Tile("n", 16),)
    bench = _Bench(clock, cost)
    bench.built.add(rules)
    mutator = Mutator(Random(seed), 8, _draw)
    return KernelSearch(name, _KEY, calls, bench, rules, bench.seconds(rules), mutator)


def _tune(searches: Sequence[KernelSearch], clock: _Clock, seconds: float) -> list[Record]:
    records: list[Record] = []
    Tuner(searches, _MACHINE, records.append, jobs=2, clock=clock).run(seconds)
    return records


def test_a_search_finds_what_is_faster_and_confirms_it() -> None:
    search = _search(clock := _Clock())
    records = _tune([search], clock, 200)
    assert "tile(n, 64)" in schedule_text(search.best)
    assert search.ratio == pytest.approx(1.0 / 1.75)
    confirmed = [r for r in records if r.confirmed]
    assert confirmed[-1].schedule == schedule_text(search.best)
    assert all(r.beside == "tile(n, 16)" for r in confirmed)
    assert confirmed[-1].ratio == pytest.approx(search.ratio, rel=1e-4)


def test_nothing_is_measured_twice() -> None:
    search = _search(clock := _Clock())
    search.know(["tile(n, 32)"])
    _tune([search], clock, 200)
    assert isinstance(search.bench, _Bench)
    compared = search.bench.compared
    assert len(compared) > 20
    assert len(set(compared)) == len(compared)
    assert "tile(n, 32)" not in compared


def test_a_seed_fixes_the_search() -> None:
    def run(seed: int) -> list[tuple[str, float | None]]:
        clock = _Clock()
        return [(r.schedule, r.ratio) for r in _tune([_search(clock, seed=seed)], clock, 60)]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_what_is_wrong_or_refused_is_recorded_and_never_best() -> None:
    search = _search(clock := _Clock())
    search.waiting = [(Tile("n", 13),), (Tile("n", 17),)]
    records = _tune([search], clock, 20)
    dropped = {r.schedule: (r.outcome, r.reason) for r in records if r.outcome != "ok"}
    assert dropped["tile(n, 13)"] == ("wrong", "13")
    assert dropped["tile(n, 17)"] == ("refused", "17")
    assert search.dropped == len(dropped)


def test_the_budget_goes_where_the_time_is() -> None:
    clock = _Clock()
    large, small = _search(clock, "large", 1, calls=10, cost=5.0), _search(clock, "small", 2)
    _tune([small, large], clock, 60)
    assert large.tried > 3 * max(small.tried, 1)


def test_the_budget_is_kept() -> None:
    clock = _Clock()
    _tune([_search(clock)], clock, 10)
    assert 10 <= clock.now < 13


def test_an_interrupt_keeps_what_was_measured() -> None:
    search, records = _search(clock := _Clock()), list[Record]()

    def keep(record: Record) -> None:
        records.append(record)
        if len(records) == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Tuner([search], _MACHINE, keep, clock=clock).run(100)
    assert len(records) == 5


@pytest.mark.slow
def test_a_learned_model_knows_which_sizes_are_good() -> None:
    pytest.importorskip("sklearn")
    ranker, bench = LearnedRanker(_KEY), _Bench(_Clock())
    sizes = [4 * i for i in range(1, 40)]
    for size in sizes[: ENOUGH - 1]:
        ranker.add((Tile("n", size),), bench.seconds((Tile("n", size),)))
    assert ranker.estimates([(Tile("n", 8),)]) is None  # not enough yet
    for size in sizes[ENOUGH - 1 :]:
        ranker.add((Tile("n", size),), bench.seconds((Tile("n", size),)))
    estimates = ranker.estimates([(Tile("n", 62),), (Tile("n", 10),)])
    assert estimates is not None and estimates[0] < estimates[1]


def test_processes_that_disagree_make_noise() -> None:
    def of(*ratios: float) -> Comparison:
        return together([Comparison(ratio, 1.0, ratio, 0.001) for ratio in ratios])

    assert of(0.95, 0.95, 0.96, 0.95).is_won
    assert not of(0.9, 0.95, 1.04, 0.96).is_won
    assert of(0.9, 0.8, 0.7) == Comparison(0.7, 1.0, 0.8, pytest.approx(0.1 / 3**0.5))  # pyright: ignore[reportArgumentType]
