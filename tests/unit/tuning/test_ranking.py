"""Models of time that are learnt from the loops of schedules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isfinite, log2
from random import Random

import pytest

from mlc.compiler.compilation import new_context
from mlc.dialects.loop.steps import Step, load_step, make_step, step_names
from mlc.schedules.records.kernel_key import KernelKey
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.schedule_texts import Schedule
from mlc.schedules.steps.tile import Tile
from mlc.support.rank_correlation import rank_correlation
from mlc.tuning.description import beside
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import ENOUGH, LearnedRanker, LoopModel, Measured, held_out
from mlc.tuning.step_features import step_features

_KEY = KernelKey("exact", "kind", (8, 200), "map(m: 8, n: 200)", ("x",))
_MACHINE = TunedMachine("test", "test", "0", 1, 3)
_RULES: Schedule = (Tile("n", 16),)


def _tile(size: int) -> Schedule:
    return (Tile("n", size),)


def _size(steps: Schedule) -> int:
    (step,) = steps
    assert isinstance(step, Tile)
    return step.size


def _describe(steps: Schedule) -> dict[str, float]:
    """An estimate that prefers large tiles, and the number that says where it is wrong: from 64 on."""
    size = _size(steps)
    return {"cycles": 10 - log2(size), "jumping": max(0.0, log2(size / 64))}


def _ratio(steps: Schedule) -> float:
    """Four times as long for each doubling beyond 64, which the estimate takes for half the time."""
    size = _size(steps)
    return 16 / size if size <= 64 else (size / 64) / 4


def _ranked(ranker: LearnedRanker, *sizes: int) -> list[int]:
    estimates = ranker.estimates([_tile(size) for size in sizes])
    assert estimates is not None
    return [size for _, size in sorted(zip(estimates, sizes, strict=True))]


def test_without_measurements_the_estimate_ranks() -> None:
    assert LearnedRanker(_KEY, _RULES).estimates([_tile(8)]) is None
    assert _ranked(LearnedRanker(_KEY, _RULES, _describe), 8, 256, 64) == [256, 64, 8]


def test_what_is_not_described_comes_last(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def describe(steps: Schedule) -> dict[str, float] | None:
        asked.append(_size(steps))
        return None if _size(steps) == 40 else _describe(steps)

    monkeypatch.setattr("mlc.tuning.ranking._DESCRIBED", 3)
    ranked = _ranked(LearnedRanker(_KEY, _RULES, describe), 4, 40, 32, 512, 256)
    assert ranked == [32, 4, 40, 512, 256]
    assert set(asked) == {4, 40, 32, 16}  # and that by the rules


@pytest.mark.slow
def test_trees_learn_where_the_estimate_is_wrong() -> None:
    pytest.importorskip("sklearn")
    ranker, rng = LearnedRanker(_KEY, _RULES, _describe), Random(0)
    for _ in range(60):
        steps = _tile(rng.randint(8, 512))
        ranker.add(steps, _ratio(steps))
    assert _ranked(ranker, 10, 64, 500)[0] == 64
    found = ranker.held_out_correlation()
    assert found is not None and found > 0.9
    analytic = rank_correlation(
        [_describe(_tile(n))["cycles"] for n in range(8, 512)], [_ratio(_tile(n)) for n in range(8, 512)]
    )
    assert analytic < 0


def _record(size: int, kind: str, loops: bool = True) -> Record:
    steps = _tile(size)
    numbers = beside(_describe(steps), _describe(_RULES)) if loops else None
    return Record(
        kind, kind, (4,), "", ("x",), _MACHINE, f"tile(n, {size})", "ok", ratio=_ratio(steps), loops=numbers
    )  # fmt: skip


@pytest.mark.slow
def test_other_kernels_teach_by_their_loops() -> None:
    pytest.importorskip("sklearn")
    sizes = range(8, 512, 8)
    taught, told_nothing = LearnedRanker(_KEY, _RULES, _describe), LearnedRanker(_KEY, _RULES, _describe)
    taught.learn([_record(size, "other") for size in sizes], new_context())
    told_nothing.learn([_record(size, "other", loops=False) for size in sizes], new_context())
    assert taught.measurements == told_nothing.measurements == 0
    assert _ranked(taught, 500, 64)[0] == 64
    assert _ranked(told_nothing, 500, 64)[0] == 500


@pytest.mark.slow
def test_old_records_teach_by_their_steps() -> None:
    pytest.importorskip("sklearn")
    ranker = LearnedRanker(KernelKey("exact", "kind", (4,), "", ("x",)))
    ranker.learn([_record(size, "kind", loops=False) for size in range(8, 512, 8)], new_context())
    assert ranker.measurements == 63 > ENOUGH
    assert _ranked(ranker, 500, 64)[0] == 64
    found = ranker.held_out_correlation()
    assert found is not None and found > 0.9


def test_equal_loops_are_left_out_together() -> None:
    measured = [Measured({"step": i}, {"cycles": float(i // 3)}, float(i)) for i in range(30)]
    seen: list[set[float]] = []

    def model(known: Sequence[Measured]) -> Callable[[Sequence[Measured]], list[float]]:
        values = {each.loops["cycles"] for each in known if each.loops}
        seen.append(values)

        def estimate(asked: Sequence[Measured]) -> list[float]:
            assert not values & {each.loops["cycles"] for each in asked if each.loops}
            return [each.ratio for each in asked]

        return estimate

    assert held_out(measured, model) == [each.ratio for each in measured]
    assert len(seen) == 5 and all(len(values) == 8 for values in seen)


def test_few_measurements_leave_the_estimate_as_it_is() -> None:
    model = LoopModel([Measured({}, {"cycles": 1.0}, 5.0)] * (ENOUGH - 1))
    assert model([{"cycles": 2.0}, {"cycles": -1.0}]) == [2.0, -1.0]


def test_loops_that_were_measured_are_not_measured_again() -> None:
    def fingerprint(steps: Schedule) -> str:
        return str(_size(steps) // 2)

    mutator = Mutator(Random(0), 8, lambda _: None)
    search = KernelSearch("kernel", _KEY, 1, _RULES, 1.0, mutator, fingerprint=fingerprint)
    search.waiting = [_tile(17), _tile(20), _tile(21), _tile(22)]
    assert [search.next(), search.next()] == [_tile(20), _tile(22)]  # 17 is as the rules, 21 as 20
    assert search.repeated == 2
    search.return_to(_tile(22))
    assert search.next() == _tile(22)
    assert search.refused == 0


@pytest.mark.parametrize("name", step_names())
def test_every_step_has_features(name: str) -> None:
    """With the least and the greatest of its numbers: the least of some is 0."""
    kind = load_step(name)
    assert issubclass(kind, Step)
    _, _, arguments = kind.example.rstrip(")").partition("(")
    for number in (kind.numbers[0], min(kind.numbers[-1], 64)):
        given = [number if a.isdigit() else a for a in arguments.split(", ") if a]
        found = step_features((make_step(name, given),), [8, 0])
        assert found["steps"] == 1 and all(isfinite(value) for value in found.values())
