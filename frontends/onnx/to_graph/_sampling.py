"""Operators that read images between pixels."""

from __future__ import annotations

from xdsl.dialects.builtin import i64

from mlc.dialects.graph.types import element_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.open_shapes import counted, require_fixed
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.regions import aligned_regions
from mlc.frontends.operators.sampling import PIXELS_OF_MODE, ImageAxis, Tap, interpolated
from mlc.frontends.operators.sizes import in_symbols, larger


@converts("GridSample", bounded=True, rounds_once=True)
def grid_sample(b: Node) -> Results:
    """Samples of images of any rank at coordinates from -1 to 1, of which that along the last axis comes first."""
    x, grid, extents = b[0], b[1], b.shape()[2:]
    rank = len(extents)
    require_fixed(b, x, "an image that is sampled", range(2, 2 + rank))
    if b.rank(1) != b.rank() or b.shape(1)[-1] != rank:
        raise Unconvertible(f"the grid {list(b.shape(1))} has no coordinates of {list(b.shape())}")
    mode = b.string("mode", "linear").removeprefix("bi")
    padding = b.one_of("padding_mode", "zeros", "border", "reflection")
    if mode not in PIXELS_OF_MODE:
        raise Unconvertible(f"mode '{mode}' is not one of {', '.join(PIXELS_OF_MODE)}")
    axes: list[list[Tap]] = []
    for axis, extent in enumerate(extents):
        at = rank - 1 - axis
        normalised = b.reshape(b.slice(grid, rank + 1, at, at + 1), b.shape(1)[:-1])
        image_axis = ImageAxis(b, extent, padding, b.flag("align_corners"))
        axes.append(image_axis.taps(normalised, mode))
    image = b.transpose(x, (0, *range(2, rank + 2), 1))
    found = interpolated(b, image, axes)
    return b.transpose(found, (0, rank + 1, *range(1, rank + 1)))


@converts("AffineGrid", bounded=True, rounds_once=True)
def affine_grid(b: Node) -> Results:
    """Coordinates of the pixels of images, from -1 to 1, that along the last axis first, times a matrix each.

    The function that ONNX has for it fails where there is one image. A single pixel between aligned corners is at -1.
    """
    theta, (images, _, *extents) = b[0], b.sizes(1)
    rank, element = len(extents), element_of(theta)
    if rank not in (2, 3) or b.shape()[1:] != (rank, rank + 1) or b.axis_size(theta, 0) != images:
        sizes = [*map(in_symbols, b.sizes(1))]
        raise Unconvertible(f"matrices {list(b.shape())} do not fit images {sizes}; required: [N, 2, 3] or [N, 3, 4]")
    between = -1 if b.flag("align_corners") else 0
    columns = [b.slice(theta, 2, axis, axis + 1) for axis in range(rank + 1)]
    *columns, found = (b.reshape(each, (b.shape()[0], *[1] * rank, rank)) for each in columns)
    for axis, extent in enumerate(extents):
        place = b.mul(counted(b, 0, extent, 1, element), b.number(2, theta))
        steps = b.cast(b.extent(larger(extent + between, 1)), element)
        place = b.div(place if between else b.add(place, b.number(1, theta)), steps)
        along = b.unsqueeze(b.sub(place, b.number(1, theta)), range(1, 1 + rank - axis))
        found = b.add(found, b.mul(columns[rank - 1 - axis], along))
    return found


@converts("RoiAlign", bounded=True, rounds_once=True)
def roi_align(b: Node) -> Results:
    """Means, or maxima, of samples on a grid in each bin of each region, which are read between four pixels.

    How many samples a bin has follows from the size of the region if `sampling_ratio` is 0; then it has to be known,
    and the same for all.
    """
    require_fixed(b, b[0], "an image that is sampled", range(2, b.rank()))
    half = b.string("coordinate_transformation_mode", "half_pixel")
    shift = 0.5 if half == "half_pixel" and b.since >= 16 else 0.0
    bins = b.int("output_height", 1), b.int("output_width", 1)
    corners = b.sub(b.mul(b[1], b.number(b.float("spatial_scale", 1.0), b[1])), b.number(shift, b[1]))
    ratio, kind, batches = b.int("sampling_ratio"), b.string("mode", "avg"), b.cast(b[2], i64)
    return aligned_regions(b, b[0], corners, batches, bins, ratio, 0 if shift else 1, kind)
