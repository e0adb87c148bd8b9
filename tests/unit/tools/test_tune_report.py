"""The table at the end of a search, and what is said below it."""

from __future__ import annotations

from random import Random

import pytest

from mlc.passes.loop.steps.tile import Tile
from mlc.tools.tune_report import print_results
from mlc.tuning.kernel_key import KernelKey
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import LearnedRanker

_KEY = KernelKey("exact", "kind", (8, 200), "map(m: 8, n: 200)", ("x",))


def _search(name: str, seconds: float) -> KernelSearch:
    mutator = Mutator(Random(0), 8, lambda _: None)
    return KernelSearch(name, _KEY, 2, (Tile("n", 16),), seconds, mutator, LearnedRanker(_KEY))


def test_what_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    small, large = _search("small", 1e-6), _search("large", 2e-3)
    large.measured((Tile("n", 32),), 0.5, 1.0, is_best=True)
    small.failed()
    print_results([small, large])
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["large", "2", "2", "ms", "1", "ms", "2.00", "tile(n,", "32)"]
    assert lines[2].split() == ["small", "2", "1", "us", "1", "us", "1.00", "as", "by", "the", "rules"]
    assert lines[3:] == ["1 schedules measured, 1 dropped: refused by the loops, wrong, crashed or endless"]
    large.refused, large.repeated, small.useless = 7, 3, 2

    def correlation(self: LearnedRanker) -> float:
        return 0.875

    monkeypatch.setattr(LearnedRanker, "held_out_correlation", correlation)
    monkeypatch.setattr(LearnedRanker, "measurements", 40)
    print_results([small, large])
    assert capsys.readouterr().out.splitlines()[4:] == [
        "7 more that the loops do not allow were left out before anything was compiled",
        "3 more have the same loops as others, and were not measured again",
        "2 of those measured are faster alone, and not in the whole model: no compilation uses them",
        "rank correlation of the learned model with measurements that it had not seen: "
        "0.88 (large, of 40), 0.88 (small, of 40)",
    ]
