"""Which llvm-mca is asked, and reading its answer."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from mlc.targets.machine import resolve_target
from mlc.tools.llvm_mca import busiest_unit, cycles, find_mca


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
