"""What a file is that was given for a model as text: told by its first bytes, not by its name."""

from __future__ import annotations

import re

_PREFIXES = {
    b"\x7fELF": "a compiled library or program",
    b"ML\xefR": "MLIR bytecode (mlir-opt turns it into text)",
    b"BC\xc0\xde": "LLVM bitcode",
    b"\x93NUMPY": "an array of NumPy",
    b"\x89HDF\r\n": "an HDF5 file, such as a model of Keras",
    b"GGUF": "a GGUF model",
    b"\x1f\x8b": "compressed by gzip",
    b"!<arch>\n": "a static library",
}
_SAFETENSORS = "weights in the safetensors format: the text of a model names them as a resource"
_TORCH = (
    "a PyTorch checkpoint, which holds weights and no graph: mlc reads what torch.export.save writes (.pt2), "
    "and weights from .safetensors files"
)
_ONNX_START = re.compile(rb"\x08[\x01-\x1f](?:[\x12\x1a\x22\x32\x3a\x42]|\x28[\x00-\x7f])", re.DOTALL).match
"""ONNX's `ModelProto` in protobuf: its version in field 1, then the producer (2 to 6), the graph (7) or opsets (8)."""
_ONNX = "an ONNX model"
_PICKLE = re.compile(rb"\x80[\x02-\x05]").match


def kind_of(data: bytes) -> str | None:
    """What the contents of a file are, in words, if they are of a known kind; None for text and what is unknown."""
    for prefix, kind in _PREFIXES.items():
        if data.startswith(prefix):
            return kind
    if data.startswith(b"PK\x03\x04"):
        return _TORCH if b"data.pkl" in data[:4096] else "a ZIP archive"
    if data[4:8] == b"TFL3":
        return "a model of TensorFlow Lite"
    if data[8:9] == b"{" and int.from_bytes(data[:8], "little") <= len(data) and b"\0" in data[:8]:
        return _SAFETENSORS
    if _PICKLE(data):
        return _TORCH if b"torch" in data[:4096] or data[2:3] == b"\x8a" else "a pickle of Python"
    return _ONNX if _ONNX_START(data) else None


def suffix_advice(kind: str) -> str:
    """What to do about a file of a kind that mlc reads, under a name by which it does not know it."""
    return ": its name has to end in .onnx" if kind == _ONNX else ""
