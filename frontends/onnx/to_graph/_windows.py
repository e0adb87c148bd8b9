"""Convolutions and pooling: windows that slide over images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.images import lowest, slide, surround
from mlc.frontends.operators.open_padding import padded_by_sizes
from mlc.frontends.operators.open_shapes import product, require_fixed, shape_sizes, splat
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, bounds, in_symbols, larger


@dataclass
class SlidingWindow:
    """How a window slides, per spatial dim."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    low: list[int]
    high: list[int]
    extra: list[int]
    """What `ceil_mode` adds after the padding, so that the last window begins inside."""
    by_call: dict[int, tuple[AnySize, AnySize]] = field(default_factory=dict[int, "tuple[AnySize, AnySize]"])
    """The padding of dims where that differs from call to call; `low` and `high` are 0 there."""

    @staticmethod
    def of(b: Node, x: SSAValue, kernel: Sequence[int]) -> SlidingWindow:
        """That of a node, over an image.

        Raises:
            Unconvertible: attributes do not fit the image, or its padding follows from an extent that is not known yet.
        """
        rank = len(shape_of(x)) - 2
        strides = b.ints("strides") or [1] * rank
        dilations = b.ints("dilations") or [1] * rank
        pads = b.ints("pads") or [0] * 2 * rank
        if not (len(kernel) == len(strides) == len(dilations) == rank and len(pads) == 2 * rank):
            given = f"kernel {list(kernel)}, strides {strides}, dilations {dilations} and pads {pads}"
            raise Unconvertible(f"{given} do not fit an image of {rank} dims")
        if min((*kernel, *strides, *dilations), default=1) < 1 or min(pads, default=0) < 0:
            raise Unconvertible(
                f"kernel {list(kernel)}, strides {strides}, dilations {dilations} or pads {pads} is too small"
            )
        w = SlidingWindow(list(kernel), strides, dilations, pads[:rank], pads[rank:], [0] * rank)
        auto = b.string("auto_pad", "NOTSET")
        for i in range(rank):
            if auto in ("SAME_UPPER", "SAME_LOWER"):
                w._keep_extent(i, _size(b, x, i), auto == "SAME_LOWER")
                continue
            if auto == "VALID":
                w.low[i] = w.high[i] = 0
            if b.flag("ceil_mode") and strides[i] > 1:
                w._round_up(i, _size(b, x, i))
        return w

    def _keep_extent(self, dim: int, extent: AnySize, is_lower: bool) -> None:
        """Pad such that there is a window for each step in the image."""
        span, stride = self.spans[dim], self.strides[dim]
        total = larger((_divided_up(extent, stride) - 1) * stride + span - extent, 0)
        halves = (total // 2, total - total // 2)
        low, high = reversed(halves) if is_lower else halves
        least, most = bounds(low)
        if isinstance(total, int):
            self.low[dim], self.high[dim] = least, total - least
        elif least == most:  # as many windows, as none begins in what there is too much of after an image
            self.low[dim], self.high[dim] = least, span - 1 - least
        else:
            self.low[dim] = self.high[dim] = 0
            self.by_call[dim] = low, high

    def _round_up(self, dim: int, extent: AnySize) -> None:
        """Add what lets the last window begin that begins inside."""
        low, stride = self.low[dim], self.strides[dim]
        room = extent + (low + self.high[dim] - self.spans[dim])
        last = _divided_up(room, stride) * stride
        if not isinstance(extent, int) and bounds(last - extent)[1] < low:
            self.extra[dim] = stride - 1  # it makes one more window of any part of one
            return
        if _fixed(last - extent) >= low:  # the last window would begin in the padding
            last = last - stride
        self.extra[dim] = max(_fixed(last - room), 0)

    def stored(self, b: GraphBuilder, x: SSAValue, number: float) -> SSAValue:
        """The image, with a number around it where the call says how much of it there is."""
        for dim, (low, high) in self.by_call.items():
            x = padded_by_sizes(b, x, b.number(number, x), 2 + dim, low, high)
        return x

    @property
    def reach(self) -> list[int]:
        """What is after the image, per dim: the padding, and what `ceil_mode` adds."""
        return [h + e for h, e in zip(self.high, self.extra, strict=True)]

    @property
    def spans(self) -> list[int]:
        """The extent of the window, per dim."""
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]

    @property
    def has_wide_padding(self) -> bool:
        """Whether a window may lie wholly in the padding, which the ops of the graph leave to `graph.pad`."""
        return any(max(low, high) >= span for low, high, span in zip(self.low, self.reach, self.spans, strict=True))


