"""Weight data: NumPy arrays behind `dense_resource<name>`, memory-mapped from `.safetensors` files.

Nothing is read until it is used: opening a file maps it and reads its header, `shape_of` and `dtype_of` answer from the
header, and `array` shows the bytes. The file layout is the safetensors format: an 8-byte little-endian header length, a
JSON header, then the tensors' bytes (https://github.com/huggingface/safetensors).
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
from mlc.support.mapped_file import MappedFile

if TYPE_CHECKING:  # most texts need no NumPy, and importing it takes 0.1 s
    import numpy as np
    from numpy.typing import NDArray

    from mlc.support.onnx_file import OnnxFile

    Array = NDArray[Any]


@dataclass(frozen=True)
class _Entry:
    file: MappedFile
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    def array(self) -> Array:
        return self.file.array(self.dtype, self.shape, self.offset)


@dataclass
class Resources:
    """Arrays by resource name; file-backed ones remember their file so that text can name it again."""

    files: dict[str, Path] = field(default_factory=dict[str, Path])
    """Files by the key under which the text names them (`external_resources: { mlc: { key: "path" } }`)."""
    spellings: dict[str, str] = field(default_factory=dict[str, str])
    """The path of each key as the text spelled it."""
    read: list[MappedFile] = field(default_factory=list[MappedFile])
    """All files that were opened for the model, its own included."""
    named: dict[str, MappedFile] = field(default_factory=dict[str, MappedFile])
    """Those of them that the model names, directly or by a file that it names: paths, relative to its folder if they
    are not absolute."""
    _entries: dict[str, _Entry] = field(default_factory=dict[str, _Entry])
    _arrays: dict[str, Array] = field(default_factory=dict[str, "Array"])
    _made: set[str] = field(default_factory=set[str])
    """Those of `_arrays` that passes made."""
    _dropped: set[str] = field(default_factory=set[str])
    """The names of those that are gone."""

    def clone(self) -> Resources:
        """A copy with the same data; adding to one does not change the other."""
        return Resources(
            dict(self.files),
            dict(self.spellings),
            list(self.read),
            dict(self.named),
            dict(self._entries),
            dict(self._arrays),
            set(self._made),
            set(self._dropped),
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
        """The data of `name`: an in-memory array, or a read-only view of its mapped file."""
        return self._arrays[name] if name in self._arrays else self._entries[name].array()

    def made(self, name: str) -> Array | None:
        """The data of `name` if a pass made it, so that `drop` would forget it; else None."""
        return self._arrays[name] if name in self._made else None

    def define(self, name: str, array: Array) -> None:
        """Bind `name` to an array."""
        self._arrays[name] = array

    def take_in(self, name: str) -> None:
        """Hold the array of `name` in memory, so that text contains it and names no file for it."""
        if name in self._entries:
            self._arrays[name] = self._entries.pop(name).array()

    def add(self, array: Array, hint: str) -> str:
        """Store an array that a pass made, under a name derived from `hint` that none has had, dropped or not.

        Who remembers a constant by its name finds no other one.
        """
        import numpy as np

        name, n = hint, 0
        while name in self or name in self._dropped:
            n += 1
            name = f"{hint}.{n}"
        self._arrays[name] = np.asarray(array, order="C")  # ascontiguousarray knows no rank 0
        self._made.add(name)
        return name

    def drop(self, name: str) -> None:
        """Forget an array that a pass made; what the model came with stays."""
        if name in self._made:
            self._made.remove(name)
            self._dropped.add(name)
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
            opened = MappedFile(path)
            if is_onnx:
                from mlc.support.onnx_file import open_onnx

                model = open_onnx(opened)
                found, beside = _entries_of(model), model.external.files
            else:
                found, beside = _safetensors_entries(opened), dict[str, MappedFile]()
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
        self.note(opened, spelling)
        for place, file in beside.items():
            self.note(file, str(Path(spelling).parent / place))

    def open_onnx(self, key: str, spelling: str, file: OnnxFile) -> None:
        """Make the weights of a model of ONNX available, which has been opened."""
        self._entries.update(_entries_of(file))
        self.files[key] = file.file.path
        self.spellings[key] = spelling
        self.note(file.file)
        for location, beside in file.external.files.items():
            self.note(beside, location)

    def note(self, file: MappedFile, name: str | None = None) -> None:
        """Remember that a file was read for the model: its own, or one that it gives a name."""
        self.read.append(file)
        if name is not None:
            self.named[name] = file

    def require_unchanged(self) -> None:
        """Raises: UserError if a file was changed while it was read."""
        for file in self.read:
            file.require_unchanged()


def _entries_of(file: OnnxFile) -> dict[str, _Entry]:
    return {t.name: _Entry(t.file, t.dtype(), t.shape, t.offset) for t in file.mapped}


def _safetensors_entries(file: MappedFile) -> dict[str, _Entry]:
    header, start = _read_header(file.data)
    return {name: _Entry(file, dtype, shape, start + offset) for name, (dtype, shape, offset) in header.items()}


def read_tensors(path: Path) -> dict[str, Array]:
    """All tensors of a safetensors file, in memory.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is of another format, or ends before its tensors do.
    """
    import numpy as np

    return {name: np.array(entry.array()) for name, entry in _safetensors_entries(MappedFile(path)).items()}


def _read_header(data: memoryview) -> tuple[dict[str, tuple[np.dtype[Any], tuple[int, ...], int]], int]:
    """The dtype, the shape and the offset of each tensor, and where the offsets start.

    Raises:
        ValueError: the file is of another format, or ends before its tensors do.
    """
    size, length = len(data), int.from_bytes(data[:8], "little")
    if length < 2 or 8 + length > size:
        raise ValueError("its header is cut off")
    try:
        header: object = json.loads(bytes(data[8 : 8 + length]))
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
