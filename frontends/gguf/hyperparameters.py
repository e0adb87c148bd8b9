"""What the metadata of a file say of its model: numbers of an architecture, each checked when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlc.frontends.gguf.file import GgufFile

_MOST = 1 << 24
"""No size of a model is larger."""


@dataclass(frozen=True)
class Hyperparameters:
    """The metadata of a file, of which those of its architecture are asked for by the last part of their key."""

    file: GgufFile
    architecture: str

    def size(self, key: str, default: int | None = None) -> int:
        """A number of things.

        Raises:
            UserError: it is missing and has no default, or is not a number of at least 1.
        """
        found = self._found(key, default)
        if type(found) is not int or not 0 < found <= _MOST:
            raise self._wrong(key, found, f"a number from 1 to {_MOST}")
        return found

    def number(self, key: str, default: float | None = None) -> float:
        """A number that is not negative.

        Raises:
            UserError: it is missing and has no default, or is something else.
        """
        found = self._found(key, default)
        if type(found) not in (int, float) or not isfinite(found) or found < 0:
            raise self._wrong(key, found, "a number from 0 on")
        return float(found)

    def sizes(self, key: str, count: int, default: int | None = None) -> list[int]:
        """A number of things for each layer, which may be one for all.

        Raises:
            UserError: as `size`, or there are not so many.
        """
        found = self._found(key, default)
        if isinstance(found, np.ndarray):
            listed = cast("NDArray[Any]", found)
            if listed.shape == (count,) and listed.dtype.kind in "iu" and ((listed > 0) & (listed <= _MOST)).all():
                return [int(each) for each in listed]
        if isinstance(found, np.ndarray | list):
            raise self._wrong(key, "a list", f"a number from 1 to {_MOST}, or {count} of them")
        return [self.size(key, default)] * count

    def word(self, key: str, default: str) -> str:
        """A text.

        Raises:
            UserError: it is something else.
        """
        if not isinstance(found := self._found(key, default), str):
            raise self._wrong(key, found, "a text")
        return found

    def _found(self, key: str, default: Any) -> Any:
        full = f"{self.architecture}.{key}"
        if default is None and full not in self.file.metadata:
            raise self.file.error(f"the file has no '{full}' in its metadata, which its architecture needs")
        return self.file.metadata.get(full, default)

    def _wrong(self, key: str, found: object, required: str) -> Exception:
        shown = found if isinstance(found, int | float | str) else type(found).__name__
        return self.file.error(f"'{self.architecture}.{key}' is {shown!r}; required: {required}")
