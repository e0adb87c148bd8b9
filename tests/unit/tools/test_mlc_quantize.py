"""`mlc quantize`: what it writes, prints and refuses."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mlc as package
from mlc.support.resources import read_tensors

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_DIGITS = Path(package.__file__).parent / "examples" / "digits"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, with the digits in it."""
    shutil.copytree(_DIGITS, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_text_and_weights_are_written(mlc: CommandLine, folder: Path) -> None:
    result = mlc("quantize", "mlp.mlir", "--data", "test.safetensors", "-o", "short.mlir")
    assert (result.status, result.err) == (0, "")
    head, first, second, error, size = result.out.splitlines()
    assert head.split() == ["product", "at", "type", "error"]
    assert first.split()[:3] == ["graph.matmul", "mlp.mlir:9:8", "i8"]
    assert second.split()[:3] == ["graph.matmul", "mlp.mlir:12:8", "i8"]
    assert float(first.split()[3]) < 0.02 > float(error.removeprefix("outputs are off by "))
    assert size == "short.mlir: 16 kB of weights, 60 kB before"
    assert sum(array.nbytes for array in read_tensors(Path("short.safetensors")).values()) < 17_500
    assert (folder / "short.mlir").read_text().count('mlc.precision = "i8"') == 2


def test_a_bound_on_the_error(mlc: CommandLine, folder: Path) -> None:
    result = mlc("quantize", "mlp.mlir", "--data", "test.safetensors", "-o", "short.mlir", "--max-error", "0")
    assert result.out.splitlines()[-2] == "outputs are off by 0, 2 of 2 products in floats"


def test_random_inputs_come_with_a_warning(mlc: CommandLine, folder: Path) -> None:
    result = mlc("quantize", "mlp.mlir", "-o", "short.mlir", "--symmetric", "--calibration", "mse", "--seed", "3")
    assert result.status == 0 and result.err.startswith("warning: ranges are those of random inputs, which say little")
    assert "xi8>" in (folder / "short.mlir").read_text() and "ui8" not in (folder / "short.mlir").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["mlp.mlir", "-o", "-"], "quantisation writes two files, the text and the weights beside it: -o model.mlir"),
        (["mlp.mlir", "-o", "short.so"], "'short.so' is to hold text: give it a name that ends in .mlir"),
        (["mlp.mlir", "-o", "test.mlir"], "'test.safetensors' is there already, and no 'test.mlir' that quantisation"),
        (["mlp.mlir", "-o", "mlp.mlir"], "mlp.mlir"),
        (["mlp.mlir", "-o", "a.mlir", "--data", "none.npz"], "file 'none.npz' not found"),
        (["mlp.mlir", "-o", "a.mlir", "--data", "README.md"], "'README.md' is not a safetensors file"),
        (
            ["mlp.mlir", "-o", "a.mlir", "--max-error", "-1"],
            "the largest error is -1.0; required: a number that is not",
        ),
        (["mlp.mlir", "-o", "a.mlir", "--calibration", "max"], "--calibration"),
        (["none.mlir", "-o", "a.mlir"], "none.mlir"),
    ],
)
def test_what_is_wrong_is_said(mlc: CommandLine, folder: Path, arguments: list[str], message: str) -> None:
    before = {file: file.read_bytes() for file in folder.iterdir() if file.is_file()}
    result = mlc("quantize", *arguments)
    assert result.status == 1 and "error: " in result.err and message in result.err
    assert {file: file.read_bytes() for file in folder.iterdir() if file.is_file()} == before


def test_onnx(mlc: CommandLine, folder: Path) -> None:
    onnx = pytest.importorskip("onnx")
    w = np.random.default_rng(0).standard_normal((8, 4)).astype(np.float32)
    node = onnx.helper.make_node("MatMul", ["x", "w"], ["y"])
    ends = [onnx.helper.make_tensor_value_info(n, 1, ["batch", k]) for n, k in (("x", 8), ("y", 4))]
    graph = onnx.helper.make_graph([node], "g", ends[:1], ends[1:], [onnx.numpy_helper.from_array(w, "w")])
    onnx.save(onnx.helper.make_model(graph), "m.onnx")
    np.savez("data.npz", x=np.random.default_rng(1).standard_normal((6, 2, 8)).astype(np.float32))
    result = mlc("quantize", "m.onnx", "--data", "data.npz", "--shape", "batch=2", "-o", "m.int8.mlir")
    assert (result.status, result.err) == (0, "")
    run = mlc("run", "m.int8.mlir", "--inputs", "data.npz", "--outputs", "out.safetensors")
    assert run.status == 0
    (found,) = read_tensors(Path("out.safetensors")).values()
    wanted = np.load("data.npz")["x"] @ w
    assert np.linalg.norm(found - wanted) < 0.02 * np.linalg.norm(wanted)
    open_dims = mlc("quantize", "m.onnx", "--data", "data.npz", "-o", "other.mlir")
    assert open_dims.status == 1 and "--shape" in open_dims.err
