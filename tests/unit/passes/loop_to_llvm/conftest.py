"""Lowers loop-level text, compiles it with clang, and calls it on NumPy arrays."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp
from xdsl.parser import Parser

from mlc.dialects.registry import register_dialects
from mlc.pass_manager.base import Pass
from mlc.passes.loop_to_llvm.convert_loop_to_llvm import ConvertLoopToLlvmPass
from mlc.support.context import CompilerContext
from mlc.targets.cache import Cache
from mlc.targets.llvm_ir import emit_module
from mlc.targets.machine import resolve_target
from mlc.targets.toolchain import find_clang

HOOK = """
static long tasks;
void take_tasks(long *count) { *count = tasks, tasks = 0; }
void mlc_parallel_for(void (*task)(void *, long), void *context, long count) {
  tasks += count;
  for (long i = count - 1; i >= 0; i--) task(context, i);
}
"""
"""A pool of one thread that takes the tasks in an unusual order, and counts them."""


def lower_text(text: str, *passes: Pass, target: str = "native") -> ModuleOp:
    """Parse, run `passes`, lower and verify."""
    ctx = CompilerContext(target=target)
    register_dialects(ctx)
    module = Parser(ctx, text).parse_module()
    for p in (*passes, ConvertLoopToLlvmPass()):
        p.run(module, ctx)
    module.verify()
    return module


@pytest.fixture
def lower() -> Callable[..., ModuleOp]:
    """Lowers a text to the llvm level."""
    return lower_text


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Callable[..., int]]:
    """Compiles loop-level text; the result calls one of its functions by name: `run("k", x, y)`."""
    folder = tmp_path_factory.mktemp("kernels")
    clang = find_clang(None, Cache.default())
    machine = resolve_target("native")
    (folder / "hook.c").write_text(HOOK)
    count = 0

    def compile_text(text: str, *passes: Pass, target: str = "native") -> Callable[..., int]:
        nonlocal count
        count += 1
        source, library = folder / f"{count}.ll", folder / f"{count}.so"
        ir = emit_module(lower_text(text, *passes, target=target), machine)
        source.write_text(ir.replace("weak_odr hidden", "weak_odr"))
        flags = ["-O2", "-fPIC", "-shared", "-Wno-override-module", f"--target={machine.triple}"]
        subprocess.run([*clang.command, *flags, source, folder / "hook.c", "-o", library], check=True)
        loaded = ctypes.CDLL(str(library))

        def run(name: str, *arguments: NDArray[Any] | int) -> int:
            return getattr(loaded, name)(
                *(ctypes.c_int64(a) if isinstance(a, int) else ctypes.c_void_p(a.ctypes.data) for a in arguments)
            )

        return run

    return compile_text
