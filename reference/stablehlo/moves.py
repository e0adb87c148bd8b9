"""Ops of StableHLO that make tensors, or move elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlc.dialects.stablehlo import ConstantOp, HloOp, hlo
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array, Frame, evaluates, executes
from mlc.reference.stablehlo.elementwise import converted
from mlc.reference.stablehlo.numbers import wrapped
from mlc.support.dtypes import bits_of, dtype_of
from mlc.support.types import element_type, tensor_type


def result_shape(op: HloOp) -> tuple[int, ...]:
    """The shape that the type of the result says."""
    return tuple(tensor_type(op.results[0]).get_shape())


@executes(ConstantOp)
def constant(op: ConstantOp, frame: Frame) -> None:
    """Its data."""
    frame[op.output] = constant_data(op.value, frame.resources)


def counted(shape: Sequence[int], dim: int, op: HloOp) -> Array:
    """Numbers from 0 on along a dim, of the element type of the result."""
    column = np.arange(shape[dim])
    column = np.reshape(column, [-1 if d == dim else 1 for d in range(len(shape))])
    return converted(np.broadcast_to(column, shape), dtype_of(element_type(op.results[0].type)))


@evaluates(hlo("iota"))
def iota(op: HloOp) -> Array:
    """Numbers from 0 on."""
    return counted(result_shape(op), op.number("iota_dimension"), op)


@evaluates(hlo("dynamic_iota"))
def dynamic_iota(op: HloOp, shape: Array) -> Array:
    """The same, of a shape that is data."""
    return counted([int(n) for n in shape], op.number("iota_dimension"), op)


@evaluates(hlo("reshape"))
def reshape(op: HloOp, x: Array) -> Array:
    """The elements in their order."""
    return np.reshape(x, result_shape(op))


@evaluates(hlo("dynamic_reshape"))
def dynamic_reshape(op: HloOp, x: Array, shape: Array) -> Array:
    """The same, to a shape that is data."""
    return np.reshape(x, [int(n) for n in shape])


def broadcast(x: Array, dims: Sequence[int], shape: Sequence[int]) -> Array:
    """The dims of `x` as these of the result, repeated along the others."""
    order = np.argsort(np.asarray(dims, np.int64), kind="stable")
    moved = np.transpose(x, order)
    extents = dict(zip(sorted(dims), moved.shape, strict=True))
    return np.broadcast_to(np.reshape(moved, [extents.get(d, 1) for d in range(len(shape))]), tuple(shape))


@evaluates(hlo("broadcast_in_dim"))
def broadcast_in_dim(op: HloOp, x: Array) -> Array:
    """Dims of extent 1, and those that only the result has, are repeated."""
    return broadcast(x, op.ints("broadcast_dimensions"), result_shape(op))


@evaluates(hlo("dynamic_broadcast_in_dim"))
def dynamic_broadcast_in_dim(op: HloOp, x: Array, shape: Array) -> Array:
    """The same, to a shape that is data."""
    return broadcast(x, op.ints("broadcast_dimensions"), [int(n) for n in shape])


@evaluates(hlo("broadcast"))
def broadcast_in_front(op: HloOp, x: Array) -> Array:
    """New dims stand in front."""
    return np.broadcast_to(x, (*op.ints("broadcast_sizes"), *x.shape))


@evaluates(hlo("transpose"))
def transpose(op: HloOp, x: Array) -> Array:
    """Dims in another order."""
    return np.transpose(x, op.ints("permutation"))


@evaluates(hlo("reverse"))
def reverse(op: HloOp, x: Array) -> Array:
    """Along some dims backwards."""
    return np.flip(x, op.ints("dimensions"))


@evaluates(hlo("slice"))
def static_slice(op: HloOp, x: Array) -> Array:
    """Ranges with steps."""
    parts = (op.ints(n) for n in ("start_indices", "limit_indices", "strides"))
    return x[tuple(slice(a, b, s) for a, b, s in zip(*parts, strict=True))]


@evaluates(hlo("real_dynamic_slice"))
def real_dynamic_slice(op: HloOp, x: Array, starts: Array, limits: Array, strides: Array) -> Array:
    """Ranges that are data."""
    return x[tuple(slice(int(a), int(b), int(s)) for a, b, s in zip(starts, limits, strides, strict=True))]


def padded(x: Array, value: Array, low: Sequence[int], high: Sequence[int], inner: Sequence[int]) -> Array:
    """A number around elements and between them; less than nothing takes elements away."""
    wide = np.full([max(n + (n - 1) * i, 0) for n, i in zip(x.shape, inner, strict=True)], value, x.dtype)
    wide[tuple(slice(None, None, i + 1) for i in inner)] = x
    for d, (a, b) in enumerate(zip(low, high, strict=True)):
        size = wide.shape[d]
        own = np.asarray(range(max(-a, 0), max(size - max(-b, 0), max(-a, 0))), np.int64)
        wide = np.take(wide, own, d)
        edges = [(max(a, 0), max(b, 0)) if e == d else (0, 0) for e in range(wide.ndim)]
        grown = np.full([n + p + q for n, (p, q) in zip(wide.shape, edges, strict=True)], value, x.dtype)
        grown[tuple(slice(p, p + n) for n, (p, _) in zip(wide.shape, edges, strict=True))] = wide
        wide = grown
    return wide


@evaluates(hlo("pad"))
def pad(op: HloOp, x: Array, value: Array) -> Array:
    """A number around elements and between them."""
    return padded(x, value, *(op.ints(n) for n in ("edge_padding_low", "edge_padding_high", "interior_padding")))


@evaluates(hlo("dynamic_pad"))
def dynamic_pad(op: HloOp, x: Array, value: Array, low: Array, high: Array, inner: Array) -> Array:
    """The same, as often as data says."""
    return padded(x, value, *([int(n) for n in part] for part in (low, high, inner)))


@evaluates(hlo("concatenate"))
def concatenate(op: HloOp, *parts: Array) -> Array:
    """One after the other."""
    return np.concatenate(parts, op.number("dimension"))


def clamped(starts: Sequence[Array], shape: Sequence[int], sizes: Sequence[int]) -> list[int]:
    """Where a part starts, so that it ends inside of the whole."""
    return [max(0, min(int(s), n - k)) for s, n, k in zip(starts, shape, sizes, strict=True)]


@evaluates(hlo("dynamic_slice"))
def dynamic_slice(op: HloOp, x: Array, *starts: Array) -> Array:
    """A part whose place is data; it stays inside."""
    sizes = op.ints("slice_sizes")
    at = clamped(starts, x.shape, sizes)
    return x[tuple(slice(a, a + n) for a, n in zip(at, sizes, strict=True))]


@evaluates(hlo("dynamic_update_slice"))
def dynamic_update_slice(op: HloOp, x: Array, update: Array, *starts: Array) -> Array:
    """With another part in a place that is data."""
    at = clamped(starts, x.shape, update.shape)
    result = np.array(x)
    result[tuple(slice(a, a + n) for a, n in zip(at, update.shape, strict=True))] = update
    return result


@evaluates(hlo("bitcast_convert"))
def bitcast_convert(op: HloOp, x: Array) -> Array:
    """The same bits."""
    dtype = dtype_of(element_type(op.results[0].type))
    shape = result_shape(op)
    if _is_packed(x.dtype) or _is_packed(dtype):
        return np.reshape(_from_bits(_bits_of(x), dtype), shape)
    return np.reshape(np.ascontiguousarray(x).reshape(-1).view(dtype), shape)


def _is_packed(dtype: np.dtype[Any]) -> bool:
    """Whether an element has less than 8 bits."""
    return dtype == np.bool_ or bits_of(dtype) < 8 if dtype.kind != "c" else False


def _bits_of(x: Array) -> Array:
    """The bits of all elements, the lowest ones first."""
    raw = np.ascontiguousarray(x).reshape(-1).view(np.uint8)
    rows = np.unpackbits(raw.reshape(x.size, -1), axis=1, bitorder="little")
    return rows[:, : bits_of(x.dtype)].reshape(-1) if _is_packed(x.dtype) else rows.reshape(-1)


def _from_bits(bits: Array, dtype: np.dtype[Any]) -> Array:
    if not _is_packed(dtype):
        return np.packbits(bits, bitorder="little").view(dtype)
    rows = bits.reshape(-1, bits_of(dtype))
    numbers = (rows.astype(np.int64) << np.arange(rows.shape[1])).sum(1)
    return numbers != 0 if dtype == np.bool_ else wrapped(numbers, dtype)


@evaluates(hlo("get_dimension_size"))
def get_dimension_size(op: HloOp, x: Array) -> Array:
    """The extent of a dim."""
    return np.asarray(x.shape[op.number("dimension")], np.int32)


@evaluates(hlo("optimization_barrier"))
def optimization_barrier(op: HloOp, *values: Array) -> Sequence[Array]:
    """The values themselves."""
    return list(values)
