"""`reuse_result`: let what a loop reads, and then stores a result for, wait in the memory of that result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import memref
from xdsl.dialects.func import FuncOp
from xdsl.ir import Block, BlockArgument, Operation
from xdsl.rewriter import Rewriter

from mlc.analysis.accesses import AccessOp, loop_of
from mlc.analysis.dependences import Direction, Level, may_meet
from mlc.analysis.memory_accesses import MemoryAccess
from mlc.dialects.loop import ForOp, LoadOp, StoreOp, enclosing_loops
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling, function_of
from mlc.support.context import CompilerContext, Remark
from mlc.support.errors import Refused
from mlc.support.types import memref_type


def reuse_result(loop: ForOp) -> None:
    """Let a buffer from which `loop` reads be the argument of the function to which it stores.

        %t = memref.alloc()
        for m: { for n: t[m, n] = exp(x[m, n]); s = for n: s + t[m, n]; for n: y[m, n] = t[m, n] / s }
    ->
        for m: { for n: y[m, n] = exp(x[m, n]); s = for n: s + y[m, n]; for n: y[m, n] = y[m, n] / s }

    A row of a softmax touches half as many lines of the cache then. The buffer has the type of the result, the loop
    stores every element of the result once, and nothing touches an element of the buffer once its result is there.

    Raises:
        Refused: there is no such buffer; nothing has been changed.
    """
    reasons: list[str] = []
    for store in (op for op in loop.walk() if isinstance(op, StoreOp)):
        if not _is_argument(store):
            continue
        for buffer in _buffers_read_before(store):
            try:
                _require_free(store, buffer)
            except Refused as reason:
                reasons.append(str(reason))
                continue
            buffer.memref.replace_all_uses_with(store.memref)
            Rewriter.erase_op(buffer)
            return
    raise Refused(
        reasons[0] if reasons else "it reads no buffer of the function and stores a result of that type for it"
    )


def _is_argument(store: StoreOp) -> bool:
    return isinstance(store.memref, BlockArgument) and isinstance(store.memref.block.parent_op(), FuncOp)


def _buffers_read_before(store: StoreOp) -> list[memref.AllocOp]:
    """The buffers of the store's type that its block reads before it."""
    assert store.parent is not None
    found: dict[memref.AllocOp, None] = {}
    for op in store.parent.ops:
        if op is store:
            break
        alloc = op.memref.owner if isinstance(op, LoadOp) else None
        if isinstance(alloc, memref.AllocOp) and alloc.memref.type == store.memref.type:
            found[alloc] = None
    return list(found)


def _require_free(store: StoreOp, buffer: memref.AllocOp) -> None:
    """Check that `buffer` may be the memory that `store` writes to.

    Raises:
        Refused: it may not.
    """
    name = f"'%{buffer.memref.name_hint}'" if buffer.memref.name_hint else "the buffer"
    if not store.memref.has_one_use():
        raise Refused("the result is read, or stored in several places")
    _require_whole(store)
    accesses = [use.operation for use in buffer.memref.uses]
    order = {op: number for number, op in enumerate(function_of(store).walk())}
    written = MemoryAccess.of(store)
    for op in accesses:
        if not isinstance(op, AccessOp):
            raise Refused(f"'{op.name}' uses all of {name}")
        if _may_follow(written, MemoryAccess.of(op), is_behind=order[op] > order[store]):
            raise Refused(f"an element of {name} is in use when its result is stored already")


def _require_whole(store: StoreOp) -> None:
    """Check that each element of the result is stored once: what else a buffer holds would be seen in it.

    Raises:
        Refused: that is not so, as far as one can tell.
    """
    shape = memref_type(store.memref).get_shape()
    subscripts = MemoryAccess.of(store).subscripts
    counters = [next(iter(s.factors.items())) if s is not None and len(s.factors) == 1 else None for s in subscripts]
    loops = [loop_of(c[0]) if c is not None and c[1] == 1 else None for c in counters]
    ranges = [loop.range if loop is not None else None for loop in loops]
    is_each = all(s is not None and s.constant == 0 for s in subscripts) and ranges == [range(size) for size in shape]
    around = enclosing_loops(store)
    if not is_each or set(loops) != set(around) or len(set(loops)) < len(loops) or not _only_loops_around(store):
        raise Refused("not every element of the result is stored, each once")


def _only_loops_around(op: Operation) -> bool:
    """Whether nothing but loops decides whether an op of a function runs."""
    parent: Operation | Block | None = op.parent_op()
    while isinstance(parent, ForOp):
        parent = parent.parent_op()
    return isinstance(parent, FuncOp)


def _may_follow(store: MemoryAccess, access: MemoryAccess, is_behind: bool) -> bool:
    """Whether `access` may touch an element after `store` has written to the same place of its own buffer.

    Iterations of parallel loops come in any order.

    Args:
        is_behind: whether it stands after the store in the text.
    """
    inside = set(enclosing_loops(access.op))
    common = [loop for loop in reversed(list(enclosing_loops(store.op))) if loop in inside]
    for depth, loop in enumerate(common):
        outer = [Level(each, each, Direction.SAME) for each in common[:depth]]
        orders = (Direction.BEFORE, Direction.AFTER) if loop.is_parallel else (Direction.BEFORE,)
        if any(may_meet(store, access, *outer, Level(loop, loop, order), scope=common[0]) for order in orders):
            return True
    levels = [Level(each, each, Direction.SAME) for each in common]
    return is_behind and may_meet(store, access, *levels, scope=common[0] if common else None)


@dataclass(frozen=True)
class ReuseResult(LoopStep):
    """what `n` reads where it stores a result waits in the memory of that result, not in a buffer of its own"""

    name = "reuse_result"
    example = "reuse_result(n)"

    loop: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        # A loop of that name that stores no result is one of those that compute what waits.
        return super().rewrite_all([loop for loop in loops if self.suits(loop)] or loops, scheduling)

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        reuse_result(loop)

    def outcome(self, loop: ForOp) -> str:
        return f"what loop '{loop.dim.data}' reads has a buffer of its own"

    def words(self, plan: LoopPlan) -> str:
        return f"what {self.loop} reads, and stores a result for, waits in the memory of the result"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return any(isinstance(op, StoreOp) and _is_argument(op) for op in loop.body.block.ops)
