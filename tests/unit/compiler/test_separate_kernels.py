"""Kernels that are compiled by themselves: the code is that of their module, made once, by several processes."""

from __future__ import annotations

import os
import re
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.compiler import kernel_processes, processes, separate_kernels
from mlc.compiler.compilation import Compilation, ModelText, new_context, read_module
from mlc.compiler.kernel_job import CompiledKernel, KernelJob, prepare
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.schedules.buffer_layouts import WordLayout
from mlc.support.errors import UserError
from mlc.syntax import grammar
from mlc.targets.cache import Cache
from mlc.targets.machine import resolve_target
from mlc.targets.program import Program

_ROOT = Path(mlc.__file__).parent
_FILES = (
    "examples/digits/mlp.mlir",
    *(f"benchmarks/models/{name}.mlir" for name in ("bottleneck", "inverted_residual", "llama_decoder_layer")),
)

_PRODUCTS = """func.func @main(%x: tensor<8x40xf32>) -> tensor<8x24xf32> {
  %w = graph.constant dense_resource<w> : tensor<40x40xf32>
  %v = graph.constant dense_resource<v> : tensor<40x24xf32>
  %0 = graph.matmul %x, %w : tensor<8x40xf32>, tensor<40x40xf32> -> tensor<8x40xf32>
  %1 = graph.softmax %0 axis 1 : tensor<8x40xf32>
  %2 = graph.matmul %1, %v : tensor<8x40xf32>, tensor<40x24xf32> -> tensor<8x24xf32>
  return %2 : tensor<8x24xf32>
}"""
_OTHER_NAMES = _PRODUCTS.replace("%x", "%image").replace("@main", "@net").replace("%w", "%weight")
_TIED = """func.func @main(%i: tensor<8xi64>, %x: tensor<8x40xf32>) -> (tensor<8x40xf32>, tensor<8x700xf32>) {
  %w = graph.constant dense_resource<table> : tensor<700x40xf32>
  %rows = graph.gather %w, %i axis 0 : tensor<700x40xf32>, tensor<8xi64> -> tensor<8x40xf32>
  %t = graph.transpose %w [1, 0] : tensor<700x40xf32> -> tensor<40x700xf32>
  %y = graph.matmul %x, %t : tensor<8x40xf32>, tensor<40x700xf32> -> tensor<8x700xf32>
  return %rows, %y : tensor<8x40xf32>, tensor<8x700xf32>
}"""
_PARTS = """func.func @main(%x: tensor<8x400xf32>) -> (tensor<8x100xf32>, tensor<8x100xf32>) {
  %0 = graph.slice %x starts [0, 0] ends [8, 100] strides [1, 1] : tensor<8x400xf32> -> tensor<8x100xf32>
  %1 = graph.slice %x starts [0, 200] ends [8, 300] strides [1, 1] : tensor<8x400xf32> -> tensor<8x100xf32>
  %2 = graph.softmax %0 axis 1 : tensor<8x100xf32>
  %3 = graph.softmax %1 axis 1 : tensor<8x100xf32>
  return %2, %3 : tensor<8x100xf32>, tensor<8x100xf32>
}"""
_SCORES = """func.func @main(%x: tensor<128x96xf32>) -> tensor<128x128xf32> {
  %w = graph.constant dense_resource<w> : tensor<96x192xf32>
  %0 = graph.matmul %x, %w : tensor<128x96xf32>, tensor<96x192xf32> -> tensor<128x192xf32>
  %q = graph.slice %0 starts [0, 0] ends [128, 96] strides [1, 1] : tensor<128x192xf32> -> tensor<128x96xf32>
  %k = graph.slice %0 starts [0, 96] ends [128, 192] strides [1, 1] : tensor<128x192xf32> -> tensor<128x96xf32>
  %t = graph.transpose %k [1, 0] : tensor<128x96xf32> -> tensor<96x128xf32>
  %1 = graph.matmul %q, %t : tensor<128x96xf32>, tensor<96x128xf32> -> tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}"""
"""A kernel reads one buffer through two arguments, on several threads."""
_TEXTS = {"products": _PRODUCTS, "tied weights": _TIED, "parts": _PARTS, "scores": _SCORES}


