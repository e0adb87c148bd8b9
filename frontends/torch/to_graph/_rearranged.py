"""Operators whose elements come from places that are known."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.images import slide
from mlc.frontends.operators.places import taken_along
from mlc.frontends.operators.running import running
from mlc.frontends.torch.to_graph._calls import Call, Results, axis_of
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.frontends.torch.to_graph._windows import batched


@converts("unfold", "unfold_copy", parts=True)
def unfold(b: Call, self: SSAValue, dimension: int, size: int, step: int) -> Results:
    """Windows along a dim, each of which becomes a row along a new last dim."""
    if not shape_of(self):
        return b.reshape(self, b.shape())
    axis = axis_of(dimension, len(shape_of(self)))
    count = b.shape()[axis]
    if not prod(b.shape()):
        return b.splat(0, b.shape(), b.element())
    if size == step:
        whole = b.slice(self, axis, 0, count * size)
        found = b.reshape(whole, (*shape_of(self)[:axis], count, size, *shape_of(self)[axis + 1 :]))
    else:
        places = np.arange(count)[:, None] * step + np.arange(size)
        found = b(graph.GatherOp, self, b.constant(places, i64), axis)
    rank = len(shape_of(found))
    return b.transpose(found, [*(a for a in range(rank) if a != axis + 1), axis + 1])


@converts("diagonal_scatter", parts=True)
def diagonal_scatter(b: Call, self: SSAValue, src: SSAValue, offset: int, dim1: int, dim2: int) -> Results:
    """`self` with `src` on the diagonal `offset` of `dim1` and `dim2`."""
    return _replaced(b, self, src, np.diagonal(_all_places(self), offset, dim1, dim2))


@converts("as_strided_scatter", parts=True)
def as_strided_scatter(
    b: Call, self: SSAValue, src: SSAValue, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> Results:
    """Elements of the memory that a dense tensor fills in order are replaced; of several at one place by the last."""
    places = np.full((), storage_offset or 0, np.int64)
    for extent, step in zip(size, stride, strict=True):
        places = places[..., None] + np.arange(extent) * step
    return _replaced(b, self, src, places)


def _all_places(x: SSAValue) -> NDArray[np.int64]:
    """The number of each element, in row-major order."""
    return np.arange(prod(shape_of(x)), dtype=np.int64).reshape(shape_of(x))


def _replaced(b: Call, x: SSAValue, new: SSAValue, wanted: NDArray[np.int64]) -> SSAValue:
    """A tensor with new elements at some places, by their numbers in row-major order."""
    shape, count, places = shape_of(x), prod(shape_of(x)), wanted.reshape(-1)
    if not places.size:
        return x
    order = np.arange(count, dtype=np.int64)
    order[places] = count + np.arange(places.size)
    both = b.concat([b.reshape(x, (count,)), b.reshape(b.tensor(new), (places.size,))], 0)
    return b.reshape(b(graph.GatherOp, both, b.constant(order, i64), 0), shape)


@converts("resize", parts=True)
def resize(b: Call, self: SSAValue) -> Results:
    """The first elements under another shape; what is added may be anything."""
    count, wanted = prod(shape_of(self)), prod(b.shape())
    flat = b.reshape(self, (count,))
    if wanted > count:
        flat = b(graph.PadOp, flat, [0], [wanted - count], 0)
    return b.reshape(b.slice(flat, 0, 0, wanted), b.shape())


@converts("adaptive_max_pool2d", "adaptive_max_pool3d")
def adaptive_max_pool(b: Call, self: SSAValue, output_size: Sequence[int]) -> Results:
    """The greatest element of each part of an image, and its place. Parts are filled up to the size of the largest by
    their last element, which changes nothing."""
    spatial = len(output_size)
    x = batched(b, self, spatial)
    image, counts = shape_of(x)[2:], b.shape()[-spatial:]
    if not prod(b.shape()):
        return [b.splat(0, b.shape(), b.element()), b.splat(0, b.shape(1), i64)]
    if all(extent % n == 0 for extent, n in zip(image, counts, strict=True)):
        kernel = tuple(extent // n for extent, n in zip(image, counts, strict=True))
        best = slide(b, graph.MaxPoolOp, (x,), kernel=kernel, strides=kernel)
        place = slide(b, graph.ArgMaxPoolOp, (x,), kernel=kernel, strides=kernel) if b.wants(1) else None
        return [b.reshape(best, b.shape()), None if place is None else b.reshape(place, b.shape(1))]
    tables = [_parts(extent, n) for extent, n in zip(image, counts, strict=True)]
    flat = np.zeros((), np.int64)
    for table, extent in zip(tables, image, strict=True):
        flat = flat[..., None, None] * extent + table
    # From part, member, part, member … to all parts and then all members.
    order = [*range(0, 2 * spatial, 2), *range(1, 2 * spatial, 2)]
    flat = flat.transpose(order).reshape(*counts, -1)
    rows = b(graph.GatherOp, b.reshape(x, (*shape_of(x)[:2], prod(image))), b.constant(flat, i64), 2)
    best = b.reduce("max", rows, [2 + spatial])
    if not b.wants(1):
        return [b.reshape(best, b.shape()), None]
    member = b(graph.ArgMaxOp, rows, 2 + spatial, True)
    table = b.broadcast(b.constant(flat, i64), shape_of(rows))
    place = taken_along(b, table, member, 2 + spatial)
    return [b.reshape(best, b.shape()), b.reshape(place, b.shape(1))]


def _parts(extent: int, count: int) -> NDArray[np.int64]:
    """The places of each part of an axis, in order, with the last one repeated where a part is shorter."""
    first = np.arange(count) * extent // count
    last = -(-(np.arange(count) + 1) * extent // count)
    return np.minimum(first[:, None] + np.arange(int((last - first).max())), last[:, None] - 1)


@converts("masked_scatter")
def masked_scatter(b: Call, self: SSAValue, mask: SSAValue, source: SSAValue) -> Results:
    """Where the mask holds, elements are taken from the source one after the other."""
    count = prod(b.shape())
    if not count or not prod(shape_of(source)):
        return b.broadcast(self, b.shape())
    chosen = b.reshape(b.broadcast(mask, b.shape()), (count,))
    places = b.sub(running(b, graph.AddOp, b.cast(chosen, i64), 0), b.constant(1))
    places = b.minimum(b.maximum(places, b.constant(0)), b.constant(prod(shape_of(source)) - 1))
    taken = b(graph.GatherOp, b.reshape(source, (prod(shape_of(source)),)), places, 0)
    flat = b.where(chosen, taken, b.reshape(b.broadcast(self, b.shape()), (count,)))
    return b.reshape(flat, b.shape())


@converts("_trilinear")
def trilinear(
    b: Call, i1: SSAValue, i2: SSAValue, i3: SSAValue, expand1: Sequence[int], expand2: Sequence[int],
    expand3: Sequence[int], sumdim: Sequence[int],
) -> Results:  # fmt: skip
    """The sums of the products of three tensors, each of which lacks some dims. The first two may share dims that are
    summed and that the third lacks: then these are summed first."""
    a, c, d = (b.unsqueeze(v, sorted(e)) for v, e in ((i1, expand1), (i2, expand2), (i3, expand3)))
    first = [axis for axis in sumdim if axis in expand3]
    left = b.mul(a, c)
    if first:
        left = b.reduce("sum", left, first, True)
    rest = [axis for axis in sumdim if axis not in first]
    found = b.mul(left, d)
    found = b.reduce("sum", found, rest, True) if rest else found
    return b.reshape(found, b.shape())
