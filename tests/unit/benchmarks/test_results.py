"""Figures, tables, files and the picture that follow from measured times."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from mlc.benchmarks.reports import update_readme, write_files
from mlc.benchmarks.results import CaseResult, CompileTime, Run, load_run
from mlc.benchmarks.roofline import can_draw, draw_roofline
from mlc.benchmarks.tables import all_tables, cases_table, summary_table
from mlc.benchmarks.turns import measure_in_turns

_MATMUL = CaseResult(
    name="matmul",
    family="matmul",
    kind="compute",
    flops=100_000_000,
    bytes=1_000_000,
    wide=True,
    level="L2",
    seconds={"mlc": [1e-3, 2e-3, 1e-3], "OpenVINO": [2e-3, 4e-3, 1e-3], "NumPy": [5e-3, 5e-3, 5e-3]},
    peak=[200e9, 100e9, 125e9],
    bandwidth=[100e9, 100e9, 100e9],
)
_SUM = CaseResult(
    name="sum",
    family="memory",
    kind="bandwidth",
    flops=4_000_000,
    bytes=16_000_000,
    wide=False,
    level="L3",
    seconds={"mlc": [2e-4, 2e-4, 2e-4], "NumPy": [1e-4, 1e-4, 1e-4]},
    peak=[200e9, 200e9, 200e9],
    bandwidth=[100e9, 100e9, 100e9],
    errors={"OpenVINO": "ValueError: wrong result"},
)


def _run() -> Run:
    environment = {
        "date": "2030-01-01",
        "machine": "A CPU",
        "target": "native",
        "host": "cpu",
        "cpu": "cpu",
        "threads": 1,
        "rounds": 3,
        "cores": [1],
        "python": "3.11",
        "clang": "clang version 19",
        "versions": {"numpy": "2"},
    }
    limits = {"FMA peak": 200e9, "read L1": 500e9, "read memory": 50e9}
    return Run(environment, limits, [_MATMUL, _SUM], [CompileTime("matmul", 0.3, 0.05)])


def test_figures_are_medians_over_rounds() -> None:
    assert _MATMUL.time("mlc") == 1e-3
    assert _MATMUL.rate() == pytest.approx(100e9)
    assert _MATMUL.share_of_limit() == pytest.approx(0.5)  # 0.5, 0.5 and 0.8
    assert _MATMUL.best_peer == "OpenVINO"
    assert _MATMUL.ratio_to_best_peer() == pytest.approx(2)
    assert _SUM.rate() == pytest.approx(80e9)
    assert _SUM.share_of_limit() == pytest.approx(0.8)
    assert _SUM.ratio_to_best_peer() == pytest.approx(0.5)


def test_a_case_that_mlc_failed_on_has_no_ratio() -> None:
    failed = dataclasses.replace(_SUM, seconds={"NumPy": [1e-4]})
    assert failed.ratio_to_best_peer() is None
    run = _run()
    run.cases = [failed]
    assert cases_table(run).rows[0][:2] == ["sum", "failed"]


def test_summary_names_the_worst() -> None:
    rows = {row[0]: row[2] for row in summary_table(_run()).rows}
    assert rows["ratio to the best peer, geometric mean"] == "1.00"
    assert rows["ratio to the best peer, worst"] == "0.50 (sum)"
    assert rows["share of the FMA peak, large matmuls and convolutions"] == "0 of 1; lowest 50% (matmul)"
    assert rows["share of the bandwidth, bandwidth-bound and larger than L2"] == "0 of 1; lowest 80% (sum)"


def test_files_hold_all_numbers(tmp_path: Path) -> None:
    files = write_files(_run(), tmp_path)
    assert files[0] == tmp_path / "cpu.json"
    assert load_run(files[0]) == _run()
    text = files[1].read_text()
    assert "| matmul | 1 | 100.0 GFLOP/s | 50% FMA | 2 | 5 | 2.00 |" in text
    assert [grid.title for grid in all_tables(_run())] == ["Targets", "Limits of the machine", "Cases", "Compile times"]


def test_readme_keeps_one_section_per_kind_of_run(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("# Text\n")
    for _ in range(2):
        update_readme(_run(), readme)
    text = readme.read_text()
    assert text.startswith("# Text\n")
    assert text.count("A CPU, target native, 1 thread, 2030-01-01") == 1
    assert "![Roofline](results/cpu.png)" in text
    assert "Compile times" not in text


@pytest.mark.skipif(not can_draw(), reason="matplotlib is not installed")
def test_picture(tmp_path: Path) -> None:
    draw_roofline(_run(), tmp_path / "roofline.png")
    assert (tmp_path / "roofline.png").read_bytes().startswith(b"\x89PNG")


def test_turns_alternate() -> None:
    calls: list[str] = []
    times = measure_in_turns({"a": lambda: calls.append("a"), "b": lambda: calls.append("b")}, 3, 1e-4)
    assert {name: len(of) for name, of in times.items()} == {"a": 3, "b": 3}
    changes = [name for name, before in zip(calls, ["", *calls], strict=False) if name != before]
    assert changes == ["a", "b"] * 4  # warming up, then three rounds


def test_a_case_about_bytes_may_be_bound_by_arithmetic() -> None:
    assert _SUM.is_bandwidth_bound
    assert not _MATMUL.is_bandwidth_bound
    slow = dataclasses.replace(_SUM, peak=[10e9, 10e9, 10e9])  # 0.4 ms for its flops, 0.16 ms for its bytes
    assert not slow.is_bandwidth_bound
    assert slow.share_of_limit() == pytest.approx(4e6 / 2e-4 / 10e9)
    assert cases_table(Run({}, {}, [slow])).rows[0][3].endswith("FMA")
