"""From StableHLO and CHLO to the graph dialect: one file per family of ops.

What is exported here is for patterns of `convert-stablehlo-to-graph`, in this folder or in a plugin: functions from a
`HloCall` to what replaces the results of an op, registered by `@converts("add")`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mlc.frontends.operators.pattern_files import exported

if TYPE_CHECKING:
    from mlc.frontends.operators.refusal import Unconvertible
    from mlc.frontends.stablehlo.to_graph._calls import HloCall, converts

_FILES = {
    "HloCall": "mlc.frontends.stablehlo.to_graph._calls",
    "Unconvertible": "mlc.frontends.operators.refusal",
    "converts": "mlc.frontends.stablehlo.to_graph._calls",
}
"""Imported when they are asked for: the pass is part of every pipeline, and StableHLO of few."""


def __getattr__(name: str) -> Any:
    return exported(__name__, _FILES, name)


__all__ = ["HloCall", "Unconvertible", "converts"]
