"""Programs of StableHLO that check themselves, by the reference semantics and as native code."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.testing.stablehlo_suite import main, programs, run_file

_FILES = programs(Path(__file__).parent / "stablehlo_programs")


@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.stem)
def test_by_the_reference(path: Path) -> None:
    outcomes = run_file(path)
    assert outcomes
    assert [o for o in outcomes if o.status != "right"] == []


@pytest.mark.slow
@pytest.mark.parametrize("path", _FILES, ids=lambda p: p.stem)
def test_as_native_code(path: Path) -> None:
    outcomes = run_file(path, "native")
    assert outcomes
    assert [o for o in outcomes if o.status != "right"] == []


def test_a_wrong_expectation_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "wrong.mlir").write_text(
        "func.func @f() {\n"
        "  %x = stablehlo.constant dense<[1, 2]> : tensor<2xi32>\n"
        "  %0 = stablehlo.add %x, %x : tensor<2xi32>\n"
        "  check.expect_eq_const %0, dense<[2, 5]> : tensor<2xi32>\n"
        "  return\n}\n"
    )
    (tmp_path / "refused.mlir").write_text(
        "func.func @f() {\n  %x = stablehlo.custom_call @solve() : () -> tensor<2xi32>\n"
        "  check.expect_eq_const %x, dense<[2, 5]> : tensor<2xi32>\n  return\n}\n"
    )
    assert main([str(tmp_path), "--all"]) == 1
    told = capsys.readouterr().out
    assert "wrong: wrong.mlir: found 4 at [1], expected 5; 1 of 2 are wrong" in told
    assert "refused: refused.mlir: stablehlo.custom_call: mlc has no function 'solve'" in told
    assert "1 refused, 1 wrong of 2" in told
