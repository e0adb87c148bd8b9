"""Inner loops in the page of `mlc explore`: instructions by kind, registers, what llvm-mca says."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.compiler.compilation import new_context, parse_verified
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.targets.machine import Machine, resolve_target
from mlc.tools.explorer import loop_view
from mlc.tools.explorer.loop_names import loop_names
from mlc.tools.explorer.loop_view import LoopReader
from mlc.tools.explorer.texts import Texts
from mlc.tools.llvm_mca import cycles_in, iterations_of, simulate

X86 = """\
kernel:
.LBB0_1:                                # =>This Inner Loop Header: Depth=1
\tvmovups\t(%rsi,%rax), %ymm0
\tvfmadd231ps\t(%rdi), %ymm0, %ymm8
\tvmovaps\t%ymm8, %ymm3
\tvmovups\t%ymm3, 32(%rsp)               # 32-byte Spill
\tmovb\t%al, %r8b
\taddl\t%r8d, %eax
\tcmpq\t%r11, %rax
\tjb\t.LBB0_1
.LBB0_2:
\tvmulps\t%ymm1, %ymm2, %ymm1
\tvfmadd231ps\t%ymm1, %ymm2, %ymm4
\tvfmadd231ps\t%ymm1, %ymm2, %ymm5
\tdecq\t%rcx
\tjne\t.LBB0_2
\tretq
"""
ARM = """\
kernel:
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
\tldr\tq0, [x0], #16
\tfmla\tv8.4s, v0.4s, v1.s[0]
\tsubs\tw2, w2, #1
\tb.ne\t.LBB0_1
\tret
"""


def test_loops_of_x86() -> None:
    texts, machine = Texts(), resolve_target("x86-64-v3")
    first, second = LoopReader(machine, None, "").loops([X86], texts)[0]
    assert first.counts["multiply-adds"] == 3, "the one with the most multiply-adds comes first"
    assert (second.instructions, second.vector_registers, second.other_registers) == (8, 3, 6)
    assert second.counts == {
        "multiply-adds": 1,
        "other arithmetic": 0,
        "loads": 2,
        "stores": 0,
        "shuffles": 0,
        "copies of registers": 1,
        "spills": 1,
        "addresses, counters, branches": 4,
    }
    text = texts.all_texts()[second.text].text
    assert text.splitlines()[3] == "vmovups        %ymm3, 32(%rsp)", "without a comment"
    assert second.cycles == {"arithmetic": 1 / machine.issue.fma_units, "loads": 2 / machine.issue.loads}
    assert second.simulation is None


def test_loops_are_called_as_in_the_ir() -> None:
    """By the block that LLVM names; what it copied has a suffix, and what it made itself another name."""
    x86 = X86.replace(".LBB0_1:          ", ".LBB0_1: # %b2.1  ").replace(".LBB0_2:\n", ".LBB0_2: # %vector.body\n")
    made, named = LoopReader(resolve_target("x86-64-v3"), None, "").loops([x86], Texts(), [[[], ["m"], ["m", "k"]]])[0]
    assert (named.block, named.loops) == ("b2.1", ["m", "k"])
    assert (made.block, made.loops) == ("vector.body", ())
    arm = ARM.replace(".LBB0_1:          ", ".LBB0_1: // %b1  ")
    (loop,) = LoopReader(resolve_target("neoverse-n1"), None, "").loops([arm], Texts(), [[[], ["n"]]])[0]
    assert (loop.block, loop.loops) == ("b1", ["n"])


def test_names_of_loops_by_block() -> None:
    text = """
