"""`schedule`: choose how each kernel's loops are shaped."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from xdsl.dialects import func
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineExpr

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.tensor import ReduceOp, StructuredOp
from mlc.passes.base import Pass
from mlc.passes.tensor._constant_arguments import constant_arguments
from mlc.passes.tensor._contraction_schedule import Step, contraction_of, contraction_steps
from mlc.passes.tensor.deduplicate_kernels import is_private
from mlc.support.affine import split_terms
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type
from mlc.targets.machine import Machine, resolve_target


@dataclass(frozen=True)
class SchedulePass(Pass):
    """Give each kernel a schedule by the default rules; one that has a schedule keeps it.

    | kernel | schedule |
    |---|---|
    | a contraction | a register tile: rows x vectors of accumulators, sized by the machine's registers and the shape |
    | anything else | the last dim as vectors |
    | a reduction along memory | partial results side by side |

    A dim can become vectors if every access goes through it one element at a time, or does not depend on it; a kernel
    where that does not hold gets no schedule, and a remark.

        func.func private @linear(…) attributes {schedule = #loop.schedule<[tile(n, 64), tile(ni, 16), …]>}
    """

    name = "schedule"

    target: str = ""
    """The machine to choose for; the target of the compilation if empty."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        machine = resolve_target(self.target or ctx.target)
        constants = constant_arguments(module)
        for function in module.ops:
            if isinstance(function, func.FuncOp) and is_private(function) and not function.is_declaration:
                if "schedule" in function.attributes:
                    continue
                steps = choose_steps(function, machine, constants, ctx)
                if steps:
                    function.attributes["schedule"] = ScheduleAttr.of(*steps)


def choose_steps(
    kernel: func.FuncOp, machine: Machine, constants: Container[tuple[str, int]], ctx: CompilerContext
) -> list[Step]:
    """The steps for a kernel by the default rules; none if it is best left as it is."""
    ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp)]
    if not ops:
        return []
    root = ops[-1]
    bits = max(to_numpy(element_type(v.type)).itemsize * 8 for op in ops for v in (*op.inputs, op.result))
    lanes = machine.lanes(max(bits, 32))
    contraction = contraction_of(ops)
    if contraction is not None and (steps := contraction_steps(contraction, lanes, machine, constants)):
        return steps
    steps = _reduction_steps(ops, lanes)
    reason = "the result is one number"
    if root.num_parallel:
        last = root.dim_names[root.num_parallel - 1]
        reason = _not_vectorizable(ops, last)
        if reason is None:
            return _result_steps(root, lanes) + steps
    if not steps:
        ctx.remark(kernel, f"not vectorized: {reason}")
    return steps


def _result_steps(root: StructuredOp, lanes: int) -> list[Step]:
    """The last dim of the result as vectors; a register tile if there is a contraction."""
    last = root.dim_names[root.num_parallel - 1]
    return [("tile", last, lanes), ("vectorize", last + "i")]


def _reduction_steps(ops: list[StructuredOp], lanes: int) -> list[Step]:
    """Partial results side by side for reductions that go through memory one element at a time."""
    steps: dict[str, Step] = {}
    for op in ops:
        dim = len(op.dims) - 1
        if not isinstance(op, ReduceOp) or _read_with_stride(op, dim) is not None:
            continue
        # Four registers of partial results hide the latency of additions.
        width = next((w for w in (4 * lanes, lanes) if op.dim_sizes[dim] >= w), None)
        if width is not None:
            steps[op.dim_names[dim]] = ("vectorize_reduction", op.dim_names[dim], width)
    return list(steps.values())


def _not_vectorizable(ops: list[StructuredOp], name: str) -> str | None:
    """Why the dim `name`, the last one of results, cannot become vectors; None if it can."""
    for op in ops:
        dim = op.num_parallel - 1
        if dim >= 0 and op.dim_names[dim] == name and (operand := _read_with_stride(op, dim)) is not None:
            return f"{op.name} does not read operand {operand} consecutively along '{name}', its last dim"
    return None


def _read_with_stride(op: StructuredOp, dim: int) -> int | None:
    """The first operand that depends on a dim but is not read consecutively along it."""
    for operand, affine in enumerate(op.index_maps):
        *outer, last = affine.results or (AffineExpr.constant(0),)
        if split_terms(last).get(dim, 0) not in (0, 1) or any(dim in e.used_dims() for e in outer):
            return operand
    return None
