"""Finding the inner loop in assembly text, and reading llvm-mca's answer."""

from __future__ import annotations

import pytest

from mlc.benchmarks.mca import cycles, find_mca, fma_cycles, hottest_loop
from mlc.targets.machine import resolve_target

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
\tret
"""


def test_hottest_loop_is_the_one_with_most_multiply_adds() -> None:
    loop = hottest_loop(_TEXT)
    assert loop is not None
    assert loop.fmas == 2
    assert loop.text.splitlines()[0] == "\tldp\tq0, q1, [x1], #32"
    assert "ret" not in loop.text


def test_no_loop() -> None:
    assert hottest_loop("kernel:\n\tfmla\tv8.4s, v0.4s, v1.4s\n\tret\n") is None


def test_cycles_on_a_modelled_cpu() -> None:
    tool, machine = find_mca(), resolve_target("neoverse-n1")
    if tool is None:
        pytest.skip("llvm-mca is not installed")
    assert fma_cycles(tool, machine) == pytest.approx(0.5, abs=0.02)  # two pipelines
    loop = hottest_loop(_TEXT)
    assert loop is not None
    assert cycles(tool, machine, loop.text) >= 1
