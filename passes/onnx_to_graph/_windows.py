"""Convolutions and pooling: windows that slide over images."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import element_of, shape_of
from mlc.passes.lowering import lowers
from mlc.passes.onnx_to_graph._builder import GraphBuilder
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._patterns import PASS, FromOnnx, Results
from mlc.passes.onnx_to_graph._refusal import Unconvertible


@dataclass
class SlidingWindow:
    """How a window slides, per spatial dim."""

    kernel: list[int]
    strides: list[int]
    dilations: list[int]
    low: list[int]
    high: list[int]
    extra: list[int]
    """What `ceil_mode` adds behind the padding, so that the last window begins inside."""

    @staticmethod
    def of(node: Node, image: Sequence[int], kernel: Sequence[int]) -> SlidingWindow:
        """That of a node, over an image of these extents."""
        rank = len(image)
        strides = node.ints("strides") or [1] * rank
        dilations = node.ints("dilations") or [1] * rank
        pads = node.ints("pads") or [0] * 2 * rank
        if not (len(kernel) == len(strides) == len(dilations) == rank and len(pads) == 2 * rank):
            given = f"kernel {list(kernel)}, strides {strides}, dilations {dilations} and pads {pads}"
            raise Unconvertible(f"{given} do not fit an image of {rank} dims")
        if min((*kernel, *strides, *dilations), default=1) < 1 or min(pads, default=0) < 0:
            raise Unconvertible(
                f"kernel {list(kernel)}, strides {strides}, dilations {dilations} or pads {pads} is too small"
            )
        low, high, extra = pads[:rank], pads[rank:], [0] * rank
        auto = node.string("auto_pad", "NOTSET")
        for i, extent in enumerate(image):
            span = (kernel[i] - 1) * dilations[i] + 1
            if auto in ("SAME_UPPER", "SAME_LOWER"):
                total = max((-(-extent // strides[i]) - 1) * strides[i] + span - extent, 0)
                low[i], high[i] = total // 2, total - total // 2
                if auto == "SAME_LOWER":
                    low[i], high[i] = high[i], low[i]
            elif auto == "VALID":
                low[i] = high[i] = 0
            if node.flag("ceil_mode"):
                room = extent + low[i] + high[i] - span
                count = -(-room // strides[i]) + 1
                if (count - 1) * strides[i] >= extent + low[i]:
                    count -= 1
                extra[i] = max((count - 1) * strides[i] - room, 0)
        return SlidingWindow(list(kernel), strides, dilations, low, high, extra)

    @property
    def spans(self) -> list[int]:
        """The extent of the window, per dim."""
        return [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilations, strict=True)]


def _two(values: Sequence[int], filler: int) -> tuple[int, ...]:
    """One or two numbers as two: a line is an image of one row."""
    return (filler, *values) if len(values) == 1 else tuple(values)


def _image(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """A batch of lines as a batch of images of one row."""
    shape = shape_of(x)
    return b.reshape(x, (*shape[:2], 1, shape[2])) if len(shape) == 3 else x


def _back(b: GraphBuilder, x: SSAValue, rank: int) -> SSAValue:
    shape = shape_of(x)
    return b.reshape(x, (*shape[:2], shape[3])) if rank == 3 else x


def _require_image(node: Node) -> None:
    if node.rank() not in (3, 4):
        raise Unconvertible(f"images of {node.rank() - 2} dims; mlc knows those of 1 and 2")


def _padding(low: Sequence[int], high: Sequence[int]) -> tuple[int, ...]:
    return (*_two(low, 0), *_two(high, 0))


def convolution(node: Node, b: GraphBuilder, x: SSAValue, weights: SSAValue, bias: SSAValue | None) -> SSAValue:
    """A convolution as the attributes of a node describe it."""
    _require_image(node)
    shape, kernel = shape_of(x), shape_of(weights)[2:]
    w = SlidingWindow.of(node, shape[2:], node.ints("kernel_shape") or kernel)
    low, high = w.low, w.high
    if any(max(lo, hi) >= span for lo, hi, span in zip(low, high, w.spans, strict=True)):
        rank = len(shape)
        x = b(graph.PadOp, x, [0] * (rank - len(low)) + low, [0] * (rank - len(high)) + high, 0)
        low, high = [0] * len(low), [0] * len(high)
    result = b(
        graph.Conv2dOp,
        _image(b, x),
        _image(b, weights),
        _two(w.strides, 1),
        _padding(low, high),
        _two(w.dilations, 1),
        node.int("group", 1),
    )
    result = _back(b, result, len(shape))
    if bias is None:
        return result
    return b.plus(result, b.reshape(bias, (shape_of(bias)[0], *[1] * len(kernel))))


@lowers(PASS, onnx.op("Conv"))
class Conv(FromOnnx):
    """A convolution of lines or images."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return convolution(node, b, node[0], node[1], node.optional(2))


