"""`mlc explain`: the work it counts, what it predicts and measures, and what was said of a kernel."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mlc.targets.host import core_count
from mlc.targets.machine import Machine
from mlc.tools import kernel_numbers
from mlc.tools.roofline import Roofline, planned

from .programs import ELSEWHERE, save_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return save_model()


@pytest.fixture(autouse=True)
def short_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_numbers, "_SECONDS", 0.01)


def test_one_kernel(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "matmul_relu").out
    assert shown.startswith("func.func private @matmul_relu(%x: tensor<6x50xf32>")
    assert "tensor.contract" in shown
    assert re.search(r"^  vectorize\(.*\) +vectors of \d+ lanes", shown, re.MULTILINE)
    assert re.search(r"^  flops +122 kflop, 98% in multiply-adds$", shown, re.MULTILINE)
    assert re.search(r"^  bytes +46 kB: what is read of operands, and results, once each$", shown, re.MULTILINE)
    assert re.search(r"^  bound by +.* \(measured here: .*flop/s, .*op/s, .*B/s\)$", shown, re.MULTILINE)
    assert re.search(r"^  measured +.*s, .*flop/s, \d+% of what is possible$", shown, re.MULTILINE)
    assert re.search(r"^  products +of f32, by llvm.fmuladd\n  peak +\d+% of .*flop/s for these$", shown, re.MULTILINE)
    assert re.search(r"^  this one +.*s, decided by (arithmetic|loads|L2|late results)", shown, re.MULTILINE)
    assert re.search(r"^  core +.*arithmetic .*s", shown, re.MULTILINE)
    assert re.search(
        r"^  around +.*s of that around the innermost loops: what comes before and after", shown, re.MULTILINE
    )
    assert re.search(r"^  spread +the median is .*s, a quarter of the calls took .*s or more$", shown, re.MULTILINE)
    assert re.search(r"^  why +A call takes [\d.]+ times as long as its arithmetic needs at full", shown, re.MULTILINE)
    assert re.search(r"^  chosen as +the default of its template$", shown, re.MULTILINE)
    others = _others(shown.partition("\none step away\n")[2])
    assert [float(ratio) for ratio, _ in others] == sorted(float(ratio) for ratio, _ in others)
    assert 1 <= len(others) <= 5
    assert "1.00" not in dict(others)
    advice = "this machine was not measured; `mlc machine measure` does that"
    assert re.search(rf"^  facts .*: {advice}$", shown, re.MULTILINE)
    assert all(re.fullmatch(r"\w+\(.*\) for \w+\(.*\)|without \w+\(.*\)", change) for _, change in others)


def _others(shown: str) -> list[tuple[str, str]]:
    """Other schedules: how many times as long they take, and what they do otherwise."""
    return re.findall(r"^  ([\d.]+) +times as long: ([^;]+); [^;]+; .+$", shown, re.MULTILINE)


def test_weights_in_the_text_of_a_kernel_are_left_out(tmp_path: Path, mlc: CommandLine) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(f"""
func.func private @kernel(%x: tensor<20xf32>) -> tensor<20xf32> {{
  %w = arith.constant dense<{[float(number) for number in range(20)]}> : tensor<20xf32>
  %few = arith.constant dense<{[float(number) for number in range(16)]}> : tensor<16xf32>
  %same = arith.constant dense<2.0> : tensor<20xf32>
  %0 = tensor.map %x[n], %w[n], %same[n], %few[n floordiv 2] over (n: 20)
      : tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<16xf32> -> tensor<20xf32> {{
  ^bb0(%a: f32, %b: f32, %c: f32, %d: f32):
    %1 = arith.mulf %a, %b : f32
    %2 = math.fma %1, %c, %d : f32
    tensor.yield %2 : f32
  }}
  return %0 : tensor<20xf32>
}}
func.func @main(%x: tensor<20xf32>) -> tensor<20xf32> {{
  %0 = call @kernel(%x) : (tensor<20xf32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}}
""")
    result = mlc("explain", str(path), "kernel")
    shown = [line.partition(" = arith.constant ")[2] for line in result.out.splitlines() if "arith.constant" in line]
    assert shown[0] == "dense<…> : tensor<20xf32>"
    assert shown[1].startswith("dense<[0.0") and shown[1].endswith("> : tensor<16xf32>")
    assert shown[2:] == ["dense<2.000000e+00> : tensor<20xf32>"]


_LOOPS = """
func.func @main(%a: memref<64x96xf32>, %b: memref<96x32xf32>, %c: memref<64x32xf32> {mlc.output}) {
  %z = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    affine.for %j = 0 to 32 {
      affine.store %z, %c[%i, %j] : memref<64x32xf32>
      affine.for %k = 0 to 96 {
        %x = affine.load %a[%i, %k] : memref<64x96xf32>
        %y = affine.load %b[%k, %j] : memref<96x32xf32>
        %t = affine.load %c[%i, %j] : memref<64x32xf32>
        %p = arith.mulf %x, %y : f32
        %n = arith.addf %t, %p : f32
        affine.store %n, %c[%i, %j] : memref<64x32xf32>
      }
    }
  }
  return
}
"""


def test_loops_of_a_model_are_kernels(tmp_path: Path, mlc: CommandLine) -> None:
    path = tmp_path / "loops.mlir"
    path.write_text(_LOOPS)
    table = mlc("explain", str(path)).out
    assert re.search(r"^contract +1 +f32 +393k ", table, re.MULTILINE)
    assert re.search(r"^model +1 ", table, re.MULTILINE)
    shown = mlc("explain", str(path), "contract").out
    assert shown.startswith("func.func private @contract(%a: tensor<64x96xf32>, %b: tensor<96x32xf32>)")
    assert re.search(r"^  vectorize\(.*\) +vectors of \d+ lanes", shown, re.MULTILINE)
    for chosen in ((), ("contract",)):
        refused = mlc("tune", str(path), "--records", str(tmp_path / "r.jsonl"), *chosen)
        assert refused.status == 1
        what = "found 'contract', which loops of the model become: rules choose their schedules"
        assert f"{what}, so there is nothing to tune" in refused.err
    other = mlc("tune", str(path), "--records", str(tmp_path / "r.jsonl"), "product")
    assert "no kernel 'product' in a model with the kernels" in other.err


def test_all_kernels(model: str, mlc: CommandLine) -> None:
    table, notes, *_ = mlc("explain", model).out.split("\n\n")
    title, *rows, total = table.splitlines()
    assert title.split()[:4] == ["kernel", "calls", "products", "flop"]
    assert rows[0].split()[:3] == ["matmul_relu", "1", "f32"]
    assert rows[1].split()[:3] == ["softmax_add", "1", "-"]
    assert rows[-1].startswith("the rest ")
    shares = [int(row.split()[-1].removesuffix("%")) for row in rows]
    assert sum(shares) >= 100 - len(rows)
    assert total.startswith("model ")
    assert "'the rest' is what the model takes beyond them" in notes


def test_a_model_that_cannot_run_has_no_rest(model: str, mlc: CommandLine) -> None:
    table, note = mlc("explain", model, ELSEWHERE).out.split("\n\n")
    *rows, total = table.splitlines()
    assert [row.split()[0] for row in rows] == ["kernel", "matmul_relu", "softmax_add"]
    assert total.startswith("model ")
    assert total.endswith(" -")
    target = ELSEWHERE.partition("=")[2]
    assert note.startswith(f"This machine cannot run code for {target}: cycles are planned")


def test_doubts_are_said(model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(machine: Machine, threads: int = 1) -> Roofline:
        return replace(planned(machine, threads), unit="s", unsteadiness=lambda: 0.5)

    monkeypatch.setattr(kernel_numbers, "measured", slow)
    for arguments in ([model], [model, "matmul_relu"]):
        shown = mlc("explain", *arguments).out
        assert "The limits differed by 50% while they were measured: something else runs on this machine." in shown
        assert "More than 100% of a bound: " in shown


def test_limits_of_fewer_cores_are_called_that(model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter([0.55, 0.85])

    def busy(machine: Machine, threads: int = 1) -> Roofline:
        share = next(shares)
        return replace(planned(machine, threads), unit="s", cores=2, share=lambda: share)

    monkeypatch.setattr(kernel_numbers, "measured", busy)
    told = "The limits are those of fewer cores: 2 threads at once did 1.1 times the arithmetic of one."
    assert told in mlc("explain", model, "matmul_relu", "--threads=2").out
    assert "fewer cores" not in mlc("explain", model, "matmul_relu", "--threads=2").out


def test_a_kernel_without_schedule(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "softmax_add", "-O1", "--target=cortex-a53").out
    assert "\nschedule\n  none\n\nremarks\n  model.mlir:6:8: graph.relu -> graph.softmax: not fused" in shown


def test_a_kernel_of_several_calls_has_each_remark_once(tmp_path: Path, mlc: CommandLine) -> None:
    (path := tmp_path / "model.mlir").write_text("""