_FOLLOWS = "its padding follows from the extents of images (auto_pad, ceil_mode)"


def _size(b: Node, x: SSAValue, dim: int) -> AnySize:
    """A spatial extent. Raises: Unconvertible if it depends on data."""
    size = b.axis_size(x, 2 + dim)
    if size is None:
        raise Unconvertible(f"{_FOLLOWS}, which depend on data; required: known ones")
    return size


def _divided_up(size: AnySize, divisor: int) -> AnySize:
    """Raises: Unconvertible if the size may be negative, and is not known."""
    if isinstance(size, int):
        return -(-size // divisor)
    try:
        return (size + (divisor - 1)) // divisor
    except ValueError:
        raise Unconvertible(f"{_FOLLOWS}, which may be too small; required: a range of larger ones") from None


def _fixed(amount: AnySize) -> int:
    """Raises: Unconvertible if an amount is not the same for all extents of a call."""
    if not isinstance(amount, int):
        words = f"{_FOLLOWS}: it is made of {in_symbols(amount)}; required: known extents, or multiples of the strides"
        raise Unconvertible(words)
    return amount


def convolution(b: Node, x: SSAValue, weights: SSAValue, bias: SSAValue | None) -> SSAValue:
    """A convolution as the attributes of a node describe it."""
    w = SlidingWindow.of(b, x, b.ints("kernel_shape") or shape_of(weights)[2:])
    x, low, high = w.stored(b, x, 0), w.low, w.high
    if w.has_wide_padding:
        x = surround(b, x, low, high, 0)
        low, high = [0] * len(low), [0] * len(high)
    result = slide(
        b,
        graph.ConvOp,
        (x, weights),
        strides=tuple(w.strides),
        padding=(*low, *high),
        dilations=tuple(w.dilations),
        groups=b.int("group", 1),
    )
    if bias is None:
        return result
    return b.add(result, b.reshape(bias, (shape_of(bias)[0], *[1] * len(w.kernel))))


@converts("Conv", bounded=True, rounds_once=lambda b: b.has(2))
def conv(b: Node) -> Results:
    """A convolution of lines, images or volumes."""
    return convolution(b, b[0], b[1], b.optional(2))


@converts("ConvTranspose", bounded=True, rounds_once=lambda b: b.has(2))
def conv_transpose(b: Node) -> Results:
    """A transposed convolution; a wanted output shape says its padding."""
    kernel = b.shape(1)[2:]
    rank = len(kernel)
    strides = b.ints("strides") or [1] * rank
    dilations = b.ints("dilations") or [1] * rank
    extra = b.ints("output_padding") or [0] * rank
    low, high = _padding(b, strides, dilations, extra)
    # What the op cannot cut, or has to add, is done after it.
    fits = min((*low, *high), default=0) >= 0 and all(
        e < max(s, d) for e, s, d in zip(extra, strides, dilations, strict=True)
    )
    result = slide(
        b,
        graph.ConvTransposeOp,
        (b[0], b[1]),
        strides=tuple(strides),
        padding=(*low, *high) if fits else (0,) * (2 * rank),
        output_padding=tuple(extra) if fits else (0,) * rank,
        dilations=tuple(dilations),
        groups=b.int("group", 1),
    )
    if not fits:
        require_fixed(b, b[0], "an image, of which more is cut than the operator adds,", range(2, 2 + rank))
        grow = [e - h for e, h in zip(extra, high, strict=True)]
        result = surround(b, result, [max(-n, 0) for n in low], [max(n, 0) for n in grow], 0)
        for i in range(rank):
            result = b.slice(result, 2 + i, max(low[i], 0), shape_of(result)[2 + i] - max(-grow[i], 0))
    if (bias := b.optional(2)) is not None:
        result = b.add(result, b.reshape(bias, (shape_of(bias)[0], *[1] * rank)))
    return result


def _padding(
    b: Node, strides: Sequence[int], dilations: Sequence[int], extra: Sequence[int]
) -> tuple[list[int], list[int]]:
    """What is cut off in front and behind; less than 0 if something is added."""
    extents, kernel = b.shape()[2:], b.shape(1)[2:]
    rank = len(kernel)
    pads = b.ints("pads") or [0] * 2 * rank
    if not len(extents) == len(strides) == len(dilations) == len(extra) == rank or len(pads) != 2 * rank:
        given = f"strides {list(strides)}, dilations {list(dilations)}, output_padding {list(extra)} and pads {pads}"
        raise Unconvertible(f"{given} do not fit an image of {len(extents)} dims and a kernel of {rank}")
    wanted, auto = b.ints("output_shape"), b.string("auto_pad", "NOTSET")
    if wanted is not None or auto in ("SAME_UPPER", "SAME_LOWER"):
        require_fixed(b, b[0], "an image, from which its padding follows,", range(2, 2 + rank))
    if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
        wanted = [extent * stride for extent, stride in zip(extents, strides, strict=True)]
    if wanted is None:
        return ([0] * rank, [0] * rank) if auto == "VALID" else (pads[:rank], pads[rank:])
    reach = [
        stride * (extent - 1) + more + (taps - 1) * dilation + 1
        for stride, extent, more, taps, dilation in zip(strides, extents, extra, kernel, dilations, strict=True)
    ]
    totals = [full - extent for full, extent in zip(reach, wanted[-rank:], strict=True)]
    halves, rest = [total // 2 for total in totals], [total - total // 2 for total in totals]
    return (halves, rest) if auto == "SAME_UPPER" else (rest, halves)


@converts("MaxPool", bounded=True)
def max_pool(b: Node) -> Results:
    """The largest element under each window, and where it is in the flattened tensor."""
    return largest(b, b[0])


def largest(b: Node, x: SSAValue) -> list[SSAValue]:
    """What `MaxPool` gives for an image, with the attributes of a node."""
    w = SlidingWindow.of(b, x, b.ints("kernel_shape") or [])
    if b.wants(1) and w.by_call:
        raise Unconvertible(f"it asks where elements are, and {_FOLLOWS}; required: known extents")
    x, low, high = w.stored(b, x, lowest(x)), w.low, w.reach
    if w.has_wide_padding:
        if b.wants(1):
            raise Unconvertible("it asks where elements are, and windows may lie wholly in the padding")
        x = surround(b, x, low, high, lowest(x))
        low, high = [0] * len(low), [0] * len(high)
    options: dict[str, Any] = {
        "kernel": tuple(w.kernel),
        "strides": tuple(w.strides),
        "padding": (*low, *high),
        "dilations": tuple(w.dilations),
    }
    most = slide(b, graph.MaxPoolOp, (x,), **options)
    if not b.wants(1):
        return [most]
    place = slide(b, graph.ArgMaxPoolOp, (x,), **options)
    return [most, _flattened(b, place, x, b.flag("storage_order"))]


def _flattened(b: GraphBuilder, place: SSAValue, x: SSAValue, by_columns: bool) -> SSAValue:
    """A place in an image, which counts row by row in memory, as one in the tensor, or column by column in each
    image."""
    (batch, channels, *most), (_, in_batch, *image) = shape_of(x), shape_sizes(b, x)
    rank = len(image)
    if by_columns or list(most) != image:
        rest, place = place, b.number(0, place)
        for axis in reversed(range(rank)):
            extent = b.number(most[axis], rest)
            step = product(image[:axis] if by_columns else image[axis + 1 :])
            place = b.add(place, b.mul(b(graph.RemOp, rest, extent), b.extent(step)))
            rest = b.div(rest, extent)
    first = b.constant(np.arange(batch).reshape(batch, *[1] * (rank + 1)), i64)
    channel = b.constant(np.arange(channels).reshape(channels, *[1] * rank), i64)
    number = b.add(b.mul(first, b.extent(in_batch)), channel)
    ends = {axis: extent for axis, extent in b.knowledge.extents.get(x, {}).items() if axis < 2}
    before = b.mul(number, b.extent(product(image)))
    return b.add(place, b.bounded(b.viewed(before, shape_of(before), {}), ends) if ends else before)


@converts("AveragePool", bounded=True)
def average_pool(b: Node) -> Results:
    """The mean under each window: over what is in the image, or in the padding as well, but not in what is added."""
    return averages(b, b[0])


def averages(b: Node, x: SSAValue) -> SSAValue:
    """What `AveragePool` gives for an image, with the attributes of a node."""
    shape = shape_of(x)
    w = SlidingWindow.of(b, x, b.ints("kernel_shape") or [])
    counts = b.flag("count_include_pad")
    is_open = any(axis > 1 for axis in b.knowledge.extents.get(x, {}))
    if is_open and not counts and (any((*w.low, *w.reach)) or w.by_call) and not w.has_wide_padding:
        inside = splat(b, 1, [1, 1, *shape_sizes(b, x)[2:]], element_of(x))
        return b.div(*(_mean(b, w.stored(b, each, 0), w, w.low, w.reach, True) for each in (x, inside)))
    x = w.stored(b, x, 0)
    if w.has_wide_padding:
        ones = b.splat(1, (1, 1, *shape[2:]), element_of(x))
        counted = surround(b, ones, w.low, w.high, 1 if counts else 0)
        total = window_sum(b, surround(b, x, w.low, w.high, 0), w)
        return b.div(total, window_sum(b, counted, w))
    low, high = w.low, w.reach
    if counts and any(w.extra):
        x, low, high, counts = surround(b, x, low, w.high, 0), [0] * len(low), w.extra, False
    return _mean(b, x, w, low, high, counts)


def _mean(
    b: GraphBuilder, x: SSAValue, w: SlidingWindow, low: Sequence[int], high: Sequence[int], counts: bool
) -> SSAValue:
    return slide(
        b,
        graph.AvgPoolOp,
        (x,),
        kernel=tuple(w.kernel),
        strides=tuple(w.strides),
        padding=(*low, *high),
        dilations=tuple(w.dilations),
        count_include_pad=counts,
    )


def window_sum(b: GraphBuilder, padded: SSAValue, w: SlidingWindow) -> SSAValue:
    """The sum under each window of an image that is padded but for what `ceil_mode` adds: a slice for each tap."""
    padded = surround(b, padded, [0] * len(w.extra), w.extra, 0)
    image = shape_of(padded)[2:]
    counts = [(e - span) // s + 1 for e, span, s in zip(image, w.spans, w.strides, strict=True)]
    total: SSAValue | None = None
    for tap in range(prod(w.kernel)):
        part, rest = padded, tap
        for i in reversed(range(len(w.kernel))):
            at = rest % w.kernel[i] * w.dilations[i]
            rest //= w.kernel[i]
            part = b.slice(part, 2 + i, at, at + (counts[i] - 1) * w.strides[i] + 1, w.strides[i])
        total = part if total is None else b.add(total, part)
    assert total is not None
    return total


@converts("LpPool", bounded=True, rounds_once=True)
def lp_pool(b: Node) -> Results:
    """`(sum(|x|^p))^(1/p)` under each window: a mean, times the number of taps."""
    x, p = b[0], b.int("p", 2)
    w = SlidingWindow.of(b, x, b.ints("kernel_shape") or [])
    power = w.stored(b, b(graph.PowOp, b(graph.AbsOp, x), b.number(p, x)), 0)
    if w.has_wide_padding:
        total = window_sum(b, surround(b, power, w.low, w.high, 0), w)
    else:
        total = b.mul(_mean(b, power, w, w.low, w.reach, True), b.number(prod(w.kernel), x))
    return b(graph.PowOp, total, b.number(1 / p, x))


@converts("GlobalAveragePool", "GlobalMaxPool", bounded=True)
def global_pool(b: Node) -> Results:
    """Over all spatial dims."""
    kind = "mean" if b.op.OP_TYPE == "GlobalAveragePool" else "max"
    return b.reduce(kind, b[0], list(range(2, b.rank())), True)


@converts("GlobalLpPool", bounded=True, rounds_once=True)
def global_lp_pool(b: Node) -> Results:
    """`(sum(|x|^p))^(1/p)` over all spatial dims."""
    x, p = b[0], b.int("p", 2)
    power = b(graph.PowOp, b(graph.AbsOp, x), b.number(p, x))
    return b(graph.PowOp, b.reduce("sum", power, list(range(2, b.rank())), True), b.number(1 / p, x))
