"""Operators that move elements, and change none."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.images import tiled
from mlc.frontends.operators.matrices import one_side
from mlc.frontends.operators.open_shapes import cut, depends_on_call, expanded, inside, joined, require_fixed, reshaped
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.size_rules import smaller
from mlc.frontends.operators.sizes import AnySize, SymbolicSize
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar, axis_of
from mlc.frontends.torch.to_graph._patterns import converts


@converts("alias", "clone", "detach", "lift_fresh_copy", "contiguous", "resolve_conj", bounded=True, parts=True)
def whole(b: Call, self: SSAValue) -> Results:
    """The tensor itself: values have no memory of their own, so copies and views of all of it are the same value."""
    return self


@converts("copy", "_to_copy", "_conj", bounded=True)
def same(b: Call, self: SSAValue, src: SSAValue | None = None) -> Results:
    """The elements, converted if the result says so; of `copy` those of the source."""
    value = self if src is None else b.tensor(src)
    return expanded(b, value, b.sizes()) if b.is_open() else b.broadcast(value, b.shape())


@converts("to.dtype", "prims_convert_element_type", "type_as", bounded=True)
def converted(b: Call, self: SSAValue) -> Results:
    """The elements in the element type of the result."""
    return b.tensor(self)


@converts(
    "view",
    "_unsafe_view",
    "reshape",
    "view_copy",
    "flatten.using_ints",
    "unflatten.int",
    "_reshape_alias",
    bounded=True,
    parts=True,
)
def view(b: Call, self: SSAValue) -> Results:
    """The elements in row-major order, in the shape of the result."""
    return reshaped(b, self, b.sizes()) if depends_on_call(b, self) else b.reshape(self, b.shape())


@converts("view.dtype", bounded=True)
def view_as_bits(b: Call, self: SSAValue, dtype: Attribute) -> Results:
    """The bits as elements of `dtype`, which may be narrower or wider along the last dim."""
    return b(graph.BitcastOp, self, dtype)


@converts("squeeze", "squeeze.dim", "squeeze.dims", "unsqueeze", bounded=True, parts=True)
def renumbered(b: Call, self: SSAValue) -> Results:
    """The same elements; dims of extent 1 are added or left out, as the shape of the result says."""
    return reshaped(b, self, b.sizes()) if depends_on_call(b, self) else b.reshape(self, b.shape())


@converts("permute", bounded=True, parts=True)
def permute(b: Call, self: SSAValue, dims: Sequence[int]) -> Results:
    """Dim `i` of the result is dim `dims[i]` of the operand."""
    return b.transpose(self, [axis_of(d, len(dims)) for d in dims])


@converts("transpose.int", bounded=True, parts=True)
def transpose(b: Call, self: SSAValue, dim0: int, dim1: int) -> Results:
    """The operand with two dims exchanged; a tensor of rank 0 stays as it is."""
    order = list(range(len(shape_of(self))))
    if order:
        i, j = axis_of(dim0, len(order)), axis_of(dim1, len(order))
        order[i], order[j] = order[j], order[i]
    return b.transpose(self, order)


@converts("t", "numpy_T", bounded=True, parts=True)
def transposed(b: Call, self: SSAValue) -> Results:
    """The operand with its dims in reverse order."""
    return b.transpose(self, range(len(shape_of(self)))[::-1])


@converts("expand", bounded=True, parts=True)
def expand(b: Call, self: SSAValue) -> Results:
    """Broadcast to the shape of the result."""
    return expanded(b, self, b.sizes()) if b.is_open() else b.broadcast(self, b.shape())


@converts("repeat", bounded=True, sizes=("repeats",), parts=True)
def repeat(b: Call, self: SSAValue, repeats: Sequence[int]) -> Results:
    """`repeats[i]` copies one after the other along dim `i`; missing dims in front have extent 1."""
    x = b.unsqueeze(self, range(len(repeats) - len(shape_of(self))))
    if b.is_open() and all(count == 1 or extent == 1 for count, extent in zip(repeats, shape_of(x), strict=True)):
        return expanded(b, x, b.sizes())
    return tiled(b, x, repeats)


@converts("cat", bounded=True)
def cat(b: Call, tensors: Sequence[SSAValue], dim: int) -> Results:
    """One after the other; a vector of no elements fits anything, as it always did in torch."""
    parts = [b.tensor(t) for t in tensors if shape_of(t) != (0,)]
    if b.is_open():
        return joined(b, parts, axis_of(dim, len(b.shape())))
    return b.concat(parts, axis_of(dim, len(b.shape()))) if parts else b.tensor(tensors[0])


@converts("stack", bounded=True)
def stack(b: Call, tensors: Sequence[SSAValue], dim: int) -> Results:
    """Tensors of one shape along a new dim, `dim` of the result."""
    axis = axis_of(dim, len(b.shape()))
    return b.concat([b.unsqueeze(b.tensor(t), [axis]) for t in tensors], axis)


@converts("slice.Tensor", bounded=True, sizes=("start", "end"), parts=True)
def slice_(
    b: Call, self: SSAValue, dim: int, start: int | SymbolicSize | None, end: int | SymbolicSize | None, step: int
) -> Results:
    """The elements from `start` to `end` along `dim`, each `step`-th; bounds are those of Python's slices."""
    axis = axis_of(dim, len(shape_of(self)))
    is_open = isinstance(b.length(self, axis), SymbolicSize)
    if is_open or isinstance(start, SymbolicSize) or isinstance(end, SymbolicSize):
        return cut(b, self, axis, start or 0, b.length(self, axis) if end is None else end, step)
    first, last = bounds(shape_of(self)[axis], start, end)
    require_from_start(b, self, axis, start, end)
    return b.slice(self, axis, first, last, step)