func.func @main(%x: tensor<4x7xf32>) -> tensor<4x7xf32> {
  %0 = graph.softmax %x axis 1 : tensor<4x7xf32>
  %1 = graph.softmax %0 axis 1 : tensor<4x7xf32>
  %2 = graph.softmax %1 axis 1 : tensor<4x7xf32>
  %3 = graph.softmax %2 axis 1 : tensor<4x7xf32>
  return %3 : tensor<4x7xf32>
}
""")
    shown = mlc("explain", str(path), "softmax", ELSEWHERE).out
    remarks = shown.partition("\nremarks\n")[2].partition("\n\n")[0]
    assert remarks.count("graph.softmax -> graph.softmax: not fused: ") == 1
    assert "model.mlir:4:8: graph.softmax -> graph.softmax: not fused: " in remarks
    assert " (the same at 2 other places)" in remarks


_FILTERED = """
func.func @main(%x: tensor<1x16x16x16xf32>) -> tensor<1x16x16x16xf32> {
  %w = graph.constant dense<0.5> : tensor<16x16x3x3xf32>
  %0 = graph.relu %x : tensor<1x16x16x16xf32>
  %1 = graph.conv2d %0, %w {padding = array<i64: 1, 1, 1, 1>}
    : tensor<1x16x16x16xf32>, tensor<16x16x3x3xf32> -> tensor<1x16x16x16xf32>
  %2 = graph.relu %1 : tensor<1x16x16x16xf32>
  return %2 : tensor<1x16x16x16xf32>
}
"""


def test_kernels_of_one_place_have_remarks_of_their_own(tmp_path: Path, mlc: CommandLine) -> None:
    """A convolution becomes three kernels: what was said of it all have, what is said of one of them, that one."""
    path = tmp_path / "model.mlir"
    path.write_text(_FILTERED)
    about: dict[str, list[str]] = {}
    for kernel in ("winograd_input", "matmul", "winograd_output_relu"):
        shown = mlc("explain", str(path), kernel, ELSEWHERE, "--accuracy=fast").out
        remarks, _, _ = shown.partition("\nremarks\n")[2].partition("\n\n")
        about[kernel] = re.findall(r"[\d:]+: (.*)$", remarks, re.MULTILINE)
        assert len([each for each in about[kernel] if each.startswith("estimated speed, direct = 1: ")]) == 1
    fused = "graph.winograd_output -> graph.relu: fused into winograd_output_relu"  # two lines behind the convolution
    assert [kernel for kernel, remarks in about.items() if fused in remarks] == ["winograd_output_relu"]
    text = "graph.pad -> graph.winograd_input: not fused: graph.pad moves data"
    assert [name for name, remarks in about.items() if text in remarks] == ["winograd_input"]
    for reader, kernel in (("matmul", "matmul"), ("winograd_output", "winograd_output_relu")):
        text = f"graph.reshape -> graph.{reader}: not fused: graph.reshape is a view and costs nothing"
        assert [name for name, remarks in about.items() if text in remarks] == [kernel]
    text = "graph.matmul -> graph.reshape: not fused: graph.reshape is a view and costs nothing"
    assert [name for name, remarks in about.items() if text in remarks] == ["matmul"]  # no kernel computes a view


@pytest.mark.slow
def test_the_arena_is_that_of_the_kernel(tmp_path: Path, mlc: CommandLine) -> None:
    """The function that calls a kernel alone has an arena as well, which is in no model."""
    path = tmp_path / "model.mlir"
    path.write_text("""
