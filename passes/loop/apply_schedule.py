"""`apply-schedule`: carry out the steps of each function's schedule."""

from __future__ import annotations

from dataclasses import dataclass, replace

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp

from mlc.analysis.nests import functions_with_loops, inline_single_iterations
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.base import Pass
from mlc.pass_manager.pipeline_options import require_option
from mlc.passes.loop._own_schedule import apply_first_legal
from mlc.passes.loop._tied_weights import store_once
from mlc.schedules.own_schedules import is_strict
from mlc.schedules.steps.base import Scheduling, apply_step
from mlc.schedules.steps.pack import Packer
from mlc.support.context import CompilerContext
from mlc.support.locations import place_new_ops
from mlc.support.rounding import Rounding


@dataclass(frozen=True)
class ApplySchedulePass(Pass):
    """Carry out the `schedule` attribute of each function, step by step, and take it off.

    Each step is the transformation of the pass of that name, applied to all loops that it names; in the end, loops that
    run once are gone.

        schedule = #loop.schedule<[tile(n, 16), vectorize(ni)]>

    tiles every loop `n` and turns every loop `ni` into vectors. A step that names no loop of the function is an error;
    a step that a loop does not allow leaves that loop as it is, with a remark. So do steps for loops that would pack an
    argument if that is refused, and steps that say otherwise what one before them has settled: of `clang(2)`
    and `clang(3)` the first holds. In a schedule that a person wrote that is a warning, and so is a step that changes
    nothing. In one that mlc's own rules wrote, nothing is an error: a step that names no loop is left out, with a
    remark, and where no valid function comes of that, or a step fails, the next schedule of the candidates is
    taken, at last none.
    """

    name = "apply-schedule"
    rounding = Rounding(4, "steps may split a sum into partial ones, and leave out padding", skips_zeros=True)

    accuracy: str = "exact"
    """Whether steps may make errors larger than those of functions as a rule are: "exact" or "fast"."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        require_option("accuracy", self.accuracy, self.name)
        scheduling, is_lenient = Scheduling(module, ctx, self.accuracy), not is_strict()
        for function in functions_with_loops(module):
            schedule = function.attributes.get("schedule")
            if not isinstance(schedule, ScheduleAttr):
                continue
            rule = ctx.rule_schedules.get((function.sym_name.data, schedule))
            if rule is not None and rule.others is not None and is_lenient:
                others = [each for each in rule.others if isinstance(each, ScheduleAttr)]
                apply_first_legal([schedule, *others], function, scheduling)
            else:
                for step in schedule.steps:
                    if rule is None:
                        _apply_or_warn(step, function, scheduling)
                    else:
                        ctx.remarks += apply_step(step, function, scheduling)
                inline_single_iterations(function)
            function.attributes.pop("schedule", None)
            place_new_ops(function, function.location)
        store_once(module, scheduling.shared(Packer))


def _apply_or_warn(step: Step, function: func.FuncOp, scheduling: Scheduling) -> None:
    """`apply_step`, where what a person asked for and did not get is a warning."""
    ctx, before = scheduling.ctx, function.clone()
    refusals = apply_step(step, function, scheduling)
    ctx.warnings += [replace(r, message=f"schedule step '{step.spelling}': {r.message}") for r in refusals]
    if not refusals and function.is_structurally_equivalent(before):
        ctx.warn(function, f"schedule step '{step.spelling}' changes nothing")
