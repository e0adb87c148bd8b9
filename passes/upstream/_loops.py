"""Loops of scf and affine become `loop.for` where their bounds are constants, and `scf.while` where they are values."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import affine, arith
from xdsl.dialects.builtin import DYNAMIC_INDEX
from xdsl.dialects.scf import ConditionOp, ExecuteRegionOp, IndexSwitchOp, ReduceReturnOp, WhileOp
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.dialects import scf
from mlc.dialects.arith import CmpiOp
from mlc.dialects.loop import ForOp, LoopKind, YieldOp
from mlc.dialects.loop.control import enclosing_loops
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.upstream._subscripts import TO_LOOP, constant_index, evaluated, index_constant
from mlc.support.locations import error_at


@lowers(TO_LOOP, scf.ForOp)
class CountingLoop(StatelessPattern):
    """`scf.for %i = %c0 to %c8 step %c1 iter_args(…)` -> `loop.for serial "i" %i = 0 to 8 iter_args(…)`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForOp, rewriter: PatternRewriter) -> None:
        ops, results = _counted(op, op.lb, op.ub, op.step, op.iter_args, op.detach_region(op.body))
        rewriter.replace(op, ops, results)


@lowers(TO_LOOP, scf.ParallelOp)
class ParallelLoops(StatelessPattern):
    """A loop for each counter: parallel ones, or serial ones that carry what is reduced or have values as bounds."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ParallelOp, rewriter: PatternRewriter) -> None:
        bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
        block = op.body.block
        yielded = _reduced(block, carried := [block.insert_arg(v.type, len(block.args)) for v in op.initVals])
        block.add_op(scf.YieldOp(*yielded))
        ops, results = _nest(op, bounds, op.initVals, carried, op.detach_region(op.body))
        rewriter.replace(op, ops, results)


class ParallelToScf(StatelessPattern):
    """`scf.parallel` that reads tensors -> an `scf.for` for each counter, which carries what is reduced."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ParallelOp, rewriter: PatternRewriter) -> None:
        body = op.body.block
        yielded = _reduced(body, carried := [body.insert_arg(v.type, len(body.args)) for v in op.initVals])
        body.add_op(scf.YieldOp(*yielded))
        region = op.detach_region(op.body)
        bounds = list(zip(op.lowerBound, op.upperBound, op.step, strict=True))
        for number in reversed(range(1, len(bounds))):
            loop = scf.ForOp(*bounds[number], carried, _without_outer_counters(region, number, carried))
            region.block.add_ops([loop, scf.YieldOp(*loop.results)])
        rewriter.replace(op, scf.ForOp(*bounds[0], op.initVals, region))


@lowers(TO_LOOP, ExecuteRegionOp)
class InlineRegion(StatelessPattern):
    """`scf.execute_region` -> the ops that it holds."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ExecuteRegionOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, *inlined_region(op))


def inlined_region(op: ExecuteRegionOp) -> tuple[list[Operation], list[SSAValue]]:
    """What an `scf.execute_region` holds, taken out of it, and the values that it gives.

    Raises:
        UserError: it has several blocks.
    """
    if len(op.region.blocks) != 1:
        raise error_at(op, f"{op.name}: found {len(op.region.blocks)} blocks; required: one, with scf.if for branches")
    values, ops = _end_of(op.region.block), list(op.region.block.ops)
    for each in ops:
        each.detach()
    return ops, values


@lowers(TO_LOOP, scf.ForallOp)
class ForallLoops(StatelessPattern):
    """`scf.forall (%i, %j) in (8, %n)` on buffers -> a loop for each counter."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: scf.ForallOp, rewriter: PatternRewriter) -> None:
        if op.outputs:
            raise error_at(op, "scf.forall: found shared outputs, which are tensors; required: stores to buffers")
        lower, upper, step = (_values(rewriter, *each) for each in op.bounds)
        _end_of(op.body.block)
        op.body.block.add_op(scf.YieldOp())
        ops, _ = _nest(op, list(zip(lower, upper, step, strict=True)), (), (), op.detach_region(op.body))
        rewriter.replace(op, ops, [])


