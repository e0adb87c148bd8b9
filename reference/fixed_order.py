"""Sums and functions whose bits the numbers alone decide, for results that become part of a program.

`np.matmul` calls the BLAS of the machine, and its order of additions, like that of `np.sum`, is a matter of versions
and of vector registers. Inside `fixed_order()` these functions use additions and multiplications of whole arrays only,
each of which IEEE 754 rounds in one way, and f64 for sums of f32. NumPy's `exp` and its like are other code for each
kind of vector register; inside, they are those of the C library in extended precision, rounded once more: bits can only
differ where a value lies within 2^-40 of a unit (f32; f64: 2^-11) of the middle between two numbers. Elsewhere all are
NumPy's, which are far quicker.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.reference.any_order import product_of, sum_of
from mlc.support.dtypes import is_float

Array = NDArray[Any]

_FIXED: ContextVar[bool] = ContextVar("fixed order", default=False)
_ELEMENTS = 1 << 15
"""How many elements of a product are computed at a time: what the second cache holds in f64, with room to spare."""


@contextmanager
def fixed_order() -> Generator[None]:
    """Results are the same bits on every machine, as far as extended precision goes for functions such as `exp`."""
    token = _FIXED.set(True)
    try:
        yield
    finally:
        _FIXED.reset(token)


def _applies_to(x: Array) -> bool:
    return _FIXED.get() and is_float(x.dtype)


def exp(x: Array) -> Array:
    """e to the power of each element, in the element type."""
    return apply(np.exp, x)


def tanh(x: Array) -> Array:
    """The hyperbolic tangent, in the element type."""
    return apply(np.tanh, x)


def log(x: Array) -> Array:
    """The natural logarithm, in the element type."""
    return apply(np.log, x)


def sin(x: Array) -> Array:
    """The sine, in the element type."""
    return apply(np.sin, x)


def cos(x: Array) -> Array:
    """The cosine, in the element type."""
    return apply(np.cos, x)


def power(a: Array, b: Array) -> Array:
    """`a` to the power of `b`, which broadcast, in the element type."""
    return apply(np.power, a, b)


def apply(function: np.ufunc, *operands: Array) -> Array:
    """A function of NumPy's, of floats in their element type."""
    if not _applies_to(operands[0]):
        return np.asarray(function(*operands))
    with np.errstate(all="ignore"):
        wide = function(*(x.astype(np.longdouble) for x in operands))
        return np.asarray(wide).astype(operands[0].dtype)


def matmul(a: Array, b: Array) -> Array:
    """`[..., m, k] x [..., k, n]` in the element type, with leading dims that broadcast."""
    if not _applies_to(a):
        return sum_of(np.matmul, a, b)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    (rows, depth), columns = a.shape[-2:], b.shape[-1]
    result = np.empty((*batch, rows, columns), a.dtype)
    wide, right = a.astype(np.float64), b.astype(np.float64)
    step = max(1, _ELEMENTS // max(1, prod(batch) * columns))
    for first in range(0, rows, step):
        left = wide[..., first : first + step, :]
        block = np.zeros((*batch, left.shape[-2], columns))
        for k in range(depth):
            block += left[..., :, k, None] * right[..., None, k, :]
        result[..., first : first + step, :] = block
    return result


def total(x: Array, axes: tuple[int, ...], keepdims: bool = False) -> Array:
    """The sum over some axes, in the element type, so that integers wrap around."""
    if not _applies_to(x):
        return sum_of(partial(np.sum, axis=axes, dtype=x.dtype, keepdims=keepdims), x)
    return _in_pairs(np.add, x.astype(np.float64), axes, keepdims).astype(x.dtype)


def mean(x: Array, axes: tuple[int, ...], keepdims: bool = False) -> Array:
    """The mean over some axes, in the element type; NaN where there is nothing."""
    count = prod(x.shape[axis] for axis in axes)
    if not count:
        return np.full_like(x.sum(axes, keepdims=keepdims), np.nan)
    if not _applies_to(x):
        return sum_of(partial(np.mean, axis=axes, dtype=x.dtype, keepdims=keepdims), x)
    return (_in_pairs(np.add, x.astype(np.float64), axes, keepdims) / count).astype(x.dtype)


def product(x: Array, axes: tuple[int, ...], keepdims: bool = False) -> Array:
    """The product over some axes, in the element type, so that integers wrap around."""
    if not _applies_to(x):
        return product_of(partial(np.prod, axis=axes, dtype=x.dtype, keepdims=keepdims), x)
    return _in_pairs(np.multiply, x, axes, keepdims)


def _in_pairs(combine: np.ufunc, x: Array, axes: tuple[int, ...], keepdims: bool) -> Array:
    """Combine the first half with the second one until one is left; the last of an odd number waits.

    Nothing is combined to what is neutral.
    """
    axes = tuple(axis % x.ndim for axis in axes)
    kept = [n for axis, n in enumerate(x.shape) if axis not in axes]
    rest: Array = np.reshape(np.moveaxis(x, axes, range(len(axes))), (prod(x.shape[axis] for axis in axes), *kept))
    if not len(rest):
        rest = np.full((1, *kept), combine.identity, x.dtype)
    while (count := len(rest)) > 1:
        half = count // 2
        rest = np.concatenate([combine(rest[:half], rest[half : 2 * half]), rest[2 * half :]])
    shape = [1 if axis in axes else n for axis, n in enumerate(x.shape)] if keepdims else kept
    return np.reshape(rest[0], shape)
