"""Products of matrices and convolutions of StableHLO, in double precision, rounded once."""

from __future__ import annotations

from functools import partial
from itertools import product
from typing import cast

import numpy as np

from mlc.dialects.stablehlo import ConvAttr, DotAttr, HloOp, hlo
from mlc.reference.any_order import sum_of, sums
from mlc.reference.execution import Array, evaluates
from mlc.reference.stablehlo.elementwise import converted
from mlc.reference.stablehlo.moves import padded
from mlc.support.dtypes import dtype_of
from mlc.support.types import element_type, tensor_type


def _wide(op: HloOp, x: Array) -> Array:
    """Operands as numbers to compute with: integers as those of the result, others in double precision."""
    dtype = dtype_of(element_type(op.results[0].type))
    if dtype.kind in "iu":
        return converted(x, dtype)
    if dtype == np.bool_:
        return x
    return x.astype(np.complex128 if dtype.kind == "c" else np.float64)


def _narrow(op: HloOp, x: Array) -> Array:
    return converted(np.asarray(x), dtype_of(element_type(op.results[0].type)))


def product_of(a: Array, b: Array, batch: tuple[tuple[int, ...], ...], contract: tuple[tuple[int, ...], ...]) -> Array:
    """Sums of products over dims in pairs; the dims of the result are the batch, and what is left of each operand."""
    free = [[d for d in range(x.ndim) if d not in (*batch[i], *contract[i])] for i, x in enumerate((a, b))]
    left = np.transpose(a, [*batch[0], *free[0], *contract[0]])
    right = np.transpose(b, [*batch[1], *contract[1], *free[1]])
    sizes = [a.shape[d] for d in batch[0]]
    rows, columns = [a.shape[d] for d in free[0]], [b.shape[d] for d in free[1]]
    depth = int(np.prod([a.shape[d] for d in contract[0]], dtype=np.int64))
    wide = left.reshape((*sizes, int(np.prod(rows, dtype=np.int64)), depth))
    found = np.matmul(wide, right.reshape((*sizes, depth, int(np.prod(columns, dtype=np.int64)))))
    return found.reshape((*sizes, *rows, *columns))


@evaluates(hlo("dot_general"))
@sums
def dot_general(op: HloOp, a: Array, b: Array) -> Array:
    """Sums of products over dims in pairs."""
    dims = cast(DotAttr, op.properties["dot_dimension_numbers"])
    batch = dims.ints("lhs_batching_dimensions"), dims.ints("rhs_batching_dimensions")
    contract = dims.ints("lhs_contracting_dimensions"), dims.ints("rhs_contracting_dimensions")
    return _narrow(op, product_of(_wide(op, a), _wide(op, b), batch, contract))


@evaluates(hlo("dot"))
@sums
def dot(op: HloOp, a: Array, b: Array) -> Array:
    """A product of matrices or vectors."""
    return _narrow(op, product_of(_wide(op, a), _wide(op, b), ((), ()), ((a.ndim - 1,), (0,))))


@evaluates(hlo("einsum"))
@sums
def einsum(op: HloOp, a: Array, b: Array) -> Array:
    """A sum of products, as Einstein writes it."""
    return _narrow(op, np.einsum(op.word("einsum_config"), _wide(op, a), _wide(op, b)))


@evaluates(hlo("unary_einsum"))
@sums
def unary_einsum(op: HloOp, a: Array) -> Array:
    """A sum, as Einstein writes it."""
    return _narrow(op, np.einsum(op.word("einsum_config"), _wide(op, a)))


@evaluates(hlo("convolution"))
@sums
def convolution(op: HloOp, image: Array, kernel: Array) -> Array:
    """Sums of products over windows."""
    return convolved(op, image, kernel, op.pairs("padding"))


@evaluates(hlo("dynamic_conv"))
def dynamic_conv(op: HloOp, image: Array, kernel: Array, padding: Array) -> Array:
    """The same, with padding that is data."""
    pads = tuple((int(a), int(b)) for a, b in padding)
    return sum_of(partial(convolved, op, padding=pads), image, kernel)


def convolved(op: HloOp, image: Array, kernel: Array, padding: tuple[tuple[int, int], ...]) -> Array:
    """One product of matrices per element of the kernel."""
    dims = cast(ConvAttr, op.properties["dimension_numbers"])
    count = image.ndim - 2
    ones = (1,) * count
    strides, image_dilation, kernel_dilation = (
        op.ints(n, ones) for n in ("window_strides", "lhs_dilation", "rhs_dilation")
    )
    padding = padding or ((0, 0),) * count
    x = np.transpose(_wide(op, image), [dims.dims(0, "b"), *dims.spatial(0), dims.dims(0, "f")])
    w = np.transpose(_wide(op, kernel), [*dims.spatial(1), dims.dims(1, "i"), dims.dims(1, "o")])
    reversed_dims = [d for d, r in enumerate(op.ints("window_reversal", (0,) * count)) if r]
    w = np.flip(w, tuple(reversed_dims))
    low, high = [0, *(p[0] for p in padding), 0], [0, *(p[1] for p in padding), 0]
    x = padded(x, np.zeros((), x.dtype), low, high, [0, *(d - 1 for d in image_dilation), 0])
    shape = tensor_type(op.results[0]).get_shape()
    if -1 in shape:
        extents = [
            (n - (k - 1) * d - 1) // s + 1
            for n, k, d, s in zip(x.shape[1:-1], w.shape[:-2], kernel_dilation, strides, strict=True)
        ]
    else:
        extents = [shape[d] for d in dims.spatial(2)]
    features, batches = op.number("feature_group_count"), op.number("batch_group_count")
    groups = max(features, batches)
    outputs, inputs = w.shape[-1], w.shape[-2]
    batch = x.shape[0] // batches
    found = np.zeros((groups, batch, *extents, outputs // groups), x.dtype)
    for g in range(groups):
        part = x[g * batch : (g + 1) * batch] if batches > 1 else x[..., g * inputs : (g + 1) * inputs]
        weights = w[..., g * (outputs // groups) : (g + 1) * (outputs // groups)]
        for at in product(*map(range, w.shape[:count])):
            own = tuple(
                slice(a * d, a * d + (n - 1) * s + 1, s)
                for a, d, n, s in zip(at, kernel_dilation, extents, strides, strict=True)
            )
            if 0 not in extents:
                found[g] += np.matmul(part[(slice(None), *own)], weights[at])
    joined = np.moveaxis(found, 0, -2).reshape(batch, *extents, outputs)
    order = [dims.dims(2, "b"), *dims.spatial(2), dims.dims(2, "f")]
    return _narrow(op, np.moveaxis(joined, range(joined.ndim), order))
