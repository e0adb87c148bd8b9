"""Q6_K: integers of 6 bits from -32 to 31, 256 in groups of 16, whose scales have 8 bits."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat, half


class Q6_KFormat(GroupedFormat):
    """`uint8 l[128], h[64]; int8 s[16]; half d`: `d s ((l | h << 4) - 32)`.

    Of each half of a block, 64 bytes of `l` have the low bits of 64 numbers and then of 64 others, and 32 bytes of `h`
    the two high bits of four times 32.
    """

    name = "Q6_K"
    number = 14
    elements = 256
    bytes = 210

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        front = blocks.shape[:-1]
        low = flat(fields(blocks[..., :128].reshape(*front, 2, 64), 4), blocks)
        high = flat(fields(blocks[..., 128:192].reshape(*front, 2, 32), 2), blocks) << np.uint8(4)
        integers = (low | high).astype(np.int8) - np.int8(32)
        with np.errstate(invalid="ignore", over="ignore"):
            scale = half(blocks, 208) * blocks[..., 192:208].view(np.int8).astype(np.float32)
        return GroupedNumbers(integers, scale, None, 6)
