"""Finding inner loops in assembly text."""

from __future__ import annotations

from mlc.schedules.cost.work import Instructions
from mlc.targets.machine import resolve_target
from mlc.tools.inner_loops import hottest_loop, innermost_loops

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
\tldr\tq3, [sp, #16]                    // 16-byte Folded Reload
\tstr\tx9, [sp, #8]                     // 8-byte Folded Spill
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


def test_spills_are_what_llvm_says() -> None:
    """Arrays may be addressed by any register, and arithmetic may read a spilled one."""
    body = """
.L0:
\tvmovups\t(%rbp,%rax,4), %ymm1
\tvmovups\t%ymm1, -40(%rsp)                # 32-byte Spill
\tvfmadd231ps\t-40(%rsp), %ymm1, %ymm2      # 32-byte Folded Reload
\t                                        # ymm2 = (ymm1 * mem) + ymm2
\tvmovups\t-40(%rsp), %ymm3                # 32-byte Reload
\tvmovups\t%ymm3, 64(%rsp,%rax,4)
\tmovq\t%rcx, 40(%rsp)                     # 8-byte Spill
\tjb\t.L0
"""
    (loop,) = innermost_loops(body, _X86)
    assert (loop.spills, loop.moves) == (3, 0)
    assert loop.work == Instructions(multiply_adds=1, loads=2, stores=1)
