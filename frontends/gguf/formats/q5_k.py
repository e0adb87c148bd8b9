"""Q5_K: integers of 5 bits, 256 in groups of 32, whose scales and least numbers have 6 bits."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat
from mlc.frontends.gguf.formats.q4_k import scales_of_six_bits


class Q5_KFormat(GroupedFormat):
    """`half d, m; uint8 s[12]; uint8 h[32]; uint8 q[128]`: as Q4_K, with bit `g` of `h` above the bits of group `g`."""

    name = "Q5_K"
    number = 13
    elements = 256
    bytes = 176

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        low = flat(fields(blocks[..., 48:].reshape(*blocks.shape[:-1], 4, 32), 4), blocks)
        high = flat(fields(blocks[..., 16:48], 1), blocks) << np.uint8(4)
        with np.errstate(invalid="ignore", over="ignore"):
            return GroupedNumbers((low | high).astype(np.int8), *scales_of_six_bits(blocks), 5)
