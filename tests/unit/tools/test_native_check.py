"""`--check-each` ends with native code: finds what the code generator gets wrong, says what cannot be compared."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects import llvm

from mlc.support.errors import CompilerBug, UserError
from mlc.targets import host
from mlc.targets.cache import Cache
from mlc.targets.llvm_ir_function import EMITTERS
from mlc.targets.machine import resolve_target
from mlc.targets.program import Kernel, Program, Signature
from mlc.targets.toolchain import find_clang, find_emulator, find_linker
from mlc.tools import native_program
from mlc.tools.native_program import require_runnable, run_program

if TYPE_CHECKING:
    from tests.conftest import CommandLine, Result

_BY_NAME = ["--lower-to-tensor", "--lower-to-loops", "--expand-math", "--plan-memory", "--lower-to-llvm"]
"""The passes that no program can do without, one by one."""
_MODEL = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %z: tensor<4xi1>) -> (tensor<2x3xf32>, tensor<4xi1>) {
  %sum = graph.add %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return %sum, %z : tensor<2x3xf32>, tensor<4xi1>
}
"""

_LOOPS = """
func.func @main(%x: memref<8xf32>, %y: memref<8xf32> {mlc.output}, %w: memref<64xi8> {mlc.workspace}) {
  %at = arith.constant 0 : index
  %t = memref.view %w[%at][] : memref<64xi8> to memref<8xf32>
  func.call @twice(%x, %t) : (memref<8xf32>, memref<8xf32>) -> ()
  func.call @twice(%t, %y) : (memref<8xf32>, memref<8xf32>) -> ()
  return
}
func.func private @twice(%a: memref<8xf32>, %b: memref<8xf32> {mlc.output}) {
  loop.for threads "i" %i = 0 to 8 {
    %0 = loop.load %a[%i] : memref<8xf32>
    %1 = arith.addf %0, %0 : f32
    loop.store %1, %b[%i] : memref<8xf32>
  }
  return
}
"""

_FIRST_HALF = """
func.func private @first_half(%a: memref<8xf32>, %b: memref<8xf32> {mlc.output}) {
  loop.for parallel "i" %i = 0 to 4 {
    %0 = loop.load %a[%i] : memref<8xf32>
    loop.store %0, %b[%i] : memref<8xf32>
  }
  return
}
"""

_WRONG = (
    "in 'native code', '{}' computes something else: result 0 at {} is -?[0-9.]+, it was -?[0-9.]+; "
    "{} of {} elements differ"
)


def _notes(result: Result) -> str:
    """Standard error, without how much was compared."""
    compared = [line for line in result.err.splitlines(keepends=True) if "--check-each compared" in line]
    assert len(compared) <= 1
    return result.err.replace("".join(compared), "")


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reproducers appear in the current folder."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def clang() -> None:
    """Skips the test where code cannot be built."""
    try:
        find_linker(resolve_target("native").arch, find_clang(None, Cache.default()), Cache.default())
    except UserError as e:
        pytest.skip(e.message)


