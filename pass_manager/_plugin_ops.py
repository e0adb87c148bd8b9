"""Which ops and steps of plugins a module holds, and where a plugin says what becomes of these and of other ops.

If the IR is wrong after a pass that met such ops, their patterns or their meaning are the first to look at. So are
patterns of plugins for ops of mlc, and steps of schedules after the pass that carries them out.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.pass_manager.lowering import PatternFactory, lowerings_for
from mlc.support.blame import place_of, plugin_files
from mlc.support.errors import CompilerBug, Note, SourceLocation, UserError

CARRIES_OUT_STEPS = "apply-schedule"
"""The pass whose work steps of schedules are."""


@dataclass(frozen=True)
class Suspect:
    """Something of a plugin that may be what is wrong."""

    what: str
    place: SourceLocation
    duty: str = "means what it is registered to mean; these two have to agree"
    """What it should have done, in words that follow `and`."""
    is_verified: bool = False
    """Whether invalid IR would have been told when it was made: only results may be wrong."""


def suspects_of(pass_name: str, module: ModuleOp) -> dict[type, Suspect]:
    """What plugins bring that a pass is going to meet in a module, by its class."""
    if not plugin_files:
        return {}
    from mlc.dialects.loop import ScheduleAttr  # a dialect that few texts have, which takes time

    found: dict[type, Suspect] = {}
    for function in module.ops if pass_name == CARRIES_OUT_STEPS else ():
        schedule = function.attributes.get("schedule")
        for step in schedule.steps if isinstance(schedule, ScheduleAttr) else ():
            if (place := place_of(type(step))) is not None:
                what, duty = f"'{step.spelling}' was carried out", "has to keep what loops compute"
                found[type(step)] = Suspect(what, place, duty, is_verified=True)
    for op_type in dict.fromkeys(type(op) for op in module.walk()):
        if (suspect := _suspect_of(pass_name, op_type)) is not None:
            found[op_type] = suspect
    return found


def _suspect_of(pass_name: str, op_type: type[Operation]) -> Suspect | None:
    """What plugins have for ops of a class in a pass: a pattern that lowers them, or else the op itself."""
    for pattern in lowerings_for(pass_name, op_type):
        if (place := _place(pattern)) is not None:
            return Suspect(f"'{op_type.name}' was lowered by {getattr(pattern, '__name__', 'a pattern')}", place)
    place = place_of(op_type)
    return None if place is None else Suspect(f"'{op_type.name}' was in the module", place)


def _place(pattern: PatternFactory) -> SourceLocation | None:
    return place_of(pattern) if inspect.isclass(pattern) else None


def error_of_plugin(bug: CompilerBug, suspects: list[Suspect]) -> UserError:
    """What is told instead of a bug in mlc: the same, at the line of the plugin."""
    first, *others = suspects
    notes = [
        Note(f"{first.what}, and {first.duty}"),
        *(Note(other.what, other.place) for other in others),
        *map(Note, bug.reproducer_lines),
    ]
    return UserError(bug.message, first.place, notes)
