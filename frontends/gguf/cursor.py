"""Numbers, texts and lists of a file of GGUF, none of which is taken before it is known to lie in the file."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MetadataValue = int | float | bool | str | NDArray[Any] | list[Any]
"""What metadata hold: numbers of a list are an array, texts and lists in it a list."""

_NUMBERS = {
    0: np.dtype("<u1"),
    1: np.dtype("<i1"),
    2: np.dtype("<u2"),
    3: np.dtype("<i2"),
    4: np.dtype("<u4"),
    5: np.dtype("<i4"),
    6: np.dtype("<f4"),
    7: np.dtype("?"),
    10: np.dtype("<u8"),
    11: np.dtype("<i8"),
    12: np.dtype("<f8"),
}
"""The types of numbers, by what the file calls them."""
_STRING, _ARRAY = 8, 9
_LEAST_BYTES = {**{code: dtype.itemsize for code, dtype in _NUMBERS.items()}, _STRING: 8, _ARRAY: 12}
"""How many bytes an element of each type takes at least."""
_DEEPEST = 4
"""How deep lists may nest: no model has deeper ones."""
_LONGEST_NAME = 1 << 16


class Malformed(ValueError):
    """What a file holds is not what the format allows; the text says what was found and what is required."""


@dataclass
class Cursor:
    """A place in the bytes of a file, which moves on with what is read."""

    data: memoryview
    at: int = 0

    @property
    def left(self) -> int:
        """How many bytes follow."""
        return len(self.data) - self.at

    def u32(self, what: str) -> int:
        """Raises: Malformed if the file ends before."""
        return struct.unpack("<I", self.take(4, what))[0]

    def u64(self, what: str) -> int:
        """Raises: Malformed if the file ends before."""
        return struct.unpack("<Q", self.take(8, what))[0]

    def count(self, what: str, least_bytes: int) -> int:
        """A number of things of which each takes so many bytes at least.

        Raises:
            Malformed: the file has no place for them.
        """
        found = self.u64(f"the number of {what}")
        if found > self.left // least_bytes:
            place = f"at most {self.left // least_bytes} fit into the {self.left} bytes that follow"
            raise Malformed(f"found {found} {what}; {place}")
        return found

    def take(self, size: int, what: str) -> memoryview:
        """The next bytes, which are not copied.

        Raises:
            Malformed: the file ends before.
        """
        if size > self.left:
            raise Malformed(f"{what} takes {size} bytes at byte {self.at}, and the file ends after {self.left}")
        start, self.at = self.at, self.at + size
        return self.data[start : self.at]

    def text(self, what: str) -> str:
        """A text; what is not UTF-8 in it is replaced.

        Raises:
            Malformed: the file ends before.
        """
        return str(self.take(self.count(f"bytes of {what}", 1), what), "utf-8", "replace")

    def name(self, what: str) -> str:
        """A text that names something.

        Raises:
            Malformed: it is empty, too long, not UTF-8, or cannot be shown.
        """
        length = self.count(f"bytes of {what}", 1)
        if not 0 < length <= _LONGEST_NAME:
            raise Malformed(f"{what} has {length} bytes; required: 1 to {_LONGEST_NAME}")
        try:
            found = str(self.take(length, what), "utf-8")
        except UnicodeDecodeError:
            found = ""
        if not found.isprintable() or not found:
            raise Malformed(f"{what} is not text; required: UTF-8 that can be shown")
        return found

    def value(self, kind: int, what: str, depth: int = 0) -> MetadataValue:
        """A value of a type of metadata.

        Raises:
            Malformed: there is no such type, or the value does not lie in the file.
        """
        if (dtype := _NUMBERS.get(kind)) is not None:
            return np.frombuffer(self.take(dtype.itemsize, what), dtype)[0].item()
        if kind == _STRING:
            return self.text(what)
        if kind == _ARRAY:
            return self._list(what, depth)
        known = ", ".join(map(str, sorted(_LEAST_BYTES)))
        raise Malformed(f"{what} has a value of type {kind}; required: one of {known}")

    def _list(self, what: str, depth: int) -> MetadataValue:
        if depth == _DEEPEST:
            raise Malformed(f"{what} has lists in lists, more than {_DEEPEST} deep; required: at most {_DEEPEST}")
        kind = self.u32(f"the type of the elements of {what}")
        count = self.count(f"elements of {what}", _LEAST_BYTES.get(kind, 1))
        if (dtype := _NUMBERS.get(kind)) is not None:
            return np.frombuffer(self.take(count * dtype.itemsize, what), dtype)
        return [self.value(kind, what, depth + 1) for _ in range(count)]
