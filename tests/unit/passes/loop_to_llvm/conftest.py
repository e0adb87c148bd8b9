"""Lowers loop-level text, compiles it with clang, and calls it on NumPy arrays."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from mlc.dialects.registry import register_dialects
from mlc.passes.loop_to_llvm.lower_to_llvm import LowerToLlvmPass
from mlc.support.context import CompilerContext
from mlc.targets.cache import Cache
from mlc.targets.llvm_ir import emit_module
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_clang

Lower = Callable[[str], ModuleOp]
Library = Callable[..., int]
Compile = Callable[[str], Callable[..., int]]


def lower_text(text: str) -> ModuleOp:
    """Parse, lower and verify."""
    ctx = CompilerContext()
    register_dialects(ctx)
    module = Parser(ctx, text).parse_module()
    LowerToLlvmPass().run(module, ctx)
    module.verify()
    return module


@pytest.fixture
def lower() -> Lower:
    """Lowers a text to the llvm level."""
    return lower_text


@pytest.fixture
def compiled(tmp_path: Path) -> Compile:
    """Compiles loop-level text; the result calls one of its functions by name: `run("k", x, y)`."""

    def compile_text(text: str) -> Callable[..., int]:
        machine = resolve_target("native")
        source, library = tmp_path / "k.ll", tmp_path / "k.so"
        source.write_text(emit_module(lower_text(text), machine).replace("weak_odr hidden", "weak_odr"))
        hook = tmp_path / "hook.c"
        hook.write_text(
            "void mlc_parallel_for(void (*task)(void *, long), void *context, long count) {\n"
            "  for (long i = count - 1; i >= 0; i--) task(context, i);\n}\n"
        )
        clang = find_clang(None, Cache(tmp_path / "cache"))
        flags = ["-O2", "-fPIC", "-shared", "-Wno-override-module", f"--target={machine.triple}"]
        subprocess.run([*clang.command, *flags, source, hook, "-o", library], check=True)
        loaded = ctypes.CDLL(str(library))

        def run(name: str, *arguments: NDArray[Any] | int) -> int:
            converted = [
                ctypes.c_int64(a) if isinstance(a, int) else ctypes.c_void_p(a.ctypes.data) for a in arguments
            ]
            return getattr(loaded, name)(*converted)

        return run

    return compile_text
