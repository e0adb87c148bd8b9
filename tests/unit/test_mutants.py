"""The lists of `python -m tests.mutants` fit the sources, and the command tells the outcomes apart."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest

from mlc.tests.mutants.harness import ROOT, Mutant, Stale, all_mutants, main

_FILE = "support/disjoint_sets.py"
_TESTS = ("tests/unit/support/test_disjoint_sets.py::test_sets",)
_TRY = """
from tests.mutants.harness import Mutant, try_all
for mutant, outcome in try_all([Mutant({file!r}, old, new, {tests!r}) for old, new in {changes!r}], 1):
    print("OUTCOME", mutant.new, outcome.value)
"""


@pytest.mark.parametrize("file", sorted({mutant.file for mutant in all_mutants()}))
def test_each_applies_in_one_place(file: str) -> None:
    for mutant in (m for m in all_mutants() if m.file == file):
        source = mutant.source()
        if file.endswith(".py"):
            ast.parse(source)
        assert mutant.old != mutant.new
        for test in mutant.tests:
            path, _, function = test.partition("::")
            assert function in (ROOT / path).read_text(encoding="utf-8")


def test_no_two_are_the_same() -> None:
    mutants = all_mutants()
    assert len({(m.file, m.old, m.new) for m in mutants}) == len(mutants)


@pytest.mark.parametrize(("old", "found"), [("no such text", 0), ("return root", 2)])
def test_text_that_has_gone_or_stands_twice_is_refused(old: str, found: int) -> None:
    with pytest.raises(Stale, match=f"{_FILE}: expected exactly once, found {found} times: '{old}'"):
        Mutant(_FILE, old, "", _TESTS).source()


def test_pattern_that_selects_nothing_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["no/such/file.py"]) == 2
    assert "no mutants of no/such/file.py" in capsys.readouterr().err


@pytest.mark.slow  # starts pytest four times
def test_outcomes() -> None:
    """In a process of its own: the command forks, and its forks must not have loaded anything of mlc."""
    before = (ROOT / _FILE).read_text(encoding="utf-8")
    changes = {
        "self._parent[root] = other": "killed",
        "self._parent[other] = self.find(root)": "SURVIVED",
        "root = (": "BROKEN",
    }
    old = ["self._parent[other] = root", "self._parent[other] = root", "root = item"]
    tests = subprocess.run(
        [sys.executable, "-c", _TRY.format(file=_FILE, tests=_TESTS, changes=list(zip(old, changes, strict=True)))],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    told = [line.removeprefix("OUTCOME ") for line in tests.stdout.splitlines() if line.startswith("OUTCOME ")]
    assert sorted(told) == sorted(f"{new} {outcome}" for new, outcome in changes.items()), tests.stderr
    assert (ROOT / _FILE).read_text(encoding="utf-8") == before
