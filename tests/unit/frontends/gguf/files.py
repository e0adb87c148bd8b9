"""Files of GGUF, written here byte by byte: what the package `gguf` would never write, too."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

from mlc.frontends.gguf.file import GgufFile, open_gguf

U32, F32, STRING, ARRAY, U64 = 4, 6, 8, 9, 10


def text(words: str) -> bytes:
    """A text with its length."""
    data = words.encode()
    return struct.pack("<Q", len(data)) + data


def metadatum(key: str, kind: int, value: bytes) -> bytes:
    """A key with a value of a type."""
    return text(key) + struct.pack("<I", kind) + value


def tensor(name: str, shape: Sequence[int], kind: int = 0, offset: int = 0) -> bytes:
    """What a file says of a tensor; extents are those of memory, the innermost one first."""
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset)


def gguf(
    metadata: Sequence[bytes] = (),
    tensors: Sequence[bytes] = (),
    data: bytes = b"",
    version: int = 3,
    counts: tuple[int, int] | None = None,
    alignment: int = 32,
) -> bytes:
    """A whole file; `counts` are what it says of the numbers of tensors and of metadata."""
    said = counts or (len(tensors), len(metadata))
    head = b"GGUF" + struct.pack("<IQQ", version, *said) + b"".join((*metadata, *tensors))
    return head + bytes(-len(head) % alignment) + data


def opened(folder: Path, content: bytes) -> GgufFile:
    """A file with this content, read."""
    path = folder / "model.gguf"
    path.write_bytes(content)
    return open_gguf(path, "model.gguf")
