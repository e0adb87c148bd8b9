"""Control flow: loops become blocks and branches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from xdsl.dialects import cf, llvm, scf
from xdsl.dialects.builtin import DenseArrayBase, IntegerAttr, VectorType, i1, i32, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.pattern_rewriter import PatternRewriter, op_type_rewrite_pattern

from mlc.dialects.llvm import LoopAnnotationAttr
from mlc.dialects.llvm.integers import AddOp, MulOp, SubOp
from mlc.dialects.llvm.vectors import SelectOp
from mlc.dialects.loop import LOOP_ANNOTATION, ForOp, YieldOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.loop_to_llvm._types import VALUES, integer_constant, lower_type

_STRUCTURED = (ForOp, scf.IfOp, scf.WhileOp)
_TILE = 8
"""The number of carried vectors from which a loop is a register tile."""


@lowers(VALUES, cf.BranchOp, cf.ConditionalBranchOp)
class LowerBranch(StatelessPattern):
    """`cf.br`, `cf.cond_br` -> `llvm.br`, `llvm.cond_br`."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: cf.BranchOp | cf.ConditionalBranchOp, rewriter: PatternRewriter) -> None:
        if isinstance(op, cf.BranchOp):
            rewriter.replace(op, llvm.BrOp(op.successor, *op.arguments))
        else:
            rewriter.replace(
                op,
                llvm.CondBrOp(op.cond, op.then_block, op.then_arguments, op.else_block, op.else_arguments),
            )


def lower_loops(region: Region) -> None:
    """Replace all `loop.for`, `scf.if` and `scf.while` in `region` by blocks.

        loop.for "k" %k = 0 to 784 iter_args(%c = %z)       llvm.br ^body(0, %z)
          … loop.yield %d                             ->  ^body(%k, %c): … %k2 = %k + 1
                                                            llvm.cond_br %k2 < 784, ^body(%k2, %d), ^after
                                                          ^after: …

    Trip counts are known, so a loop is entered without a test; one that runs once leaves no block, one that never runs
    leaves nothing. A limit is the end of a loop if it is less than the upper bound, a start its begin, in whole steps;
    a loop that they may leave out altogether has a test before it. What counts and branches has the location of the
    loop. A block has its loops lowered last to first: what follows a loop is moved once per nesting level.
    """
    for block in list(region.blocks):
        _lower_loops_in(block)


def _lower_loops_in(block: Block) -> None:
    for op in [op for op in block.ops if isinstance(op, _STRUCTURED)][::-1]:
        _lower_structured(op)


def _lower_structured(op: Operation) -> None:
    if isinstance(op, ForOp):
        _lower_loop(op)
    elif isinstance(op, scf.IfOp):
        _lower_branches(op)
    elif isinstance(op, scf.WhileOp):
        _lower_while(op)


def _lower_branches(op: scf.IfOp) -> None:
    """A block for each region that there is, and one after them with the results as arguments."""
    before, after = _split_behind(op)
    for result in op.results:
        result.replace_all_uses_with(after.insert_arg(lower_type(result.type), len(after.args)))
    condition, ways = op.cond, [after, after]
    for number, region in enumerate((op.true_region, op.false_region)):
        if region.blocks:
            ways[number] = _take_block(region, after)
            _end(ways[number], lambda last: llvm.BrOp(after, *last.operands))
    op.detach()
    op.erase()
    _append(before, op, llvm.CondBrOp(condition, ways[0], [], ways[1], []))
    for way in ways:
        if way is not after:
            _lower_loops_in(way)


def _lower_while(op: scf.WhileOp) -> None:
    """A block that decides, and one that goes back to it; what the first hands on dominates the other, and the end."""
    before, after = _split_behind(op)
    check, body = (_take_block(region, after) for region in (op.before_region, op.after_region))
    condition = check.last_op
    assert isinstance(condition, scf.ConditionOp)
    flag, handed_on = condition.condition, list(condition.args)
    for name, value in zip((*body.args, *op.res), handed_on * 2, strict=True):
        name.replace_all_uses_with(value)
    for argument in list(body.args):
        body.erase_arg(argument)
    _lower_arguments(check)
    _end(check, lambda _: llvm.CondBrOp(flag, body, [], after, []))
    _end(body, lambda last: llvm.BrOp(check, *last.operands))
    initial = list(op.arguments)
    op.detach()
    op.erase()
    _append(before, op, llvm.BrOp(check, *initial))
    _lower_loops_in(body)
    _lower_loops_in(check)


