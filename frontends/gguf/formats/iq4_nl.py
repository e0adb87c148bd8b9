"""IQ4_NL: 16 values that lie closer to each other near 0, 32 of them with a scale."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat, half

_VALUES = np.array([-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113], np.int8)


class IQ4_NLFormat(GroupedFormat):
    """`half d; uint8 q[16]`: `d values[q]`, which are integers of 8 bits; low bits are the first 16 numbers."""

    name = "IQ4_NL"
    number = 20
    elements = 32
    bytes = 18

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        return GroupedNumbers(_VALUES[flat(fields(blocks[..., 2:], 4), blocks)], half(blocks, 0), None, 8)
