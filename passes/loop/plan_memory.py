"""`plan-memory`: buffers get their places in one arena."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects import arith, func, memref, scf
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    NoneAttr,
    StringAttr,
    UnitAttr,
    i8,
)
from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import ForOp, LoopKind, LoopKindAttr, RowOp, SpanOp, YieldOp, enclosing_loops
from mlc.pass_manager.base import Pass
from mlc.passes.loop._arena import Lifetime, aligned, place
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy
from mlc.support.functions import WORKSPACE
from mlc.support.ir import ancestor_in
from mlc.support.locations import error_at
from mlc.support.types import memref_type
from mlc.targets.machine import Machine, resolve_target

_VIEWS = (memref.ReinterpretCastOp, memref.ViewOp, RowOp, SpanOp)
_HANDING_ON = (YieldOp, scf.YieldOp, scf.ConditionOp)


@dataclass(frozen=True)
class PlanMemoryPass(Pass):
    """Put all buffers of a function into one arena that its caller provides; buffers share bytes when they can.

    A buffer lives from its first use to its last one. Buffers whose lives do not overlap may have the same place. The
    arena is the last argument, marked `mlc.workspace`; a function that calls one with an arena gives it a part of its
    own.

        %a = memref.alloc() : memref<64x200xf32>
    ->
        %offset = arith.constant 4096 : index
        %a = memref.view %workspace[%offset][] : memref<55296xi8> to memref<64x200xf32>

    A buffer in a loop is used again by each iteration, so that loop's iterations are no longer independent: it becomes
    serial. The iterations of a loop that is spread over threads get a place each.

    In a function of several blocks all buffers live from its start to its end. Buffers in a memory space that the
    target has (`memref<64xf32, "local">`) stay where they are. Functions without buffers keep their signature.
    A declaration with an arena gets one. Recursive functions are not supported.
    """

    name = "plan-memory"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        functions = {f.sym_name.data: f for f in functions_with_loops(module)}
        planned = _arenas_of_declarations(module)
        for name in functions:
            self._plan(name, functions, planned, (), ctx.target)
        for name, size in planned.items():
            if size and name in functions:
                ctx.remark(functions[name], f"'{name}' works in an arena of {size} bytes")

    def _plan(
        self,
        name: str,
        functions: dict[str, func.FuncOp],
        planned: dict[str, int],
        callers: tuple[str, ...],
        target: str,
    ) -> int:
        """Plan `name` after everything that it calls; returns the size of its arena in bytes."""
        if name in planned or name not in functions:
            return planned.get(name, 0)
        function = functions[name]
        if name in callers:
            raise error_at(function, f"'{name}' calls itself; recursion has no static arena")
        for call in [op for op in function.walk() if isinstance(op, func.CallOp)]:
            size = self._plan(call.callee.root_reference.data, functions, planned, (*callers, name), target)
            if size:
                _pass_arena(call, size)
        planned[name] = _plan_function(function, target)
        return planned[name]


def _arenas_of_declarations(module: ModuleOp) -> dict[str, int]:
    """The bytes that functions without a body work in."""
    found: dict[str, int] = {}
    for op in module.ops:
        if isinstance(op, func.FuncOp) and op.is_declaration and op.arg_attrs:
            kind = op.function_type.inputs.data[-1]
            if isinstance(kind, MemRefType) and WORKSPACE in op.arg_attrs.data[-1].data:
                found[op.sym_name.data] = kind.get_shape()[0]
    return found


def _pass_arena(call: func.CallOp, size: int) -> None:
    """Give a call a buffer of its own to work in."""
    buffer = memref.AllocOp([], [], MemRefType(i8, [size]), alignment=IntegerAttr(64, 64))
    new = func.CallOp(call.callee, [*call.operands, buffer.memref], call.result_types)
    new.location = call.location
    Rewriter.insert_op(buffer, InsertPoint.before(call))
    Rewriter.replace_op(call, new)


def _plan_function(function: func.FuncOp, target: str) -> int:
    """Replace the allocations of a function by views of its arena; returns the size of the arena in bytes."""
    buffers = [op for op in function.walk() if isinstance(op, memref.AllocOp)]
    if elsewhere := [op for op in buffers if _space(op) is not None]:
        _check_memory_spaces(elsewhere, function.sym_name.data, resolve_target(target))
    allocations = [_Allocation.of(op) for op in buffers if _space(op) is None]
    if not allocations:
        return 0
    spans = _spans(function.body)
    offsets, size = place([_lifetime(allocation, spans, function.body) for allocation in allocations])
    arena = _add_arena(function, size)
    for allocation, offset in zip(allocations, offsets, strict=True):
        op = allocation.op
        ops, where = allocation.offset(offset)
        view = memref.ViewOp(arena, where, [], memref_type(op.memref))
        view.location = op.location
        view.result.name_hint = op.memref.name_hint
        Rewriter.insert_op(ops, InsertPoint.before(op))
        Rewriter.replace_op(op, view)
        for loop in allocation.reusing:
            loop.properties["kind"] = LoopKindAttr(LoopKind.SERIAL)
    return size


def _space(op: memref.AllocOp) -> Attribute | None:
    """The memory space of a buffer; None if it lies where arguments and the arena do."""
    space = memref_type(op.memref).memory_space
    return None if isinstance(space, NoneAttr) else space


def _size(op: memref.AllocOp) -> int:
    """The bytes of a buffer."""
    buffer = memref_type(op.memref)
    return to_numpy(buffer.element_type).itemsize * prod(buffer.get_shape())


def _check_memory_spaces(buffers: Sequence[memref.AllocOp], function: str, machine: Machine) -> None:
    """Raises: UserError if a buffer is in a memory space that the target does not have, or that is too small."""
    taken: Counter[str] = Counter()
    for op in buffers:
        space = _space(op)
        name = space.data if isinstance(space, StringAttr) else str(space)
        if (known := machine.memory_space(name)) is None:
            spaces = [f"'{each.name}'" for each in machine.architecture.memory_spaces]
            raise error_at(
                op,
                f"found a buffer in the memory space '{name}'; required, for target '{machine.name}': "
                f"{' or '.join(['no space', *spaces])}",
            )
        taken[name] += _size(op)
        if taken[name] > known.bytes:
            raise error_at(
                op,
                f"the buffers of '{function}' in the memory space '{name}' take {taken[name]} bytes or "
                f"more; required, for target '{machine.name}': at most {known.bytes}",
            )


@dataclass(frozen=True)
class _Allocation:
    """A buffer, and the loops around it, each iteration of which has it anew.

    Attributes:
        spread: the loops, outermost first, whose iterations run at the same time: each needs a buffer of its own.
        reusing: the other loops: their iterations use one buffer, one after the other.
    """

    op: memref.AllocOp
    spread: tuple[ForOp, ...]
    reusing: tuple[ForOp, ...]

    @staticmethod
    def of(op: memref.AllocOp) -> _Allocation:
        loops = enclosing_loops(op)
        # A loop that is to be spread inside another one runs on one thread, if it is not spread with that.
        outermost = next((loop for loop in reversed(loops) if loop.kind.data is LoopKind.THREADS), None)
        together = outermost.spread_with if outermost is not None else ()
        spread = tuple(loop for loop in together if loop in loops)
        return _Allocation(op, spread, tuple(loop for loop in loops if loop not in spread))

    @property
    def size(self) -> int:
        """The bytes of one buffer."""
        return _size(self.op)

    @property
    def total_size(self) -> int:
        """The bytes of all buffers; each starts a cache line of its own, so that threads do not share any."""
        return aligned(self.size) * prod(len(loop.range) for loop in self.spread) if self.spread else self.size

    def offset(self, start: int) -> tuple[list[Operation], SSAValue]:
        """Ops that compute where the buffer is, the first of all being at `start`."""
        ops: list[Operation] = [where := _index(start)]
        total, apart = where.result, aligned(self.size)
        for loop in reversed(self.spread):
            values, counter = loop.range, loop.induction_variable
            first, step, size = _index(values.start), _index(values.step), _index(apart)
            from_first = arith.SubiOp(counter, first.result)
            number = arith.DivUIOp(from_first.result, step.result)
            distance = arith.MuliOp(number.result, size.result)
            sum_ = arith.AddiOp(distance.result, total)
            ops += [first, step, size, from_first, number, distance, sum_]
            total, apart = sum_.result, apart * len(values)
        return ops, total


def _index(value: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))


def _add_arena(function: func.FuncOp, size: int) -> BlockArgument:
    block = function.body.blocks[0]
    arena = block.insert_arg(MemRefType(i8, [size]), len(block.args))
    arena.name_hint = "workspace"
    attributes = list(function.arg_attrs) if function.arg_attrs else [DictionaryAttr({}) for _ in block.args[:-1]]
    function.properties["arg_attrs"] = ArrayAttr([*attributes, DictionaryAttr({WORKSPACE: UnitAttr()})])
    function.function_type = FunctionType.from_lists(
        [*function.function_type.inputs, arena.type], list(function.function_type.outputs)
    )
    return arena


def _spans(body: Region) -> dict[Operation, tuple[int, int]]:
    """When each op of a function starts and ends, if time passes once from each op to the next in the text."""
    starts = {op: number for number, op in enumerate(body.walk())}
    ends = dict(starts)
    for op in reversed(starts):
        if (parent := op.parent_op()) is not None and parent in ends:
            ends[parent] = max(ends[parent], ends[op])
    return {op: (start, ends[op]) for op, start in starts.items()}


def _lifetime(allocation: _Allocation, spans: dict[Operation, tuple[int, int]], body: Region) -> Lifetime:
    """From the first to the last op that touches the buffer, directly, through a view, or as what a loop carries.

    A buffer of a loop's body is made anew by each iteration, so that it need not outlive it, unless it is handed on to
    the next one. To a loop around which the buffer is, the whole loop is one time.

    In a function of several blocks, which may run in any order and again, it lives all the time.

    Raises:
        UserError: the buffer is passed on to a block, where it may meet the one of an earlier round.
    """
    if len(body.blocks) > 1:
        _require_not_passed_on(allocation.op)
        return Lifetime(allocation.total_size, 0, len(spans))
    users = list(_users(allocation.op.memref))
    home = _home(allocation, users)
    touched = [spans[ancestor_in(user, home)] for user in users] or [spans[ancestor_in(allocation.op, home)]]
    return Lifetime(allocation.total_size, min(start for start, _ in touched), max(end for _, end in touched))


def _users(buffer: SSAValue) -> Iterator[Operation]:
    """The ops that touch a buffer, under whatever name."""
    pending, seen = [buffer], set[SSAValue]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        for use in value.uses:
            user = use.operation
            yield user
            if isinstance(user, _VIEWS):
                pending += user.results
            holder = user.parent_op() if isinstance(user, _HANDING_ON) else user
            if holder is not None and holder.regions:
                # What is carried may change places with what else is carried.
                arguments = [a for region in holder.regions for block in region.blocks for a in block.args]
                pending += [v for v in (*arguments, *holder.results) if isinstance(v.type, MemRefType)]


def _home(allocation: _Allocation, users: Sequence[Operation]) -> Block:
    """The block of which one run is all of a buffer's life."""
    home = allocation.op.parent
    handed_on = {user.parent_op() for user in users if isinstance(user, _HANDING_ON)}
    around = allocation.op.parent_op()
    while around is not None:
        if around in allocation.spread or around in handed_on:
            home = around.parent
        around = around.parent_op()
    assert home is not None
    return home


def _require_not_passed_on(alloc: memref.AllocOp) -> None:
    pending: list[SSAValue] = [alloc.memref]
    while pending:
        for use in pending.pop().uses:
            if use.operation.successors:
                raise error_at(
                    use.operation,
                    "plan-memory: a buffer is passed on to a block; required: buffers that a block uses by their names",
                )
            if isinstance(use.operation, _VIEWS):
                pending += use.operation.results
