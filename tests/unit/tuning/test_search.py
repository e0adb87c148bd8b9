"""The search itself, with a clock and measurements that are made up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

import pytest

from mlc.compiler.compilation import new_context
from mlc.dialects.loop.steps import Step
from mlc.schedules.records.kernel_key import KernelKey
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.schedules.steps.clang import Clang
from mlc.schedules.steps.threads import Threads
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.support.context import CompilerContext
from mlc.tuning.comparison import Comparison, together
from mlc.tuning.examination import examine
from mlc.tuning.isolated import Failure
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import ENOUGH, LearnedRanker
from mlc.tuning.tuner import Tuner
from mlc.tuning.work import Answer, Build, Lost, Site, Work

_MACHINE = TunedMachine("test", "test", "0", 1, 3)
_KEY = KernelKey("exact", "kind", (8, 200), "map(m: 8, n: 200)", ("x",))


class _Clock:
    """Advances by what is measured."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class _Bench:
    """Schedules whose time follows from the size of their tile: 64 is best. 13 is wrong, and 17 does not compile."""

    rules: Schedule = (Tile("n", 16),)

    def __init__(self, clock: _Clock, cost: float = 1.0) -> None:
        self.clock, self.cost = clock, cost
        self.compared: list[str] = []
        self.built: set[Schedule] = {self.rules}

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


class _Executor:
    """Places that answer at once, from the benches of kernels; the names of some are in `broken`: these lose work.

    Attributes:
        in_model: the ratio in the whole model, by the schedule.
    """

    def __init__(self, benches: Mapping[str, _Bench], ctx: CompilerContext, names: Sequence[str] = ("",)) -> None:
        self.benches, self.ctx = benches, ctx
        self.places = {name: Site(name, _MACHINE, 2, ()) for name in names}
        self.running: list[tuple[Site, Work]] = []
        self.broken: set[str] = set()
        self.in_model: Callable[[Schedule], float] | None = None
        self.asked: list[tuple[str, Work]] = []

    def sites(self) -> Sequence[Site]:
        return list(self.places.values())

    def start(self, site: Site, work: Work) -> None:
        assert all(site is not other for other, _ in self.running)
        self.asked.append((site.name, work))
        self.running.append((site, work))

    def wait(self, seconds: float) -> Sequence[tuple[Site, Work, Answer]]:
        done = [(site, work, self._answer(site, work)) for site, work in self.running]
        self.running = []
        return done

    def _answer(self, site: Site, work: Work) -> Answer:
        if site.name in self.broken:
            del self.places[site.name]
            return Lost(f"{site.name} is gone")
        bench = self.benches[work.kernel]
        if isinstance(work, Build):
            return tuple(bench.build([parse_schedule(text, self.ctx) for text in work.schedules]))
        candidate, best = (parse_schedule(text, self.ctx) for text in (work.schedule, work.best))
        *_, found = examine(bench, candidate, best, self._check if self.in_model else None, bench.cost)
        return found

    def _check(self, schedule: Schedule) -> Comparison | Failure:
        assert self.in_model is not None
        ratio = self.in_model(schedule)
        return Comparison(2 * ratio, 2.0, ratio, 0.001)


def _draw(steps: Schedule) -> Step | None:
    return Unroll("m") if steps else Tile("n", 8)


def _search(bench: _Bench, name: str = "kernel", seed: int = 0, calls: int = 1) -> KernelSearch:
    mutator = Mutator(Random(seed), 8, _draw)
    return KernelSearch(name, _KEY, calls, bench.rules, bench.seconds(bench.rules), mutator)


def _tuner(searches: Mapping[str, tuple[_Bench, KernelSearch]], *names: str) -> tuple[Tuner, _Executor, list[Record]]:
    records: list[Record] = []
    ctx = new_context()
    benches = {name: bench for name, (bench, _) in searches.items()}
    executor = _Executor(benches, ctx, names or ("",))
    all_of_them = [search for _, search in searches.values()]
    clock = next(iter(benches.values())).clock
    return Tuner(executor, lambda _: all_of_them, ctx, records.append, clock=clock), executor, records


