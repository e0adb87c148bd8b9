"""`inline-kernels`: what a loop calls for a few numbers becomes a part of the loop."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import is_side_effect_free

from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, YieldOp
from mlc.pass_manager.base import Pass
from mlc.schedules.steps.unroll import unroll
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private
from mlc.support.ir import inlined


@dataclass(frozen=True)
class InlineKernelsPass(Pass):
    """Replace calls of small kernels by straight-line code, in loops.

        loop.for serial "step" %step = 0 to 1000 iter_args(%y = %start) -> (memref<3xf32>) {
          call @half(%y, %t)                      // %t[d0] = %y[d0] * 0.5, for 3 numbers
          call @decay(%t, %next)
    ->
          %a = loop.load %y[0]
          %b = arith.mulf %a, %half
          loop.store %b, %t[0]                    // `forward-stores` leaves nothing of %t
          ...

    The step of a solver, a filter or a simulation computes with a few numbers, but in kernels, as a layer of a network
    does. There the calls, and the way of each number through memory, take most of the time. Loops in such kernels, and
    small ones around the calls, are unrolled. A kernel that is called elsewhere too is kept for that; calls outside of
    loops stay, for they run once. What several kernels share, `schedule` has decided before: a kernel this small has no
    use of vectors.
    """

    name = "inline-kernels"

    max_ops: int = 128
    """The most operations that a call of a kernel may execute, loads and stores included."""
    max_body: int = 4096
    """The most operations that a loop takes in, for the sake of the instruction cache and of the time to compile."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        kernels = {f.sym_name.data: f for f in functions_with_loops(module) if is_private(f)}
        sizes = {name: _executed(kernel.body.blocks) for name, kernel in kernels.items()}
        small = {name: size for name, size in sizes.items() if size is not None and size <= self.max_ops}
        for function in functions_with_loops(module):
            for block in _bodies_of_loops(function):
                self._inline_into(block, kernels, small, ctx)
        _erase_uncalled(module, kernels.values())

    def _inline_into(
        self, block: Block, kernels: dict[str, func.FuncOp], small: dict[str, int], ctx: CompilerContext
    ) -> None:
        calls = [op for op in block.ops if isinstance(op, func.CallOp) and op.callee.string_value() in small]
        total = sum(small[call.callee.string_value()] for call in calls)
        if not calls:
            return
        if total > self.max_body:
            ctx.remark(calls[0], f"small kernels are called: {total} operations; a loop takes {self.max_body}")
            return
        for call in calls:
            name = call.callee.string_value()
            ctx.remark(call, f"'{name}' is a part of the loop: {small[name]} operations")
            copies, _ = inlined(kernels[name].body.block, call.operands)
            Rewriter.insert_op(copies, InsertPoint.before(call))
            Rewriter.erase_op(call)
        for loop in [op for op in block.ops if isinstance(op, ForOp)]:
            size = _executed_by(loop)
            if size is not None and size <= self.max_ops:
                for inner in reversed([op for op in loop.walk() if isinstance(op, ForOp)]):
                    unroll(inner)


def _bodies_of_loops(function: func.FuncOp) -> Iterator[Block]:
    """The blocks in a function that may run more than once: all but its own; those inside come first."""
    for op in function.walk(reverse=True, region_first=True):
        if op is not function:
            yield from (block for region in op.regions for block in region.blocks)


def _executed(blocks: Iterable[Block]) -> int | None:
    """How many operations a run of the only one of `blocks` executes; None if nobody knows, or there are several."""
    found: Sequence[Block] = list(blocks)
    if len(found) != 1:
        return None
    total = 0
    for op in found[0].ops:
        if (count := _executed_by(op)) is None:
            return None
        total += count
    return total


def _executed_by(op: Operation) -> int | None:
    """How many operations an op is, or its iterations are; None for what is neither arithmetic nor access."""
    if isinstance(op, ForOp):
        body = _executed(op.body.blocks)
        return None if body is None else body * len(op.range)
    if isinstance(op, memref.AllocOp | arith.ConstantOp | YieldOp | func.ReturnOp):
        return 0
    return 1 if isinstance(op, LoadOp | StoreOp) or (not op.regions and is_side_effect_free(op)) else None


def _erase_uncalled(module: ModuleOp, kernels: Iterable[func.FuncOp]) -> None:
    called = Counter(op.callee.string_value() for op in module.walk() if isinstance(op, func.CallOp))
    for kernel in kernels:
        if not called[kernel.sym_name.data]:
            Rewriter.erase_op(kernel)
