"""`mlc explain`: what schedules are estimated to take, beside what was measured, and beside other schedules."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler.compilation import new_context
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.schedules.steps.tile import Tile
from mlc.schedules.steps.unroll import Unroll
from mlc.schedules.steps.vectorize import Vectorize
from mlc.targets import host
from mlc.targets.machine_file import MachineFile, Measured, write_machine_file
from mlc.tools import explain_table, kernel_numbers
from mlc.tools.schedule_estimate import kernel_on_loops, runners_up, steps_of

from .programs import ELSEWHERE, KERNEL, MODEL, parse_kernel, save_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return save_model()


@pytest.fixture(autouse=True)
def short_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_numbers, "_SECONDS", 0.01)


@pytest.mark.parametrize("is_own", [True, False])
def test_candidates_that_were_not_taken(is_own: bool, tmp_path: Path, mlc: CommandLine) -> None:
    """With estimates; where a person wrote the schedule, the default is among them."""
    schedule = "" if is_own else "attributes {schedule = #loop.schedule<[tile(n, 8), vectorize(ni, 8)]>}"
    path = tmp_path / "model.mlir"
    path.write_text(f"""
func.func private @double(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {schedule} {{
  %0 = tensor.map %x[m, n] over (m: 64, n: 512) : tensor<64x512xf32> -> tensor<64x512xf32> {{
  ^bb0(%a: f32):
    %b = arith.addf %a, %a : f32
    tensor.yield %b : f32
  }}
  return %0 : tensor<64x512xf32>
}}
func.func @main(%x: tensor<64x512xf32>) -> tensor<64x512xf32> {{
  %0 = call @double(%x) : (tensor<64x512xf32>) -> tensor<64x512xf32>
  return %0 : tensor<64x512xf32>
}}
""")
    shown = mlc("explain", str(path), "double", "--target=cortex-a53").out
    others, _, _ = shown.partition("\ncandidates of its template that were not taken\n")[2].partition(
        "\none step away\n"
    )
    found = {change: why for _, change, why in _others(others)}
    tuned = "its estimate tells too little; mlc tune measures it"
    assert found == {
        **({} if is_own else {"the default of its template": "estimated to take longer"}),
        **{f"{n} vectors of a row at a time": tuned for n in (2, 8)},
    }
    origin = re.findall(r"^  chosen as +(.+)$", shown, re.MULTILINE)
    assert origin == ["the default of its template" if is_own else "the text of the model"]


def _others(shown: str) -> list[tuple[str, str, str]]:
    """Other schedules: how many times as long they take, what they do otherwise, and why they are not chosen."""
    return re.findall(r"^  ([\d.]+) +times as long: ([^;]+); [^;]+; (.+)$", shown, re.MULTILINE)


def test_estimates_stand_beside_what_was_measured(model: str, mlc: CommandLine) -> None:
    table, about, note, *_ = mlc("explain", model, "--estimates").out.split("\n\n")
    title, *rows = (re.split(r"  +|(?<=\d) (?=\d+%)", line.strip()) for line in table.splitlines())
    assert [re.sub(" +", " ", " ".join(title))] == ["kernel calls estimated measured ratio of bound decided by"]
    assert [row[0] for row in rows] == ["matmul_relu", "softmax_add", "sum"]
    times = [(_seconds(row[2]), _seconds(row[3]), float(row[4])) for row in rows]
    for estimated, seconds, ratio in times:
        assert ratio == pytest.approx(seconds / estimated, rel=0.02)
    for column in range(2):
        assert times[2][column] == pytest.approx(times[0][column] + times[1][column], rel=0.02)
    assert re.fullmatch(r"Estimates are for one core, of the loops that schedules make\. They rest on: .+\.", about)
    assert note.startswith("Kernels are measured alone, with random inputs ")


def test_one_kernel_has_the_ratio_too(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "matmul_relu", "--estimates").out
    ((seconds,), (estimated,), (ratio,)) = (
        re.findall(pattern, shown, re.MULTILINE)
        for pattern in (
            r"^  measured +(.*?s),",
            r"^  this one +(.*?s),",
            r"^  ratio +([\d.]+): the measured time by this",
        )
    )
    assert float(ratio) == pytest.approx(_seconds(seconds) / _seconds(estimated), rel=0.02)
    assert "\n  ratio " not in mlc("explain", model, "matmul_relu", ELSEWHERE).out


def _seconds(time: str) -> float:
    number, unit = time.split()
    return float(number) * {"s": 1, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def test_the_sum_counts_calls(tmp_path: Path, mlc: CommandLine) -> None:
    """Here of cycles, which no clock makes vary; a kernel without an estimate is left out."""
    path = tmp_path / "model.mlir"
    path.write_text(KERNEL)
    kernel, total = mlc("explain", str(path), "--estimates", ELSEWHERE).out.splitlines()[1:3]
    (one,), (both,) = (re.findall(r"([\d,]+) cycles", line) for line in (kernel, total))
    assert int(both.replace(",", "")) == pytest.approx(2 * int(one.replace(",", "")), abs=1)
    assert kernel.split()[:2] == ["kernel", "2"] and total.split()[:2] == ["sum", "2"]
    assert total.endswith("cycles         -      -        -")


def test_a_kernel_without_an_estimate_is_in_no_sum(
    model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    loops_of = explain_table.kernel_on_loops

    def blind(module: ModuleOp, kernel: FuncOp, *rest: Any) -> Any:
        found = loops_of(module, kernel, *rest)
        if kernel.sym_name.data == "softmax_add":
            monkeypatch.setattr(found, "estimate", lambda *_: None)  # pyright: ignore
        return found

    monkeypatch.setattr(explain_table, "kernel_on_loops", blind)
    shown = mlc("explain", model, "--estimates", ELSEWHERE).out
    product, softmax, total, *_ = (line.split() for line in shown.splitlines()[1:])
    assert softmax == ["softmax_add", "1", "-", "-", "-", "-", "-"]
    assert total[1:3] == product[1:3]
    assert "\nA kernel without one is part of a loop that calls it, or too long; it is not in the sum.\n" in shown


def test_estimates_are_of_schedules(model: str, mlc: CommandLine) -> None:
    result = mlc("explain", model, "--estimates", "-O1")
    assert result.status == 1
    assert "found --estimates with -O1, which carries out no schedules, " in result.err
    assert result.err.endswith("; required: -O2 or -O3\n")


def test_where_no_schedule_is_carried_out_there_is_no_estimate(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "matmul", "-O0", "--target=cortex-a53").out
    assert shown.endswith("\nno estimate: -O0 carries out no schedules, whose loops are what is estimated\n")
    assert "\nestimated" not in shown


def test_facts_that_were_measured_are_said_so(
    model: str, mlc: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MLC_MACHINE_FILE", str(tmp_path / "machine.toml"))
    facts = {"loads": Measured(2, 0, 2)}
    write_machine_file(tmp_path / "machine.toml", MachineFile("0.1.0", "2026-01-31", "a CPU", host.identity(), facts))
    shown = mlc("explain", model, "matmul_relu").out
    assert re.search(r"^  facts .*\b\d+ measured", shown, re.MULTILINE)
    assert "mlc machine measure" not in shown
    shown = mlc("explain", model, "matmul_relu", "--target=cortex-a53").out
    assert re.search(r"^  facts .*: of cortex-a53 in the table$", shown, re.MULTILINE)


def test_blocks_longer_than_their_loop_are_no_suggestions() -> None:
    module, kernel = parse_kernel(KERNEL)
    kernel.attributes["schedule"] = ScheduleAttr.of([Tile("n", 200), Tile("ni", 8), Vectorize("nii", 8), Unroll("ni")])
    ctx = new_context()
    ctx.target = "x86-64-v3"
    options = CompileOptions(target="x86-64-v3")
    loops = kernel_on_loops(module, kernel, ctx, options)
    own = loops.estimate(steps_of(kernel))
    found = runners_up(loops, kernel, 100)
    assert own is not None and found
    assert not [each.change for each in found if "tile(n, 400)" in each.change]
    assert all(f"{each.estimate.cycles / own.cycles:.3f}" not in ("1.000", "1.001") for each in found)


def test_an_estimate_for_threads_is_of_loops_that_they_share(tmp_path: Path, mlc: CommandLine) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(MODEL.partition("{-#")[0].replace("dense_resource<w>", "dense<1.0>").replace("6x", "600x"))
    alone, shared = (mlc("explain", str(path), "softmax_add", f"--threads={n}", ELSEWHERE).out for n in (1, 2))
    assert "\nestimated, for one core, of the loops that the schedule makes\n" in alone
    assert "\nestimated, for 2 cores, of the loops that the schedule makes\n" in shared
    one, two = (_cycles_of_this_one(shown) for shown in (alone, shared))
    assert 0.5 * one < two < 0.6 * one


def _cycles_of_this_one(shown: str) -> int:
    """An estimate that is in cycles."""
    (found,) = re.findall(r"^  this one +([\d,]+) cycles", shown, re.MULTILINE)
    return int(found.replace(",", ""))
