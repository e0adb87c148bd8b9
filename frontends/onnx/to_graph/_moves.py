"""Operators that move elements: to another shape, order or place."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import broadcast_shapes, element_of, shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.dialects.onnx.nodes import in_words
from mlc.frontends.onnx.to_graph._each_step import gathered, in_each_step, taken_in_each_step
from mlc.frontends.onnx.to_graph._node import Node, axes_of, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import MOST_COUNTED, Array, GraphBuilder
from mlc.frontends.operators.images import tiled
from mlc.frontends.operators.matrices import one_side
from mlc.frontends.operators.open_shapes import (
    counted,
    depends_on_call,
    expanded,
    is_sized,
    joined,
    largest,
    product,
    reshaped,
    shape_sizes,
    total,
)
from mlc.frontends.operators.open_shapes import cut as cut_at
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, bounds, divided, in_symbols


@converts("Reshape", bounded=True)
def reshape(b: Node) -> Results:
    """0 keeps an extent, unless `allowzero`; -1 is what is left."""
    if b.is_size(1) or depends_on_call(b, b[0]):
        own, asked = shape_sizes(b, b[0]), b.sizes(1)
        keeps = not b.flag("allowzero")
        return reshaped(b, b[0], [own[i] if keeps and e == 0 and i < len(own) else e for i, e in enumerate(asked)])
    shape, wanted = b.shape(), b.known_ints(1)
    given, kept = list(wanted), set[int]()
    if not b.flag("allowzero"):
        kept = {i for i, e in enumerate(wanted) if e == 0}
        if any(i >= len(shape) for i in kept):
            raise Unconvertible(f"shape {wanted} keeps a dim that {list(shape)} does not have")
        wanted = [shape[i] if i in kept else e for i, e in enumerate(wanted)]
    if wanted.count(-1) == 1:
        # A dim that is kept, which may be empty, is in both products.
        size = prod(e for i, e in enumerate(shape) if i not in kept)
        rest = prod(e for i, e in enumerate(wanted) if e != -1 and i not in kept)
        if rest == 0 or size % rest:
            raise Unconvertible(f"{in_words(b[0].type)} cannot become {given}: no extent fits -1")
        wanted = [size // rest if e == -1 else e for e in wanted]
    if min(wanted, default=0) < 0:
        raise Unconvertible(f"shape {wanted} has negative extents")
    if prod(wanted) != prod(shape):
        raise Unconvertible(f"{in_words(b[0].type)} cannot become {wanted}: it has {prod(shape)} elements")
    found = b.reshape(b[0], wanted)
    for axis in b.knowledge.extents.get(found, {}):
        if given[axis] not in (0, -1):
            raise Unconvertible(f"shape {given} gives dim {axis} an extent, which depends on data; -1 would follow it")
    return found


@converts("Flatten", bounded=True)
def flatten(b: Node) -> Results:
    """To two dims."""
    shape, axis = b.shape(), b.int("axis", 1)
    if not -len(shape) <= axis <= len(shape):
        raise Unconvertible(f"axis {axis} does not exist in {len(shape)} dims")
    axis = axis if axis >= 0 else axis + len(shape)
    if depends_on_call(b, b[0]):
        sizes = shape_sizes(b, b[0])
        return reshaped(b, b[0], [product(sizes[:axis]), product(sizes[axis:])])
    if axis in (0, len(shape)):
        return b.unsqueeze(b.reshape(b[0], (prod(shape),)), [0 if axis == 0 else 1])
    return b.reshape(b[0], (prod(shape[:axis]), prod(shape[axis:])))


def _axes(b: Node) -> list[int] | None:
    """The axes of an operator that had them as an attribute before version 13."""
    if "axes" in b.op.attributes:
        return b.ints("axes")
    return b.known_ints(1) if b.has(1) else None


@converts("Unsqueeze", bounded=True)
def unsqueeze(b: Node) -> Results:
    """Puts in dims of extent 1."""
    named = _axes(b) or []
    return b.unsqueeze(b[0], axes_of(named, b.rank() + len(named)))


@converts("ExpandDims", domain=RUNTIME_DOMAIN, bounded=True)
def expand_dims(b: Node) -> Results:
    """Puts in one dim of extent 1."""
    return b.unsqueeze(b[0], axes_of(b.known_ints(1), b.rank() + 1))


@converts("Squeeze", bounded=True)
def squeeze(b: Node) -> Results:
    """Takes out dims of extent 1: all of them, or those that are named."""
    shape, named = b.shape(), _axes(b)
    axes = [i for i, e in enumerate(shape) if e == 1] if named is None else axes_of(named, len(shape))
    if any(shape[axis] != 1 for axis in axes):
        raise Unconvertible(f"axes {axes} of {list(shape)} do not all have extent 1")
    return b.squeeze(b[0], axes)


@converts("Transpose", bounded=True)
def transpose(b: Node) -> Results:
    """The dims turned round by default."""
    permutation = b.ints("perm", list(reversed(range(b.rank()))))
    assert permutation is not None
    return b.transpose(b[0], permutation)


@converts("Concat", bounded=True)
def concat(b: Node) -> Results:
    """What has no elements adds nothing."""
    axis = b.axis()
    filled = [v for v in b.operands if shape_of(v)[axis]] or b.operands[:1]
    return joined(b, filled, axis) if all(is_sized(b, v) for v in filled) else b.concat(filled, axis)


@converts("Expand", bounded=True)
def expand(b: Node) -> Results:
    """To the shape that the operand's and the one asked for broadcast to."""
    if b.is_size(1) or depends_on_call(b, b[0]):
        return expanded(b, b[0], b.sizes(1))
    wanted = b.known_ints(1)
    for axis in b.knowledge.extents.get(b[0], {}):
        at = axis - b.rank() + len(wanted)
        if at >= 0 and wanted[at] != 1:
            raise Unconvertible(f"shape {wanted} gives dim {axis} an extent, which depends on data; 1 would keep it")
    shape = broadcast_shapes(b.shape(), tuple(wanted))
    if shape is None:
        raise Unconvertible(f"{list(b.shape())} and {b.known_ints(1)} do not broadcast")
    return b.broadcast(b[0], shape)


