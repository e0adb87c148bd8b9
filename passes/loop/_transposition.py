"""Transposing a block that lies in vectors, by shuffles of two vectors at a time.

A block of 2^p rows of 2^q elements has elements numbered by p + q bits: which row, and where in it. A transposition
exchanges these bits. One shuffle per vector can move one bit of the row number into the position and one bit of the
position into the row number, so q rounds are enough (J. O. Eklundh, "A fast computer method for matrix transposing",
1972). Which bit of the position moves is chosen so that rounds are instructions: interleaving two vectors inside
pieces of 16 bytes is `unpcklps` or `zip1`; between such pieces, taking every other one is `vshuff32x4`.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import vector
from xdsl.dialects.builtin import DenseArrayBase, i64
from xdsl.ir import Operation, SSAValue

from mlc.support.dtypes import to_numpy
from mlc.support.types import Vector, vector_of, vector_type

PIECE_BYTES = 16
"""What shuffles of x86 and of NEON work on: wider vectors are several such pieces side by side."""


def transposed(rows: Sequence[SSAValue]) -> tuple[list[Operation], list[SSAValue]]:
    """Ops that make the columns of `rows`, leftmost first, each a vector with one lane per row.

    The rows are vectors of 2^q elements; there are 2^p of them, p >= q.
    """
    kind = _kind(rows[0])
    (width,) = kind.get_shape()
    ops: list[Operation] = []
    # Vectors of full length: row v, row v + width, … side by side, so that only bits below log2(width) are exchanged.
    vectors = [_joined(rows[v::width], ops) for v in range(width)]
    bits = width.bit_length() - 1
    in_piece = min(bits, (PIECE_BYTES // to_numpy(kind.element_type).itemsize).bit_length() - 1)
    for bit in reversed(range(in_piece)):
        vectors = _round(vectors, bit, _interleaving(len(rows), in_piece), ops)
    for bit in range(in_piece, bits):
        vectors = _round(vectors, bit, _separation(len(rows), in_piece, bits), ops)
    return ops, vectors


def _kind(value: SSAValue) -> Vector:
    kind = vector_type(value.type)
    assert kind is not None
    return kind


def _joined(parts: Sequence[SSAValue], ops: list[Operation]) -> SSAValue:
    """A vector of the elements of all parts, a power of two of them."""
    while len(parts) > 1:
        (length,) = _kind(parts[0]).get_shape()
        parts = [_shuffle(a, b, range(2 * length), ops) for a, b in zip(parts[::2], parts[1::2], strict=True)]
    return parts[0]


Shuffle = tuple[list[int], list[int]]
"""The lanes that go to the first and to the second vector of a pair, numbered through both."""


def _interleaving(length: int, bits: int) -> Shuffle:
    """Positions (p, q, …, r) of vector v go to (q, …, r, v) of vector p; `bits` bits at the low end take part."""
    half, size = 1 << (bits - 1), 1 << bits
    low = [base + lane // 2 + (length if lane % 2 else 0) for base in range(0, length, size) for lane in range(size)]
    return low, [lane + half for lane in low]


def _separation(length: int, low: int, high: int) -> Shuffle:
    """Positions (p, …, q, r) of vector v go to (v, p, …, q) of vector r; the bits `low` to `high` - 1 take part."""
    size, group = 1 << low, 1 << high
    first: list[int] = []
    for base in range(0, length, group):
        for source in (0, length):
            for start in range(base, base + group, 2 * size):
                first += range(source + start, source + start + size)
    return first, [lane + size for lane in first]


def _round(vectors: Sequence[SSAValue], bit: int, lanes: Shuffle, ops: list[Operation]) -> list[SSAValue]:
    """One shuffle of each vector with the one whose number differs in `bit`."""
    result = list(vectors)
    for number in range(len(vectors)):
        other = number | 1 << bit
        if number != other:
            pair = vectors[number], vectors[other]
            result[number], result[other] = (_shuffle(*pair, chosen, ops) for chosen in lanes)
    return result


def _shuffle(first: SSAValue, second: SSAValue, lanes: Sequence[int], ops: list[Operation]) -> SSAValue:
    kind: Vector = vector_of(_kind(first).element_type, len(lanes))
    op = vector.ShuffleOp.create(
        operands=[first, second], result_types=[kind], properties={"mask": DenseArrayBase.from_list(i64, list(lanes))}
    )
    ops.append(op)
    return op.results[0]
