"""A hand-written program for the tests of the toolchain, and a cache for each test."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

import numpy as np
import pytest

from mlc.targets.machine import Machine
from mlc.targets.program import Kernel, Program, Signature, TensorSpec, Weight

N = 16


def _attributes(machine: Machine) -> str:
    pairs = " ".join(f'"{key}"="{value}"' for key, value in machine.function_attributes.items())
    return f"attributes #0 = {{ nounwind {pairs} }}\n"


def _kernel(machine: Machine) -> Kernel:
    return Kernel(
        "double_plus",
        f"""define weak_odr hidden void @double_plus(ptr noalias %x, ptr noalias %w, ptr noalias %y) #0 {{
  %a = load <{N} x float>, ptr %x, align 4
  %b = load <{N} x float>, ptr %w, align 64
  %c = fadd <{N} x float> %a, %a
  %d = fadd <{N} x float> %c, %b
  store <{N} x float> %d, ptr %y, align 4
  ret void
}}
{_attributes(machine)}""",
    )


def _program(machine: Machine, name: str = "main", weight: float = 1.0) -> Program:
    entry = f"""@w = external hidden constant [{N} x float], align 64
declare hidden void @double_plus(ptr, ptr, ptr)
define i32 @mlc_{name}(ptr %inputs, ptr %outputs, ptr %workspace) #0 {{
  %x = load ptr, ptr %inputs
  %y = load ptr, ptr %outputs
  call void @double_plus(ptr %x, ptr @w, ptr %y)
  ret i32 0
}}
{_attributes(machine)}"""
    return Program(
        [_kernel(machine)],
        Kernel(name, entry),
        Signature(name, (TensorSpec("x", "float32", (N,)),), (TensorSpec("y", "float32", (N,)),), 256, "0.1.0"),
        [Weight("w", np.arange(N, dtype=np.float32) * weight)],
    )


class MakeProgram(Protocol):
    def __call__(self, machine: Machine, name: str = "main", weight: float = 1.0) -> Program: ...


@pytest.fixture
def make_program() -> MakeProgram:
    """Makes the model function `name`, y = 2 x + weight * [0, 1, …, 15], over f32[16]."""
    return _program


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Every test starts with an empty cache and no configuration."""
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("MLC_CC", raising=False)
    return tmp_path / "cache"
