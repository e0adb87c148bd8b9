"""Windows over images whose extents are known at the call: what lies after them is padding, like that around them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import ints, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.images import lowest
from mlc.frontends.operators.knowledge import Extents
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, bounds, in_symbols

WindowedOp = graph.ConvOp | graph.MaxPoolOp | graph.ArgMaxPoolOp | graph.AvgPoolOp


def spatial_ends(op: WindowedOp, extents: Extents, b: GraphBuilder) -> Extents:
    """The extents of the result along the spatial dims that end early, of channels-first images.

    Raises:
        Unconvertible: windows would be of other elements than those of a smaller image, or an extent depends on data.
    """
    if isinstance(op, graph.AvgPoolOp) and not _counts_padding(op) and any(ints(op.padding)):
        raise Unconvertible("it counts no padding, and how much there is in a window depends on an extent of the call")
    return {axis: b.extent(_count(op, axis - 2, size)) for axis, size in _spatial_sizes(extents, b).items()}


def transposed_ends(op: graph.ConvTransposeOp, extents: Extents, b: GraphBuilder) -> Extents:
    """The same of a transposed convolution: `(size - 1) * stride - padding + span + output padding`.

    Raises:
        Unconvertible: nothing may be left of an image, or an extent depends on data.
    """
    found: dict[int, SSAValue] = {}
    for axis, size in _spatial_sizes(extents, b).items():
        dim = axis - 2
        low, high = _padding(ints(op.padding), dim)
        span = (shape_of(op.operands[1])[axis] - 1) * ints(op.dilations)[dim] + 1
        end = (size - 1) * ints(op.strides)[dim] + (span + ints(op.output_padding)[dim] - low - high)
        if bounds(end)[0] < 0:
            raise Unconvertible(
                f"it cuts {low + high} elements of an image that may be smaller; required: a range of "
                "extents that are larger"
            )
        found[axis] = b.extent(end)
    return found


def _spatial_sizes(extents: Extents, b: GraphBuilder) -> dict[int, AnySize]:
    """The sizes of the spatial dims that end early. Raises: Unconvertible if one depends on data."""
    found: dict[int, AnySize] = {}
    for axis in (axis for axis in extents if axis >= 2):
        size = b.size_of(extents[axis])
        if size is None:
            raise Unconvertible(f"the extent of dim {axis} of an image depends on data")
        found[axis] = size
    return found


def _counts_padding(op: graph.AvgPoolOp) -> bool:
    return bool(op.count_include_pad.value.data)


def padding_of(op: WindowedOp) -> float:
    """What stands around an image for the windows of an op."""
    return lowest(op.operands[0]) if isinstance(op, graph.MaxPoolOp | graph.ArgMaxPoolOp) else 0.0


def _count(op: WindowedOp, dim: int, size: AnySize) -> AnySize:
    """How many windows there are along a spatial dim: `(size + padding - span) / stride + 1`."""
    low, high = _padding(ints(op.padding), dim)
    return windows_in(size, low + high, (_taps(op)[dim] - 1) * ints(op.dilations)[dim] + 1, ints(op.strides)[dim])


def windows_in(size: AnySize, padding: int, span: int, stride: int) -> AnySize:
    """How many windows of `span` elements there are in a dim with so much padding.

    Raises:
        Unconvertible: there may be none.
    """
    rest = size + (padding - span)
    if bounds(rest)[0] < 0:
        raise Unconvertible(
            f"its window has {span} elements, and the image {in_symbols(size)}, which may be {bounds(size)[0]}, with "
            f"{padding} of padding; required: a range of extents that are larger"
        )
    return rest // stride + 1


def _padding(amounts: Sequence[int], dim: int) -> tuple[int, int]:
    return amounts[dim], amounts[len(amounts) // 2 + dim]


def _taps(op: WindowedOp) -> Sequence[int]:
    if isinstance(op, graph.ConvOp):
        return shape_of(op.operands[1])[2:]
    return ints(cast(Any, op).kernel)
