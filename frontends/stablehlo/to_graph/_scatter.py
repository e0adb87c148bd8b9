"""Changes at places that data says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Block, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.stablehlo import ScatterAttr
from mlc.frontends.operators.complex_numbers import Pair
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.open_shapes import all_along, product, shape_sizes, splat
from mlc.frontends.operators.places import neutral
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import SymbolicSize, bounds, in_symbols
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.frontends.stablehlo.to_graph._places import Places, as_indices, batch_starts, index_parts, with_sizes_of

_KINDS = {"add": "add", "multiply": "mul", "maximum": "max", "minimum": "min"}


def scatter_kind(block: Block) -> str | None:
    """What a region does with an element and an update; None if that is nothing that the graph has a word for."""
    last = block.last_op
    assert last is not None
    (found,) = last.operands if len(last.operands) == 1 else (None,)
    if found is block.args[1]:
        return "set"
    op = block.first_op
    if found is None or op is None or op is last or op.next_op is not last or found.owner is not op:
        return None
    kind = _KINDS.get(op.name.removeprefix("stablehlo."))
    return kind if kind is not None and set(op.operands) == set(block.args) and len(op.operands) == 2 else None


@converts("scatter", bounded=True)
def scatter(b: HloCall) -> Converted:
    """Updates at places; those that lie outside change nothing."""
    count = len(b.op.operands) // 2
    kind = scatter_kind(b.op.body()) if count == 1 else None
    complex_ones = any(b.is_pair(i) for i in range(len(b.op.operands)))
    if complex_ones:
        if kind not in ("set", "add"):
            raise Unconvertible("it scatters complex numbers; required: a region that sets or adds")
        parts = [replace(b, part=part) for part in (0, 1)]
        return Pair(_scatter(parts[0], kind), _scatter(parts[1], kind))
    if kind is None or (kind != "set" and element_of(b[0]) == i1):
        return _combined(b, count)
    return _scatter(b, kind)


def _scatter(b: HloCall, kind: str) -> SSAValue:
    x, update = b[0], b[2]
    if 0 in shape_of(update) or 0 in shape_of(x):
        return x
    windows = _Windows(b, 1)
    return _written_where_inside(b, windows.places, kind, x, windows.turned(update), windows.checked)


class _Windows:
    """Where the updates of an op with so many tensors go."""

    def __init__(self, b: HloCall, count: int) -> None:
        dims = cast(ScatterAttr, b.op.properties["scatter_dimension_numbers"])
        shape, indices, update = shape_sizes(b, b[0]), shape_sizes(b, b[count]), shape_sizes(b, b[count + 1])
        inserted, batching = dims.ints("inserted_window_dims"), dims.ints("input_batching_dims")
        vector, mapped = dims.number("index_vector_dim"), dims.ints("scatter_dims_to_operand_dims")
        self._b, self._dims = b, dims.ints("update_window_dims")
        self.shape = shape
        self.batch = tuple(n for d, n in enumerate(indices) if d != vector)
        starts = index_parts(b, b[count], vector, self.batch, mapped)
        own = batch_starts(b, self.batch, batching, dims.ints("scatter_indices_batching_dims"), vector)
        self.starts = starts | own
        self.dropped = (*inserted, *batching)
        kept = [d for d in range(len(shape)) if d not in self.dropped]
        extents = dict(zip(kept, (update[d] for d in self._dims), strict=True))
        self.sizes = [extents.get(d, 1) for d in range(len(shape))]
        self.places = Places(b, shape, self.batch, self.starts, self.sizes, self.dropped)
        self.checked = [d for d in self.places.explicit if d in mapped]
        """The dims along which a window may lie outside."""

    def turned(self, update: SSAValue) -> SSAValue:
        """An update with the dims of the batch before those of windows."""
        rest = [d for d in range(len(shape_of(update))) if d not in self._dims]
        return self._b.transpose(update, [*rest, *self._dims])


def _combined(b: HloCall, count: int) -> list[SSAValue]:
    """What a region makes of elements and updates: at once where no place is met twice, else one window after the
    other."""
    values = [b[i] for i in range(len(b.op.operands))]
    data, updates = values[:count], values[count + 1 :]
    if 0 in shape_of(updates[0]) or 0 in shape_of(data[0]):
        return data
    windows = _Windows(b, count)
    updates = [windows.turned(update) for update in updates]
    points = product(windows.batch)
    unique = b.op.properties.get("unique_indices")
    if points == 1 or (unique is not None and b.op.number("unique_indices")):
        return _changed(b, windows.places, data, updates, windows.checked)
    if isinstance(points, SymbolicSize):
        raise Unconvertible(
            f"its region is applied to {in_symbols(points)} updates one after the other, as many as a call says; "
            "required: a region that sets, adds, multiplies or takes an extreme, or as many updates in each call"
        )
    scan = ScanWriter(b, points)
    carried = [scan.carry(x) for x in data]
    starts = {d: scan.row(b.reshape(start, (points,))) for d, start in windows.starts.items()}
    rows = [scan.row(b.reshape(u, (points, *shape_of(u)[len(windows.batch) :]))) for u in updates]
    inside = replace(b, before=scan.inside.before, part=None)
    places = Places(inside, windows.shape, (), starts, windows.sizes, windows.dropped)
    checked = [d for d in places.explicit if d in windows.checked]
    return scan.finish(_changed(inside, places, carried, rows, checked))


def _changed(
    b: HloCall, places: Places, data: Sequence[SSAValue], updates: Sequence[SSAValue], checked: Sequence[int]
) -> list[SSAValue]:
    """Tensors with windows that a region makes of what is there and of updates, none of which meet."""
    order = places.order()
    inside, columns = _inside(b, places, checked)
    if inside is not None:
        columns = [b.where(inside, column, b.number(0, column)) for column in columns]
    indices = as_indices(b, columns)
    axes = list(places.explicit)
    seen = [b(graph.GatherNdOp, all_along(b, x, axes), indices, axes) for x in data]
    made = b.body(b.op.body(), [*seen, *(b.untranspose(u, order) for u in updates)], lifted=True)
    found: list[SSAValue] = []
    for x, old, new in zip(data, seen, made, strict=True):
        assert isinstance(new, SSAValue)
        whole = b.transpose(b.broadcast(b.cast(new, element_of(x)), shape_of(old)), order)
        found.append(_written_where_inside(b, places, "set", x, whole, checked))
    return found


def _inside(b: GraphBuilder, places: Places, checked: Sequence[int]) -> tuple[SSAValue | None, list[SSAValue]]:
    """Whether elements lie inside along some dims, None if all do, and their coordinates."""
    columns = places.coordinates()
    inside: SSAValue | None = None
    for d in checked:
        column, extent = columns[places.explicit.index(d)], places.shape[d]
        if _is_inside(b, places, d, column):
            continue
        low, high = b.number(0, column), b.number(extent, column) if isinstance(extent, int) else b.extent(extent)
        here = b(graph.AndOp, b.compare("ge", column, low), b.compare("lt", column, high))
        inside = here if inside is None else b(graph.AndOp, inside, here)
    return inside, columns


def _is_inside(b: GraphBuilder, places: Places, dim: int, column: SSAValue) -> bool:
    """Whether it is known that all coordinates along a dim are those of elements, for all extents of a call."""
    if (known := b.knowledge.array(column)) is not None:
        return bool(np.all((known >= 0) & (known < bounds(places.shape[dim])[0])))
    starts = b.knowledge.sizes.get(places.starts[dim]) if dim in places.starts else None
    if starts is None:
        return False
    most = places.shape[dim] - (places.sizes[dim] if dim in places.inner else 1)
    return all(bounds(start)[0] >= 0 and bounds(most - start)[0] >= 0 for start in starts.flat)


def _written_where_inside(
    b: GraphBuilder, places: Places, kind: str, x: SSAValue, update: SSAValue, checked: Sequence[int]
) -> SSAValue:
    """Updates, but those with a coordinate outside along one of these dims.

    Sums and products get an update that changes nothing there. What is set goes into a row after the tensor, which is
    cut off in the end: two updates at one place would not be in order any more if the old value were written again.
    """
    order = places.order()
    update = b.untranspose(update, order)
    inside, columns = _inside(b, places, checked)
    axis = places.explicit[0]
    most = shape_of(x)[axis]
    data = all_along(b, x, places.explicit)
    if inside is not None:
        zero = b.number(0, columns[0])
        columns = [b.where(inside, column, zero) for column in columns]
        if kind == "set":
            first = b.where(inside, columns[0], b.number(most, columns[0]))
            columns = [first, *columns[1:]]
            row = [1 if a == axis else size for a, size in enumerate(shape_sizes(b, data))]
            data = b.concat([data, splat(b, 0, row, element_of(x))], axis)
        else:
            element, rank = element_of(x), len(places.points)
            mask = b.unsqueeze(inside, range(rank, rank + len(places.whole)))
            number = -0.0 if kind == "add" and is_float(x) else neutral(kind, element)  # 0 would make 0 of -0
            update = b.where(mask, update, b.constant(np.asarray(number), element))
    found = b(graph.ScatterNdOp, kind, data, as_indices(b, columns), update, list(places.explicit))
    return with_sizes_of(b, b.slice(found, axis, 0, most), x)
