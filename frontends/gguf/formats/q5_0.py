"""Q5_0: integers of 5 bits from -16 to 15, 32 with a scale."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat, half


def fifth_bits(blocks: Bytes) -> Bytes:
    """The highest bit of each number, bit `i` of a word of 32 bits for number `i`: 16 or 0."""
    return np.unpackbits(np.ascontiguousarray(blocks), axis=-1, bitorder="little") << np.uint8(4)


class Q5_0Format(GroupedFormat):
    """`half d; uint32 h; uint8 q[16]`: `d ((q | h << 4) - 16)`; low bits are the first 16 numbers."""

    name = "Q5_0"
    number = 6
    elements = 32
    bytes = 22

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        whole = flat(fields(blocks[..., 6:], 4), blocks) | fifth_bits(blocks[..., 2:6])
        return GroupedNumbers(whole.astype(np.int8) - np.int8(16), half(blocks, 0), None, 5)
