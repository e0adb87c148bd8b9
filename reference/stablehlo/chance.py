"""Random bits of StableHLO, by the generators of its specification (Salmon et al., 2011).

`DEFAULT` may be any; here it is Philox, as in XLA on processors, but for states of two numbers of 64 bits only.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.dialects.stablehlo import HloOp, hlo
from mlc.reference.execution import Array, evaluates
from mlc.support.dtypes import dtype_of
from mlc.support.locations import error_at
from mlc.support.types import tensor_type

_LOW = np.uint64(0xFFFFFFFF)
_ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))


def _rotated(x: Array, by: int) -> Array:
    return (x << np.uint32(by)) | (x >> np.uint32(32 - by))


def three_fry(key: tuple[Array, Array], counter: tuple[Array, Array]) -> tuple[Array, Array]:
    """Threefry-2x32 with 20 rounds: two words of 32 bits of a key and of a counter."""
    keys = (key[0], key[1], key[0] ^ key[1] ^ np.uint32(0x1BD11BDA))
    a, b = counter[0] + keys[0], counter[1] + keys[1]
    for i in range(5):
        for rotation in _ROTATIONS[i % 2]:
            a = a + b
            b = _rotated(b, rotation) ^ a
        a, b = a + keys[(i + 1) % 3], b + keys[(i + 2) % 3] + np.uint32(i + 1)
    return a, b


def philox(key: tuple[Array, Array], counter: tuple[Array, ...]) -> tuple[Array, ...]:
    """Philox-4x32 with 10 rounds."""
    c0, c1, c2, c3 = counter
    k0, k1 = key
    for _ in range(10):
        one, two = c0.astype(np.uint64) * np.uint64(0xD2511F53), c2.astype(np.uint64) * np.uint64(0xCD9E8D57)
        high_one, low_one = (one >> np.uint64(32)).astype(np.uint32), (one & _LOW).astype(np.uint32)
        high_two, low_two = (two >> np.uint64(32)).astype(np.uint32), (two & _LOW).astype(np.uint32)
        c0, c1, c2, c3 = high_two ^ c1 ^ k0, low_two, high_one ^ c3 ^ k1, low_one
        k0, k1 = k0 + np.uint32(0x9E3779B9), k1 + np.uint32(0xBB67AE85)
    return c0, c1, c2, c3


def _split(x: Array) -> tuple[Array, Array]:
    wide = np.asarray(x, np.uint64)
    return (wide & _LOW).astype(np.uint32), (wide >> np.uint64(32)).astype(np.uint32)


@evaluates(hlo("rng_bit_generator"))
def rng_bit_generator(op: HloOp, state: Array) -> Sequence[Array]:
    """Bits and the state after them."""
    kind = tensor_type(op.results[1])
    dtype, size = dtype_of(kind.element_type), int(np.prod(kind.get_shape(), dtype=np.int64))
    words = 2 if dtype.itemsize == 8 else 1
    flat = np.ascontiguousarray(state).reshape(-1).view(np.uint64)
    algorithm = op.word("rng_algorithm")
    if dtype.itemsize > 8 or flat.size not in (2, 3):
        raise error_at(op, f"'{op.name}' with a state of {state.dtype}[{state.size}] has no reference semantics")
    needed = size * words
    if algorithm == "THREE_FRY":
        blocks = -(-needed // 2)
        counters = flat[1] + np.arange(blocks, dtype=np.uint64)
        drawn = np.concatenate(three_fry(_split(flat[0]), _split(counters)))
        bits = drawn[:needed] if words == 1 else _pairs(drawn, blocks)
        after = np.array([flat[0], flat[1] + np.uint64(blocks), *flat[2:]], np.uint64)
    else:
        blocks = -(-needed // 4)
        counters = flat[1] + np.arange(blocks, dtype=np.uint64)
        carry = (counters < flat[1]).astype(np.uint64)
        high = (flat[2] if flat.size == 3 else flat[0]) + carry
        drawn = np.stack(philox(_split(flat[0]), (*_split(counters), *_split(high))), 1).reshape(-1)
        bits = drawn[:needed]
        low = flat[1] + np.uint64(blocks)
        after = np.array([flat[0], low, *(flat[2:] + np.uint64(low < flat[1]))], np.uint64)
    found = bits.view(np.uint64) if words == 2 else bits
    found = found[:size].astype(f"u{dtype.itemsize}").view(dtype)
    return [after.view(state.dtype).reshape(state.shape), found.reshape(kind.get_shape())]


def _pairs(drawn: Array, blocks: int) -> Array:
    """The words of both halves, side by side."""
    return np.stack([drawn[:blocks], drawn[blocks:]], 1).reshape(-1)
