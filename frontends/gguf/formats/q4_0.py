"""Q4_0: integers of 4 bits from -8 to 7, 32 with a scale."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import (
    Bytes,
    Floats,
    GroupedFormat,
    GroupedNumbers,
    fields,
    flat,
    half,
    inverse,
    of_half,
    of_nibbles,
)


class Q4_0Format(GroupedFormat):
    """`half d; uint8 q[16]`: `d (q - 8)`; low bits are the first 16 numbers, high ones the others."""

    name = "Q4_0"
    number = 2
    elements = 32
    bytes = 18
    encodes = True

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        integers = flat(fields(blocks[..., 2:], 4), blocks).astype(np.int8) - np.int8(8)
        return GroupedNumbers(integers, half(blocks, 0), None, 4)

    def encode(self, numbers: Floats) -> Bytes:
        """The number of the largest size is -8."""
        largest = np.take_along_axis(numbers, np.abs(numbers).argmax(-1)[..., None], -1)
        scale = largest / np.float32(-8)
        whole = np.clip(np.trunc(numbers * inverse(scale) + np.float32(8.5)), 0, 15).astype(np.uint8)
        return np.concatenate([of_half(scale), of_nibbles(whole)], axis=-1)