func.func @main(%q: tensor<96x32xf32>, %k: tensor<32x80xf32>, %v: tensor<80x32xf32>) -> tensor<96x32xf32> {
  %0 = graph.matmul %q, %k : tensor<96x32xf32>, tensor<32x80xf32> -> tensor<96x80xf32>
  %1 = graph.softmax %0 axis 1 : tensor<96x80xf32>
  %2 = graph.matmul %1, %v : tensor<96x80xf32>, tensor<80x32xf32> -> tensor<96x32xf32>
  return %2 : tensor<96x32xf32>
}
""")
    compiled = mlc("compile", str(path), "--remarks", "-o", str(tmp_path / "model.so")).err
    works = re.findall(r"('(\w+)' works in an arena of \d+ bytes)", compiled)
    ((real, kernel),) = [(text, name) for text, name in works if name != "main"]
    shown = mlc("explain", str(path), kernel).out
    assert re.findall(r"'\w+' works in an arena of \d+ bytes", shown) == [real]


def test_threads_have_limits_of_their_own(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "matmul_relu", "--threads=2").out
    cores = "2 cores" if core_count() > 1 else "one core"
    assert re.search(rf"^  at least +.*s on {cores}$", shown, re.MULTILINE)
    assert re.search(rf"^  measured +.*s, on up to 2 threads, .* of what is possible on {cores}$", shown, re.MULTILINE)
    shown = mlc("explain", model, "--threads=2").out
    assert f"\nMeasured on up to 2 threads, bounds on {cores}.\n" in shown
    shown = mlc("explain", model, "--threads=2", "--target=cortex-a53").out
    assert shown.endswith("cycles are planned for 2 cores, and nothing was measured.\n")


def test_options_may_stand_in_front_of_the_kernel(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "--target", "cortex-a53", "matmul_relu").out
    assert shown.startswith("func.func private @matmul_relu(")


def test_an_unknown_kernel(model: str, mlc: CommandLine) -> None:
    result = mlc("explain", model, "matmul_rely")
    assert result.status == 1
    assert "no kernel 'matmul_rely' in a model with the kernels matmul_relu, " in result.err
    assert "; did you mean 'matmul_relu'?" in result.err


def test_calls_in_loops_count_as_often_as_they_run(tmp_path: Path, mlc: CommandLine) -> None:
    path = tmp_path / "loop.mlir"
    path.write_text("""
    func.func @main(%a: tensor<64xf32>, %xs: tensor<7x5x64xf32>) -> tensor<64xf32> {
      %0 = graph.scan 7 carry (%s = %a) over (%rows = %xs) : (tensor<64xf32>, tensor<7x5x64xf32>) -> tensor<64xf32> {
        %1 = graph.scan 5 carry (%t = %s) over (%x = %rows) : (tensor<64xf32>, tensor<5x64xf32>) -> tensor<64xf32> {
          %2 = graph.mul %t, %x : tensor<64xf32>, tensor<64xf32> -> tensor<64xf32>
          graph.yield %2 : tensor<64xf32>
        }
        graph.yield %1 : tensor<64xf32>
      }
      return %0 : tensor<64xf32>
    }
    """)
    result = mlc("explain", str(path), "--target=neoverse-n1")
    (row,) = [line for line in result.out.splitlines() if line.startswith("mul")]
    assert row.split()[1] == "35"
