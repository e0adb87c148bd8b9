"""Files that a compilation reads, as they were when it opened them.

A file is opened once, and all that is read of it comes from that opening: a file that takes its name meanwhile has no
influence. One that is changed in place would show half of each version, so a reader that
is through asks `require_unchanged`.
"""

from __future__ import annotations

import io
import mmap
import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from mlc.support.errors import UserError
from mlc.support.file_digest import data_digest, file_digest

if TYPE_CHECKING:  # most texts need no NumPy, and importing it takes 0.1 s
    import numpy as np
    from numpy.typing import NDArray


class MappedFile:
    """An open file.

    Attributes:
        path: its name, for messages.
        data: its bytes, mapped; in memory if it is not a regular file.
    """

    def __init__(self, path: Path) -> None:
        """Raises: OSError if the file cannot be read."""
        self.path = path
        self._stream = path.open("rb")
        self._status = self._found()
        try:
            self.data = memoryview(mmap.mmap(self._stream.fileno(), 0, access=mmap.ACCESS_READ))
            self._is_mapped = True
        except (OSError, ValueError):  # what is empty, or no regular file, cannot be mapped
            self.data = memoryview(self._stream.read())
            self._is_mapped = False

    def array(self, dtype: np.dtype[Any], shape: tuple[int, ...], offset: int) -> NDArray[Any]:
        """The elements that lie from byte `offset` on; read-only, and nothing is read yet."""
        import numpy as np

        if 0 in shape:
            return np.zeros(shape, dtype)
        count = int(np.prod(shape, dtype=np.int64))
        return np.frombuffer(self.data, dtype, count, offset).reshape(shape)

    def stream(self) -> BinaryIO:
        """Another opening of the same file, at its start; not for several at a time."""
        if not self._is_mapped:
            return io.BytesIO(self.data)
        self._stream.seek(0)
        return os.fdopen(os.dup(self._stream.fileno()), "rb")

    def digest(self) -> str:
        """What `file_digest` says of the bytes; computed once, as models have gigabytes."""
        return self._digest

    @cached_property
    def _digest(self) -> str:
        return file_digest(self._stream.fileno()) if self._is_mapped else data_digest(self.data)

    def is_older_than(self, time_ns: int) -> bool:
        """Whether the file had its contents, and its name, before a time in nanoseconds since the epoch."""
        return os.fstat(self._stream.fileno()).st_ctime_ns < time_ns

    def require_unchanged(self) -> None:
        """Raises: UserError if the bytes were changed in place since the file was opened."""
        if self._is_mapped and self._found() != self._status:
            raise UserError(f"'{self.path}' was changed while it was read; run the command again")

    def _found(self) -> tuple[int, int]:
        status = os.fstat(self._stream.fileno())
        return status.st_size, status.st_mtime_ns