def _split_behind(op: Operation) -> tuple[Block, Block]:
    """The block of `op`, of which it is the last op now, and a new one with the rest."""
    before = op.parent
    assert before is not None and op.next_op is not None
    return before, before.split_before(op.next_op)


def _take_block(region: Region, after: Block) -> Block:
    """Move the block of a region before another block."""
    block = region.block
    region.detach_block(block)
    assert after.parent is not None
    after.parent.insert_block_before(block, after)
    return block


def _lower_arguments(block: Block) -> None:
    """Give the arguments of a block the types that values have at the llvm level."""
    for argument in list(block.args):
        if (kind := lower_type(argument.type)) != argument.type:
            new = block.insert_arg(kind, argument.index)
            argument.replace_all_uses_with(new)
            block.erase_arg(argument)


def _end(block: Block, branch: Callable[[Operation], Operation]) -> None:
    """Replace the terminator of a block."""
    last = block.last_op
    assert last is not None
    new = branch(last)
    last.detach()
    last.erase()
    _append(block, last, new)


def _append(block: Block, stands_for: Operation, *ops: Operation) -> None:
    """Append ops that do what another one did."""
    for op in ops:
        op.location = stands_for.location
    block.add_ops(ops)


def _lower_loop(loop: ForOp) -> None:
    body = loop.body.block
    last = body.last_op
    assert isinstance(last, YieldOp)
    trips = len(loop.range)
    if trips == 0:
        _replace_results(loop, loop.iter_args)
    elif trips == 1 and not loop.may_be_skipped:
        _inline(loop, body, last)
    else:
        _make_blocks(loop, body, last)


def _replace_results(loop: ForOp, values: Sequence[SSAValue]) -> None:
    for result, value in zip(loop.results, values, strict=True):
        result.replace_all_uses_with(value)
    loop.detach()
    loop.erase()


def _inline(loop: ForOp, body: Block, last: YieldOp) -> None:
    """A loop that runs once is its body."""
    before = loop.parent
    assert before is not None
    start = integer_constant(loop.range.start)
    start.location = loop.location
    before.insert_op_before(start, loop)
    for argument, value in zip(body.args, [start.result, *loop.iter_args], strict=True):
        argument.replace_all_uses_with(value)
    inner: list[Operation] = []
    for op in list(body.ops):
        op.detach()
        if op is not last:
            before.insert_op_before(op, loop)
            if isinstance(op, _STRUCTURED):
                inner.append(op)
    yielded = list(last.arguments)
    last.erase()
    _replace_results(loop, yielded)
    for op in reversed(inner):
        _lower_structured(op)


def _make_blocks(loop: ForOp, body: Block, last: YieldOp) -> None:
    before = loop.parent
    assert before is not None and before.parent is not None and loop.next_op is not None
    after = before.split_before(loop.next_op)
    loop.body.detach_block(body)
    before.parent.insert_block_before(body, after)
    _lower_arguments(body)
    body_counter = body.args[0]
    _lower_loops_in(body)

    trips = loop.range
    start, stride = integer_constant(trips.start), integer_constant(trips.step)
    bound, end = _end_of(loop)
    begin, first = _begin_of(loop, start.result)
    wrap, _ = _NATURAL if trips.start >= 0 else _SIGNED
    advance = AddOp.create(operands=[body_counter, stride.result], result_types=[stride.result.type], properties=wrap)
    more = _is_less(loop, advance.res, end)
    yielded, handed_on = list(last.arguments), list[SSAValue]()
    latch = last.parent
    assert latch is not None
    last.detach()
    last.erase()
    results: list[SSAValue] = yielded
    if loop.may_be_skipped:
        results = [after.insert_arg(lower_type(result.type), len(after.args)) for result in loop.results]
        handed_on = yielded
    back = llvm.CondBrOp.create(
        operands=[more.res, advance.res, *yielded, *handed_on],
        properties={"operandSegmentSizes": DenseArrayBase.from_list(i32, [1, 1 + len(yielded), len(handed_on)])},
        attributes=_annotation(loop),
        successors=[body, after],
    )
    enter = [*begin, *_entry(loop, first, end, body, after)]
    if loop.limit is None:
        _append(latch, loop, stride, *bound, advance, more, back)
    else:
        _append(latch, loop, stride, advance, more, back)
        enter = [*bound, *enter]
    _replace_results(loop, results)
    _append(before, loop, start, *enter)


