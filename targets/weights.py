"""Weights on their way into the artifact: raw bytes in an object, never text."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from mlc.architectures.architecture import InstructionSet
from mlc.support.errors import UserError
from mlc.support.functions import ALIGNMENT
from mlc.support.workers import workers
from mlc.targets import elf
from mlc.targets.host import core_count
from mlc.targets.program import Weight

MAXIMUM_BYTES = 2_000_000_000
"""What code can reach with 32-bit displacements, less some room for the code itself."""


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
    with workers(core_count()) as pool:
        contents = list(pool.map(with_digest, (weight.array for weight in weights)))
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


def write_object(blobs: Sequence[StoredWeight], architecture: InstructionSet, path: Path) -> None:
    """Write an object for machines of an architecture that defines the symbols.

    Raises:
        OSError: the file cannot be written.
    """
    named = [elf.NamedBytes(b.symbols, _bytes_of(b.array)) for b in blobs]
    elf.write_data_object(path, architecture, named, ALIGNMENT)


def with_digest(array: Any) -> tuple[NDArray[Any], str]:
    """An array as it will lie in memory (contiguous, little-endian), and the digest of its bytes."""
    if array.dtype.byteorder == ">":
        array = array.astype(array.dtype.str.replace(">", "<"))
    if not array.flags.c_contiguous:
        array = np.ascontiguousarray(array)
    return array, hashlib.sha256(_bytes_of(array)).hexdigest()


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return memoryview(cast(Any, array).reshape(-1).view(np.uint8))
