"""The schedule that a kernel gets by the default rules: templates propose, estimates decide."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import takewhile

from xdsl.dialects import func
from xdsl.dialects.builtin import DenseResourceAttr, f32, i8
from xdsl.ir import Attribute, BlockArgument

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.dialects.loop.unpack import LEAST, MOST
from mlc.dialects.tensor import StructuredOp, TileMapOp
from mlc.reference.constants import constant_data
from mlc.schedules.choice import choose
from mlc.schedules.schedule_template import ORDER, TensorKernel, template_and_candidates
from mlc.schedules.templates.row import stride_along
from mlc.support.context import CompilerContext
from mlc.support.dtypes import is_computed, to_numpy
from mlc.support.types import element_type
from mlc.targets.machine import Machine


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
