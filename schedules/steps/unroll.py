"""`unroll`: replace loops by copies of their bodies, jammed into the loops inside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import (
    CounterValue,
    SubscriptedOp,
    constant_index,
    copied_access,
    materialize,
    replace_counter,
)
from mlc.analysis.legality import require_common_ends, require_no_limit, require_only_loops
from mlc.analysis.memory_accesses import is_repeatable
from mlc.dialects.loop import ForOp, LoadOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused
from mlc.support.ir import clone

MOST_COPIES = 256
MOST_OPS = 20_000
"""The most that one unrolled loop becomes: far more than a cache of instructions holds, and a second to compile."""
_FEW_COPIES = 8
"""The iterations of loops that are meant to be unrolled."""


def unroll(loop: ForOp) -> None:
    """Replace `loop` by one copy of its body per iteration.

    The copies of a parallel loop are jammed: loops inside are not copied but hold all copies of their bodies, with one
    set of carried values each. That is what turns a loop over the rows of a tile into a set of register accumulators.

        for mi in 0..2: (acc = for k iter_args(c): c + x[mi, k]); store y[mi]
    ->
        a, b = for k iter_args(c, d): (c + x[0, k], d + x[1, k]); store y[0]; store y[1]

    An op that does not depend on the counter stays one op. The copies of a serial loop follow each other.

    Raises:
        Refused: an op in it, other than loops, has a body of its own; or it is serial and ends at a limit, or
            parallel and a loop in it begins or ends elsewhere in each iteration.
    """
    require_only_loops(loop)
    require_no_limit(loop)
    if loop.is_parallel:
        require_common_ends(loop)
    ops = _jam(loop) if loop.is_parallel else _chain(loop)
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    loop.detach()
    loop.erase()


def _chain(loop: ForOp) -> list[Operation]:
    """The copies of a serial loop's body: each takes what the one before it carried."""
    ops: list[Operation] = []
    carried: Sequence[SSAValue] = loop.iter_args
    for value in loop.range:
        copy = _Copy(dict(zip(loop.carried, carried, strict=True)), {loop.induction_variable: constant_index(value)})
        for op in list(loop.body.block.ops)[:-1]:
            ops += _copied(op, copy)
        carried = [copy.values.get(v, v) for v in loop.yielded]
    for result, value in zip(loop.results, carried, strict=True):
        result.replace_all_uses_with(value)
    return ops


Values = dict[SSAValue, SSAValue]


def _jam(loop: ForOp) -> list[Operation]:
    copies = [_Copy({}, {loop.induction_variable: constant_index(value)}) for value in loop.range]
    return _jam_ops(list(loop.body.block.ops)[:-1], copies)


@dataclass
class _Copy:
    """What one copy of the body sees: its value for each value that differs, its number for the counter."""

    values: Values
    counters: dict[SSAValue, CounterValue]


def _jam_ops(ops: Sequence[Operation], copies: Sequence[_Copy]) -> list[Operation]:
    result: list[Operation] = []
    for op in ops:
        if isinstance(op, ForOp):
            result.append(_jam_loop(op, copies))
        elif _same_for_all(op, copies):
            result.append(shared := clone(op, copies[0].values))
            for copy in copies[1:]:
                copy.values.update(zip(op.results, shared.results, strict=True))
        else:
            for copy in copies:
                result += _copied(op, copy)
    return result


def _same_for_all(op: Operation, copies: Sequence[_Copy]) -> bool:
    """Whether one op serves all copies: nothing that it uses differs, and once is as good as often."""
    first = copies[0]
    if any(v in first.counters or any(c.values.get(v) is not first.values.get(v) for c in copies) for v in op.operands):
        return False
    # Iterations are independent, so what one of them loads no other one writes.
    return isinstance(op, LoadOp) or is_repeatable(op)


def _copied(op: Operation, copy: _Copy) -> list[Operation]:
    if isinstance(op, SubscriptedOp) and any(v in copy.counters for v in op.indices):
        return [copied_access(op, copy.counters, copy.values)]
    if op.regions:
        return [_copied_loop(op, copy)]
    new = clone(op, copy.values)
    before: list[Operation] = []
    for position, operand in enumerate(new.operands):
        if operand in copy.counters:
            ops, value = materialize(copy.counters[operand])
            before += ops
            new.operands[position] = value
    return [*before, new]


def _copied_loop(loop: Operation, copy: _Copy) -> Operation:
    """A copy of a loop inside; counters are replaced where they are used in it."""
    standing = Block(arg_types=[counter.type for counter in copy.counters])
    new = clone(loop, copy.values | dict(zip(copy.counters, standing.args, strict=True)))
    for argument, value in zip(standing.args, copy.counters.values(), strict=True):
        replace_counter(argument, value)
    copy.values.update(zip(loop.results, new.results, strict=True))
    return new


def _jam_loop(loop: ForOp, copies: Sequence[_Copy]) -> ForOp:
    """One loop that holds the bodies of all copies of `loop`, and carries what each of them carries."""
    initial = [copy.values.get(v, v) for copy in copies for v in loop.iter_args]
    block = Block(arg_types=[loop.induction_variable.type, *(v.type for v in initial)])
    jammed = loop.like(initial, Region(block), copies=copies[0].values)  # of which no end differs
    counter = jammed.induction_variable
    counter.name_hint = loop.induction_variable.name_hint
    width = len(loop.iter_args)
    for number, copy in enumerate(copies):
        mine = slice(number * width, (number + 1) * width)
        copy.values[loop.induction_variable] = counter
        for old, new in zip(loop.carried, jammed.carried[mine], strict=True):
            copy.values[old] = new
            new.name_hint = old.name_hint
    block.add_ops(_jam_ops(list(loop.body.block.ops)[:-1], copies))
    block.add_op(YieldOp(*(copy.values.get(v, v) for copy in copies for v in loop.yielded)))
    for number, copy in enumerate(copies):
        mine = slice(number * width, (number + 1) * width)
        copy.values.update(zip(loop.results, jammed.results[mine], strict=True))
    return jammed


def require_short(loop: ForOp) -> None:
    """Check that the copies of a loop's body are not too many.

    Raises:
        Refused: they are.
    """
    copies = len(loop.range)
    if copies > MOST_COPIES:
        raise Refused(f"{copies} iterations; tile it first")
    if (size := copies * sum(1 for _ in loop.body.walk())) > MOST_OPS:
        raise Refused(f"it would become {size} ops")


@dataclass(frozen=True)
class Unroll(LoopStep):
    """each iteration becomes a copy; loops inside a parallel loop carry one value more per copy instead"""

    name = "unroll"
    example = "unroll(ni)"

    loop: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        require_short(loop)
        unroll(loop)

    def outcome(self, loop: ForOp) -> str:
        return f"loop '{loop.dim.data}' not unrolled"

    def words(self, plan: LoopPlan) -> str:
        trips = plan.trips.get(self.loop)
        copies = f"{trips} copies" if trips else "a copy for each iteration"
        if trips == 1:
            return "the one iteration without a loop"
        is_serial = self.loop in plan.serial
        return f"{copies} after each other" if is_serial else f"{copies} side by side, with registers of their own"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return len(loop.range) <= _FEW_COPIES
