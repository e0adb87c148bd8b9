"""The weights of an ONNX file, where they lie: the file is mapped, and only the model without them is read.

A file is one protobuf message (`ModelProto` of onnx.proto3). Its weights are the initializers of its graph, whose bytes
stand in the message as they are in memory, or in files beside it ("external data").
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mlc.support.mapped_file import MappedFile
from mlc.support.protobuf import BYTES, Field, fields, numbers, signed

if TYPE_CHECKING:
    import numpy as np

_GRAPH, _INITIALIZER = 7, 5
_DIMS, _TYPE, _FLOATS, _NAME, _RAW, _DOUBLES, _EXTERNAL, _PLACE = 1, 2, 4, 8, 9, 10, 13, 14
"""Fields of TensorProto."""
_NUMPY = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    16: "bfloat16",
    17: "float8_e4m3fn",
    18: "float8_e4m3fnuz",
    19: "float8_e5m2",
    20: "float8_e5m2fnuz",
    24: "float8_e8m0fnu",
}
"""NumPy's or ml_dtypes' names for the numbers of TensorProto.DataType whose elements fill whole bytes."""


@dataclass
class MappedTensor:
    """A weight: what it is and where its bytes are."""

    name: str
    type: int
    """A number of TensorProto.DataType."""
    shape: tuple[int, ...]
    file: MappedFile
    offset: int
    nbytes: int

    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        return numpy_type(self.type)


@dataclass
class ExternalData:
    """The files beside a model that hold data of its tensors."""

    folder: Path
    """The folder of the model, which all of them lie in."""
    files: dict[str, MappedFile] = field(default_factory=dict[str, MappedFile])
    """Those that were opened, by their paths in the folder."""

    def find(self, name: str, entries: dict[str, str], nbytes: int) -> tuple[MappedFile, int]:
        """The file, and the offset in it, of the tensor `name` of `nbytes` bytes.

        Args:
            entries: what the message says in `external_data`.

        Raises:
            ValueError: there is no such file in the model's folder, or it is too short.
        """
        location = entries.get("location", "")
        folder = self.folder.resolve()
        path = (folder / location).resolve()
        if not location or folder not in path.parents:
            raise ValueError(f"weight '{name}' is in the file '{location}'; it has to lie in the folder of the model")
        try:
            offset, length = int(entries.get("offset", "0")), int(entries.get("length", str(nbytes)))
        except ValueError:
            raise ValueError(f"weight '{name}' says no number where it is in '{location}'") from None
        if not path.is_file():
            raise ValueError(f"weight '{name}' is in the file '{location}', which is not there (looked for {path})")
        if length != nbytes:
            raise ValueError(f"weight '{name}' has {length} bytes in '{location}'; its shape and type need {nbytes}")
        if location not in self.files:
            self.files[location] = MappedFile(self.folder / location)
        file = self.files[location]
        if offset < 0 or offset + nbytes > len(file.data):
            raise ValueError(f"weight '{name}' ends at byte {offset + nbytes} of '{location}', which is shorter")
        return file, offset


@dataclass
class OnnxFile:
    """What a file holds."""

    file: MappedFile
    external: ExternalData
    skeleton: bytes = b""
    """The message without the weights that are `mapped`."""
    mapped: list[MappedTensor] = field(default_factory=list[MappedTensor])


def numpy_type(number: int) -> np.dtype[Any]:
    """NumPy's type for a number of TensorProto.DataType.

    Raises:
        KeyError: NumPy has none whose elements fill whole bytes.
    """
    import numpy as np

    name = _NUMPY[number]
    if number in (16, 17, 18, 19, 20, 24):
        import ml_dtypes

        return np.dtype(getattr(ml_dtypes, name))
    return np.dtype(name)


def open_onnx(file: MappedFile) -> OnnxFile:
    """Find the weights of an ONNX file. Small ones, those in other forms and those inside of subgraphs stay in the
    skeleton, for the library of ONNX to read.

    Raises:
        OSError: a file beside it cannot be read.
        ValueError: it is not a protobuf message, is cut off, or names external data that is not there.
    """
    data = file.data
    if not data:
        raise ValueError("it is empty")
    result = OnnxFile(file, ExternalData(file.path.parent))
    parts: list[bytes] = []
    for top in fields(data, 0, len(data)):
        if top.tag == _GRAPH and top.wire == BYTES:
            graph = b"".join(_without_weights(top, result))
            parts += [_key(_GRAPH), _length(len(graph)), graph]
        else:
            parts.append(bytes(data[top.begin : top.end]))
    result.skeleton = b"".join(parts)
    return result


_KEPT = 1024
"""Weights of fewer bytes are read with the model: they may say shapes."""


def _without_weights(graph: Field, into: OnnxFile) -> Iterable[bytes]:
    data = into.file.data
    for each in fields(data, graph.start, graph.end):
        if each.tag == _INITIALIZER and each.wire == BYTES:
            tensor = _mapped(each, into)
            if tensor is not None:
                into.mapped.append(tensor)
                continue
        yield bytes(data[each.begin : each.end])


def _mapped(message: Field, model: OnnxFile) -> MappedTensor | None:
    """The weight in a TensorProto; None if it is small, or its bytes do not lie in a file as they are in memory."""
    data = model.file.data
    shape: list[int] = []
    name, kind, place = "", 0, None
    external: dict[str, str] = {}
    is_external = False
    for each in fields(data, message.start, message.end):
        if each.tag == _DIMS:
            shape += numbers(data, each)
        elif each.tag == _TYPE:
            kind = signed(each.number)
        elif each.tag == _NAME:
            name = bytes(data[each.start : each.end]).decode("utf-8", "replace")
        elif each.tag == _RAW or (each.tag in (_FLOATS, _DOUBLES) and each.wire == BYTES):
            if place is not None:
                return None  # a packed field in several pieces
            place = (each.start, each.end - each.start)
        elif each.tag == _EXTERNAL:
            key, value = _entry(data, each)
            external[key] = value
        elif each.tag == _PLACE:
            is_external = each.number == 1
        else:
            return None
    if kind not in _NUMPY or min(shape, default=0) < 0:
        return None
    nbytes = prod(shape) * numpy_type(kind).itemsize
    if nbytes < _KEPT:
        return None
    if is_external:
        return MappedTensor(name, kind, tuple(shape), *model.external.find(name, external, nbytes), nbytes)
    if place is None or place[1] != nbytes:
        return None  # the library of ONNX says what is wrong
    return MappedTensor(name, kind, tuple(shape), model.file, place[0], nbytes)


def _entry(data: memoryview, message: Field) -> tuple[str, str]:
    """A StringStringEntryProto."""
    words = {
        f.tag: bytes(data[f.start : f.end]).decode("utf-8", "replace") for f in fields(data, message.start, message.end)
    }
    return words.get(1, ""), words.get(2, "")


def _key(tag: int) -> bytes:
    return bytes([tag << 3 | BYTES])


def _length(number: int) -> bytes:
    result = bytearray()
    while number > 0x7F:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)
