"""From ONNX to the graph dialect: one file per family of operators.

What is exported here is for patterns of `convert-onnx-to-graph`, in this folder or in a plugin: derive from `FromOnnx`,
write graph ops with the `GraphBuilder`, ask the `Node` for operands, shapes, data and attributes, raise `Unconvertible`
where it cannot be done, and register by `lowers("convert-onnx-to-graph", onnx.op("MyOp", "my.domain"))`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlc.frontends.operators.pattern_files import exported

if TYPE_CHECKING:
    from mlc.frontends.onnx.to_graph._node import Node
    from mlc.frontends.onnx.to_graph._patterns import FromOnnx
    from mlc.frontends.operators.graph_builder import GraphBuilder
    from mlc.frontends.operators.refusal import Unconvertible
    from mlc.frontends.operators.to_graph import Results

_FILES = {
    "FromOnnx": "mlc.frontends.onnx.to_graph._patterns",
    "GraphBuilder": "mlc.frontends.operators.graph_builder",
    "Node": "mlc.frontends.onnx.to_graph._node",
    "Results": "mlc.frontends.operators.to_graph",
    "Unconvertible": "mlc.frontends.operators.refusal",
}
"""Imported when they are asked for: the pass is part of every pipeline, and the package `onnx` of few."""


def __getattr__(name: str) -> Any:
    return exported(__name__, _FILES, name)


__all__ = ["FromOnnx", "GraphBuilder", "Node", "Results", "Unconvertible"]
