"""Schedules that are being written: which step and which argument a position is in, and the loops that may be named.

Both are found in the text as it stands. While a schedule is typed, the function that has it cannot be read.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import make_step
from mlc.support.errors import UserError
from mlc.syntax.words import counted

_SCHEDULE = "#loop.schedule<"
_LONGEST = 10_000
"""How many characters before a position a schedule is searched for."""
_STEP = re.compile(r"([a-z][a-z0-9_]*)\(([^()]*)(\)?)")
_FUNCTION = re.compile(r"\bfunc\.func\b")
_DIMS = re.compile(r"\b(?P<word>over|reduce)\s*\((?P<dims>[^()]*)\)")
_DIM = re.compile(r"([A-Za-z_]\w*)\s*:\s*(\d+)")
_LOOP = re.compile(r'\bloop\.for\b[^"\n]*"([A-Za-z_]\w*)"')


@dataclass(frozen=True)
class WrittenStep:
    """A step of a schedule, as far as it is written."""

    name: str
    arguments: Sequence[str]
    """Those before the position that was asked about, the one that it is in being the last."""


@dataclass(frozen=True)
class WrittenSchedule:
    """A schedule, as far as it is written before a position."""

    steps: Sequence[WrittenStep]
    """Those that are complete."""
    open_step: WrittenStep | None
    """The one whose arguments the position is in."""


def schedule_before(text: str, position: int) -> WrittenSchedule | None:
    """The part before a position of the schedule that the position is in; None if it is in none."""
    begin = max(position - _LONGEST, 0)
    start = text.rfind(_SCHEDULE, begin, position)
    written = text[start + len(_SCHEDULE) : position]
    if start < 0 or ">" in written:
        return None
    steps: list[WrittenStep] = []
    for name, arguments, closed in _STEP.findall(written):
        step = WrittenStep(name, [each.strip() for each in arguments.split(",")])
        if not closed:
            return WrittenSchedule(steps, step)
        steps.append(step)
    return WrittenSchedule(steps, None)


def loops_at(text: str, position: int, steps: Sequence[WrittenStep]) -> dict[str, str]:
    """The loops of the function around a position once some steps are carried out, and how long they are, in words."""
    starts = [match.start() for match in _FUNCTION.finditer(text)]
    start = max((at for at in starts if at <= position), default=0)
    end = min((at for at in starts if at > position), default=len(text))
    plan = _plan(text[start:end])
    for step in steps:
        try:
            made = make_step(step.name, [int(each) if each.isdecimal() else each for each in step.arguments if each])
        except (UserError, TypeError):
            continue  # an error of the text, which is told elsewhere
        made.follow(plan)
    return {name: counted(trips, "iteration") if trips else "" for name, trips in plan.trips.items()}


def _plan(function: str) -> LoopPlan:
    plan = LoopPlan()
    for found in _DIMS.finditer(function):
        dims = {name: int(size) for name, size in _DIM.findall(found["dims"])}
        plan.trips |= dims
        if found["word"] == "reduce":
            plan.serial |= dims.keys()
    for name in _LOOP.findall(function):
        plan.trips.setdefault(name, 0)
    return plan