def _end_of(loop: ForOp) -> tuple[list[Operation], SSAValue]:
    """The ops that give the value which the counter does not reach, and that value: no more than the limit, if any."""
    trips = loop.range
    last = integer_constant(trips.start + len(trips) * trips.step)
    if loop.limit is None or trips.start < 0:
        return [last], last.result
    is_less = _is_less(loop, loop.limit, last.result)
    end = _chosen(is_less.res, loop.limit, last.result)
    return [last, is_less, end], end.res


def _begin_of(loop: ForOp, lower: SSAValue) -> tuple[list[Operation], SSAValue]:
    """The ops that give the first value of the counter, and that: the last one that is not above the start, if any."""
    if loop.start is None:
        return [], lower
    trips, start = loop.range, loop.start
    is_later = _is_less(loop, lower, start)
    least = _chosen(is_later.res, start, lower)
    if trips.step == 1:
        return [is_later, least], least.res
    stride = integer_constant(trips.step)
    beyond = _whole(SubOp, least.res, lower)
    blocks = llvm.UDivOp(beyond.res, stride.result)
    more = _whole(MulOp, blocks.res, stride.result)
    first = _whole(AddOp, lower, more.res)
    return [is_later, least, stride, beyond, blocks, more, first], first.res


def _chosen(condition: SSAValue, given: SSAValue, constant: SSAValue) -> SelectOp:
    """A limit or a start, which may be an argument whose type is not lowered yet, or a constant."""
    return SelectOp.create(operands=[condition, given, constant], result_types=[constant.type])


def _whole(op_type: type[AddOp | SubOp | MulOp], one: SSAValue, other: SSAValue) -> AddOp | SubOp | MulOp:
    """A sum, difference or product of counters, which does not overflow."""
    return op_type.create(operands=[one, other], result_types=[one.type], properties=_SIGNED[0])


def _entry(loop: ForOp, start: SSAValue, end: SSAValue, body: Block, after: Block) -> list[Operation]:
    """The branch into a loop, or past it."""
    if not loop.may_be_skipped:
        return [llvm.BrOp.create(operands=[start, *loop.iter_args], successors=[body])]
    runs = _is_less(loop, start, end)
    return [runs, llvm.CondBrOp(runs.res, body, [start, *loop.iter_args], after, list(loop.iter_args))]


def _is_less(loop: ForOp, lhs: SSAValue, rhs: SSAValue) -> llvm.ICmpOp:
    """Whether one value of a counter is less than another one, or a limit; both may be negative."""
    _, less = _SIGNED if loop.limit is not None or loop.range.start < 0 else _NATURAL
    return llvm.ICmpOp.create(operands=[lhs, rhs], result_types=[i1], properties=less)


def _annotation(loop: ForOp) -> dict[str, Attribute]:
    """What LLVM is told about a loop: as it says, else that a register tile is not to be unrolled.

    A copy of the tile's body is all that registers hold; with two of them LLVM's scheduler spills.
    """
    if LOOP_ANNOTATION in loop.attributes:
        return {LOOP_ANNOTATION: loop.attributes[LOOP_ANNOTATION]}
    if sum(isinstance(v.type, VectorType) for v in loop.iter_args) >= _TILE:
        return {LOOP_ANNOTATION: LoopAnnotationAttr({"unroll.count": 1})}
    return {}


def _step_properties(
    flags: Sequence[llvm.OverflowFlag], predicate: llvm.ICmpPredicateFlag
) -> tuple[dict[str, Attribute], dict[str, Attribute]]:
    """The properties of the addition and of the comparison that advance a counter."""
    return {"overflowFlags": llvm.OverflowAttr(flags)}, {"predicate": IntegerAttr(predicate.to_int(), i64)}


_NSW = llvm.OverflowFlag.NO_SIGNED_WRAP
_NATURAL = _step_properties([_NSW, llvm.OverflowFlag.NO_UNSIGNED_WRAP], llvm.ICmpPredicateFlag.ULT)
_SIGNED = _step_properties([_NSW], llvm.ICmpPredicateFlag.SLT)
"""A counter that starts below zero wraps around as an unsigned number."""