def _one(seed: int = 0) -> tuple[_Bench, KernelSearch, Tuner, _Executor, list[Record]]:
    bench = _Bench(_Clock())
    search = _search(bench, seed=seed)
    return bench, search, *_tuner({"kernel": (bench, search)})


def test_numbers_of_mutations_are_those_that_a_step_may_have() -> None:
    mutator = Mutator(Random(0), 8, lambda _: Clang(1))
    schedules = [mutator.propose([(Clang(3), Tile("n", 2), Threads("m", 1))]) for _ in range(400)]
    steps = [step for schedule in schedules for step in schedule or ()]
    assert {step.level for step in steps if isinstance(step, Clang)} == {0, 1, 2, 3}
    assert len({step.limit for step in steps if isinstance(step, Threads)}) > 2


def test_a_search_finds_what_is_faster_and_confirms_it() -> None:
    _, search, tuner, _, records = _one()
    tuner.run(200)
    assert "tile(n, 64)" in schedule_text(search.best)
    assert search.ratio == pytest.approx(1.0 / 1.75)
    confirmed = [r for r in records if r.confirmed]
    assert confirmed[-1].schedule == schedule_text(search.best)
    assert all(r.beside == "tile(n, 16)" for r in confirmed)
    assert confirmed[-1].ratio == pytest.approx(search.ratio, rel=1e-4)


def test_what_is_no_gain_in_the_whole_model_is_kept_and_marked() -> None:
    _, search, tuner, executor, records = _one()
    search.waiting = [(Tile("n", 64),)]
    executor.in_model = lambda schedule: 1.03 if "tile(n, 64)" in schedule_text(schedule) else 0.9
    tuner.run(200)
    assert {(r.schedule, r.helps, r.model_ratio) for r in records if "tile(n, 64)" in r.schedule and r.confirmed} >= {
        ("tile(n, 64)", False, 1.03)
    }
    assert "tile(n, 64)" not in schedule_text(search.best) and search.ratio < 0.95
    assert search.useless >= 1
    assert all(r.model_ratio is not None for r in records if r.confirmed and (r.ratio or 1) < 0.95)


def test_nothing_is_measured_twice() -> None:
    bench, search, tuner, _, _ = _one()
    search.know(["tile(n, 32)"])
    tuner.run(200)
    assert len(bench.compared) > 20
    assert len(set(bench.compared)) == len(bench.compared)
    assert "tile(n, 32)" not in bench.compared


def test_what_the_loops_refuse_is_not_even_built() -> None:
    bench, search, tuner, _, _ = _one()
    search.refusal = lambda schedule: "no" if any(isinstance(step, Unroll) for step in schedule) else None
    tuner.run(100)
    assert search.refused > 0
    assert not any(isinstance(step, Unroll) for schedule in bench.built for step in schedule)


def test_a_seed_fixes_the_search() -> None:
    def run(seed: int) -> list[tuple[str, float | None]]:
        _, _, tuner, _, records = _one(seed)
        tuner.run(60)
        return [(r.schedule, r.ratio) for r in records]

    assert run(1) == run(1)
    assert run(1) != run(2)


def test_what_is_wrong_or_refused_is_recorded_and_never_best() -> None:
    _, search, tuner, _, records = _one()
    search.waiting = [(Tile("n", 13),), (Tile("n", 17),)]
    tuner.run(20)
    dropped = {r.schedule: (r.outcome, r.reason) for r in records if r.outcome != "ok"}
    assert dropped["tile(n, 13)"] == ("wrong", "13")
    assert dropped["tile(n, 17)"] == ("refused", "17")
    assert search.dropped == len(dropped)


