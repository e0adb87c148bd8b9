"""F16: numbers of 16 bits."""

from __future__ import annotations

from mlc.frontends.gguf.formats.block_format import BlockFormat, Bytes, Floats, half, of_half


class F16Format(BlockFormat):
    """`half x`."""

    name = "F16"
    number = 1
    elements = 1
    bytes = 2
    encodes = True

    def decode(self, blocks: Bytes) -> Floats:
        return half(blocks, 0)

    def encode(self, numbers: Floats) -> Bytes:
        return of_half(numbers)