@converts("Tile", bounded=True)
def repeat_dims(b: Node) -> Results:
    """Repeats along each dim: a broadcast along a dim before it."""
    shape, repeats = b.shape(), b.sizes(1)
    if len(repeats) != len(shape) or any(bounds(count)[0] < 0 for count in repeats):
        raise Unconvertible(f"repeats [{', '.join(map(in_symbols, repeats))}] do not fit {list(shape)}")
    return tiled(b, b[0], repeats)


def cut(b: GraphBuilder, value: SSAValue, axis: int, start: int, end: int, step: int) -> SSAValue:
    """What Python's `value[start:end:step]` takes along an axis."""
    return _at(b, value, axis, range(shape_of(value)[axis])[start:end:step])


def _at(b: GraphBuilder, value: SSAValue, axis: int, places: range) -> SSAValue:
    """What lies at these places along an axis."""
    extent, step = shape_of(value)[axis], places.step
    if not places:
        shape = list(shape_of(value))
        shape[axis] = 0
        return b.bounded(b.splat(0, shape, element_of(value)), b.knowledge.extents.get(value, {}))
    if step < 0:
        value = b(graph.ReverseOp, value, [axis])
        first = extent - 1 - places[0]
        return b.slice(value, axis, first, first + (len(places) - 1) * -step + 1, -step)
    return b.slice(value, axis, places[0], places[-1] + 1, step)


def _slice_by_sizes(b: Node) -> SSAValue:
    """A slice of dims whose extents a call gives, or at places that follow from such."""
    if b.since < 10:
        starts, ends = (list(b.ints(name) or ()) for name in ("starts", "ends"))
        axes, steps = b.ints("axes"), None
    else:
        starts, ends = b.sizes(1), b.sizes(2)
        axes = b.known_ints(3) if b.has(3) else None
        steps = b.known_ints(4) if b.has(4) else None
    x, rank = b[0], b.rank()
    axes = list(range(len(starts))) if axes is None else [axis_of(a, rank) for a in axes]
    steps = [1] * len(starts) if steps is None else steps
    for axis, start, end, step in zip(axes, starts, ends, steps, strict=True):
        x = cut_at(b, x, axis, start, end, step)
    return x


