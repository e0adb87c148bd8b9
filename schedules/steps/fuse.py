"""`fuse-loops`: make one loop of loops that stand side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.legality import may_pass, note_if_refused, require_fusible, require_same_end
from mlc.analysis.memory_accesses import Effects
from mlc.dialects.loop import ForOp, YieldOp
from mlc.dialects.loop.plan import LoopPlan
from mlc.dialects.loop.steps import LoopName
from mlc.schedules.steps.base import LoopStep, Scheduling
from mlc.support.context import Remark
from mlc.support.errors import Refused


def fuse(loops: Sequence[ForOp]) -> list[Remark]:
    """Merge those of `loops` that stand in the same block, run over the same range and are of the same kind.

        for m in 0..8: A(m); for m in 0..8: B(m)   ->   for m in 0..8: A(m); B(m)

    Each loop moves up into the first one with which that keeps every dependence: what one iteration of either writes,
    no other iteration of the other may touch. Ops in between that the second loop needs move before the first
    one; the others stay behind both. Loops that carry values carry them together.

    Args:
        loops: in program order.

    Returns:
        why loops stay apart.
    """
    refusals: list[Remark] = []
    fuser = _Fuser()
    leaders: dict[tuple[Block | None, range, object], ForOp] = {}
    for loop in loops:
        key = (loop.parent, loop.range, loop.kind.data)
        leader = leaders.get(key)
        if leader is None:
            leaders[key] = loop
            continue
        leaders[key] = loop
        with note_if_refused(refusals, loop, f"loop '{loop.dim.data}' not fused with the one before it"):
            leaders[key] = fuser.fuse(leader, loop)
    return refusals


@dataclass
class _Fuser:
    """Fuses pairs of loops; remembers the effects of ops, each of which is looked at once."""

    _effects: dict[Operation, Effects] = field(default_factory=dict[Operation, Effects])

    def _effects_of(self, op: Operation) -> Effects:
        if op not in self._effects:
            self._effects[op] = Effects.of(op)
        return self._effects[op]

    def fuse(self, first: ForOp, second: ForOp) -> ForOp:
        """Move `second` up into `first`, in the same block before it; returns the one loop that is left.

        Raises:
            Refused: that would change what is computed; nothing has been changed.
        """
        needed = self._check_between(first, second)
        self._check_iterations(first, second)
        for op in needed:
            op.detach()
        Rewriter.insert_op(needed, InsertPoint.before(first))
        second.induction_variable.replace_all_uses_with(first.induction_variable)
        effects = self._effects_of(first)
        effects.add(Effects.of(second))  # anew: its subscripts have changed
        merged = _merge(first, second)
        self._effects[merged] = effects
        return merged

    def _check_between(self, first: ForOp, second: ForOp) -> list[Operation]:
        """The ops between the loops that have to move before both; the others must not mind `second` moving up."""
        between: list[Operation] = []
        op = first.next_op
        while op is not None and op is not second:
            between.append(op)
            op = op.next_op
        assert op is second
        wanted = _values_from_outside(second)
        needed: list[Operation] = []
        staying: list[Operation] = []
        for op in reversed(between):
            if any(r in wanted for r in op.results):
                wanted |= _values_from_outside(op)
                needed.append(op)
            else:
                staying.append(op)
        if any(r in wanted for r in first.results):
            raise Refused("it uses what the other one computes")
        for op in needed:
            self._check_moves_over(op, [first, *staying])
        for op in staying:
            effects = self._effects_of(op)
            if effects.unknown:
                raise Refused(f"'{effects.unknown}' stands in between")
            if not may_pass(self._effects_of(second), effects):
                raise Refused(f"'{op.name}' in between touches what it touches")
        return list(reversed(needed))

    def _check_moves_over(self, op: Operation, others: Sequence[Operation]) -> None:
        """Check that an op between the loops can move up over ops before it."""
        effects = self._effects_of(op)
        if effects.unknown or effects.stored:
            raise Refused(f"'{op.name}' in between cannot move")
        if effects.accesses and not all(may_pass(effects, self._effects_of(other)) for other in others):
            raise Refused(f"'{op.name}' in between reads what is written there")

    def _check_iterations(self, first: ForOp, second: ForOp) -> None:
        require_same_end(first, second)
        require_fusible(first, second, self._effects_of(first), self._effects_of(second))


def _values_from_outside(op: Operation) -> set[SSAValue]:
    """All values that `op` and the ops in it use; those made inside do no harm."""
    return {operand for inner in op.walk() for operand in inner.operands}


def _merge(first: ForOp, second: ForOp) -> ForOp:
    """One loop with both bodies, where `first` stood, that carries what both carry."""
    initial = [*first.iter_args, *second.iter_args]
    body, other = first.detach_region(first.body), second.body.block
    block = body.block
    for argument in other.args[1:]:
        new = block.insert_arg(argument.type, len(block.args))
        new.name_hint = argument.name_hint
        argument.replace_all_uses_with(new)
    yielded: list[SSAValue] = []
    for last in (block.last_op, other.last_op):
        assert isinstance(last, YieldOp)
        yielded += last.arguments
        last.detach()
        last.erase()
    for op in list(other.ops):
        op.detach()
        block.add_op(op)
    block.add_op(YieldOp(*yielded))
    merged = first.like(initial, body)
    if first.limit is not second.limit or first.start is not second.start:
        merged.set_limit(None)  # `require_same_end` has made sure that they do no harm
    merged.attributes |= first.attributes
    Rewriter.insert_op(merged, InsertPoint.before(first))
    for old, new in zip([*first.results, *second.results], merged.results, strict=True):
        new.name_hint = old.name_hint
        old.replace_all_uses_with(new)
    for loop in (first, second):
        loop.detach()
        loop.erase()
    return merged


@dataclass(frozen=True)
class Fuse(LoopStep):
    """loops `m` that stand side by side become one where the results stay the same"""

    name = "fuse"
    example = "fuse(m)"

    loop: LoopName

    def rewrite_all(self, loops: Sequence[ForOp], scheduling: Scheduling) -> list[Remark]:
        return fuse(list(reversed(loops)))

    def words(self, plan: LoopPlan) -> str:
        return f"loops {self.loop} that stand side by side become one"

    @classmethod
    def suits(cls, loop: ForOp) -> bool:
        assert loop.parent is not None
        return any(isinstance(op, ForOp) and op is not loop and op.dim == loop.dim for op in loop.parent.ops)
