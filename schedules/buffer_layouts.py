"""Other orders of the elements of a buffer: panels, which are read front to back, and words of short numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import IntegerType, i32
from xdsl.ir import Attribute

Array = NDArray[Any]


class BufferLayout(Protocol):
    """Another order of the elements of a buffer."""

    @property
    def shape(self) -> list[int]:
        """The shape of the new buffer."""
        ...

    @property
    def suffix(self) -> str:
        """What the name of a constant in this order ends with."""
        ...

    def element(self, element: Attribute) -> Attribute:
        """The element type of the new buffer, by that of the old one."""
        ...

    def of(self, array: Array) -> Array:
        """The elements of `array` in this order."""
        ...


@dataclass(frozen=True)
class Panels:
    """How the part of a buffer that is read is laid out: blocks of `width` along `axis`, the place in one innermost.

    A matrix `[K, N]` with `axis` 1 becomes `[N / width, K, width]`; the last block is filled up with zeros.
    """

    axis: int
    width: int
    part: tuple[range, ...]
    """What is read of each axis: a kernel of attention may read a third of the columns of its argument."""

    @property
    def shape(self) -> list[int]:
        """The shape of the panels."""
        sizes = [len(r) for r in self.part]
        blocks = -(-sizes.pop(self.axis) // self.width)
        return [blocks, *sizes, self.width]

    @property
    def suffix(self) -> str:
        """What the name of a constant in panels ends with."""
        return f"panels{self.width}"

    def element(self, element: Attribute) -> Attribute:
        """The element type stays as it is."""
        return element

    def of(self, array: Array) -> Array:
        """The panels of `array`, the whole buffer; of one 0 that stands for all of it, another one."""
        if not any(array.strides) and not np.any(array):
            return np.broadcast_to(array.reshape(-1)[:1], self.shape)
        read = array[tuple(slice(r.start, r.stop) for r in self.part)]
        missing = -read.shape[self.axis] % self.width
        padded = np.pad(read, [(0, missing if i == self.axis else 0) for i in range(read.ndim)]) if missing else read
        split = padded.reshape(*read.shape[: self.axis], -1, self.width, *read.shape[self.axis + 1 :])
        return np.ascontiguousarray(np.moveaxis(split, (self.axis, self.axis + 1), (0, -1)))


@dataclass(frozen=True)
class WordLayout:
    """How a buffer is laid out in words: `count` numbers that follow each other along `axis` become an i32, or an i64.

    A matrix `[K, N]` of i8 with `axis` 0 becomes `[K / 4, N]` of i32. The first number is in the lowest bits. Eight
    numbers of i8 in an i32 are their low four bits each, which is what they are if all are from -8 to 7.
    """

    axis: int
    count: int
    sizes: tuple[int, ...]
    bits: int = 32
    """The width of a word."""

    @property
    def shape(self) -> list[int]:
        """The shape of the words."""
        return [size // self.count if axis == self.axis else size for axis, size in enumerate(self.sizes)]

    @property
    def suffix(self) -> str:
        """What the name of a constant in words ends with."""
        return f"words{self.count}"

    def element(self, element: Attribute) -> Attribute:
        """The type of a word of numbers of a type."""
        del element
        return IntegerType(self.bits)

    def of(self, array: Array) -> Array:
        """The words of `array`, whose bytes are in the order of little-endian machines."""
        split = array.reshape(*array.shape[: self.axis], -1, self.count, *array.shape[self.axis + 1 :])
        if 8 * self.count * array.itemsize > self.bits:
            bits = 32 // self.count
            parts = np.moveaxis(split, self.axis + 1, 0)
            words = np.zeros(parts.shape[1:], np.uint32)
            for number, part in enumerate(parts):
                words |= (part.astype(np.uint32) & np.uint32((1 << bits) - 1)) << np.uint32(bits * number)
            return words.view(np.int32)
        return np.ascontiguousarray(np.moveaxis(split, self.axis + 1, -1)).view(f"i{self.bits // 8}")[..., 0]


@dataclass(frozen=True)
class FieldLayout(WordLayout):
    """How a buffer of small integers is laid out in words whose bytes hold two of them, or four, in fields.

    The numbers from 0 to 15, or to 3, that follow each other along `axis` become an i32. What the bytes have in their
    fields at one place are four neighbours: shifted and masked, a word is one of four numbers of 8 bits.
    """

    @property
    def suffix(self) -> str:
        """What the name of a constant in such words ends with."""
        return f"fields{self.count}"

    def of(self, array: Array) -> Array:
        """The words of `array`."""
        fields, bits = self.count // 4, 32 // self.count
        split = array.reshape(*array.shape[: self.axis], -1, fields, 4, *array.shape[self.axis + 1 :])
        parts = np.moveaxis(split, self.axis + 1, 0)
        joined = np.zeros(parts.shape[1:], np.uint8)
        for number, part in enumerate(parts):
            joined |= (part.astype(np.uint8) & np.uint8((1 << bits) - 1)) << np.uint8(bits * number)
        return np.ascontiguousarray(np.moveaxis(joined, self.axis + 1, -1)).view(np.int32)[..., 0]


TapSubscripts = tuple[int, ...]
"""Subscripts along all axes but one."""


@dataclass(frozen=True)
class TapWords:
    """How a buffer is laid out in words of chosen numbers, for each place along `axis`: `[word, place]` of i32.

    A word holds the numbers at some subscripts along the other axes, and 0 where it has none: the taps of a window
    that meet what lies side by side in a word of the image.
    """

    axis: int
    taps: tuple[tuple[TapSubscripts | None, ...], ...]
    """The numbers of each word."""
    sizes: tuple[int, ...]
    """The shape of the buffer."""
    widened: np.dtype[Any] | None = None
    """The type as which numbers are read that become longer ones in words; None if they stay as short as they are."""

    @property
    def shape(self) -> list[int]:
        """A row of places for each word."""
        return [len(self.taps), self.sizes[self.axis]]

    @property
    def suffix(self) -> str:
        """What the name of a constant in words ends with."""
        return "taps"

    def element(self, element: Attribute) -> Attribute:
        """The type of a word of numbers of a type."""
        del element
        return i32

    def of(self, array: Array) -> Array:
        """The words of `array`, whose bytes are in the order of little-endian machines."""
        numbers = array if self.widened is None else array.view(self.widened).astype(np.int16)
        rows = np.moveaxis(numbers, self.axis, -1)
        zeros = np.zeros(rows.shape[-1:], rows.dtype)
        words = [np.stack([zeros if tap is None else rows[tap] for tap in taps], axis=-1) for taps in self.taps]
        return np.ascontiguousarray(np.stack(words)).view(np.int32)[..., 0]
