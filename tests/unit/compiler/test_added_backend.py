"""A backend of a plugin, in one file: a pipeline, a memory space, a width of index, files and a way to run them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

import mlc
from mlc.architectures import add_architecture
from mlc.architectures.architecture import Architecture, Cpu
from mlc.compiler.backends import backend_of
from mlc.compiler.model_inputs import read_tensors
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError
from mlc.targets.machine import resolve_target
from mlc.tests.unit.compiler.c_backend import CText
from mlc.tools.mlc import main
from mlc.tools.mlc_opt import main as mlc_opt

_PLUGIN = str(Path(__file__).with_name("c_backend.py"))
_DIGITS = Path(__file__).parents[3] / "examples" / "digits"
_LOAD = ["--load-pass", _PLUGIN, "--target", "c"]
_SOFTMAX = """
func.func @main(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = graph.softmax %x axis 1 : tensor<5x7xf32>
  %1 = graph.tanh %0 : tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}
"""
needs_cc = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler named cc")


@needs_cc
@pytest.mark.parametrize("name", ["mlp", "cnn"])
@pytest.mark.parametrize("opt_level", [0, 1])
def test_it_computes_what_the_native_one_does(name: str, opt_level: int) -> None:
    model = _DIGITS / f"{name}.mlir"
    compiled = mlc.compile(model, target="c", plugins=[_PLUGIN], opt_level=opt_level)
    native = mlc.compile(model)
    rng = np.random.default_rng(7)
    x = rng.standard_normal(native.inputs[0].shape).astype(np.float32)
    np.testing.assert_allclose(compiled(x), native(x), rtol=1e-5, atol=1e-5)
    assert (compiled.signature.arch, compiled.signature.cpu) == ("c", "c")


@needs_cc
def test_it_is_a_target_of_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, inputs, outputs = tmp_path / "model.mlir", tmp_path / "x.npy", tmp_path / "y.safetensors"
    model.write_text(_SOFTMAX)
    x = np.linspace(-3, 3, 35, dtype=np.float32).reshape(5, 7)
    np.save(inputs, x)
    command = ["run", str(model), "--inputs", str(inputs), "--outputs", str(outputs), "--repeat", "3", *_LOAD]
    assert main(command) == 0
    (found,) = read_tensors(str(outputs)).values()
    expected = np.exp(x) / np.exp(x).sum(1, keepdims=True)
    np.testing.assert_allclose(found.reshape(5, 7), np.tanh(expected), rtol=1e-5)
    assert "µs per call" in capsys.readouterr().out

    assert main(["compile", str(model), "-o", "-", "--emit", "c", *_LOAD]) == 0
    text = capsys.readouterr().out
    assert "int32_t mlc_main(void **input, void **output, void *workspace)" in text
    assert "float v" in text and "malloc" not in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "m.o"], "cannot tell from 'm.o' what to make: use a suffix among .c, .so, .mlir, or --emit"),
        (["-o", "m.so", "--emit", "llvm-ir"], "found --emit llvm-ir; required, for target 'c': mlir:graph, "),
    ],
)
def test_it_makes_what_it_says(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.mlir"
    model.write_text(_SOFTMAX)
    assert main(["compile", str(model), *arguments, *_LOAD]) == 1
    assert message in capsys.readouterr().err


def test_several_shapes_are_refused_unless_a_backend_joins_them() -> None:
    with pytest.raises(UserError, match="the backend 'c-text' compiles a model for one shape; found 2"):
        CText().joined(ModuleOp([]), "", ["first", "second"])


def test_its_pipeline_is_printed_and_ends_with_loops(capsys: pytest.CaptureFixture[str]) -> None:
    assert mlc_opt(["-O1", "--print-pipeline", *_LOAD]) == 0
    out = capsys.readouterr().out
    assert "use-local-memory" in out and "small buffers of a kernel are near" in out
    assert "convert-loop-to-llvm" not in out and "apply-schedule" not in out


_BUFFER = """
func.func private @k(%x: memref<{0}xf32>, %y: memref<{0}xf32> {{mlc.output}}) {{
  %b = memref.alloc() : memref<{0}xf32, "{1}">
  loop.for serial "i" %i = 0 to {0} {{
    %v = loop.load %x[%i] : memref<{0}xf32>
    loop.store %v, %b[%i] : memref<{0}xf32, "{1}">
    %w = loop.load %b[%i] : memref<{0}xf32, "{1}">
    loop.store %w, %y[%i] : memref<{0}xf32>
  }}
  func.return
}}
"""


@pytest.mark.parametrize(
    ("size", "space", "target", "message"),
    [
        (16, "local", _LOAD, None),
        (257, "local", _LOAD, "the buffers of 'k' in the memory space 'local' take 1028 bytes or more; required, for"),
        (16, "near", _LOAD, "found a buffer in the memory space 'near'; required, for target 'c': no space or 'local'"),
        (16, "local", ["--target", "x86-64-v3"], "required, for target 'x86-64-v3': no space\n"),
    ],
)
def test_memory_spaces_are_those_of_the_target(
    size: int, space: str, target: list[str], message: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "k.mlir"
    file.write_text(_BUFFER.format(size, space))
    status = mlc_opt([str(file), "--plan-memory", *target])
    printed = capsys.readouterr()
    if message is None:
        assert status == 0
        assert f'memref.alloc() : memref<{size}xf32, "{space}">' in printed.out
    else:
        assert status == 1
        assert message in printed.err


def test_small_buffers_are_local(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compile", str(_DIGITS / "cnn.mlir"), "-O1", "--emit", "mlir:loop", "-o", "-", *_LOAD]) == 0
    out = capsys.readouterr().out
    assert 'memref.alloc() : memref<10x10xf32, "local">' in out or '"local">' in out
    assert "mlc.workspace" in out


def test_it_goes_with_the_plugin() -> None:
    with plugin_scope():
        mlc.load_pass(_PLUGIN)
        assert backend_of(resolve_target("c")).name == "c-text"
        assert resolve_target("c").index_bits == 32
    with pytest.raises(UserError, match="unknown target 'c'"):
        resolve_target("c")


def test_an_architecture_without_its_backend() -> None:
    class Lonely(Architecture):
        name = "lonely"
        backend = "nobody"
        cpus = (Cpu("lonely", "", (), (), 32, 8, 1),)

    with plugin_scope():
        add_architecture(Lonely, "a test")
        with pytest.raises(UserError, match="the architecture 'lonely' names the backend 'nobody', which nothing"):
            backend_of(resolve_target("lonely"))
        with pytest.raises(UserError, match="target 'lonely' has no LLVM IR: its backend is 'nobody'; name a CPU of"):
            _ = resolve_target("lonely").instruction_set
