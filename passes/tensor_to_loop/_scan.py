"""Loops that carry tensors become loops that carry buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.loop import ForOp, RowOp
from mlc.dialects.loop import YieldOp as LoopYieldOp
from mlc.dialects.tensor import ScanOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._functions import allocate, destination
from mlc.passes.tensor_to_loop._yields import expect
from mlc.support.types import memref_type

_DIM = "step"


@lowers("convert-tensor-to-loop", ScanOp)
class ScanToLoop(StatelessPattern):
    """A serial loop, with rows as views, that hands buffers on rather than elements.

        %last, %all = tensor.scan 16 carry (%s = %zero, %h = %h0) over (%x = %xs) : … {
          … yield %s1, %h1, %h1
        }
    ->
        loop.for serial "step" %step = 0 to 16 iter_args(%s = %zero, %next = %b, %other = %last, %h = %h0) -> … {
          %x = loop.row %xs[%step]
          %h1 = loop.row %all[%step]
          …                                       // computes %next and %h1
          loop.yield %next, %other, %next, %h1
        }

    What is carried has two buffers that take turns, of which one is that of the result: the one that the last step
    writes. What is also stacked needs none: each step reads the row that the step before has written. So nothing is
    copied but values that a step hands on without having computed them.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ScanOp)
        stacks = [destination(rewriter, stack) for stack in op.stacks]
        if op.steps == 0:
            rewriter.replace(op, [], [*op.initial, *stacks])
            return
        after = op.yielded[: len(op.initial)]
        stack_of = {row: i for i, row in reversed(list(enumerate(op.yielded[len(op.initial) :])))}
        carried = [
            _Carried(initial, next, stack_of.get(next), _two_buffers(result, op.steps, rewriter, next in stack_of))
            for initial, next, result in zip(op.initial, after, op.last_values, strict=True)
        ]
        loop = ForOp(_DIM, 0, op.steps, iter_args=[v for each in carried for v in (each.initial, *each.buffers)])
        loop.location = op.location
        _fill(loop, op, carried, stacks)
        results: list[SSAValue] = []
        behind: list[Operation] = []
        for each in carried:
            if each.stack is None:
                results.append(each.buffers[0 if op.steps % 2 else 1])
            else:
                last = _index(0 if op.stacked_backwards[each.stack] else op.steps - 1)
                behind += [last, row := RowOp(stacks[each.stack], last.result)]
                results.append(row.result)
        rewriter.replace(op, [loop, *behind], [*results, *stacks])


@dataclass(frozen=True)
class _Carried:
    """What is carried: a value of the body that becomes the next one, where it is stacked, and else two buffers."""

    initial: SSAValue
    next: SSAValue
    stack: int | None
    buffers: tuple[SSAValue, ...]


def _two_buffers(result: SSAValue, steps: int, rewriter: PatternRewriter, is_stacked: bool) -> tuple[SSAValue, ...]:
    """Those of odd steps and of even ones, counted from 1; the last step writes the place of the result."""
    if is_stacked:
        return ()
    last = destination(rewriter, result)
    if steps == 1:
        return last, last
    other = rewriter.insert(allocate(memref_type(last))).memref
    return (last, other) if steps % 2 else (other, last)


def _fill(loop: ForOp, op: ScanOp, carried: Sequence[_Carried], stacks: Sequence[SSAValue]) -> None:
    """Move the body of `op` into `loop`; its ops are lowered later, and know from its `tensor.yield` where to."""
    block, body = loop.body.block, op.body.block
    number = _RowNumbers(loop, op.steps)
    rows = [RowOp(v, number.of(back)) for v, back in zip(op.rows_of, op.taken_backwards, strict=True)]
    slots = [RowOp(v, number.of(back)) for v, back in zip(stacks, op.stacked_backwards, strict=True)]
    names = iter(loop.carried)
    values: list[SSAValue] = []
    handed_on: list[SSAValue] = []
    places: list[tuple[SSAValue, SSAValue]] = []
    for each in carried:
        values.append(next(names))
        if each.stack is None:
            this, other = next(names), next(names)
            places.append((each.next, this))
            handed_on += [this, other, this]
        else:
            handed_on.append(slots[each.stack].result)
    places += [(row, slot.result) for row, slot in zip(op.yielded[len(carried) :], slots, strict=True)]
    values += [*(row.result for row in rows), *op.captured]
    for argument, value in zip(body.args, values, strict=True):
        if isinstance(value.owner, RowOp) or value.owner is block:
            value.name_hint = argument.name_hint
        argument.replace_all_uses_with(value)
    places = [(values[v.index] if isinstance(v, BlockArgument) and v.block is body else v, b) for v, b in places]
    block.add_ops([*number.ops, *rows, *slots])
    for inner in list(body.ops):
        inner.detach()
        block.add_op(inner)
    last = block.last_op
    assert isinstance(last, YieldOp)
    expect(last, places)
    block.add_op(LoopYieldOp(*handed_on))


class _RowNumbers:
    """The numbers of the rows that a step takes and makes."""

    def __init__(self, loop: ForOp, steps: int) -> None:
        self._forwards, self._steps = loop.induction_variable, steps
        self.ops: list[Operation] = []
        """What computes them."""

    def of(self, backwards: bool) -> SSAValue:
        """The number of the step, counted from the end if `backwards`."""
        if not backwards:
            return self._forwards
        if not self.ops:
            last = _index(self._steps - 1)
            self.ops += [last, arith.SubiOp(last.result, self._forwards)]
        return self.ops[-1].results[0]


def _index(value: int) -> arith.ConstantOp:
    return arith.ConstantOp(IntegerAttr(value, IndexType()))
