"""The tensor dialect: its structured ops, and those of xDSL's ops that mlc uses.

A structured op is evaluated at all points at once: each operand is gathered by its index map into an array with one
axis per dim (extent 1 for dims that it does not use), and the ops that compute a point run on these arrays. That is the
meaning of every op with the interface, of plugins too; a contraction has a quicker way to the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects import tensor
from xdsl.dialects.builtin import DYNAMIC_INDEX, DenseArrayBase
from xdsl.ir import Block
from xdsl.ir.affine import AffineMap

from mlc.dialects.tensor import (
    OF_INTEGERS,
    ArgsortOp,
    ContractOp,
    GenerateOp,
    MapOp,
    PackingOp,
    PackOp,
    PlacedOp,
    PutOp,
    ReduceOp,
    StructuredOp,
    TakeOp,
    TileMapOp,
    TopKOp,
    UnPackOp,
)
from mlc.reference.any_order import product_of, sum_of
from mlc.reference.arith import as_unsigned
from mlc.reference.execution import Array, Frame, InputsUndefined, evaluates, executes, with_open_zeros
from mlc.reference.subscripts import apply_map, grid
from mlc.support.dtypes import to_numpy
from mlc.support.types import Tensor, element_type, tensor_type

_MAX_POINTS = 1 << 23
"""A reduction handles at most this many points at a time, to bound memory."""


def _gather(operand: Array, affine: AffineMap, dims: Sequence[Array]) -> Array:
    """`operand` at every point: one axis per dim, of extent 1 where no subscript depends on it."""
    if not affine.results:
        return np.reshape(operand, (1,) * len(dims))
    return operand[tuple(apply_map(affine, dims))]


@executes(MapOp, ReduceOp)
def with_body(op: MapOp | ReduceOp, frame: Frame) -> None:
    """The body, at all points."""
    frame[op.result] = _compute(op, op.body.block, frame)


@executes(TileMapOp)
def tile_map(op: TileMapOp, frame: Frame) -> None:
    """The body, at all points; what it yields is put where it belongs, as far as that is inside of the result."""
    dims = grid(op.dim_sizes)
    gathered = [_gather(frame[v], m.data, dims) for v, m in zip(op.inputs, op.maps, strict=True)]
    type = tensor_type(op.result)
    found = np.zeros(type.get_shape(), to_numpy(type.element_type))
    for values, place in zip(frame.run_block(op.body.block, gathered), op.places, strict=True):
        subscripts = np.broadcast_arrays(values, *apply_map(place.data, dims))
        inside = np.logical_and.reduce([at < extent for at, extent in zip(subscripts[1:], found.shape, strict=True)])
        found[tuple(at[inside] for at in subscripts[1:])] = subscripts[0][inside]
    frame[op.result] = found


@executes(StructuredOp)
def structured(op: StructuredOp, frame: Frame) -> None:
    """What the op says that it computes at a point."""
    block = op.point_block()
    frame[op.result] = _compute(op, block, frame)
    block.erase(safe_erase=False)


def _compute(op: StructuredOp, point: Block, frame: Frame) -> Array:
    """`point` at all points, combined over the `reduce` dims; in slabs of the first dim, if that one is parallel."""
    sizes, parallel = op.dim_sizes, op.num_parallel
    rows = max(1, _MAX_POINTS // prod(sizes[1:])) if parallel else prod(sizes[:1])
    slabs: list[Array] = []
    for start in range(0, prod(sizes[:1]), rows):
        dims = grid(sizes)
        if dims:
            dims[0] = dims[0][start : start + rows]
        gathered = [_gather(frame[v], m, dims) for v, m in zip(op.inputs, op.index_maps, strict=True)]
        (points,) = frame.run_block(point, gathered)
        points = np.broadcast_to(points, [axis.size for axis in dims])
        if op.reduction is not None:
            points = combine(op.reduction, points, tuple(range(parallel, len(sizes))))
            points = points if frame.noise is None else with_open_zeros(points, frame.noise)
        slabs.append(points)
    return np.concatenate(slabs) if parallel else slabs[0]


def combine(kind: str, points: Array, axes: tuple[int, ...]) -> Array:
    """Combine `points` over `axes` in their element type; `i1` is -1 or 0, as in arith."""
    if points.dtype == np.bool_:
        return (combine(kind, -points.astype(np.int8), axes) & 1).astype(np.bool_)
    if kind in OF_INTEGERS:
        return combine(kind.removesuffix("ui"), as_unsigned(points), axes).view(points.dtype)
    match kind:
        case "add":
            return sum_of(partial(np.sum, axis=axes, dtype=points.dtype), points)
        case "mul":
            return product_of(partial(np.prod, axis=axes, dtype=points.dtype), points)
        case "max":
            return np.asarray(points.max(axes))
        case "min":
            return np.asarray(points.min(axes))
        case "maxnum":
            return np.fmax(leave_out_nan(points, axes), points.dtype.type(-np.inf))
        case _:
            raise ValueError(f"unknown reduction '{kind}'")


def leave_out_nan(points: Array, axes: tuple[int, ...]) -> Array:
    """The greatest number of `points` over `axes`, or NaN if all of them are."""
    return np.asarray(np.fmax.reduce(points, axes))


@evaluates(ContractOp)
def contract(op: ContractOp, lhs: Array, rhs: Array) -> Array:
    """A convolution becomes a matrix product when its image is gathered (im2col); einsum does the rest."""
    dims, parallel = grid(op.dim_sizes), op.num_parallel
    wide = to_numpy(element_type(op.result.type))
    signed = [as_unsigned(a) if n in op.unsigned_operands else a for n, a in enumerate((lhs, rhs))]
    operands = [_gather(a, m, dims).astype(wide) for a, m in zip(signed, op.index_maps, strict=True)]
    used = [{d for e in m.results for d in e.used_dims()} for m in op.index_maps]
    # A dim that neither uses repeats the same product: let the first operand have it.
    used[0] |= set(range(len(dims))) - used[1]
    shape = [n if d in used[0] else 1 for d, n in enumerate(op.dim_sizes)]
    operands[0] = np.broadcast_to(operands[0], shape)
    labels = [sorted(u) for u in used]
    squeezed = [np.reshape(a, [a.shape[d] for d in axes]) for a, axes in zip(operands, labels, strict=True)]

    def summed(a: Array, b: Array) -> Array:
        return np.einsum(a, labels[0], b, labels[1], list(range(parallel)), optimize=True)

    return sum_of(summed, *squeezed)


@evaluates(TakeOp)
def take(op: TakeOp, data: Array, *indices: Array) -> Array:
    """Negative coordinates count from the end; those out of range count as the nearest."""
    if 0 in op.dim_sizes:
        return np.zeros(op.dim_sizes, data.dtype)
    coordinates = [
        np.clip(c, 0, data.shape[axis] - 1)
        for c, axis in zip(_coordinates(op, data, indices), op.coordinate_axes, strict=True)
    ]
    found = data[tuple(apply_map(op.place.data, [*grid(op.dim_sizes), *coordinates]))]
    return np.array(np.broadcast_to(found, op.dim_sizes))


@evaluates(ArgsortOp)
def argsort(op: ArgsortOp | TopKOp, keys: Array) -> Array:
    """A stable sort."""
    return np.argsort(keys, 1, kind="stable")[:, : op.count.value.data].astype(np.int64)


@evaluates(TopKOp)
def top_k(op: TopKOp, keys: Array) -> Array:
    """The first ones of a stable sort."""
    return np.sort(argsort(op, keys), 1)


@evaluates(PutOp)
def put(op: PutOp, updates: Array, data: Array, *indices: Array) -> Array:
    """Point after point; what is out of range changes nothing."""
    result = np.array(data)
    if 0 in op.dim_sizes or not data.size:
        return result
    coordinates = _coordinates(op, data, indices)
    subscripts = apply_map(op.place.data, [*grid(op.dim_sizes), *coordinates])
    places = [np.ravel(np.broadcast_to(s, op.dim_sizes)) for s in subscripts]
    inside = np.ones(updates.size, bool)
    for place, extent in zip(places, data.shape, strict=True):
        inside &= (place >= 0) & (place < extent)
    where = tuple(place[inside] for place in places)
    added = np.ravel(updates)[inside]
    if op.kind.data == "set":
        result[where] = added
    elif op.kind.data in OF_INTEGERS:
        _COMBINE[op.kind.data].at(result.view(f"u{result.itemsize}"), where, as_unsigned(added))
    else:
        _COMBINE[op.kind.data].at(result, where, added)
    return result


_COMBINE = {
    "add": np.add,
    "mul": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
    "maxnum": np.fmax,
    "maxui": np.maximum,
    "minui": np.minimum,
}


def _coordinates(op: PlacedOp, data: Array, indices: Sequence[Array]) -> list[Array]:
    """Each coordinate at every point, counted from the front."""
    found: list[Array] = []
    for operand, affine, axis in zip(indices, op.index_maps, op.coordinate_axes, strict=True):
        values = _gather(operand, affine, grid(op.dim_sizes)).astype(np.int64)
        found.append(np.where(values < 0, values + data.shape[axis], values))
    return found


@evaluates(tensor.CollapseShapeOp, tensor.ExpandShapeOp, tensor.ReshapeOp)
def reshape(op: tensor.CollapseShapeOp | tensor.ExpandShapeOp | tensor.ReshapeOp, x: Array, *shape: Array) -> Array:
    """The same elements in row-major order; the static result type has the shape."""
    return np.reshape(x, tensor_type(op.result).get_shape())


@evaluates(tensor.CastOp)
def cast(op: tensor.CastOp, x: Array) -> Array:
    """Only the static type changes."""
    return x


@evaluates(tensor.EmptyOp)
def empty(op: tensor.EmptyOp, *sizes: Array) -> Array:
    """Contents do not matter; zeros make runs repeatable."""
    result, left = tensor_type(op.tensor), iter(sizes)
    shape = [int(next(left)) if extent == DYNAMIC_INDEX else extent for extent in result.get_shape()]
    return np.zeros(shape, to_numpy(result.element_type))


@evaluates(tensor.SplatOp)
def splat(op: tensor.SplatOp, x: Array) -> Array:
    """One element everywhere."""
    return np.broadcast_to(x, tensor_type(op.result).get_shape())


@evaluates(tensor.FromElementsOp)
def from_elements(op: tensor.FromElementsOp, *elements: Array) -> Array:
    """In row-major order."""
    return np.reshape(np.stack(elements), tensor_type(op.result).get_shape())


@evaluates(tensor.ExtractOp)
def extract(op: tensor.ExtractOp, x: Array, *indices: Array) -> Array:
    """One element, or one per point.

    Raises:
        InputsUndefined: there is no such element.
    """
    _require_inside(op.name, tensor_type(op.tensor), indices)
    return np.asarray(x[indices])


@evaluates(tensor.InsertOp)
def insert(op: tensor.InsertOp, element: Array, x: Array, *indices: Array) -> Array:
    """A copy with one element replaced.

    Raises:
        InputsUndefined: there is no such element.
    """
    _require_inside(op.name, tensor_type(op.dest), indices)
    result = np.array(x)
    result[indices] = element
    return result


def _require_inside(name: str, of: Tensor, indices: Sequence[Array]) -> None:
    for axis, (index, extent) in enumerate(zip(indices, of.get_shape(), strict=True)):
        if index.size and not 0 <= index.min() <= index.max() < extent:
            found = f"from {index.min()} to {index.max()}"
            raise InputsUndefined(f"{name}: subscript {axis} runs {found}, outside of {of}")


@evaluates(tensor.ConcatOp)
def concat(op: tensor.ConcatOp, *inputs: Array) -> Array:
    """In the order of the operands."""
    return np.concatenate(inputs, op.dim.value.data)


@evaluates(tensor.ExtractSliceOp)
def extract_slice(op: tensor.ExtractSliceOp, x: Array, *dynamic: Array) -> Array:
    """A window of `x`, perhaps without axes of extent 1."""
    part, kind = x[_ranges(op, dynamic, x.shape)], tensor_type(op.result)
    if kind.has_static_shape():
        return np.reshape(part, kind.get_shape())
    ones = [axis for axis, extent in enumerate(part.shape) if extent == 1]
    return np.squeeze(part, tuple(ones[: part.ndim - kind.get_num_dims()]))


@evaluates(tensor.InsertSliceOp)
def insert_slice(op: tensor.InsertSliceOp, source: Array, dest: Array, *dynamic: Array) -> Array:
    """A copy of `dest` with the slice replaced."""
    result = np.array(dest)
    ranges = _ranges(op, dynamic, dest.shape)
    result[ranges] = np.reshape(source, result[ranges].shape)
    return result


def _ranges(
    op: tensor.ExtractSliceOp | tensor.InsertSliceOp, dynamic: Sequence[Array], shape: Sequence[int]
) -> tuple[slice, ...]:
    """The elements of a slice of a tensor of this shape.

    Raises:
        InputsUndefined: there are no such elements.
    """
    left = iter(dynamic)
    amounts = [_numbers(said, left) for said in (op.static_offsets, op.static_sizes, op.static_strides)]
    ranges: list[slice] = []
    for axis, (offset, size, stride, extent) in enumerate(zip(*amounts, shape, strict=True)):
        last = offset + (size - 1) * stride
        if size and not 0 <= offset <= last < extent:
            raise InputsUndefined(f"{op.name}: axis {axis} of {extent} elements is read from {offset} to {last}")
        ranges.append(slice(offset, last + 1, stride))
    return tuple(ranges)


def _numbers(said: DenseArrayBase[Any], left: Iterator[Array]) -> list[int]:
    """What is written in an op, with values where it says that there are some."""
    return [int(next(left)) if number == DYNAMIC_INDEX else number for number in said.get_values()]


@executes(tensor.PadOp)
def pad(op: tensor.PadOp, frame: Frame) -> None:
    """The region computes the value from the position."""
    source = frame[op.source]
    low = _numbers(op.static_low, iter([frame[v] for v in op.low]))
    shape = tensor_type(op.result).get_shape()
    (value,) = frame.run_block(op.region.block, grid(shape))
    result = np.array(np.broadcast_to(value, shape))
    result[tuple(slice(b, b + n) for b, n in zip(low, source.shape, strict=True))] = source
    frame[op.result] = result


@executes(GenerateOp)
def generate(op: GenerateOp, frame: Frame) -> None:
    """The body, at all positions at once."""
    kind = tensor_type(op.result)
    (value,) = frame.run_block(op.body.block, grid(kind.get_shape()))
    frame[op.result] = np.array(np.broadcast_to(value, kind.get_shape()), to_numpy(kind.element_type))


@evaluates(PackOp)
def pack(op: PackOp, x: Array, dest: Array, *others: Array) -> Array:
    """The whole with padding up to the end of its last tiles, then each axis as two, in another order."""
    outer = [dest.shape[op.order.index(axis)] for axis in range(x.ndim)]
    tiles = [op.tile_of(axis) for axis in range(x.ndim)]
    fill = others[0] if op.padding_value is not None else np.zeros((), x.dtype)
    padded = np.full([count * tile for count, tile in zip(outer, tiles, strict=True)], fill, x.dtype)
    padded[tuple(map(slice, x.shape))] = x
    pairs = np.reshape(padded, [n for pair in zip(outer, tiles, strict=True) for n in pair])
    return np.reshape(np.transpose(pairs, _axes_of_tiles(op)), dest.shape)


@evaluates(UnPackOp)
def unpack(op: UnPackOp, x: Array, dest: Array, *_tiles: Array) -> Array:
    """The inverse of `pack`; what goes over the end is cut off."""
    outer, tiles = ([0] * dest.ndim for _ in range(2))
    for place, axis in enumerate(op.order):
        outer[axis], tiles[axis] = x.shape[place], op.tile_of(axis)
    ones = [axis for axis in range(dest.ndim) if axis not in op.positions]
    pairs = np.transpose(np.reshape(x, [*x.shape, *[1] * len(ones)]), np.argsort(_axes_of_tiles(op)))
    whole = np.reshape(pairs, [count * tile for count, tile in zip(outer, tiles, strict=True)])
    return whole[tuple(map(slice, dest.shape))]


def _axes_of_tiles(op: PackingOp) -> list[int]:
    """For each axis of the packed tensor, its number where each axis of the whole is two: tiles, and inside of one.

    Inner axes of those that are not cut, which have extent 1, come last.
    """
    whole = range(len(op.order))
    ones = [axis for axis in whole if axis not in op.positions]
    return [*(2 * axis for axis in op.order), *(2 * axis + 1 for axis in [*op.positions, *ones])]
