"""Arrays of the last run of a model in a temporary file, so that those of the next one can be held against them."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class StoredArray:
    """Where an array is; equal for equal arrays."""

    digest: bytes
    offset: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]


@dataclass
class ArrayStore:
    """Keeps each array once, on disk: what passes leave as it is takes no more room."""

    _file: IO[bytes] = field(default_factory=tempfile.TemporaryFile)
    _offsets: dict[bytes, int] = field(default_factory=dict[bytes, int])
    _end: int = 0

    def keep(self, array: Array) -> StoredArray:
        """Store an array."""
        data = np.ascontiguousarray(array)
        held = data.reshape(-1).view(np.uint8).tobytes() if data.size else b""
        digest = blake2b(held, digest_size=16).digest()
        if digest not in self._offsets:
            self._offsets[digest] = self._end
            self._file.seek(self._end)
            self._file.write(held)
            self._end += len(held)
        return StoredArray(digest, self._offsets[digest], array.dtype, array.shape)

    def read(self, stored: StoredArray) -> Array:
        """The array that was stored."""
        count = int(np.prod(stored.shape, dtype=np.int64))
        self._file.seek(stored.offset)
        return np.frombuffer(self._file.read(count * stored.dtype.itemsize), stored.dtype).reshape(stored.shape)

    def close(self) -> None:
        """Give the room on disk back."""
        self._file.close()
