"""`store_early`: store a sum after each iteration of a reduction, not only after the last one."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random
from typing import Self

from xdsl.dialects import memref
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp, StoreOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep
from mlc.support.context import CompilerContext
from mlc.support.errors import Refused


def store_early(loop: ForOp) -> None:
    """Let `loop` store the first sum that it carries whenever it has been added to.

        c, d = for k in 0..64 iter_args(a = 0, b = 0): mma(x[k], w[k], a), mma(y[k], w[k], b)
        store c, t
        store d, u
    ->
        c, d = for k in 0..64 iter_args(a = 0, b = 0): { c = mma(x[k], w[k], a); d = mma(y[k], w[k], b); store c, t }
        store d, u

    What lies in `t` in the end is the same. A core that has not stored a matrix for a while puts to sleep what stores
    them, and all stores after a tile wait until it has woken up (`Issue.mma_awake`): one store keeps it awake.

    Raises:
        Refused: nothing that it carries is stored after it, to a buffer of its own; nothing has been changed.
    """
    if len(loop.range) < 2:
        raise Refused("it runs once")
    carried = zip(loop.results, loop.yielded, strict=True)
    found = next(((store, value) for result, value in carried for store in _store(result)), None)
    if found is None:
        raise Refused("it carries nothing that is only stored after it, to a buffer of the function")
    store, value = found
    last = loop.body.block.last_op
    assert last is not None
    store.detach()
    store.operands[0] = value
    Rewriter.insert_op(store, InsertPoint.before(last))


def _store(result: SSAValue) -> list[StoreOp]:
    """The store of what a loop leaves behind, handed on by loops around it, if that may be done in the loop as well."""
    loop = result.owner
    while isinstance(loop, ForOp) and loop.range and result.has_one_use():
        (use,) = result.uses
        user = use.operation
        if isinstance(user, StoreOp):
            return [user] if user.value is result and _is_free(user, loop) else []
        parent = user.parent_op()
        if not isinstance(user, YieldOp) or not isinstance(parent, ForOp):
            return []
        loop, result = parent, parent.results[use.index]
    return []


def _is_free(store: StoreOp, loop: ForOp) -> bool:
    """Whether nobody sees that a store is done in a loop before it: others touch that buffer after both."""
    buffer, block = store.memref.owner, store.parent
    if not isinstance(buffer, memref.AllocOp) or store.indices or block is None or block is not loop.parent:
        return False
    users = [block.find_ancestor_op_in_block(use.operation) for use in store.memref.uses]
    return all(user is not None and (user is store or store.is_before_in_block(user)) for user in users)


@dataclass(frozen=True)
class StoreEarly(LoopStep):
    """the first sum that a loop carries is stored after each of its iterations, not only after it"""

    name = "store_early"
    example = "store_early(k)"

    loop: LoopName

    def rewrite(self, loop: ForOp, ctx: CompilerContext) -> None:
        store_early(loop)

    def outcome(self, loop: ForOp) -> str:
        return f"no sum of '{loop.dim.data}' is stored before its end"

    def words(self, plan: LoopPlan) -> str:
        return f"one of the sums is stored after each iteration of {self.loop}: what stores them stays awake"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        return bool(loop.carried) and len(loop.range) > 1

    @classmethod
    def drawn(cls, rng: Random, loop: ForOp) -> Self:
        return cls(loop.dim.data)
