"""Schedules as records keep them: `tile(n, 64), tile(ni, 16)`, in the names of the kernel that was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from xdsl.parser import Parser
from xdsl.utils.exceptions import ParseError

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import ArgumentName, Step, type_hints
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError

Schedule = tuple[Step, ...]


def schedule_text(steps: Sequence[Step]) -> str:
    """The steps as text, without brackets."""
    return ", ".join(step.spelling for step in steps)


def parse_schedule(text: str, ctx: CompilerContext) -> Schedule:
    """The steps that a text spells.

    Raises:
        UserError: it is none, or names a step that does not exist here.
    """
    try:
        attribute = Parser(ctx, f"#loop.schedule<[{text}]>").parse_attribute()
    except ParseError as e:
        raise UserError(f"found the schedule '{text}': {e.args[-1]}") from None
    if not isinstance(attribute, ScheduleAttr):
        raise UserError(f"found the schedule '{text}'; required: steps such as 'tile(n, 64)'")
    return attribute.steps


def with_arguments(steps: Sequence[Step], names: Mapping[str, str]) -> Schedule:
    """The steps with other names for arguments of the kernel; those of loops stay.

    Raises:
        UserError: two arguments of a step get one name.
    """
    return tuple(_renamed(step, names) for step in steps)


def _renamed(step: Step, names: Mapping[str, str]) -> Step:
    hints = type_hints(type(step))
    changes = {
        f.name: names.get(getattr(step, f.name), getattr(step, f.name))
        for f in fields(step)
        if hints[f.name] == ArgumentName
    }
    return replace(step, **changes) if changes else step
