"""From ONNX to the graph dialect: one file per family of operators.

What is exported here is for conversions in this folder or in a plugin: functions from a `Node`, which writes graph ops
and has operands, shapes, data and attributes, to what replaces its results, registered by
`@converts("MyOp", domain="my.domain")`. They raise `Unconvertible` where it cannot be done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlc.frontends.operators.pattern_files import exported

if TYPE_CHECKING:
    from mlc.frontends.onnx.to_graph._node import Node
    from mlc.frontends.onnx.to_graph._patterns import FromOnnx, converts
    from mlc.frontends.operators.graph_builder import GraphBuilder
    from mlc.frontends.operators.refusal import Unconvertible
    from mlc.frontends.operators.to_graph import Results

_FILES = {
    "FromOnnx": "mlc.frontends.onnx.to_graph._patterns",
    "GraphBuilder": "mlc.frontends.operators.graph_builder",
    "Node": "mlc.frontends.onnx.to_graph._node",
    "Results": "mlc.frontends.operators.to_graph",
    "Unconvertible": "mlc.frontends.operators.refusal",
    "converts": "mlc.frontends.onnx.to_graph._patterns",
}
"""Imported when they are asked for: the pass is part of every pipeline, and the package `onnx` of few."""


def __getattr__(name: str) -> Any:
    return exported(__name__, _FILES, name)


__all__ = ["FromOnnx", "GraphBuilder", "Node", "Results", "Unconvertible", "converts"]
