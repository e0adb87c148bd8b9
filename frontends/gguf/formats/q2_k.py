"""Q2_K: integers of 2 bits, 256 in groups of 16, whose scales and least numbers have 4 bits."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat, half


class Q2_KFormat(GroupedFormat):
    """`uint8 s[16]; uint8 q[64]; half d, m`: `d (s & 15) q - m (s >> 4)`; 32 bytes hold four times 32 numbers."""

    name = "Q2_K"
    number = 10
    elements = 256
    bytes = 84

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        apart = blocks[..., 16:80].reshape(*blocks.shape[:-1], 2, 32)
        low, high = np.moveaxis(fields(blocks[..., :16], 4), -2, 0)
        with np.errstate(invalid="ignore", over="ignore"):
            scale = half(blocks, 80) * low.astype(np.float32)
            offset = -(half(blocks, 82) * high.astype(np.float32))
        return GroupedNumbers(flat(fields(apart, 2), blocks).astype(np.int8), scale, offset, 2)
