"""Weight data: NumPy arrays behind `dense_resource<name>`, memory-mapped from `.safetensors` files.

Nothing is read until it is used: opening a file reads its header, `shape_of` and `dtype_of` answer from the header, and
`array` maps the bytes. The file layout is the safetensors format: an 8-byte little-endian header length, a JSON header,
then the tensors' bytes (https://github.com/huggingface/safetensors).
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mlc.support.dtypes import dtype_in_safetensors
from mlc.support.errors import SourceLocation, UserError

if TYPE_CHECKING:  # most texts need no NumPy, and importing it takes 0.1 s
    import numpy as np
    from numpy.typing import NDArray

    from mlc.support.onnx_file import OnnxFile

    Array = NDArray[Any]


@dataclass(frozen=True)
class _Entry:
    path: Path
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    def map(self) -> Array:
        import numpy as np

        if 0 in self.shape:
            return np.zeros(self.shape, self.dtype)
        return np.memmap(self.path, self.dtype, "r", self.offset, self.shape)


@dataclass
class Resources:
    """Arrays by resource name; file-backed ones remember their file so that text can name it again."""

    files: dict[str, Path] = field(default_factory=dict[str, Path])
    """Files by the key under which the text names them (`external_resources: { mlc: { key: "path" } }`)."""
    spellings: dict[str, str] = field(default_factory=dict[str, str])
    """The path of each key as the text spelled it."""
    companions: list[Path] = field(default_factory=list[Path])
    """Files that hold data for those of `files`, which name them."""
    _entries: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    _arrays: dict[str, Array] = field(default_factory=dict[str, "Array"])
    _made: set[str] = field(default_factory=set[str])
    """Those of `_arrays` that passes made."""

    def clone(self) -> Resources:
        """A copy with the same data; adding to one does not change the other."""
        return Resources(
            dict(self.files),
            dict(self.spellings),
            list(self.companions),
            dict(self._entries),
            dict(self._arrays),
            set(self._made),
        )

    def __contains__(self, name: str) -> bool:
        return name in self._arrays or name in self._entries

    def names(self) -> list[str]:
        """All known resource names, file-backed ones first."""
        return [*self._entries, *self._arrays]

    def in_memory(self) -> dict[str, Array]:
        """The resources that no file holds (made by passes, or written in the text)."""
        return dict(self._arrays)

    def shape_of(self, name: str) -> tuple[int, ...]:
        """The shape of `name`, without reading its data."""
        return self._arrays[name].shape if name in self._arrays else self._entries[name].shape

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """The dtype of `name`, without reading its data."""
        return self._arrays[name].dtype if name in self._arrays else self._entries[name].dtype

    def array(self, name: str) -> Array:
        """The data of `name`: an in-memory array, or a read-only memory map of its file."""
        return self._arrays[name] if name in self._arrays else self._entries[name].map()

    def define(self, name: str, array: Array) -> None:
        """Bind `name` to an array."""
        self._arrays[name] = array

    def add(self, array: Array, hint: str) -> str:
        """Store an array that a pass made, under a fresh name derived from `hint`."""
        import numpy as np

        name, n = hint, 0
        while name in self:
            n += 1
            name = f"{hint}.{n}"
        self._arrays[name] = np.asarray(array, order="C")  # ascontiguousarray knows no rank 0
        self._made.add(name)
        return name

    def drop(self, name: str) -> None:
        """Forget an array that a pass made; what the model came with stays."""
        if name in self._made:
            self._made.remove(name)
            del self._arrays[name]

    def respell(self, folder: Path) -> None:
        """Spell relative paths so that they hold in text that is written to `folder`."""
        for key, spelling in self.spellings.items():
            if not Path(spelling).is_absolute():
                self.spellings[key] = os.path.relpath(self.files[key], folder)

    def open_file(self, key: str, spelling: str, base: Path, location: SourceLocation | None) -> None:
        """Make the tensors of a safetensors file available; a relative path starts at `base`.

        Raises:
            UserError: the file is missing, is not in the safetensors format, or repeats a name.
        """
        path = Path(spelling) if Path(spelling).is_absolute() else base / spelling
        is_onnx = path.suffix == ".onnx"
        try:
            found = _onnx_entries(path) if is_onnx else _safetensors_entries(path)
        except FileNotFoundError:
            raise UserError(f"weight file '{spelling}' not found (looked for {path})", location) from None
        except OSError as e:
            raise UserError(f"cannot read weight file '{spelling}': {e.strerror}", location) from None
        except ValueError as e:
            raise UserError(
                f"'{spelling}' is not {'an ONNX' if is_onnx else 'a safetensors'} file: {e}", location
            ) from None
        for name in found:
            if name in self:
                raise UserError(f"resource '{name}' of '{spelling}' is already defined", location)
        self._entries.update(found)
        self.files[key] = path
        self.spellings[key] = spelling

    def open_onnx(self, key: str, spelling: str, file: OnnxFile, path: Path) -> None:
        """Make the weights of a model of ONNX available, which has been opened."""
        self._entries.update(_entries_of(file))
        self.companions += sorted({tensor.path for tensor in file.mapped} - {path})
        self.files[key] = path
        self.spellings[key] = spelling


def _onnx_entries(path: Path) -> dict[str, _Entry]:
    from mlc.support.onnx_file import open_onnx

    return _entries_of(open_onnx(path))


def _entries_of(file: OnnxFile) -> dict[str, _Entry]:
    return {t.name: _Entry(t.path, t.dtype(), t.shape, t.offset) for t in file.mapped}


def _safetensors_entries(path: Path) -> dict[str, _Entry]:
    header, start = _read_header(path)
    return {name: _Entry(path, dtype, shape, start + offset) for name, (dtype, shape, offset) in header.items()}


def read_tensors(path: Path) -> dict[str, Array]:
    """All tensors of a safetensors file, in memory.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is of another format, or ends before its tensors do.
    """
    import numpy as np

    header, start = _read_header(path)
    entries = {name: _Entry(path, dtype, shape, start + begin) for name, (dtype, shape, begin) in header.items()}
    return {name: np.array(entry.map()) for name, entry in entries.items()}


def _read_header(path: Path) -> tuple[dict[str, tuple[np.dtype[Any], tuple[int, ...], int]], int]:
    """The dtype, the shape and the offset of each tensor, and where the offsets start.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is of another format, or ends before its tensors do.
    """
    size = path.stat().st_size
    with path.open("rb") as f:
        length = int.from_bytes(f.read(8), "little")
        if length < 2 or 8 + length > size:
            raise ValueError("its header is cut off")
        try:
            header: object = json.loads(f.read(length))
        except (ValueError, RecursionError):
            header = None
    if not isinstance(header, dict):
        raise ValueError("its header is not a JSON object")
    start = 8 + length
    result: dict[str, tuple[np.dtype[Any], tuple[int, ...], int]] = {}
    for name, entry in cast(dict[str, object], header).items():
        if name != "__metadata__":
            dtype, shape, begin, end = _read_entry(name, entry)
            if start + end > size:
                raise ValueError(f"it has {size} bytes, and '{name}' ends at byte {start + end}: it is cut off")
            result[name] = dtype, shape, begin
    return result, start


def _read_entry(name: str, entry: object) -> tuple[np.dtype[Any], tuple[int, ...], int, int]:
    """The dtype and the shape of a tensor, and its range of bytes.

    Raises:
        ValueError: the entry is wrong.
    """
    match cast(Any, entry):
        case {"dtype": str(spelled), "shape": [*shape], "data_offsets": [int(begin), int(end)]}:
            sizes = [d for d in shape if isinstance(d, int) and d >= 0]
            try:
                dtype = dtype_in_safetensors(spelled)
            except KeyError:
                raise ValueError(f"'{name}' has the unsupported dtype {spelled}") from None
            if len(sizes) == len(shape) and begin >= 0 and end - begin == dtype.itemsize * prod(sizes):
                return dtype, tuple(sizes), begin, end
            raise ValueError(f"the bytes of '{name}' do not fit its shape")
        case _:
            raise ValueError(f"'{name}' lacks its dtype, its shape or its data_offsets")
