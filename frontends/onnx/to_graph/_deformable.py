"""Convolutions whose windows read where data says."""

from __future__ import annotations

from mlc.dialects import onnx
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import PASS, FromOnnx, Results
from mlc.frontends.onnx.to_graph._windows import SlidingWindow
from mlc.frontends.operators.deformable import DeformedWindow, deformed_convolution
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.pass_manager.lowering import lowers


@lowers(PASS, onnx.op("DeformConv"))
class DeformConv(FromOnnx):
    """A column of samples for each window, each at its place in the window and an offset, times the weights."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        kernel = node.shape(1)[2:]
        w = SlidingWindow.of(node, node.shape()[2:], kernel)
        if node.ints("kernel_shape", kernel) != list(kernel):
            raise Unconvertible(f"kernel_shape is {node.ints('kernel_shape')}, the weights are {list(node.shape(1))}")
        groups, offset_groups = node.int("group", 1), node.int("offset_group", 1)
        window = DeformedWindow(w.strides, w.dilations, w.low, w.high, groups, offset_groups)
        mask, bias = node.optional(4), node.optional(3)
        return deformed_convolution(b, node[0], node[1], node[2], mask, bias, window)
