"""Finding the inner loop in assembly text, and reading llvm-mca's answer."""

from __future__ import annotations

from pathlib import Path

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
    machine = resolve_target("neoverse-n1")
    try:
        tool = find_mca()
    except LookupError as e:
        pytest.skip(str(e))
    assert fma_cycles(tool, machine) == pytest.approx(0.5, abs=0.02)  # two pipelines
    loop = hottest_loop(_TEXT)
    assert loop is not None
    assert cycles(tool, machine, loop.text) >= 1


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
