"""`split-reduction`: reduce into several results in turn, and combine them at the end."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects.builtin import VectorType
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import AccessOp, rewritten_subscripts, set_subscripts
from mlc.analysis.legality import require_reduction, require_whole_blocks
from mlc.analysis.reductions import Reduction
from mlc.dialects.loop import ForOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.schedules.steps.tile import peel
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused
from mlc.support.ir import clone, drop_overflow_flags, identity_of

_WORTH = 4
"""The fewest iterations that are worth several results."""


def split_reduction(loop: ForOp, parts: int) -> None:
    """Let each of `parts` results reduce every `parts`-th iteration; combine them after the loop.

        s = for k in 0..512 iter_args(a = 0): a + x[k]
    ->
        s, t = for k in 0..512 step 2 iter_args(a = 0, b = 0): a + x[k], b + x[k + 1]
        s + t

    So an iteration does not wait for the one before it. Iterations that are left over follow one by one. The order in
    which values are combined changes, and is the same in every run. (The factoring of reductions in Suriana, Adams and
    Kamil, "Parallel associative reductions in Halide", 2017, which also names it.)

    Raises:
        Refused: the loop is not a reduction of this form; nothing has been changed.
    """
    reduction = require_reduction(loop)
    if isinstance(loop.carried[0].type, VectorType):
        raise Refused("it carries a vector; split it first")
    if parts < 2:
        raise Refused(f"{parts} result is what it has; two or more are needed")
    counter, trips = loop.induction_variable, len(loop.range)
    if trips < 2 * parts:
        raise Refused(f"{trips} iterations are fewer than two for each of {parts} results")
    for op in loop.body.block.ops:
        if op.regions or (not isinstance(op, AccessOp) and counter in op.operands):
            raise Refused(f"'{op.name}' in it is more than the work on one element")
    require_whole_blocks(loop, parts)
    if trips % parts:
        peel(loop, trips - trips % parts)
    ops, result = _split(loop, reduction, parts)
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    loop.results[0].replace_all_uses_with(result)
    loop.detach()
    loop.erase()


def _split(loop: ForOp, reduction: Reduction, parts: int) -> tuple[list[Operation], SSAValue]:
    """The ops that replace `loop`, and the value that replaces its result."""
    values, element = loop.range, loop.carried[0].type
    identity = identity_of(reduction.combination.reduction, element)
    initial = [loop.iter_args[0], *[identity.result] * (parts - 1)]
    body = Block(arg_types=[loop.induction_variable.type, *[element] * parts])
    wide = loop.like(initial, Region(body), range(values.start, values.stop, values.step * parts))
    counter = wide.induction_variable
    counter.name_hint = loop.induction_variable.name_hint
    yielded: list[SSAValue] = []
    for part, accumulator in enumerate(body.args[1:]):
        accumulator.name_hint = loop.carried[0].name_hint
        copies: dict[SSAValue, SSAValue] = {loop.induction_variable: counter, loop.carried[0]: accumulator}
        for op in list(loop.body.block.ops)[:-1]:
            body.add_op(copy := clone(op, copies))
            if op is reduction.combine:
                drop_overflow_flags(copy)  # which hold for sums from the front, not for those of every n-th element
            if isinstance(copy, AccessOp) and counter in copy.indices:
                at = (counter,), AffineExpr.dimension(0) + part * values.step
                set_subscripts(copy, *rewritten_subscripts(copy, {counter: at}))
        yielded.append(copies[loop.yielded[0]])
    body.add_op(YieldOp(*yielded))
    ops: list[Operation] = [identity, wide]
    results = list(wide.results)
    while len(results) > 1:
        pairs = [reduction.combination.pair(a, b) for a, b in zip(results[::2], results[1::2], strict=False)]
        ops += pairs
        results = [*(pair.results[0] for pair in pairs), *results[len(pairs) * 2 :]]
    return ops, results[0]


@dataclass(frozen=True)
class SplitReduction(LoopStep):
    """a loop that reduces keeps 4 results, which take turns, combined at the end"""

    name = "split_reduction"
    example = "split_reduction(k, 4)"

    loop: LoopName
    parts: int

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        split_reduction(loop, self.parts)

    def outcome(self, loop: ForOp) -> str:
        return f"reduction '{loop.dim.data}' not split"

    def words(self, plan: LoopPlan) -> str:
        return f"{self.parts} results that take turns, so that no iteration waits for the one before it"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return len(loop.carried) == 1 and len(loop.range) >= _WORTH
