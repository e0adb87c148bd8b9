"""What a kernel's schedule should cost, and what schedules near to it would, without running any of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.compiler import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import Step
from mlc.passes.loop.cost.estimate import Estimate, estimate
from mlc.passes.loop.plan_memory import PlanMemoryPass
from mlc.passes.loop.steps.tile import Tile
from mlc.passes.manager import PassManager
from mlc.passes.pipeline import default_passes
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.targets.machine import resolve_target
from mlc.tools.lone_kernel import lone_kernel
from mlc.tools.schedule_text import plan_of

_SAME = 0.005
"""The part of an estimate below which nobody sees a difference."""
_MOST_OPS = 20_000
"""What has more ops than this is no schedule that anybody wants."""


@dataclass(frozen=True)
class RunnerUp:
    """A schedule that differs in one step."""

    change: str
    """The difference in words: `tile(n, 128) for tile(n, 64)`, `without prefetch(k)`."""
    estimate: Estimate


def estimate_kernel(
    module: ModuleOp,
    kernel: FuncOp,
    ctx: CompilerContext,
    options: CompileOptions,
    steps: Sequence[Step] | None = None,
) -> Estimate | None:
    """What `kernel`, a function of `module` at the tensor level, takes on one core of the target; both stay.

    With its own schedule, or with `steps`. None if it calls functions that are not in sight, or is far too long.

    Raises:
        UserError: a step names no loop, or an argument that is none.
    """
    alone, own = lone_kernel(module, kernel), ctx.clone()
    (function,) = (op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == kernel.sym_name)
    if steps is not None:
        function.attributes["schedule"] = ScheduleAttr.of(steps)
    # One arena for all buffers would hide which of them an access belongs to.
    passes = [p for p in default_passes(options.opt_level, 1, "loop", "tensor") if not isinstance(p, PlanMemoryPass)]
    PassManager(own).run(alone, passes)
    found = [op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == kernel.sym_name]
    if not found or sum(1 for _ in found[0].walk()) > _MOST_OPS:
        return None
    return estimate(found[0], resolve_target(options.target))


def runners_up(
    module: ModuleOp, kernel: FuncOp, ctx: CompilerContext, options: CompileOptions, most: int
) -> list[RunnerUp]:
    """The best of all schedules that differ from that of `kernel` in one step, by their estimates, the cheapest first.

    A number of a step is half of it or twice as much, or the step is left out. What its loops do not allow is none, nor
    is what makes no difference: an estimate that is the same, or a block that is longer than its loop.
    """
    schedule = kernel.attributes.get("schedule")
    own = estimate_kernel(module, kernel, ctx, options)
    if not isinstance(schedule, ScheduleAttr) or own is None:
        return []
    found: list[RunnerUp] = []
    for change, steps in _one_step_away(kernel, schedule.steps):
        try:
            cost = estimate_kernel(module, kernel, ctx, options, steps)
        except UserError:
            continue
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
                    if other and (other < size or not _is_whole(step, size, plan)):
                        new = replace(step, **{field.name: other})
                        yield f"{new.spelling} for {step.spelling}", [*steps[:place], new, *rest]
        if len(steps) > 1:
            yield f"without {step.spelling}", [*steps[:place], *rest]
        step.follow(plan)


def _is_whole(step: Step, size: int, plan: LoopPlan) -> bool:
    """Whether twice `size` is beyond what a loop that `step` tiles has."""
    return isinstance(step, Tile) and 2 * size > plan.trips.get(step.loop, 2 * size)
