"""`apply-schedule`: carry out the steps of each function's schedule."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.passes.base import Pass
from mlc.passes.loop._nests import functions_with_loops, inline_single_iterations
from mlc.passes.loop._plugin_steps import blamed_on_plugin
from mlc.passes.loop.steps.base import LoopStep, Scheduling
from mlc.passes.pipeline import ACCURACIES
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError
from mlc.support.locations import error_at
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class ApplySchedulePass(Pass):
    """Carry out the `schedule` attribute of each function, step by step, and take it off.

    Each step is the transformation of the pass of that name, applied to all loops that it names; in the end, loops that
    run once are gone.

        schedule = #loop.schedule<[tile(n, 16), vectorize(ni)]>

    tiles every loop `n` and turns every loop `ni` into vectors. A step that names no loop of the function is an error;
    a step that a loop does not allow leaves that loop as it is, with a remark. So do steps for loops that would pack an
    argument if that is refused, and steps that say otherwise what one in front of them has settled: of `clang(2)`
    and `clang(3)` the first holds. In a schedule that a person wrote that is a warning, and so is a step that changes
    nothing.
    """

    name = "apply-schedule"
    rounding = Rounding(4, "steps may split a sum into partial ones, and leave out padding", skips_zeros=True)

    accuracy: str = "exact"
    """Whether steps may make errors larger than those of functions as a rule are: "exact" or "fast"."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if self.accuracy not in ACCURACIES:
            raise UserError(f"{self.name}: found accuracy '{self.accuracy}'; required: {' or '.join(ACCURACIES)}")
        scheduling = Scheduling(module, ctx, self.accuracy)
        for function in functions_with_loops(module):
            schedule = function.attributes.get("schedule")
            if not isinstance(schedule, ScheduleAttr):
                continue
            is_own = (function.sym_name.data, schedule) not in ctx.rule_schedules
            for step in schedule.steps:
                (_apply_or_warn if is_own else apply_step)(step, function, scheduling)
            inline_single_iterations(function)
            del function.attributes["schedule"]


def _apply_or_warn(step: Step, function: func.FuncOp, scheduling: Scheduling) -> None:
    """`apply_step`, where what a person asked for and did not get is a warning."""
    ctx, before = scheduling.ctx, function.clone()
    known = len(ctx.remarks)
    apply_step(step, function, scheduling)
    refusals = ctx.remarks[known:]
    del ctx.remarks[known:]
    ctx.warnings += [replace(r, message=f"schedule step '{step.spelling}': {r.message}") for r in refusals]
    if not refusals and function.is_structurally_equivalent(before):
        ctx.warn(function, f"schedule step '{step.spelling}' changes nothing")


def apply_step(step: Step, function: func.FuncOp, scheduling: Scheduling) -> None:
    """Carry out one step on all loops of `function` that it names; where a loop does not allow it is a remark.

    Raises:
        UserError: it names no loop, or an argument that is none, or it is a plugin's and does nothing to
            loops, fails, or leaves IR that does not verify.
    """
    if not isinstance(step, LoopStep):
        raise error_at(function, f"schedule step '{step.spelling}' is no LoopStep: nothing carries it out")
    try:
        with blamed_on_plugin(step, function):
            step.apply(function, scheduling)
    except (UserError, CompilerBug):
        raise
    except Exception as e:
        e.add_note(f"in the schedule step '{step.spelling}' of '{function.sym_name.data}'")
        raise
