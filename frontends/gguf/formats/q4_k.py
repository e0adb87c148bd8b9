"""Q4_K: integers of 4 bits, 256 in groups of 32, whose scales and least numbers have 6 bits."""

from __future__ import annotations

import numpy as np

from mlc.frontends.gguf.formats.block_format import Bytes, Floats, GroupedFormat, GroupedNumbers, fields, flat, half


def scales_of_six_bits(blocks: Bytes) -> tuple[Floats, Floats]:
    """The scales and the offsets of eight groups, `[…, 8]`, of blocks that start with `half d, m; uint8 s[12]`.

    The first four bytes of `s` have the scales of groups 0 to 3 in their low six bits, the next four the least numbers;
    the last four have the low four bits of both for groups 4 to 7, of which the two high bits stand above the others.
    """
    low, middle, mixed = np.moveaxis(blocks[..., 4:16].reshape(*blocks.shape[:-1], 3, 4), -2, 0)
    six, four, two = np.uint8(0x3F), np.uint8(0x0F), np.uint8(0x30)
    scale = np.concatenate([low & six, mixed & four | low >> 2 & two], axis=-1)
    least = np.concatenate([middle & six, mixed >> 4 | middle >> 2 & two], axis=-1)
    return half(blocks, 0) * scale.astype(np.float32), -(half(blocks, 2) * least.astype(np.float32))


class Q4_KFormat(GroupedFormat):
    """`half d, m; uint8 s[12]; uint8 q[128]`: `d s q - m t`; of each 32 bytes the low bits are a group, then the high
    ones."""

    name = "Q4_K"
    number = 12
    elements = 256
    bytes = 144

    def groups(self, blocks: Bytes) -> GroupedNumbers:
        apart = blocks[..., 16:].reshape(*blocks.shape[:-1], 4, 32)
        with np.errstate(invalid="ignore", over="ignore"):
            return GroupedNumbers(flat(fields(apart, 4), blocks).astype(np.int8), *scales_of_six_bits(blocks), 4)
