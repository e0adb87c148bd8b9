"""`vectorize-reduction`: keep many partial results side by side, and combine them at the end."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects import arith, math, vector
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.vector import CombiningKindAttr, CombiningKindFlag
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp, LoopKind, YieldOp
from mlc.passes.base import Pass
from mlc.passes.loop._accesses import AccessOp, Index, rewritten_subscripts, set_subscripts
from mlc.passes.loop._nests import functions_with_loops, inline_single_iterations, loops_named
from mlc.passes.loop.tile import peel
from mlc.passes.loop.vectorize import CannotVectorize, Varying, Widener, splat
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.ir import clone, identity_of


@dataclass(frozen=True)
class _Combination:
    """How an op combines the carried value with one more: where it stands, its identity, the op on two results."""

    accumulator: int
    reduction: str
    kind: CombiningKindFlag
    pair: Callable[[SSAValue, SSAValue], Operation]


_COMBINATIONS: dict[type[Operation], _Combination] = {
    arith.AddfOp: _Combination(0, "add", CombiningKindFlag.ADD, arith.AddfOp),
    arith.AddiOp: _Combination(0, "add", CombiningKindFlag.ADD, arith.AddiOp),
    arith.MulfOp: _Combination(0, "mul", CombiningKindFlag.MUL, arith.MulfOp),
    arith.MuliOp: _Combination(0, "mul", CombiningKindFlag.MUL, arith.MuliOp),
    arith.MaximumfOp: _Combination(0, "max", CombiningKindFlag.MAXIMUMF, arith.MaximumfOp),
    arith.MaxSIOp: _Combination(0, "max", CombiningKindFlag.MAXSI, arith.MaxSIOp),
    arith.MinimumfOp: _Combination(0, "min", CombiningKindFlag.MINIMUMF, arith.MinimumfOp),
    arith.MinSIOp: _Combination(0, "min", CombiningKindFlag.MINSI, arith.MinSIOp),
    math.FmaOp: _Combination(2, "add", CombiningKindFlag.ADD, arith.AddfOp),
}


def vectorize_reduction(loop: ForOp, lanes: int) -> None:
    """Let lane `i` of a vector reduce the iterations `i`, `i + lanes`, …; combine the lanes behind the loop.

        s = for k in 0..1024 iter_args(a = 0): a + x[k]
    ->
        v = for k in 0..1024 step 64 iter_args(a = dense<0> : vector<64>): a + x[k] : vector<64>
        s = 0 + vector.reduction <add>, v

    Iterations that fill no vector are reduced one by one at the end. The order in which values are combined changes,
    and is the same in every run.

    Raises:
        CannotVectorize: the loop is no reduction of this form; nothing has been changed.
    """
    block = loop.body.block
    if loop.is_parallel or len(loop.carried) != 1:
        raise CannotVectorize("it does not carry exactly one value")
    if loop.step.value.data != 1:
        raise CannotVectorize(f"its step is {loop.step.value.data}, so lanes would not be consecutive elements")
    combine = loop.yielded[0].owner
    combination = _COMBINATIONS.get(type(combine)) if isinstance(combine, Operation) else None
    accumulator = loop.carried[0]
    if (
        combination is None
        or not isinstance(combine, Operation)
        or combine.parent is not block
        or combine.operands[combination.accumulator] is not accumulator
        or len(list(accumulator.uses)) != 1
    ):
        raise CannotVectorize("what it carries is no sum, product, maximum or minimum")
    trips = len(loop.range)
    if trips < lanes:
        raise CannotVectorize(f"{trips} iterations do not fill {lanes} lanes")
    _check_body(loop, combine)
    if trips % lanes:
        peel(loop, trips - trips % lanes)
    ops, result = _reduce_in_lanes(loop, combine, combination, lanes)
    Rewriter.insert_op(ops, InsertPoint.before(loop))
    loop.results[0].replace_all_uses_with(result)
    loop.detach()
    loop.erase()


def _check_body(loop: ForOp, combine: Operation) -> None:
    for op in loop.body.block.ops:
        if op.regions:
            raise CannotVectorize("there are loops inside")
        if op is not combine and not isinstance(op, AccessOp) and loop.induction_variable in op.operands:
            raise CannotVectorize(f"'{op.name}' uses the counter itself")
    trial, _ = _lane_loop(loop, combine, loop.induction_variable, 1)
    try:
        Varying(trial)
    finally:
        trial.erase()


def _lane_loop(loop: ForOp, combine: Operation, base: SSAValue, lanes: int) -> tuple[ForOp, dict[SSAValue, SSAValue]]:
    """The body without its combination, as a parallel loop over the lanes of one vector that starts at `base`."""
    lane_loop = ForOp(f"{loop.dim.data}i", 0, lanes, kind=LoopKind.PARALLEL)
    lane = lane_loop.induction_variable
    at_lane: Index = ((base, lane), AffineExpr.dimension(0) + AffineExpr.dimension(1))
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
    loop: ForOp, combine: Operation, combination: _Combination, lanes: int
) -> tuple[list[Operation], SSAValue]:
    element = loop.carried[0].type
    identity = identity_of(combination.reduction, element)
    start = splat(identity.result, lanes)
    body = Block(arg_types=[loop.induction_variable.type, start.results[0].type])
    outer = ForOp(
        loop.dim.data, loop.range.start, loop.upper.value.data, lanes, iter_args=[start.results[0]], body=Region(body)
    )
    outer.location = loop.location
    for old, new in zip(loop.body.block.args, body.args, strict=True):
        new.name_hint = old.name_hint
    lane_loop, copies = _lane_loop(loop, combine, body.args[0], lanes)
    widener = Widener(lane_loop, Varying(lane_loop))
    lane_block = lane_loop.body.block
    inside = widener.block_ops(lane_block)
    operands: list[SSAValue] = [
        body.args[1] if position == combination.accumulator else widener.as_vector(copies.get(v, v), lane_block, inside)
        for position, v in enumerate(combine.operands)
    ]
    wide = type(combine).create(
        operands=operands, result_types=[body.args[1].type], properties=dict(combine.properties)
    )
    body.add_ops([*inside, wide, YieldOp(wide.results[0])])
    lane_loop.erase()
    total = vector.ReductionOp.create(
        operands=[outer.results[0]],
        result_types=[element],
        properties={"kind": CombiningKindAttr(combination.kind), "fastmath": arith.FastMathFlagsAttr("none")},
    )
    pair = combination.pair(loop.iter_args[0], total.results[0])
    return [start, outer, total, pair], pair.results[0]


@dataclass(frozen=True)
class VectorizeReductionPass(Pass):
    """Turn the named loops that reduce into loops over vectors of partial results.

    `--vectorize-reduction="loops=k lanes=64"`: see `vectorize_reduction`. More lanes than a register has keep several
    registers busy. A loop that cannot be vectorized stays, with a remark that says why.
    """

    name = "vectorize-reduction"

    loops: tuple[str, ...] = ()
    """The names of the loops."""
    lanes: int = 16
    """How many partial results there are."""

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        if not self.loops or self.lanes < 2:
            raise UserError(
                'vectorize-reduction: expected the names of loops and two or more lanes, as in "loops=k lanes=16"'
            )
        for function in functions_with_loops(module):
            for name in self.loops:
                for loop in reversed(loops_named(function, name)):
                    vectorize_reduction_or_remark(loop, self.lanes, ctx)
            inline_single_iterations(function)


def vectorize_reduction_or_remark(loop: ForOp, lanes: int, ctx: CompilerContext) -> None:
    """Vectorize a reduction if that is possible; say why if it is not."""
    try:
        vectorize_reduction(loop, lanes)
    except CannotVectorize as reason:
        ctx.remark(loop, f"reduction '{loop.dim.data}' not vectorized: {reason}")
