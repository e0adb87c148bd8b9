"""F32: numbers of 32 bits, as they are."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import BlockFormat, Bytes, Floats


class F32Format(BlockFormat):
    """`float x`."""

    name = "F32"
    number = 0
    elements = 1
    bytes = 4
    encodes = True

    def decode(self, blocks: Bytes) -> Floats:
        return np.ascontiguousarray(blocks).view("<f4")

    def encode(self, numbers: Floats) -> Bytes:
        return np.ascontiguousarray(numbers, "<f4").view(np.uint8)
