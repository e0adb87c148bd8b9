"""Reductions under windows, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

import numpy as np
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part, number_of
from mlc.frontends.operators.graph_builder import is_float
from mlc.frontends.operators.images import slide
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.open_shapes import cut, require_fixed, shape_sizes
from mlc.frontends.operators.places import neutral
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize
from mlc.frontends.operators.window_extents import windows_in
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, convert_block, converts
from mlc.frontends.stablehlo.to_graph._elementwise import combine
from mlc.frontends.stablehlo.to_graph._expressions import comparison, only_op, returned
from mlc.frontends.stablehlo.to_graph._moves import padded, sliced
from mlc.frontends.stablehlo.to_graph._reductions import kind_of, reduced, regrouped

_MOST_TAPS = 1024
"""Windows of more elements than this are not written out."""


@converts("reduce_window", bounded=True)
def reduce_window(b: HloCall) -> Converted:
    """Running sums and the like become loops; pooling is pooling; others are written out, a slice per element.

    Dims whose extents are known at the call may lie under windows of sums, products and extremes.
    """
    op, count = b.op, len(b.op.operands) // 2
    inputs = [b.run.number(v) for v in op.operands[:count]]
    inits = [b.run.number(v) for v in op.operands[count:]]
    shape = shape_of(number_of(inputs[0])[0])
    ones = (1,) * len(shape)
    window, strides = op.ints("window_dimensions"), op.ints("window_strides", ones)
    base, dilations = op.ints("base_dilations", ones), op.ints("window_dilations", ones)
    padding = op.pairs("padding") or ((0, 0),) * len(shape)
    if b.is_empty:
        return [_empty(b, n, b.shape()) for n in inputs]
    only = only_op(op.body()) if count == 1 else None
    plain = base == ones and all(p >= 0 and q >= 0 for p, q in padding)
    x, init = inputs[0], inits[0]
    if only is not None and plain and isinstance(x, SSAValue) and isinstance(init, SSAValue):
        is_maximum = only.mnemonic() == "maximum" and is_float(x)
        if is_maximum and (pooled := _max_pool(b, x, init)) is not None:
            return pooled
    sizes = shape_sizes(b, number_of(x)[0])
    running = _running(sizes, window, padding) if (strides, base, dilations) == (ones, ones, ones) else None
    if running is None and only is not None and isinstance(x, SSAValue) and isinstance(init, SSAValue):
        name = only.mnemonic()
        if kind_of(name, element_of(x)) is not None and element_of(x) != i1:
            return _separably(b, name, x, init)
    each_dim = enumerate(zip(window, strides, base, padding, strict=True))
    moved = [d for d, kept in each_dim if kept != (1, 1, 1, (0, 0))]
    for i, number in enumerate(inputs):
        for value in number_of(number):
            require_fixed(b, value, f"operand {i}", moved)
    if running is not None:
        return _cumulative(b, inputs, inits, *running)
    taps = int(np.prod(window))
    if taps > _MOST_TAPS:
        raise Unconvertible(f"its windows have {taps} elements and its region is not a sum, product or extreme")
    low, high, inner = [p for p, _ in padding], [q for _, q in padding], [n - 1 for n in base]
    images = [_both(n, i, lambda v, s: padded(b, v, s, low, high, inner)) for n, i in zip(inputs, inits, strict=True)]
    out = b.shape()
    found: list[RealOrPair] = [each_part(i, lambda v: b.broadcast(v, out)) for i in inits]
    for at in product(*map(range, window)):
        starts = [a * d for a, d in zip(at, dilations, strict=True)]
        ends = [s + (n - 1) * t + 1 for s, n, t in zip(starts, out, strides, strict=True)]
        taken = [each_part(n, _slicer(b, starts, ends, strides)) for n in images]
        found = [each_part(n, lambda v: b.broadcast(v, out)) for n in b.body(op.body(), [*found, *taken], lifted=True)]
    return found


def _slicer(
    b: HloCall, starts: Sequence[int], ends: Sequence[int], strides: Sequence[int]
) -> Callable[[SSAValue], SSAValue]:
    return lambda value: sliced(b, value, starts, ends, strides)


def _empty(b: HloCall, number: RealOrPair, shape: Sequence[int]) -> RealOrPair:
    return each_part(number, lambda v: b.splat(0, shape, element_of(v)))


def _both(number: RealOrPair, other: RealOrPair, function: Callable[[SSAValue, SSAValue], SSAValue]) -> RealOrPair:
    """A function of two tensors, of both parts of complex numbers."""
    if isinstance(number, Pair):
        assert isinstance(other, Pair)
        return Pair(function(number.re, other.re), function(number.im, other.im))
    assert isinstance(other, SSAValue)
    return function(number, other)


def _running(
    sizes: Sequence[AnySize], window: Sequence[int], padding: Sequence[tuple[int, int]]
) -> tuple[int, bool] | None:
    """The dim along which windows reach from an end to each element, and whether that is the far end."""
    long = [d for d, w in enumerate(window) if w != 1]
    if len(long) != 1 or sizes[long[0]] != window[long[0]]:
        return None
    (d,) = long
    n = window[d]
    if any(p != (0, 0) for i, p in enumerate(padding) if i != d) or padding[d] not in ((n - 1, 0), (0, n - 1)):
        return None
    return d, padding[d] == (0, n - 1)


def _cumulative(
    b: HloCall, inputs: list[RealOrPair], inits: list[RealOrPair], dim: int, backwards: bool
) -> list[RealOrPair]:
    """Each step combines a row with what was there before. From the far end the order of operands is another, which
    only matters to regions that are not reductions."""
    shape = shape_of(number_of(inputs[0])[0])
    order = [dim, *(d for d in range(len(shape)) if d != dim)]
    rest = [shape[d] for d in order[1:]]
    rows = [each_part(n, lambda v: b.transpose(v, order)) for n in inputs]
    scan = ScanWriter(b, shape[dim])
    start = [each_part(i, lambda v: b.broadcast(v, rest)) for i in inits]
    totals = [each_part(i, scan.carry) for i in start]
    elements = [each_part(n, lambda v: scan.row(v, backwards)) for n in rows]
    next = convert_block(b.run, b.op.body(), [*totals, *elements], scan.body.end, lifted=True)
    flat = [v for n in next for v in number_of(each_part(n, lambda v: scan.inside.broadcast(v, rest)))]
    found = scan.finish(flat, flat, backwards)[len(flat) :]
    return regrouped([b.untranspose(v, order) for v in found], inputs)


def _max_pool(b: HloCall, x: SSAValue, init: SSAValue) -> SSAValue | None:
    """Pooling of an image, if windows are on spatial dims only and start from less than any number."""
    known = b.knowledge.array(init)
    if known is None or known.item() != -np.inf or len(shape_of(x)) not in (4, 5):
        return None
    op, rank = b.op, len(shape_of(x))
    ones = (1,) * rank
    window, strides = op.ints("window_dimensions"), op.ints("window_strides", ones)
    dilations, padding = op.ints("window_dilations", ones), op.pairs("padding") or ((0, 0),) * rank
    idle = [d for d in range(rank) if (window[d], strides[d], padding[d]) == (1, 1, (0, 0))]
    if 0 not in idle or len(idle) < 2:
        return None
    channel = rank - 1 if rank - 1 in idle else 1 if 1 in idle else None
    if channel is None:
        return None
    spatial = [d for d in range(1, rank) if d != channel]
    if any(p >= (window[d] - 1) * dilations[d] + 1 for d in spatial for p in padding[d]):
        return None
    order = [0, channel, *spatial]
    found = slide(
        b,
        graph.MaxPoolOp,
        [b.transpose(x, order)],
        kernel=tuple(window[d] for d in spatial),
        strides=tuple(strides[d] for d in spatial),
        padding=(*(padding[d][0] for d in spatial), *(padding[d][1] for d in spatial)),
        dilations=tuple(dilations[d] for d in spatial),
    )
    return b.untranspose(found, order)


def _separably(b: HloCall, name: str, x: SSAValue, init: SSAValue) -> SSAValue:
    """One dim after the other: sums, products and extremes may be taken in any order.

    What windows start from is combined once, in the end.
    """
    op, rank = b.op, len(shape_of(x))
    ones = (1,) * rank
    window, strides = op.ints("window_dimensions"), op.ints("window_strides", ones)
    base, dilations = op.ints("base_dilations", ones), op.ints("window_dilations", ones)
    padding = op.pairs("padding") or ((0, 0),) * rank
    element = element_of(x)
    kind = kind_of(name, element)
    assert kind is not None
    own = b.number(neutral(kind, element), x)
    x = padded(b, x, own, [p for p, _ in padding], [q for _, q in padding], [n - 1 for n in base])
    for d in range(rank):
        if window[d] == 1 and strides[d] == 1:
            continue
        size = shape_sizes(b, x)[d]
        if window[d] > _MOST_TAPS:
            raise Unconvertible(f"its windows have {window[d]} elements along dim {d}; mlc writes out {_MOST_TAPS}")
        if window[d] == size and dilations[d] == 1:
            x = b.unsqueeze(reduced(b, name, x, [d]), [d])
            continue
        count = windows_in(size, 0, (window[d] - 1) * dilations[d] + 1, strides[d])
        total: SSAValue | None = None
        for i in range(window[d]):
            start = i * dilations[d]
            part = cut(b, x, d, start, start + (count - 1) * strides[d] + 1, strides[d])
            total = part if total is None else combine(b, name, total, part)
        assert total is not None
        x = total
    known = b.knowledge.array(init)
    return x if known is not None and known.item() == neutral(kind, element) else combine(b, name, x, init)


@converts("select_and_scatter")
def select_and_scatter(b: HloCall) -> Converted:
    """The gradient of pooling: for each element of a window, the sources of the windows that selected it.

    The region that selects has to be `>=` or `<=`, by which the first of several extremes stays, and the other a sum.
    """
    found = comparison(returned(b.op.body(0))[0])
    sums = only_op(b.op.body(1))
    arguments = list(b.op.body(0).args)
    if found is None or found[0] not in ("GE", "LE") or [found[2], found[3]] != arguments:
        raise Unconvertible("its first region is not '>=' or '<=' of its arguments")
    if sums is None or sums.mnemonic() != "add":
        raise Unconvertible("its second region is not a sum")
    x, source, init = b[0], b[1], b[2]
    rank, ones = len(shape_of(x)), (1,) * len(shape_of(x))
    window, strides = b.op.ints("window_dimensions", ones), b.op.ints("window_strides", ones)
    padding = b.op.pairs("padding") or ((0, 0),) * rank
    if int(np.prod(window)) > _MOST_TAPS:
        raise Unconvertible(f"its windows have {int(np.prod(window))} elements; mlc writes out {_MOST_TAPS}")
    if 0 in shape_of(source) or 0 in shape_of(x):
        return b.broadcast(init, b.shape())
    low, high, inner = [p for p, _ in padding], [q for _, q in padding], [0] * rank
    image = padded(b, x, b.number(0, x), low, high, inner)
    mask = b.splat(1, shape_of(x), i32)
    inside = padded(b, mask, b.number(0, mask), low, high, inner) if any((*low, *high)) else None
    out = shape_of(source)
    best: SSAValue | None = None
    has: SSAValue | None = None
    chosen: SSAValue | None = None
    taps = list(product(*map(range, window)))
    ranges = [(list(at), [a + (n - 1) * s + 1 for a, n, s in zip(at, out, strides, strict=True)]) for at in taps]
    for number, (starts, ends) in enumerate(ranges):
        value = sliced(b, image, starts, ends, strides)
        here = None
        if inside is not None:
            part = sliced(b, inside, starts, ends, strides)
            here = b.compare("ne", part, b.number(0, part))
        place = b.splat(number, out, i32)
        if best is None or chosen is None:
            best, has = value, here
            chosen = place if here is None else b.where(here, place, b.splat(-1, out, i32))
            continue
        stays = b.compare("ge" if found[0] == "GE" else "le", best, value)
        take = b(graph.NotOp, stays)
        if has is not None and here is not None:
            take = b(graph.AndOp, here, b(graph.OrOp, take, b(graph.NotOp, has)))
            has = b(graph.OrOp, has, here)
        best, chosen = b.where(take, value, best), b.where(take, place, chosen)
    assert chosen is not None
    total: SSAValue | None = None
    zero = b.number(0, x)
    shape = shape_of(image)
    for number, (starts, ends) in enumerate(ranges):
        hit = b.compare("eq", chosen, b.number(number, chosen))
        part = b.where(hit, source, b.number(0, source))
        after = [n - e for n, e in zip(shape, ends, strict=True)]
        part = padded(b, part, zero, starts, after, [s - 1 for s in strides])
        total = part if total is None else b.add(total, part)
    assert total is not None
    total = sliced(b, total, low, [p + n for p, n in zip(low, shape_of(x), strict=True)])
    known = b.knowledge.array(init)
    return total if known is not None and known.item() == 0 else b.add(total, init)
