"""The steps of a kernel's schedule in words: `tile(n, 64)` makes three blocks of 64 of 200 columns, and one of 8.

A step that the loops do not allow is not described as done: its words are the reason.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import zip_longest

from xdsl.dialects.func import FuncOp

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.tensor import StructuredOp
from mlc.schedules.trial import StepOutcome


def describe_schedule(
    kernel: FuncOp, constants: Container[tuple[str, int]], outcomes: Sequence[StepOutcome] = ()
) -> Iterator[tuple[str, str]]:
    """The steps of the schedule of a kernel at the tensor level, each with what it does here.

    `constants` holds the arguments (name of the kernel, position) that are known when the program is compiled,
    `outcomes` what came of each step; without, all are taken to be allowed.
    """
    schedule = kernel.attributes.get("schedule")
    if not isinstance(schedule, ScheduleAttr):
        return
    plan = plan_of(kernel, constants)
    for step, outcome in zip_longest(schedule.steps, outcomes, fillvalue=None):
        assert step is not None
        reasons = "; ".join(outcome.refusals) if outcome else ""
        if outcome and outcome.refused:
            yield step.spelling, f"refused: {reasons}"
        else:
            but = f", but refused in part: {reasons}" if reasons else ""
            yield step.spelling, step.words(plan) + but
            step.follow(plan)


def plan_of(kernel: FuncOp, constants: Container[tuple[str, int]]) -> LoopPlan:
    """The loops of a kernel before the first step."""

    def is_constant(argument: str) -> bool:
        positions = [v.index for v in kernel.body.block.args if argument == (v.name_hint or f"arg{v.index}")]
        return any((kernel.sym_name.data, position) in constants for position in positions)

    plan = LoopPlan(is_constant=is_constant)
    for op in kernel.body.block.ops:
        if isinstance(op, StructuredOp):
            plan.trips.update(zip(op.dim_names, op.dim_sizes, strict=True))
            plan.serial.update(op.dim_names[op.num_parallel :])
    return plan
