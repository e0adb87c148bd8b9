"""Q3_K: integers of 3 bits from -4 to 3, 256 in groups of 16, whose scales have 6 bits."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat, half


class Q3_KFormat(GroupedFormat):
    """`uint8 h[32]; uint8 q[64]; uint8 s[12]; half d`: `d (s - 32) ((q | h << 2) - 4)`.

    32 bytes of `q` hold four times 32 numbers, and bit `i` of `h` the high bits of the `i`th 32 of all. Eight bytes of
    `s` hold the low four bits of 16 scales, and four the two high ones.
    """

    name = "Q3_K"
    number = 11
    elements = 256
    bytes = 110

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        low = flat(fields(blocks[..., 32:96].reshape(*blocks.shape[:-1], 2, 32), 2), blocks)
        high = flat(fields(blocks[..., :32], 1), blocks) << np.uint8(2)
        six = flat(fields(blocks[..., 96:104], 4), blocks) | flat(fields(blocks[..., 104:108], 2), blocks) << np.uint8(
            4
        )
        signed = (six.astype(np.int8) - np.int8(32)).astype(np.float32)
        with np.errstate(invalid="ignore", over="ignore"):
            scale = half(blocks, 108) * signed
        return GroupedNumbers((low | high).astype(np.int8) - np.int8(4), scale, None, 3)
