"""The values that a run of a function takes, op by op, in a form that can be found again in another form of it.

A pass that tiles, vectorizes or moves ops computes the same numbers in another order, in arrays of other shapes. So a
value of a loop is known by the set of its numbers; a tensor by its numbers in their order. NaN is one number, and zeros
have signs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IndexType, MemRefType, TensorType, UnrankedMemRefType
from xdsl.ir import SSAValue

from mlc.pass_manager.snapshots import Snapshot
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import is_float
from mlc.support.types import element_type

Array = NDArray[Any]
_MOST_NUMBERS = 1 << 20
"""So many numbers are kept of a value that a loop computes again and again."""
_FEW = 8
"""Sets of fewer numbers say little: then it counts how many there are of each."""


@dataclass
class TracedValue:
    """All that a value was in one run."""

    is_tensor: bool
    parts: list[Array] = field(default_factory=list[Array])
    size: int = 0

    def add(self, array: Array) -> None:
        """Note that the value is `array` now."""
        if self.size < _MOST_NUMBERS or not self.parts:
            self.parts.append(np.array(array))
            self.size += array.size

    @cached_property
    def numbers(self) -> Array:
        """In order of execution."""
        return np.concatenate([part.reshape(-1) for part in self.parts]) if self.parts else np.empty(0)

    @cached_property
    def digest(self) -> bytes:
        """Equal for equal numbers in equal order."""
        return blake2b(np.ascontiguousarray(_bits(self.numbers)).tobytes(), digest_size=16).digest()

    @cached_property
    def profile(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Which numbers there are, and how many of each beside the others."""
        found, counts = np.unique(_bits(self.numbers), return_counts=True)
        return tuple(found.tolist()), tuple((counts // max(np.gcd.reduce(counts), 1)).tolist())

    @cached_property
    def set(self) -> Array:
        """The bits of its numbers, each once, in ascending order."""
        return np.unique(_bits(self.numbers))

    def is_part_of(self, other: TracedValue) -> bool:
        """Whether all its numbers are among those of `other`; if there are as many, each as often."""
        if self.size == other.size:
            return self.profile == other.profile
        return len(self.set) <= len(other.set) and bool(np.all(np.isin(self.set, other.set)))


class Trace:
    """The values of one run, in order of execution; buffers and subscripts are left out."""

    def __init__(self, form: Snapshot, function: str, inputs: Sequence[Array]) -> None:
        self.values: dict[SSAValue, TracedValue] = {}
        run_function(form.module, function, inputs, form.resources, watch=self._note)
        self._digests = {each.digest for each in self.values.values()}

    def _note(self, value: SSAValue, array: Array) -> None:
        if is_compared(value):
            if (known := self.values.get(value)) is None:
                known = self.values[value] = TracedValue(isinstance(value.type, TensorType))
            known.add(np.asarray(array))

    def has(self, value: TracedValue) -> bool:
        """Whether some value was the same here."""
        if value.digest in self._digests:
            return True
        if value.is_tensor:
            return False
        if len(value.set) < _FEW:
            return value.profile in self._profiles
        return any(value.is_part_of(other) for other in self.values.values())

    @cached_property
    def _profiles(self) -> frozenset[tuple[tuple[int, ...], tuple[int, ...]]]:
        return frozenset(each.profile for each in self.values.values() if len(each.set) < _FEW)


def is_compared(value: SSAValue) -> bool:
    """Whether a value is data, and not a place."""
    return not isinstance(value.type, MemRefType | UnrankedMemRefType) and not isinstance(
        element_type(value.type), IndexType
    )


def first_parting(before: TracedValue, after: TracedValue) -> tuple[int, Any, Any] | None:
    """The first number, with its place, that is another one in `after`, if the two are of the same shape."""
    a, b = before.numbers, after.numbers
    if a.shape != b.shape or a.dtype != b.dtype:
        return None
    places = np.flatnonzero(_bits(a) != _bits(b))
    return (int(places[0]), a[places[0]], b[places[0]]) if places.size else None


def _bits(array: Array) -> Array:
    """Integers that are equal for equal numbers."""
    flat = array.reshape(-1)
    if array.dtype == np.bool_:
        return flat.view(np.uint8)
    if is_float(array.dtype):
        flat = np.where(flat != flat, array.dtype.type(np.nan), flat)
    if flat.dtype.kind == "c":
        return _bits(np.ascontiguousarray(flat).view(np.float32 if flat.itemsize == 8 else np.float64))
    return np.ascontiguousarray(flat).view(f"u{flat.itemsize}")
