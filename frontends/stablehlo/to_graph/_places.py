"""Reads at places that data says, and slices that start where data says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.stablehlo import GatherAttr
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_shapes import all_along, cut, expanded, inside, shape_sizes, splat
from mlc.frontends.operators.places import standing_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.size_rules import as_sizes
from mlc.frontends.operators.sizes import AnySize, bounds, in_symbols
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.frontends.stablehlo.to_graph._moves import sliced


def _as_index(b: GraphBuilder, value: SSAValue) -> SSAValue:
    return b.cast(value, i64)


class Places:
    """Windows of a tensor, one for each point of a batch: the coordinates of their elements.

    Attributes:
        shape: the extents of the tensor.
        batch: those of the batch.
        starts: the tensors, of the batch's shape, of where windows start, by dim; dims that are not there start at 0.
        sizes: the extent of a window in each dim.
        dropped: the dims of extent 1 that windows do not have.

    Raises:
        Unconvertible: it is not proved that windows are in a dim in which they start at 0.
    """

    def __init__(
        self,
        b: GraphBuilder,
        shape: Sequence[AnySize],
        batch: Sequence[AnySize],
        starts: dict[int, SSAValue],
        sizes: Sequence[AnySize],
        dropped: Sequence[int],
    ) -> None:
        self.b, self.shape, self.batch, self.starts, self.sizes = b, tuple(shape), tuple(batch), starts, tuple(sizes)
        self.kept = [d for d in range(len(shape)) if d not in dropped]
        full = [d for d in self.kept if sizes[d] == shape[d]]
        # A dim that windows have all of cannot start anywhere else than at 0, once starts are clamped.
        self.whole = [d for d in full if d not in starts]
        self.explicit = [d for d in range(len(shape)) if d not in self.whole] or [0]
        self.whole = [d for d in self.whole if d not in self.explicit]
        self.inner = [d for d in self.explicit if d in self.kept]
        self._require_room([d for d in range(len(shape)) if d not in starts])

    def _require_room(self, dims: Sequence[int]) -> None:
        for d in dims:
            if bounds(self.shape[d] - self.sizes[d])[0] < 0:
                window, extent = in_symbols(self.sizes[d]), in_symbols(self.shape[d])
                raise Unconvertible(f"its windows have {window} of {extent} elements along dim {d}, which may be fewer")

    def clamp(self) -> None:
        """Let windows end inside of the tensor.

        Raises:
            Unconvertible: it is not proved that there is room for them.
        """
        b = self.b
        self._require_room(range(len(self.shape)))
        for d, start in list(self.starts.items()):
            most = self.shape[d] - self.sizes[d]
            low = b(graph.MaxOp, start, b.number(0, start))
            self.starts[d] = b(graph.MinOp, low, b.number(most, start) if isinstance(most, int) else b.extent(most))
        # What is read whole starts at 0.
        for d in [d for d in self.inner if self.sizes[d] == self.shape[d]]:
            self.starts.pop(d, None)
            self.explicit.remove(d)
            self.inner.remove(d)
            self.whole = sorted([*self.whole, d])
        if not self.explicit:
            self.explicit, self.inner = [0], [0] if 0 in self.kept else []
            self.whole = [d for d in self.whole if d != 0]

    @property
    def points(self) -> tuple[AnySize, ...]:
        """The shape of the indices, without the dim of the coordinates."""
        return (*self.batch, *(self.sizes[d] for d in self.inner))

    def coordinates(self) -> list[SSAValue]:
        """The places of all elements along each explicit dim, of the shape of the points."""
        b, rank = self.b, len(self.points)
        found: list[SSAValue] = []
        for d in self.explicit:
            place: SSAValue | None = None
            if d in self.starts:
                place = b.unsqueeze(self.starts[d], range(len(self.batch), rank))
            if d in self.inner and (self.sizes[d] != 1 or place is None):
                column = _numbers(b, self.sizes[d], len(self.batch) + self.inner.index(d), rank)
                place = column if place is None else b.add(place, column)
            if place is None:
                place = b.constant(np.zeros([1] * rank, np.int64), i64)
            found.append(expanded(b, place, self.points))
        return found

    def indices(self) -> SSAValue:
        """All coordinates in one tensor, the last dim of which is that of the explicit dims."""
        return as_indices(self.b, self.coordinates())

    def order(self) -> list[int]:
        """Where the dims of a read, which are the points and then the whole dims, stand among the window's dims."""
        base = len(self.batch)
        stands = {d: base + i for i, d in enumerate(self.inner)}
        stands |= {d: base + len(self.inner) + i for i, d in enumerate(self.whole)}
        return [*range(base), *(stands[d] for d in self.kept)]

    def read(self, x: SSAValue) -> SSAValue:
        """The windows: the batch's dims, then those that windows have."""
        b = self.b
        x = all_along(b, x, self.explicit)
        if len(self.explicit) == 1 and not self.inner:
            axis = self.explicit[0]
            start = self.starts.get(axis)
            index = splat(b, 0, self.batch, i64) if start is None else start
            found = b(graph.GatherOp, x, index, axis)
            rank = len(self.batch)
            order = [*range(axis, axis + rank), *range(axis), *range(axis + rank, len(shape_of(found)))]
            return b.transpose(found, order)
        found = b(graph.GatherNdOp, x, self.indices(), list(self.explicit))
        return b.transpose(found, self.order())


