"""Operators whose result is as large as data says: the most that there can be, and how much of it there is."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import i1, i8, i32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.beyond_extents import filled
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.open_shapes import depends_on_call, reshaped
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.selection import coordinates_of, positions_of, shortened


@converts("NonZero", bounded=True)
def non_zero(b: Node) -> Results:
    """The coordinates of all elements that are not 0, a row per dim."""
    shape, key = b.shape(), (b.op.parent, b[0])
    if key not in b.knowledge.positions:
        b.knowledge.positions[key] = positions_of(b, b.reshape(b.to_bool(filled(b, b[0], 0)), (int(np.prod(shape)),)))
    positions, count = b.knowledge.positions[key]
    rows = [b.unsqueeze(each, [0]) for each in coordinates_of(b, positions, shape)]
    if rows:
        return b.concat(rows, 0)
    return shortened(b, b.splat(0, (0, 1), i64), 1, count)


@converts("Compress", bounded=True)
def compress(b: Node) -> Results:
    """The slices, or without an axis the elements, for which a condition holds; where it ends, it does not."""
    x, axis = b[0], 0 if b.attribute("axis") is None else b.axis()
    if b.attribute("axis") is None:
        x = b.reshape(x, (int(np.prod(b.shape())),))
    if b.rank(1) != 1:
        raise Unconvertible(f"its condition is {b[1].type}; required: one dim")
    condition = b.slice(b.to_bool(filled(b, b[1], 0)), 0, 0, min(b.shape(1)[0], shape_of(x)[axis]))
    positions, _ = positions_of(b, condition)
    return b(graph.GatherOp, x, positions, axis)


@converts("Unique", bounded=True)
def unique(b: Node) -> Results:
    """The different elements or slices, sorted or as they first occur; where, which one each is, and how often.

    Equal ones are neighbours once they are sorted, so that a group begins where an element differs from the one in
    front of it. The sort is stable: the first of a group is the one that occurred first. What lies after the data is
    sorted to the end, where no group begins.
    """
    x, axis = b[0], 0 if b.attribute("axis") is None else b.axis()
    if b.attribute("axis") is None:
        is_open = depends_on_call(b, x)
        x = reshaped(b, x, [-1]) if is_open else b.reshape(x, (int(np.prod(b.shape())),))
    count = shape_of(x)[axis]
    if not count:
        return [x, *[b.splat(0, (0,), i64)] * 3]
    end = b.knowledge.extents.get(x, {}).get(axis)
    rows = _as_rows(b, x, axis)
    order = _sorted_rows(b, rows)
    if end is not None:
        is_behind = b.cast(b.compare("ge", order, end), i8)
        order = b(graph.GatherOp, order, b(graph.ArgsortOp, is_behind, 0), 0)
    begins = _begins(b, b(graph.GatherOp, rows, order, 0))
    if end is not None:
        begins = b(graph.AndOp, begins, b.compare("lt", b.constant(np.arange(count), i64), end))
    starts, groups = positions_of(b, begins)
    last = b.constant(count) if end is None else end
    all_starts = b.minimum(filled(b, starts, count), last)
    first = b(graph.GatherOp, order, starts, 0)
    behind = b.concat([b.slice(all_starts, 0, 1, shape_of(all_starts)[0]), b.reshape(last, (1,))], 0)
    counts = b.sub(shortened(b, behind, 0, groups), starts)
    inverse = _scatter(b, order, _group_numbers(b, begins))
    if not b.int("sorted", 1):
        by_first = b(graph.ArgsortOp, filled(b, first, count), 0)
        inverse = b(graph.GatherOp, _inverse(b, by_first), inverse, 0)
        chosen = shortened(b, by_first, 0, groups)
        first, counts = b(graph.GatherOp, first, chosen, 0), b(graph.GatherOp, counts, chosen, 0)
    inverse = inverse if end is None else b.bounded(inverse, {0: end})
    return [b(graph.GatherOp, x, first, axis), first, inverse, counts]


def _as_rows(b: GraphBuilder, x: SSAValue, axis: int) -> SSAValue:
    """A row of numbers for each slice along an axis, also for those after the data; other axes are filled."""
    shape = shape_of(x)
    others = [other for other in range(len(shape)) if other != axis]
    x = b.viewed(filled(b, x, 0, others), shape, {}) if b.knowledge.extents.get(x) else x
    front = b.axis_first(x, axis)
    size = int(np.prod(shape[:axis] + shape[axis + 1 :]))
    return b.cast(b.reshape(front, (shape[axis], size)), i8 if element_of(x) == i1 else element_of(x))


def _sorted_rows(b: GraphBuilder, rows: SSAValue) -> SSAValue:
    """The order in which rows are sorted: by the last column, then stably by each one before it."""
    count, width = shape_of(rows)
    if width == 1:
        return b(graph.ArgsortOp, b.reshape(rows, (count,)), 0)
    scan = ScanWriter(b, width)
    order = scan.carry(b.constant(np.arange(count), i64))
    keys = scan.inside(graph.GatherOp, scan.row(b.transpose(rows, (1, 0)), backwards=True), order, 0)
    return scan.finish([scan.inside(graph.GatherOp, order, scan.inside(graph.ArgsortOp, keys, 0), 0)])[0]


def _begins(b: GraphBuilder, rows: SSAValue) -> SSAValue:
    """Whether a row differs from the one before it, of i1; one NaN is like another."""
    count = shape_of(rows)[0]
    one, next = b.slice(rows, 0, 0, count - 1), b.slice(rows, 0, 1, count)
    differ = b.compare("ne", one, next)
    both_nan = b(graph.AndOp, b.compare("ne", one, one), b.compare("ne", next, next))
    differ = b.cast(b(graph.AndOp, differ, b(graph.NotOp, both_nan)), i32)
    any_differs = b.reduce("sum", differ, [1])
    return b.concat([b.constant([True], i1), b.compare("gt", any_differs, b.number(0, any_differs))], 0)


def _group_numbers(b: GraphBuilder, begins: SSAValue) -> SSAValue:
    """How many groups begin before each element."""
    scan = ScanWriter(b, shape_of(begins)[0])
    number = scan.carry(b.constant(-1))
    next = scan.inside.add(number, scan.row(b.cast(begins, i64)))
    return scan.finish([next], [next])[1]


def _inverse(b: GraphBuilder, order: SSAValue) -> SSAValue:
    """The place of each number in an order of them."""
    return _scatter(b, order, b.constant(np.arange(shape_of(order)[0]), i64))


def _scatter(b: GraphBuilder, places: SSAValue, numbers: SSAValue) -> SSAValue:
    """Numbers at places, which are each place once."""
    count = shape_of(places)[0]
    return b(graph.ScatterNdOp, "set", b.splat(0, (count,), i64), b.reshape(places, (count, 1)), numbers, [0])
