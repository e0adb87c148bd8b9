"""Fourier transforms, linear algebra, normalization of batches."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.passes.shared.graph_builder import GraphBuilder
from mlc.passes.shared.refusal import Unconvertible
from mlc.passes.stablehlo_to_graph._calls import Found, HloCall, Pair, converts
from mlc.support import dtypes

_LONGEST = 4096
"""Fourier transforms of longer rows would need matrices that are too large."""


@converts("fft")
def fft(b: HloCall) -> Found:
    """A product with the matrix of the roots of unity, for each dim."""
    lengths, kind = b.op.ints("fft_length"), b.op.word("fft_type")
    if any(n > _LONGEST for n in lengths):
        raise Unconvertible(f"lengths are {list(lengths)}; mlc transforms rows of up to {_LONGEST} elements")
    x = b.pair(0)
    if 0 in b.shape():
        empty = b.splat(0, b.shape(), b.element())
        return empty if kind == "IRFFT" else Pair(empty, empty)
    rank = len(shape_of(x.re))
    first = rank - len(lengths)
    if kind == "IRFFT":
        for d in range(first, rank - 1):
            x = _transform(b, x, d, lengths[d - first], inverse=True)
        return _real_inverse(b, x, rank - 1, lengths[-1])
    if kind == "RFFT":
        x = _real(b, x.re, rank - 1, lengths[-1])
    for d in range(first, rank - (kind == "RFFT")):
        x = _transform(b, x, d, lengths[d - first], inverse=kind == "IFFT")
    return x


def _matrix(b: GraphBuilder, angle: Any, like: SSAValue, factor: float = 1.0) -> tuple[SSAValue, SSAValue]:
    dtype = dtypes.to_numpy(element_of(like))
    re, im = (np.cos(angle) * factor).astype(dtype), (np.sin(angle) * factor).astype(dtype)
    return b.constant(re, element_of(like)), b.constant(im, element_of(like))


def _angles(rows: int, columns: int, length: int, sign: int) -> Any:
    # Products are reduced before they become angles, so that no digits are lost.
    turns = (np.arange(rows)[:, None] * np.arange(columns)[None, :]) % length
    return sign * 2 * np.pi * turns / length


def _apply(b: GraphBuilder, x: SSAValue, matrix: SSAValue, dim: int) -> SSAValue:
    """The product with a matrix along a dim."""
    rank = len(shape_of(x))
    order = [*(d for d in range(rank) if d != dim), dim]
    moved = b.transpose(x, order)
    flat = b.reshape(moved, (int(np.prod(shape_of(moved)[:-1])), shape_of(moved)[-1]))
    found = b.reshape(b.matmul(flat, matrix), (*shape_of(moved)[:-1], shape_of(matrix)[1]))
    return b.transpose(found, [order.index(d) for d in range(rank)])


def _transform(b: GraphBuilder, x: Pair, dim: int, length: int, inverse: bool) -> Pair:
    angle = _angles(length, length, length, 1 if inverse else -1)
    re, im = _matrix(b, angle, x.re, 1 / length if inverse else 1.0)
    return Pair(
        b.sub(_apply(b, x.re, re, dim), _apply(b, x.im, im, dim)),
        b.plus(_apply(b, x.re, im, dim), _apply(b, x.im, re, dim)),
    )


def _real(b: GraphBuilder, x: SSAValue, dim: int, length: int) -> Pair:
    """Of real numbers, of which half of the result follows from the other half."""
    re, im = _matrix(b, _angles(length, length // 2 + 1, length, -1), x)
    return Pair(_apply(b, x, re, dim), _apply(b, x, im, dim))


def _real_inverse(b: GraphBuilder, x: Pair, dim: int, length: int) -> SSAValue:
    """To real numbers: each element but the first, and the middle one of an even length, counts twice."""
    half = length // 2 + 1
    weight = np.full((half, 1), 2.0)
    weight[0] = 1
    if length % 2 == 0:
        weight[-1] = 1
    angle = _angles(half, length, length, 1)
    dtype = dtypes.to_numpy(element_of(x.re))
    re = b.constant((np.cos(angle) * weight / length).astype(dtype), element_of(x.re))
    im = b.constant((np.sin(angle) * weight / length).astype(dtype), element_of(x.re))
    return b.sub(_apply(b, x.re, re, dim), _apply(b, x.im, im, dim))


_MOST_ROWS = 64
"""Factorizations of larger matrices are not written out."""


@converts("triangular_solve")
def triangular_solve(b: HloCall) -> Found:
    """Substitution, a row at a time."""
    matrix, right = b[0], b[1]
    size = shape_of(matrix)[-1]
    if size > _MOST_ROWS:
        raise Unconvertible(f"a matrix of {size} rows; mlc writes out the steps for up to {_MOST_ROWS}")
    lower, rank = bool(b.op.number("lower")), len(shape_of(matrix))
    swapped = [*range(rank - 2), rank - 1, rank - 2]
    left = bool(b.op.number("left_side"))
    if b.op.word("transpose_a") in ("TRANSPOSE", "ADJOINT"):
        matrix, lower = b.transpose(matrix, swapped), not lower
    if not left:
        matrix, right, lower = b.transpose(matrix, swapped), b.transpose(right, swapped), not lower
    rows: dict[int, SSAValue] = {}
    for i in range(size) if lower else reversed(range(size)):
        row = b.slice(matrix, rank - 2, i, i + 1)
        value = b.slice(right, rank - 2, i, i + 1)
        for j, solved in rows.items():
            value = b.sub(value, b.mul(b.slice(row, rank - 1, j, j + 1), solved))
        if not b.op.number("unit_diagonal"):
            value = b.div(value, b.slice(row, rank - 1, i, i + 1))
        rows[i] = value
    if not rows:
        return right if left else b.transpose(right, swapped)
    found = b.concat([rows[i] for i in range(size)], rank - 2)
    return found if left else b.transpose(found, swapped)


@converts("cholesky")
def cholesky(b: HloCall) -> Found:
    """Column after column (Golub and Van Loan, 4.2)."""
    x = b[0]
    size, rank = shape_of(x)[-1], len(shape_of(x))
    if size > _MOST_ROWS:
        raise Unconvertible(f"a matrix of {size} rows; mlc writes out the steps for up to {_MOST_ROWS}")
    swapped = [*range(rank - 2), rank - 1, rank - 2]
    lower = bool(b.op.number("lower"))
    x = x if lower else b.transpose(x, swapped)
    columns: list[SSAValue] = []
    for j in range(size):
        column = b.slice(b.slice(x, rank - 1, j, j + 1), rank - 2, j, size)
        for k, done in enumerate(columns):
            part = b.slice(done, rank - 2, j - k, size - k)
            column = b.sub(column, b.mul(part, b.slice(done, rank - 2, j - k, j - k + 1)))
        root = b(graph.SqrtOp, b.slice(column, rank - 2, 0, 1))
        columns.append(b.div(column, root))
    if not columns:
        return x
    whole: list[SSAValue] = []
    for j, column in enumerate(columns):
        low = [0] * rank
        low[-2] = j
        whole.append(b(graph.PadOp, column, low, [0] * rank, 0.0) if j else column)
    found = b.concat(whole, rank - 1)
    return found if lower else b.transpose(found, swapped)


# ---- normalization


def _column(b: HloCall, value: SSAValue) -> SSAValue:
    rank, at = len(shape_of(b[0])), b.op.number("feature_index")
    return b.reshape(value, [shape_of(value)[0] if d == at else 1 for d in range(rank)])


def _epsilon(b: HloCall, like: SSAValue) -> SSAValue:
    return b.number(cast(Any, b.op.properties["epsilon"]).value.data, like)


def _axes(b: HloCall) -> list[int]:
    return [d for d in range(len(shape_of(b[0]))) if d != b.op.number("feature_index")]


@converts("batch_norm_inference")
def batch_norm_inference(b: HloCall) -> Found:
    """By a mean and a variance that are given."""
    scale, offset, mean, variance = (_column(b, b[i]) for i in range(1, 5))
    deviation = b(graph.SqrtOp, b.plus(variance, _epsilon(b, variance)))
    return b.plus(b.mul(b.div(b.sub(b[0], mean), deviation), scale), offset)


@converts("batch_norm_training")
def batch_norm_training(b: HloCall) -> Found:
    """By those of the batch."""
    x, axes = b[0], _axes(b)
    mean = b.reduce("mean", x, axes, keepdims=True)
    centred = b.sub(x, mean)
    variance = b.reduce("mean", b.mul(centred, centred), axes, keepdims=True)
    deviation = b(graph.SqrtOp, b.plus(variance, _epsilon(b, variance)))
    output = b.plus(b.mul(b.div(centred, deviation), _column(b, b[1])), _column(b, b[2]))
    return [output, b.reshape(mean, b.shape(1)), b.reshape(variance, b.shape(2))]


@converts("batch_norm_grad")
def batch_norm_grad(b: HloCall) -> Found:
    """The gradients of the operand, of the scale and of the offset."""
    x, grad, axes = b[0], b[4], _axes(b)
    scale, mean, variance = (_column(b, b[i]) for i in (1, 2, 3))
    size = b.plus(variance, _epsilon(b, variance))
    deviation = b(graph.SqrtOp, size)
    centred = b.sub(x, mean)
    offset = b.reduce("sum", grad, axes, keepdims=True)
    along = b.reduce("sum", b.mul(grad, centred), axes, keepdims=True)
    count = b.number(float(np.prod([shape_of(x)[d] for d in axes])), x)
    inner = b.sub(b.sub(grad, b.div(offset, count)), b.div(b.mul(centred, along), b.mul(size, count)))
    of_x = b.mul(b.div(scale, deviation), inner)
    return [of_x, b.reshape(b.div(along, deviation), b.shape(1)), b.reshape(offset, b.shape(2))]