@pytest.fixture
def subtracting(clang: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A code generator that prints `fsub` for `llvm.fadd`."""
    monkeypatch.setitem(EMITTERS, llvm.FAddOp, EMITTERS[llvm.FSubOp])


@pytest.fixture
def run_counts(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many outputs each native run gave for one draw of the inputs."""
    counts: list[int] = []
    original: Callable[..., list[Any]] = native_program.run_program
    monkeypatch.setattr("mlc.reference.inputs._MUCH_WORK", ((0, 1),))

    def run(*arguments: object) -> list[Any]:
        outputs = original(*arguments)
        counts.append(len(outputs))
        return outputs

    monkeypatch.setattr("mlc.tools.native_check.run_program", run)
    return counts


@pytest.mark.usefixtures("subtracting")
@pytest.mark.parametrize("options", [["-O0"], ["-O3"], ["-O3", "--threads=2"], _BY_NAME, ["--emit=asm"]])
def test_wrong_code_is_found_and_named(options: list[str], mlc_opt: CommandLine) -> None:
    options = ["-O1", *options] if options == ["--emit=asm"] else options
    result = mlc_opt(*options, "--check-each", stdin=_MODEL)
    assert result.status == 70
    assert re.match(
        "mlc-opt: bug in mlc: " + _WRONG.format("add", r"\[\d, \d\]", 6, 6) + "\n  in: native code", result.err
    )
    assert result.out == ""


@pytest.mark.usefixtures("subtracting")
def test_the_message_tells_both_values(mlc_opt: CommandLine) -> None:
    text = "func.func @main(%x: tensor<1xf64>) -> tensor<1xf64> {\n"
    text += "  %y = graph.add %x, %x : tensor<1xf64>, tensor<1xf64> -> tensor<1xf64>\n  return %y : tensor<1xf64>\n}\n"
    result = mlc_opt("-O0", "--check-each", "--seed=3", stdin=text)
    (value,) = re.findall(r"it was (\S+);", result.err)
    expected = (
        f"in 'native code', 'add' computes something else: result 0 at [0] is 0.0, it was {value}; 1 of 1 elements"
    )
    assert expected in result.err


@pytest.mark.usefixtures("subtracting")
def test_the_reproducer_shows_the_bug_again(mlc_opt: CommandLine) -> None:
    assert mlc_opt("-O2", "--check-each", "--seed=4", stdin=_MODEL).status == 70
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    assert "--check-each --seed=4 --threads=1" in reproducer.read_text()
    again = mlc_opt("--run-reproducer", str(reproducer))
    assert again.status == 70
    assert "in 'native code', 'add' computes something else" in again.err


@pytest.mark.usefixtures("subtracting")
def test_nothing_is_written_of_a_model_that_is_wrong(mlc: CommandLine) -> None:
    Path("model.mlir").write_text(_MODEL)
    save_file({"x": np.zeros((2, 3), np.float32), "y": np.zeros(3, np.float32), "z": np.ones(4, np.bool_)}, "in")
    for arguments in (["compile", "model.mlir", "-o", "m.so"], ["compile", "model.mlir", "-o", "m.ll"]):
        result = mlc(*arguments, "--check-each")
        assert result.status == 70
        assert "in 'native code', 'add' computes something else" in result.err
        assert not Path(arguments[-1]).exists()
    result = mlc("run", "model.mlir", "--inputs", "in", "-o", "m.so", "--check-each")
    assert "in 'native code', 'add' computes something else" in result.err
    assert not Path("m.so").exists()


@pytest.mark.usefixtures("clang")
@pytest.mark.parametrize("options", [["-O3"], ["-O0"], _BY_NAME, [*_BY_NAME, "--canonicalize"]])
def test_right_code_passes_in_silence(options: list[str], mlc_opt: CommandLine, run_counts: list[int]) -> None:
    result = mlc_opt(*options, "--check-each", stdin=_MODEL)
    assert (result.status, _notes(result)) == (0, "")
    assert run_counts == [3]  # of the kernel and of the model


@pytest.mark.usefixtures("clang")
def test_a_module_above_the_llvm_level_has_no_native_code(mlc_opt: CommandLine, run_counts: list[int]) -> None:
    result = mlc_opt("-O3", "--emit=mlir:loop", "--check-each", stdin=_MODEL)
    assert (result.status, _notes(result), run_counts) == (0, "", [])


@pytest.mark.usefixtures("clang")
def test_modules_at_the_loop_level(mlc_opt: CommandLine, run_counts: list[int]) -> None:
    result = mlc_opt("--lower-to-llvm", "--threads=2", "--check-each", stdin=_LOOPS)
    assert (result.status, _notes(result), run_counts) == (0, "", [2])


@pytest.mark.usefixtures("clang")
def test_buffers_that_a_kernel_does_not_fill(mlc_opt: CommandLine) -> None:
    result = mlc_opt(
        "--lower-to-llvm", "--check-each", stdin=_FIRST_HALF + _FIRST_HALF.replace("@f", "@g", 1).replace("f32", "i1")
    )
    assert (result.status, _notes(result)) == (0, "")


@pytest.mark.usefixtures("subtracting")
def test_a_wrong_kernel_explains_the_model_that_calls_it(mlc_opt: CommandLine) -> None:
    result = mlc_opt("--lower-to-llvm", "--check-each", stdin=_LOOPS)
    assert re.search(_WRONG.format("twice", r"\[\d\]", 8, 8), result.err)


def test_without_clang(mlc_opt: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CC", "/no/clang")
    result = mlc_opt("-O3", "--check-each", stdin=_MODEL)
    assert result.status == 0
    assert "llvm.func @mlc_main" in result.out
    assert re.fullmatch(
        "note: native code was not compared: MLC_CC names '/no/clang', which is not a program; .*\n", _notes(result)
    )


def _other_architecture() -> str:
    return "x86-64-v2" if host.architecture() == "aarch64" else "aarch64"


@pytest.mark.usefixtures("subtracting")
def test_code_for_another_architecture_runs_in_an_emulator(mlc_opt: CommandLine) -> None:
    target = _other_architecture()
    if find_emulator(resolve_target(target).arch) is None:
        pytest.skip("there is no emulator")
    result = mlc_opt("-O3", "--check-each", f"--target={target}", stdin=_MODEL + _FIRST_HALF)
    assert re.search(_WRONG.format("add", r"\[\d, \d\]", 6, 6), result.err)


def test_without_an_emulator(mlc_opt: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native_program, "find_emulator", lambda arch: None)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    target = _other_architecture()
    arch = resolve_target(target).arch
    result = mlc_opt("-O3", "--check-each", f"--target={target}", stdin=_MODEL)
    assert (result.status, _notes(result)) == (
        0,
        f"note: native code was not compared: it is for {arch}, and there is no qemu-{arch} to run it here "
        "(apt install qemu-user-static)\n",
    )


def test_instructions_that_this_cpu_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = resolve_target("x86-64-v3")
    there = set(machine.required_cpu_flags)

    def missing_flags(required: Iterable[str]) -> list[str]:
        return sorted(set(required) - there)

    monkeypatch.setattr(host, "architecture", lambda: "x86_64")
    monkeypatch.setattr(host, "missing_flags", missing_flags)
    require_runnable(machine)
    there.remove("avx2")
    with pytest.raises(UserError, match="it is for x86-64-v3 and needs avx2, which this CPU does not have"):
        require_runnable(machine)


def test_a_module_that_starts_at_the_llvm_level(mlc_opt: CommandLine) -> None:
    note = (
        "note: native code was not compared: no convert-loop-to-llvm ran, and the llvm level does not say what "
        "functions take and give\n"
    )
    lowered = mlc_opt("-O3", stdin=_MODEL).out
    for options in ([], ["--canonicalize"], ["--lower-to-llvm"]):
        result = mlc_opt(*options, "--check-each", stdin=lowered)
        assert (result.status, _notes(result)) == (0, note)


@pytest.mark.usefixtures("clang")
def test_functions_that_cannot_be_compared_are_named(mlc_opt: CommandLine, run_counts: list[int]) -> None:
    text = "func.func private @index(%i: index) { return }\n"
    text += "llvm.func @low() { llvm.return }\n"
    text += "func.func private @same(%x: memref<2xf32>) -> memref<2xf32> { return %x : memref<2xf32> }\n"
    result = mlc_opt("--lower-to-llvm", "--check-each", stdin=text + _LOOPS)
    assert result.status == 0
    assert _notes(result).splitlines() == [
        "note: native code of 'index' was not compared: its arguments are not all tensors or buffers",
        "note: native code of 'same' was not compared: it returns values, which the checker knows of buffers only",
        "note: native code of 'low' was not compared: it was at the llvm level from the start",
        "note: --check-each did not check 'index': its arguments are not all tensors or buffers",
    ]
    assert run_counts == [2]


@pytest.mark.usefixtures("clang")
def test_code_that_crashes_takes_no_compiler_with_it(tmp_path: Path) -> None:
    text = "define i32 @mlc_main(ptr %0, ptr %1, ptr %2) {{\n  {}\n  ret i32 {}\n}}\n"
    crash = f"declare void @llvm.trap()\n{text.format('call void @llvm.trap()', 0)}"
    program = Program([], Kernel("main", crash), Signature("main", (), (), 0, ""))
    with pytest.raises(CompilerBug, match=r"native code ended with SIG(ILL|TRAP)"):
        run_program(program, resolve_target("native"), [], tmp_path, None)
    program = Program([], Kernel("main", text.format("", 3)), Signature("main", (), (), 0, ""))
    with pytest.raises(CompilerBug, match="native code ended with status 3"):
        run_program(program, resolve_target("native"), [], tmp_path, None)
