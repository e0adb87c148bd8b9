"""A scan taken apart into what it carries, takes, uses and stacks, to be changed and put together again."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.graph.types import type_of
from mlc.dialects.scan import ScanLike, stack_type
from mlc.support.types import Tensor


@dataclass(eq=False)
class Carried:
    """A value that passes from step to step."""

    initial: SSAValue
    inside: BlockArgument
    next: SSAValue
    result: SSAValue


@dataclass(eq=False)
class Rows:
    """A tensor of which each step gets a row."""

    source: SSAValue
    inside: BlockArgument
    backwards: bool


@dataclass(eq=False)
class Used:
    """A value that all steps use."""

    value: SSAValue
    inside: BlockArgument


@dataclass(eq=False)
class Stack:
    """A row of each step; None for the result of one that did not exist before."""

    row: SSAValue
    backwards: bool
    result: SSAValue | None


class ScanParts:
    """The parts of a scan. Change the lists, then `rebuild`; arguments of what was taken out must have no uses left."""

    def __init__(self, op: ScanLike) -> None:
        self.op = op
        self.body = op.body.block
        count = len(op.initial)
        self.carried = [
            Carried(*each) for each in zip(op.initial, op.carried, op.yielded[:count], op.last_values, strict=True)
        ]
        self.rows = [Rows(*each) for each in zip(op.rows_of, op.rows, op.taken_backwards, strict=True)]
        self.used = [Used(*each) for each in zip(op.captured, op.used, strict=True)]
        self.stacks = [Stack(*each) for each in zip(op.yielded[count:], op.stacked_backwards, op.stacks, strict=True)]

    def add_rows(self, source: SSAValue, row: Tensor, backwards: bool) -> BlockArgument:
        """Let each step get a row of `source`; returns what the body calls it."""
        argument = self.body.insert_arg(row, len(self.body.args))
        self.rows.append(Rows(source, argument, backwards))
        return argument

    def add_used(self, value: SSAValue) -> BlockArgument:
        """Let all steps use a value, under the name that they have for it already if they do."""
        for used in self.used:
            if used.value is value:
                return used.inside
        argument = self.body.insert_arg(value.type, len(self.body.args))
        argument.name_hint = value.name_hint
        self.used.append(Used(value, argument))
        return argument

    def rename(self, old: SSAValue, new: SSAValue, rewriter: PatternRewriter) -> None:
        """Let `new` be used in the body where `old` was."""
        rewriter.replace_all_uses_with(old, new)
        for carried in self.carried:
            carried.next = new if carried.next is old else carried.next
        for stack in self.stacks:
            stack.row = new if stack.row is old else stack.row

    def drop_dead_ops(self, rewriter: PatternRewriter) -> None:
        """Erase the ops of the body that nothing needs any more."""
        terminator = self._update_terminator()
        needed: set[Operation] = {terminator}
        for op in reversed(list(self.body.ops)):
            if op in needed or any(use.operation in needed for result in op.results for use in result.uses):
                needed.add(op)
            else:
                rewriter.erase(op)

    def drop_unused_operands(self) -> bool:
        """Leave out rows and values that the body has no use for; whether there were some."""
        before = len(self.rows) + len(self.used)
        self.rows = [r for r in self.rows if r.inside.uses]
        self.used = [u for u in self.used if u.inside.uses]
        return len(self.rows) + len(self.used) < before

    def rebuild(self, rewriter: PatternRewriter) -> ScanLike:
        """Replace the scan by one of these parts; the results of parts that are gone must have no uses left."""
        block = self.body
        self._update_terminator()
        order = [part.inside for part in (*self.carried, *self.rows, *self.used)]
        for position, old in enumerate(order):
            new = block.insert_arg(old.type, position)
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        for leftover in list(block.args)[len(order) :]:
            block.erase_arg(leftover)
        results = [
            *(c.initial.type for c in self.carried),
            *(stack_type(self.op.steps, type_of(s.row)) for s in self.stacks),
        ]
        new = type(self.op)(
            self.op.steps,
            [c.initial for c in self.carried],
            [r.source for r in self.rows],
            [u.value for u in self.used],
            results,
            self.op.detach_region(self.op.body),
            [*(r.backwards for r in self.rows), *(s.backwards for s in self.stacks)],
        )
        new.attributes |= self.op.attributes
        new.location = self.op.location
        kept: dict[SSAValue, SSAValue] = {}
        for part, result in zip((*self.carried, *self.stacks), new.outputs, strict=True):
            if part.result is not None:
                kept[part.result] = result
                result.name_hint = part.result.name_hint
        rewriter.replace(self.op, new, [kept.get(r) for r in self.op.outputs])
        return new

    def _update_terminator(self) -> Operation:
        terminator = self.body.last_op
        assert terminator is not None
        terminator.operands = [*(c.next for c in self.carried), *(s.row for s in self.stacks)]
        return terminator
