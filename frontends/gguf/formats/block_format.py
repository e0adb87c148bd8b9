"""What a block format is: so many bytes that hold so many numbers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from math import prod
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
"""Blocks, `[…, bytes of a block]`."""
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class GroupedNumbers:
    """Numbers `integers * scale + offset`, computed in f32 in that order.

    Attributes:
        integers: of i8, `[…, elements of a block]`.
        scale: of f32, `[…, groups of a block]`: neighbours that share one are as many as there are elements for each.
        offset: of f32, likewise; None if there is none.
        bits: how many bits hold all integers, once their least value is subtracted.
    """

    integers: NDArray[np.int8]
    scale: Floats
    offset: Floats | None
    bits: int

    @property
    def group(self) -> int:
        """How many neighbours share a scale."""
        return self.integers.shape[-1] // self.scale.shape[-1]

    def floats(self) -> Floats:
        """The numbers, `[…, elements of a block]`."""
        apart = self.integers.reshape(*self.scale.shape, self.group).astype(np.float32) * self.scale[..., None]
        if self.offset is not None:
            apart += self.offset[..., None]
        return apart.reshape(self.integers.shape)


class BlockFormat(ABC):
    """How neighbours of a row are stored."""

    name: ClassVar[str]
    """What people call it, such as Q4_0; that of its file in small letters."""
    number: ClassVar[int]
    """What files of GGUF call it."""
    elements: ClassVar[int]
    """How many numbers a block holds."""
    bytes: ClassVar[int]
    """How many bytes it takes."""
    encodes: ClassVar[bool] = False
    """Whether `encode` is there."""

    @abstractmethod
    def decode(self, blocks: Bytes) -> Floats:
        """The numbers of blocks, `[…, elements]`."""

    def encode(self, numbers: Floats) -> Bytes:
        """The blocks whose numbers are nearest to those of f32, `[…, elements]`.

        Raises:
            NotImplementedError: the format is for reading alone.
        """
        raise NotImplementedError(self.name)

    def groups(self, blocks: Bytes) -> GroupedNumbers | None:
        """The numbers as short integers in groups; None if they are none."""
        return None


class GroupedFormat(BlockFormat):
    """Numbers that are short integers, with a scale for each group."""

    @abstractmethod
    def groups(self, blocks: Bytes) -> GroupedNumbers: ...

    def decode(self, blocks: Bytes) -> Floats:
        with np.errstate(invalid="ignore", over="ignore"):  # files may have scales that are not finite
            return self.groups(blocks).floats()


def half(blocks: Bytes, start: int) -> Floats:
    """The f16 at a byte of each block, as f32 `[…, 1]`."""
    return np.ascontiguousarray(blocks[..., start : start + 2]).view("<f2").astype(np.float32)


def of_half(numbers: NDArray[Any]) -> Bytes:
    """Numbers `[…, n]` as f16, `[…, 2 n]` bytes."""
    with np.errstate(over="ignore"):
        return np.ascontiguousarray(numbers).astype("<f2").view(np.uint8)


def fields(data: Bytes, bits: int) -> Bytes:
    """The numbers of so many bits in bytes `[…, n]`, as `[…, 8 / bits, n]`: first what the lowest bits hold."""
    starts = np.arange(0, 8, bits, dtype=np.uint8)
    return data[..., None, :] >> starts[:, None] & np.uint8((1 << bits) - 1)


def of_nibbles(numbers: Bytes) -> Bytes:
    """Numbers of four bits `[…, n]` in bytes `[…, n / 2]`: the first half in the low bits, the second in the others."""
    first, second = np.split(numbers, 2, axis=-1)
    return first | second << np.uint8(4)


def flat(numbers: NDArray[Any], blocks: Bytes) -> NDArray[Any]:
    """The numbers of each block in one dim."""
    front = blocks.ndim - 1
    return numbers.reshape(*numbers.shape[:front], prod(numbers.shape[front:]))


def inverse(scale: Floats) -> Floats:
    """`1 / scale`, and 0 for 0."""
    return np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale != 0)
