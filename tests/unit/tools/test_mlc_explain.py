"""`mlc explain`: the work it counts, the words for schedules, what it predicts and measures."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.api import compile as compile_model
from mlc.compiler import CompileOptions, new_context, parse_verified
from mlc.dialects.loop import ForOp, ScheduleAttr
from mlc.dialects.loop.steps import step_names
from mlc.passes.loop.steps.block_sums import BlockSums
from mlc.passes.loop.steps.clang import Clang
from mlc.passes.loop.steps.degree import Degree
from mlc.passes.loop.steps.fuse import Fuse
from mlc.passes.loop.steps.hoist_reduction import HoistReduction
from mlc.passes.loop.steps.interchange import Interchange
from mlc.passes.loop.steps.llvm_unroll import LlvmUnroll
from mlc.passes.loop.steps.pack import Pack
from mlc.passes.loop.steps.parallel import Parallel
from mlc.passes.loop.steps.prefetch import Prefetch
from mlc.passes.loop.steps.prefetch_next import PrefetchNext
from mlc.passes.loop.steps.reuse_result import ReuseResult
from mlc.passes.loop.steps.split_reduction import SplitReduction
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.loop.steps.unpad import Unpad
from mlc.passes.loop.steps.unroll import Unroll
from mlc.passes.loop.steps.vectorize import Vectorize
from mlc.passes.loop.steps.vectorize_reduction import VectorizeReduction
from mlc.targets.facts import FactSource
from mlc.targets.host import core_count
from mlc.targets.machine import Machine, resolve_target
from mlc.tools import mlc_explain
from mlc.tools.lone_kernel import Stopwatch, lone_kernel, repeat_body
from mlc.tools.measure import shortest_time
from mlc.tools.roofline import Roofline, planned
from mlc.tools.schedule_estimate import kernel_on_loops, runners_up, steps_of
from mlc.tools.schedule_text import describe_schedule

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_ELSEWHERE = "--target=neoverse-n1" if resolve_target("native").arch != "aarch64" else "--target=x86-64-v3"
"""A machine of more than one core that is not this one."""
_KERNEL = """
func.func private @kernel(%x: tensor<6x50xf32>, %w: tensor<50x200xf32>) -> tensor<6x200xf32> {
  %0 = tensor.contract %x[m, k], %w[k, n] over (m: 6, n: 200) reduce (k: 50)
      : tensor<6x50xf32>, tensor<50x200xf32> -> tensor<6x200xf32>
  %1 = tensor.map %0[m, n] over (m: 6, n: 200) : tensor<6x200xf32> -> tensor<6x200xf32> {
  ^bb0(%a: f32):
    %two = arith.constant 2.0 : f32
    %b = arith.mulf %a, %two : f32
    %c = math.exp %b : f32
    tensor.yield %c : f32
  }
  return %1 : tensor<6x200xf32>
}
func.func @main(%x: tensor<6x50xf32>) -> (tensor<6x200xf32>, tensor<6x200xf32>) {
  %w = arith.constant dense<1.0> : tensor<10000xf32>
  %v = tensor.expand_shape %w [[0, 1]] output_shape [50, 200] : tensor<10000xf32> into tensor<50x200xf32>
  %0 = func.call @kernel(%x, %v) : (tensor<6x50xf32>, tensor<50x200xf32>) -> tensor<6x200xf32>
  %1 = func.call @kernel(%x, %v) : (tensor<6x50xf32>, tensor<50x200xf32>) -> tensor<6x200xf32>
  return %0, %1 : tensor<6x200xf32>, tensor<6x200xf32>
}
"""

_MODEL = """
func.func @main(%x: tensor<6x50xf32>, %z: tensor<6x200xf32>) -> tensor<6x200xf32> {
  %w = graph.constant dense_resource<w> : tensor<50x200xf32>
  %0 = graph.matmul %x, %w : tensor<6x50xf32>, tensor<50x200xf32> -> tensor<6x200xf32>
  %1 = graph.relu %0 : tensor<6x200xf32>
  %2 = graph.softmax %1 axis 1 : tensor<6x200xf32>
  %3 = graph.add %2, %z : tensor<6x200xf32>, tensor<6x200xf32> -> tensor<6x200xf32>
  return %3 : tensor<6x200xf32>
}

