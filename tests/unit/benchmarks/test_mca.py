"""Finding inner loops in assembly text, and reading llvm-mca's answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mlc.benchmarks.cpu_models import as_modelled, disagreements, modelled
from mlc.benchmarks.mca import Judgement, loops_table, main
from mlc.schedules.cost.work import Instructions
from mlc.targets.machine import resolve_target
from mlc.tools.inner_loops import hottest_loop, innermost_loops
from mlc.tools.llvm_mca import busiest_unit, cycles, find_mca

_ARM = resolve_target("neoverse-n1")
_X86 = resolve_target("skylake-avx512")
_TEXT = """\
kernel:
\t.cfi_startproc
.LBB0_1:                                // =>This Inner Loop Header: Depth=1
\tldr\tq0, [x0], #16
\tfmla\tv8.4s, v0.4s, v1.4s
\tsubs\tx2, x2, #1
\tb.ne\t.LBB0_1
// %bb.2:
\tfmla\tv8.4s, v0.4s, v1.4s
.LBB0_3:
\tldp\tq0, q1, [x1], #32
\tfmla\tv8.4s, v0.4s, v4.s[0]
\tfmla\tv9.4s, v1.4s, v4.s[0]
\tcmp\tx1, x3
\tb.ne\t.LBB0_3
.LBB0_4:                                // copies bytes: nothing is computed
\tldr\tq0, [x0], #16
\tstr\tq0, [x1], #16
\tb.ne\t.LBB0_4
\tret
"""


def test_hottest_loop_is_the_one_with_most_multiply_adds() -> None:
    loop = hottest_loop(_TEXT, _ARM)
    assert loop is not None
    assert loop.fmas == 2
    assert loop.text.splitlines()[0] == "\tldp\tq0, q1, [x1], #32"
    assert "ret" not in loop.text
    assert len(innermost_loops(_TEXT, _ARM)) == 2


def test_no_loop() -> None:
    assert hottest_loop("kernel:\n\tfmla\tv8.4s, v0.4s, v1.4s\n\tret\n", _ARM) is None


def test_instructions_of_arm() -> None:
    body = """
.L0:
\tldp\tq0, q1, [x1], #32
\tld1r\t{ v2.4s }, [x2], #4
\tldr\tq3, [sp, #16]
\tmov\tv4.16b, v5.16b
\tmovi\tv6.2d, #0000000000000000
\tfmul\tv0.4s, v0.4s, v1.s[0]
\tfmls\tv4.4s, v0.4s, v2.4s
\tfadd\tv4.4s, v4.4s, v3.4s
\tbsl\tv4.16b, v0.16b, v1.16b
\tzip1\tv4.4s, v4.4s, v0.4s
\tstp\tq4, q0, [x3]
\tadd\tx3, x3, #32
\tb.lo\t.L0
"""
    (loop,) = innermost_loops(body, _ARM)
    assert loop.work == Instructions(multiply_adds=2, others=2, loads=3, stores=2, shuffles=1)
    assert (loop.fmas, loop.moves, loop.spills) == (1, 2, 1)
    assert loop.bound(_ARM) == 2  # two stores, one per cycle
    assert loop.bound(_ARM.with_facts({"loads": 1}, {})) == 3


def test_instructions_of_x86() -> None:
    body = """
.L0:
\tvmovups\t64(%rdi,%rax,4), %zmm1
\tvbroadcastss\t(%rsi), %zmm2
\tvmovups\t64(%rsp), %zmm9                # 64-byte Reload
\tvmovaps\t%zmm3, %zmm4
\tvxorps\t%xmm5, %xmm5, %xmm5
\tvmovaps\t%zmm1, %zmm6 {%k1}
\tvfmadd231ps\t128(%rdi), %zmm1, %zmm2     # zmm2 = (zmm1 * mem) + zmm2
\tvmulps\t(%rdx){1to16}, %zmm1, %zmm7
\tvmaxps\t%zmm1, %zmm2, %zmm3
\tvshufps\t$1, %zmm1, %zmm2, %zmm3
\tvmovups\t%zmm2, 64(%rdx,%rax,4)
\taddq\t$16, %rax
\tjb\t.L0
"""
    (loop,) = innermost_loops(body, _X86)
    assert loop.work == Instructions(multiply_adds=2, others=2, loads=4, stores=1, shuffles=1)
    assert (loop.fmas, loop.moves, loop.spills) == (1, 2, 1)
    assert loop.bound(_X86) == 2


def test_dot_products_are_multiply_adds() -> None:
    x86 = """
.L0:
\tvpbroadcastd\t(%rsi), %zmm2
\tvmovdqu64\t64(%rdi), %zmm1
\tvpdpbusd\t%zmm1, %zmm2, %zmm3
\tvpdpbusd\t64(%rdi){1to16}, %zmm2, %zmm4
\tvpbroadcastd\t%xmm4, %zmm5
\tjb\t.L0
"""
    (loop,) = innermost_loops(x86, _X86)
    assert loop.work == Instructions(multiply_adds=2, loads=3, shuffles=1)
    arm = """
.L0:
\tldp\tq0, q1, [x1], #32
\tsdot\tv4.4s, v0.16b, v1.4b[0]
\tsudot\tv5.4s, v0.16b, v1.4b[1]
\tbfdot\tv6.4s, v0.8h, v1.2h[1]
\tb.lo\t.L0
"""
    (loop,) = innermost_loops(arm, _ARM)
    assert loop.work == Instructions(multiply_adds=3, loads=2) and loop.fmas == 3


def test_the_front_of_a_core_is_a_unit() -> None:
    shown = """Iterations:        100
Total Cycles:      900
Total uOps:        2000

Dispatch Width:    4
Resource pressure per iteration:
[0]    [1]    [2]
 -     4.50   3.00
"""
    assert busiest_unit(shown) == 5
    assert busiest_unit(shown.replace("4.50", "6.50")) == 6.5


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
    loop = hottest_loop(_TEXT, _ARM)
    assert loop is not None
    assert cycles(tool, _ARM, loop.text) >= 1


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


def _install(folder: Path, **versions: str) -> None:
    """Programs of these names (with `-` for `_`) that say these versions."""
    for name, version in versions.items():
        program = folder / name.replace("_", "-")
        program.write_text(f"#!/bin/sh\necho 'Debian LLVM version {version}'\n")
        program.chmod(0o755)


def test_the_newest_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(LookupError, match="llvm-mca 16 or newer is needed, found none on PATH; install one: apt"):
        find_mca()
    _install(tmp_path, llvm_mca="14.0.6", llvm_mca_14="14.0.6")
    with pytest.raises(LookupError, match=r"16 or newer is needed, found only .*/llvm-mca(-14)?, version 14; install"):
        find_mca()
    _install(tmp_path, llvm_mca_17="17.0.1", llvm_mca="21.1.0")
    assert find_mca() == str(tmp_path / "llvm-mca")
    _install(tmp_path, llvm_mca="14.0.6")
    assert find_mca() == str(tmp_path / "llvm-mca-17")
