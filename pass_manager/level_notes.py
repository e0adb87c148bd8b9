"""Telling users of a pass that does nothing because the module is at another level of the IR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TextIO

from xdsl.dialects.builtin import ModuleOp

from mlc.pass_manager.base import Pass
from mlc.pass_manager.instrumentation import Instrumentation
from mlc.pass_manager.ir_levels import LEVEL_OF, LEVELS, LOWER_TO, SOURCE_LEVELS
from mlc.pass_manager.pipeline import level_conversions


@dataclass
class LevelNotes(Instrumentation):
    """Write a note when one of `passes` changes nothing, and the module has no op of the level that it works on."""

    passes: Sequence[Pass]
    """Those that a user asked for by name; the default pipelines may start at any level."""
    stream: TextIO
    _before: list[object] | None = None
    """The contents of the module before a pass that is perhaps misplaced."""

    def before(self, pass_: Pass, module: ModuleOp) -> None:
        misplaced = False
        if pass_.ir_level is not None and any(pass_ is each for each in self.passes):
            present = _levels(module)
            misplaced = bool(present) and pass_.ir_level not in present
        self._before = _contents(module) if misplaced else None

    def after(self, pass_: Pass, module: ModuleOp) -> None:
        if self._before is None or pass_.ir_level is None or self._before != _contents(module):
            return
        found, wanted = _levels(module)[-1], pass_.ir_level
        if advice := _advice(pass_.name, found, wanted):
            self.stream.write(
                f"note: --{pass_.name} changed nothing: it works at the {wanted} level, and the module is at the "
                f"{found} level; {advice}\n"
            )


def _advice(name: str, found: str, wanted: str) -> str | None:
    """Where the pass `name` would do something; None if it is a conversion that has been done."""
    if level_conversions(found, wanted):
        return f"run --{LOWER_TO[wanted]} first"
    behind, *_ = level_conversions(wanted, LEVELS[-1])
    if found in SOURCE_LEVELS:
        return f"--{level_conversions(found, LEVELS[0])[0]} is for that" if name == behind else "it is of no use there"
    below = LEVELS[0] if wanted in SOURCE_LEVELS else LEVELS[LEVELS.index(wanted) + 1]
    return None if name == behind else f"it has to run before --{LOWER_TO[below]}"


def _levels(module: ModuleOp) -> list[str]:
    """The levels that ops of the module belong to, from the highest one down."""
    present = {LEVEL_OF.get(op.dialect_name()) for op in module.walk()}
    return [level for level in (*SOURCE_LEVELS, *LEVELS) if level in present]


def _contents(module: ModuleOp) -> list[object]:
    """What is not the same after any change; ops are equal only to themselves."""
    return [(op, tuple(op.operands), dict(op.properties), dict(op.attributes)) for op in module.walk()]
