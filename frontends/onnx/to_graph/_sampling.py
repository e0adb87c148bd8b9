"""Operators that read images between pixels."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from mlc.dialects import onnx
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, FromOnnx, Results
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.regions import aligned_regions
from mlc.frontends.operators.sampling import PIXELS_OF_MODE, ImageAxis, Tap, interpolated
from mlc.pass_manager.lowering import lowers


@lowers(PASS, onnx.op("GridSample"))
class GridSample(FromOnnx):
    """Samples of images of any rank at coordinates from -1 to 1, of which that along the last axis comes first."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, grid, extents = node[0], node[1], node.shape()[2:]
        rank = len(extents)
        if node.rank(1) != node.rank() or node.shape(1)[-1] != rank:
            raise Unconvertible(f"the grid {list(node.shape(1))} has no coordinates of {list(node.shape())}")
        mode = node.string("mode", "linear").removeprefix("bi")
        padding = node.one_of("padding_mode", "zeros", "border", "reflection")
        if mode not in PIXELS_OF_MODE:
            raise Unconvertible(f"mode '{mode}' is none of {', '.join(PIXELS_OF_MODE)}")
        axes: list[list[Tap]] = []
        for axis, extent in enumerate(extents):
            at = rank - 1 - axis
            normalised = b.reshape(b.slice(grid, rank + 1, at, at + 1), node.shape(1)[:-1])
            image_axis = ImageAxis(b, extent, padding, node.flag("align_corners"))
            axes.append(image_axis.taps(normalised, mode))
        image = b.transpose(x, (0, *range(2, rank + 2), 1))
        found = interpolated(b, image, axes)
        return b.transpose(found, (0, rank + 1, *range(1, rank + 1)))


@lowers(PASS, onnx.op("RoiAlign"))
class RoiAlign(FromOnnx):
    """Means, or maxima, of samples on a grid in each bin of each region, which are read between four pixels.

    How many samples a bin has follows from the size of the region if `sampling_ratio` is 0; then it has to be known,
    and the same for all.
    """

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        half = node.string("coordinate_transformation_mode", "half_pixel")
        shift = 0.5 if half == "half_pixel" and node.since >= 16 else 0.0
        bins = node.int("output_height", 1), node.int("output_width", 1)
        corners = b.sub(b.mul(node[1], b.number(node.float("spatial_scale", 1.0), node[1])), b.number(shift, node[1]))
        ratio, kind, batches = node.int("sampling_ratio"), node.string("mode", "avg"), b.cast(node[2], i64)
        return aligned_regions(b, node[0], corners, batches, bins, ratio, 0 if shift else 1, kind)
