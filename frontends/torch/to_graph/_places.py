"""Operators that read or write at places which are data."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import f32, i1, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import broadcast_shapes, element_of, shape_of
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.open_shapes import (
    all_along,
    counted_from_start,
    depends_on_call,
    expanded,
    require_fixed,
    shape_sizes,
)
from mlc.frontends.operators.places import along_axis, neutral, taken_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.selection import coordinates_of, order_of, positions_of
from mlc.frontends.operators.sizes import AnySize
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar, axis_of
from mlc.frontends.torch.to_graph._patterns import converts


@converts("embedding", bounded=True, parts=True)
def embedding(b: Call, weight: SSAValue, indices: SSAValue) -> Results:
    """The rows of `weight`, [n, d], at `indices`: [..., d]. An index out of range is an error."""
    b.require_places(indices, b.length(weight, 0))
    return b(graph.GatherOp, weight, indices, 0)


@converts("index_select", bounded=True, parts=True)
def index_select(b: Call, self: SSAValue, dim: int, index: SSAValue) -> Results:
    """The slices at the indices of a vector along `dim`. An index out of range is an error."""
    if not shape_of(self):
        b.require_places(index, 1)
        return self
    axis = axis_of(dim, len(shape_of(self)))
    b.require_places(index, b.length(self, axis))
    return b(graph.GatherOp, self, b.reshape(index, (prod(shape_of(index)),)), axis)


@converts("gather", bounded=True, parts=True)
def gather(b: Call, self: SSAValue, dim: int, index: SSAValue) -> Results:
    """Element `i` of the result is that of `self` at `i`, with `index[i]` in place of the coordinate along `dim`."""
    x, places, axis = _with_dims(b, self, index, dim)
    if not prod(shape_of(places)):
        return b.splat(0, b.shape(), b.element())
    b.require_places(places, b.length(x, axis))
    found = taken_along(b, all_along(b, x, [axis]) if depends_on_call(b, x) else x, places, axis)
    return found if depends_on_call(b, found) else b.reshape(found, b.shape())


def _with_dims(b: Call, x: SSAValue, index: SSAValue, dim: int) -> tuple[SSAValue, SSAValue, int]:
    """A tensor and indices with one dim at least, and the axis."""
    if not shape_of(x):
        x = b.reshape(x, (1,))
    if len(shape_of(index)) < len(shape_of(x)):
        index = b.reshape(index, (prod(shape_of(index)),))
    return x, index, axis_of(dim, len(shape_of(x)))


_KINDS = {"sum": "add", "add": "add", "prod": "mul", "multiply": "mul", "amax": "max", "amin": "min"}


@converts("scatter.src", "scatter.value", "scatter_add", parts=True)
@converts("scatter.reduce", "scatter.value_reduce", "scatter_reduce.two")
def scatter(
    b: Call, self: SSAValue, dim: int, index: SSAValue, src: SSAValue | None = None, value: Scalar | None = None,
    reduce: str | None = None, include_self: bool = True,
) -> Results:  # fmt: skip
    """An index for each update. Of several updates at one place the last is set, where torch leaves open which."""
    kind = "add" if b.before.name.endswith("scatter_add") else _KINDS.get(reduce or "", "set")
    x, places, axis = _with_dims(b, self, index, dim)
    if not prod(shape_of(places)):
        return self
    b.require_places(places, shape_of(x)[axis])
    if reduce == "mean":
        return _scattered_mean(b, self, dim, index, src, include_self)
    updates = _updates(b, src, value, places, element_of(x))
    if not include_self and kind != "set":
        x = b(graph.ScatterNdOp, "set", x, *_at(b, places, _start(b, kind, updates), axis))
    return b.reshape(combined(b, kind, x, *_at(b, places, updates, axis)), b.shape())


def _at(b: Call, places: SSAValue, updates: SSAValue, axis: int) -> tuple[SSAValue, SSAValue, list[int], list[int]]:
    indices, axes, own = along_axis(b, places, axis)
    return indices, updates, axes, own


def _start(b: Call, kind: str, like: SSAValue) -> SSAValue:
    """What leaves an update as it is."""
    return b.splat(neutral(kind, element_of(like)), shape_of(like), element_of(like))


def _updates(b: Call, src: SSAValue | None, value: Scalar | None, places: SSAValue, element: object) -> SSAValue:
    shape = shape_of(places)
    if src is None:
        assert value is not None
        return b.broadcast(b.tensor(value), shape)
    x = b.reshape(src, (1,)) if not shape_of(src) else src
    for axis, extent in enumerate(shape):
        x = b.slice(x, axis, 0, extent)
    return b.tensor(x)


def combined(
    b: Call, kind: str, data: SSAValue, indices: SSAValue, updates: SSAValue, axes: Sequence[int], own: Sequence[int]
) -> SSAValue:
    """A scatter; truth values are combined as numbers."""
    if kind == "set" or element_of(data) != i1:
        return b(graph.ScatterNdOp, kind, data, indices, updates, axes, own)
    numbers = b.cast(data, f32), b.cast(updates, f32)
    return b.to_bool(b(graph.ScatterNdOp, kind, numbers[0], indices, numbers[1], axes, own))


def _scattered_mean(
    b: Call, self: SSAValue, dim: int, index: SSAValue, src: SSAValue | None, include_self: bool
) -> SSAValue:
    x, places, axis = _with_dims(b, self, index, dim)
    updates = _updates(b, src, None, places, element_of(x))
    ones = b.splat(1, shape_of(updates), element_of(x))
    zeros = b.splat(0, shape_of(updates), element_of(x))
    counts = b.splat(1, shape_of(x), element_of(x))
    if not include_self:
        x = b(graph.ScatterNdOp, "set", x, *_at(b, places, zeros, axis))
        counts = b(graph.ScatterNdOp, "set", counts, *_at(b, places, zeros, axis))
    total = b(graph.ScatterNdOp, "add", x, *_at(b, places, updates, axis))
    counts = b(graph.ScatterNdOp, "add", counts, *_at(b, places, ones, axis))
    from xdsl.dialects.builtin import IntegerType

    from mlc.frontends.torch.to_graph._elementwise import floor_divided

    is_integer = isinstance(element_of(x), IntegerType)
    return b.reshape(floor_divided(b, total, counts) if is_integer else b.div(total, counts), b.shape())


@converts("index_copy", "index_fill.int_Scalar", parts=True)
@converts("index_add", "index_fill.int_Tensor")
def index_change(
    b: Call, self: SSAValue, dim: int, index: SSAValue, source: SSAValue | None = None,
    value: SSAValue | Scalar | None = None, alpha: Scalar = 1,
) -> Results:  # fmt: skip
    """Slices at indices along one axis are added to, or replaced."""
    x = b.reshape(self, (1,)) if not shape_of(self) else self
    axis = axis_of(dim, len(shape_of(x)))
    places = b.reshape(index, (prod(shape_of(index)), 1))
    shape = (*shape_of(x)[:axis], shape_of(places)[0], *shape_of(x)[axis + 1 :])
    if not prod(shape):
        return self
    b.require_places(places, shape_of(x)[axis], from_end=source is None)
    if source is None:
        assert value is not None
        updates = b.broadcast(b.tensor(value), shape)
    else:
        updates = b.scaled(b.reshape(b.tensor(source), shape), alpha)
    # The points of updates lead.
    kind = "add" if b.before.name == "aten.index_add" else "set"
    return b.reshape(combined(b, kind, x, places, b.axis_first(updates, axis), [axis], []), b.shape())


@converts("index.Tensor", "_unsafe_index.Tensor", bounded=True, parts=True)
def index(b: Call, self: SSAValue, indices: Sequence[SSAValue | None]) -> Results:
    """NumPy's indexing by arrays of integers, some dims of which are left whole; truth values are the places where they
    hold, as many as depend on data."""
    indices = [each for i in indices for each in _places_of(b, i)]
    coordinates, axes, points = _coordinates(b, self, indices)
    if not prod(b.shape()):
        return b.splat(0, b.shape(), b.element())
    self = all_along(b, self, axes) if depends_on_call(b, self) else self
    found = b(graph.GatherNdOp, self, coordinates, axes, [])
    return _points_in_place(b, found, indices, points)


def _coordinates(
    b: Call, x: SSAValue, indices: Sequence[SSAValue | None]
) -> tuple[SSAValue, list[int], tuple[int, ...]]:
    """The coordinates of each point, the axes that they are along, and the shape of the points."""
    given = [(axis, i) for axis, i in enumerate(indices) if i is not None]
    for axis, i in given:
        if element_of(i) == i1:
            raise Unconvertible("it is indexed by several arrays, of which one is of truth values")
        if "_unsafe_" not in b.before.name:
            b.require_places(i, b.length(x, axis), from_end=True)
    if depends_on_call(b, x):
        given = [(axis, counted_from_start(b, x, i, axis)) for axis, i in given]
    axes = [axis for axis, _ in given]
    points = broadcast_shapes(*(shape_of(i) for _, i in given)) if given else ()
    if points is None:
        raise Unconvertible("its indices have shapes that differ")
    sizes = _sizes_of_points(b, [i for _, i in given], points)
    columns: list[SSAValue] = []
    for _, i in given:
        whole = b.cast(i, i64)
        whole = b.broadcast(whole, points) if sizes is None else expanded(b, whole, sizes)
        columns.append(b.unsqueeze(whole, [len(points)]))
    return b.concat(columns, len(points)), axes, points


def _sizes_of_points(b: Call, indices: Sequence[SSAValue], points: tuple[int, ...]) -> list[AnySize] | None:
    """The shape that indices have together, where it depends on extents of the call; it is `points` at most."""
    if not any(depends_on_call(b, i) for i in indices):
        return None
    sizes: list[AnySize] = [1] * len(points)
    for i in indices:
        for axis, size in enumerate(shape_sizes(b, i), len(points) - len(shape_of(i))):
            sizes[axis] = size if sizes[axis] == 1 else sizes[axis]
    return sizes


def _places_of(b: Call, index: SSAValue | None) -> list[SSAValue | None]:
    """An index of integers, or those that stand for one of truth values: coordinates along as many dims as it has."""
    if index is None or element_of(index) != i1 or not shape_of(index):
        return [index]
    return [*coordinates_of(b, found_places(b, index), shape_of(index))]


def found_places(b: Call, mask: SSAValue) -> SSAValue:
    """The places at which truth values hold, counted in order; how many are data depends on data."""
    key = b.op.parent, mask
    if key not in b.knowledge.positions:
        flat = filled(b, b.reshape(mask, (prod(shape_of(mask)),)), 0)
        b.knowledge.positions[key] = positions_of(b, flat)
    return b.knowledge.positions[key][0]


@converts("nonzero", "where", "nonzero_numpy")
def nonzero(b: Call, self: SSAValue | None = None, condition: SSAValue | None = None) -> Results:
    """Coordinates of elements that are not 0, a row each, or a vector per dim."""
    x = self or condition
    assert x is not None
    if not shape_of(x):
        raise Unconvertible("its operand has no dims, so that there is at most one place, which has no coordinates")
    columns = coordinates_of(b, found_places(b, b.to_bool(x)), shape_of(x))
    if b.before.name != "aten.nonzero":
        return [*columns]
    return b.concat([b.unsqueeze(each, [1]) for each in columns], 1)


@converts("masked_select", parts=True)
def masked_select(b: Call, self: SSAValue, mask: SSAValue) -> Results:
    """The elements where the mask, which broadcasts, is true, in row-major order: as many as depend on data."""
    shape = broadcast_shapes(shape_of(self), shape_of(mask))
    assert shape is not None
    places = found_places(b, b.broadcast(mask, shape))
    return b(graph.GatherOp, b.reshape(b.broadcast(self, shape), (prod(shape),)), places, 0)


def _points_in_place(b: Call, found: SSAValue, indices: Sequence[SSAValue | None], points: tuple[int, ...]) -> SSAValue:
    """Indices that stand side by side have their points where they stand; else they are in front."""
    axes = [axis for axis, i in enumerate(indices) if i is not None]
    first = axes[0]
    if axes != list(range(first, first + len(axes))):
        return found
    rank, dims = len(points), len(shape_of(found))
    order = [*range(rank, rank + first), *range(rank), *range(rank + first, dims)]
    return b.transpose(found, order)


@converts("index_put", "_unsafe_index_put", "_index_put_impl", bounded=True, parts=True)
def index_put(
    b: Call, self: SSAValue, indices: Sequence[SSAValue | None], values: SSAValue, accumulate: bool
) -> Results:
    """Elements at the places that `index.Tensor` would read are replaced, or added to; where a mask holds, by one
    number."""
    given = [i for i in indices if i is not None]
    for each in (self, *given):
        require_fixed(b, each, "an operand")
    if len(given) == 1 and element_of(given[0]) == i1:
        return _put_by_mask(b, self, given[0], list(indices).index(given[0]), b.tensor(values), accumulate)
    require_fixed(b, values, "an operand")
    coordinates, axes, points = _coordinates(b, self, indices)
    first, rest = axes[0], [e for a, e in enumerate(shape_of(self)) if a not in axes]
    updates = b.tensor(values)
    if axes == list(range(first, first + len(axes))):
        updates = b.broadcast(updates, (*rest[:first], *points, *rest[first:]))
        order = [
            *range(first, first + len(points)),
            *range(first),
            *range(first + len(points), len(points) + len(rest)),
        ]
        updates = b.transpose(updates, order)
    updates = b.broadcast(updates, (*points, *rest))
    if not prod(shape_of(updates)):
        return self
    return combined(b, "add" if accumulate else "set", self, coordinates, updates, axes, [])


@converts("take", parts=True)
def take(b: Call, self: SSAValue, index: SSAValue) -> Results:
    """The elements of the flattened tensor at the indices; negative ones count from the end."""
    b.require_places(index, prod(shape_of(self)), from_end=True)
    return b(graph.GatherOp, b.reshape(self, (prod(shape_of(self)),)), index, 0)


def _put_by_mask(b: Call, x: SSAValue, mask: SSAValue, before: int, values: SSAValue, accumulate: bool) -> SSAValue:
    """A choice; if a mask marks elements that get one each, each takes that with its number among them."""
    behind = len(shape_of(x)) - before - len(shape_of(mask))
    shape = shape_of(values)
    in_front, tail = shape[: max(len(shape) - behind, 0)], shape[max(len(shape) - behind, 0) :]
    if in_front and (in_front[-1] != 1 or values in b.knowledge.extents):
        if before or accumulate or len(in_front) > 1 or tail != shape_of(x)[len(shape_of(mask)) :]:
            raise Unconvertible("it puts an element at each place that a mask marks, as many as depend on data")
        return b.where(b.reshape(mask, (*shape_of(mask), *[1] * behind)), _one_each(b, mask, values), x)
    values = b.reshape(values, (*in_front[:-1], *([1] * len(shape_of(mask)) if in_front else []), *tail))
    marked = b.reshape(mask, (*[1] * before, *shape_of(mask), *[1] * behind))
    if accumulate:
        values = b(graph.OrOp if element_of(x) == i1 else graph.AddOp, x, values)
    return b.where(marked, values, x)


def _one_each(b: Call, mask: SSAValue, values: SSAValue) -> SSAValue:
    """For each element of a mask the row of values that has its number among those that are marked."""
    count = prod(shape_of(mask))
    order = order_of(b, b.reshape(mask, (count,)))
    numbers = b(
        graph.ScatterNdOp, "set", b.splat(0, (count,), i64), b.unsqueeze(order, [1]), b.constant(np.arange(count)), [0]
    )
    numbers = b.minimum(numbers, b.constant(shape_of(values)[0] - 1))
    return b.reshape(b(graph.GatherOp, values, numbers, 0), (*shape_of(mask), *shape_of(values)[1:]))


@converts("put", parts=True)
def put(b: Call, self: SSAValue, index: SSAValue, source: SSAValue, accumulate: bool) -> Results:
    """Elements at places of the flattened tensor are replaced, or added to."""
    count = prod(shape_of(index))
    if not count or not prod(b.shape()):
        return self
    b.require_places(index, prod(b.shape()), from_end=True)
    flat = b.reshape(self, (prod(b.shape()),))
    updates, places = b.reshape(b.tensor(source), (count,)), b.reshape(b.cast(index, i64), (count, 1))
    return b.reshape(combined(b, "add" if accumulate else "set", flat, places, updates, [0], []), b.shape())