def bounds(extent: int, start: int | None, end: int | None) -> tuple[int, int]:
    """A range as Python's slices have it, from 0."""
    first, last, _ = slice(start, end).indices(extent)
    return first, last


def require_from_start(b: Call, x: SSAValue, axis: int, *places: int | None) -> None:
    """Raises: Unconvertible if places are counted from an end that depends on data."""
    if axis in b.knowledge.extents.get(x, {}) and any(place is not None and place < 0 for place in places):
        require_fixed(b, x, "what it counts from the end of")


@converts("select.int", bounded=True, sizes=("index",), parts=True)
def select(b: Call, self: SSAValue, dim: int, index: int | SymbolicSize) -> Results:
    """The slice at `index` along `dim`, without that dim."""
    axis = axis_of(dim, len(shape_of(self)))
    if depends_on_call(b, self) or isinstance(index, SymbolicSize):
        first = index + b.length(self, axis) if smaller(index, -1) == index else index
        return b.squeeze(inside(b, self, axis, first, 1, b.length(self, axis)), [axis])
    require_from_start(b, self, axis, index)
    at = index % shape_of(self)[axis]
    return b.reshape(b.slice(self, axis, at, at + 1), b.shape())


@converts("split_with_sizes", "split.Tensor", "split.sizes", "chunk", "unbind.int", "tensor_split.sections",
          bounded=True, parts=True)  # fmt: skip
def split(b: Call, self: SSAValue, dim: int) -> Results:
    """Parts as long as the results are."""
    axis, at = axis_of(dim, len(shape_of(self))), 0
    parts: list[SSAValue] = []
    if depends_on_call(b, self):
        return _cut_up(b, self, axis)
    require_fixed(b, self, "an operand")
    for index in range(len(b.op.results)):
        shape = b.shape(index)
        length = shape[axis] if len(shape) == len(shape_of(self)) else 1
        parts.append(b.reshape(b.slice(self, axis, at, at + length), shape))
        at += length
    return parts


def _cut_up(b: Call, x: SSAValue, axis: int) -> list[SSAValue]:
    """The same, where extents are known at the call."""
    at: AnySize = 0
    parts: list[SSAValue] = []
    for index in range(len(b.op.results)):
        sizes, is_row = b.sizes(index), len(b.shape(index)) < len(shape_of(x))
        end = at + (1 if is_row else sizes[axis])
        part = cut(b, x, axis, at, end, 1)
        parts.append(b.squeeze(part, [axis]) if is_row else part)
        at = end
    return parts


@converts("flip", bounded=True, parts=True)
def flip(b: Call, self: SSAValue, dims: Sequence[int]) -> Results:
    """The elements in reverse order along each of `dims`."""
    axes = sorted(axis_of(d, len(shape_of(self))) for d in dims)
    return b(graph.ReverseOp, self, axes) if axes and shape_of(self) else self


@converts("roll", parts=True)
def roll(b: Call, self: SSAValue, shifts: Sequence[int], dims: Sequence[int]) -> Results:
    """The elements moved by `shifts[i]` along `dims[i]`, those that leave coming in at the other end; without `dims`
    over the flattened tensor."""
    x = self
    if not dims:
        x, dims = b.reshape(x, (int(np.prod(shape_of(x))),)), [0]
    for shift, dim in zip(shifts, dims, strict=True):
        axis = axis_of(dim, len(shape_of(x)))
        extent = shape_of(x)[axis]
        if extent and shift % extent:
            at = extent - shift % extent
            x = b.concat([b.slice(x, axis, at, extent), b.slice(x, axis, 0, at)], axis)
    return b.reshape(x, b.shape())


@converts("constant_pad_nd", bounded=True, parts=True)
def constant_pad(b: Call, self: SSAValue, pad: Sequence[int], value: Scalar) -> Results:
    """Numbers for the last dim come first; a negative one cuts off."""
    rank = len(shape_of(self))
    low, high = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    x = self
    for axis in range(rank):
        if low[axis] < 0 or high[axis] < 0:
            x = cut(b, x, axis, max(-low[axis], 0), b.length(x, axis) - max(-high[axis], 0), 1)
    low, high = [max(n, 0) for n in low], [max(n, 0) for n in high]
    return padded(b, x, low, high, b.tensor(value))


def padded(b: Call, x: SSAValue, low: Sequence[int], high: Sequence[int], value: SSAValue) -> SSAValue:
    """A tensor surrounded by a known number."""
    if not any((*low, *high)):
        return x
    known = b.knowledge.array(value)
    assert known is not None
    return b(graph.PadOp, x, list(low), list(high), known.item())


