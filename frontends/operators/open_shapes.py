"""Moves to shapes that depend on the extents of inputs: reshape, broadcast, slice, and counted numbers.

The result has the largest shape that there can be. Where its data ends follows from the sizes that are asked for, which
have to be those that the rules of extents find; what cannot be proved to be equal for all extents is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from math import prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.nodes import in_words
from mlc.frontends.operators.graph_builder import MOST_COUNTED, GraphBuilder
from mlc.frontends.operators.places import standing_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds, divided, in_symbols, larger, smaller
from mlc.support.dtypes import to_numpy


def largest(sizes: Sequence[AnySize]) -> tuple[int, ...]:
    """The most that each size can be."""
    return tuple(bounds(size)[1] for size in sizes)


def depends_on_call(b: GraphBuilder, value: SSAValue) -> bool:
    """Whether dims of a value end at extents of inputs, and none where data says."""
    known = b.knowledge.extents.get(value, {})
    return bool(known) and not any(b.knowledge.is_data(extent) for extent in known.values())


def is_sized(b: GraphBuilder, value: SSAValue) -> bool:
    """Whether all extents of a value are sizes."""
    return all(b.size_of(extent) is not None for extent in b.knowledge.extents.get(value, {}).values())


def shape_sizes(b: GraphBuilder, value: SSAValue) -> list[AnySize]:
    """The extents of a value.

    Raises:
        Unconvertible: one of them depends on data.
    """
    sizes = [b.axis_size(value, axis) for axis in range(len(shape_of(value)))]
    if (axis := next((i for i, size in enumerate(sizes) if size is None), None)) is not None:
        raise Unconvertible(f"the extent of dim {axis}, {in_words(value.type)} at most, depends on data")
    return [size for size in sizes if size is not None]


def require_fixed(b: GraphBuilder, value: SSAValue, what: str, axes: Sequence[int] | None = None) -> None:
    """Raises: Unconvertible if the extent of a dim of `value`, which is `what`, is not known: of one of `axes`, if
    these are given."""
    for axis, extent in b.knowledge.extents.get(value, {}).items():
        if axes is not None and axis not in axes:
            continue
        found = f"the extent of dim {axis} of {what}, {b.knowledge.spell(value.type)} at most"
        raise Unconvertible(f"{found}, {b.knowledge.cause_of(extent)}; required: a known one")


def reshaped(b: GraphBuilder, value: SSAValue, wanted: Sequence[AnySize]) -> SSAValue:
    """The elements under another shape, of which one extent may be -1 for what is left.

    Raises:
        Unconvertible: it is not proved that the elements stay in order, or are as many.
    """
    value = b.knowledge.unmoved.get(value, value)
    own = shape_sizes(b, value)
    count = product(own)
    if any(size == -1 for size in wanted):
        rest = product([size for size in wanted if size != -1])
        left = divided(count, rest) if [size == -1 for size in wanted].count(True) == 1 else None
        if left is None:
            raise Unconvertible(f"{_shown(own)} cannot become {_shown(wanted)}: no extent fits -1 for all of them")
        wanted = [left if size == -1 else size for size in wanted]
    if product(wanted) != count:
        raise Unconvertible(f"{_shown(own)} cannot become {_shown(wanted)}: the number of elements is another one")
    return _seen_as(b, value, wanted) or _moved_to(b, value, own, wanted)


def _seen_as(b: GraphBuilder, value: SSAValue, wanted: Sequence[AnySize]) -> SSAValue | None:
    """The value under another shape, where it lies in memory; None if it would have to move."""
    if prod(largest(wanted)) != prod(shape_of(value)):
        return None
    try:
        found = b.reshape(value, largest(wanted))
    except Unconvertible:
        return None
    return found if shape_sizes(b, found) == list(wanted) else None


def _moved_to(b: GraphBuilder, value: SSAValue, own: Sequence[AnySize], wanted: Sequence[AnySize]) -> SSAValue:
    """The elements moved to where a row-major tensor of the actual extents has them, as many at a time as the last dims
    hold that stay: the number of each such row follows from the extents of the call.

    Raises:
        Unconvertible: an extent may be 0, by which places are divided.
    """
    kept = 0
    while kept < min(len(own), len(wanted)) and own[-1 - kept] == wanted[-1 - kept]:
        kept += 1
    before, after = own[: len(own) - kept], wanted[: len(wanted) - kept]
    if any(bounds(size)[0] < 1 for size in (*before, *after)):
        raise Unconvertible(f"{_shown(own)} cannot become {_shown(wanted)}: required: extents of 1 and more")
    places = largest(after)
    number = b.constant(np.zeros(places, np.int64))
    for axis, size in enumerate(places):
        along = standing_along(np.arange(size), axis, len(places))
        number = b.add(number, b.mul(b.constant(along), b.extent(product(after[axis + 1 :]))))
    rows = largest(before)
    row = b.constant(np.zeros(places, np.int64))
    for axis in range(len(rows)):
        at = b.div(number, b.extent(product(before[axis + 1 :])))
        at = b(graph.RemOp, at, b.extent(before[axis])) if axis else at
        row = b.add(row, b.mul(at, b.constant(prod(rows[axis + 1 :]))))
    row = b.minimum(row, b.constant(prod(rows) - 1))  # of those after the data, which are read as well
    inner = {1 + i: size for i, size in enumerate(own[len(own) - kept :]) if isinstance(size, SymbolicSize)}
    flat = b.viewed(value, (prod(rows), *shape_of(value)[len(own) - kept :]), inner)
    found = b.sized(b(graph.GatherOp, flat, row, 0), dict(enumerate(wanted)))
    b.knowledge.unmoved[found] = value
    return found


def by_rows(b: GraphBuilder, value: SSAValue, compute: Callable[[SSAValue], SSAValue]) -> SSAValue:
    """What `compute` makes of each row of a value: where rows were moved for a shape, they are computed before that, so
    that nothing moves if the result gets the shape from before. The last dim is a row, and one of the result, too."""
    before = b.knowledge.unmoved.get(value)
    if before is None or shape_of(before)[-1:] != shape_of(value)[-1:] or len(shape_of(before)) < 2:
        return compute(value)
    sizes = [shape_sizes(b, each) for each in (before, value)]
    if any(isinstance(each[-1], SymbolicSize) for each in sizes):
        return compute(value)
    found = compute(before)
    return reshaped(b, found, [*sizes[1][:-1], shape_of(found)[-1]])


def expanded(b: GraphBuilder, value: SSAValue, wanted: Sequence[AnySize]) -> SSAValue:
    """The value repeated to the shape that its own and `wanted` broadcast to.

    Raises:
        Unconvertible: they do not, or not for all extents.
    """
    own = shape_sizes(b, value)
    rank = max(len(own), len(wanted))
    pairs = zip([1] * (rank - len(own)) + own, [1] * (rank - len(wanted)) + list(wanted), strict=True)
    sizes: list[AnySize] = []
    for mine, asked in pairs:
        if mine != asked and mine != 1 and asked != 1:
            raise Unconvertible(f"{_shown(own)} and {_shown(wanted)} do not broadcast for all extents")
        sizes.append(asked if mine == 1 else mine)
    found = b.broadcast(value, largest(sizes))
    return b.sized(found, dict(enumerate(sizes)))


def splat(b: GraphBuilder, number: float, sizes: Sequence[AnySize], element: Attribute) -> SSAValue:
    """One number everywhere."""
    found = b.splat(number, largest(sizes), element)
    return b.sized(found, dict(enumerate(sizes)))


def counted(b: GraphBuilder, start: AnySize, limit: AnySize, step: int, element: Attribute) -> SSAValue:
    """The integers from `start` up to, not including, `limit`.

    Raises:
        Unconvertible: it is not known that there are some, or there are too many.
    """
    span = limit - start if step > 0 else start - limit
    try:
        count: AnySize = (span + (abs(step) - 1)) // abs(step)
    except (ValueError, ZeroDivisionError):
        raise Unconvertible(f"it counts from {in_symbols(start)} to {in_symbols(limit)} in steps of {step}") from None
    most = bounds(count)[1]
    if most > MOST_COUNTED:
        raise Unconvertible(f"it counts {most} numbers")
    numbers = np.arange(most, dtype=np.int64) * step
    if isinstance(start, SymbolicSize):
        found = b.cast(b.add(b.constant(numbers, i64), b.extent(start)), element)
    else:
        found = b.constant((numbers + start).astype(to_numpy(element)), element)
    return b.sized(found, {0: count})


def cut(b: GraphBuilder, value: SSAValue, axis: int, start: AnySize, end: AnySize, step: int) -> SSAValue:
    """What Python's `value[start:end:step]` takes along an axis; a start before the first element is the first one,
    backwards too, where Python takes none.

    Raises:
        Unconvertible: what that is depends on extents in another way than as a size.
    """
    size = b.axis_size(value, axis)
    if size is not None and isinstance(start, int) and isinstance(end, int) and step:
        least, most = (range(n)[max(start, -n) : end : step] for n in bounds(size))
        if (least.start, least.stop) == (most.start, most.stop):  # so it is of all extents between these
            source = value if step == 1 else all_along(b, value, [axis])
            return _whole(b, _cut_known(b, source, axis, least), axis)
    if size is not None and step < 0 and (ends := _backwards(start, end, size)) is not None:
        return cut(b, b(graph.ReverseOp, value, [axis]), axis, *ends, -step)
    first, last = (None if size is None else _place(each, size) for each in (start, end))
    asked = f"[{in_symbols(start)}:{in_symbols(end)}:{step}]"
    if size is None or first is None or last is None or step < 1:
        raise Unconvertible(f"it takes {asked} of {'?' if size is None else in_symbols(size)} elements")
    span, whole = larger(last - first, 0), shape_of(value)[axis]
    if bounds(span)[0] < 0:  # there are more ways to choose than are looked at
        raise Unconvertible(f"it takes {asked} of {in_symbols(size)} elements; required: fewer choices between extents")
    length = (span + (step - 1)) // step
    most = bounds(length)[1]
    if isinstance(first, SymbolicSize):
        places = b.add(b.constant(np.arange(most) * step), b.extent(first))
        found = b(graph.GatherOp, value, b.minimum(places, b.constant(whole - 1)), axis)
    else:
        limit = min(first + max((most - 1) * step + 1, 0), whole)
        is_rest = limit == whole and step == 1
        found = b.slice(value if is_rest else all_along(b, value, [axis]), axis, first, limit, step)
    return b.sized(found, {axis: length}) if isinstance(length, SymbolicSize) else _whole(b, found, axis)


def inside(b: GraphBuilder, value: SSAValue, dim: int, start: AnySize, size: AnySize, extent: AnySize) -> SSAValue:
    """A window of a value along a dim of an extent.

    Raises:
        Unconvertible: it is not proved that it is in the dim for all extents of a call.
    """
    if start == 0 and size == extent:
        return value
    if bounds(start)[0] < 0 or bounds(extent - start - size)[0] < 0:
        window = f"{in_symbols(size)} elements from {in_symbols(start)} on"
        raise Unconvertible(f"it takes {window} of {in_symbols(extent)} along dim {dim}, which may be fewer")
    return cut(b, value, dim, start, start + size, 1)


def _cut_known(b: GraphBuilder, value: SSAValue, axis: int, places: range) -> SSAValue:
    """What lies at known places along an axis, all of which may be read."""
    if not places:
        sizes = [0 if a == axis else size for a, size in enumerate(shape_sizes(b, value))]
        return splat(b, 0, sizes, element_of(value))
    if places.step < 0:
        value, places = b(graph.ReverseOp, value, [axis]), places[::-1]
        last = shape_of(value)[axis] - 1
        places = range(last - places[-1], last - places[0] + 1, places.step)
    return b.slice(value, axis, places[0], places[-1] + 1, places.step)


def _whole(b: GraphBuilder, value: SSAValue, axis: int) -> SSAValue:
    """The value, all of which is data along an axis."""
    extents = dict(b.knowledge.extents.get(value, {}))
    if extents.pop(axis, None) is not None:
        b.knowledge.extents[value] = extents
    return value


def _place(at: AnySize, size: AnySize) -> AnySize | None:
    """A place as Python's slices take it: from the end if it is negative, and inside of the dim; None if that is not
    decided."""
    low, high = bounds(at)
    if high < 0:
        at = at + size
        return larger(at, 0)
    return smaller(at, size) if low >= 0 else None


def _backwards(start: AnySize, end: AnySize, size: AnySize) -> tuple[AnySize, AnySize] | None:
    """Where a slice that goes backwards starts and ends once the dim is turned round; None if that is not decided."""
    last, places = size - 1, list[AnySize]()
    for at, before in ((start, 0), (end, -1)):
        low, high = bounds(at)
        if low < 0 <= high:
            return None
        places.append(larger(last - (smaller(at, last) if low >= 0 else larger(at + size, before)), 0))
    return places[0], places[1]


def joined(b: GraphBuilder, values: Sequence[SSAValue], axis: int) -> SSAValue:
    """One after the other along an axis, where other parts than the last one may end early.

    Raises:
        Unconvertible: an extent depends on data, or other extents differ.
    """
    sizes = [shape_sizes(b, value) for value in values]
    lengths = [each[axis] for each in sizes]
    if all(isinstance(each, int) for each in lengths[:-1]):
        return b.concat(values, axis)
    whole = b.concat([_ends_elsewhere(b, value, axis) for value in values], axis)
    starts = np.cumsum([0, *(shape_of(value)[axis] for value in values)])
    place = b.constant(np.arange(bounds(total(lengths))[1]), i64)
    source, end = place, lengths[0]
    for number, length in enumerate(lengths[1:], 1):
        moved = b.add(place, b.extent(int(starts[number]) - end))
        source = b.where(b.compare("lt", place, b.extent(end)), source, moved)
        end = end + length
    source = b.minimum(source, b.constant(shape_of(whole)[axis] - 1))  # of those after the data
    return b.sized(b(graph.GatherOp, whole, source, axis), {axis: end})


def counts_along(b: GraphBuilder, value: SSAValue, axis: int) -> bool:
    """Whether it is proved that the elements are 0, 1, 2, … along an axis, and the same along others."""
    shape, op = shape_of(value), value.owner
    if (known := b.knowledge.array(value)) is not None:
        return np.array_equal(known, np.broadcast_to(standing_along(np.arange(shape[axis]), axis, len(shape)), shape))
    if not isinstance(op, graph.ReshapeOp | graph.BroadcastOp):
        return False
    own = shape_of(op.input)
    if isinstance(op, graph.BroadcastOp):
        at = axis - (len(shape) - len(own))
    else:  # the axis may stand among others where dims of 1 come and go
        here = [i for i in range(len(own)) if own[i] > 1 and prod(own[:i]) == prod(shape[:axis])]
        at = axis if own == shape else here[0] if here and prod(own) else -1
    return at >= 0 and own[at] == shape[axis] and counts_along(b, op.input, at)


def _ends_elsewhere(b: GraphBuilder, value: SSAValue, axis: int) -> SSAValue:
    """All of a value in memory along an axis, what is no data as well."""
    sizes = {a: size for a, size in enumerate(shape_sizes(b, value)) if a != axis and isinstance(size, SymbolicSize)}
    return b.viewed(value, shape_of(value), sizes)


def total(sizes: Sequence[AnySize]) -> AnySize:
    """The sum of sizes."""
    zero: AnySize = 0
    return reduce(lambda a, b: a + b, sizes, zero)


def counted_from_start(b: GraphBuilder, x: SSAValue, indices: SSAValue, axis: int) -> SSAValue:
    """Indices along an axis, of which negative ones counted from its end, as i64."""
    at = b.cast(indices, i64)
    length = b.axis_size(x, axis)
    known = b.knowledge.array(at)
    if length is None:
        raise Unconvertible(f"the extent of dim {axis}, {in_words(x.type)} at most, depends on data")
    if known is not None and known.size and known.min() >= 0:
        return at
    return b.where(b.compare("lt", at, b.constant(0)), b.add(at, b.extent(length)), at)


def all_along(b: GraphBuilder, x: SSAValue, axes: Sequence[int]) -> SSAValue:
    """A value of which all in memory is taken for data along some axes: who reads it there stays within the data."""
    for axis in axes:
        x = _ends_elsewhere(b, x, axis) if axis in b.knowledge.extents.get(x, {}) else x
    return x


def product(sizes: Sequence[AnySize]) -> AnySize:
    """How many elements a shape of these extents has."""
    one: AnySize = 1
    return reduce(lambda a, b: a * b, sizes, one)


def _shown(sizes: Sequence[AnySize]) -> str:
    return "x".join(map(in_symbols, sizes)) or "a scalar"
