"""`schedule`: choose how each kernel's loops are shaped."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp
from xdsl.ir import Attribute

from mlc.analysis.constant_arguments import ModuleConstants, bytes_of_constants, constant_arguments
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.base import Pass
from mlc.schedules.default_schedule import choose_steps, tensor_kernel
from mlc.schedules.schedule_template import Candidate, TensorKernel, candidates_of
from mlc.support.context import CompilerContext, RuleSchedule
from mlc.support.functions import is_private
from mlc.targets.machine import Machine, resolve_target


@dataclass(frozen=True)
class SchedulePass(Pass):
    """Give each kernel a schedule by the default rules; one that has a schedule keeps it.

    A schedule template proposes several candidates, the default first. Another one is taken where its loops are
    estimated to take a good deal less time, which a remark says. The table describes defaults.
    Where the context has records of measurements (`mlc tune`), the schedule of one that was plainly faster comes first.

    | kernel | schedule |
    |---|---|
    | a contraction | a register tile: rows x vectors of accumulators, sized by the machine's registers and the shape |
    | a transposition | blocks of whole cache lines: vectors along the result, copies along the operand |
    | rows: softmax, norms | all passes over a row before the next row, the last dim as vectors |
    | a reduction along memory | partial results side by side |
    | a sum over the rows of a large matrix | pages of a few rows side by side, sums in the first cache |
    | a map of whole tiles | vectors of the last dim |
    | a depthwise convolution, pooling | blocks of results, their windows written out, channels as vectors |
    | a reduction of columns, anything else | several vectors of the last dim side by side |

    A dim can become vectors if every access goes through it, each element or every other one, or does not depend on it;
    a kernel where that does not hold, and that is not a transposition, gets no schedule, and a remark.

        func.func private @linear(…) attributes {schedule = #loop.schedule<[tile(n, 64), tile(ni, 16), …]>}
    """

    name = "schedule"

    target: str = ""
    """The machine to choose for; the target of the compilation if empty."""
    estimates: bool = True
    """Whether a schedule that is estimated to be plainly cheaper is taken for the default."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        machine = resolve_target(self.target or ctx.target)
        constants = constant_arguments(module)
        widths, weights = _widths_of_panels(constants, ctx), bytes_of_constants(module)
        for function in module.ops:
            if isinstance(function, func.FuncOp) and is_private(function) and not function.is_declaration:
                if "schedule" in function.attributes or len(function.body.blocks) != 1:
                    continue
                steps, others = _recorded_steps(function, module, constants, ctx), None
                if steps is None:
                    kernel = tensor_kernel(function, machine, constants, ctx, widths, weights)
                    steps, others = choose_steps(kernel, ctx, estimates=self.estimates) if kernel else ((), None)
                if steps:
                    function.attributes["schedule"] = chosen = ScheduleAttr.of(steps)
                    ctx.rule_schedules[function.sym_name.data, chosen] = RuleSchedule(others)


def _recorded_steps(
    kernel: func.FuncOp, module: ModuleOp, constants: Container[tuple[str, int]], ctx: CompilerContext
) -> Sequence[Step] | None:
    """The steps of a record that was plainly faster than the rules; None if there is none.

    Variants of a model share panels, as rules know.
    """
    if ctx.records is None or ctx.shared_panels is not None:
        return None
    return ctx.records.best(kernel, module, constants, ctx)


def candidates_for(
    kernel: func.FuncOp,
    module: ModuleOp,
    ctx: CompilerContext,
    machine: Machine,
    known: ModuleConstants | None = None,
) -> Iterator[Candidate]:
    """All candidates for `kernel`, a function of `module` at the tensor level; computed as it is asked. `known` are the
    constants of the module, where somebody knows them."""
    seen = kernel_of(kernel, module, ctx, machine, known)
    return iter(()) if seen is None else candidates_of(seen)


def kernel_of(
    kernel: func.FuncOp,
    module: ModuleOp,
    ctx: CompilerContext,
    machine: Machine,
    known: ModuleConstants | None = None,
) -> TensorKernel | None:
    """`kernel`, a function of `module` at the tensor level, as rules see it; None if there is nothing to schedule."""
    constants = known or ModuleConstants.of(module)
    return tensor_kernel(kernel, machine, constants.arguments, ctx.clone(), {}, constants.bytes)


def _widths_of_panels(
    constants: Mapping[tuple[str, int], Sequence[Attribute]], ctx: CompilerContext
) -> dict[tuple[str, int], int]:
    """How wide the panels of constant arguments are that another variant of the model has packed."""
    shared = ctx.shared_panels
    if shared is None or not shared.widths:
        return {}
    found: dict[tuple[str, int], int] = {}
    for argument, values in constants.items():
        names = [value.resource_handle.data for value in values if isinstance(value, DenseResourceAttr)]
        widths = {shared.widths.get(shared.identity(name, ctx.resources)) for name in names}
        if len(widths) == 1 and (width := widths.pop()) is not None:
            found[argument] = width
    return found
