"""The table of inner loops, and the models of CPUs that it rests on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlc.benchmarks.cpu_models import as_modelled, disagreements, modelled
from mlc.benchmarks.mca import Judgement, loops_table, main
from mlc.targets.machine import resolve_target
from mlc.tools.llvm_mca import find_mca

_ARM = resolve_target("neoverse-n1")


def test_what_is_reached_is_told() -> None:
    fast = Judgement("matmul", "", "a", 8, 0, 0, 4.2, 4.0, 4.1)
    slow = Judgement("softmax", ", loop 1 of 2", "a", 8, 3, 0, 8.0, 6.0, 7.5)
    grid = loops_table([fast, slow])
    assert grid.title == "1 of 2 loops reach 90% of their bounds, 2 with all they ask of a unit"
    assert grid.rows[1][-3:] == ["75%", "7.5", "94%"]


@pytest.fixture(scope="module")
def tool() -> str:
    """Any llvm-mca that is new enough."""
    try:
        return find_mca()
    except LookupError as e:
        pytest.skip(str(e))


def test_cycles_on_a_modelled_cpu(tool: str) -> None:
    assert modelled(tool, _ARM, "fma_units") == pytest.approx(2, rel=0.02)


def test_numbers_that_models_do_not_share(tool: str) -> None:
    machine = _ARM.with_facts({"fma_units": 3, "loads": 1}, {})
    found = {d.fact: (d.ours, round(d.modelled)) for d in disagreements(tool, [machine])}
    assert found == {"fma_units": (3, 2), "loads": (1, 2)}
    rates = as_modelled(tool, machine).issue
    assert (rates.fma_units, rates.loads) == (pytest.approx(2, rel=0.02), 1)


def test_a_table_is_kept(tool: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--target", "neoverse-v1", "--only", "matmul", "--output", str(tmp_path)]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("| matmul")]
    assert len(lines) == 3  # of f32, i8 and bf16
    assert all(line in (tmp_path / "mca.md").read_text() for line in lines)
    for loop in json.loads((tmp_path / "mca.json").read_text())["loops"]:
        assert (loop["cpu"], loop["spills"]) == ("neoverse-v1", 0)
        # Rows are put together in pairs on the units that multiply.
        assert loop["bound"] / loop["cycles"] > (0.95 if loop["kernel"] == "matmul-1024x1024x1024" else 0.9)
