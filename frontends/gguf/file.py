"""Files of GGUF: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md, versions 2 and 3.

    magic "GGUF", version u32, number of tensors u64, number of metadata u64
    metadata: key, type u32, value
    tensors: name, rank u32, extents u64, type u32, offset u64
    padding, then the data of tensors at their offsets

Nothing is trusted: each number is compared with the size of the file before it is used. The data of tensors stay in the
file and are mapped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.frontends.gguf.cursor import Cursor, Malformed, MetadataValue
from mlc.frontends.gguf.formats.block_format import BlockFormat
from mlc.frontends.gguf.formats.registry import format_of, known_formats
from mlc.support.errors import UserError
from mlc.support.mapped_file import MappedFile

_MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MOST_DIMS = 4
_ALIGNMENT = 32
_MOST_ALIGNMENT = 1 << 20
_LEAST_METADATUM = 8 + 1 + 4 + 1
_LEAST_TENSOR = 8 + 1 + 4 + 4 + 8


@dataclass(frozen=True)
class StoredTensor:
    """A tensor in a file.

    Attributes:
        name: unique in the file.
        shape: the extents, of which the last one is that of neighbours in memory; files say them the other way round.
        kind: the number of its block format.
        offset: the byte of the file where its data begin.
    """

    name: str
    shape: tuple[int, ...]
    kind: int
    offset: int


@dataclass(frozen=True)
class GgufFile:
    """A file whose metadata and list of tensors have been read and checked."""

    file: MappedFile
    name: str
    """The name for messages."""
    version: int
    metadata: Mapping[str, MetadataValue]
    tensors: Mapping[str, StoredTensor]

    def error(self, words: str) -> UserError:
        """An error about this file."""
        return UserError(f"'{self.name}': {words}")

    def tensor(self, name: str) -> StoredTensor:
        """Raises: UserError if the file has none of that name."""
        if name not in self.tensors:
            raise self.error(f"the file has no tensor '{name}', which its architecture needs")
        return self.tensors[name]

    def format_of(self, tensor: StoredTensor) -> BlockFormat:
        """How a tensor is stored.

        Raises:
            UserError: mlc does not know that format.
        """
        if (found := format_of(tensor.kind)) is None:
            names = ", ".join(f"{each.name} ({each.number})" for each in known_formats())
            raise self.error(
                f"tensor '{tensor.name}' is stored in blocks of type {tensor.kind}; required: {names}; convert the "
                "file, or add the format by a plugin"
            )
        return found

    def blocks(self, tensor: StoredTensor) -> NDArray[np.uint8]:
        """The bytes of a tensor, `[rows, blocks of a row, bytes of a block]`; a view of the file.

        Raises:
            UserError: mlc does not know its format.
        """
        found = self.format_of(tensor)
        *rows, length = tensor.shape or (1,)
        shape = (prod(rows), length // found.elements, found.bytes)
        return self.file.array(np.dtype(np.uint8), shape, tensor.offset)

    def floats(self, tensor: StoredTensor) -> NDArray[np.float32]:
        """A tensor as numbers of f32.

        Raises:
            UserError: mlc does not know its format.
        """
        return self.format_of(tensor).decode(self.blocks(tensor)).reshape(tensor.shape)


def open_gguf(path: Path, name: str | None = None) -> GgufFile:
    """The file at `path`, called `name` in messages.

    Raises:
        UserError: it cannot be read, or is not what the format allows.
    """
    name = name or str(path)
    try:
        return read_gguf(MappedFile(path), name)
    except FileNotFoundError:
        raise UserError(f"model '{name}' not found") from None
    except OSError as e:
        raise UserError(f"cannot read model '{name}': {e.strerror or e}") from None


def read_gguf(file: MappedFile, name: str) -> GgufFile:
    """An opened file.

    Raises:
        UserError: it is not what the format allows.
    """
    try:
        return _read(file, name)
    except Malformed as e:
        raise UserError(f"'{name}' is not a file of GGUF that can be read: {e}") from None


def _read(file: MappedFile, name: str) -> GgufFile:
    cursor = Cursor(file.data)
    magic = bytes(file.data[:4])
    if magic != _MAGIC:
        raise Malformed(f"it starts with {magic!r}; required: {_MAGIC!r}")
    cursor.take(4, "the magic number")
    version = cursor.u32("the version")
    if version not in _VERSIONS:
        if version and not version & 0xFFFF:
            raise Malformed("its numbers are big-endian; required: a little-endian file")
        raise Malformed(f"its version is {version}; required: {' or '.join(map(str, _VERSIONS))}")
    tensors = cursor.count("tensors", _LEAST_TENSOR)
    metadata = _metadata(cursor, cursor.count("metadata", _LEAST_METADATUM))
    alignment = _alignment(metadata)
    infos = [_tensor(cursor) for _ in range(tensors)]
    start = -(-cursor.at // alignment) * alignment
    found: dict[str, StoredTensor] = {}
    for info in infos:
        if info.name in found:
            raise Malformed(f"two tensors are named '{info.name}'; required: different names")
        found[info.name] = _placed(info, start, alignment, len(file.data))
    return GgufFile(file, name, version, metadata, found)


def _metadata(cursor: Cursor, count: int) -> dict[str, MetadataValue]:
    metadata: dict[str, MetadataValue] = {}
    for _ in range(count):
        key = cursor.name("a key of metadata")
        if key in metadata:
            raise Malformed(f"two metadata have the key '{key}'; required: different keys")
        metadata[key] = cursor.value(cursor.u32(f"the type of '{key}'"), f"'{key}'")
    return metadata


def _alignment(metadata: Mapping[str, Any]) -> int:
    found = metadata.get("general.alignment", _ALIGNMENT)
    if type(found) is not int or found % 8 or not 0 < found <= _MOST_ALIGNMENT or found & (found - 1):
        shown = found if isinstance(found, int | float | bool) else type(found).__name__
        raise Malformed(f"'general.alignment' is {shown}; required: a power of two from 8 to {_MOST_ALIGNMENT}")
    return found


def _tensor(cursor: Cursor) -> StoredTensor:
    name = cursor.name("the name of a tensor")
    rank = cursor.u32(f"the rank of tensor '{name}'")
    if rank > _MOST_DIMS:
        raise Malformed(f"tensor '{name}' has {rank} dims; required: at most {_MOST_DIMS}")
    shape = [cursor.u64(f"an extent of tensor '{name}'") for _ in range(rank)]
    kind = cursor.u32(f"the type of tensor '{name}'")
    return StoredTensor(name, tuple(reversed(shape)), kind, cursor.u64(f"the offset of tensor '{name}'"))


def _placed(info: StoredTensor, start: int, alignment: int, size: int) -> StoredTensor:
    """A tensor with its place in the file, whose size is known if its format is.

    Raises:
        Malformed: it does not lie in the file, or its rows are not whole blocks.
    """
    if info.offset % alignment:
        raise Malformed(f"tensor '{info.name}' has the offset {info.offset}; required: a multiple of {alignment}")
    found, length = format_of(info.kind), 0
    if found is not None:
        row = info.shape[-1] if info.shape else 1
        if row % found.elements:
            raise Malformed(
                f"tensor '{info.name}' has rows of {row} elements; required: a multiple of {found.elements}, the block "
                f"of {found.name}"
            )
        length = prod(info.shape) // found.elements * found.bytes
    if info.offset + length > size - start:
        raise Malformed(
            f"tensor '{info.name}' takes {length} bytes at byte {start + info.offset}, and the file has {size}: it is "
            "cut off"
        )
    return StoredTensor(info.name, info.shape, info.kind, start + info.offset)