@lowers(PASS, onnx.op("ConvTranspose"))
class ConvTranspose(FromOnnx):
    """A transposed convolution; a wanted output shape says its padding."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        _require_image(node)
        shape, kernel = node.shape(), node.shape(1)[2:]
        rank = len(kernel)
        strides = node.ints("strides") or [1] * rank
        dilations = node.ints("dilations") or [1] * rank
        extra = node.ints("output_padding") or [0] * rank
        pads = node.ints("pads") or [0] * 2 * rank
        low, high = pads[:rank], pads[rank:]
        wanted, auto = node.ints("output_shape"), node.string("auto_pad", "NOTSET")
        reach = [strides[i] * (shape[2 + i] - 1) + extra[i] + (kernel[i] - 1) * dilations[i] + 1 for i in range(rank)]
        if wanted is None and auto in ("SAME_UPPER", "SAME_LOWER"):
            wanted = [shape[2 + i] * strides[i] for i in range(rank)]
        if wanted is not None:
            for i, extent in enumerate(wanted[-rank:]):
                total = reach[i] - extent
                half = int(total / 2)
                low[i], high[i] = (half, total - half) if auto == "SAME_UPPER" else (total - half, half)
        elif auto == "VALID":
            low, high = [0] * rank, [0] * rank
        # What the op cannot cut, or has to add, is done behind it.
        full = b(
            graph.ConvTranspose2dOp,
            _image(b, node[0]),
            _image(b, node[1]),
            _two(strides, 1),
            (0, 0, 0, 0),
            (0, 0),
            _two(dilations, 1),
            node.int("group", 1),
        )
        result = _back(b, full, len(shape))
        for i in range(rank):
            axis, extent = 2 + i, shape_of(result)[2 + i]
            grow = extra[i] - high[i]
            before, after = [0] * len(shape), [0] * len(shape)
            before[axis], after[axis] = max(-low[i], 0), max(grow, 0)
            if any((*before, *after)):
                result = b(graph.PadOp, result, before, after, 0)
            extent = shape_of(result)[axis]
            result = b.slice(result, axis, max(low[i], 0), extent - max(-grow, 0))
        if (bias := node.optional(2)) is not None:
            result = b.plus(result, b.reshape(bias, (shape_of(bias)[0], *[1] * rank)))
        return result


def _surround(b: GraphBuilder, x: SSAValue, low: Sequence[int], high: Sequence[int], number: float) -> SSAValue:
    front = [0] * (len(shape_of(x)) - len(low))
    return b(graph.PadOp, x, [*front, *low], [*front, *high], number) if any((*low, *high)) else x


def lowest(x: SSAValue) -> float:
    """What no element of this type is less than."""
    import numpy as np

    from mlc.support.dtypes import to_numpy

    dtype = to_numpy(element_of(x))
    return float("-inf") if dtype.kind == "f" else int(np.iinfo(dtype).min)


@lowers(PASS, onnx.op("MaxPool"))
class MaxPool(FromOnnx):
    """The largest element under each window."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        _require_image(node)
        if node.wants(1):
            raise Unconvertible("it asks for the places of the elements")
        x, shape = node[0], node.shape()
        w = SlidingWindow.of(node, shape[2:], node.ints("kernel_shape") or [])
        high = [h + e for h, e in zip(w.high, w.extra, strict=True)]
        low = w.low
        if any(max(lo, hi) >= span for lo, hi, span in zip(low, high, w.spans, strict=True)):
            x = _surround(b, x, low, high, lowest(x))
            low, high = [0] * len(low), [0] * len(high)
        result = b(
            graph.MaxPool2dOp,
            _image(b, x),
            _two(w.kernel, 1),
            _two(w.strides, 1),
            _padding(low, high),
            _two(w.dilations, 1),
        )
        return _back(b, result, len(shape))


