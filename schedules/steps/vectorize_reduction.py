"""`vectorize-reduction`: keep many partial results side by side, and combine them at the end."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseIntOrFPElementsAttr, VectorType, i1
from xdsl.dialects.vector import CombiningKindAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.accesses import AccessOp, CounterValue, rewritten_subscripts, set_subscripts
from mlc.analysis.legality import largest_block, require_independent, require_reduction
from mlc.analysis.reductions import Combination
from mlc.dialects.arith import SelectOp
from mlc.dialects.loop import ForOp, LoopKind, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.schedules.steps.vectorize import Varying, Widener, next_power_of_two, splat
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused
from mlc.support.ir import clone, drop_overflow_flags, identity_of


def vectorize_reduction(loop: ForOp, lanes: int) -> None:
    """Let lane `i` of a vector reduce the iterations `i`, `i + lanes`, …; combine the lanes after the loop.

        s = for k in 0..1024 iter_args(a = 0): a + x[k]
    ->
        v = for k in 0..1024 step 64 iter_args(a = dense<0> : vector<64>): a + x[k] : vector<64>
        s = 0 + vector.reduction <add>, v

    Iterations that fill no vector are one more step, in which only the first lanes are active and the others keep what
    they have. A loop shorter than `lanes` is such a step alone, with the next power of two of lanes; a loop with a
    limit has as many lanes as that allows. The order in which values are combined changes, and is the same in every
    run.

    Raises:
        Refused: the loop is not a reduction of this form, or its iterations depend on each other through memory.
    """
    reduction = require_reduction(loop)
    combine, combination = reduction.combine, reduction.combination
    if loop.step.value.data != 1:
        raise Refused(f"its step is {loop.step.value.data}, so lanes would not be consecutive elements")
    trips = len(loop.range)
    if trips < 2:
        raise Refused(f"it has {trips} iteration{'s' * (trips != 1)}")
    lanes = largest_block(loop, min(lanes, next_power_of_two(trips)))
    _check_body(loop, combine)
    require_independent(loop)
    ops, result = _reduce_in_lanes(loop, combine, combination, lanes)
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    loop.results[0].replace_all_uses_with(result)
    loop.detach()
    loop.erase()


def _check_body(loop: ForOp, combine: Operation) -> None:
    for op in loop.body.block.ops:
        if op.regions:
            raise Refused("there are loops inside")
        if not isinstance(op, AccessOp) and loop.induction_variable in op.operands:
            raise Refused(f"'{op.name}' uses the counter itself")
    trial, _ = _lane_loop(loop, combine, loop.induction_variable, 1)
    try:
        Varying(trial)
    finally:
        trial.erase()


def _lane_loop(loop: ForOp, combine: Operation, base: SSAValue, lanes: int) -> tuple[ForOp, dict[SSAValue, SSAValue]]:
    """The body without its combination, as a parallel loop over the lanes of one vector that starts at `base`."""
    lane_loop = ForOp(f"{loop.dim.data}i", 0, lanes, kind=LoopKind.PARALLEL)
    lane = lane_loop.induction_variable
    at_lane: CounterValue = ((base, lane), AffineExpr.dimension(0) + AffineExpr.dimension(1))
    copies: dict[SSAValue, SSAValue] = {loop.induction_variable: base}
    inside: list[Operation] = []
    for op in list(loop.body.block.ops)[:-1]:
        if op is combine:
            continue
        inside.append(copy := clone(op, copies))
        if isinstance(copy, AccessOp) and base in copy.indices:
            set_subscripts(copy, *rewritten_subscripts(copy, {base: at_lane}))
    lane_loop.body.block.add_ops([*inside, YieldOp()])
    return lane_loop, copies


def _reduce_in_lanes(
    loop: ForOp, combine: Operation, combination: Combination, lanes: int
) -> tuple[list[Operation], SSAValue]:
    """The ops that replace `loop`, and the value that replaces its result."""
    element = loop.carried[0].type
    identity = identity_of(combination.reduction, element)
    ops: list[Operation] = [splat(identity.result, lanes)]
    full = loop.range.stop - len(loop.range) % lanes
    for values in (range(loop.range.start, full), range(full, loop.range.stop)):
        if values:
            ops.append(_lanes_over(values, loop, combine, lanes, ops[-1].results[0]))
    flags = combine.properties.get("fastmath", arith.FastMathFlagsAttr("none"))
    total = vector.ReductionOp.create(
        operands=[ops[-1].results[0]],
        result_types=[element],
        properties={"kind": CombiningKindAttr(combination.kind), "fastmath": flags},
    )
    pair = combination.pair(loop.iter_args[0], total.results[0])
    return [*ops, total, pair], pair.results[0]


def _lanes_over(values: range, loop: ForOp, combine: Operation, lanes: int, partial: SSAValue) -> ForOp:
    """A loop over these values of the counter, `lanes` at a time, or fewer once, that carries the vector `partial`."""
    body = Block(arg_types=[loop.induction_variable.type, partial.type])
    outer = loop.like([partial], Region(body), range(values.start, values.stop, lanes))
    for old, new in zip(loop.body.block.args, body.args, strict=True):
        new.name_hint = old.name_hint
    active = min(lanes, len(values))
    lane_loop, copies = _lane_loop(loop, combine, body.args[0], active)
    widener = Widener(lane_loop, Varying(lane_loop), lanes)
    lane_block = lane_loop.body.block
    inside = widener.block_ops(lane_block)
    operands: list[SSAValue] = [
        body.args[1] if v is loop.carried[0] else widener.as_vector(copies.get(v, v), lane_block, inside)
        for v in combine.operands
    ]
    step: Operation = type(combine).create(
        operands=operands, result_types=[partial.type], properties=dict(combine.properties)
    )
    drop_overflow_flags(step)  # which hold for sums from the front, not for those of every n-th element
    inside.append(step)
    if active < lanes:
        mask = arith.ConstantOp(_first(active, lanes))
        inside += [mask, step := SelectOp(mask.result, step.results[0], body.args[1])]
    body.add_ops([*inside, YieldOp(step.results[0])])
    lane_loop.erase()
    return outer


def _first(active: int, lanes: int) -> DenseIntOrFPElementsAttr[Any]:
    """A mask that is true in the first lanes."""
    kind: VectorType[Any] = VectorType(i1, [lanes])
    return DenseIntOrFPElementsAttr.from_list(kind, [lane < active for lane in range(lanes)])


@dataclass(frozen=True)
class VectorizeReduction(LoopStep):
    """a loop that reduces keeps 64 partial results, combined at the end"""

    name = "vectorize_reduction"
    example = "vectorize_reduction(k, 64)"

    loop: LoopName
    lanes: int

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        vectorize_reduction(loop, self.lanes)

    def outcome(self, loop: ForOp) -> str:
        return f"reduction '{loop.dim.data}' not vectorized"

    def words(self, plan: LoopPlan) -> str:
        return f"{self.lanes} partial results side by side, combined after the loop"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return bool(loop.carried)
