"""Random numbers by a counter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.dialects.graph.random import PhiloxOp
from mlc.reference.execution import Array, evaluates

_MASK, _WIDTH = np.uint64(0xFFFFFFFF), np.uint64(32)
_MULTIPLIERS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_WEYL = (np.uint64(0x9E3779B9), np.uint64(0xBB67AE85))
_ROUNDS = 10


def philox4x32(counter: Sequence[Array], key: Sequence[Array]) -> list[Array]:
    """The block of four words for a counter of four words and a key of two, the lowest first; each is a `uint64`."""
    (c0, c1, c2, c3), (k0, k1) = counter, key
    for _ in range(_ROUNDS):
        first, second = c0 * _MULTIPLIERS[0], c2 * _MULTIPLIERS[1]
        c0, c1 = (second >> _WIDTH) ^ c1 ^ k0, second & _MASK
        c2, c3 = (first >> _WIDTH) ^ c3 ^ k1, first & _MASK
        k0, k1 = (k0 + _WEYL[0]) & _MASK, (k1 + _WEYL[1]) & _MASK
    return [c0, c1, c2, c3]


@evaluates(PhiloxOp)
def philox(op: PhiloxOp, *operands: Array) -> Array:
    """The words of a block side by side; a place picks one, or two that are neighbours."""
    # Of arrays of rank 1 NumPy knows that integers wrap; of single numbers it warns.
    place, key, low, high = (v.reshape(-1) for v in np.broadcast_arrays(*operands))
    dtype = np.dtype(np.uint32 if op.result.type.element_type.width.data == 32 else np.uint64)  # pyright: ignore
    per_block = np.uint64(16 // dtype.itemsize)
    counter = low + place // per_block
    carried = high + (counter < low)
    words = philox4x32(_halves(counter) + _halves(carried), _halves(key))
    blocks = np.ascontiguousarray(np.stack(words, -1).astype("<u4")).view(dtype.newbyteorder("<")).astype(dtype)
    found = np.take_along_axis(blocks, (place % per_block).astype(np.int64)[:, None], -1)
    return found.reshape(op.result.type.get_shape())


def _halves(number: Array) -> list[Array]:
    """The lower and the upper 32 bits."""
    return [number & _MASK, number >> _WIDTH]