@lowers(PASS, onnx.op("AveragePool"))
class AveragePool(FromOnnx):
    """The mean under each window: over what is in the image, or in the padding as well."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        _require_image(node)
        x, shape = node[0], node.shape()
        w = SlidingWindow.of(node, shape[2:], node.ints("kernel_shape") or [])
        counts = node.flag("count_include_pad")
        is_plain = not any(w.extra) and max(w.dilations) == 1
        fits = all(max(lo, hi) < k for lo, hi, k in zip(w.low, w.high, w.kernel, strict=True))
        if is_plain and fits:
            kernel, strides = _two(w.kernel, 1), _two(w.strides, 1)
            padding = _padding(w.low, w.high)
            result = b(graph.AvgPool2dOp, _image(b, x), kernel, strides, padding, count_include_pad=counts)
            return _back(b, result, len(shape))
        ones = b.splat(1, (1, 1, *shape[2:]), element_of(x))
        counted = _surround(b, ones, w.low, w.high, 1 if counts else 0)
        total = window_sum(b, _surround(b, x, w.low, w.high, 0), w)
        return b.div(total, window_sum(b, counted, w))


def window_sum(b: GraphBuilder, padded: SSAValue, w: SlidingWindow) -> SSAValue:
    """The sum under each window of an image that is padded but for what `ceil_mode` adds: a slice for each tap."""
    padded = _surround(b, padded, [0] * len(w.extra), w.extra, 0)
    image = shape_of(padded)[2:]
    counts = [(e - span) // s + 1 for e, span, s in zip(image, w.spans, w.strides, strict=True)]
    total: SSAValue | None = None
    for tap in range(prod(w.kernel)):
        part, rest = padded, tap
        for i in reversed(range(len(w.kernel))):
            at = rest % w.kernel[i] * w.dilations[i]
            rest //= w.kernel[i]
            part = b.slice(part, 2 + i, at, at + (counts[i] - 1) * w.strides[i] + 1, w.strides[i])
        total = part if total is None else b.plus(total, part)
    assert total is not None
    return total


@lowers(PASS, onnx.op("LpPool"))
class LpPool(FromOnnx):
    """`(sum(|x|^p))^(1/p)` under each window."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, p = node[0], node.int("p", 2)
        w = SlidingWindow.of(node, node.shape()[2:], node.ints("kernel_shape") or [])
        power = b(graph.PowOp, b(graph.AbsOp, x), b.number(p, x))
        total = window_sum(b, _surround(b, power, w.low, w.high, 0), w)
        return b(graph.PowOp, total, b.number(1 / p, x))


@lowers(PASS, onnx.op("GlobalAveragePool"), onnx.op("GlobalMaxPool"))
class GlobalPool(FromOnnx):
    """Over all spatial dims."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        kind = "mean" if node.op.OP_TYPE == "GlobalAveragePool" else "max"
        return b.reduce(kind, node[0], list(range(2, node.rank())), True)


@lowers(PASS, onnx.op("GlobalLpPool"))
class GlobalLpPool(FromOnnx):
    """`(sum(|x|^p))^(1/p)` over all spatial dims."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, p = node[0], node.int("p", 2)
        power = b(graph.PowOp, b(graph.AbsOp, x), b.number(p, x))
        return b(graph.PowOp, b.reduce("sum", power, list(range(2, node.rank())), True), b.number(1 / p, x))
