"""Operators that move elements: to another shape, order or place."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import broadcast_shapes, element_of, shape_of
from mlc.dialects.onnx.nodes import in_words
from mlc.frontends.onnx.to_graph._each_step import gathered, in_each_step, taken_in_each_step
from mlc.frontends.onnx.to_graph._node import Node, axes_of, axis_of
from mlc.frontends.onnx.to_graph._patterns import PASS, BoundedFromOnnx, FromOnnx, Results
from mlc.frontends.operators.graph_builder import MOST_COUNTED, Array, GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers


@lowers(PASS, onnx.op("Reshape"))
class Reshape(BoundedFromOnnx):
    """0 keeps an extent, unless `allowzero`; -1 is what is left."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        shape, wanted = node.shape(), node.known_ints(1)
        given, kept = list(wanted), set[int]()
        if not node.flag("allowzero"):
            kept = {i for i, e in enumerate(wanted) if e == 0}
            if any(i >= len(shape) for i in kept):
                raise Unconvertible(f"shape {wanted} keeps a dim that {list(shape)} does not have")
            wanted = [shape[i] if i in kept else e for i, e in enumerate(wanted)]
        if wanted.count(-1) == 1:
            # A dim that is kept, which may be empty, is in both products.
            size = prod(e for i, e in enumerate(shape) if i not in kept)
            rest = prod(e for i, e in enumerate(wanted) if e != -1 and i not in kept)
            if rest == 0 or size % rest:
                raise Unconvertible(f"{in_words(node[0].type)} cannot become {given}: no extent fits -1")
            wanted = [size // rest if e == -1 else e for e in wanted]
        if min(wanted, default=0) < 0:
            raise Unconvertible(f"shape {wanted} has negative extents")
        if prod(wanted) != prod(shape):
            raise Unconvertible(f"{in_words(node[0].type)} cannot become {wanted}: it has {prod(shape)} elements")
        found = b.reshape(node[0], wanted)
        for axis in b.knowledge.extents.get(found, {}):
            if given[axis] not in (0, -1):
                raise Unconvertible(
                    f"shape {given} gives dim {axis} an extent, which depends on data; -1 would follow it"
                )
        return found


@lowers(PASS, onnx.op("Flatten"))
class Flatten(BoundedFromOnnx):
    """To two dims."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        shape, axis = node.shape(), node.int("axis", 1)
        if not -len(shape) <= axis <= len(shape):
            raise Unconvertible(f"axis {axis} does not exist in {len(shape)} dims")
        axis = axis if axis >= 0 else axis + len(shape)
        if axis in (0, len(shape)):
            return b.unsqueeze(b.reshape(node[0], (prod(shape),)), [0 if axis == 0 else 1])
        return b.reshape(node[0], (prod(shape[:axis]), prod(shape[axis:])))


def _axes(node: Node) -> list[int] | None:
    """The axes of an operator that had them as an attribute before version 13."""
    if "axes" in node.op.attributes:
        return node.ints("axes")
    return node.known_ints(1) if node.has(1) else None


@lowers(PASS, onnx.op("Unsqueeze"))
class Unsqueeze(BoundedFromOnnx):
    """Puts in dims of extent 1."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        named = _axes(node) or []
        return b.unsqueeze(node[0], axes_of(named, node.rank() + len(named)))


@lowers(PASS, onnx.op("Squeeze"))
class Squeeze(BoundedFromOnnx):
    """Takes out dims of extent 1: all of them, or those that are named."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        shape, named = node.shape(), _axes(node)
        axes = [i for i, e in enumerate(shape) if e == 1] if named is None else axes_of(named, len(shape))
        if any(shape[axis] != 1 for axis in axes):
            raise Unconvertible(f"axes {axes} of {list(shape)} do not all have extent 1")
        return b.squeeze(node[0], axes)


@lowers(PASS, onnx.op("Transpose"))
class Transpose(BoundedFromOnnx):
    """The dims turned round by default."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        permutation = node.ints("perm", list(reversed(range(node.rank()))))
        assert permutation is not None
        return b.transpose(node[0], permutation)


@lowers(PASS, onnx.op("Concat"))
class Concat(BoundedFromOnnx):
    """What has no elements adds nothing."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        axis = node.axis()
        filled = [v for v in node.operands if shape_of(v)[axis]] or node.operands[:1]
        return b.concat(filled, axis)


@lowers(PASS, onnx.op("Expand"))
class Expand(BoundedFromOnnx):
    """To the shape that the operand's and the one asked for broadcast to."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        wanted = node.known_ints(1)
        for axis in b.knowledge.extents.get(node[0], {}):
            at = axis - node.rank() + len(wanted)
            if at >= 0 and wanted[at] != 1:
                raise Unconvertible(
                    f"shape {wanted} gives dim {axis} an extent, which depends on data; 1 would keep it"
                )
        shape = broadcast_shapes(node.shape(), tuple(wanted))
        if shape is None:
            raise Unconvertible(f"{list(node.shape())} and {node.known_ints(1)} do not broadcast")
        return b.broadcast(node[0], shape)


@lowers(PASS, onnx.op("Tile"))
class RepeatDims(FromOnnx):
    """Repeats along each dim: a broadcast along a dim in front of it."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        shape, repeats = node.shape(), node.known_ints(1)
        if len(repeats) != len(shape) or min(repeats, default=0) < 0:
            raise Unconvertible(f"repeats {repeats} do not fit {list(shape)}")
        apart = [e for extent in shape for e in (1, extent)]
        wide = [e for n, extent in zip(repeats, shape, strict=True) for e in (n, extent)]
        result = [n * extent for n, extent in zip(repeats, shape, strict=True)]
        return b.reshape(b.broadcast(b.reshape(node[0], apart), wide), result)


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


@lowers(PASS, onnx.op("Slice"))
class Slice(BoundedFromOnnx):
    """Starts, ends, axes and steps are attributes before version 10. Those that a counter gives are gathered."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, rank = node[0], node.rank()
        if node.since < 10:
            first, last, steps = np.array([node.ints("starts")]), np.array([node.ints("ends")]), None
            axes = node.ints("axes")
        else:
            found = in_each_step(b.knowledge, [node[1], node[2]])
            first, last = (node.known(1)[None], node.known(2)[None]) if found is None else found
            axes = node.known_ints(3) if node.has(3) else None
            steps = node.known_ints(4) if node.has(4) else None
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
                begin = b.reshape(b.slice(b.reshape(node[1], (len(starts),)), 0, place, place + 1), ())
                x = gathered(b, x, axis, begin, start, places)
        return x


def _shown(numbers: Sequence[Sequence[int]]) -> list[int]:
    return [each[0] for each in numbers]


@lowers(PASS, onnx.op("Split"))
class Split(BoundedFromOnnx):
    """Into as many parts as there are results; the last one is smaller where they do not divide the extent."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, axis = node[0], node.axis()
        extent, count = node.shape()[axis], len(node.op.results)
        if axis in b.knowledge.extents.get(x, {}):
            raise Unconvertible(f"it splits dim {axis} of {in_words(x.type)}, whose extent depends on data")
        sizes = node.ints("split") or (node.known_ints(1) if node.has(1) else None)
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


@lowers(PASS, onnx.op("Pad"))
class Pad(FromOnnx):
    """With a number, or with the elements of the edge, mirrored, or from the other side; negative amounts cut."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, rank = node[0], node.rank()
        mode = node.string("mode", "constant")
        if node.since < 11:
            pads, number = node.ints("pads") or [], node.float("value")
            axes = list(range(rank))
        else:
            pads = node.known_ints(1)
            number = node.known(2).reshape(-1)[0].item() if node.has(2) else 0
            axes = [axis_of(a, rank) for a in node.known_ints(3)] if node.has(3) else list(range(rank))
        if len(pads) != 2 * len(axes):
            raise Unconvertible(f"{len(pads)} pads for {len(axes)} dims; two are needed for each")
        low, high = [0] * rank, [0] * rank
        for i, axis in enumerate(axes):
            low[axis], high[axis] = pads[i], pads[i + len(axes)]
        for axis in range(rank):
            extent = shape_of(x)[axis]
            if min(low[axis], high[axis]) < 0:
                x = cut(b, x, axis, max(-low[axis], 0), extent + min(high[axis], 0), 1)
                low[axis], high[axis] = max(low[axis], 0), max(high[axis], 0)
        if mode == "constant":
            return b(graph.PadOp, x, low, high, number) if any((*low, *high)) else x
        if mode not in ("reflect", "edge", "wrap"):
            raise Unconvertible(f"mode '{mode}' is none of constant, reflect, edge and wrap")
        for axis in range(rank):
            extent = shape_of(x)[axis]
            if low[axis] or high[axis]:
                if not extent:
                    raise Unconvertible("there is nothing to pad with")
                places = np.pad(np.arange(extent), (low[axis], high[axis]), mode)  # type: ignore[call-overload]
                x = b(graph.GatherOp, x, b.constant(places.astype(np.int64)), axis)
        return x


def in_order(b: GraphBuilder, value: SSAValue, axis: int, places: Array) -> SSAValue | None:
    """What lies at these places along an axis, if they are one behind the other: a slice. None if they are not.

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


@lowers(PASS, onnx.op("Gather"))
class Gather(BoundedFromOnnx):
    """Slices at indices along an axis."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        axis, indices = node.axis(), b.knowledge.array(node[1])
        bounded = b.knowledge.extents.get(node[0], {})
        if indices is not None and indices.size == 1 and node.shape()[axis] and axis not in bounded:
            bounded = {}
        if indices is not None and not bounded and (found := in_order(b, node[0], axis, indices)) is not None:
            return found
        return b(graph.GatherOp, node[0], node[1], axis)


@lowers(PASS, onnx.op("DepthToSpace"))
class DepthToSpace(FromOnnx):
    """Blocks of channels become blocks of pixels."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        n, c, h, w = node.shape()
        size = node.int("blocksize")
        inner = c // (size * size)
        if node.string("mode", "DCR") == "DCR":
            apart = b.transpose(b.reshape(node[0], (n, size, size, inner, h, w)), (0, 3, 4, 1, 5, 2))
        else:
            apart = b.transpose(b.reshape(node[0], (n, inner, size, size, h, w)), (0, 1, 4, 2, 5, 3))
        return b.reshape(apart, (n, inner, h * size, w * size))


@lowers(PASS, onnx.op("SpaceToDepth"))
class SpaceToDepth(FromOnnx):
    """Blocks of pixels become blocks of channels."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        n, c, h, w = node.shape()
        size = node.int("blocksize")
        apart = b.reshape(node[0], (n, c, h // size, size, w // size, size))
        if node.string("mode", "DCR") == "CRD":
            moved = b.transpose(apart, (0, 1, 3, 5, 2, 4))
        else:
            moved = b.transpose(apart, (0, 3, 5, 1, 2, 4))
        return b.reshape(moved, (n, c * size * size, h // size, w // size))


@lowers(PASS, onnx.op("Trilu"))
class Trilu(FromOnnx):
    """Zeros below, or above, a diagonal."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        rows, columns = node.shape()[-2:]
        k = int(node.known(1)) if node.has(1) else 0
        kept = np.arange(columns) - np.arange(rows)[:, None]
        mask = b.constant(kept >= k if node.int("upper", 1) else kept <= k)
        return b.where(mask, node[0], b.number(0, node[0]))


@lowers(PASS, onnx.op("CenterCropPad"))
class CenterCropPad(FromOnnx):
    """Cut, or padded with zeros, on both sides."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, rank = node[0], node.rank()
        axes = [axis_of(a, rank) for a in node.ints("axes") or range(rank)]
        for axis, wanted in zip(axes, node.known_ints(1), strict=True):
            extent = shape_of(x)[axis]
            if extent > wanted:
                start = (extent - wanted) // 2
                x = cut(b, x, axis, start, start + wanted, 1)
            elif extent < wanted:
                low, high = [0] * rank, [0] * rank
                low[axis] = (wanted - extent) // 2
                high[axis] = wanted - extent - low[axis]
                x = b(graph.PadOp, x, low, high, 0)
        return x


@lowers(PASS, onnx.op("OneHot"))
class OneHot(FromOnnx):
    """`on` at an index, `off` elsewhere; negative indices count from the end."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        depth = int(node.known(1).reshape(-1)[0])
        indices, rank = b.cast(node[0], i64), node.rank()
        axis = axis_of(node.int("axis", -1), rank + 1)
        shape = list(node.shape())
        if depth > MOST_COUNTED:
            raise Unconvertible(f"its depth is {depth}")
        wrapped = b.where(
            b.compare("lt", indices, b.number(0, indices)), b.add(indices, b.number(depth, indices)), indices
        )
        apart = b.reshape(wrapped, [*shape[:axis], 1, *shape[axis:]])
        places = b.constant(np.arange(depth).reshape([-1 if i == axis else 1 for i in range(rank + 1)]), i64)
        off, on = (b.reshape(b.slice(node[2], 0, i, i + 1), ()) for i in range(2))
        return b.where(b.compare("eq", apart, places), on, off)
