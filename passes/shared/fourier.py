"""Discrete Fourier transforms in graph ops, of pairs of real tensors."""

from __future__ import annotations

from typing import Any

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects.graph.types import element_of, shape_of
from mlc.passes.shared.graph_builder import GraphBuilder
from mlc.support.dtypes import to_numpy

_DIRECT = 64
"""Up to this length a transform is one product with the matrix of the roots of unity."""

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


def largest_direct(length: int) -> int:
    """The length of the longest transform that is one product, of those that a long one is made of."""
    p = _factor(length)
    return length if length <= _DIRECT or p == 1 else max(largest_direct(p), largest_direct(length // p))


def _factor(length: int) -> int:
    """The factor of a length that is nearest to its root from below; 1 if it is prime."""
    return next((p for p in range(int(length**0.5), 1, -1) if length % p == 0), 1)


def _roots(
    b: GraphBuilder, rows: int, columns: int, length: int, sign: int, like: SSAValue, shape: Any
) -> SplitComplex:
    """`exp(sign 2 pi i row column / length)`; products are reduced before they become angles: no digits are lost."""
    turns = (np.arange(rows)[:, None] * np.arange(columns)[None, :]) % length
    angle = (sign * 2 * np.pi * turns / length).reshape(shape)
    dtype = to_numpy(element_of(like))
    element = element_of(like)
    return b.constant(np.cos(angle).astype(dtype), element), b.constant(np.sin(angle).astype(dtype), element)


def _product(b: GraphBuilder, re: SSAValue, im: SSAValue | None, dim: int, length: int, sign: int) -> SplitComplex:
    cos, sin = _roots(b, length, length, length, sign, re, (length, length))
    first, second = _along(b, re, cos, dim), _along(b, re, sin, dim)
    if im is None:
        return first, second
    return b.sub(first, _along(b, im, sin, dim)), b.plus(second, _along(b, im, cos, dim))


def _times(b: GraphBuilder, x: SplitComplex, y: SplitComplex) -> SplitComplex:
    """The product of complex numbers."""
    return b.sub(b.mul(x[0], y[0]), b.mul(x[1], y[1])), b.plus(b.mul(x[0], y[1]), b.mul(x[1], y[0]))


def _along(b: GraphBuilder, x: SSAValue, matrix: SSAValue, dim: int) -> SSAValue:
    """The product with a symmetric matrix along a dim."""
    shape, rank = shape_of(x), len(shape_of(x))
    if dim == rank - 2:
        return b.matmul(matrix, x)
    order = [*(d for d in range(rank) if d != dim), dim]
    moved = b.transpose(x, order)
    flat = b.reshape(moved, (int(np.prod(shape_of(moved)[:-1])), shape[dim]))
    found = b.reshape(b.matmul(flat, matrix), shape_of(moved))
    return b.transpose(found, [order.index(d) for d in range(rank)])
