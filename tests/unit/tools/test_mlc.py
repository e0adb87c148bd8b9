"""The command `mlc`: what its commands make and print, and how they fail."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file  # pyright: ignore[reportUnknownVariableType]

from mlc.compiler.compilation import Compilation
from mlc.compiler.native_backend import NativeBackend
from mlc.runtime import load
from mlc.targets.toolchain import find_emulator
from mlc.tools.mlc_compile import form_of

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_MODEL = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %sum = graph.add %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return %sum : tensor<2x3xf32>
}
"""

_WEIGHTED = """
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.constant dense_resource<y> : tensor<3xf32>
  %sum = graph.add %x, %y : tensor<2x3xf32>, tensor<3xf32> -> tensor<2x3xf32>
  return %sum : tensor<2x3xf32>
}

{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "model.mlir").write_text(_MODEL)
    x = np.arange(24, dtype=np.float32).reshape(8, 3)
    y = np.array([1, 2, 3], np.float32)
    labels = np.array([2, 2, 2, 2, 2, 2, 2, 0], np.int32)
    save_file({"x": x, "y": y, "labels": labels}, "in.safetensors")
    return "model.mlir"


def test_help_and_version(mlc: CommandLine) -> None:
    shown = mlc("--help").out
    assert all(f"\n  {name}" in shown for name in ("compile", "run", "explain", "targets", "doctor"))
    assert re.fullmatch(r"mlc \d+\.\d+\.\d+\n", mlc("--version").out)
    assert "--emit FORM" in mlc("compile", "--help").out
    assert mlc("run", "--help").out.count("--check-labels[=KEY]") == 2
    shown = subprocess.run([sys.executable, "-m", "mlc", "--version"], capture_output=True, text=True, check=True)
    assert shown.stdout == mlc("--version").out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rum"], "mlc: error: unknown command 'rum'; did you mean 'run'?"),
        (
            ["zzz"],
            "unknown command 'zzz' (the commands are compile, check, import, quantize, run, generate, chat, serve, "
            "perplexity, bisect, explain, explore, diff, tune, lsp, new, targets, machine, cache, doctor, completion)",
        ),
        (["compile", "model.mlir"], "the following arguments are required: -o"),
        (
            ["compile", "model.mlir", "-o", "m.xyz"],
            "cannot tell from 'm.xyz' what to make: use a suffix among .o, .a",
        ),
        (
            ["compile", "model.mlir", "-o", "m.so", "--emit", "elf"],
            "found --emit elf; required, for target 'native': mlir:graph, mlir:tensor",
        ),
        (["compile", "model.mlir", "-o", "-", "--emit", "obj"], "'-o -' prints text; 'obj' needs a file"),
        (["compile", "model.mlir", "-o", "m.so", "-O7"], "found '7' as -O; it is one of 0, 1, 2, 3"),
        (
            ["compile", "model.mlir", "-o", "m.so", "--threads=0"],
            "found threads 0; required: a whole number, at least 1",
        ),
        (["compile", "model.mlir", "-o", "m.so", "--target=pdp11"], "unknown target 'pdp11'"),
        (["compile", "model.mlir", "-o", "m.so", "--targte=x"], "unknown option '--targte'; did you mean '--target'?"),
        (["compile", "model.mlir", "-o", "m.so", "--cc=/bin/true"], "--cc names '/bin/true', which is not clang"),
        (["compile", "model.mlir", "-o", "none/m.so"], "cannot write 'none/m.so'"),
        (["compile", "none.mlir", "-o", "m.so"], "input file 'none.mlir' not found"),
        (["run", "model.mlir"], "the following arguments are required: --inputs"),
        (["run", "model.mlir", "--inputs", "none"], "file 'none' not found"),
        (["run", "model.mlir", "--inputs", "model.mlir"], "'model.mlir' is not a safetensors file"),
        (["run", "none.so", "--inputs", "in.safetensors"], "model 'none.so' not found"),
        (["run", "model.mlir", "--inputs", "in.safetensors", "--repeat=0"], "--repeat 0: at least 1 is needed"),
        (["run", "model.mlir", "--inputs", "in.safetensors", "--check-labels=k"], "has no tensor 'k' to compare with"),
    ],
)
def test_user_errors(arguments: list[str], message: str, model: str, mlc: CommandLine) -> None:
    result = mlc(*arguments)
    assert result.status == 1
    assert message in result.err
    assert result.err.startswith("mlc: error: ")
    assert not list(Path().glob("*.so"))


def test_a_model_needs_one_public_function(model: str, mlc: CommandLine) -> None:
    Path("none.mlir").write_text("func.func private @f()\n")
    assert "has no public function" in mlc("compile", "none.mlir", "-o", "m.so").err
    Path("two.mlir").write_text(_MODEL + _MODEL.replace("@main", "@other"))
    assert "a model has one public function, found 2: @main, @other" in mlc("compile", "two.mlir", "-o", "m.so").err


@pytest.mark.parametrize(
    ("output", "form"),
    [("a.o", "obj"), ("a.so", "shared"), ("a.h", "header"), ("a.s", "asm"), ("a.ll", "llvm-ir"), ("a", "exe")],
)
def test_form_follows_from_the_suffix(output: str, form: str) -> None:
    assert form_of(output, NativeBackend()) == form


def test_several_outputs_lower_once(model: str, mlc: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    suffixes = (".so", ".h", ".ll", ".mlir", "")
    for suffix in suffixes:
        assert mlc("compile", model, "-o", f"one{suffix}").status == 0
    monkeypatch.setenv("MLC_CACHE_DIR", str(Path("empty").absolute()))
    lowered: list[Compilation] = []
    lower = Compilation.lower_fully

    def counted(each: Compilation) -> Any:
        lowered.append(each)
        return lower(each)

    monkeypatch.setattr(Compilation, "lower_fully", counted)
    result = mlc("compile", model, *[word for suffix in suffixes for word in ("-o", f"all{suffix}")])
    assert (result.status, result.err) == (0, "")
    assert len(lowered) == 1
    for suffix in suffixes:
        assert Path(f"all{suffix}").read_bytes() == Path(f"one{suffix}").read_bytes()
    assert mlc("compile", model, "-o", "all.so", "-o", "-", "--emit", "header").status == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "a.o", "-o", "a.o"], "'-o a.o' is given twice; name each output once"),
        (["-o", "a.o", "-o", "a.h", "--emit", "obj"], "--emit obj says what one output is; several say it by their"),
        (["-o", "a.o", "-o", "a.x"], "cannot tell from 'a.x' what to make"),
    ],
)
def test_outputs_that_contradict(words: list[str], message: str, model: str, mlc: CommandLine) -> None:
    result = mlc("compile", model, *words)
    assert result.status == 1 and message in result.err
    assert not Path("a.o").exists()


@pytest.mark.parametrize(
    ("form", "content"),
    [
        ("mlir:graph", "graph."),
        ("mlir:tensor", "tensor.map"),
        ("mlir:loop", "loop.for"),
        ("mlir:llvm", "llvm.func"),
        ("llvm-ir", "define i32 @mlc_main"),
        ("asm", "mlc_main:"),
        ("header", "mlc_main("),
    ],
)
def test_text_forms(form: str, content: str, model: str, mlc: CommandLine) -> None:
    result = mlc("compile", model, "-o", "-", "--emit", form)
    assert (result.status, result.err) == (0, "")
    assert content in result.out


def test_run(model: str, mlc: CommandLine) -> None:
    result = mlc("run", model, "--check-labels", "--inputs", "in.safetensors", "--outputs", "out.safetensors")
    assert (result.status, result.err) == (0, "")
    accuracy, latency, artifact = result.out.splitlines()
    assert accuracy == "accuracy: 87.50% (7 of 8)"
    assert re.fullmatch(r"latency: [\d.]+ µs per call \(median\), [\d.]+ µs when called from Python", latency)
    assert Path(artifact.removeprefix("artifact: ")).is_file()
    data = load_file("in.safetensors")
    np.testing.assert_array_equal(load_file("out.safetensors")["sum"], data["x"] + data["y"])


def test_a_prefix(model: str, mlc: CommandLine) -> None:
    """Every form calls the model by its longer name, and a library with it is no other to run."""
    for form, content in (
        ("mlir:graph", "func.func @digits_main(%x"),
        ("llvm-ir", "define i32 @mlc_digits_main"),
        ("header", "int32_t mlc_digits_main(const"),
    ):
        assert content in mlc("compile", model, "-o", "-", "--emit", form, "--prefix", "digits").out
    for prefix in ("digits", "other"):
        assert mlc("compile", model, "-o", f"{prefix}.so", "--prefix", prefix).status == 0
        assert mlc("run", f"{prefix}.so", "--inputs", "in.safetensors", "--repeat=1", "--check-labels").status == 0
        assert load(f"{prefix}.so").signature.name == f"{prefix}_main"
    message = "mlc: error: --prefix 'a-b' is not a name in C; use letters, digits and '_'\n"
    assert mlc("compile", model, "-o", "m.o", "--prefix", "a-b").err == message


def test_outputs_are_named_after_what_is_returned(model: str, mlc: CommandLine) -> None:
    Path(model).write_text(
        "func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {\n"
        "  %0 = graph.neg %x : tensor<2xf32>\n  %out0_ = graph.relu %x : tensor<2xf32>\n"
        "  return %0, %out0_, %x, %out0_ : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>\n}\n"
    )
    assert mlc("compile", model, "-o", "m.so").status == 0
    assert [t.name for t in load("m.so").outputs] == ["out0", "out0_", "x", "out0__"]


def test_run_a_library(model: str, mlc: CommandLine) -> None:
    assert mlc("compile", model, "-o", "m.so").status == 0
    result = mlc("run", "m.so", "--inputs", "in.safetensors", "--check-labels=labels", "--repeat=5")
    assert result.status == 0
    assert result.out.startswith("accuracy: 87.50%")
    assert result.out.endswith("artifact: m.so\n")


@pytest.mark.parametrize("form", ["obj", "archive", "exe", "shared"])
def test_a_file_that_cannot_be_run(form: str, model: str, mlc: CommandLine) -> None:
    """Objects, programs and damaged libraries, whatever they are called, are told from text."""
    assert mlc("compile", model, "-o", "made", "--emit", form).status == 0
    if form == "shared":
        Path("made").write_bytes(Path("made").read_bytes()[:-1])
    result = mlc("run", "made", "--inputs", "in.safetensors")
    message = "'made' is damaged: it has " if form == "shared" else "'made' is not a shared library of mlc, it is "
    assert (result.status, result.out) == (1, "")
    assert message.replace("'made'", f"'{Path('made').absolute()}'") in result.err


def test_inputs_that_were_cut_off(model: str, mlc: CommandLine) -> None:
    content = Path("in.safetensors").read_bytes()
    for size in (0, 7, 8, 50, len(content) - 1):
        Path("in.safetensors").write_bytes(content[:size])
        result = mlc("run", model, "--inputs", "in.safetensors")
        assert (result.status, result.out) == (1, "")
        assert "'in.safetensors' is not a safetensors file" in result.err


@pytest.mark.parametrize(
    ("options", "ignored"),
    [
        (["--target=native", "--threads=1", "-O3"], ""),
        (["--target=aarch64"], "--target does"),
        (["--threads=2", "-O1"], "--threads and -O do"),
        (["--load-dialect=none.py"], "--load-dialect does"),
        (["--check-each", "-o", "n.so"], "--check-each and -o do"),
    ],
)
def test_a_library_is_compiled_already(options: list[str], ignored: str, model: str, mlc: CommandLine) -> None:
    assert mlc("compile", model, "-o", "m.so").status == 0
    result = mlc("run", "m.so", "--inputs", "in.safetensors", "--repeat=1", "--check-labels", *options)
    message = (
        f"mlc: error: 'm.so' is compiled already: {ignored} not apply to it; leave out what is for compiling, or give "
        "the model's text\n"
    )
    assert (result.status, result.err) == ((1, message) if ignored else (0, ""))
    assert not Path("n.so").exists()


def test_artifacts_of_other_models_and_options_are_other_files(model: str, mlc: CommandLine) -> None:
    Path("other").mkdir()
    Path("other/model.mlir").write_text(_MODEL)
    options = ("--threads=2", "-O1", "--accuracy=fast")
    commands = [[model], ["other/model.mlir"], *([model, option] for option in options)]
    shown = [mlc("run", *words, "--inputs", "in.safetensors", "--repeat=1", "--check-labels").out for words in commands]
    artifacts = [Path(text.splitlines()[-1].removeprefix("artifact: ")) for text in shown]
    assert len(set(artifacts)) == len(commands)
    assert all(path.is_file() and path.name.startswith("model-native-O") for path in artifacts)


def test_run_a_function_of_any_name(model: str, mlc: CommandLine) -> None:
    Path(model).write_text(_MODEL.replace("@main", "@encoder"))
    for file in (model, "m.so"):
        result = mlc(
            "run", file, "--inputs", "in.safetensors", "--repeat=5", *(["-o", "m.so"] if file == model else [])
        )
        assert (result.status, result.err) == (0, "")


def test_outputs_have_the_usual_mode(model: str, mlc: CommandLine) -> None:
    before = os.umask(0o027)
    try:
        assert mlc("run", model, "--inputs", "in.safetensors", "--outputs", "out.safetensors").status == 0
    finally:
        os.umask(before)
    assert Path("out.safetensors").stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize(
    ("arguments", "output"),
    [
        (["compile", "weighted.mlir", "-o", "weighted.mlir"], "weighted.mlir"),
        (["compile", "weighted.mlir", "--emit=obj", "-o", "./w.safetensors"], "./w.safetensors"),
        (["run", "weighted.mlir", "--inputs", "in.safetensors", "--outputs", "weighted.mlir"], "weighted.mlir"),
        (["run", "weighted.mlir", "--inputs", "in.safetensors", "--outputs", "w.safetensors"], "w.safetensors"),
        (["run", "weighted.mlir", "--inputs", "in.safetensors", "--outputs", "in.safetensors"], "in.safetensors"),
        (["run", "weighted.mlir", "--inputs", "in.safetensors", "-o", "in.safetensors"], "in.safetensors"),
    ],
)
def test_outputs_leave_the_inputs_alone(arguments: list[str], output: str, model: str, mlc: CommandLine) -> None:
    save_file({"y": np.array([5, 6, 7], np.float32)}, "w.safetensors")
    Path("weighted.mlir").write_text(_WEIGHTED)
    before = Path(output).read_bytes()
    result = mlc(*arguments)
    assert (result.status, result.err) == (1, f"mlc: error: '{output}' is an input; choose another output\n")
    assert Path(output).read_bytes() == before


def test_run_for_another_architecture(model: str, mlc: CommandLine) -> None:
    if find_emulator("aarch64") is None:
        pytest.skip("needs qemu-aarch64")
    options = ("--inputs", "in.safetensors", "--target=aarch64", "--repeat=2", "-o", "m", "--check-labels")
    result = mlc("run", model, *options)
    assert (result.status, result.err) == (0, "")
    assert "accuracy: 87.50% (7 of 8)" in result.out
    assert "under qemu-aarch64" in result.out


def test_timing_names_passes_and_phases(model: str, mlc: CommandLine) -> None:
    shown = mlc("compile", model, "-o", "m.o", "--timing").err
    for name in ("(parse)", "convert-graph-to-tensor", "convert-loop-to-llvm", "(clang and linker)", "total"):
        assert f"\n{name} " in shown


def test_labels_that_do_not_fit(model: str, mlc: CommandLine) -> None:
    data = load_file("in.safetensors")
    save_file(data | {"labels": data["labels"][:3]}, "short.safetensors")
    save_file(data | {"labels": data["x"]}, "float.safetensors")
    assert "found 3 labels for 8 answers" in mlc("run", model, "--inputs", "short.safetensors", "--check-labels").err
    assert (
        "labels are integers, found float32" in mlc("run", model, "--inputs", "float.safetensors", "--check-labels").err
    )


def test_targets_and_doctor(mlc: CommandLine) -> None:
    assert re.search(r"^aarch64 +aarch64 +32 x 128 bit", mlc("targets").out, re.MULTILINE)
    shown = mlc("doctor")
    assert shown.status == 0
    assert "clang" in shown.out


def test_doctor_says_what_is_missing(mlc: CommandLine) -> None:
    shown = mlc("doctor", "--cc=/no/clang")
    assert shown.status == 1
    assert "MISSING: --cc names '/no/clang'" in shown.out
