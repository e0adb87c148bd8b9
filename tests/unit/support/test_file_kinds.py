"""Files that are not text of a model are named for what they are."""

from __future__ import annotations

import io
import pickle
import zipfile
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

import mlc
from mlc.support.file_kinds import kind_of
from mlc.tools.mlc_opt import main


def archive(*names: str) -> bytes:
    """A ZIP archive of empty files."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        for name in names:
            file.writestr(name, b"")
    return stream.getvalue()


def numpy_file() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.zeros(2))
    return stream.getvalue()


_CHECKPOINT = (
    "a PyTorch checkpoint, which holds weights and no graph: mlc reads what torch.export.save writes (.pt2), "
    "and weights from .safetensors files"
)
# Messages of protobuf: version 8, then the producer "pytorch", or the model's version and the graph.
ONNX = b"\x08\x08\x12\x07pytorch\x1a\x052.1.0:\x04\x12\x02ab"
OTHER_ONNX = b"\x08\x03(\x00:\x04\x12\x02ab"

KINDS = {
    "onnx": (ONNX, "an ONNX model"),
    "onnx without a producer": (OTHER_ONNX, "an ONNX model"),
    "safetensors": (
        save({"w": np.zeros(2, np.float32)}),
        "weights in the safetensors format: the text of a model names them as a resource",
    ),
    "pt": (
        archive("model/data.pkl", "model/version"),
        _CHECKPOINT,
    ),
    "old pt": (
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.",
        _CHECKPOINT,
    ),
    "zip": (archive("a.txt"), "a ZIP archive"),
    "pickle": (pickle.dumps({"a": 1}), "a pickle of Python"),
    "npy": (numpy_file(), "an array of NumPy"),
    "so": (b"\x7fELF\x02\x01\x01" + bytes(9), "a compiled library or program"),
    "bytecode": (b"ML\xefR\x0dMLIR19.1.7\0", "MLIR bytecode (mlir-opt turns it into text)"),
    "tflite": (b"\x1c\0\0\0TFL3\x14\0", "a model of TensorFlow Lite"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_kind(kind: str) -> None:
    data, words = KINDS[kind]
    assert kind_of(data) == words


@pytest.mark.parametrize(
    "text", ["", "module {}", "\ufeffmodule {}", "// {\n", "a" * 8 + "{", "\0\0\0\0{", "BCD", "PK"]
)
def test_text_is_none_of_them(text: str) -> None:
    assert kind_of(text.encode()) is None


def test_the_api_says_so(tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_bytes(ONNX)
    with pytest.raises(mlc.UserError, match=r"model '.*/m\.mlir' is an ONNX model, not MLIR text"):
        mlc.parse(tmp_path / "m.mlir")


def test_the_command_line_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.mlir").write_bytes(ONNX)
    assert main([str(tmp_path / "m.mlir")]) == 1
    wanted = "is an ONNX model, not MLIR text: its name has to end in .onnx"
    assert capsys.readouterr().err == f"mlc-opt: error: '{tmp_path}/m.mlir' {wanted}\n"