@converts("Slice", bounded=True)
def slice_(b: Node) -> Results:
    """Starts, ends, axes and steps are attributes before version 10. Those that a counter gives are gathered."""
    x, rank = b[0], b.rank()
    if depends_on_call(b, x) or (b.since >= 10 and any(map(b.is_size, (1, 2)))):
        return _slice_by_sizes(b)
    if b.since < 10:
        first, last, steps = np.array([b.ints("starts")]), np.array([b.ints("ends")]), None
        axes = b.ints("axes")
    else:
        found = in_each_step(b.knowledge, [b[1], b[2]])
        first, last = (b.known(1)[None], b.known(2)[None]) if found is None else found
        axes = b.known_ints(3) if b.has(3) else None
        steps = b.known_ints(4) if b.has(4) else None
    starts, ends = (a.reshape(len(a), -1).T.tolist() for a in (first, last))
    axes = list(range(len(starts))) if axes is None else [axis_of(a, rank) for a in axes]
    steps = [1] * len(starts) if steps is None else steps
    if not len(starts) == len(ends) == len(axes) == len(steps) or len(set(axes)) < len(axes):
        raise Unconvertible(
            f"starts {_shown(starts)}, ends {_shown(ends)}, axes {axes} and steps {steps} do not fit together"
        )
    if 0 in steps:
        raise Unconvertible("a step is 0")
    bounded = b.knowledge.extents.get(x, {})
    numbers = list(zip(axes, starts, ends, steps, strict=True))
    if any(axis in bounded and min(*start, *end, step) < 0 for axis, start, end, step in numbers):
        raise Unconvertible("it counts from the end of a dim whose extent depends on data")
    for place, (axis, start, end, step) in enumerate(numbers):
        places = taken_in_each_step(shape_of(x)[axis], start, end, step)
        if all(each == places[0] for each in places):
            x = _at(b, x, axis, places[0])
        elif axis in bounded:
            raise Unconvertible("it takes other places in each step, of a dim whose extent depends on data")
        else:
            begin = b.reshape(b.slice(b.reshape(b[1], (len(starts),)), 0, place, place + 1), ())
            x = gathered(b, x, axis, begin, start, places)
    return x


def _shown(numbers: Sequence[Sequence[int]]) -> list[int]:
    return [each[0] for each in numbers]