def as_indices(b: GraphBuilder, columns: Sequence[SSAValue]) -> SSAValue:
    """Coordinates along one dim each in one tensor, with a last dim for them."""
    rank = len(shape_of(columns[0]))
    return b.concat([b.unsqueeze(column, [rank]) for column in columns], rank)


def _numbers(b: GraphBuilder, size: AnySize, axis: int, rank: int) -> SSAValue:
    """0, 1, 2, … along an axis."""
    return b.sized(b.constant(standing_along(np.arange(bounds(size)[1]), axis, rank), i64), {axis: size})


def index_parts(
    b: GraphBuilder, indices: SSAValue, vector: int, batch: Sequence[AnySize], mapped: Sequence[int]
) -> dict[int, SSAValue]:
    """The part of each index for a dim, of the batch's shape."""
    indices = _as_index(b, indices)
    if vector == len(shape_of(indices)):
        return {mapped[0]: indices} if mapped else {}
    return {d: b.squeeze(b.slice(indices, vector, i, i + 1), [vector]) for i, d in enumerate(mapped)}


def batch_starts(
    b: GraphBuilder, batch: Sequence[AnySize], dims: Sequence[int], index_dims: Sequence[int], vector: int
) -> dict[int, SSAValue]:
    """Where windows start in dims that are the batch's own."""
    found: dict[int, SSAValue] = {}
    for d, at in zip(dims, index_dims, strict=True):
        axis = at if at < vector else at - 1
        found[d] = expanded(b, _numbers(b, batch[axis], axis, len(batch)), batch)
    return found


@converts("gather", "dynamic_gather", parts=True, bounded=True)
def gather(b: HloCall) -> Converted:
    """Windows that start where the indices say, and stay inside."""
    dims = cast(GatherAttr, b.op.properties["dimension_numbers"])
    x, indices = b[0], b[1]
    sizes: list[AnySize] = [*b.op.ints("slice_sizes")] if b.op.mnemonic() == "gather" else b.sizes(2)
    if b.knowledge.extents.get(x) and (window := _known_window(b, dims, sizes)) is not None:
        return window
    vector, offset = dims.number("index_vector_dim"), dims.ints("offset_dims")
    batch = [n for d, n in enumerate(shape_sizes(b, indices)) if d != vector]
    batching = dims.ints("operand_batching_dims")
    if b.is_empty:
        return b.splat(0, b.shape(), element_of(x))
    starts = index_parts(b, indices, vector, batch, dims.ints("start_index_map"))
    dropped = (*dims.ints("collapsed_slice_dims"), *batching)
    own = batch_starts(b, batch, batching, dims.ints("start_indices_batching_dims"), vector)
    places = Places(b, shape_sizes(b, x), batch, starts | own, sizes, dropped)
    places.clamp()
    found = places.read(x)
    rank = len(shape_of(found))
    batch_dims = [d for d in range(rank) if d not in offset]
    stands = {d: i for i, d in enumerate([*batch_dims, *offset])}
    return b.transpose(found, [stands[d] for d in range(rank)])


def _known_window(b: HloCall, dims: GatherAttr, sizes: Sequence[AnySize]) -> SSAValue | None:
    """The one window that is read of a tensor with dims that end at extents of the call, if it is known where it
    starts, and that it is inside; else None."""
    if dims.ints("collapsed_slice_dims") or len(shape_of(b[1])) != 1:
        return None
    x, extents = b[0], shape_sizes(b, b[0])
    try:
        starts = dict(zip(dims.ints("start_index_map"), b.sizes(1), strict=True))
        for d, (size, extent) in enumerate(zip(sizes, extents, strict=True)):
            x = inside(b, x, d, starts.get(d, 0), size, extent)
    except Unconvertible:
        return None
    return x


