"""The table at the end of a search, and what is said below it."""

from __future__ import annotations

from random import Random

import pytest

from mlc.schedules.records.kernel_key import KernelKey
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.schedule_texts import Schedule, schedule_text
from mlc.schedules.steps.tile import Tile
from mlc.tools.tune_report import Board, print_results
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import LearnedRanker

_KEY = KernelKey("exact", "kind", (8, 200), "map(m: 8, n: 200)", ("x",))


def _search(name: str, seconds: float) -> KernelSearch:
    mutator = Mutator(Random(0), 8, lambda _: None)
    return KernelSearch(name, _KEY, 2, (Tile("n", 16),), seconds, mutator, LearnedRanker(_KEY))


def _record(search: KernelSearch, schedule: Schedule, ratio: float) -> Record:
    key, machine = search.key, TunedMachine("any", "any", "0", 1, 3)
    about = key.exact, key.kind, key.sizes, key.spelling, key.arguments
    return Record(*about, machine, schedule_text(schedule), "ok", ratio=ratio, confirmed=True, date="2026-01-31")


def test_what_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = _search("small", 1e-6), _search("large", 2e-3)
    large.measured((Tile("n", 32),), 0.5, 1.0, is_best=True)
    small.failed()

    def taken(search: KernelSearch) -> Record | None:
        return _record(large, large.best, 0.5) if search is large else None

    print_results([small, large], taken)
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["large", "2", "2", "ms", "1", "ms", "2.00", "yes", "tile(n,", "32)"]
    assert lines[2].split() == ["small", "2", "1", "us", "1", "us", "1.00", "-", "as", "by", "the", "rules"]
    assert lines[3:] == ["1 schedules measured, 1 dropped: refused by the loops, wrong, crashed or endless"]
    large.refused, large.repeated, small.useless = 7, 3, 2

    def correlation(self: LearnedRanker) -> float:
        return 0.875

    monkeypatch.setattr(LearnedRanker, "held_out_correlation", correlation)
    monkeypatch.setattr(LearnedRanker, "measurements", 40)
    print_results([small, large], taken)
    assert capsys.readouterr().out.splitlines()[4:] == [
        "7 more that the loops do not allow were left out before anything was compiled",
        "3 more have the same loops as others, and were not measured again",
        "2 of those measured are faster alone, and not in the whole model: no compilation uses them",
        "rank correlation of the learned model with measurements that it had not seen: "
        "0.88 (large, of 40), 0.88 (small, of 40)",
    ]


def test_the_table_says_what_compilations_use(capsys: pytest.CaptureFixture[str]) -> None:
    little, beaten, rules = _search("little", 3e-3), _search("beaten", 2e-3), _search("rules", 1e-3)
    little.measured((Tile("n", 32),), 0.97, 1.0, is_best=True)
    beaten.measured((Tile("n", 32),), 0.9, 1.0, is_best=True)
    earlier = {beaten.name: _record(beaten, (Tile("n", 64),), 0.5), rules.name: _record(rules, (Tile("n", 8),), 0.8)}
    print_results([little, beaten, rules], lambda search: earlier.get(search.name))
    _, *lines = capsys.readouterr().out.splitlines()
    assert [line.split()[7] for line in lines[:3]] == ["no", "other", "other"]
    assert lines[3:6] == [
        "not used: what saves less than 5% of the time; compilations keep to the rules there",
        "beaten: compilations use another record (2026-01-31, 2.00 times as fast as by the rules): tile(n, 64)",
        "rules: compilations use another record (2026-01-31, 1.25 times as fast as by the rules): tile(n, 8)",
    ]


def test_gains_are_told_as_they_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    search = _search("kernel", 1e-3)
    with Board(10) as board:
        board.show([search], search)
        for ratio in (0.97, 0.8):
            search.measured((Tile("n", 32),), ratio, 1.0, is_best=True)
            board.show([search], search)
    assert capsys.readouterr().err.splitlines() == [
        "kernel: 1.03 times as fast (too little to be used): tile(n, 32)",
        "kernel: 1.25 times as fast: tile(n, 32)",
    ]
