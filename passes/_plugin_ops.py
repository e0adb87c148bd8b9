"""Which ops of plugins a module holds, and where a plugin says what becomes of them.

If the IR is wrong after a pass that met such ops, their patterns or their meaning are the first to look at.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.passes.lowering import lowering_of
from mlc.support.blame import place_of, plugin_files
from mlc.support.errors import CompilerBug, Note, SourceLocation, UserError


def plugin_ops(module: ModuleOp) -> list[type[Operation]]:
    """The ops of plugins in a module, each once, in the order in which they stand there."""
    if not plugin_files:
        return []
    return [op_type for op_type in dict.fromkeys(type(op) for op in module.walk()) if place_of(op_type) is not None]


@dataclass(frozen=True)
class Suspect:
    """Something of a plugin that may be what is wrong."""

    what: str
    place: SourceLocation


def suspect_of(pass_name: str, op_type: type[Operation]) -> Suspect:
    """What a plugin has for one of its ops in a pass: the pattern that lowers it, or else the op itself."""
    pattern = lowering_of(pass_name, op_type)
    place = place_of(pattern) if inspect.isclass(pattern) else None
    if pattern is not None and place is not None:
        return Suspect(f"'{op_type.name}' was lowered by {getattr(pattern, '__name__', 'a pattern')}", place)
    place = place_of(op_type)
    assert place is not None
    return Suspect(f"'{op_type.name}' was in the module", place)


def error_of_plugin(bug: CompilerBug, suspects: list[Suspect]) -> UserError:
    """What is told instead of a bug in mlc: the same, at the line of the plugin."""
    first, *others = suspects
    notes = [
        Note(f"{first.what}, and means what it is registered to mean; these two have to agree"),
        *(Note(other.what, other.place) for other in others),
        *(Note(line) for line in bug.details.splitlines() if line.startswith("reproducer:")),
    ]
    return UserError(bug.message, first.place, notes)
