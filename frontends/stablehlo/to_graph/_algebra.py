"""Fourier transforms, linear algebra, normalization of batches."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.cholesky import cholesky_factor
from mlc.frontends.operators.complex_numbers import Pair
from mlc.frontends.operators.fields import extents_of, reshaped
from mlc.frontends.operators.fourier import real_ends, transform, transform_of_real, transform_to_real
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.matrices import adjoint, stacked, transposed
from mlc.frontends.operators.statistics import mean_and_differences
from mlc.frontends.operators.triangular import solve_triangular
from mlc.frontends.stablehlo.to_graph._batches import is_open, of_whole_batch
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts


@converts("fft", bounded=True)
def fft(b: HloCall) -> Converted:
    """A transform for each dim, the last ones of which are transformed; one of real numbers has half of the results."""
    lengths, kind = b.op.ints("fft_length"), b.op.word("fft_type")
    x = b.pair(0)
    if is_open(b):
        return of_whole_batch(b, len(shape_of(x.re)) - len(lengths), 1)
    if 0 in b.shape():
        empty = b.splat(0, b.shape(), b.element())
        return empty if kind == "IRFFT" else Pair(empty, empty)
    last = len(shape_of(x.re)) - 1
    first = last + 1 - len(lengths)
    if kind == "IRFFT":
        for d in range(first, last):
            x = _inverse(b, x, d)
        x = Pair(x.re, real_ends(b, x.im, last, lengths[-1]))
        return b.mul(transform_to_real(b, x.re, x.im, last, lengths[-1], 1), b.number(1 / lengths[-1], x.re))
    if kind == "RFFT":
        x = Pair(*transform_of_real(b, x.re, last, -1))
    for d in range(first, last + (kind != "RFFT")):
        x = _inverse(b, x, d) if kind == "IFFT" else Pair(*transform(b, x.re, x.im, d, -1))
    return x


def _inverse(b: GraphBuilder, x: Pair, dim: int) -> Pair:
    re, im = transform(b, x.re, x.im, dim, 1)
    scale = b.number(1 / shape_of(re)[dim], re)
    return Pair(b.mul(re, scale), b.mul(im, scale))


@converts("triangular_solve", bounded=True)
def triangular_solve(b: HloCall) -> Converted:
    """Substitution."""
    if is_open(b):
        return of_whole_batch(b, len(extents_of(b.operand(0))) - 2, 2)
    matrix, lower, way = stacked(b, b.operand(0)), bool(b.op.number("lower")), b.op.word("transpose_a")
    if way in ("TRANSPOSE", "ADJOINT"):
        matrix, lower = adjoint(b, matrix) if way == "ADJOINT" else transposed(b, matrix), not lower
    is_unit, left = bool(b.op.number("unit_diagonal")), bool(b.op.number("left_side"))
    return reshaped(b, solve_triangular(b, matrix, stacked(b, b.operand(1)), lower, is_unit, left), b.shape())


@converts("cholesky", bounded=True)
def cholesky(b: HloCall) -> Converted:
    """The factor, with zeros in the other triangle."""
    if is_open(b):
        return of_whole_batch(b, len(extents_of(b.operand(0))) - 2, 1)
    return reshaped(b, cholesky_factor(b, stacked(b, b.operand(0)), bool(b.op.number("lower"))), b.shape())


# ---- normalization


def _column(b: HloCall, value: SSAValue) -> SSAValue:
    rank, at = len(shape_of(b[0])), b.op.number("feature_index")
    return b.reshape(value, [shape_of(value)[0] if d == at else 1 for d in range(rank)])


def _epsilon(b: HloCall, like: SSAValue) -> SSAValue:
    return b.number(cast(Any, b.op.properties["epsilon"]).value.data, like)


def _axes(b: HloCall) -> list[int]:
    return [d for d in range(len(shape_of(b[0]))) if d != b.op.number("feature_index")]


@converts("batch_norm_inference")
def batch_norm_inference(b: HloCall) -> Converted:
    """By a mean and a variance that are given."""
    scale, offset, mean, variance = (_column(b, b[i]) for i in range(1, 5))
    deviation = b(graph.SqrtOp, b.add(variance, _epsilon(b, variance)))
    return b.add(b.mul(b.div(b.sub(b[0], mean), deviation), scale), offset)


@converts("batch_norm_training")
def batch_norm_training(b: HloCall) -> Converted:
    """By those of the batch."""
    x, axes = b[0], _axes(b)
    mean, centred = mean_and_differences(b, x, axes)
    variance = b.reduce("mean", b.mul(centred, centred), axes, keepdims=True)
    deviation = b(graph.SqrtOp, b.add(variance, _epsilon(b, variance)))
    output = b.add(b.mul(b.div(centred, deviation), _column(b, b[1])), _column(b, b[2]))
    return [output, b.reshape(mean, b.shape(1)), b.reshape(variance, b.shape(2))]


@converts("batch_norm_grad")
def batch_norm_grad(b: HloCall) -> Converted:
    """The gradients of the operand, of the scale and of the offset."""
    x, grad, axes = b[0], b[4], _axes(b)
    scale, mean, variance = (_column(b, b[i]) for i in (1, 2, 3))
    size = b.add(variance, _epsilon(b, variance))
    deviation = b(graph.SqrtOp, size)
    centred = b.sub(x, mean)
    offset = b.reduce("sum", grad, axes, keepdims=True)
    along = b.reduce("sum", b.mul(grad, centred), axes, keepdims=True)
    count = b.number(float(np.prod([shape_of(x)[d] for d in axes])), x)
    inner = b.sub(b.sub(grad, b.div(offset, count)), b.div(b.mul(centred, along), b.mul(size, count)))
    of_x = b.mul(b.div(scale, deviation), inner)
    return [of_x, b.reshape(b.div(along, deviation), b.shape(1)), b.reshape(offset, b.shape(2))]
