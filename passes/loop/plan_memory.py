"""`plan-memory`: buffers get their places in one arena."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.dialects import arith, func, memref
from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    FunctionType,
    IndexType,
    IntegerAttr,
    MemRefType,
    ModuleOp,
    UnitAttr,
    i8,
)
from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.passes.base import Pass
from mlc.passes.loop._arena import Lifetime, place
from mlc.passes.loop._nests import functions_with_loops
from mlc.support.context import CompilerContext
from mlc.support.dtypes import to_numpy
from mlc.support.locations import error_at
from mlc.support.types import memref_type

WORKSPACE = "mlc.workspace"
_VIEWS = (memref.ReinterpretCastOp, memref.ViewOp)


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

    Functions without buffers keep their signature. Declarations and recursive functions are not supported.
    """

    name = "plan-memory"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        functions = {f.sym_name.data: f for f in functions_with_loops(module)}
        planned: dict[str, int] = {}
        for name in functions:
            self._plan(name, functions, planned, ())
        for name, size in planned.items():
            if size:
                ctx.remark(functions[name], f"'{name}' works in an arena of {size} bytes")

    def _plan(
        self, name: str, functions: dict[str, func.FuncOp], planned: dict[str, int], callers: tuple[str, ...]
    ) -> int:
        """Plan `name` after everything that it calls; returns the size of its arena in bytes."""
        if name in planned or name not in functions:
            return planned.get(name, 0)
        function = functions[name]
        if name in callers:
            raise error_at(function, f"'{name}' calls itself; recursion has no static arena")
        for call in [op for op in function.walk() if isinstance(op, func.CallOp)]:
            size = self._plan(call.callee.root_reference.data, functions, planned, (*callers, name))
            if size:
                _pass_arena(call, size)
        planned[name] = _plan_function(function)
        return planned[name]


def _pass_arena(call: func.CallOp, size: int) -> None:
    """Give a call a buffer of its own to work in."""
    buffer = memref.AllocOp([], [], MemRefType(i8, [size]), alignment=IntegerAttr(64, 64))
    new = func.CallOp(call.callee, [*call.operands, buffer.memref], call.result_types)
    new.location = call.location
    Rewriter.insert_op(buffer, InsertPoint.before(call))
    Rewriter.replace_op(call, new)


def _plan_function(function: func.FuncOp) -> int:
    """Replace the allocations of a function by views of its arena; returns the size of the arena in bytes."""
    block = function.body.block
    allocations = [op for op in function.walk() if isinstance(op, memref.AllocOp)]
    if not allocations:
        return 0
    order = {op: number for number, op in enumerate(block.ops)}
    lifetimes = [_lifetime(op, order, block) for op in allocations]
    offsets, size = place(lifetimes)
    arena = _add_arena(function, size)
    for op, offset in zip(allocations, offsets, strict=True):
        where = arith.ConstantOp(IntegerAttr(offset, IndexType()))
        view = memref.ViewOp(arena, where.result, [], memref_type(op.memref))
        view.location = op.location
        view.result.name_hint = op.memref.name_hint
        Rewriter.insert_op(where, InsertPoint.before(op))
        Rewriter.replace_op(op, view)
    return size


def _add_arena(function: func.FuncOp, size: int) -> BlockArgument:
    block = function.body.block
    arena = block.insert_arg(MemRefType(i8, [size]), len(block.args))
    arena.name_hint = "workspace"
    attributes = list(function.arg_attrs) if function.arg_attrs else [DictionaryAttr({}) for _ in block.args[:-1]]
    function.properties["arg_attrs"] = ArrayAttr([*attributes, DictionaryAttr({WORKSPACE: UnitAttr()})])
    function.function_type = FunctionType.from_lists(
        [*function.function_type.inputs, arena.type], list(function.function_type.outputs)
    )
    return arena


def _lifetime(op: memref.AllocOp, order: dict[Operation, int], block: Block) -> Lifetime:
    """From the first to the last op of the function's block that touches the buffer, directly or through a view."""
    buffer = memref_type(op.memref)
    size = to_numpy(buffer.element_type).itemsize
    for extent in buffer.get_shape():
        size *= extent
    times: list[int] = []
    pending: list[SSAValue] = [op.memref]
    while pending:
        for use in pending.pop().uses:
            user = use.operation
            if isinstance(user, _VIEWS):
                pending += user.results
            times.append(order[_ancestor_in(user, block)])
    here = order[_ancestor_in(op, block)]
    return Lifetime(size, min(times, default=here), max(times, default=here))


def _ancestor_in(op: Operation, block: Block) -> Operation:
    while op.parent is not block:
        parent = op.parent_op()
        assert parent is not None
        op = parent
    return op
