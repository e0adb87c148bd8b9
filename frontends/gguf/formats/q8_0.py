"""Q8_0: integers of 8 bits, 32 with a scale."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, Floats, GroupedFormat, GroupedNumbers, half, inverse, of_half


class Q8_0Format(GroupedFormat):
    """`half d; int8 q[32]`: `d q`."""

    name = "Q8_0"
    number = 8
    elements = 32
    bytes = 34
    encodes = True

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        return GroupedNumbers(blocks[..., 2:].view(np.int8), half(blocks, 0), None, 8)

    def encode(self, numbers: Floats) -> Bytes:
        scale = np.abs(numbers).max(-1, keepdims=True) / np.float32(127)
        scaled = numbers * inverse(scale)
        away = np.trunc(scaled + np.copysign(np.float32(0.5), scaled))
        return np.concatenate([of_half(scale), away.astype(np.int8).view(np.uint8)], axis=-1)
