"""Sums of two rows that are carried together: two rows and two columns in each vector.

A vector of four sums of one row, and one of another row, become two vectors with two sums of each. Loops carry these in
place of the others, so that sums are put together before the outermost loop that adds to them, and taken apart
after it.
"""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects import arith, vector
from xdsl.dialects.builtin import DenseArrayBase, DenseIntOrFPElementsAttr, i64
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.loop import ForOp
from mlc.support.ir import erase_unused
from mlc.support.types import element_type, vector_of

LANES = 4
"""How many sums a vector has."""
SumOrder = tuple[tuple[int, ...], tuple[int, ...]]
"""Which lanes of two vectors, numbered through both, two others have."""
ROW_BY_ROW: SumOrder = ((0, 1, 4, 5), (2, 3, 6, 7))
"""Two sums of the first row are followed by those of the second one."""
COLUMN_BY_COLUMN: SumOrder = ((0, 4, 1, 5), (2, 6, 3, 7))
"""The sums of both rows in the first column are followed by those in the second one."""


def shuffled(first: SSAValue, second: SSAValue, lanes: Sequence[int]) -> vector.ShuffleOp:
    """A vector of lanes of two others, numbered through both."""
    kind = vector_of(element_type(first.type), len(lanes))
    return vector.ShuffleOp(first, second, DenseArrayBase.from_list(i64, list(lanes)), result_type=kind)


def together(first: SSAValue, second: SSAValue, order: SumOrder, before: Operation) -> list[SSAValue]:
    """The sums of two rows in an order, by ops before another one."""
    if first is second and _is_splat(first):
        return [first, second]
    sources = [_sources(value, mask) for value, mask in zip((first, second), inverse(order), strict=True)]
    if sources[0] is not None and sources[0] == sources[1]:
        return list(sources[0])
    return _inserted([shuffled(first, second, lanes) for lanes in order], InsertPoint.before(before), before)


def apart(sums: Sequence[SSAValue], order: SumOrder, after: Operation) -> list[SSAValue]:
    """The sums of each row, of such that lie in an order, by ops after another one."""
    first, second = sums
    return _inserted([shuffled(first, second, lanes) for lanes in inverse(order)], InsertPoint.after(after), after)


def inverse(order: SumOrder) -> SumOrder:
    """The order that undoes one."""
    lanes = [*order[0], *order[1]]
    first, *rest = ([lanes.index(n) for n in range(start, start + LANES)] for start in (0, LANES))
    return tuple(first), tuple(rest[0])


def carry_together(loop: ForOp) -> None:
    """Let a loop carry sums together that are put together where its body begins, and taken apart where it ends."""
    for number, value in enumerate(loop.carried):
        for order in (ROW_BY_ROW, COLUMN_BY_COLUMN):
            if (found := _site(loop, number, value, order)) is not None:
                _carry(loop, number, *found, order)
                break


def _site(
    loop: ForOp, number: int, value: SSAValue, order: SumOrder
) -> tuple[int, list[vector.ShuffleOp], list[vector.ShuffleOp]] | None:
    """The carried value of the second row, what puts both together, and what takes them apart.

    None if more is done with them.
    """
    entering = [op for use in value.uses if isinstance(op := use.operation, vector.ShuffleOp)]
    entering.sort(key=lambda op: op.mask.get_values())
    if len(entering) != 2 or [tuple(op.mask.get_values()) for op in entering] != sorted(order):
        return None
    other = entering[0].v2
    if any(op.v1 is not value or op.v2 is not other for op in entering) or other not in loop.carried[number + 1 :]:
        return None
    if {use.operation for v in (value, other) for use in v.uses} != {*entering}:
        return None
    second = list(loop.carried).index(other)
    leaving = [loop.yielded[place] for place in (number, second)]
    ops = [v.owner for v, mask in zip(leaving, inverse(order), strict=True) if _sources(v, mask) and v.has_one_use()]
    shuffles = [op for op in ops if isinstance(op, vector.ShuffleOp)]
    if len(shuffles) != 2 or tuple(shuffles[0].operands) != tuple(shuffles[1].operands):
        return None
    return second, entering, shuffles


def _carry(
    loop: ForOp,
    first: int,
    second: int,
    entering: Sequence[vector.ShuffleOp],
    leaving: Sequence[vector.ShuffleOp],
    order: SumOrder,
) -> None:
    places, last = (first, second), loop.body.block.last_op
    assert last is not None
    before = [loop.iter_args[place] for place in places]
    starts = together(before[0], before[1], order, loop)
    sums = list(leaving[0].operands)
    for place, start, total, op in zip(places, starts, sums, entering, strict=True):
        loop.operands[place] = start
        last.operands[place] = total
        Rewriter.replace_op(op, [], [loop.carried[place]])
    for value in (*before, *(op.result for op in leaving)):
        erase_unused(value)
    results = [loop.results[place] for place in places]
    users = [list(result.uses) for result in results]
    for uses, row in zip(users, apart(results, order, loop), strict=True):
        for use in uses:
            use.operation.operands[use.index] = row


def _sources(value: SSAValue, lanes: Sequence[int]) -> tuple[SSAValue, SSAValue] | None:
    """What a value has these lanes of; None if it is not made in this way."""
    op = value.owner
    if not isinstance(op, vector.ShuffleOp) or tuple(op.mask.get_values()) != tuple(lanes):
        return None
    return op.v1, op.v2


def _is_splat(value: SSAValue) -> bool:
    op = value.owner
    return isinstance(op, arith.ConstantOp) and isinstance(op.value, DenseIntOrFPElementsAttr) and op.value.is_splat()


def _inserted(ops: Sequence[vector.ShuffleOp], at: InsertPoint, source: Operation) -> list[SSAValue]:
    for op in ops:
        op.location = source.location
    Rewriter.insert_op(ops, at)
    return [op.result for op in ops]