@converts("dynamic_slice", parts=True, bounded=True)
def dynamic_slice(b: HloCall) -> Converted:
    """A window that stays inside."""
    x, sizes = b[0], b.op.ints("slice_sizes")
    if 0 in sizes:
        return b.splat(0, sizes, element_of(x))
    if b.knowledge.extents.get(x):
        for d, size in enumerate(sizes):
            x = taken(b, x, d, b[1 + d], size)
        return x
    known = [b.known(1 + d) for d in range(len(sizes))]
    if all(k is not None for k in known):
        at = [max(0, min(int(k), n - s)) for k, n, s in zip(known, shape_of(x), sizes, strict=True)]
        return sliced(b, x, at, [a + s for a, s in zip(at, sizes, strict=True)])
    places = _window(b, x, [*sizes], 1)
    return b.reshape(places.read(x), sizes)


def taken(b: GraphBuilder, x: SSAValue, dim: int, start: SSAValue, size: AnySize) -> SSAValue:
    """A window along a dim, which may end at an extent of the call: it stays before that.

    Raises:
        Unconvertible: it is not proved that there is room for it.
    """
    extent = shape_sizes(b, x)[dim]
    if extent == size:
        return x
    if bounds(extent - size)[0] < 0:
        window = f"{in_symbols(size)} of {in_symbols(extent)}"
        raise Unconvertible(f"it takes {window} elements along dim {dim}, which may be fewer")
    first = b.maximum(b.minimum(_as_index(b, start), b.extent(extent - size)), b.constant(0))
    return b(graph.GatherOp, x, b.add(first, _numbers(b, size, 0, 1)), dim)


@converts("real_dynamic_slice", bounded=True)
def real_dynamic_slice(b: HloCall) -> Converted:
    """Ranges that are operands, with steps; those of open dims are inside for all extents of a call."""
    if (window := _window_at(b)) is not None:
        return window
    numbers = [b.sizes(i) for i in (1, 2, 3)]
    known = [[n for n in each if isinstance(n, int)] for each in numbers]
    if not b.knowledge.extents.get(b[0]) and known == numbers:
        return sliced(b, b[0], *known)
    x = b[0]
    for d, (start, end, step, extent) in enumerate(zip(*numbers, shape_sizes(b, x), strict=True)):
        if not isinstance(step, int):
            raise Unconvertible(f"its step along dim {d} is {in_symbols(step)}; required: a constant")
        x = inside(b, x, d, start, end - start, extent)
        x = x if step == 1 else cut(b, x, d, 0, end - start, step)
    return x


def _window_at(b: HloCall) -> SSAValue | None:
    """A window that starts where data says, which has to be inside; None if it is not of this form, of a known size."""
    start, end, steps = b[1], b[2].owner, b.known(3)
    if b.known(1) is not None or start in b.knowledge.sizes or steps is None or not np.all(steps == 1):
        return None
    if not isinstance(end, graph.AddOp) or start not in end.operands:
        return None
    size = next((v for v in end.operands if v is not start), start)
    known, sizes = b.knowledge.array(size), b.knowledge.sizes.get(size)
    sizes = as_sizes(known) if known is not None else sizes
    if sizes is None:
        return None
    x = b[0]
    for d, each in enumerate(sizes.flat):
        x = taken(b, x, d, b.squeeze(b.slice(start, 0, d, d + 1), [0]), each)
    return x


def _window(b: HloCall, x: SSAValue, sizes: Sequence[AnySize], first: int) -> Places:
    """One window, whose start is in the operands from `first` on; dims of extent 1 are dropped."""
    starts: dict[int, SSAValue] = {}
    extents = shape_sizes(b, x)
    for d, (size, extent) in enumerate(zip(sizes, extents, strict=True)):
        if size != extent:
            starts[d] = _as_index(b, b[first + d])
    dropped = [d for d, size in enumerate(sizes) if size == 1 and d in starts]
    places = Places(b, extents, (), starts, sizes, dropped)
    places.clamp()
    return places


@converts("dynamic_update_slice", parts=True, bounded=True)
def dynamic_update_slice(b: HloCall) -> Converted:
    """A window that is written, and stays inside."""
    x, update = b[0], b[1]
    sizes = shape_sizes(b, update)
    if 0 in sizes:
        return x
    if sizes == shape_sizes(b, x):
        return update
    places = _window(b, x, sizes, 2)
    kept = b.squeeze(update, [d for d in range(len(sizes)) if d not in places.kept])
    data = all_along(b, x, places.explicit)
    update = b.untranspose(kept, places.order())
    found = b(graph.ScatterNdOp, "set", data, places.indices(), update, list(places.explicit))
    return with_sizes_of(b, found, x)


def with_sizes_of(b: GraphBuilder, found: SSAValue, x: SSAValue) -> SSAValue:
    """A value that is as long as another one, for all extents."""
    return b.sized(found, dict(enumerate(shape_sizes(b, x))))