@converts("Split", bounded=True)
def split(b: Node) -> Results:
    """Into as many parts as there are results; the last one is smaller where they do not divide the extent."""
    x, axis = b[0], b.axis()
    extent, count = b.shape()[axis], len(b.op.results)
    if axis in b.knowledge.extents.get(x, {}) or (b.has(1) and b.is_size(1)):
        return _split_by_sizes(b, axis)
    sizes = b.ints("split") or (b.known_ints(1) if b.has(1) else None)
    if sizes is None:
        size = -(-extent // count)
        sizes = [max(min(size, extent - i * size), 0) for i in range(count)]
    if len(sizes) != count or sum(sizes) != extent or min(sizes) < 0:
        raise Unconvertible(f"parts of {sizes} do not make up an extent of {extent} in {count} results")
    results: list[SSAValue] = []
    start = 0
    for size in sizes:
        results.append(cut(b, x, axis, start, start + size, 1))
        start += size
    return results


def _split_by_sizes(b: Node, axis: int) -> Results:
    """Parts of a dim whose extent a call gives, or as long as such extents say."""
    whole, count = b.axis_size(b[0], axis), len(b.op.results)
    if whole is None:
        raise Unconvertible(f"it splits dim {axis} of {in_words(b[0].type)}, whose extent depends on data")
    sizes: list[AnySize] = [*(b.ints("split") or ())] or (b.sizes(1) if b.has(1) else [])
    if not sizes and (part := divided(whole, count)) is not None:
        sizes = [part] * count
    if len(sizes) != count or total(sizes) != whole:
        parts = [in_symbols(size) for size in sizes] or f"{count} equal parts"
        raise Unconvertible(f"parts of {parts} do not make up an extent of {in_symbols(whole)} in {count} results")
    starts = [total(sizes[:number]) for number in range(count)]
    return [cut_at(b, b[0], axis, at, at + size, 1) for at, size in zip(starts, sizes, strict=True)]


def in_order(b: GraphBuilder, value: SSAValue, axis: int, places: Array) -> SSAValue | None:
    """What lies at these places along an axis, if they are one after the other: a slice. None if they are not.

    Exporters count the rows of a batch, and the tokens of a row, and gather a mask there.
    """
    shape = shape_of(value)
    flat = np.where(places < 0, places + shape[axis], places).reshape(-1)
    if not flat.size or flat[0] < 0 or flat[-1] >= shape[axis] or np.any(np.diff(flat) != 1):
        return None
    taken = b.slice(value, axis, int(flat[0]), int(flat[-1]) + 1)
    if places.size == 1:
        return b.unsqueeze(taken, range(axis, axis + places.ndim - 1)) if places.ndim else b.squeeze(taken, [axis])
    return b.reshape(taken, (*shape[:axis], *places.shape, *shape[axis + 1 :]))


@converts("Gather", bounded=True)
def gather(b: Node) -> Results:
    """Slices at indices along an axis."""
    axis, indices = b.axis(), b.knowledge.array(b[1])
    bounded = b.knowledge.extents.get(b[0], {})
    if indices is not None and indices.size == 1 and b.shape()[axis] and axis not in bounded:
        bounded = {}
    if indices is not None and not bounded and (found := in_order(b, b[0], axis, indices)) is not None:
        return found
    return b(graph.GatherOp, b[0], b[1], axis)


@converts("DepthToSpace", bounded=True)
def depth_to_space(b: Node) -> Results:
    """Blocks of channels become blocks of pixels."""
    n, _, h, w = _sizes(b)
    size = b.int("blocksize")
    inner = b.shape()[1] // (size * size)
    if b.string("mode", "DCR") == "DCR":
        apart = b.transpose(_of_shape(b, b[0], [n, size, size, inner, h, w]), (0, 3, 4, 1, 5, 2))
    else:
        apart = b.transpose(_of_shape(b, b[0], [n, inner, size, size, h, w]), (0, 1, 4, 2, 5, 3))
    return _of_shape(b, apart, [n, inner, h * size, w * size])


@converts("SpaceToDepth", bounded=True)
def space_to_depth(b: Node) -> Results:
    """Blocks of pixels become blocks of channels."""
    n, c, h, w = _sizes(b)
    size = b.int("blocksize")
    rows, columns = divided(h, size), divided(w, size)
    if rows is None or columns is None:
        raise Unconvertible(f"an image of {in_symbols(h)}x{in_symbols(w)} has no whole blocks of {size}x{size}")
    apart = _of_shape(b, b[0], [n, c, rows, size, columns, size])
    order = (0, 1, 3, 5, 2, 4) if b.string("mode", "DCR") == "CRD" else (0, 3, 5, 1, 2, 4)
    return _of_shape(b, b.transpose(apart, order), [n, c * size * size, rows, columns])


def _sizes(b: Node) -> list[AnySize]:
    """The extents of the first operand."""
    return shape_sizes(b, b[0]) if depends_on_call(b, b[0]) else [*b.shape()]


def _of_shape(b: GraphBuilder, x: SSAValue, shape: Sequence[AnySize]) -> SSAValue:
    return reshaped(b, x, shape) if depends_on_call(b, x) else b.reshape(x, largest(shape))


@converts("Trilu", bounded=True)
@converts("Trilu", domain=RUNTIME_DOMAIN, bounded=True)
def trilu(b: Node) -> Results:
    """Zeros below, or above, a diagonal."""
    if b.rank() < 2:
        raise Unconvertible(f"input '{b.operand_name(0)}' has {b.rank()} dims; required: at least 2")
    b.require_rank(1, 0, 1)
    diagonal = b.known_ints(1) if b.has(1) else [0]
    if len(diagonal) != 1:
        raise Unconvertible(f"input 'k' has {len(diagonal)} elements; required: one")
    return one_side(b, b[0], not b.int("upper", 1), diagonal[0])


@converts("OneHot", bounded=True)
def one_hot(b: Node) -> Results:
    """`on` at an index, `off` elsewhere; negative indices count from the end."""
    depth = b.sizes(1)[0]
    indices, rank = b.cast(b[0], i64), b.rank()
    axis = axis_of(b.int("axis", -1), rank + 1)
    if bounds(depth)[1] > MOST_COUNTED:
        raise Unconvertible(f"its depth is {in_symbols(depth)}")
    wrapped = b.where(b.compare("lt", indices, b.number(0, indices)), b.add(indices, b.extent(depth)), indices)
    apart = b.unsqueeze(wrapped, [axis])
    places = b.unsqueeze(counted(b, 0, depth, 1, i64), [i for i in range(rank + 1) if i != axis])
    off, on = (b.reshape(b.slice(b[2], 0, i, i + 1), ()) for i in range(2))
    return b.where(b.compare("eq", apart, places), on, off)