def test_the_budget_goes_where_the_time_is() -> None:
    clock = _Clock()
    slow, fast = _Bench(clock, 5.0), _Bench(clock)
    large, small = _search(slow, "large", 1, calls=10), _search(fast, "small", 2)
    tuner, _, _ = _tuner({"small": (fast, small), "large": (slow, large)})
    tuner.run(60)
    assert large.tried > 3 * max(small.tried, 1)


def test_the_budget_is_kept() -> None:
    bench, _, tuner, _, _ = _one()
    tuner.run(10)
    assert 10 <= bench.clock.now < 13


def test_an_interrupt_keeps_what_was_measured() -> None:
    _, _, tuner, _, records = _one()

    def keep(record: Record) -> None:
        records.append(record)
        if len(records) == 5:
            raise KeyboardInterrupt

    tuner.keep = keep
    with pytest.raises(KeyboardInterrupt):
        tuner.run(100)
    assert len(records) == 5


def test_what_a_lost_place_was_busy_with_is_tried_elsewhere() -> None:
    bench = _Bench(_Clock())
    search = _search(bench)
    tuner, executor, records = _tuner({"kernel": (bench, search)}, "good", "bad")
    told: list[str] = []
    tuner.lost = told.append
    executor.broken = {"bad"}
    tuner.run(60)
    assert told == ["bad is gone"] and list(executor.places) == ["good"]
    (lost,) = (work for name, work in executor.asked if name == "bad")
    assert isinstance(lost, Build)
    assert set(lost.schedules) <= {r.schedule for r in records}
    assert {r.worker for r in records} == {"good"}


def test_a_candidate_that_ends_every_place_is_dropped() -> None:
    bench = _Bench(_Clock())
    search = _search(bench)
    tuner, executor, records = _tuner({"kernel": (bench, search)}, "one", "two", "three")
    bad = (Tile("n", 48),)
    search.waiting = [bad]
    answer = executor._answer  # pyright: ignore[reportPrivateUsage]

    def dies(site: Site, work: Work) -> Answer:
        if "tile(n, 48)" in (work.schedules if isinstance(work, Build) else (work.schedule,)):
            executor.broken.add(site.name)
        return answer(site, work)

    executor._answer = dies  # pyright: ignore[reportPrivateUsage]
    tuner.run(40)
    assert len(executor.places) == 1
    dropped = {r.schedule: (r.outcome, r.reason) for r in records if r.outcome != "ok"}
    assert dropped["tile(n, 48)"] == ("crash", "2 workers were lost with it")


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


@pytest.mark.slow
def test_a_learned_model_is_judged_by_what_it_has_not_seen() -> None:
    pytest.importorskip("sklearn")
    bench, learns, guesses = _Bench(_Clock()), LearnedRanker(_KEY), LearnedRanker(_KEY)
    rng = Random(0)
    for size in range(4, 4 + ENOUGH - 1):
        learns.add((Tile("n", size),), bench.seconds((Tile("n", size),)))
    assert learns.held_out_correlation() is None  # not enough yet
    for size in range(100, 200):
        learns.add((Tile("n", size),), bench.seconds((Tile("n", size),)))
        guesses.add((Tile("n", size),), rng.uniform(0.5, 2))
    found, by_chance = learns.held_out_correlation(), guesses.held_out_correlation()
    assert found is not None and found > 0.95
    assert by_chance is not None and abs(by_chance) < 0.4
    assert learns.measurements == ENOUGH - 1 + 100


def test_processes_that_disagree_make_noise() -> None:
    def of(*ratios: float) -> Comparison:
        return together([Comparison(ratio, 1.0, ratio, 0.001) for ratio in ratios])

    assert of(0.95, 0.95, 0.96, 0.95).is_won
    assert not of(0.9, 0.95, 1.04, 0.96).is_won
    assert of(0.9, 0.8, 0.7) == Comparison(0.7, 1.0, 0.8, pytest.approx(0.1 / 3**0.5))  # pyright: ignore[reportArgumentType]
