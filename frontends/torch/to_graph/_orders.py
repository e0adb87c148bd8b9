"""Operators that depend on the order of elements: medians, running extremes, searches."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, prod

import numpy as np
from xdsl.dialects.builtin import f32, i1, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import is_float
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.places import along_axis, taken_along
from mlc.frontends.operators.running import carried_along
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar, axis_of
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support.dtypes import least_of, most_of


@converts("kthvalue", "median.dim", "nanmedian.dim")
def order_statistic(b: Call, self: SSAValue, dim: int, keepdim: bool, k: int | None = None) -> Results:
    """The element at a place of a sorted axis, and where it was. A median of an even number is the lower one; NaN is
    the greatest, but wins in a plain median."""
    if not shape_of(self):
        return [self, b.constant(0)]
    if not prod(b.shape()):
        return [b.splat(0, b.shape(), b.element()), b.splat(0, b.shape(1), i64)]
    axis = axis_of(dim, len(shape_of(self)))
    place = _place_of(b, self, axis, k)
    found = taken_along(b, self, place, axis)
    return [b.reshape(found, b.shape()), b.reshape(place, b.shape(1))]


@converts("median", "nanmedian")
def median_of_all(b: Call, self: SSAValue) -> Results:
    """The median of all elements, the lower one of two, without dims; NaN if there is one, or with `nanmedian` of the
    others. Of nothing it is NaN, or the least integer."""
    flat = b.reshape(self, (prod(shape_of(self)),))
    if not shape_of(flat)[0]:
        return b.constant(np.array(np.nan if is_float(self) else -(1 << 63)), b.element())
    found = taken_along(b, flat, _place_of(b, flat, 0, None), 0)
    return b.reshape(found, ())


def _place_of(b: Call, x: SSAValue, axis: int, k: int | None) -> SSAValue:
    """Where the wanted element is, with the axis of extent 1."""
    extent = shape_of(x)[axis]
    keys = b.cast(x, f32) if element_of(x) == i1 else x
    order = b(graph.ArgsortOp, keys, axis, False, extent)
    at = (k or (extent + 1) // 2) - 1
    plain = b.slice(order, axis, at, at + 1)
    if k is not None or not is_float(x):
        return plain
    missing = b.compare("ne", x, x)
    if "nan" in b.before.name:
        count = b.reduce("sum", b.cast(b(graph.NotOp, missing), i64), [axis], True)
        middle = b.div(b.sub(b(graph.MaxOp, count, b.number(1, count)), b.number(1, count)), b.number(2, count))
        return taken_along(b, order, middle, axis)
    has_missing = b.to_bool(b.reduce("max", b.cast(missing, f32), [axis], True))
    return b.where(has_missing, b(graph.ArgMaxOp, x, axis, True), plain)


@converts("cummax", "cummin")
def running_extreme(b: Call, self: SSAValue, dim: int) -> Results:
    """The greatest or least element so far, and where it is: of equal ones the last. NaN stays."""
    if not shape_of(self):
        return [self, b.constant(0)]
    if not prod(shape_of(self)):
        return [self, b.splat(0, shape_of(self), i64)]
    keys = b.cast(self, f32) if element_of(self) == i1 else self
    is_max, element = b.before.name == "aten.cummax", element_of(keys)

    def step(scan: ScanWriter, so_far: Sequence[SSAValue], here: SSAValue) -> list[SSAValue]:
        (best, place), w = so_far, scan.inside
        better = w.compare("ge" if is_max else "le", here, best)
        if is_float(here):
            better = w(graph.OrOp, w.compare("ne", here, here), better)  # and nothing is better than NaN
        number = w.broadcast(scan.number(), shape_of(here))
        return [w.where(better, here, best), w.where(better, number, place)]

    starts = [(least_of(element) if is_max else most_of(element), element), (0, i64)]
    return carried_along(b, keys, axis_of(dim, len(shape_of(self))), starts, step)


@converts("logcumsumexp")
def running_logsumexp(b: Call, self: SSAValue, dim: int) -> Results:
    """The log of the sum of exponentials so far, relative to the greatest so far."""
    x = b.widened(self)
    if not shape_of(x) or not prod(shape_of(x)):
        return x

    def step(scan: ScanWriter, so_far: Sequence[SSAValue], here: SSAValue) -> list[SSAValue]:
        w = scan.inside
        most, least = w.maximum(so_far[0], here), w.minimum(so_far[0], here)
        same = w.compare("eq", most, least)
        apart = w.where(same, w.number(0, most), w.sub(least, most))
        return [w.add(most, w(graph.Log1pOp, w(graph.ExpOp, apart)))]

    return carried_along(b, x, axis_of(dim, len(shape_of(x))), [(-inf, element_of(x))], step)


@converts("searchsorted.Tensor", "searchsorted.Scalar")
def searchsorted(
    b: Call, sorted_sequence: SSAValue, self: SSAValue | Scalar, right: bool, side: str | None,
    sorter: SSAValue | None,
) -> Results:  # fmt: skip
    """Where `self` would be put into sorted rows `[..., n]`, before equal elements or with `right` after them
    (i64). `sorter` are the indices that sort the rows."""
    rows = sorted_sequence
    if sorter is not None and prod(shape_of(rows)):
        rows = b(graph.GatherNdOp, rows, *along_axis(b, sorter, len(shape_of(rows)) - 1))
    rows, wanted = b.promoted(rows, self)
    return search(b, rows, b.reshape(wanted, b.shape()), right or side == "right")


@converts("bucketize.Tensor", "bucketize.Scalar")
def bucketize(b: Call, self: SSAValue | Scalar, boundaries: SSAValue, right: bool) -> Results:
    """The number (i64) of the interval between sorted boundaries `[n]` that holds each element; with `right`, a
    boundary belongs to the one above."""
    bounds, wanted = b.promoted(boundaries, self)
    return search(b, bounds, wanted, right)


def search(b: Call, rows: SSAValue, wanted: SSAValue, right: bool) -> SSAValue:
    """How many elements of sorted rows are less than those wanted, or not greater, by halving.

    Rows and wanted ones share the dims in front, unless there is one row for all.
    """
    shape, extent = shape_of(wanted), shape_of(rows)[-1]
    low = b.splat(0, shape, i64)
    if not prod(shape) or not extent:
        return low
    if element_of(rows) == i1:
        rows, wanted = b.cast(rows, f32), b.cast(wanted, f32)
    count = low
    one = b.constant(1)
    last = b.constant(extent - 1)
    step = 1 << (extent.bit_length() - 1)
    while step:
        ahead = b.add(count, b.constant(step))
        at = b.minimum(b.sub(ahead, one), last)
        seen = _read(b, rows, at)
        # NaN goes after all, as if nothing were greater.
        stop = b.compare("gt" if right else "ge", seen, wanted)
        go = b(graph.AndOp, b(graph.NotOp, stop), b.compare("le", ahead, b.constant(extent)))
        count = b.where(go, ahead, count)
        step >>= 1
    return count


def _read(b: Call, rows: SSAValue, at: SSAValue) -> SSAValue:
    if len(shape_of(rows)) == 1:
        return b(graph.GatherOp, rows, at, 0)
    return b(graph.GatherNdOp, rows, *along_axis(b, at, len(shape_of(rows)) - 1))


@converts("histc")
def histogram(b: Call, self: SSAValue, bins: int, min: Scalar, max: Scalar) -> Results:
    """How many elements are in each of equal parts of a range, by default from the least to the greatest; others, and
    NaN, do not count. A range of one point is widened by 1 on both sides."""
    x = b.reshape(self, (prod(shape_of(self)),))
    if not shape_of(x)[0]:
        return b.splat(0, b.shape(), b.element())
    x = b.widened(x)
    if min == max:
        low, high = b.reduce("min", x, [0]), b.reduce("max", x, [0])
        is_finite = b.compare("eq", b.sub(high, high), b.number(0, high))
        b.require_none(b(graph.NotOp, is_finite), "the range of a histogram is not finite")
    else:
        low, high = b.number(min, x), b.number(max, x)
    one = b.number(1, x)
    is_point = b.compare("eq", low, high)
    low, high = b.where(is_point, b.sub(low, one), low), b.where(is_point, b.add(high, one), high)
    place = b.cast(b.div(b.mul(b.sub(x, low), b.number(bins, x)), b.sub(high, low)), i64)
    place = b.minimum(b.maximum(place, b.constant(0)), b.constant(bins - 1))
    inside = b(graph.AndOp, b.compare("ge", x, low), b.compare("le", x, high))
    place = b.where(inside, place, b.constant(bins))
    zeros, ones = b.splat(0, (bins + 1,), i64), b.splat(1, shape_of(x), i64)
    return b.slice(b(graph.ScatterNdOp, "add", zeros, b.unsqueeze(place, [1]), ones, [0]), 0, 0, bins)
