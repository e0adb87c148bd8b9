"""Reductions under windows, and their gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from xdsl.dialects.builtin import i1, i32
from xdsl.ir import Block, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair, each_part, number_of
from mlc.frontends.operators.graph_builder import is_float
from mlc.frontends.operators.images import slide
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.open_shapes import all_along, cut, expanded, require_fixed, shape_sizes
from mlc.frontends.operators.places import neutral
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds, in_symbols
from mlc.frontends.operators.window_extents import windows_in
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, convert_block, converts
from mlc.frontends.stablehlo.to_graph._elementwise import combine
from mlc.frontends.stablehlo.to_graph._expressions import comparison, only_op, returned
from mlc.frontends.stablehlo.to_graph._inline import computations_of
from mlc.frontends.stablehlo.to_graph._moves import padded, sliced
from mlc.frontends.stablehlo.to_graph._reductions import kind_of, reduced, regrouped

_MOST_TAPS = 1024
"""Windows of more elements than this are not written out."""


@dataclass(frozen=True)
class _WindowForm:
    """How windows lie in each dim, and the region that combines what is in them."""

    body: Block
    window: Sequence[AnySize]
    strides: Sequence[int]
    base: Sequence[int]
    dilations: Sequence[int]
    padding: Sequence[tuple[AnySize, AnySize]]

    @property
    def ones(self) -> tuple[int, ...]:
        """1 for each dim."""
        return (1,) * len(self.window)

    @property
    def is_dense(self) -> bool:
        """Whether windows are of neighbours, and begin at each element."""
        return all(tuple(each) == self.ones for each in (self.strides, self.base, self.dilations))

    @property
    def known_window(self) -> list[int]:
        """The extents of a window.

        Raises:
            Unconvertible: one is an extent of a call.
        """
        for d, size in enumerate(self.window):
            if not isinstance(size, int):
                raise Unconvertible(f"its windows have {in_symbols(size)} elements along dim {d}; required: a constant")
        return [size for size in self.window if isinstance(size, int)]


@converts("reduce_window", bounded=True)
def reduce_window(b: HloCall) -> Converted:
    """Running sums and the like become loops; pooling is pooling; others are written out, a slice per element.

    Dims whose extents are known at the call may lie under windows of sums, products and extremes.
    """
    op = b.op
    window = op.ints("window_dimensions")
    ones = (1,) * len(window)
    base, dilations = op.ints("base_dilations", ones), op.ints("window_dilations", ones)
    padding = op.pairs("padding") or ((0, 0),) * len(window)
    windows = _WindowForm(op.body(), window, op.ints("window_strides", ones), base, dilations, padding)
    return _reduced_in(b, windows, len(op.operands) // 2)


def dynamic_reduce_window(b: HloCall) -> Converted:
    """The same with operands for what attributes say: JAX calls a foreign function where an extent of a window or of
    what stands around is one of a call.

    Raises:
        Unconvertible: a stride or a dilation is no constant, or it is not known what the function is.
    """
    count = (len(b.op.operands) - 5) // 2
    window, *steps, padding = (b.sizes(i) for i in range(2 * count, len(b.op.operands)))
    known = [[size for size in each if isinstance(size, int)] for each in steps]
    if known != steps:
        raise Unconvertible("a stride or a dilation of its windows is known at the call only; required: constants")
    names = computations_of(b.op)
    if len(names) != 1 or names[0] not in b.run.given:
        raise Unconvertible("it names no function with a body that combines two elements")
    pairs = list(zip(padding[::2], padding[1::2], strict=True))
    strides, base, dilations = map(tuple, known)
    return _reduced_in(b, _WindowForm(b.run.given[names[0]], window, strides, base, dilations, pairs), count)


def _reduced_in(b: HloCall, windows: _WindowForm, count: int) -> Converted:
    """What is combined in windows of so many tensors, each of which has a number that it starts from."""
    op = b.op
    inputs = [b.run.number(v) for v in op.operands[:count]]
    inits = [b.run.number(v) for v in op.operands[count : 2 * count]]
    if b.is_empty:
        return [_empty(b, n, b.shape()) for n in inputs]
    sizes = shape_sizes(b, number_of(inputs[0])[0])
    running = _running(sizes, windows.window, windows.padding) if windows.is_dense else None
    if running is None and any(not isinstance(n, int) for pair in windows.padding for n in pair):
        inputs, windows = _surrounded(b, inputs, inits, windows)
        sizes = shape_sizes(b, number_of(inputs[0])[0])
    padding = [(p, q) for p, q in windows.padding if isinstance(p, int) and isinstance(q, int)]
    only = only_op(windows.body) if count == 1 else None
    plain = windows.base == windows.ones and all(p >= 0 and q >= 0 for p, q in padding)
    x, init = inputs[0], inits[0]
    if running is None and only is not None and isinstance(x, SSAValue) and isinstance(init, SSAValue):
        name, element = only.mnemonic(), element_of(x)
        is_maximum = plain and name == "maximum" and is_float(x)
        if is_maximum and (pooled := _max_pool(b, windows, padding, x, init)) is not None:
            return pooled
        if kind_of(name, element) is not None and element != i1:
            return _separably(b, windows, padding, name, x, init)
    if running is not None:
        return _cumulative(b, windows.body, inputs, inits, *running)
    return _written_out(b, windows, padding, inputs, inits)


def _surrounded(
    b: HloCall, inputs: Sequence[RealOrPair], inits: Sequence[RealOrPair], windows: _WindowForm
) -> tuple[list[RealOrPair], _WindowForm]:
    """Tensors with what stands around them and between their elements, and windows in these."""
    low, high = [p for p, _ in windows.padding], [q for _, q in windows.padding]
    inner = [n - 1 for n in windows.base]
    found = [_both(n, i, lambda v, s: padded(b, v, s, low, high, inner)) for n, i in zip(inputs, inits, strict=True)]
    return found, replace(windows, base=windows.ones, padding=((0, 0),) * len(low))


def _written_out(
    b: HloCall,
    windows: _WindowForm,
    padding: Sequence[tuple[int, int]],
    inputs: Sequence[RealOrPair],
    inits: Sequence[RealOrPair],
) -> list[RealOrPair]:
    """Any region, applied to one element of all windows after the other."""
    window, strides, dilations = windows.known_window, windows.strides, windows.dilations
    each_dim = enumerate(zip(window, strides, windows.base, padding, strict=True))
    moved = [d for d, kept in each_dim if kept != (1, 1, 1, (0, 0))]
    for i, number in enumerate(inputs):
        for value in number_of(number):
            require_fixed(b, value, f"operand {i}", moved)
    taps = int(np.prod(window))
    if taps > _MOST_TAPS:
        raise Unconvertible(f"its windows have {taps} elements and its region is not a sum, product or extreme")
    images, _ = _surrounded(b, inputs, inits, windows)
    out = b.shape()
    found: list[RealOrPair] = [each_part(i, lambda v: b.broadcast(v, out)) for i in inits]
    for at in product(*map(range, window)):
        starts = [a * d for a, d in zip(at, dilations, strict=True)]
        ends = [s + (n - 1) * t + 1 for s, n, t in zip(starts, out, strides, strict=True)]
        taken = [each_part(n, _slicer(b, starts, ends, strides)) for n in images]
        made = b.body(windows.body, [*found, *taken], lifted=True)
        found = [each_part(n, lambda v: b.broadcast(v, out)) for n in made]
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
    sizes: Sequence[AnySize], window: Sequence[AnySize], padding: Sequence[tuple[AnySize, AnySize]]
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
    b: HloCall, body: Block, inputs: list[RealOrPair], inits: list[RealOrPair], dim: int, backwards: bool
) -> list[RealOrPair]:
    """Each step combines a row with what was there before. From the far end the order of operands is another, which
    only matters to regions that are not reductions; steps that are at no data change nothing."""
    sizes = shape_sizes(b, number_of(inputs[0])[0])
    order = [dim, *(d for d in range(len(sizes)) if d != dim)]
    rest, length = [sizes[d] for d in order[1:]], sizes[dim]
    rows = [each_part(n, lambda v: all_along(b, b.transpose(v, order), [0])) for n in inputs]
    scan = ScanWriter(b, bounds(length)[1])
    start = [each_part(i, lambda v: expanded(b, v, rest)) for i in inits]
    totals = [each_part(i, scan.carry) for i in start]
    elements = [each_part(n, lambda v: scan.row(v, backwards)) for n in rows]
    number = scan.number(backwards) if backwards and isinstance(length, SymbolicSize) else None
    next = convert_block(b.run, body, [*totals, *elements], scan.body.end, lifted=True)
    flat = [v for n in next for v in number_of(each_part(n, lambda v: expanded(scan.inside, v, rest)))]
    if number is not None:
        runs = scan.inside.compare("lt", number, scan.inside.extent(length))
        before = [v for n in totals for v in number_of(n)]
        flat = [scan.inside.where(runs, new, old) for new, old in zip(flat, before, strict=True)]
    found = [b.sized(v, {0: length}) for v in scan.finish(flat, flat, backwards)[len(flat) :]]
    return regrouped([b.untranspose(v, order) for v in found], inputs)


def _max_pool(
    b: HloCall, windows: _WindowForm, padding: Sequence[tuple[int, int]], x: SSAValue, init: SSAValue
) -> SSAValue | None:
    """Pooling of an image, if windows are on spatial dims only and start from less than any number."""
    known = b.knowledge.array(init)
    if known is None or known.item() != -np.inf or len(shape_of(x)) not in (4, 5):
        return None
    rank, window, strides, dilations = len(shape_of(x)), windows.known_window, windows.strides, windows.dilations
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


def _separably(
    b: HloCall, windows: _WindowForm, padding: Sequence[tuple[int, int]], name: str, x: SSAValue, init: SSAValue
) -> SSAValue:
    """One dim after the other: sums, products and extremes may be taken in any order.

    What windows start from is combined once, in the end.
    """
    window, strides, dilations = windows.window, windows.strides, windows.dilations
    element = element_of(x)
    kind = kind_of(name, element)
    assert kind is not None
    own = b.number(neutral(kind, element), x)
    x = padded(b, x, own, [p for p, _ in padding], [q for _, q in padding], [n - 1 for n in windows.base])
    for d, length in enumerate(window):
        if length == 1 and strides[d] == 1:
            continue
        size = shape_sizes(b, x)[d]
        if bounds(length)[1] > _MOST_TAPS:
            found = f"its windows have {in_symbols(length)} elements along dim {d}"
            raise Unconvertible(f"{found}; mlc writes out {_MOST_TAPS}")
        if length == size and dilations[d] == 1:
            x = b.unsqueeze(reduced(b, name, x, [d]), [d])
            continue
        taps = windows.known_window[d]
        count = windows_in(size, 0, (taps - 1) * dilations[d] + 1, strides[d])
        total: SSAValue | None = None
        for i in range(taps):
            start = i * dilations[d]
            part = cut(b, x, d, start, start + (count - 1) * strides[d] + 1, strides[d])
            total = part if total is None else combine(b, name, total, part)
        assert total is not None
        x = total
    known = b.knowledge.array(init)
    return x if known is not None and known.item() == neutral(kind, element) else combine(b, name, x, init)


@converts("select_and_scatter", bounded=True)
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
    sizes, moved = shape_sizes(b, x), [d for d in range(rank) if (window[d], strides[d], padding[d]) != (1, 1, (0, 0))]
    require_fixed(b, x, "operand 0", moved)
    require_fixed(b, source, "operand 1", moved)
    x, source = all_along(b, x, range(rank)), all_along(b, source, range(rank))  # each row is on its own
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
    total = b.sized(total, dict(enumerate(sizes)))
    return total if known is not None and known.item() == 0 else b.add(total, init)
