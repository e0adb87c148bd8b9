"""From StableHLO and CHLO to the graph dialect: one file per family of ops.

What is exported here is for patterns of `convert-stablehlo-to-graph`, in this folder or in a plugin: functions from a
`HloCall` to what replaces the results of an op, registered by `@converts("add")`.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlc.passes.shared.refusal import Unconvertible
    from mlc.passes.stablehlo_to_graph._calls import HloCall, converts

_FILES = {
    "HloCall": "mlc.passes.stablehlo_to_graph._calls",
    "Unconvertible": "mlc.passes.shared.refusal",
    "converts": "mlc.passes.stablehlo_to_graph._calls",
}
"""Imported when they are asked for: the pass is part of every pipeline, and StableHLO of few."""


def __getattr__(name: str) -> Any:
    if name not in _FILES:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    # mlc's own patterns register first, so that an op with two patterns is an error of who comes second.
    importlib.import_module(f"{__name__}.convert_stablehlo_to_graph").load_patterns()
    return getattr(importlib.import_module(_FILES[name]), name)


__all__ = ["HloCall", "Unconvertible", "converts"]
