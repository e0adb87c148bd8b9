"""The weights of an ONNX file, where they lie: the file is mapped, and only the model without them is read.

A file is one protobuf message (`ModelProto` of onnx.proto3). Its weights are the initializers of its graph, whose bytes
stand in the message as they are in memory, or in files beside it ("external data").
"""

from __future__ import annotations

import mmap
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

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
    path: Path
    offset: int
    nbytes: int

    def dtype(self) -> np.dtype[Any]:
        """The type of its elements."""
        return numpy_type(self.type)


@dataclass
class OnnxFile:
    """What a file holds."""

    skeleton: bytes
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


def open_onnx(path: Path) -> OnnxFile:
    """Find the weights of an ONNX file. Small ones, those in other forms and those inside of subgraphs stay in the
    skeleton, for the library of ONNX to read.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is no protobuf message, is cut off, or names external data that is not there.
    """
    with path.open("rb") as stream:
        if not path.stat().st_size:
            raise ValueError("it is empty")
        try:
            data = memoryview(mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError):  # what is no regular file cannot be mapped
            data = memoryview(stream.read())
    result = OnnxFile(b"")
    parts: list[bytes] = []
    for top in fields(data, 0, len(data)):
        if top.tag == _GRAPH and top.wire == BYTES:
            graph = b"".join(_without_weights(data, top, path, result.mapped))
            parts += [_key(_GRAPH), _length(len(graph)), graph]
        else:
            parts.append(bytes(data[top.begin : top.end]))
    result.skeleton = b"".join(parts)
    return result


_KEPT = 1024
"""Weights of fewer bytes are read with the model: they may say shapes."""


def _without_weights(data: memoryview, graph: Field, path: Path, found: list[MappedTensor]) -> Iterable[bytes]:
    for each in fields(data, graph.start, graph.end):
        if each.tag == _INITIALIZER and each.wire == BYTES:
            tensor = _mapped(data, each, path)
            if tensor is not None and tensor.nbytes >= _KEPT:
                found.append(tensor)
                continue
        yield bytes(data[each.begin : each.end])


def _mapped(data: memoryview, message: Field, path: Path) -> MappedTensor | None:
    """The weight in a TensorProto; None if its bytes do not lie in a file as they are in memory."""
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
    if is_external:
        return _external(name, kind, tuple(shape), external, nbytes, path)
    if place is None or place[1] != nbytes:
        return None  # the library of ONNX says what is wrong
    return MappedTensor(name, kind, tuple(shape), path, place[0], nbytes)


def _entry(data: memoryview, message: Field) -> tuple[str, str]:
    """A StringStringEntryProto."""
    words = {
        f.tag: bytes(data[f.start : f.end]).decode("utf-8", "replace") for f in fields(data, message.start, message.end)
    }
    return words.get(1, ""), words.get(2, "")


def _external(
    name: str, kind: int, shape: tuple[int, ...], entries: dict[str, str], nbytes: int, path: Path
) -> MappedTensor:
    """A weight in a file beside the model's.

    Raises:
        ValueError: there is no such file in the model's folder, or it is too short.
    """
    location = entries.get("location", "")
    folder = path.parent.resolve()
    file = (folder / location).resolve()
    if not location or folder not in file.parents:
        raise ValueError(f"weight '{name}' is in the file '{location}'; it has to lie in the folder of the model")
    try:
        offset, length = int(entries.get("offset", "0")), int(entries.get("length", str(nbytes)))
    except ValueError:
        raise ValueError(f"weight '{name}' says no number where it is in '{location}'") from None
    if not file.is_file():
        raise ValueError(f"weight '{name}' is in the file '{location}', which is not there (looked for {file})")
    if length != nbytes:
        raise ValueError(f"weight '{name}' has {length} bytes in '{location}'; its shape and type need {nbytes}")
    if offset < 0 or offset + nbytes > file.stat().st_size:
        raise ValueError(f"weight '{name}' ends at byte {offset + nbytes} of '{location}', which is shorter")
    return MappedTensor(name, kind, shape, path.parent / location, offset, nbytes)


def _key(tag: int) -> bytes:
    return bytes([tag << 3 | BYTES])


def _length(number: int) -> bytes:
    result = bytearray()
    while number > 0x7F:
        result.append(number & 0x7F | 0x80)
        number >>= 7
    result.append(number)
    return bytes(result)
