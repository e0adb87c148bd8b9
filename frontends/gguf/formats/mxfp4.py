"""MXFP4: floats of 4 bits (E2M1), 32 with a power of two (OCP Microscaling Formats, version 1.0)."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, GroupedFormat, GroupedNumbers, fields, flat

_DOUBLED = np.array([0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12], np.int8)


class MXFP4Format(GroupedFormat):
    """`uint8 e; uint8 q[16]`: `2^(e - 128)` times twice the number of 4 bits, an integer; -0 is 0."""

    name = "MXFP4"
    number = 39
    elements = 32
    bytes = 17

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        scale = np.ldexp(np.float32(1), blocks[..., :1].astype(np.int32) - 128)
        return GroupedNumbers(_DOUBLED[flat(fields(blocks[..., 1:], 4), blocks)], scale, None, 5)
