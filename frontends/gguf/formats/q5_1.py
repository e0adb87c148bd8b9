"""Q5_1: integers of 5 bits, 32 with a scale and a least number."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat, half
from mlc.frontends.gguf.formats.q5_0 import fifth_bits


class Q5_1Format(GroupedFormat):
    """`half d, m; uint32 h; uint8 q[16]`: `d (q | h << 4) + m`; low bits are the first 16 numbers."""

    name = "Q5_1"
    number = 7
    elements = 32
    bytes = 24

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        whole = flat(fields(blocks[..., 8:], 4), blocks) | fifth_bits(blocks[..., 4:8])
        return GroupedNumbers(whole.astype(np.int8), half(blocks, 0), half(blocks, 2), 5)
