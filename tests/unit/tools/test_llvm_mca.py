"""Which llvm-mca is asked, and reading its answer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mlc.targets.machine import resolve_target
from mlc.tools.llvm_mca import FRONT, BusyUnit, busiest_unit, cycles, find_mca

SHOWN = """Iterations:        100
Total Cycles:      900
Total uOps:        2000

Dispatch Width:    4

Resources:
[0]   - FP0
[1.0] - Load
[1.1] - Load


Resource pressure per iteration:
[0]    [1.0]  [1.1]
 -     4.50   3.00

Resource pressure by instruction:
[0]    [1.0]  [1.1]  Instructions:
 -      -     1.00   vmovups\t(%rsi,%rax), %ymm0
 -     3.50    -     vbroadcastss\t(%rdi), %ymm1
 -     1.00   2.00   vmovups\t(%rsi), %ymm1
"""


def test_the_front_of_a_core_is_a_unit() -> None:
    assert busiest_unit(SHOWN) == BusyUnit(FRONT, 5.0)


def test_which_instructions_keep_a_unit_busy() -> None:
    shown = SHOWN.replace("4.50   3.00", "6.50   3.00")
    assert busiest_unit(shown) == BusyUnit("Load", 6.5, {"vbroadcastss": 3.5, "vmovups": 1.0})
    assert busiest_unit(shown.partition("\nResource pressure by instruction")[0]) == BusyUnit("Load", 6.5)


def test_a_loop_that_waits_for_itself() -> None:
    try:
        tool = find_mca()
    except LookupError as e:
        pytest.skip(str(e))
    machine = resolve_target("neoverse-n1")
    assert cycles(tool, machine, "fmla v0.4s, v1.4s, v2.4s") >= machine.issue.fma_latency / 2
    with pytest.raises(subprocess.CalledProcessError):
        cycles(tool, machine, "nothing v0.4s")


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