def _compilation(text: str, folder: Path, watched: bool = False, base: Path = _ROOT, **options: Any) -> Compilation:
    chosen = CompileOptions(**options)
    ctx = new_context(chosen.target)
    rng = np.random.default_rng(0)
    for name, dims in (
        () if "{-#" in text else sorted(set(re.findall(r"dense_resource<(\w+)> : tensor<([\dx]+)xf32>", text)))
    ):
        ctx.resources.define(name, rng.standard_normal(tuple(map(int, dims.split("x")))).astype(np.float32))
    module = read_module(ModelText("model.mlir", base, text), ctx, chosen.bindings)
    return Compilation(module, ctx, chosen, PassManager(ctx), is_watched=watched, cache=Cache(folder))


def _program(compilation: Compilation) -> Program:
    return compilation.program(compilation.lower_fully())


def _require_same(first: Program, second: Program) -> None:
    assert first.kernels == second.kernels
    assert first.entry == second.entry
    assert first.signature == second.signature
    assert [each.symbol for each in first.weights] == [each.symbol for each in second.weights]
    for mine, other in zip(first.weights, second.weights, strict=True):
        np.testing.assert_array_equal(mine.array, other.array)


@pytest.fixture
def jobs(monkeypatch: pytest.MonkeyPatch) -> list[KernelJob]:
    """The jobs that are computed, as the cache does not have them."""
    done: list[KernelJob] = []
    compute = separate_kernels.compile_jobs

    def noted(jobs: Sequence[KernelJob]) -> list[CompiledKernel | None]:
        done.extend(jobs)
        return compute(jobs)

    monkeypatch.setattr(separate_kernels, "compile_jobs", noted)
    return done


@pytest.mark.parametrize(
    "options",
    [
        {"target": "x86-64-v3"},
        {"target": "znver4", "precision": "bf16"},
        {"target": "neoverse-v1", "threads": 4},
        {"target": "sapphirerapids", "precision": "bf16", "threads": 2},
        {"target": "cortex-a76", "opt_level": 2},
    ],
    ids=lambda each: "-".join(map(str, each.values())),
)
@pytest.mark.parametrize("model", [*_TEXTS, *(pytest.param(file, marks=pytest.mark.slow) for file in _FILES)])
def test_the_code_is_that_of_the_module(model: str, options: dict[str, Any], tmp_path: Path) -> None:
    text, base = _TEXTS.get(model, ""), _ROOT / Path(model).parent
    text = text or (_ROOT / model).read_text(encoding="utf-8")
    together, apart, again = (
        _compilation(text, tmp_path, watched, base, **options) for watched in (True, False, False)
    )
    wanted = _program(together)
    assert not together.compiled
    _require_same(wanted, _program(apart))
    _require_same(wanted, _program(again))
    assert apart.compiled.keys() == again.compiled.keys()
    assert apart.compiled or model in ("tied weights", "parts")


def test_what_may_depend_on_other_kernels_stays(tmp_path: Path) -> None:
    tied = _compilation(_TIED, tmp_path, target="x86-64-v3")
    assert len([each for each in _program(tied).weights if each.array.size >= 700 * 40]) == 1
    assert not tied.compiled
    parts = _compilation(_PARTS, tmp_path, target="x86-64-v3")
    assert len(_program(parts).kernels) == 1
    assert not parts.compiled


def test_a_kernel_is_compiled_once_for_all_models(tmp_path: Path, jobs: list[KernelJob]) -> None:
    first = _compilation(_PRODUCTS, tmp_path, target="x86-64-v3")
    program = _program(first)
    assert 0 < len(jobs) == len(first.compiled)
    jobs.clear()
    assert len(_program(_compilation(_OTHER_NAMES, tmp_path, target="x86-64-v3")).kernels) == len(program.kernels)
    assert not jobs


@pytest.mark.parametrize(
    "change",
    [{"target": "znver4"}, {"accuracy": "fast"}, {"threads": 2}, {"opt_level": 2}, {"precision": "bf16"}],
    ids=lambda each: next(iter(each)),
)
def test_all_that_the_code_depends_on_is_in_the_key(
    change: dict[str, Any], tmp_path: Path, jobs: list[KernelJob]
) -> None:
    _program(_compilation(_PRODUCTS, tmp_path, target="x86-64-v3"))
    jobs.clear()
    changed: dict[str, Any] = {"target": "x86-64-v3", **change}
    _program(_compilation(_PRODUCTS, tmp_path, **changed))
    assert jobs


