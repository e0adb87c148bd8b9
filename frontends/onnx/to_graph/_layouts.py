"""Images with their channels last, as ONNX Runtime moves them for some kernels."""

from __future__ import annotations

from collections.abc import Callable

from xdsl.ir import SSAValue

from mlc.dialects.graph.types import shape_of
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.operators.graph_builder import GraphBuilder


def channels_first(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The last dim moved after the first."""
    rank = len(shape_of(x))
    return b.transpose(x, [0, rank - 1, *range(1, rank - 1)])


def channels_last(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The second dim moved to the end."""
    return b.transpose(x, [0, *range(2, len(shape_of(x))), 1])


def with_channels_last(b: Node, x: SSAValue, operator: Callable[[Node, SSAValue], SSAValue]) -> SSAValue:
    """What an operator for images with channels first gives for one with channels last."""
    return channels_last(b, operator(b, channels_first(b, x)))
