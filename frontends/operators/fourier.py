"""Discrete Fourier transforms in graph ops, of pairs of real tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.support.dtypes import to_numpy

_DIRECT = 64
"""Up to this length a transform is one product with the matrix of the roots of unity."""

_LONGEST_PRODUCT = 2048
"""Up to this length one whose length is prime is, too; of longer ones the matrix would take more than 32 MiB."""

SplitComplex = tuple[SSAValue, SSAValue]
"""Real and imaginary parts."""


def transform(b: GraphBuilder, re: SSAValue, im: SSAValue | None, dim: int, sign: int) -> SplitComplex:
    """`X[k] = sum x[n] exp(sign 2 pi i n k / length)` along a dim; numbers without `im` are real.

    A long one whose length is `p q` is transforms of length `p`, a product with roots of unity, and transforms of
    length `q` (Cooley and Tukey, "An Algorithm for the Machine Calculation of Complex Fourier Series", 1965), so that
    each step is a product with a small matrix.
    """
    length = shape_of(re)[dim]
    p = _factor(length)
    if _is_chirp(length):
        return _chirp(b, re, im, dim, sign)
    if length <= _DIRECT or p == 1:
        return _product(b, re, im, dim, length, sign)
    q = length // p
    shape = shape_of(re)
    apart = (*shape[:dim], p, q, *shape[dim + 1 :])
    inner = transform(b, b.reshape(re, apart), None if im is None else b.reshape(im, apart), dim, sign)
    turned = _times(b, inner, _roots(b, p, q, length, sign, re, (p, q, *[1] * (len(shape) - dim - 1))))
    outer = transform(b, *turned, dim + 1, sign)
    order = [*range(dim), dim + 1, dim, *range(dim + 2, len(shape) + 1)]
    first, second = (b.reshape(b.transpose(part, order), shape) for part in outer)
    return first, second


def transform_of_real(b: GraphBuilder, x: SSAValue, dim: int, sign: int) -> SplitComplex:
    """The first `length // 2 + 1` results for real numbers; the others are conjugates of these, `X[-k] = conj(X[k])`.

    Half of the inner transforms are conjugates, too. Of `X[k + p m] = T[k, m]` rows of T up to the middle are computed,
    and after it `X[k + p m]` is the conjugate of `T[p - k, q - 1 - m]`.
    """
    shape = shape_of(x)
    length = shape[dim]
    p = _factor(length)
    if _is_chirp(length):
        return _chirp(b, x, None, dim, sign, length // 2 + 1)
    if length <= _DIRECT or p == 1:
        return _product(b, x, None, dim, length, sign, length // 2 + 1)
    q = length // p
    inner = transform_of_real(b, b.reshape(x, (*shape[:dim], p, q, *shape[dim + 1 :])), dim, sign)
    half, rows = p // 2 + 1, -(-(length // 2 + 1) // p)
    turned = _times(b, inner, _roots(b, half, q, length, sign, x, (half, q, *[1] * (len(shape) - dim - 1))))
    order = [*range(dim), dim + 1, dim, *range(dim + 2, len(shape) + 1)]
    parts: list[SSAValue] = []
    for part, is_imaginary in zip(transform(b, *turned, dim + 1, sign), (False, True), strict=True):
        pieces = [b.slice(part, dim + 1, 0, rows)]
        if p > half:
            others = b.slice(b.slice(part, dim, 1, p - half + 1), dim + 1, q - rows, q)
            mirrored = b(graph.ReverseOp, others, [dim, dim + 1])
            pieces.append(b(graph.NegOp, mirrored) if is_imaginary else mirrored)
        whole = b.transpose(b.concat(pieces, dim), order)
        flat = b.reshape(whole, (*shape[:dim], rows * p, *shape[dim + 1 :]))
        parts.append(b.slice(flat, dim, 0, length // 2 + 1))
    return parts[0], parts[1]


def transform_to_real(b: GraphBuilder, re: SSAValue, im: SSAValue, dim: int, length: int, sign: int) -> SSAValue:
    """The transform of `length` numbers with `x[-n] = conj(x[n])`, of which the first `length // 2 + 1` are given.

    What the inner transforms give has this symmetry along the other dim, so that half of them do.
    """
    p = _factor(length)
    if _is_chirp(length):
        return _chirp(b, *hermitian(b, re, im, dim, length), dim, sign)[0]
    if length <= _DIRECT or p == 1:
        weights = np.full(length // 2 + 1, 2)
        weights[0] = 1
        weights[-1] = 1 if length % 2 == 0 else weights[-1]
        cos, sin = _roots_along(b, re, dim, length, length // 2 + 1, sign, weights)
        return b.sub(_along(b, re, cos, dim), _along(b, im, sin, dim))
    q = length // p
    shape = shape_of(re)
    halves: list[SSAValue] = []
    for part in hermitian(b, re, im, dim, length):
        apart = b.reshape(part, (*shape[:dim], p, q, *shape[dim + 1 :]))
        halves.append(b.slice(apart, dim + 1, 0, q // 2 + 1))
    roots = _roots(b, p, q // 2 + 1, length, sign, re, (p, q // 2 + 1, *[1] * (len(shape) - dim - 1)))
    turned = _times(b, transform(b, halves[0], halves[1], dim, sign), roots)
    outer = transform_to_real(b, *turned, dim + 1, q, sign)
    order = [*range(dim), dim + 1, dim, *range(dim + 2, len(shape) + 1)]
    return b.reshape(b.transpose(outer, order), (*shape[:dim], length, *shape[dim + 1 :]))


def hermitian(b: GraphBuilder, re: SSAValue, im: SSAValue, dim: int, length: int) -> SplitComplex:
    """`length` numbers with `x[-n] = conj(x[n])`, of which the first half is given."""
    count = (length - 1) // 2
    if not count:
        return re, im
    first, second = (b(graph.ReverseOp, b.slice(part, dim, 1, 1 + count), [dim]) for part in (re, im))
    return b.concat([re, first], dim), b.concat([im, b(graph.NegOp, second)], dim)


def real_ends(b: GraphBuilder, im: SSAValue, dim: int, length: int) -> SSAValue:
    """The imaginary parts of half of the results of a transform of `length` real numbers: that of the first one is 0,
    and so is that of the middle one of an even length, whatever is given."""
    if length == 1:
        return b.mul(im, b.number(0, im))
    real = np.zeros([length // 2 + 1 if d == dim else 1 for d in range(len(shape_of(im)))], np.bool_)
    at = np.moveaxis(real, dim, 0)
    at[0] = True
    at[-1] |= length % 2 == 0
    return b.where(b.constant(real), b.number(0, im), im)


def _factor(length: int) -> int:
    """The factor of a length that is nearest to its root from below; 1 if it is prime."""
    return next((p for p in range(int(length**0.5), 1, -1) if length % p == 0), 1)


def _is_chirp(length: int) -> bool:
    return length > _LONGEST_PRODUCT and _factor(length) == 1


def _chirp(
    b: GraphBuilder, re: SSAValue, im: SSAValue | None, dim: int, sign: int, rows: int | None = None
) -> SplitComplex:
    """The first results, or all, of a transform whose length is a large prime.

    With `n k = (n² + k² - (k - n)²) / 2` it is a convolution with `exp(-sign pi i n² / length)`, between two products
    with such numbers (Bluestein, A linear filtering approach to the computation of discrete Fourier transform, 1970);
    the convolution is one of periods that are products of small factors.
    """
    length, rank = shape_of(re)[dim], len(shape_of(re))
    rows = length if rows is None else rows
    period = _smooth(length + rows - 1)
    # Squares are reduced while they are integers, and all is rounded once: no digits are lost.
    places = np.arange(length, dtype=np.int64)
    chirp = np.exp(sign * 1j * np.pi * (places * places % (2 * length)) / length)
    kernel = np.zeros(period, np.complex128)
    kernel[:rows] = chirp[:rows].conj()
    kernel[period - length + 1 :] = chirp[:0:-1].conj()
    along = [1] * rank

    def constants(numbers: NDArray[np.complex128]) -> SplitComplex:
        along[dim] = len(numbers)
        dtype, element = to_numpy(element_of(re)), element_of(re)
        first, second = (
            b.constant(part.reshape(along).astype(dtype), element) for part in (np.real(numbers), np.imag(numbers))
        )
        return first, second

    turns = constants(chirp)
    turned = (b.mul(re, turns[0]), b.mul(re, turns[1])) if im is None else _times(b, (re, im), turns)
    ends = [period - length if d == dim else 0 for d in range(rank)]
    filled = [b(graph.PadOp, part, [0] * rank, ends, 0.0) for part in turned]
    product = _times(b, transform(b, filled[0], filled[1], dim, -1), constants(np.fft.fft(kernel) / period))
    found = [b.slice(part, dim, 0, rows) for part in transform(b, *product, dim, 1)]
    return _times(b, (found[0], found[1]), constants(chirp[:rows]))


def _smooth(least: int) -> int:
    """The first number from `least` on that has the factors 2, 3 and 5 only."""
    found = 1 << (least - 1).bit_length()
    for fives in (1, 5, 25):
        for threes in (1, 3, 9):
            odd = fives * threes
            found = min(found, odd << (-(-least // odd) - 1).bit_length())
    return found


def _roots(
    b: GraphBuilder, rows: int, columns: int, length: int, sign: int, like: SSAValue, shape: Any
) -> SplitComplex:
    """`exp(sign 2 pi i row column / length)`; products are reduced before they become angles: no digits are lost."""
    turns = (np.arange(rows)[:, None] * np.arange(columns)[None, :]) % length
    angle = (sign * 2 * np.pi * turns / length).reshape(shape)
    dtype = to_numpy(element_of(like))
    element = element_of(like)
    return b.constant(np.cos(angle).astype(dtype), element), b.constant(np.sin(angle).astype(dtype), element)


def _roots_along(
    b: GraphBuilder, x: SSAValue, dim: int, rows: int, columns: int, sign: int, weights: Any = 1
) -> SplitComplex:
    """The matrix of roots of unity whose product with `x` along a dim, of `columns`, has `rows` results; the longer of
    both says which roots. Columns have weights."""
    turns = (np.arange(rows)[:, None] * np.arange(columns)[None, :]) % max(rows, columns)
    angle = sign * 2 * np.pi * turns / max(rows, columns)
    element = element_of(x)
    found: list[SSAValue] = []
    for matrix in (np.cos(angle) * weights, np.sin(angle) * weights):
        stored = matrix if _is_left(x, dim) else matrix.T
        found.append(b.constant(np.ascontiguousarray(stored.astype(to_numpy(element))), element))
    return found[0], found[1]


def _product(
    b: GraphBuilder, re: SSAValue, im: SSAValue | None, dim: int, length: int, sign: int, rows: int | None = None
) -> SplitComplex:
    """The first results, or all."""
    cos, sin = _roots_along(b, re, dim, length if rows is None else rows, length, sign)
    first, second = _along(b, re, cos, dim), _along(b, re, sin, dim)
    if im is None:
        return first, second
    return b.sub(first, _along(b, im, sin, dim)), b.add(second, _along(b, im, cos, dim))


def _times(b: GraphBuilder, x: SplitComplex, y: SplitComplex) -> SplitComplex:
    """The product of complex numbers."""
    return b.sub(b.mul(x[0], y[0]), b.mul(x[1], y[1])), b.add(b.mul(x[0], y[1]), b.mul(x[1], y[0]))


def _is_left(x: SSAValue, dim: int) -> bool:
    """Whether the matrix of a product along a dim stands on the left."""
    return dim == len(shape_of(x)) - 2


def _along(b: GraphBuilder, x: SSAValue, matrix: SSAValue, dim: int) -> SSAValue:
    """The product with a matrix along a dim: from the left, or from the right with one that is transposed."""
    shape, rank = shape_of(x), len(shape_of(x))
    if _is_left(x, dim):
        return b.matmul(matrix, x)
    order = [*(d for d in range(rank) if d != dim), dim]
    moved = b.transpose(x, order)
    kept = shape_of(moved)[:-1]
    flat = b.reshape(moved, (int(np.prod(kept)), shape[dim]))
    found = b.reshape(b.matmul(flat, matrix), (*kept, shape_of(matrix)[1]))
    return b.untranspose(found, order)
