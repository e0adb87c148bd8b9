"""What is found wrong at the end is told, reproduced and reduced as what is found after the pass."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.pass_manager.late_checking import LateChecker
from mlc.pass_manager.wrong_value import GivenCase
from mlc.support.context import CompilerContext

if TYPE_CHECKING:
    from tests.conftest import CommandLine

MODEL = """
func.func @main(%x: tensor<40x30xf32>, %y: tensor<40x30xf32>) -> tensor<40x30xf32> {
  %0 = graph.exp %x : tensor<40x30xf32>
  %1 = graph.exp %y : tensor<40x30xf32>
  %2 = graph.sub %0, %1 : tensor<40x30xf32>, tensor<40x30xf32> -> tensor<40x30xf32>
  %3 = graph.tanh %2 : tensor<40x30xf32>
  return %3 : tensor<40x30xf32>
}
"""
PASSES = f"--load-pass={Path(__file__).parents[2] / 'lit' / 'tools' / 'Inputs' / 'broken_passes.py'}"


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the tests."""
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(MODEL)


@pytest.fixture
def limit_to(monkeypatch: pytest.MonkeyPatch) -> Callable[[int, int], None]:
    """Sets the most work of a form that commands run at once, above loops and of loops."""

    def limit(*most: int) -> None:
        class Limited(LateChecker):
            def __init__(self, ctx: CompilerContext, seed: int = 0, given: Sequence[GivenCase] = ()) -> None:
                super().__init__(ctx, seed, given, (most[0], most[1]))

        monkeypatch.setattr("mlc.tools.mlc_bisect.LateChecker", Limited)
        monkeypatch.setattr("mlc.pass_manager.late_checking.LateChecker", Limited)

    return limit


def test_the_pass_and_its_reproducer(
    mlc: CommandLine, mlc_opt: CommandLine, limit_to: Callable[[int, int], None]
) -> None:
    at_once = mlc("bisect", "m.mlir", PASSES, "-O1")
    limit_to(0, 0)
    late = mlc("bisect", "m.mlir", PASSES, "-O1")
    assert (at_once.status, late.status) == (1, 1)
    first = late.out.splitlines()[0]
    said = r"first wrong value: after pass 'swap-subtraction', number \d+ of those that ran \(of '.*broken_passes.py'\)"
    assert re.match(said, first)
    assert first == at_once.out.splitlines()[0]
    (command,) = re.findall(r"^  reduce it:  mlc-opt (.*)$", late.out, re.MULTILINE)
    flags = shlex.split(command)
    (reproducer,) = (word for word in flags if "mlc-reproducers" in word)
    assert "--pass-pipeline=swap-subtraction\n// fails in: swap-subtraction\n" in Path(reproducer).read_text()
    again = mlc_opt("--run-reproducer", "--allow-plugins", reproducer)
    assert again.status == 70
    assert "after 'swap-subtraction', '" in again.err
    reduced = mlc_opt(*flags)
    assert reduced.status == 0, reduced.err
    assert "// fails in: swap-subtraction\n" in Path(f"small-{Path(reproducer).name}").read_text()


def test_what_is_reduced_does_not_hang_on_when_a_form_is_run(
    mlc_opt: CommandLine, limit_to: Callable[[int, int], None]
) -> None:
    """Loops of a smaller candidate may be run at once, and those of the input late."""
    for most in (3000, 7000, 10**12):
        limit_to(10**12, most)
        reduced = mlc_opt("m.mlir", PASSES, "-O1", "--check-each", "--reduce")
        assert reduced.status == 0, reduced.err
        assert re.match(r"note: reduced from 19 to \d+ ops", reduced.err)  # the input of the pass
        assert "--pass-pipeline=swap-subtraction\n" in reduced.out
        assert reduced.out.count("func.func") == 1 and reduced.out.count("arith.") == 1, reduced.out
