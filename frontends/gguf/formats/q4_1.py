"""Q4_1: integers of 4 bits, 32 with a scale and a least number."""

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


class Q4_1Format(GroupedFormat):
    """`half d, m; uint8 q[16]`: `d q + m`; low bits are the first 16 numbers, high ones the others."""

    name = "Q4_1"
    number = 3
    elements = 32
    bytes = 20
    encodes = True

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        integers = flat(fields(blocks[..., 4:], 4), blocks).astype(np.int8)
        return GroupedNumbers(integers, half(blocks, 0), half(blocks, 2), 4)

    def encode(self, numbers: Floats) -> Bytes:
        least = numbers.min(-1, keepdims=True)
        scale = (numbers.max(-1, keepdims=True) - least) / np.float32(15)
        whole = np.clip(np.trunc((numbers - least) * inverse(scale) + np.float32(0.5)), 0, 15).astype(np.uint8)
        return np.concatenate([of_half(scale), of_half(least), of_nibbles(whole)], axis=-1)
