"""Loops that carry tensors become loops that carry buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.dialects.func import CallOp
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from mlc.dialects.loop import ForOp, RowOp
from mlc.dialects.loop import YieldOp as LoopYieldOp
from mlc.dialects.loop.copies import copy_nest
from mlc.dialects.loop.views import unreshaped
from mlc.dialects.tensor import PutOp, ScanOp, TakeOp
from mlc.pass_manager.lowering import StatelessPattern, lowers
from mlc.passes.tensor_to_loop._functions import allocate, destination
from mlc.passes.tensor_to_loop._yields import expect
from mlc.support.ir import RESHAPES
from mlc.support.types import memref_type

_DIM = "step"
_READERS = (TakeOp, CallOp)
"""Ops that read where they stand."""


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
    writes. What is also stacked needs none: each step reads the row that the step before has written. What each step
    changes at some places (`tensor.put`) has one, which is that of the result, and is changed there. So nothing is
    copied but initial values of this one, and values that a step hands on without having computed them.
    """

    def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
        assert isinstance(op, ScanOp)
        stacks = [destination(rewriter, stack) for stack in op.stacks]
        if op.steps == 0:
            rewriter.replace(op, [], [*op.initial, *stacks])
            return
        after = op.yielded[: len(op.initial)]
        stack_of = {row: i for i, row in reversed(list(enumerate(op.yielded[len(op.initial) :])))}
        carried: list[_Carried] = []
        for number, (initial, next, result) in enumerate(zip(op.initial, after, op.last_values, strict=True)):
            if is_changed_in_place(op, number):
                place = destination(rewriter, result)
                if unreshaped(initial) is not unreshaped(place):
                    rewriter.insert(copy_nest(initial, place))
                carried.append(_Carried(initial, next, None, (place,)))
            else:
                buffers = _two_buffers(result, op.steps, rewriter, next in stack_of)
                carried.append(_Carried(initial, next, stack_of.get(next), buffers))
        handed_on = [v for each in carried if not each.is_in_place for v in (each.initial, *each.buffers)]
        loop = ForOp(_DIM, 0, op.steps, iter_args=handed_on)
        loop.location = op.location
        _fill(loop, op, carried, stacks)
        results: list[SSAValue] = []
        behind: list[Operation] = []
        for each in carried:
            if each.is_in_place:
                results.append(each.buffers[0])
            elif each.stack is None:
                results.append(each.buffers[0 if op.steps % 2 else 1])
            else:
                last = _index(0 if op.stacked_backwards[each.stack] else op.steps - 1)
                behind += [last, row := RowOp(stacks[each.stack], last.result)]
                results.append(row.result)
        rewriter.replace(op, [loop, *behind], [*results, *stacks])


@dataclass(frozen=True)
class _Carried:
    """What is carried: a value of the body that becomes the next one, where it is stacked, and else two buffers.

    There is one for what is changed in place.
    """

    initial: SSAValue
    next: SSAValue
    stack: int | None
    buffers: tuple[SSAValue, ...]

    @property
    def is_in_place(self) -> bool:
        """Whether each step changes the same buffer."""
        return len(self.buffers) == 1


def is_changed_in_place(op: ScanOp, number: int) -> bool:
    """Whether a step only changes places of what is carried, by `tensor.put` or a scan that does, and reads it before.

    Ops that are computed where they stand count as readers, so no structured ones, which may be computed later.
    """
    argument, next = op.carried[number], op.yielded[number]
    changing = _before_reshapes(next).owner
    if [*op.yielded].count(next) > 1 or not isinstance(changing, Operation) or changing.parent is not op.body.block:
        return False
    if isinstance(changing, PutOp):
        changed = changing.data
    elif isinstance(changing, ScanOp) and (place := _before_reshapes(next)) in changing.last_values:
        inner = list(changing.last_values).index(place)
        changed = changing.initial[inner]
        if changing.steps == 0 or not is_changed_in_place(changing, inner):
            return False
    else:
        return False
    readers = _readers(argument)
    order = {each: position for position, each in enumerate(op.body.block.ops)}
    return (
        _before_reshapes(changed) is argument
        and readers.count(changing) == 1
        and all(each is changing or (isinstance(each, _READERS) and order[each] < order[changing]) for each in readers)
    )


def _before_reshapes(value: SSAValue) -> SSAValue:
    while isinstance(value.owner, RESHAPES):
        value = value.owner.operands[0]
    return value


def _readers(value: SSAValue) -> list[Operation]:
    """What reads a value, also under another shape, once for each operand that it is."""
    found: list[Operation] = []
    for use in value.uses:
        inner = use.operation
        found += _readers(inner.results[0]) if isinstance(inner, RESHAPES) else [inner]
    return found


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
        if each.is_in_place:
            values.append(each.buffers[0])
            places.append((each.next, each.buffers[0]))
            continue
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
