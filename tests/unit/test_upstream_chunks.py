"""The judge of upstream's test chunks: what it counts, and that it fails where it has to."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.testing import upstream
from mlc.testing.lit import upstream_opt

_TEXT = """\
func.func @accepted(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : i32
  return %0 : i32
}
// -----
func.func @refused_by_both(%a: i32) -> i32 {
  %0 = arith.addi %a, %a : f32
  return %0 : i32
}
// -----
// nothing but a comment
// -----
func.func @has_an_op_that_mlc_lacks(%v: vector<4x8xf32>) -> vector<8x4xf32> {
  %0 = "vector.no_such_op_of_mlc"(%v) : (vector<4x8xf32>) -> vector<8x4xf32>
  return %0 : vector<8x4xf32>
}
// -----
func.func @refused_by_mlc_only() {
  graph.no_such_op
  return
}
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "text.mlir"
    path.write_text(_TEXT)
    return path


def test_chunks_have_their_first_line_and_those_without_text_are_left_out(file: Path) -> None:
    assert [c.line for c in upstream.chunks_of(file)] == [1, 6, 13, 18]
    assert not any(c.allows_unregistered for c in upstream.chunks_of(file))


def test_unregistered_dialects_are_allowed_where_a_run_line_says_so(tmp_path: Path) -> None:
    path = tmp_path / "text.mlir"
    path.write_text("// RUN: mlir-opt %s \\\n// RUN:   -allow-unregistered-dialect\nmodule {}\n")
    assert upstream.chunks_of(path)[0].allows_unregistered


def test_suites_are_preferred_to_the_rest_of_a_tree(tmp_path: Path) -> None:
    for name in ("IR/a.mlir", "Dialect/SCF/Sub/b.mlir", "Dialect/GPU/c.mlir"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("module {}\n")
    names = [f.name for f in upstream.files_of(tmp_path)]
    assert names == ["a.mlir", "b.mlir"]
    assert [f.name for f in upstream.files_of(tmp_path / "Dialect/GPU")] == ["c.mlir"]


@pytest.mark.skipif(upstream_opt() is None, reason="needs mlir-opt")
def test_outcomes(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def lacks_one(name: str) -> bool:
        return name == "vector.no_such_op_of_mlc"

    monkeypatch.setattr(upstream, "_is_op_of_upstream", lacks_one)
    outcomes = [v.outcome for v in upstream.judge(file)]
    assert outcomes == [upstream.GIVEN_BACK, upstream.REFUSED, upstream.OUTSIDE, upstream.REFUSED]


@pytest.mark.skipif(upstream_opt() is None, reason="needs mlir-opt")
@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ((upstream.REFUSED, "why"), upstream.NOT_READ),
        ((upstream.BUG, "why"), upstream.BUG),
        ((upstream.GIVEN_BACK, "no such text"), upstream.NOT_READ_BACK),
        ((upstream.GIVEN_BACK, "func.func @another() { return }"), upstream.DIFFERENT),
    ],
)
def test_failures_on_what_upstream_accepts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: tuple[str, str], outcome: str
) -> None:
    path = tmp_path / "text.mlir"
    path.write_text("func.func @f() { return }\n")
    _let_mlc_answer(monkeypatch, answer)
    (verdict,) = upstream.judge(path)
    assert verdict.accepted and verdict.outcome == outcome and verdict.reason


@pytest.mark.skipif(upstream_opt() is None, reason="needs mlir-opt")
def test_what_only_upstream_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "text.mlir"
    path.write_text("func.func @f() -> i32 { return }\n")
    _let_mlc_answer(monkeypatch, (upstream.GIVEN_BACK, ""))
    (verdict,) = upstream.judge(path)
    assert not verdict.accepted and verdict.outcome == upstream.NOT_REFUSED and "operand" in verdict.reason


def _let_mlc_answer(monkeypatch: pytest.MonkeyPatch, answer: tuple[str, str]) -> None:
    def read_and_print(_chunk: upstream.Chunk) -> tuple[str, str]:
        return answer

    monkeypatch.setattr(upstream, "read_and_print", read_and_print)


def _verdicts(given_back: int, not_read: int, refused: int, not_refused: int) -> list[upstream.Verdict]:
    counts = (
        (True, upstream.GIVEN_BACK, given_back),
        (True, upstream.NOT_READ, not_read),
        (False, upstream.REFUSED, refused),
        (False, upstream.NOT_REFUSED, not_refused),
    )
    file = Path("IR/a.mlir")
    return [upstream.Verdict(file, 1, accepted, outcome, "x") for accepted, outcome, n in counts for _ in range(n)]


def test_goals() -> None:
    assert upstream.Totals.of(_verdicts(97, 3, 95, 5)).reaches_goals()
    assert not upstream.Totals.of(_verdicts(96, 4, 95, 5)).reaches_goals()
    assert not upstream.Totals.of(_verdicts(97, 3, 94, 6)).reaches_goals()
    bug = upstream.Verdict(Path("IR/a.mlir"), 1, True, upstream.BUG)
    assert not upstream.Totals.of([*_verdicts(200, 0, 100, 0), bug]).reaches_goals()


def test_report_groups_failures_by_reason() -> None:
    found = [
        upstream.Verdict(Path("/t/IR/a.mlir"), 1, True, upstream.NOT_READ, "value '%a' has 1 use"),
        upstream.Verdict(Path("/t/IR/a.mlir"), 9, True, upstream.NOT_READ, "value '%b' has 22 use"),
        upstream.Verdict(Path("/t/Dialect/SCF/b.mlir"), 3, True, upstream.NOT_READ, "value '%c' has 3 use"),
        upstream.Verdict(Path("/t/Dialect/SCF/b.mlir"), 7, True, upstream.OUTSIDE, "scf.x scf.y"),
    ]
    text = upstream.report(found, Path("/t"), 1)
    assert "not read: 3\n     3  value '%a' has 1 use\n          IR/a.mlir:1\n" in text
    assert "scf.x (1), scf.y (1)" in text
    assert "\nDialect/SCF      0 of     1   0.0%" in text
