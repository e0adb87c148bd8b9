"""From PyTorch's operators to the graph dialect: one file per family of operators.

What is exported here is for patterns of `convert-aten-to-graph`, in this folder or in a plugin: functions from a `Call`
and the arguments of an overload, by the names of its schema, to its results, registered by `@converts("add.Tensor")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlc.passes.shared.pattern_files import exported

if TYPE_CHECKING:
    from mlc.passes.aten_to_graph._calls import Call
    from mlc.passes.aten_to_graph._conversion import has_pattern, without_pattern
    from mlc.passes.aten_to_graph._patterns import converts
    from mlc.passes.shared.refusal import Unconvertible
    from mlc.passes.shared.to_graph import Results

_FILES = {
    "Call": "mlc.passes.aten_to_graph._calls",
    "Results": "mlc.passes.shared.to_graph",
    "Unconvertible": "mlc.passes.shared.refusal",
    "converts": "mlc.passes.aten_to_graph._patterns",
    "has_pattern": "mlc.passes.aten_to_graph._conversion",
    "without_pattern": "mlc.passes.aten_to_graph._conversion",
}
"""Imported when they are asked for: the pass is part of every pipeline, and the package `torch` of few."""


def __getattr__(name: str) -> Any:
    return exported(__name__, _FILES, name)


__all__ = ["Call", "Results", "Unconvertible", "converts", "has_pattern", "without_pattern"]
