"""`schedule`: choose how each kernel's loops are shaped."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp, f32, i8
from xdsl.ir import Attribute, BlockArgument

from mlc.analysis.constant_arguments import bytes_of_constants, constant_arguments
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.dialects.loop.unpack import LEAST, MOST
from mlc.dialects.tensor import StructuredOp, TileMapOp
from mlc.pass_manager.base import Pass
from mlc.reference.constants import constant_data
from mlc.schedules.choice import choose
from mlc.schedules.schedule_template import ORDER, Candidate, TensorKernel, candidates_of, template_and_candidates
from mlc.schedules.templates.row import stride_along
from mlc.support.context import CompilerContext, RuleSchedule
from mlc.support.dtypes import is_computed, to_numpy
from mlc.support.functions import is_private
from mlc.support.types import element_type
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


def choose_steps(
    kernel: TensorKernel, ctx: CompilerContext, *, estimates: bool
) -> tuple[Sequence[Step], tuple[ScheduleAttr, ...] | None]:
    """The steps for a kernel by the default rules, and perhaps by estimates; none if it is best left as it is.

    With them come what `RuleSchedule` keeps: the other candidates of a template of mlc's own.
    """
    template, candidates = template_and_candidates(kernel)
    is_own = template in ORDER
    # The default is never only shown.
    each = list(takewhile(lambda candidate: not candidate.is_only_shown, candidates))
    chosen = choose(iter(each), kernel, ctx, is_own=is_own) if estimates else next(iter(each), None)
    if chosen is None:
        ctx.remark(kernel.function, f"not vectorized: {_why_scalar(kernel.ops)}")
        return (), None
    others = tuple(ScheduleAttr.of(candidate.steps) for candidate in each if candidate is not chosen)
    return chosen.steps, others if is_own else None


def candidates_for(
    kernel: func.FuncOp, module: ModuleOp, ctx: CompilerContext, machine: Machine
) -> Iterator[Candidate]:
    """All candidates for `kernel`, a function of `module` at the tensor level; computed as it is asked."""
    seen = kernel_of(kernel, module, ctx, machine)
    return iter(()) if seen is None else candidates_of(seen)


def kernel_of(kernel: func.FuncOp, module: ModuleOp, ctx: CompilerContext, machine: Machine) -> TensorKernel | None:
    """`kernel`, a function of `module` at the tensor level, as rules see it; None if there is nothing to schedule."""
    constants, weights = constant_arguments(module), bytes_of_constants(module)
    return tensor_kernel(kernel, machine, constants, ctx.clone(), {}, weights)


def tensor_kernel(
    kernel: func.FuncOp,
    machine: Machine,
    constants: Mapping[tuple[str, int], Sequence[Attribute]],
    ctx: CompilerContext,
    widths: Mapping[tuple[str, int], int],
    weights: int = 0,
) -> TensorKernel | None:
    """A kernel as rules see it; None, with a remark if that is not obvious, if there is nothing to schedule."""
    ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp | TileMapOp)]
    if not ops:
        return None
    elements = {element_type(v.type) for op in ops for v in (*op.inputs, op.result)}
    if unknown := [str(element) for element in elements if not is_computed(element)]:
        ctx.remark(kernel, f"no schedule: mlc does not compute with elements of type {', '.join(sorted(unknown))}")
        return None
    bits = max(to_numpy(element).itemsize * 8 for element in elements)
    structured = [op for op in ops if isinstance(op, StructuredOp)]
    short_bits = _short_bits(structured, kernel.sym_name.data, constants, ctx)
    return TensorKernel(
        kernel, structured, machine.lanes(max(bits, 32)), machine, constants, widths, weights, short_bits
    )


def _short_bits(
    ops: Sequence[StructuredOp],
    name: str,
    constants: Mapping[tuple[str, int], Sequence[Attribute]],
    ctx: CompilerContext,
) -> dict[tuple[str, int], int]:
    """The arguments of a kernel that are constants of i8 and factors of products, and all from -8 to 7.

    Where products are integers, all from 0 to 15, or to 3, whose bits are fewer.
    """
    factors = {v: element_type(op.result.type) == f32 for op in ops if op.contracts for v in op.inputs}
    found: dict[tuple[str, int], int] = {}
    for argument, is_signed in factors.items():
        if not isinstance(argument, BlockArgument) or element_type(argument.type) != i8:
            continue
        key = name, argument.index
        limits = {4: (LEAST, MOST)} if is_signed else {2: (0, 3), 4: (0, 15)}
        values = set(constants.get(key, ()))
        names = [value.resource_handle.data for value in values if isinstance(value, DenseResourceAttr)]
        if values and all(each in ctx.resources for each in names):
            arrays = [constant_data(value, ctx.resources) for value in values]
            low, high = min(array.min() for array in arrays), max(array.max() for array in arrays)
            bits = [bits for bits, (least, most) in limits.items() if least <= low and high <= most]
            if bits:
                found[key] = bits[0]
    return found


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


def _why_scalar(ops: Sequence[StructuredOp]) -> str:
    """Why no dim can become vectors."""
    root = ops[-1]
    if not root.num_parallel:
        return "the result is one number"
    name = root.dim_names[root.num_parallel - 1]
    for op in ops:
        dim = op.num_parallel - 1
        if dim >= 0 and op.dim_names[dim] == name and (operand := stride_along(op, dim)) is not None:
            return f"{op.name} does not read operand {operand} consecutively along '{name}', its last dim"
    return f"nothing is read consecutively along '{name}', its last dim"