@lowers(TO_LOOP, IndexSwitchOp)
class Switch(StatelessPattern):
    """`scf.index_switch` -> an `scf.if` for each case, the next one in its other branch."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: IndexSwitchOp, rewriter: PatternRewriter) -> None:
        cases = list(zip(op.cases.get_values(), op.case_regions, strict=True))
        otherwise = op.detach_region(op.default_region)
        ops: list[Operation] = []
        for number, region in reversed(cases):
            if ops:
                otherwise = Region(Block([*ops, scf.YieldOp(*ops[-1].results)]))
            same = CmpiOp(op.arg, (case := index_constant(number)).result, "eq")
            branch = scf.IfOp(same.result, list(op.result_types), op.detach_region(region), otherwise)
            ops = [case, same, branch]
            for each in ops:
                each.location = op.location
        if ops:
            rewriter.replace(op, ops, ops[-1].results)
        else:
            values = _end_of(otherwise.block)
            inside = list(otherwise.block.ops)
            for each in inside:
                each.detach()
            rewriter.replace(op, inside, values)


def _values(rewriter: PatternRewriter, values: Sequence[SSAValue], numbers: Sequence[int]) -> list[SSAValue]:
    """Bounds that are numbers in the op or, where these say so, its operands."""
    left = iter(values)
    found: list[SSAValue] = []
    for number in numbers:
        if number == DYNAMIC_INDEX:
            found.append(next(left))
        else:
            rewriter.insert(constant := index_constant(number))
            found.append(constant.result)
    return found


def _nest(
    op: Operation,
    bounds: Sequence[tuple[SSAValue, SSAValue, SSAValue]],
    initial: Sequence[SSAValue],
    carried: Sequence[SSAValue],
    body: Region,
) -> tuple[list[Operation], Sequence[SSAValue]]:
    """A loop for each counter, parallel if all bounds are known and nothing is carried; the ops, and the results.

    Args:
        op: the loop that they stand for.
        bounds: the lower bound, the upper bound and the step of each counter.
        initial: what is carried, before the loops.
        carried: the same in the body, as arguments after the counters.
        body: a block that ends in `scf.yield`.
    """
    are_known = all(constant_index(value) is not None for each in bounds for value in each)
    kind = LoopKind.PARALLEL if are_known and not initial else LoopKind.SERIAL
    for number in reversed(range(1, len(bounds))):
        ops, results = _counted(op, *bounds[number], carried, _without_outer_counters(body, number, carried), kind)
        body.block.add_ops([*ops, scf.YieldOp(*results)])
    return _counted(op, *bounds[0], initial, body, kind)


def _without_outer_counters(body: Region, number: int, carried: Sequence[SSAValue]) -> Region:
    """Take the ops of a body, and its counter `number`, into a body of the loop that is to stand in it."""
    outer = body.block
    inner_args = [outer.args[number], *carried]
    inner = Region(Block(arg_types=[each.type for each in inner_args]))
    for new, old in zip(inner.block.args, inner_args, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for each in list(outer.ops):
        each.detach()
        inner.block.add_op(each)
    outer.erase_arg(outer.args[number])
    return inner


def _reduced(block: Block, carried: Sequence[SSAValue]) -> list[SSAValue]:
    """The values after an iteration: the regions of `scf.reduce`, which ends the block, stand in its place."""
    last = block.last_op
    assert isinstance(last, scf.ReduceOp)
    results: list[SSAValue] = []
    for value, given, region in zip(carried, last.args, last.reductions, strict=True):
        inner = region.block
        for argument, array in zip(inner.args, (value, given), strict=True):
            argument.replace_all_uses_with(array)
        end = inner.last_op
        assert isinstance(end, ReduceReturnOp)
        results.append(end.result)
        for each in list(inner.ops):
            each.detach()
            if each is end:
                each.erase()
            else:
                block.insert_op_before(each, last)
    last.detach()
    last.erase()
    return results


@lowers(TO_LOOP, affine.ForOp)
class AffineLoop(StatelessPattern):
    """`affine.for %i = 0 to 8` -> `loop.for serial`; a bound of several results is the largest, or the smallest."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ForOp, rewriter: PatternRewriter) -> None:
        lower, upper, step, body = _parts_of(op, rewriter)
        ops, results = _counted(op, lower, upper, step, op.inits, body)
        rewriter.replace(op, ops, results)


