"""Loops whose iterations are spread over threads: the body becomes a function that the artifact's one hook calls.

void mlc_parallel_for(void (*task)(void *context, int64_t index), void *context, int64_t count);
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

from xdsl.dialects import arith, func, llvm, memref
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import loop, scf
from mlc.dialects.arith import CmpiOp
from mlc.dialects.func import FuncOp
from mlc.dialects.llvm import FuncOp as LLVMFuncOp
from mlc.dialects.llvm import integers
from mlc.dialects.loop import ForOp, LoopKind, YieldOp
from mlc.passes.loop_to_llvm._types import (
    POINTER,
    index_type,
    integer_constant,
    lower_type,
    offset_of_field,
    truncate,
)
from mlc.support.context import CompilerContext
from mlc.support.functions import tell_clang_as
from mlc.support.ir import clone

HOOK = "mlc_parallel_for"

_SUNK = (
    arith.ConstantOp,
    loop.ConstantOp,
    memref.GetGlobalOp,
    memref.ViewOp,
    loop.RowOp,
    loop.SpanOp,
    memref.ReinterpretCastOp,
    memref.CastOp,
    memref.ExpandShapeOp,
    memref.CollapseShapeOp,
)
"""Ops that a body repeats rather than captures: so no two captured buffers overlap."""


def outline_threads(module: ModuleOp, ctx: CompilerContext) -> None:
    """Replace every outermost `loop.for threads` by a call of the hook.

        loop.for threads "m" %m = 0 to 64 step 8 { body of %m, %x, %y }
    ->
        context = (%x, %y) on the stack; mlc_parallel_for(@k_m_task, context, 8)
        llvm.func @k_m_task(context, index) { call @k_m(context.x, context.y, index * 8) }
        func.func private @k_m(%x, %y, %m) { body }

    Loops that are spread together are one call: iteration `index` is that of the innermost of them at `index mod` its
    trips, of the next one at the quotient, and so on.

        loop.for threads "n" %n = 0 to 160 step 80 { loop.for threads "m" %m = 0 to 25 { body of %n, %m } }
    ->
        mlc_parallel_for(@k_n_m_task, context, 50)
        llvm.func @k_n_m_task(context, index) { call @k_n_m(…, index / 25 * 80, index % 25) }

    A hook takes no number of threads. So where at most so many may share a loop, there are as many tasks, each of which
    calls the body for its share of the iterations; with one, the loop is left as it is.
    """
    functions = [op for op in module.ops if isinstance(op, func.FuncOp)]
    taken = {op.sym_name.data for op in functions}
    spread = False
    for function in functions:
        for spread_loop in list(_outermost(function.body.blocks)):
            dims = "_".join(loop.dim.data for loop in spread_loop.spread_with)
            name = _fresh(f"{function.sym_name.data}_{dims}", taken)
            _outline(function, spread_loop, name, ctx)
            spread = True
    if spread and HOOK not in taken:
        hook = llvm.LLVMFunctionType([POINTER, POINTER, i64])
        module.body.block.add_op(LLVMFuncOp(HOOK, hook, linkage=llvm.LinkageAttr("external")))


def _outermost(blocks: Sequence[Block]) -> Iterator[ForOp]:
    for block in blocks:
        for op in block.ops:
            if isinstance(op, ForOp):
                if op.kind.data is LoopKind.THREADS and op.most_threads != 1:
                    yield op
                else:
                    yield from _outermost(op.body.blocks)
            else:
                for region in op.regions:
                    yield from _outermost(region.blocks)


def _fresh(name: str, taken: set[str]) -> str:
    candidate, n = name, 0
    while candidate in taken:
        n += 1
        candidate = f"{name}_{n}"
    taken.add(candidate)
    return candidate


def _outline(function: func.FuncOp, spread: ForOp, name: str, ctx: CompilerContext) -> None:
    nest = spread.spread_with
    for inner in nest[-1].body.walk():
        if isinstance(inner, ForOp) and inner.kind.data is LoopKind.THREADS:
            ctx.remark(inner, f"loop '{inner.dim.data}' runs on one thread: a loop around it is spread already")
    for each in nest:
        _leave_out(each, nest[-1].body.block)
    _take_in_counters(nest)
    captured = _sink_and_capture(nest[-1])
    types = [v.type for v in captured]
    outer = function.parent
    assert outer is not None
    body = _body_function(nest[-1], name, captured)
    task = _task_function(nest, f"{name}_task", name, types)
    for each in (body, task):
        tell_clang_as(function, each)
    outer.insert_ops_before([body, task], function)
    _call_hook(function, nest, f"{name}_task", captured)


def _leave_out(loop: ForOp, body: Block) -> None:
    """Let the body of a nest do nothing from the limit of one of its loops on, or before its start, if it has them."""
    if loop.limit is None:
        return
    inside = list(body.ops)[:-1]
    for op in inside:
        op.detach()
    first = arith.ConstantOp(IntegerAttr.from_index_int_value(min(loop.range.start, 0) + 1))
    end = arith.MaxSIOp(loop.limit, first.result)  # the first iteration of a loop from 0 is always run
    within = CmpiOp(loop.induction_variable, end.result, "slt")
    tests: list[Operation] = [first, end, within]
    if loop.start is not None:
        step = arith.ConstantOp(IntegerAttr.from_index_int_value(loop.range.step))
        following = arith.AddiOp(loop.induction_variable, step.result)
        reached = CmpiOp(following, loop.start, "sgt")
        tests += [step, following, reached, within := arith.AndIOp(within.result, reached.result)]
    branch = scf.IfOp(within.result, [], Region(Block([*inside, scf.YieldOp()])))
    assert body.last_op is not None
    Rewriter.insert_op([*tests, branch], InsertPoint.before(body.last_op))
    loop.set_limit(None)


def _take_in_counters(nest: Sequence[ForOp]) -> None:
    """Let the body of the innermost loop take the counters of those around it, too, before its own."""
    block = nest[-1].body.block
    for n, around in enumerate(nest[:-1]):
        counter = block.insert_arg(around.induction_variable.type, n)
        counter.name_hint = around.induction_variable.name_hint
        around.induction_variable.replace_all_uses_with(counter)


def _sink_and_capture(spread: ForOp) -> list[SSAValue]:
    """The values from outside that the body uses, in order; those that are cheap to make again are made inside."""
    inside = set(spread.body.block.walk_blocks())
    captured: dict[SSAValue, None] = {}
    copies: dict[SSAValue, SSAValue] = {}
    first = spread.body.block.first_op
    assert first is not None

    def bring_in(value: SSAValue) -> SSAValue:
        owner = value.owner
        block = owner if isinstance(owner, Block) else owner.parent
        if block in inside:
            return value
        if value in copies:
            return copies[value]
        if not isinstance(owner, _SUNK):
            captured[value] = None
            return value
        copy = clone(owner, {v: bring_in(v) for v in owner.operands})
        spread.body.block.insert_op_before(copy, first)
        copies[value] = copy.results[0]
        return copies[value]

    for op in list(spread.body.walk()):
        for n, operand in enumerate(op.operands):
            if (new := bring_in(operand)) is not operand:
                op.operands[n] = new
    return list(captured)


def _body_function(spread: ForOp, name: str, captured: Sequence[SSAValue]) -> func.FuncOp:
    body = spread.body.detach_block(0)
    for n, value in enumerate(captured):
        argument = body.insert_arg(value.type, n)
        argument.name_hint = value.name_hint
        for use in list(value.uses):
            if _is_inside(use.operation, body):
                use.operation.operands[use.index] = argument
    last = body.last_op
    assert isinstance(last, YieldOp)
    last.detach()
    last.erase()
    body.add_op(func.ReturnOp())
    types = [a.type for a in body.args]
    function = FuncOp(name, (types, []), Region(body), "private")
    function.location = spread.location
    return function


def _is_inside(op: Operation, body: Block) -> bool:
    current: Operation | None = op
    while current is not None:
        if current.parent is body:
            return True
        current = current.parent_op()
    return False


def _context_type(types: Sequence[Attribute]) -> llvm.LLVMStructType:
    return llvm.LLVMStructType.from_type_list([lower_type(t) for t in types])


def _task_function(nest: Sequence[ForOp], name: str, callee: str, types: Sequence[Attribute]) -> llvm.FuncOp:
    """What the hook calls: takes the context apart, finds the counters, calls the body; in a loop if iterations share a
    task."""
    block = Block(arg_types=[POINTER, i64])
    context, index = block.args
    context.name_hint, index.name_hint = "context", "index"
    kind = _context_type(types)
    values: list[SSAValue] = []
    for n, element in enumerate(kind.types.data):
        field = offset_of_field(context, kind, n)
        load = llvm.LoadOp(field, element)
        block.add_ops([field, load])
        values.append(load.dereferenced_value)
    blocks = [block]
    if _tasks(nest) == _iterations(nest):
        block.add_ops([*_call_body(nest, callee, values, index), llvm.ReturnOp()])
    else:
        blocks += _share_of_task(nest, callee, values, index)
    kind_of_task = llvm.LLVMFunctionType([POINTER, i64])
    return LLVMFuncOp(name, kind_of_task, llvm.LinkageAttr("weak_odr"), visibility=1, body=Region(blocks))


def _iterations(nest: Sequence[ForOp]) -> int:
    """How often the body runs."""
    return prod(len(loop.range) for loop in nest)


def _tasks(nest: Sequence[ForOp]) -> int:
    """How many tasks there are: one for each iteration, or for each thread that may share them."""
    return min(_iterations(nest), nest[0].most_threads or _iterations(nest))


def _call_body(nest: Sequence[ForOp], callee: str, values: Sequence[SSAValue], iteration: SSAValue) -> list[Operation]:
    """The call of the body for an iteration that is given by its number."""
    ops: list[Operation] = []
    counters: list[SSAValue] = []
    for each in reversed(nest):
        number = iteration
        if each is not nest[0]:
            trips = integer_constant(len(each.range), i64)
            rest, quotient = llvm.URemOp(iteration, trips.result), llvm.UDivOp(iteration, trips.result)
            number, iteration = rest.res, quotient.res
            ops += [trips, rest, quotient]
        step, start = integer_constant(each.range.step, i64), integer_constant(each.range.start, i64)
        scaled = integers.MulOp(number, step.result)
        counter = integers.AddOp(scaled.res, start.result)
        ops += [step, start, scaled, counter]
        if index_type() != i64:
            ops.append(truncate(counter.res, index_type()))
        counters.insert(0, ops[-1].results[0])
    return [*ops, llvm.CallOp(callee, *values, *counters)]


def _share_of_task(nest: Sequence[ForOp], callee: str, values: Sequence[SSAValue], index: SSAValue) -> list[Block]:
    """The blocks after that of `index` that call the body from iteration `index * n / tasks` to the next task's first.

    Of `n` iterations: shares differ by one at most, and there is no task without an iteration.
    """
    before, body, after = index.owner, Block(arg_types=[i64]), Block()
    assert isinstance(before, Block)
    one, trips = integer_constant(1, i64), integer_constant(_iterations(nest), i64)
    tasks = integer_constant(_tasks(nest), i64)
    next_index = integers.AddOp(index, one.result)
    ends: list[Operation] = []
    for number in (index, next_index.res):
        ends += [product := integers.MulOp(number, trips.result), llvm.UDivOp(product.res, tasks.result)]
    before.add_ops([one, trips, tasks, next_index, *ends, llvm.BrOp(body, ends[1].results[0])])
    (iteration,) = body.args
    advance = integers.AddOp(iteration, one.result)
    more = llvm.ICmpOp(advance.res, ends[3].results[0], IntegerAttr(llvm.ICmpPredicateFlag.ULT.to_int(), i64))
    again = llvm.CondBrOp(more.res, body, [advance.res], after, [])
    body.add_ops([*_call_body(nest, callee, values, iteration), advance, more, again])
    after.add_op(llvm.ReturnOp())
    return [body, after]


def _call_hook(function: func.FuncOp, nest: Sequence[ForOp], task: str, captured: Sequence[SSAValue]) -> None:
    kind, spread = _context_type([v.type for v in captured]), nest[0]
    entry, block = function.body.blocks[0], spread.parent
    assert entry.first_op is not None and block is not None
    one = integer_constant(1)
    context = llvm.AllocaOp(one.result, kind, 16)
    entry.insert_ops_before([one, context], entry.first_op)
    new: list[Operation] = []
    for n, value in enumerate(captured):
        field = offset_of_field(context.res, kind, n)
        # the value may still be a memref here: its type becomes that of the field with the rest of the function
        new += [field, llvm.StoreOp(value, field)]
    address = llvm.AddressOfOp(task, POINTER)
    count = integer_constant(_tasks(nest), i64)
    call = llvm.CallOp(HOOK, address.result, context.res, count.result)
    block.insert_ops_before([*new, address, count, call], spread)
    spread.detach()
    spread.erase()
