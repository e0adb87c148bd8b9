"""The command as a user runs it, on one small case."""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from pathlib import Path

import pytest

_ROOT = Path(__file__).resolve().parents[3]


def _benchmarks(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=_ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_quick_run_without_peers(tmp_path: Path) -> None:
    options = ("--quick", "--only", "matvec-1x512", "--no-peers", "--compile-times", "--output", str(tmp_path))
    result = _benchmarks(*options)
    assert result.returncode == 0, result.stderr
    assert "matvec-1x512x512" in result.stdout
    (path,) = tmp_path.glob("*.json")
    run = json.loads(path.read_text())
    assert list(run["cases"][0]["seconds"]) == ["mlc"]
    assert {"FMA peak", "read L1", "read memory"} <= set(run["limits"])
    assert run["compile_times"][0]["cold"] > 0


def test_list() -> None:
    lines = _benchmarks("--list", "--only", "^resnet-.x").stdout.splitlines()
    assert len(lines) == 23
    assert lines[0].split() == ["convolution", "resnet-7x7-3-64-224x224-s2"]


def test_families() -> None:
    lines = _benchmarks("--list", "--families", "int8,memory", "--only", "^(softmax|vgg|matmul)").stdout.splitlines()
    assert {line.split()[0] for line in lines} == {"memory", "int8"}
    result = _benchmarks("--list", "--families", "int8,int2")
    assert result.returncode == 2
    assert "no family is called int2; found matmul, convolution," in result.stderr


def test_a_target_that_cannot_run() -> None:
    result = _benchmarks("--only", "mlp", "--target", "aarch64" if platform.machine() == "x86_64" else "x86-64-v3")
    assert result.returncode == 2
    assert "this machine cannot run code for it" in result.stderr


def test_no_such_case() -> None:
    result = _benchmarks("--only", "nothing")
    assert result.returncode == 2
    assert "no case is called 'nothing'; --list shows them" in result.stderr


def test_readme_wants_complete_results() -> None:
    result = _benchmarks("--update-readme", "--quick")
    assert result.returncode == 2
    assert "--update-readme keeps complete results" in result.stderr


def test_too_few_cores() -> None:
    result = _benchmarks("--threads", "2", "--cores", "0")
    assert result.returncode == 2
    assert "2 threads need as many cores, found [0]" in result.stderr
