"""From ONNX to the graph dialect: one file per family of operators.

What is exported here is for patterns of `convert-onnx-to-graph`, in this folder or in a plugin: derive from `FromOnnx`,
write graph ops with the `GraphBuilder`, ask the `Node` for operands, shapes, data and attributes, raise `Unconvertible`
where it cannot be done, and register by `lowers("convert-onnx-to-graph", onnx.op("MyOp", "my.domain"))`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlc.passes.shared.pattern_files import exported

if TYPE_CHECKING:
    from mlc.passes.onnx_to_graph._node import Node
    from mlc.passes.onnx_to_graph._patterns import FromOnnx
    from mlc.passes.shared.graph_builder import GraphBuilder
    from mlc.passes.shared.refusal import Unconvertible
    from mlc.passes.shared.to_graph import Results

_FILES = {
    "FromOnnx": "mlc.passes.onnx_to_graph._patterns",
    "GraphBuilder": "mlc.passes.shared.graph_builder",
    "Node": "mlc.passes.onnx_to_graph._node",
    "Results": "mlc.passes.shared.to_graph",
    "Unconvertible": "mlc.passes.shared.refusal",
}
"""Imported when they are asked for: the pass is part of every pipeline, and the package `onnx` of few."""


def __getattr__(name: str) -> Any:
    return exported(__name__, _FILES, name)


__all__ = ["FromOnnx", "GraphBuilder", "Node", "Results", "Unconvertible"]
