"""BF16: the first 16 bits of numbers of f32."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import BlockFormat, Bytes, Floats


class BF16Format(BlockFormat):
    """`bfloat16 x`."""

    name = "BF16"
    number = 30
    elements = 1
    bytes = 2
    encodes = True

    def decode(self, blocks: Bytes) -> Floats:
        return (np.ascontiguousarray(blocks).view("<u2").astype(np.uint32) << 16).view(np.float32)

    def encode(self, numbers: Floats) -> Bytes:
        """Rounds to the nearest, from the middle to the even one; NaN stays NaN."""
        bits = np.ascontiguousarray(numbers, "<f4").view(np.uint32).astype(np.uint64)
        rounded = (bits + 0x7FFF + (bits >> 16 & 1)) >> 16
        quiet = bits >> 16 | 64
        return np.where(np.isnan(numbers), quiet, rounded).astype("<u2").view(np.uint8)