{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
"""


def _parse(text: str) -> tuple[ModuleOp, FuncOp]:
    module = parse_verified(text, "test.mlir", new_context(), Path())
    kernel = module.body.block.first_op
    assert isinstance(kernel, FuncOp)
    return module, kernel


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("model.mlir").write_text(_MODEL)
    save_file({"w": np.ones((50, 200), np.float32)}, "w.safetensors")
    return "model.mlir"


@pytest.fixture(autouse=True)
def short_measurements(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mlc_explain, "_SECONDS", 0.01)


def test_every_step_has_words() -> None:
    _, kernel = _parse(_KERNEL)
    steps = [
        Interchange.around("n", "m"),
        Tile("n", 64),
        Unpad("m"),
        Pack("w", "n"),
        Tile("w_lane", 16),
        Tile("ni", 16),
        Vectorize("nii", 16),
        Unroll("ni"),
        Fuse("m"),
        Vectorize("m", 8),
        Tile("m", 8),
        VectorizeReduction("k", 4),
        SplitReduction("k", 2),
        BlockSums("k", 16),
        HoistReduction("k", "ni"),
        LlvmUnroll("k", 4),
        Unroll("k"),
        Prefetch("k"),
        PrefetchNext("n", "m"),
        Parallel("n"),
        ReuseResult("n"),
        Clang(1),
        Degree("exp", 5),
    ]
    kernel.attributes["schedule"] = ScheduleAttr.of(steps)
    assert {step.name for step in steps} == set(step_names())
    assert dict(describe_schedule(kernel, {("kernel", 1)})) == {
        "interchange(n, m)": "n runs around m",
        "tile(n, 64)": "3 blocks of 64, and one of 8",
        "unpad(m)": "windows at the border along m stay inside the image, so that none is copied",
        "pack(w, n)": "the compiler stores w as panels, one for each block of n, so that it is read front to back",
        "tile(w_lane, 16)": "4 blocks of 16",
        "tile(ni, 16)": "4 blocks of 16",
        "vectorize(nii, 16)": "vectors of 16 lanes",
        "unroll(ni)": "4 copies side by side, with registers of their own",
        "fuse(m)": "loops m that stand side by side become one",
        "vectorize(m, 8)": "vectors of 8 lanes, of which 6 compute",
        "tile(m, 8)": "one block of all 6",
        "vectorize_reduction(k, 4)": "4 partial results side by side, combined behind the loop",
        "split_reduction(k, 2)": "2 results that take turns, so that no iteration waits for the one before it",
        "block_sums(k, 16)": "3 blocks of 16, and one of 2, whose sums start from 0",
        "llvm_unroll(k, 4)": "LLVM puts 4 iterations into one",
        "unroll(k)": "3 copies after each other",
        "hoist_reduction(k, ni)": "k runs around ni; partial results wait in a buffer",
        "prefetch(k)": "what is read and written behind k is asked for in front of it",
        "prefetch_next(n, m)": "while n runs, what it reads in the next iteration of m is brought into the first cache",
        "parallel(n)": "the iterations are spread over threads",
        "reuse_result(n)": "what n reads, and stores a result for, waits in the memory of the result",
        "degree(exp, 5)": "a polynomial of degree 5; exp is off by 2.3 units in the last place at most",
        "clang(1)": "clang compiles the kernel with -O1",
    }
    kernel.attributes["schedule"] = ScheduleAttr.of([Parallel("n", 4), Parallel("m", 1), LlvmUnroll("k", 1)])
    assert dict(describe_schedule(kernel, ())) == {
        "parallel(n, 4)": "the iterations are spread over 4 threads at most",
        "parallel(m, 1)": "the iterations stay on one thread",
        "llvm_unroll(k, 1)": "LLVM does not unroll it",
    }
    kernel.attributes["schedule"] = ScheduleAttr.of(steps)
    assert dict(describe_schedule(kernel, ()))["pack(w, n)"].startswith("the kernel first copies w")


def test_threads_are_timed_together() -> None:
    model = compile_model(
        "func.func @main(%x: tensor<300000xf32>) -> tensor<300000xf32> {\n"
        "  %0 = graph.exp %x : tensor<300000xf32>\n  return %0 : tensor<300000xf32>\n}"
    )
    inputs = [np.ones(300_000, np.float32)]
    assert shortest_time(model, inputs, 3, threads=2) > 0.3 * shortest_time(model, inputs, 3)


def test_a_lone_kernel_keeps_its_constants() -> None:
    module, kernel = _parse(_KERNEL)
    alone = lone_kernel(module, kernel)
    alone.verify()
    main = alone.body.block.last_op
    assert isinstance(main, FuncOp)
    assert [a.name_hint for a in main.args] == ["x"]
    names = [op.name for op in main.body.block.ops]
    assert names == ["arith.constant", "tensor.expand_shape", "func.call", "func.return"]


def test_one_kernel(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "matmul_relu").out
    assert shown.startswith("func.func private @matmul_relu(%x: tensor<6x50xf32>")
    assert "tensor.contract" in shown
    assert re.search(r"^  vectorize\(.*\) +vectors of \d+ lanes", shown, re.MULTILINE)
    assert re.search(r"^  flops +122 kflop, 98% in multiply-adds$", shown, re.MULTILINE)
    assert re.search(r"^  bytes +46 kB: what is read of operands, and results, once each$", shown, re.MULTILINE)
    assert re.search(r"^  bound by +.* \(measured here: .*flop/s, .*op/s, .*B/s\)$", shown, re.MULTILINE)
    assert re.search(r"^  measured +.*s, .*flop/s, \d+% of what is possible$", shown, re.MULTILINE)
    assert re.search(r"^  this one +.*s, decided by (arithmetic|loads|second cache|late results)", shown, re.MULTILINE)
    assert re.search(r"^  core +.*arithmetic .*s", shown, re.MULTILINE)
    others = _others(shown.partition("\none step away\n")[2])
    assert [float(ratio) for ratio, _ in others] == sorted(float(ratio) for ratio, _ in others)
    assert 1 <= len(others) <= 5
    assert "1.00" not in dict(others)
    advice = "this machine was not measured; `mlc machine measure` does that"
    assert re.search(rf"^  facts .*: {advice}$", shown, re.MULTILINE)
    assert all(re.fullmatch(r"\w+\(.*\) for \w+\(.*\)|without \w+\(.*\)", change) for _, change in others)


def _others(shown: str) -> list[tuple[str, str]]:
    """Other schedules: how many times as long they take, and what they do otherwise."""
    return re.findall(r"^  ([\d.]+) +times as long: (.+); .+$", shown, re.MULTILINE)


@pytest.mark.parametrize("is_own", [True, False])
def test_offers_that_were_not_taken(is_own: bool, tmp_path: Path, mlc: CommandLine) -> None:
    """With estimates; where a person wrote the schedule, the favourite is among them."""
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
    rest, _, _ = shown.partition("\none step away\n")
    _, offered, own = rest.partition("\noffered, and not taken: any but the favourite has to be estimated to take 15% ")
    own, heading, others = (own or rest).partition("\noffered to those who measure: ")
    assert bool(offered) == (not is_own) and heading
    assert [change for _, change in _others(own)] == ["the favourite of its kind"] * (not is_own)
    assert [change for _, change in _others(others)] == [f"{n} vectors of a row at a time" for n in (2, 8)]


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


def test_all_kernels(model: str, mlc: CommandLine) -> None:
    table, notes, *_ = mlc("explain", model).out.split("\n\n")
    title, *rows, total = table.splitlines()
    assert title.split()[:4] == ["kernel", "calls", "flop", "bytes"]
    assert rows[0].split()[:2] == ["matmul_relu", "1"]
    assert rows[-1].startswith("the rest ")
    shares = [int(row.split()[-1].removesuffix("%")) for row in rows]
    assert sum(shares) >= 100 - len(rows)
    assert total.startswith("model ")
    assert "'the rest' is what the model takes beyond them" in notes


def test_a_model_that_cannot_run_has_no_rest(model: str, mlc: CommandLine) -> None:
    table, note = mlc("explain", model, _ELSEWHERE).out.split("\n\n")
    *rows, total = table.splitlines()
    assert [row.split()[0] for row in rows] == ["kernel", "matmul_relu", "softmax_add"]
    assert total.startswith("model ")
    assert total.endswith(" -")
    target = _ELSEWHERE.partition("=")[2]
    assert note.startswith(f"This machine cannot run code for {target}: cycles are planned")


def test_small_models_run_several_times_per_call() -> None:
    module = parse_verified(
        "func.func @main(%x: memref<4xf32>, %y: memref<4xf32> {mlc.output}) {\n"
        '  loop.for parallel "n" %n = 0 to 4 {\n'
        "    %a = loop.load %x[%n] : memref<4xf32>\n    loop.store %a, %y[%n] : memref<4xf32>\n  }\n  return\n}",
        "test.mlir",
        new_context(),
        Path(),
    )
    repeat_body(module, 7)
    module.verify()
    main = module.body.block.first_op
    assert isinstance(main, FuncOp)
    assert [op.name for op in main.body.block.ops] == ["loop.for", "func.return"]
    loop = main.body.block.first_op
    assert isinstance(loop, ForOp)
    assert (len(loop.range), [op.name for op in loop.body.block.ops]) == (7, ["loop.for", "loop.yield"])


def test_a_model_is_measured_as_it_is() -> None:
    """The time of one call, however many are made at once; and measuring leaves the model alone."""
    module, _ = _parse(_KERNEL)
    before = str(module)
    watch = Stopwatch(module, new_context(), CompileOptions())
    first = watch.shortest
    watch.measure(0.01)
    assert 1e-8 < watch.shortest <= first < 1e-2
    assert str(module) == before


def test_doubts_are_said(model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(machine: Machine, threads: int = 1) -> Roofline:
        return replace(planned(machine, threads), unit="s", unsteadiness=lambda: 0.5)

    monkeypatch.setattr(mlc_explain, "measured", slow)
    for arguments in ([model], [model, "matmul_relu"]):
        shown = mlc("explain", *arguments).out
        assert "The limits differed by 50% while they were measured: something else runs on this machine." in shown
        assert "More than 100% of a bound: " in shown


def test_limits_of_fewer_cores_are_called_that(model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    shares = iter([0.55, 0.85])

    def busy(machine: Machine, threads: int = 1) -> Roofline:
        share = next(shares)
        return replace(planned(machine, threads), unit="s", cores=2, share=lambda: share)

    monkeypatch.setattr(mlc_explain, "measured", busy)
    told = "The limits are those of fewer cores: 2 threads at once did 1.1 times the arithmetic of one."
    assert told in mlc("explain", model, "matmul_relu", "--threads=2").out
    assert "fewer cores" not in mlc("explain", model, "matmul_relu", "--threads=2").out


def test_a_kernel_without_schedule(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "softmax_add", "-O1", "--target=cortex-a53").out
    assert "\nschedule\n  none\n\nremarks\n  model.mlir:6:8: graph.relu -> graph.softmax: not fused" in shown


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
        shown = mlc("explain", str(path), kernel, _ELSEWHERE, "--accuracy=fast").out
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


def test_where_no_schedule_is_carried_out_there_is_no_estimate(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "matmul", "-O0", "--target=cortex-a53").out
    assert shown.endswith("\nno estimate: -O0 carries out no schedules, whose loops are what is estimated\n")
    assert "\nestimated" not in shown


def test_facts_that_were_measured_are_said_so(model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = resolve_target("native").with_facts({"loads": 2}, {"loads": FactSource("measured")})
    with monkeypatch.context() as patch:
        patch.setattr(mlc_explain, "resolve_target", lambda _: machine)  # pyright: ignore
        shown = mlc("explain", model, "matmul_relu").out
    assert re.search(r"^  facts .*1 measured", shown, re.MULTILINE)
    assert "mlc machine measure" not in shown
    shown = mlc("explain", model, "matmul_relu", "--target=cortex-a53").out
    assert re.search(r"^  facts .*: of cortex-a53 in the table$", shown, re.MULTILINE)


def test_the_arena_is_that_of_the_kernel(tmp_path: Path, mlc: CommandLine) -> None:
    """The function that calls a kernel alone has an arena as well, which is in no model."""
    path = tmp_path / "model.mlir"
    path.write_text(
        "func.func @main(%x: tensor<64x1000xf32>) -> tensor<64x1000xf32> {\n"
        "  %0 = graph.softmax %x axis 1 : tensor<64x1000xf32>\n  return %0 : tensor<64x1000xf32>\n}\n"
    )
    compiled = mlc("compile", str(path), "--remarks", "-o", str(tmp_path / "model.so")).err
    (real,) = re.findall(r"'softmax' works in an arena of \d+ bytes", compiled)
    shown = mlc("explain", str(path), "softmax").out
    assert re.findall(r"'\w+' works in an arena of \d+ bytes", shown) == [real]


def test_blocks_longer_than_their_loop_are_no_suggestions() -> None:
    module, kernel = _parse(_KERNEL)
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


def test_threads_have_limits_of_their_own(model: str, mlc: CommandLine) -> None:
    shown = mlc("explain", model, "matmul_relu", "--threads=2").out
    cores = "2 cores" if core_count() > 1 else "one core"
    assert re.search(rf"^  predicted +.*s at least on {cores}$", shown, re.MULTILINE)
    assert re.search(rf"^  measured +.*s, on up to 2 threads, .* of what is possible on {cores}$", shown, re.MULTILINE)
    shown = mlc("explain", model, "--threads=2").out
    assert f"\nMeasured on up to 2 threads, predicted on {cores}.\n" in shown
    shown = mlc("explain", model, "--threads=2", "--target=cortex-a53").out
    assert shown.endswith("cycles are planned for 2 cores, and nothing was measured.\n")


def test_an_estimate_for_threads_is_of_loops_that_they_share(tmp_path: Path, mlc: CommandLine) -> None:
    path = tmp_path / "model.mlir"
    path.write_text(_MODEL.partition("{-#")[0].replace("dense_resource<w>", "dense<1.0>").replace("6x", "600x"))
    alone, shared = (mlc("explain", str(path), "softmax_add", f"--threads={n}", _ELSEWHERE).out for n in (1, 2))
    assert "\nestimated, for one core, of the loops that the schedule makes\n" in alone
    assert "\nestimated, for up to 2 threads, of the loops that the schedule makes\n" in shared
    one, two = (_cycles_of_this_one(shown) for shown in (alone, shared))
    assert 0.5 * one < two < 0.6 * one


def _cycles_of_this_one(shown: str) -> int:
    """An estimate that is in cycles."""
    (found,) = re.findall(r"^  this one +([\d,]+) cycles", shown, re.MULTILINE)
    return int(found.replace(",", ""))


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