def test_other_sources_of_mlc_and_other_rules_are_in_the_key(
    tmp_path: Path, jobs: list[KernelJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    def lowered() -> int:
        jobs.clear()
        _program(_compilation(_PRODUCTS, tmp_path, target="x86-64-v3"))
        return len(jobs)

    assert lowered() and not lowered()
    monkeypatch.setattr(separate_kernels, "compiler_identity", lambda: "another mlc")
    assert lowered() and not lowered()
    monkeypatch.delenv("MLC_STRICT_SCHEDULES")
    assert lowered() and not lowered()


def test_whether_an_argument_is_a_constant_is_in_the_key(tmp_path: Path, jobs: list[KernelJob]) -> None:
    passed = _PRODUCTS.replace("(%x: tensor<8x40xf32>)", "(%x: tensor<8x40xf32>, %v: tensor<40x24xf32>)")
    passed = "\n".join(line for line in passed.splitlines() if "%v = " not in line)
    together = _program(_compilation(passed, tmp_path, watched=True, target="x86-64-v3"))
    _program(_compilation(_PRODUCTS, tmp_path, target="x86-64-v3"))
    jobs.clear()
    _require_same(together, _program(_compilation(passed, tmp_path, target="x86-64-v3")))
    assert len(jobs) == 1


def test_a_broken_entry_of_the_cache_is_made_again(tmp_path: Path, jobs: list[KernelJob]) -> None:
    wanted = _program(_compilation(_PRODUCTS, tmp_path, target="x86-64-v3"))
    count = len(jobs)
    for entry in tmp_path.glob("??/*"):
        entry.write_bytes(entry.read_bytes()[:-1] + b"!")
    _require_same(wanted, _program(_compilation(_PRODUCTS, tmp_path, target="x86-64-v3")))
    assert len(jobs) == 2 * count


_SCHEDULED = """func.func private @double(%x: memref<64xf32>, %y: memref<64xf32> {mlc.output})
    attributes {schedule = #loop.schedule<[STEPS]>} {
  loop.for parallel "i" %i = 0 to 64 {
    %0 = loop.load %x[%i] : memref<64xf32>
    %1 = arith.addf %0, %0 : f32
    loop.store %1, %y[%i] : memref<64xf32>
  }
  return
}
func.func @main(%x: memref<64xf32>, %y: memref<64xf32> {mlc.output}) {
  call @double(%x, %y) : (memref<64xf32>, memref<64xf32>) -> ()
  return
}"""


def test_who_wrote_a_schedule_is_told_what_became_of_it(tmp_path: Path) -> None:
    text = _SCHEDULED.replace("STEPS", "tile(i, 16), blocked_summation(i, 2)")
    compilation = _compilation(text, tmp_path, target="x86-64-v3")
    _program(compilation)
    assert not compilation.compiled
    assert compilation.ctx.warnings


def test_who_asks_for_remarks_gets_them(tmp_path: Path) -> None:
    compilation = _compilation(_PRODUCTS, tmp_path, watched=True, target="x86-64-v3")
    _program(compilation)
    assert not compilation.compiled
    assert any("arena" in each.message for each in compilation.ctx.remarks)


_BYTES = """func.func private @mlc_compiled_apart(
    %arg0: memref<2x16xi8>, %arg1: memref<16x5xi8>, %arg2: memref<2x5xi32> {mlc.output})
    attributes {schedule = #loop.schedule<[STEP]>, mlc.other_schedules = []} {
  %zero = arith.constant 0 : i32
  loop.for parallel "m" %m = 0 to 2 {
    loop.for parallel "n" %n = 0 to 5 {
      %s = loop.for serial "k" %k = 0 to 16 iter_args(%acc = %zero) -> (i32) {
        %a = loop.load %arg0[%m, %k] : memref<2x16xi8>
        %b = loop.load %arg1[%k, %n] : memref<16x5xi8>
        %a32 = arith.extsi %a : i8 to i32
        %b32 = arith.extui %b : i8 to i32
        %p = arith.muli %a32, %b32 : i32
        %t = arith.addi %acc, %p : i32
        loop.yield %t : i32
      }
      loop.store %s, %arg2[%m, %n] : memref<2x5xi32>
    }
  }
  return
}"""


@pytest.mark.parametrize(("step", "is_apart"), [("dot(k, 4)", True), ("dot(k, 8)", False)])
def test_a_kernel_that_asks_for_the_data_of_a_constant(step: str, is_apart: bool) -> None:
    """Words of eight numbers hold those of four bits, and nobody knows here whether they are."""
    options = CompileOptions(target="znver4")
    job = KernelJob(_BYTES.replace("STEP", step), (1,), options, repr(resolve_target("znver4")))
    result = job.run()
    assert (result is not None) is is_apart
    if result is not None:
        assert result.relaid == ((1, WordLayout(0, 4, (16, 5))),)
        assert result.named("dots").kernels[-1].name.startswith("mlc_kernel_dots_")
    assert replace(job, machine="another one").run() is None
    assert replace(job, text=job.text.replace("loop.yield", "loop.yields")).run() is None


def _leave_all(jobs: object, pending: object, results: object) -> None:
    """All is left to the other processes."""


def _with_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernel_processes.PROCESSES, "3")
    monkeypatch.setattr(kernel_processes, "_MUCH_TEXT", 1)
    kernel_processes._pool.end()  # pyright: ignore[reportPrivateUsage]


def _jobs_of(tmp_path: Path, jobs: list[KernelJob]) -> list[KernelJob]:
    _program(_compilation((_ROOT / _FILES[1]).read_text(encoding="utf-8"), tmp_path, target="x86-64-v3"))
    return list(jobs)


def test_processes_give_what_this_one_gives(
    tmp_path: Path, jobs: list[KernelJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _jobs_of(tmp_path, jobs)
    wanted = [job.run() for job in asked]
    _with_others(monkeypatch)
    monkeypatch.setattr(kernel_processes, "_compile_pending", _leave_all)
    assert kernel_processes.compile_jobs(asked) == wanted
    waiting = kernel_processes._pool.waiting  # pyright: ignore[reportPrivateUsage]
    assert len(waiting) == 2
    ids = [each.process.pid for each in waiting]
    assert kernel_processes.compile_jobs(asked) == wanted
    assert sorted(each.process.pid for each in waiting) == sorted(ids)
    kernel_processes._pool.end()  # pyright: ignore[reportPrivateUsage]
    for pid in ids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


@pytest.mark.parametrize("program", ["raise SystemExit", "import os; os.close(1); input()", "print('hello')"])
def test_processes_that_end_or_speak_otherwise(
    program: str, tmp_path: Path, jobs: list[KernelJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _jobs_of(tmp_path, jobs)
    _with_others(monkeypatch)
    monkeypatch.setattr(processes, "_PROGRAM", program)
    assert kernel_processes.compile_jobs(asked) == [job.run() for job in asked]


def test_a_process_that_is_killed_in_the_middle(
    tmp_path: Path, jobs: list[KernelJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _jobs_of(tmp_path, jobs)
    wanted = [job.run() for job in asked]
    _with_others(monkeypatch)
    process = kernel_processes._pool.take(1)[0]  # pyright: ignore[reportPrivateUsage]
    assert process.do(asked[0]) == wanted[0]
    os.kill(process.process.pid, signal.SIGKILL)
    kernel_processes._pool.give_back(process)  # pyright: ignore[reportPrivateUsage]
    assert kernel_processes.compile_jobs(asked) == wanted


def test_tables_that_are_made_in_advance_read_all_kernels(
    tmp_path: Path, jobs: list[KernelJob], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = _jobs_of(tmp_path, jobs)
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "other"))
    monkeypatch.setattr(grammar, "_in_process", {})
    prepare()
    (made,) = (tmp_path / "other" / "grammar").iterdir()
    assert len({frozenset(re.findall(r"\b(arith|math|memref)\.", job.text)) for job in asked}) > 1
    assert all(job.run() is not None for job in asked)
    assert list((tmp_path / "other" / "grammar").iterdir()) == [made]


def test_a_wrong_number_of_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(kernel_processes.PROCESSES, "many")
    with pytest.raises(UserError, match="MLC_PROCESSES is 'many'; required: a number of processes, such as "):
        kernel_processes.expect_jobs(1000)
