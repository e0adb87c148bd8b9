"""What nests to a depth of a thousand is read, printed, verified and transformed; deeper nesting is a user's error."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import mlc
from mlc.support.errors import UserError
from mlc.support.recursion import deep_recursion
from mlc.targets.cache import Cache
from mlc.targets.toolchain import find_clang
from mlc.tools import mlc_opt

from .conftest import Syntax

NESTED: dict[str, Callable[[int], str]] = {
    "attribute": lambda n: "func.func private @f() attributes {a = " + "[" * n + "]" * n + "}",
    "dictionary": lambda n: "func.func private @f() attributes {a = " + "{a = " * n + "1" + "}" * n + "}",
    "type": lambda n: "func.func private @f(" + "tuple<" * n + "i32" + ">" * n + ")",
    "type of a dialect": lambda n: "func.func private @f(" + "!llvm.struct<(" * n + "i32" + ")>" * n + ")",
    "type of functions": lambda n: "func.func private @f(" + "() -> (" * n + "i32" + ")" * n + ")",
    "sum": lambda n: "func.func private @f() attributes {a = affine_map<(d0) -> (" + "d0 floordiv 3 + " * n + "d0)>}",
}
"""Texts in which something nests to a depth."""


def branches(depth: int) -> str:
    """Regions of an op whose parser is written by hand, inside of a function in a module."""
    inside = depth - 2
    return "module { func.func @f(%c: i1) {\n" + "scf.if %c {\n" * inside + "}\n" * inside + "return\n}}"


def generic(depth: int) -> str:
    """Regions of the generic form, inside of a module."""
    return "module {" + '"t.op"() ({' * (depth - 1) + "}) : () -> ()" * (depth - 1) + "}"


REGIONS: dict[str, Callable[[int], str]] = {"hand-written": branches, "generic": generic}


@pytest.mark.slow
@pytest.mark.parametrize("what", NESTED | REGIONS)
def test_nesting_to_a_thousand(what: str, lenient: Syntax) -> None:
    printed = lenient.print(lenient.parse((NESTED | REGIONS)[what](1000)))
    assert lenient.print(lenient.parse(printed)) == printed


@pytest.mark.parametrize("what", REGIONS)
def test_more_regions_are_an_error(what: str, lenient: Syntax) -> None:
    (error,) = lenient.errors(REGIONS[what](1001).replace("{\n", "{"))
    assert error.endswith("regions are nested more than 1000 deep")
    (error,) = lenient.errors(REGIONS[what](10_000))
    assert error.endswith("regions are nested more than 1000 deep")


@pytest.mark.slow
@pytest.mark.parametrize("what", NESTED)
def test_deeper_nesting_is_an_error_at_its_operation(what: str, lenient: Syntax) -> None:
    with pytest.raises(UserError, match="this is nested too deeply") as caught:
        lenient.print(lenient.parse("\n" + NESTED[what](10_000)))
    assert caught.value.location is not None
    assert caught.value.location.line == 2


@pytest.mark.slow
def test_passes_take_what_is_nested(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deep.mlir"
    text = branches(1000).replace("scf.if %c {\n}", 'scf.if %c { "t.use"(%c) : (i1) -> ()\n}')
    file.write_text(text)
    passes = ("--canonicalize", "--cse", "--dce", "--verify-each", "--print-debuginfo")
    assert mlc_opt.main([str(file), "--allow-unregistered-dialect", *passes]) == 0
    assert capsys.readouterr().out.count("scf.if") == 998


@pytest.mark.slow
def test_nested_loops_become_llvm_ir(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    depth = 900
    loops = "".join(f'loop.for serial "l{i}" %i{i} = 0 to 2 {{\n' for i in range(depth))
    constants = "%zero = arith.constant 0 : index\n%x = arith.constant 1.0 : f32\n"
    store = "memref.store %x, %y[%zero] : memref<1xf32>\n"
    text = f"func.func @f(%y: memref<1xf32> {{mlc.output}}) {{\n{constants}{loops}{store}{'}' * depth}\nreturn\n}}"
    file = tmp_path / "deep.mlir"
    file.write_text(text)
    assert mlc_opt.main([str(file), "-O0", "--emit=llvm-ir"]) == 0
    assert capsys.readouterr().out.count(" phi i64 ") >= depth


def test_threads_share_the_limit() -> None:
    def round_trip(depth: int) -> int:
        syntax = Syntax()
        return syntax.print(syntax.parse(branches(depth))).count("scf.if")

    before = sys.getrecursionlimit()
    with ThreadPoolExecutor(4) as pool:
        assert [*pool.map(round_trip, [400, 10, 400, 20])] == [398, 8, 398, 18]
    assert sys.getrecursionlimit() == before


def test_a_thread_with_a_small_stack_ends_in_an_error() -> None:
    errors: list[UserError] = []

    def parse() -> None:
        with pytest.raises(UserError, match="this is nested too deeply") as caught:
            mlc.parse(NESTED["type of a dialect"](10_000) + "\n")
        errors.append(caught.value)

    before = threading.stack_size(1 << 20)
    try:
        thread = threading.Thread(target=parse)
        thread.start()
        thread.join()
    finally:
        threading.stack_size(before)
    assert errors


def test_a_higher_limit_of_the_process_stays() -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(50_000)
    try:
        with deep_recursion():
            assert sys.getrecursionlimit() == 50_000
        assert sys.getrecursionlimit() == 50_000
    finally:
        sys.setrecursionlimit(before)


_HOOK = """
void *_PyEval_EvalFrameDefault(void *, void *, int);
void *evaluate(void *state, void *frame, int throws) { return _PyEval_EvalFrameDefault(state, frame, throws); }
"""
_HOOKED = """
import ctypes, sys, pytest
api, hook = ctypes.pythonapi, ctypes.CDLL("./hook.so").evaluate
api.PyInterpreterState_Get.restype = ctypes.c_void_p
api._PyInterpreterState_SetEvalFrameFunc.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
api._PyInterpreterState_SetEvalFrameFunc(api.PyInterpreterState_Get(), ctypes.cast(hook, ctypes.c_void_p))
sys.exit(pytest.main(["-q", "-k", "deeper", *sys.argv[1:]]))
"""


@pytest.mark.slow
def test_frames_that_a_hook_evaluates_take_more_of_the_stack(tmp_path: Path) -> None:
    # `torch.compile` sets such a hook, and leaves it when a backend raises.
    (tmp_path / "hook.c").write_text(_HOOK)
    clang = find_clang(None, Cache.default()).command
    subprocess.run([*clang, "-O1", "-fPIC", "-shared", "hook.c", "-o", "hook.so"], cwd=tmp_path, check=True)
    run = [sys.executable, "-c", _HOOKED, __file__]
    done = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stdout + done.stderr
