"""Where the schedule of a kernel is from, and why others that are near to it are not chosen."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import ModuleConstants
from mlc.passes.tensor.schedule import candidates_for, kernel_of
from mlc.schedules.choice import MARGIN, is_estimated
from mlc.schedules.cost.estimate import Estimate
from mlc.support.context import CompilerContext
from mlc.targets.machine import Machine
from mlc.tools.schedule_estimate import RunnerUp, steps_of


@dataclass(frozen=True)
class ScheduleChoice:
    """How the schedule of one kernel was chosen."""

    origin: str
    """Where it is from, in words."""
    own: Estimate
    """That of the schedule."""
    is_estimated: bool
    """Whether estimates of candidates were asked for."""

    @staticmethod
    def of(
        kernel: FuncOp,
        own: Estimate,
        module: ModuleOp,
        ctx: CompilerContext,
        machine: Machine,
        known: ModuleConstants | None = None,
    ) -> ScheduleChoice:
        """That of `kernel`, a function of `module` at the tensor level. `known` are the constants of the module, where
        somebody knows them."""
        seen = kernel_of(kernel, module, ctx, machine, known)
        return ScheduleChoice(
            _origin(kernel, module, ctx, machine, known), own, seen is not None and is_estimated(seen)
        )

    def why_not(self, other: RunnerUp, *, is_candidate: bool) -> str:
        """Why another schedule is not chosen: a candidate of the template, or one that is a step away."""
        if is_candidate and other.is_only_shown:
            return "its estimate tells too little; mlc tune measures it"
        if other.estimate.cycles >= self.own.cycles:
            return "estimated to take longer"
        if not is_candidate:
            return "its template does not propose it; mlc tune measures such schedules"
        if not self.is_estimated:
            return "a kernel so small, or so long, gets the default without an estimate"
        return f"another one than the default has to be estimated to take {MARGIN:.0%} less"


def _origin(
    kernel: FuncOp, module: ModuleOp, ctx: CompilerContext, machine: Machine, known: ModuleConstants | None
) -> str:
    schedule = kernel.attributes.get("schedule")
    if schedule is None:
        return "no schedule"
    own = tuple(steps_of(kernel))
    for number, candidate in enumerate(candidates_for(kernel, module, ctx, machine, known)):
        if candidate.steps == own:
            if not number:
                return "the default of its template"
            return f"a candidate of its template, {candidate.difference}, estimated to take {MARGIN:.0%} less at least"
    is_of_rules = (kernel.sym_name.data, schedule) in ctx.rule_schedules
    return "a record of mlc tune" if is_of_rules else "the text of the model"
