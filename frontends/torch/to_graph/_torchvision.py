"""Operators of torchvision: boxes, regions and windows of images."""

from __future__ import annotations

from functools import partial

from xdsl.dialects.builtin import f32, f64, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.deformable import DeformedWindow, deformed_convolution
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.regions import aligned_regions
from mlc.frontends.operators.selection import count_of, order_of, shortened
from mlc.frontends.operators.suppression import Boxes, all_left, chosen_boxes
from mlc.frontends.operators.to_graph import Results
from mlc.frontends.torch.to_graph._calls import Call
from mlc.frontends.torch.to_graph._patterns import converts

_converts = partial(converts, domain="torchvision")


@_converts("nms")
def nms(b: Call, dets: SSAValue, scores: SSAValue, iou_threshold: float) -> Results:
    """The boxes `x, y, x, y` that are chosen, the best first; equal scores go by their places."""
    count, computed = shape_of(scores)[0], f64 if element_of(dets) == f64 else f32
    low_x, low_y, high_x, high_y = (
        b.reshape(b.slice(b.cast(dets, computed), 1, i, i + 1), (1, count)) for i in range(4)
    )
    area = b.mul(b.sub(high_x, low_x), b.sub(high_y, low_y))
    left = all_left(b, b.reshape(b.cast(scores, computed), (1, 1, count)))
    boxes = Boxes(low_y, low_x, high_y, high_x, area)
    chosen = chosen_boxes(b, boxes, left, b.constant(count), b.number(iou_threshold, left), count)
    flat = b.reshape(chosen, (count,))
    found = b.compare("ge", flat, b.number(0, flat))
    ordered = b(graph.GatherOp, flat, order_of(b, found), 0)
    return shortened(b, b(graph.MaxOp, ordered, b.number(0, ordered)), 0, count_of(b, found))


@_converts("roi_align")
def roi_align(
    b: Call, input: SSAValue, rois: SSAValue, spatial_scale: float, pooled_height: int, pooled_width: int,
    sampling_ratio: int, aligned: bool,
) -> Results:  # fmt: skip
    """Means of samples in the bins of regions, of which each is the number of an image and two corners `x, y, x, y`."""
    if shape_of(rois)[1:] != (5,):
        raise Unconvertible(f"regions are {rois.type}; required: the number of an image and four coordinates each")
    computed = f64 if element_of(input) == f64 else f32
    batches = b.cast(b.reshape(b.slice(rois, 1, 0, 1), shape_of(rois)[:1]), i64)
    b.require_places(batches, shape_of(input)[0])
    scaled = b.scaled(b.cast(b.slice(rois, 1, 1, 5), computed), spatial_scale)
    corners = b.sub(scaled, b.number(0.5, scaled)) if aligned else scaled
    bins = pooled_height, pooled_width
    return aligned_regions(b, b.cast(input, computed), corners, batches, bins, sampling_ratio, 0 if aligned else 1)


@_converts("deform_conv2d")
def deform_conv2d(
    b: Call, input: SSAValue, weight: SSAValue, offset: SSAValue, mask: SSAValue, bias: SSAValue, stride_h: int,
    stride_w: int, pad_h: int, pad_w: int, dilation_h: int, dilation_w: int, groups: int, offset_groups: int,
    use_mask: bool,
) -> Results:  # fmt: skip
    """A convolution whose windows read where offsets say, times a mask if it is used."""
    pads = pad_h, pad_w
    window = DeformedWindow((stride_h, stride_w), (dilation_h, dilation_w), pads, pads, groups, offset_groups)
    return deformed_convolution(b, input, weight, offset, mask if use_mask else None, bias, window)
