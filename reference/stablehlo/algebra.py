"""Linear algebra, Fourier transforms and normalization of StableHLO, in double precision, rounded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlc.dialects.stablehlo import HloOp, hlo
from mlc.reference.execution import Array, evaluates
from mlc.reference.stablehlo.elementwise import converted
from mlc.reference.stablehlo.numbers import is_complex
from mlc.support.dtypes import dtype_of
from mlc.support.types import element_type, tensor_type


def _wide(x: Array) -> Array:
    return x.astype(np.complex128 if is_complex(x.dtype) else np.float64)


def _narrow(op: HloOp, x: Array) -> Array:
    return converted(np.asarray(x), dtype_of(element_type(op.results[0].type)))


@evaluates(hlo("cholesky"))
def cholesky(op: HloOp, a: Array) -> Array:
    """Only the half that is asked for is read; the other half of the result is 0. NaN where there is none."""
    wide = _wide(a)
    lower = bool(op.number("lower"))
    half = np.tril(wide) if lower else np.swapaxes(np.triu(wide), -1, -2).conj()
    full = half + np.swapaxes(np.tril(half, -1), -1, -2).conj()
    try:
        found = np.linalg.cholesky(full)
    except np.linalg.LinAlgError:
        found = np.full_like(full, np.nan)
    return _narrow(op, found if lower else np.swapaxes(found, -1, -2).conj())


@evaluates(hlo("triangular_solve"))
def triangular_solve(op: HloOp, a: Array, b: Array) -> Array:
    """`x` in `a x = b`, or in `x a = b`, by substitution."""
    matrix, right = _wide(a), _wide(b)
    lower = bool(op.number("lower"))
    matrix = np.tril(matrix) if lower else np.triu(matrix)
    if op.number("unit_diagonal"):
        size = matrix.shape[-1]
        matrix = np.where(np.eye(size, dtype=bool), 1, matrix)
    transpose = op.word("transpose_a")
    if transpose in ("TRANSPOSE", "ADJOINT"):
        matrix, lower = np.swapaxes(matrix, -1, -2), not lower
        matrix = matrix.conj() if transpose == "ADJOINT" else matrix
    if not op.number("left_side"):
        matrix, right, lower = np.swapaxes(matrix, -1, -2), np.swapaxes(right, -1, -2), not lower
    found = np.zeros_like(right)
    size = matrix.shape[-1]
    for i in range(size) if lower else reversed(range(size)):
        known = np.matmul(matrix[..., i : i + 1, :], found)[..., 0, :]
        found[..., i, :] = (right[..., i, :] - known) / matrix[..., i, i][..., None]
    return _narrow(op, found if op.number("left_side") else np.swapaxes(found, -1, -2))


@evaluates(hlo("fft"))
def fft(op: HloOp, x: Array) -> Array:
    """Over the last dims."""
    lengths = op.ints("fft_length")
    axes = tuple(range(x.ndim - len(lengths), x.ndim))
    wide, kind = _wide(x), op.word("fft_type")
    if 0 in tensor_type(op.results[0]).get_shape():
        return np.zeros(tensor_type(op.results[0]).get_shape(), dtype_of(element_type(op.results[0].type)))
    if kind == "FFT":
        return _narrow(op, np.fft.fftn(wide, axes=axes))
    if kind == "IFFT":
        return _narrow(op, np.fft.ifftn(wide, axes=axes))
    if kind == "RFFT":
        return _narrow(op, np.fft.rfftn(wide, axes=axes))
    return _narrow(op, np.fft.irfftn(wide, s=lengths, axes=axes))


def _column(x: Array, rank: int, at: int) -> Array:
    return np.reshape(x.astype(np.float64), [-1 if d == at else 1 for d in range(rank)])


def _epsilon(op: HloOp) -> float:
    return float(getattr(getattr(op.properties["epsilon"], "value"), "data"))  # noqa: B009


@evaluates(hlo("batch_norm_inference"))
def batch_norm_inference(op: HloOp, x: Array, scale: Array, offset: Array, mean: Array, variance: Array) -> Array:
    """By a mean and a variance that are given."""
    at = op.number("feature_index")
    s, o, m, v = (_column(p, x.ndim, at) for p in (scale, offset, mean, variance))
    return _narrow(op, s * (x.astype(np.float64) - m) / np.sqrt(v + _epsilon(op)) + o)


@evaluates(hlo("batch_norm_training"))
def batch_norm_training(op: HloOp, x: Array, scale: Array, offset: Array) -> Sequence[Array]:
    """By those of the batch, which are results too."""
    at = op.number("feature_index")
    axes = tuple(d for d in range(x.ndim) if d != at)
    wide = x.astype(np.float64)
    mean, variance = wide.mean(axes), wide.var(axes)
    s, o, m, v = (_column(p, x.ndim, at) for p in (scale, offset, mean, variance))
    output = s * (wide - m) / np.sqrt(v + _epsilon(op)) + o
    return [_narrow(op, part) for part in (output, mean, variance)]


@evaluates(hlo("batch_norm_grad"))
def batch_norm_grad(op: HloOp, x: Array, scale: Array, mean: Array, variance: Array, grad: Array) -> Sequence[Array]:
    """The gradients of the operand, of the scale and of the offset."""
    at = op.number("feature_index")
    axes = tuple(d for d in range(x.ndim) if d != at)
    count = x.size // max(x.shape[at], 1)
    s, m, v = (_column(p, x.ndim, at) for p in (scale, mean, variance))
    centred, g = x.astype(np.float64) - m, grad.astype(np.float64)
    deviation = np.sqrt(v + _epsilon(op))
    product = (g * centred).sum(axes, keepdims=True)
    total = g.sum(axes, keepdims=True)
    inner = count * g - total - centred * product / (v + _epsilon(op))
    grads = s / deviation / count * inner, (g * centred / deviation).sum(axes), g.sum(axes)
    return [_narrow(op, part) for part in grads]
