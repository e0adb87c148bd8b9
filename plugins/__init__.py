"""Dialects, passes, steps, frontends, architectures and backends of other people: Python files, packages, or IRDL.

A plugin is a module that holds, at its top, `Dialect` objects and `Pass` classes, and that registers lowering
patterns (`mlc.pass_manager.lowering.lowers`) and reference semantics (`mlc.reference.execution`) for its ops. Nothing
of the compiler has to be edited for it. `docs/writing-a-dialect.md` is the tutorial.

Registries are open, and passes ask what an op says of itself: a graph op says that it maps, contracts, reduces or
moves (`GraphOp`) and is fused accordingly; a structured op says over what it runs and what it computes at a point.
`Additions` (`support/additions.py`) is the part of a registry that plugins fill, by name and origin, so that a
collision names both sides. What a command loads ends with the command (`plugin_scope`). Entry points (`mlc.dialects`,
`mlc.passes`, `mlc.pipelines`, `mlc.steps`, `mlc.frontends`, `mlc.architectures`, `mlc.backends`) are imported when a
text, a pipeline or a target first names them, those that have an effect unasked
(`mlc.placed_passes`, `mlc.templates`) with each compilation. An exception of a
plugin is reported at its line (`support/blame.py`), never as a bug of mlc.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlc.plugins.files import load_dialect, load_pass, load_plugin
    from mlc.plugins.irdl import load_irdl

_FILES, _IRDL = "mlc.plugins.files", "mlc.plugins.irdl"
_HOMES = {
    **dict.fromkeys(("load_dialect", "load_dialect_text", "load_pass", "load_pass_text", "load_plugin"), _FILES),
    **dict.fromkeys(("load_irdl", "load_irdl_text"), _IRDL),
}
"""Imported when they are asked for: command lines that load no plugin start without xDSL."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'mlc.plugins' has no attribute '{name}'")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


__all__ = ["load_dialect", "load_irdl", "load_pass", "load_plugin"]
