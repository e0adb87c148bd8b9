"""Weights on their way into the object: raw bytes that the assembler includes, never text."""

from __future__ import annotations

import hashlib
import mmap
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlc.support.errors import UserError
from mlc.support.functions import ALIGNMENT
from mlc.targets.host import core_count
from mlc.targets.program import Weight

MAXIMUM_BYTES = 2_000_000_000
"""What code can reach with 32-bit displacements, less some room for the code itself."""

PAGE = 4096
"""LLVM maps a file that is included, but reads all of it, each time, if its size is a multiple of a page."""


@dataclass(frozen=True)
class StoredWeight:
    """Equal weights, stored once."""

    symbols: tuple[str, ...]
    array: NDArray[Any]
    sha256: str


def collect(weights: Sequence[Weight]) -> list[StoredWeight]:
    """The different contents among `weights`, with all symbols of each, in order of first appearance.

    Raises:
        UserError: they are too large for one object.
    """
    symbols: dict[str, list[str]] = {}
    arrays: dict[str, NDArray[Any]] = {}
    with ThreadPoolExecutor(core_count()) as pool:
        contents = list(pool.map(_contents, weights))
    for weight, (array, sha) in zip(weights, contents, strict=True):
        symbols.setdefault(sha, []).append(weight.symbol)
        arrays.setdefault(sha, array)
    total = sum(array.nbytes for array in arrays.values())
    if total > MAXIMUM_BYTES:
        raise UserError(
            f"the model has {total:,} bytes of weights; one artifact holds at most {MAXIMUM_BYTES:,}: "
            "split the model, or use a smaller element type"
        )
    return [StoredWeight(tuple(symbols[sha]), array, sha) for sha, array in arrays.items()]


def assembly(blobs: Sequence[StoredWeight], raw: Path) -> str:
    """An assembly text that defines the symbols; arrays that no file holds are written to the file `raw`.

    Raises:
        OSError: `raw` cannot be written.
    """
    lines = ['.section .note.GNU-stack,"",@progbits', '.section .rodata,"a",@progbits']
    with raw.open("wb") as file:
        for blob in blobs:
            if (mapped := _file_range(blob.array)) is not None:
                path, offset = mapped
            else:
                path, offset = raw, file.tell()
                file.write(_bytes_of(blob.array))
            lines.append(f".balign {ALIGNMENT}")
            for symbol in blob.symbols:
                name = _quote(symbol)
                lines += [f".weak {name}", f".hidden {name}", f".type {name}, @object"]
                lines += [f".size {name}, {blob.array.nbytes}", f"{name}:"]
            if blob.array.nbytes:
                lines.append(f".incbin {_quote(str(path))}, {offset}, {blob.array.nbytes}")
        if file.tell() and file.tell() % PAGE == 0:
            file.write(b"\0")
    # A weight without elements still needs an address inside the section.
    lines.append(f".zero {ALIGNMENT}")
    return "\n".join(lines) + "\n"


def _file_range(array: NDArray[Any]) -> tuple[Path, int] | None:
    """The file and byte offset of a memory-mapped array. Views of a mapping do not know their offset: None."""
    if isinstance(array, np.memmap) and isinstance(array.base, mmap.mmap) and array.flags.c_contiguous:
        mapped = cast("np.memmap[Any, Any]", array)
        if mapped.filename is not None and mapped.mode == "r":
            return Path(str(mapped.filename)).resolve(), int(mapped.offset)
    return None


def _contents(weight: Weight) -> tuple[NDArray[Any], str]:
    """The array as it will lie in memory (contiguous, little-endian), and its digest."""
    array: Any = weight.array
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.str.replace(">", "<"))
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    return array, hashlib.sha256(_bytes_of(array)).hexdigest()


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return memoryview(cast(Any, array).reshape(-1).view(np.uint8))


def _quote(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
