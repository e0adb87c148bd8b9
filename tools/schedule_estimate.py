"""What a kernel's schedule should cost, and what schedules near to it would, without running any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import ModuleConstants
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import Step
from mlc.passes.tensor.schedule import candidates_for
from mlc.schedules.cost.estimate import Estimate
from mlc.schedules.kernel_on_loops import KernelOnLoops
from mlc.schedules.schedule_template import Candidate
from mlc.schedules.steps.tile import Tile
from mlc.support.context import CompilerContext
from mlc.targets.machine import Machine, resolve_target
from mlc.tools.schedule_text import plan_of

_SAME = 0.005
"""The part of an estimate below which nobody sees a difference."""


@dataclass(frozen=True)
class RunnerUp:
    """Another schedule that the kernel could have."""

    change: str
    """The difference in words: `tile(n, 128) for tile(n, 64)`, `without prefetch(k)`; of a candidate, its own."""
    estimate: Estimate
    is_only_shown: bool = False
    """Whether `schedule` does not ask for its estimate, which tells too little, or takes too long."""
    steps: Sequence[Step] = ()
    """Of a candidate, its schedule."""


def kernel_on_loops(
    module: ModuleOp,
    kernel: FuncOp,
    ctx: CompilerContext,
    options: CompileOptions,
    known: ModuleConstants | None = None,
) -> KernelOnLoops:
    """Estimates schedules of `kernel`, a function of `module` at the tensor level, on as many threads as one call may
    use; both stay. `known` are the constants of the module, where somebody knows them."""
    machine, constants = resolve_target(options.target), known or ModuleConstants.of(module)
    return KernelOnLoops(kernel, constants.arguments, ctx, machine, options, constants.bytes)


def steps_of(kernel: FuncOp) -> Sequence[Step]:
    """The schedule of a kernel; no steps if it has none."""
    schedule = kernel.attributes.get("schedule")
    return schedule.steps if isinstance(schedule, ScheduleAttr) else ()


def candidates_beside(
    module: ModuleOp,
    loops: KernelOnLoops,
    kernel: FuncOp,
    ctx: CompilerContext,
    machine: Machine,
    known: ModuleConstants | None = None,
) -> list[RunnerUp]:
    """The candidates for `kernel`, a function of `module` at the tensor level, beside the schedule that it has.

    A candidate whose steps cannot be carried out, as they name a loop that is not there, is a warning.
    """
    own = tuple(steps_of(kernel))
    candidates = [each for each in candidates_for(kernel, module, ctx, machine, known) if each.steps != own]
    estimates: list[tuple[Candidate, Estimate | None]] = []
    for candidate in candidates:
        estimates.append((candidate, loops.estimate(candidate.steps)))
        if loops.problem is not None:
            ctx.warn(kernel, f"the candidate '{candidate.difference}' is left out: {loops.problem}")
    return [
        RunnerUp(candidate.difference or "the default of its template", cost, candidate.is_only_shown, candidate.steps)
        for candidate, cost in estimates
        if cost is not None
    ]


def runners_up(loops: KernelOnLoops, kernel: FuncOp, most: int) -> list[RunnerUp]:
    """The best of all schedules that differ from that of `kernel` in one step, by their estimates, the cheapest first.

    A number of a step is half of it or twice as much, or the step is left out. What its loops do not allow is none, nor
    is what makes no difference: an estimate that is the same, or a block that is longer than its loop.
    """
    if not (schedule := steps_of(kernel)) or (own := loops.estimate(schedule)) is None:
        return []
    found: list[RunnerUp] = []
    for change, steps in _one_step_away(kernel, schedule):
        cost = loops.estimate(steps)
        if cost is not None and abs(cost.cycles - own.cycles) > _SAME * own.cycles:
            found.append(RunnerUp(change, cost))
    return sorted(found, key=lambda each: each.estimate.cycles)[:most]


def _one_step_away(kernel: FuncOp, steps: Sequence[Step]) -> Iterator[tuple[str, list[Step]]]:
    plan = plan_of(kernel, ())
    for place, step in enumerate(steps):
        rest = steps[place + 1 :]
        for field in fields(step):
            size = getattr(step, field.name)
            if isinstance(size, int):
                for other in (size // 2, size * 2):
                    if other in step.numbers and (other < size or not _is_whole(step, size, plan)):
                        new = replace(step, **{field.name: other})
                        yield f"{new.spelling} for {step.spelling}", [*steps[:place], new, *rest]
        if len(steps) > 1:
            yield f"without {step.spelling}", [*steps[:place], *rest]
        step.follow(plan)


def _is_whole(step: Step, size: int, plan: LoopPlan) -> bool:
    """Whether twice `size` is beyond what a loop that `step` tiles has."""
    return isinstance(step, Tile) and 2 * size > plan.trips.get(step.loop, 2 * size)