func.func private @sums(%x: memref<8x16xf32>, %y: memref<8xf32> {mlc.output}) {
  %zero = arith.constant 0.0 : f32
  loop.for parallel "m" %m = 0 to 8 {
    %s = loop.for serial "k" %k = 0 to 16 iter_args(%sum = %zero) -> (f32) {
      %a = loop.load %x[%m, %k] : memref<8x16xf32>
      %b = arith.addf %sum, %a : f32
      loop.yield %b : f32
    }
    loop.store %s, %y[%m] : memref<8xf32>
  }
  loop.for parallel "n" %n = 0 to 8 {
    loop.store %zero, %y[%n] : memref<8xf32>
  }
  return
}
"""
    ctx = new_context()
    module = parse_verified(text, "m.mlir", ctx, Path())
    PassManager(ctx).run(module, parse_passes("convert-loop-to-llvm"))
    assert loop_names(module) == {"sums": [[], ["m"], ["m", "k"], ["m"], [], ["n"], []]}


def test_loops_of_arm() -> None:
    texts = Texts()
    (loop,) = LoopReader(resolve_target("neoverse-n1"), None, "").loops([ARM], texts)[0]
    assert (loop.instructions, loop.vector_registers, loop.other_registers) == (4, 3, 2)
    assert texts.all_texts()[loop.text].text.splitlines()[0] == "ldr            q0, [x0], #16"


def test_simulation() -> None:
    reader = LoopReader.of(resolve_target("skylake"))
    if reader.tool is None:
        pytest.skip(reader.reason)
    assert reader.words.endswith(", its model of skylake")
    _, loop = reader.loops([X86], Texts())[0]
    assert loop.simulation is not None
    assert loop.simulation.cycles >= 4, "each multiply-add waits for the one before"
    assert loop.simulation.busiest >= max(loop.cycles.values())


def test_a_loop_of_vectors_that_a_core_computes_in_halves() -> None:
    """LLVM's model of a Zen 4 and the facts agree on what bounds a loop of multiply-adds of 512 bits."""
    reader = LoopReader.of(resolve_target("znver4"))
    if reader.tool is None:
        pytest.skip(reader.reason)
    sums = "".join(f"\tvfmadd231ps\t%zmm1, %zmm2, %zmm{n}\n" for n in range(8, 20))
    (loop,) = reader.loops([f".L1:\n{sums}\tdecq\t%rcx\n\tjne\t.L1\n"], Texts())[0]
    assert loop.simulation is not None
    assert loop.cycles["arithmetic"] == 12
    assert loop.simulation.cycles == pytest.approx(12, rel=0.05)
    assert loop.simulation.unit.startswith("Zn4FP")
    assert loop.simulation.instructions == {"vfmadd231ps": pytest.approx(loop.simulation.busiest, rel=0.05)}


def test_an_instruction_that_the_model_does_not_know() -> None:
    reader = LoopReader.of(resolve_target("skylake"))
    if reader.tool is None:
        pytest.skip(reader.reason)
    loops = reader.loops([X86.replace("vmulps\t", "vnothing\t")], Texts())[0]
    assert [loop.simulation is None for loop in loops] == [True, False]


def test_without_llvm_mca(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    reader = LoopReader.of(resolve_target("skylake"))
    assert (reader.tool, reader.words) == (None, "")
    assert reader.reason == "llvm-mca 16 or newer is needed, found none on PATH; install one: apt install llvm-19"
    assert [loop.simulation for loop in reader.loops([X86], Texts())[0]] == [None, None]


def test_no_loop() -> None:
    assert LoopReader(resolve_target("skylake"), None, "").loops(["kernel:\n\tretq\n"], Texts()) == [[]]


def test_loops_that_are_the_same_are_simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reader = LoopReader.of(resolve_target("skylake"))
    if reader.tool is None:
        pytest.skip(reader.reason)
    asked: list[str] = []

    def noted(tool: str, machine: Machine, body: str, iterations: int) -> str:
        asked.append(body)
        return simulate(tool, machine, body, iterations)

    monkeypatch.setattr(loop_view, "simulate", noted)
    first, second, nothing = reader.loops([X86, X86, "kernel:\n\tretq\n"], Texts())
    assert [loop.simulation for loop in first] == [loop.simulation for loop in second] != []
    assert (len(asked), nothing) == (2, [])


def test_fewer_iterations_of_a_long_loop_tell_the_same() -> None:
    machine = resolve_target("skylake")
    reader = LoopReader.of(machine)
    if reader.tool is None:
        pytest.skip(reader.reason)
    assert [iterations_of(size) for size in (0, 1, 20, 40, 200, 1999)] == [1000, 1000, 1000, 500, 100, 100]
    body = "".join(f"\tvfmadd231ps\t(%rdi), %ymm{n % 7}, %ymm{n % 11}\n" for n in range(200))
    few, many = (cycles_in(simulate(reader.tool, machine, body, count)) for count in (iterations_of(200), 1000))
    assert few == pytest.approx(many, rel=0.01)
