"""Convolutions whose windows read where data says."""

from __future__ import annotations

from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._windows import SlidingWindow
from mlc.frontends.operators.deformable import DeformedWindow, deformed_convolution
from mlc.frontends.operators.refusal import Unconvertible


@converts("DeformConv", rounds_once=True)
def deform_conv(b: Node) -> Results:
    """A column of samples for each window, each at its place in the window and an offset, times the weights."""
    kernel = b.shape(1)[2:]
    w = SlidingWindow.of(b, b[0], kernel)
    if b.ints("kernel_shape", kernel) != list(kernel):
        raise Unconvertible(f"kernel_shape is {b.ints('kernel_shape')}, the weights are {list(b.shape(1))}")
    groups, offset_groups = b.int("group", 1), b.int("offset_group", 1)
    window = DeformedWindow(w.strides, w.dilations, w.low, w.high, groups, offset_groups)
    mask, bias = b.optional(4), b.optional(3)
    return deformed_convolution(b, b[0], b[1], b[2], mask, bias, window)