class AffineToScf(StatelessPattern):
    """`affine.for` -> `scf.for`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.ForOp, rewriter: PatternRewriter) -> None:
        lower, upper, step, body = _parts_of(op, rewriter)
        rewriter.replace(op, scf.ForOp(lower, upper, step, op.inits, body))


def _parts_of(op: affine.ForOp, rewriter: PatternRewriter) -> tuple[SSAValue, SSAValue, SSAValue, Region]:
    """The bounds and the step as values, and the body with `scf.yield`."""
    bounds: list[SSAValue] = []
    for which, operands, extreme in (
        (op.lowerBoundMap.data, op.lowerBoundOperands, arith.MaxSIOp),
        (op.upperBoundMap.data, op.upperBoundOperands, arith.MinSIOp),
    ):
        ops: list[Operation] = []
        value, *others = [evaluated(e, which.num_dims, operands, ops) for e in which.results]
        for other in others:
            ops.append(extreme(value, other))
            value = ops[-1].results[0]
        rewriter.insert(ops)
        bounds.append(value)
    rewriter.insert(step := index_constant(op.step.value.data))
    body = op.detach_region(op.body)
    body.block.add_op(scf.YieldOp(*_end_of(body.block)))
    lower, upper = bounds
    return lower, upper, step.result, body


@lowers(TO_LOOP, affine.IfOp)
class AffineBranch(StatelessPattern):
    """`affine.if` -> `scf.if` of the comparisons that its set consists of."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: affine.IfOp, rewriter: PatternRewriter) -> None:
        which = op.condition.data
        ops: list[Operation] = [zero := index_constant(0)]
        flags: list[SSAValue] = []
        for constraint in which.constraints:
            left = evaluated(constraint.lhs, which.num_dims, op.args, ops)
            right = evaluated(constraint.rhs, which.num_dims, op.args, ops)
            ops.append(CmpiOp(left, right, {"==": "eq", ">=": "sge", "<=": "sle"}[constraint.kind.value]))
            flags.append(ops[-1].results[0])
        if not flags:
            ops.append(CmpiOp(zero.result, zero.result, "eq"))
            flags.append(ops[-1].results[0])
        for other in flags[1:]:
            ops.append(arith.AndIOp(flags[0], other))
            flags[0] = ops[-1].results[0]
        rewriter.insert(ops)
        then, otherwise = (op.detach_region(region) for region in list(op.regions))
        for region in (then, otherwise):
            for block in region.blocks:
                block.add_op(scf.YieldOp(*_end_of(block)))
        rewriter.replace(op, scf.IfOp(flags[0], list(op.result_types), then, otherwise))


def _counted(
    op: Operation,
    lower: SSAValue,
    upper: SSAValue,
    step: SSAValue,
    carried: Sequence[SSAValue],
    body: Region,
    kind: LoopKind = LoopKind.SERIAL,
) -> tuple[list[Operation], Sequence[SSAValue]]:
    """A loop from `lower` to below `upper`, and its results.

    Args:
        op: the loop that it stands for, for errors and places.
        body: a block that takes the counter and what is carried, and ends in `scf.yield`.

    Raises:
        UserError: the step is a constant that is not positive.
    """
    known = [constant_index(value) for value in (lower, upper, step)]
    if known[2] is not None and known[2] < 1:
        raise error_at(op, f"'{op.name}' has the step {known[2]}; required: a positive number")
    start, stop, stride = known
    if start is not None and stop is not None and stride is not None:
        body.block.add_op(YieldOp(*_end_of(body.block)))
        loop = ForOp(_dim(op, body.block), start, max(start, stop), stride, kind, list(carried), body)
        loop.location = op.location
        return [loop], loop.results
    return _as_while(op, lower, upper, step, carried, body)


def _as_while(
    op: Operation, lower: SSAValue, upper: SSAValue, step: SSAValue, carried: Sequence[SSAValue], body: Region
) -> tuple[list[Operation], Sequence[SSAValue]]:
    """A loop that compares its counter before each iteration; only then is known how often it runs."""
    types: list[Attribute] = [lower.type, *(v.type for v in carried)]
    before = Region(Block(arg_types=types))
    counter = before.block.args[0]
    predicate = "ult" if getattr(op, "unsignedCmp", None) is not None else "slt"
    before.block.add_ops([less := CmpiOp(counter, upper, predicate), ConditionOp(less.result, *before.block.args)])
    values = _end_of(body.block)
    body.block.add_ops([up := arith.AddiOp(body.block.args[0], step), scf.YieldOp(up.result, *values)])
    loop = WhileOp([lower, *carried], types, before, body)
    loop.location = op.location
    return [loop], loop.results[1:]


def _end_of(block: Block) -> list[SSAValue]:
    """Take the terminator off a block; its operands."""
    last = block.last_op
    assert last is not None
    values = list(last.operands)
    last.detach()
    last.erase()
    return values


def _dim(op: Operation, body: Block) -> str:
    """A name for the dim of a loop that no loop around it has: that of its counter, or `i`."""
    taken = {loop.dim.data for loop in enclosing_loops(op)}
    hint = name = body.args[0].name_hint or "i"
    number = 0
    while name in taken:
        number += 1
        name = f"{hint}{number}"
    return name
