"""Data, and moves of elements to places that the text says. Real and imaginary parts move alike."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import ComplexType, TensorType, i32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.stablehlo import ConstantOp
from mlc.frontends.operators.complex_numbers import Pair
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_padding import padded_by_sizes
from mlc.frontends.operators.open_shapes import (
    counted,
    cut,
    depends_on_call,
    expanded,
    joined,
    reshaped,
    shape_sizes,
)
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, larger
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.reference.constants import constant_data
from mlc.support import dtypes


@converts("constant")
def constant(b: HloCall) -> Converted:
    """Its data; resources stay where they are."""
    op = cast(ConstantOp, b.op)
    if isinstance(cast("TensorType[Any]", op.output.type).element_type, ComplexType):
        data = constant_data(op.value, b.knowledge.resources)
        return Pair(*(b.constant(np.array(part), b.element()) for part in (np.real(data), np.imag(data))))
    return b.insert_constant(graph.ConstantOp(cast(Any, op.value)))


@converts("iota", parts=True)
def iota(b: HloCall) -> Converted:
    """A column of numbers, repeated."""
    return b.splat(0, b.shape(), b.element()) if b.part else count(b, b.op.number("iota_dimension"), b.shape())


def count(b: HloCall, dim: int, shape: Sequence[int]) -> SSAValue:
    """Numbers from 0 on along a dim."""
    with np.errstate(all="ignore"):
        numbers = np.arange(shape[dim]).astype(dtypes.to_numpy(b.element()))
    column = b.constant(numbers, b.element())
    column = b.reshape(column, [n if d == dim else 1 for d, n in enumerate(shape)])
    return b.broadcast(column, shape)


@converts("reshape", parts=True, bounded=True)
def reshape(b: HloCall) -> Converted:
    """The elements in their order."""
    return b.reshape(b[0], b.shape())


@converts("broadcast_in_dim", "broadcast", parts=True, bounded=True)
def broadcast_in_dim(b: HloCall) -> Converted:
    """_Dims in the order of the result, then repeated."""
    shape = b.shape()
    if b.op.mnemonic() == "broadcast":
        return b.broadcast(b[0], shape)
    moved, dims = _in_order_of_result(b)
    extents = dict(zip(dims, shape_of(moved), strict=True))
    return b.broadcast(b.reshape(moved, [extents.get(d, 1) for d in range(len(shape))]), shape)


def _in_order_of_result(b: HloCall) -> tuple[SSAValue, list[int]]:
    """The operand of a broadcast with its dims in the order of the result, and which dims of that they are."""
    dims = b.op.ints("broadcast_dimensions")
    return b.transpose(b[0], sorted(range(len(dims)), key=lambda i: dims[i])), sorted(dims)


@converts("transpose", parts=True, bounded=True)
def transpose(b: HloCall) -> Converted:
    """_Dims in another order."""
    return b.transpose(b[0], b.op.ints("permutation"))


@converts("reverse", parts=True, bounded=True)
def reverse(b: HloCall) -> Converted:
    """Along some dims backwards."""
    x = b[0]
    dims = list(b.op.ints("dimensions"))
    for d, extent in b.knowledge.extents.get(x, {}).items():
        if d in dims:
            dims.remove(d)
            places = b.sub(b.sub(extent, b.constant(1)), b.constant(np.arange(shape_of(x)[d])))
            size = b.axis_size(x, d)
            assert size is not None  # no extent depends on data
            x = b.sized(b(graph.GatherOp, x, b.maximum(places, b.constant(0)), d), {d: size})
    return b(graph.ReverseOp, x, sorted(dims)) if dims else x


@converts("slice", parts=True, bounded=True)
def static_slice(b: HloCall) -> Converted:
    """Ranges with steps; of nothing, nothing."""
    starts, limits, strides = (b.op.ints(n) for n in ("start_indices", "limit_indices", "strides"))
    return sliced(b, b[0], starts, limits, strides)


def sliced(
    b: GraphBuilder, x: SSAValue, starts: Sequence[int], limits: Sequence[int], strides: Sequence[int] | None = None
) -> SSAValue:
    """Ranges with steps; the value itself if that is all of it."""
    strides = [1] * len(starts) if strides is None else strides
    counts = [-(-(e - s) // t) for s, e, t in zip(starts, limits, strides, strict=True)]
    if 0 in counts:
        return b.splat(0, counts, element_of(x))
    if tuple(counts) == shape_of(x):
        return x
    return b(graph.SliceOp, x, list(starts), list(limits), list(strides))


@converts("concatenate", parts=True, bounded=True)
def concatenate(b: HloCall) -> Converted:
    """One after the other; what is empty is left out."""
    at = b.op.number("dimension")
    some = [v for v in b.real_operands if shape_of(v)[at]] or b.real_operands[:1]
    return joined(b, some, at) if any(depends_on_call(b, v) for v in some) else b.concat(some, at)


@converts("pad", parts=True, bounded=True)
def pad(b: HloCall) -> Converted:
    """Around elements and between them."""
    low, high, inner = (b.op.ints(n) for n in ("edge_padding_low", "edge_padding_high", "interior_padding"))
    return padded(b, b[0], b[1], low, high, inner)


def padded(
    b: GraphBuilder, x: SSAValue, value: SSAValue, low: Sequence[AnySize], high: Sequence[AnySize], inner: Sequence[int]
) -> SSAValue:
    """A number around elements and between them; less than nothing takes elements away."""
    for d, by in enumerate(inner):
        if by and shape_of(x)[d] > 1:
            x = _spread(b, x, value, d, by)
    front, back = ([0] * len(low) for _ in range(2))
    for d, (size, p, q) in enumerate(zip(shape_sizes(b, x), low, high, strict=True)):
        if not (isinstance(p, int) and isinstance(q, int)):
            x = padded_by_sizes(b, x, value, d, p, q)
            continue
        front[d], back[d] = max(p, 0), max(q, 0)
        if p < 0 or q < 0:
            x = cut(b, x, d, max(-p, 0), larger(size - max(-q, 0), max(-p, 0)), 1)
    if not any((*front, *back)):
        return x
    known = b.knowledge.array(value)
    if 0 in shape_of(x):
        shape = [n + p + q for n, p, q in zip(shape_of(x), front, back, strict=True)]
        return b.broadcast(value, shape)
    if known is not None:
        return b(graph.PadOp, x, front, back, known.reshape(-1)[0].item())
    return _surrounded(b, x, value, front, back)


def _surrounded(b: GraphBuilder, x: SSAValue, value: SSAValue, front: Sequence[int], back: Sequence[int]) -> SSAValue:
    """The same with a number that is data: tensors of it stand around."""
    for d, amounts in enumerate(zip(front, back, strict=True)):
        before, after = (
            expanded(b, value, [n if i == d else size for i, size in enumerate(shape_sizes(b, x))]) if n else None
            for n in amounts
        )
        parts = [each for each in (before, x, after) if each is not None]
        x = joined(b, parts, d) if len(parts) > 1 else x
    return x


def _spread(b: GraphBuilder, x: SSAValue, value: SSAValue, dim: int, by: int) -> SSAValue:
    """So many numbers between elements: each element becomes a row that starts with it."""
    shape, sizes = shape_of(x), shape_sizes(b, x)
    known = b.knowledge.array(value)
    column = reshaped(b, x, [*sizes[: dim + 1], 1, *sizes[dim + 1 :]])
    low, high = [0] * (len(shape) + 1), [0] * (len(shape) + 1)
    high[dim + 1] = by
    if known is not None:
        rows = b(graph.PadOp, column, low, high, known.reshape(-1)[0].item())
    else:
        rows = _surrounded(b, column, value, low, high)
    length = sizes[dim] * (by + 1)
    flat = reshaped(b, rows, [*sizes[:dim], length, *sizes[dim + 1 :]])
    return cut(b, flat, dim, 0, length - by, 1)


@converts("get_dimension_size", bounded=True)
def get_dimension_size(b: HloCall) -> Converted:
    """An extent is known, when the model is compiled or when it is called."""
    size = b.axis_size(b[0], b.op.number("dimension"))
    assert size is not None  # no extent depends on data
    return b.constant(np.asarray(size, np.int32), i32) if isinstance(size, int) else b.cast(b.extent(size), i32)


@converts("optimization_barrier", bounded=True)
def optimization_barrier(b: HloCall) -> Converted:
    """Values as they are: no pass makes computations worse."""
    return [b.run.number(v) for v in b.op.operands]


# ---- shapes that are data, and known


@converts("dynamic_reshape", bounded=True)
def dynamic_reshape(b: HloCall) -> Converted:
    """The elements in their order."""
    return reshaped(b, b[0], b.sizes(1))


@converts("dynamic_iota")
def dynamic_iota(b: HloCall) -> Converted:
    """Numbers from 0 on along a dim, which may end at an extent of the call."""
    sizes, dim = b.sizes(0), b.op.number("iota_dimension")
    column = counted(b, 0, sizes[dim], 1, b.element())
    column = reshaped(b, column, [size if d == dim else 1 for d, size in enumerate(sizes)])
    return expanded(b, column, sizes)


@converts("dynamic_broadcast_in_dim", parts=True, bounded=True)
def dynamic_broadcast_in_dim(b: HloCall) -> Converted:
    """_Dims in the order of the result, then repeated."""
    sizes = b.sizes(1)
    moved, dims = _in_order_of_result(b)
    extents = dict(zip(dims, shape_sizes(b, moved), strict=True))
    return expanded(b, reshaped(b, moved, [extents.get(d, 1) for d in range(len(sizes))]), sizes)


@converts("dynamic_pad", bounded=True)
def dynamic_pad(b: HloCall) -> Converted:
    """Amounts that are operands, and known, or sizes of dims."""
    low, high = (b.sizes(i) for i in (2, 3))
    if (inner := b.known(4)) is None:
        raise Unconvertible("operand 4 depends on data, or on sizes of dims; required: a constant")
    return padded(b, b[0], b[1], low, high, [int(n) for n in inner])
