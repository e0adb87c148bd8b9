"""From PyTorch's operators to the graph dialect: one file per family of operators.

What is exported here is for patterns of `convert-aten-to-graph`, in this folder or in a plugin: functions from a `Call`
and the arguments of an overload, by the names of its schema, to its results, registered by `@converts("add.Tensor")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlc.frontends.operators.pattern_files import exported

if TYPE_CHECKING:
    from mlc.frontends.operators.refusal import Unconvertible
    from mlc.frontends.operators.to_graph import Results
    from mlc.frontends.torch.to_graph._calls import Call
    from mlc.frontends.torch.to_graph._conversion import has_pattern, without_pattern
    from mlc.frontends.torch.to_graph._patterns import converts

_FILES = {
    "Call": "mlc.frontends.torch.to_graph._calls",
    "Results": "mlc.frontends.operators.to_graph",
    "Unconvertible": "mlc.frontends.operators.refusal",
    "converts": "mlc.frontends.torch.to_graph._patterns",
    "has_pattern": "mlc.frontends.torch.to_graph._conversion",
    "without_pattern": "mlc.frontends.torch.to_graph._conversion",
}
"""Imported when they are asked for: the pass is part of every pipeline, and the package `torch` of few."""


def __getattr__(name: str) -> Any:
    return exported(__name__, _FILES, name)


__all__ = ["Call", "Results", "Unconvertible", "converts", "has_pattern", "without_pattern"]
