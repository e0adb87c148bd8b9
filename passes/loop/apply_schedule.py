"""`apply-schedule`: carry out the steps of each function's schedule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from mlc.dialects.loop import ForOp, ScheduleAttr, StepAttr
from mlc.passes.base import Pass
from mlc.passes.loop._legality import Refused, remark_if_refused
from mlc.passes.loop._nests import functions_with_loops, inline_single_iterations, loops_named
from mlc.passes.loop.block_sums import sum_in_blocks
from mlc.passes.loop.fuse_loops import fuse
from mlc.passes.loop.hoist_reduction import hoist_reduction_or_remark
from mlc.passes.loop.interchange import interchange_around
from mlc.passes.loop.pack import NoSuchArgument, Packer
from mlc.passes.loop.parallelize import spread
from mlc.passes.loop.prefetch import prefetch_or_remark
from mlc.passes.loop.split_reduction import split_reduction_or_remark
from mlc.passes.loop.tile import tile
from mlc.passes.loop.unpad import unpad_or_remark
from mlc.passes.loop.unroll import unroll
from mlc.passes.loop.vectorize import vectorize_or_remark
from mlc.passes.loop.vectorize_reduction import vectorize_reduction_or_remark
from mlc.support.context import CompilerContext
from mlc.support.locations import error_at
from mlc.support.rounding import Rounding

MOST_LANES = 256
MOST_COPIES = 256
MOST_OPS = 20_000
"""The most that one unrolled loop becomes: far more than a cache of instructions holds, and a second to compile."""

_LoopStep = Callable[[ForOp, StepAttr, CompilerContext], None]
_StepFunction = Callable[[list[ForOp], StepAttr, CompilerContext], None]
"""What carries out a step on the loops that it names, innermost first."""


@dataclass(frozen=True)
class ApplySchedulePass(Pass):
    """Carry out the `schedule` attribute of each function, step by step, and take it off.

    Each step is the transformation of the pass of that name, applied to all loops that it names; in the end, loops that
    run once are gone.

        schedule = #loop.schedule<[tile(n, 16), vectorize(ni)]>

    tiles every loop `n` and turns every loop `ni` into vectors. A step that names no loop of the function is an error;
    a step that a loop does not allow leaves that loop as it is, with a remark, and so do steps for the loops that would
    pack an argument if that is refused. In a schedule that a person wrote that is a warning, and so is a step that
    changes nothing.
    """

    name = "apply-schedule"
    rounding = Rounding(4, "steps may split a sum into partial ones, and leave out padding", skips_zeros=True)

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        packer = Packer.of(module, ctx)
        for function in functions_with_loops(module):
            schedule = function.attributes.get("schedule")
            if not isinstance(schedule, ScheduleAttr):
                continue
            is_own = (function.sym_name.data, schedule) not in ctx.rule_schedules
            for step in schedule.steps:
                (_apply_or_warn if is_own else apply_step)(step, function, packer)
            inline_single_iterations(function)
            del function.attributes["schedule"]


def _apply_or_warn(step: StepAttr, function: func.FuncOp, packer: Packer) -> None:
    """`apply_step`, where what a person asked for and did not get is a warning."""
    ctx, before = packer.ctx, function.clone()
    known = len(ctx.remarks)
    apply_step(step, function, packer)
    refusals = ctx.remarks[known:]
    del ctx.remarks[known:]
    ctx.warnings += [replace(r, message=f"schedule step '{step.spelling}': {r.message}") for r in refusals]
    if not refusals and function.is_structurally_equivalent(before):
        ctx.warn(function, f"schedule step '{step.spelling}' changes nothing")


def apply_step(step: StepAttr, function: func.FuncOp, packer: Packer) -> None:
    """Carry out one step on all loops of `function` that it names; where a loop does not allow it is a remark.

    Raises:
        UserError: it names no loop, or an argument that is none.
    """
    name = step.loop_names[-1 if step.action.data == "pack" else 0]
    # Innermost first: what a step does to a loop must not hide the loops inside it.
    loops = list(reversed(loops_named(function, name)))
    if not loops:
        if packer.has_refused(function, name):
            return
        present = dict.fromkeys(op.dim.data for op in function.walk() if isinstance(op, ForOp))
        raise error_at(
            function,
            f"schedule step '{step.spelling}' names no loop of '{function.sym_name.data}', "
            f"which has the loops {', '.join(present) or '(none)'}",
        )
    if step.action.data == "pack":
        try:
            packer.pack_or_remark(function, step.loop_names[0], loops)
        except NoSuchArgument as e:
            raise error_at(function, f"schedule step '{step.spelling}': {e}") from None
    else:
        _STEPS[step.action.data](loops, step, packer.ctx)


def _each(transform: _LoopStep) -> _StepFunction:
    """A step that works on the loops one by one."""

    def apply(loops: list[ForOp], step: StepAttr, ctx: CompilerContext) -> None:
        for loop in loops:
            transform(loop, step, ctx)

    return apply


def _tile(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    del ctx
    tile(loop, step.sizes.data[0].data)


def _fuse(loops: list[ForOp], step: StepAttr, ctx: CompilerContext) -> None:
    del step
    fuse(list(reversed(loops)), ctx)


def _interchange(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    interchange_around(loop, step.loop_names, ctx)


def _unpad(loops: list[ForOp], step: StepAttr, ctx: CompilerContext) -> None:
    function: Operation | None = loops[0]
    while function is not None and not isinstance(function, func.FuncOp):
        function = function.parent_op()
    assert function is not None
    unpad_or_remark(function, step.loop_names, ctx)


def _vectorize(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    lanes = step.sizes.data[0].data if step.sizes.data else None
    vectorize_or_remark(loop, MOST_LANES, ctx, lanes)


def _vectorize_reduction(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    vectorize_reduction_or_remark(loop, step.sizes.data[0].data, ctx)


def _split_reduction(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    split_reduction_or_remark(loop, step.sizes.data[0].data, ctx)


def _block_sums(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    with remark_if_refused(ctx, loop, f"loop '{loop.dim.data}' not summed in blocks"):
        if not sum_in_blocks(loop, step.sizes.data[0].data):
            raise Refused("it carries no sum of floats")


def _hoist_reduction(loops: list[ForOp], step: StepAttr, ctx: CompilerContext) -> None:
    # In program order: what is left over of a tiled loop takes up the values of the blocks before it.
    for loop in reversed(loops):
        hoist_reduction_or_remark(loop, step.loop_names[1], ctx)


def _unroll(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    del step
    copies = len(loop.range)
    with remark_if_refused(ctx, loop, f"loop '{loop.dim.data}' not unrolled"):
        if copies > MOST_COPIES:
            raise Refused(f"{copies} iterations; tile it first")
        if (size := copies * sum(1 for _ in loop.body.walk())) > MOST_OPS:
            raise Refused(f"it would become {size} ops")
        unroll(loop)


def _prefetch(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    del step
    prefetch_or_remark(loop, ctx)


def _parallel(loop: ForOp, step: StepAttr, ctx: CompilerContext) -> None:
    del step
    if not spread(loop):
        ctx.remark(loop, f"loop '{loop.dim.data}' not spread over threads: its iterations depend on each other")


_STEPS: dict[str, _StepFunction] = {
    "tile": _each(_tile),
    "fuse": _fuse,
    "unpad": _unpad,
    "interchange": _each(_interchange),
    "vectorize": _each(_vectorize),
    "vectorize_reduction": _each(_vectorize_reduction),
    "split_reduction": _each(_split_reduction),
    "block_sums": _each(_block_sums),
    "hoist_reduction": _hoist_reduction,
    "unroll": _each(_unroll),
    "prefetch": _each(_prefetch),
    "parallel": _each(_parallel),
}