@converts("reflection_pad1d", "reflection_pad2d", "reflection_pad3d", parts=True)
def reflection_pad(b: Call, self: SSAValue, padding: Sequence[int]) -> Results:
    """Mirrored at the edges, which are not repeated; `padding` has two amounts per dim, the last dim first."""
    return _mirrored(b, self, padding, _reflected)


@converts("replication_pad1d", "replication_pad2d", "replication_pad3d", parts=True)
def replication_pad(b: Call, self: SSAValue, padding: Sequence[int]) -> Results:
    """The elements of the edges repeated; `padding` has two amounts per dim, the last dim first."""
    return _mirrored(b, self, padding, _clamped)


def _reflected(at: int, extent: int) -> int:
    return extent - 1 - abs(extent - 1 - abs(at))


def _clamped(at: int, extent: int) -> int:
    return min(max(at, 0), extent - 1)


def _mirrored(b: Call, x: SSAValue, padding: Sequence[int], place: Callable[[int, int], int]) -> SSAValue:
    """Each of the last dims read at the places that a function gives for those of the result, counted from -low."""
    for i in range(len(padding) // 2):
        axis = len(shape_of(x)) - 1 - i
        extent = shape_of(x)[axis]
        places = [place(at, extent) for at in range(-padding[2 * i], extent + padding[2 * i + 1])]
        x = b(graph.GatherOp, x, b.constant(np.array(places, np.int64), i64), axis)
    return x


@converts("select_scatter", parts=True)
def select_scatter(b: Call, self: SSAValue, src: SSAValue, dim: int, index: int) -> Results:
    """A copy of `self` in which `src` stands at `index` along `dim`."""
    axis = axis_of(dim, len(b.shape()))
    at = index % b.shape()[axis]
    return _replaced(b, self, b.unsqueeze(b.tensor(src), [axis]), axis, at, at + 1, 1)


@converts("slice_scatter", parts=True)
def slice_scatter(
    b: Call, self: SSAValue, src: SSAValue, dim: int, start: int | None, end: int | None, step: int
) -> Results:
    """A copy of `self` in which `src` stands from `start` to `end` along `dim`, at each `step`-th place."""
    axis = axis_of(dim, len(b.shape()))
    first, last = bounds(b.shape()[axis], start, end)
    return _replaced(b, self, b.tensor(src), axis, first, last, step)


def _replaced(b: Call, x: SSAValue, new: SSAValue, axis: int, first: int, last: int, step: int) -> SSAValue:
    """A tensor with new elements in a range of an axis."""
    extent = shape_of(x)[axis]
    places = range(first, last, step)
    wanted = [*shape_of(x)]
    wanted[axis] = len(places)
    new = b.broadcast(new, wanted)
    if not places:
        return x
    if step == 1:
        parts = [b.slice(x, axis, 0, first), new, b.slice(x, axis, last, extent)]
        return b.concat([p for p in parts if shape_of(p)[axis]], axis)
    order = np.arange(extent)
    order[first:last:step] = extent + np.arange(len(places))
    return b(graph.GatherOp, b.concat([x, new], axis), b.constant(order, i64), axis)


@converts("as_strided", "as_strided_copy", parts=True)
def as_strided(
    b: Call, self: SSAValue, size: Sequence[int], stride: Sequence[int], storage_offset: int | None
) -> Results:
    """Elements of the memory that a dense tensor fills in order, at known places."""
    places = np.full((), storage_offset or 0, np.int64)
    for extent, step in zip(size, stride, strict=True):
        places = places[..., None] + np.arange(extent) * step
    count = int(np.prod(shape_of(self)))
    if places.size and places.max() >= count:
        raise Unconvertible("it reads memory after the end of the tensor")
    flat = b.reshape(self, (count,))
    if places.size == count and np.array_equal(places.reshape(-1), np.arange(count)):
        return b.reshape(flat, b.shape())
    return b(graph.GatherOp, flat, b.constant(places, i64), 0)


@converts("tril", "triu", bounded=True, parts=True)
def triangular(b: Call, self: SSAValue, diagonal: int) -> Results:
    """The elements at one side of a diagonal, and this itself."""
    return one_side(b, self, b.before.name == "aten.tril", diagonal)


@converts("diagonal", parts=True)
def diagonal_(b: Call, self: SSAValue, offset: int, dim1: int, dim2: int) -> Results:
    """The diagonal of two dims, which becomes the last one."""
    rank = len(shape_of(self))
    i, j = axis_of(dim1, rank), axis_of(dim2, rank)
    front = [a for a in range(rank) if a not in (i, j)]
    x = b.transpose(self, [*front, i, j])
    rows, columns = shape_of(x)[-2:]
    count = b.shape()[-1]
    flat = b.reshape(x, (*shape_of(x)[:-2], rows * columns))
    first = max(-offset, 0) * columns + max(offset, 0)
    if not count:
        return b.splat(0, b.shape(), b.element())
    return b.slice(flat, len(front), first, first + (count - 1) * (columns + 1) + 1, columns + 1)
