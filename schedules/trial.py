"""Which steps of a kernel's schedule its loops allow: the steps are carried out one by one, and watched."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.plain_loops import passes_around_steps
from mlc.schedules.steps.base import Scheduling, apply_step
from mlc.support.context import CompilerContext


@dataclass(frozen=True)
class StepOutcome:
    """What came of a step."""

    refusals: tuple[str, ...]
    """Why loops stayed as they were, each reason once."""
    changed: bool
    """Whether the step changed any loop."""

    @property
    def refused(self) -> bool:
        """Whether no loop allowed the step."""
        return bool(self.refusals) and not self.changed


def try_schedule(module: ModuleOp, kernel: FuncOp, ctx: CompilerContext, options: PipelineOptions) -> list[StepOutcome]:
    """What comes of each step of the schedule of `kernel`, a function of `module` at the tensor level, which stays.

    The list is empty if there is no schedule, or if it is not carried out under `options`.

    Raises:
        UserError: a step names no loop, or an argument that is none.
    """
    schedule = kernel.attributes.get("schedule")
    own, alone = ctx.clone(), lone_kernel(module, kernel)
    if not isinstance(schedule, ScheduleAttr) or not lower_to_plain_loops(alone, own, options):
        return []
    (function,) = (op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == kernel.sym_name)
    return list(outcomes_of(schedule.steps, function, Scheduling(alone, own, options.accuracy)))


def lower_to_plain_loops(module: ModuleOp, ctx: CompilerContext, options: PipelineOptions) -> bool:
    """Take a module at the tensor level to where steps are carried out; False if they are not, under `options`."""
    around = passes_around_steps(options)
    if around is not None:
        PassManager(ctx).run(module, around[0])
    return around is not None


def carries_out_schedules(options: PipelineOptions) -> bool:
    """Whether compilations with these options carry schedules out."""
    return passes_around_steps(options) is not None


def outcomes_of(steps: Iterable[Step], function: FuncOp, scheduling: Scheduling) -> Iterator[StepOutcome]:
    """Carry out steps on the plain loops of `function`, one by one; what came of each.

    Raises:
        UserError: a step names no loop, or an argument that is none.
    """
    for step in steps:
        before = _state(function)
        refusals = dict.fromkeys(each.message for each in apply_step(step, function, scheduling))
        yield StepOutcome(tuple(refusals), _state(function) != before)


def _state(function: FuncOp) -> list[tuple[Operation, object, object, object]]:
    """What differs if any step changes anything: ops are equal only to themselves."""
    return [(op, tuple(op.operands), dict(op.properties), dict(op.attributes)) for op in function.walk()]
