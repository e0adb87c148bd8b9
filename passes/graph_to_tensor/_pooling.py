"""Pooling becomes a reduction over window reads."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import ints, shape_of
from mlc.dialects.graph.windows import image_padding
from mlc.passes.graph_to_tensor._builder import Builder, d, dims_of, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Points
from mlc.passes.lowering import lowers
from mlc.support.dtypes import least_of
from mlc.support.types import element_type


class _PoolToReduce(ToTensor):
    def windows(self, op: graph.Pool2dOp, b: Builder, kind: str, fill: float, dilations: Sequence[int]) -> SSAValue:
        """Combine all elements under each window position of the image padded with `fill`."""
        channels_last = op.layout.data == "NHWC"
        image = b.pad(op.input, *image_padding(op.layout.data, ints(op.padding)), fill)
        result = shape_of(op.result)
        (sy, sx), (dy, dx) = ints(op.strides), dilations
        i, j = d(4), d(5)
        if channels_last:
            over = dims_of(result)
            batch, y, x, n = every(4)
            window = [batch, y * sy + i * dy, x * sx + j * dx, n]
        else:
            over = [("b", result[0]), ("n", result[1]), ("y", result[2]), ("x", result[3])]
            batch, n, y, x = every(4)
            window = [batch, n, y * sy + i * dy, x * sx + j * dx]
        ky, kx = ints(op.kernel)
        return b.reduce(kind, [(image, window)], over, [("ky", ky), ("kx", kx)])


@lowers("lower-to-tensor", graph.MaxPool2dOp)
class MaxPoolToReduce(_PoolToReduce):
    """Padding is the least value of the type, so that it never wins."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.MaxPool2dOp)
        return self.windows(op, b, "max", least_of(element_type(op.result.type)), ints(op.dilations))


@lowers("lower-to-tensor", graph.AvgPool2dOp)
class AvgPoolToReduce(_PoolToReduce):
    """A sum, divided by how many elements it has: one number, or one per position where padding does not count."""

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.AvgPool2dOp)
        total = self.windows(op, b, "add", 0, (1, 1))
        element, shape = element_type(op.result.type), shape_of(op.result)
        kernel = ints(op.kernel)
        if op.count_include_pad.value.data or not any(ints(op.padding)):
            return b.map_points([(total, every(4))], shape, element, _divide_by(kernel[0] * kernel[1], element))
        spatial = slice(1, 3) if op.layout.data == "NHWC" else slice(2, 4)
        rows, columns = (
            _inside(extent, size, ints(op.strides)[axis], ints(op.padding)[axis], kernel[axis])
            for axis, (extent, size) in enumerate(zip(shape_of(op.input)[spatial], shape[spatial], strict=True))
        )
        counts = b.constant([r * c for r in rows for c in columns], shape[spatial], element)
        return b.map_points([(total, every(4)), (counts, every(4)[spatial])], shape, element, Points.div)


def _divide_by(count: int, element: Attribute):
    def body(p: Points, x: SSAValue) -> SSAValue:
        return p.div(x, p.number(count, element))

    return body


def _inside(extent: int, positions: int, stride: int, padding: int, kernel: int) -> list[int]:
    """For each window position along one axis, how many of its elements lie inside the image."""
    starts = (i * stride - padding for i in range(positions))
    return [min(start + kernel, extent) - max(start, 0) for start in starts]
