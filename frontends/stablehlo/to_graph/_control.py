"""Loops and branches; their regions see the values around them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from xdsl.dialects.builtin import i32
from xdsl.ir import Block, BlockArgument, SSAValue

from mlc.dialects.chlo.scan import ScanForm
from mlc.dialects.graph.types import element_of
from mlc.dialects.stablehlo import ConstantOp, HloOp, WhileOp
from mlc.frontends.operators.complex_numbers import RealOrPair, each_part, number_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import LoopBody, ScanWriter, WhileWriter, branches
from mlc.frontends.operators.open_shapes import all_along, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, bounds, larger
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, convert_block, converts
from mlc.frontends.stablehlo.to_graph._error_checks import without_checks
from mlc.frontends.stablehlo.to_graph._expressions import comparison, returned
from mlc.frontends.stablehlo.to_graph._reductions import regrouped
from mlc.reference.constants import constant_data
from mlc.support import dtypes

_MOST_STEPS = 1 << 24
"""Counted loops keep the numbers of their steps as data, so there has to be an end to them."""


@converts("chlo.scan")
def scan(b: HloCall) -> Converted:
    """A scan over the first axis, before which the one that is meant is moved."""
    form = cast(ScanForm, b.op)
    backwards, axis = bool(form.number("is_reverse")), form.axis
    writer = ScanWriter(b, form.steps)
    initial = [b.run.number(v) for v in form.initial]
    carried = [each_part(n, writer.carry) for n in initial]
    inputs = [each_part(b.run.number(v), lambda v: b.axis_first(v, axis)) for v in form.inputs]
    rows = [each_part(n, lambda v: writer.row(v, backwards)) for n in inputs]
    found = convert_block(b.run, form.body(), [*rows, *carried], writer.body.end)
    outputs, last = found[: len(found) - len(carried)], found[len(found) - len(carried) :]
    stacked = [v for n in outputs for v in number_of(n)]
    results = writer.finish([v for n in last for v in number_of(n)], stacked, backwards)
    count = len(results) - len(stacked)
    stacks = [each_part(n, lambda v: b.first_to_axis(v, axis)) for n in regrouped(results[count:], outputs)]
    return [*stacks, *regrouped(results[:count], initial)]


@converts("if", bounded=True)
def branch(b: HloCall) -> Converted:
    """On a known condition its branch, else both, of which one is computed."""
    blocks, known = without_checks(b.run, [b.op.body(0), b.op.body(1)]), b.known(0)
    if known is not None or blocks[0] is blocks[1]:
        return b.body(blocks[0 if bool(known) else 1], [])
    return _branch(b, b, b[0], blocks)


def _branch(b: HloCall, at: GraphBuilder, condition: SSAValue, blocks: Sequence[Block]) -> list[RealOrPair]:
    bodies = [LoopBody(at), LoopBody(at)]
    yielded = [convert_block(b.run, block, [], body.end) for block, body in zip(blocks, bodies, strict=True)]
    return _joined(at, condition, bodies, yielded)


def _joined(
    at: GraphBuilder, condition: SSAValue, bodies: Sequence[LoopBody], yielded: Sequence[Sequence[RealOrPair]]
) -> list[RealOrPair]:
    """A `graph.if` of two bodies, which take what either of them uses."""
    flat = [[v for n in numbers for v in number_of(n)] for numbers in yielded]
    if [v.type for v in flat[0]] != [v.type for v in flat[1]]:
        raise Unconvertible("its branches return values of different types")
    return regrouped(branches(at, condition, bodies, flat), list(yielded[0]))


@converts("case", bounded=True)
def case(b: HloCall) -> Converted:
    """Branches in branches; what is not a number of one means the last."""
    blocks = without_checks(b.run, [r.block for r in b.op.regions])
    known = b.known(0)
    if known is not None:
        index = int(known)
        return b.body(blocks[index if 0 <= index < len(blocks) else -1], [])
    return _cases(b, b, b[0], blocks, 0)


def _cases(b: HloCall, at: GraphBuilder, index: SSAValue, blocks: Sequence[Block], first: int) -> list[RealOrPair]:
    if all(block is blocks[first] for block in blocks[first:]):
        return convert_block(b.run, blocks[first], [], at.before)
    condition = at.compare("eq", index, at.constant(np.asarray(first, np.int32), i32))
    bodies = [LoopBody(at), LoopBody(at)]
    yielded = [
        convert_block(b.run, blocks[first], [], bodies[0].end),
        _cases(b, bodies[1].inside, index, blocks, first + 1),
    ]
    return _joined(at, condition, bodies, yielded)


# ---- while


@dataclass(frozen=True)
class _Count:
    """A loop that counts: the number of the value that counts, and how often, which the extents of a call may say."""

    counter: int
    first: int
    steps: AnySize


@converts("while", bounded=True)
def loop(b: HloCall) -> Converted:
    """A scan where the number of steps is known, or follows from extents of a call, else what the condition says.

    A scan takes the most steps that there can be; those after the last one compute with what is no data. A loop in them
    may not end then, so that such bodies go on as long as the condition holds, too.
    """
    op = b.op
    cond, body = op.regions[0].block, op.regions[1].block
    initial = [b.run.number(v) for v in op.operands]
    count = _count(b, cond, body)
    if count is not None and count.steps == 0:
        return initial
    if count is not None and bounds(count.steps)[1] <= _MOST_STEPS and (isinstance(count.steps, int) or _ends(body)):
        return _counted(b, body, initial, count)
    return _as_long_as(b, cond, body, initial)


def _count(b: HloCall, cond: Block, body: Block) -> _Count | None:
    """Whether the condition compares a value with a constant, and the body adds 1 to it and nothing else."""
    (value,) = returned(cond)
    found = comparison(value)
    if found is None or found[0] not in ("LT", "GT", "LE", "GE"):
        return None
    direction, _, one, two = found
    if one not in cond.args:
        one, two = two, one
        direction = {"LT": "GT", "GT": "LT", "LE": "GE", "GE": "LE"}[direction]
    if one not in cond.args or direction not in ("LT", "LE"):
        return None
    index = [*cond.args].index(cast(BlockArgument, one))
    next = returned(body)[index].owner
    if not isinstance(next, HloOp) or next.name != "stablehlo.add" or body.args[index] not in next.operands:
        return None
    (step,) = [v for v in next.operands if v is not body.args[index]] or [None]
    limit, start = _size(b, two, cond), _number(b, b.op.operands[index], None)
    by = _number(b, step, body) if step is not None else None
    if limit is None or start is None or by != 1:
        return None
    return _Count(index, start, larger(limit - start + (direction == "LE"), 0))


def _ends(body: Block) -> bool:
    """Whether all loops in a body count to a constant, or to what is computed before the body."""
    inner = [op for op in body.walk() if isinstance(op, WhileOp)]
    return all(_counts_to_known(op, body) for op in inner)


def _counts_to_known(op: HloOp, around: Block) -> bool:
    cond, body = op.regions[0].block, op.regions[1].block
    found = comparison(returned(cond)[0])
    if found is None or found[0] != "LT" or found[2] not in cond.args:
        return False
    limit: SSAValue = found[3]
    if limit in cond.args:
        at = [*cond.args].index(cast(BlockArgument, limit))
        if returned(body)[at] is not body.args[at]:
            return False
        limit = op.operands[at]
    at = [*cond.args].index(cast(BlockArgument, found[2]))
    next, counter = returned(body)[at].owner, body.args[at]
    if not isinstance(next, HloOp) or next.name != "stablehlo.add" or counter not in next.operands:
        return False
    steps = [v.owner for v in next.operands if v is not counter]
    is_outside = not isinstance(limit.owner, Block) and not around.is_ancestor(limit.owner)
    return (is_outside or isinstance(limit.owner, ConstantOp)) and all(isinstance(o, ConstantOp) for o in steps)


def _number(b: HloCall, value: SSAValue, block: Block | None) -> int | None:
    """The integer that a value is: a constant in a region, or one that is known outside, or never changed."""
    size = _size(b, value, block)
    return size if isinstance(size, int) else None


def _size(b: HloCall, value: SSAValue, block: Block | None) -> AnySize | None:
    """The same of a value that may follow from extents of a call."""
    if isinstance(value.owner, ConstantOp):
        data = constant_data(value.owner.value, b.knowledge.resources)
    else:
        if block is not None and value in block.args:
            index = [*block.args].index(cast(BlockArgument, value))
            body = b.op.regions[1].block
            if returned(body)[index] is not body.args[index]:
                return None
            value = b.op.operands[index]
        found = b.run.number(value)
        if not isinstance(found, SSAValue):
            return None
        if (sizes := b.knowledge.sizes.get(found)) is not None:
            return sizes.flat[0] if sizes.size == 1 else None
        data = b.knowledge.array(found)
    return int(data.item()) if data is not None and data.size == 1 and data.dtype.kind in "iu" else None


def _unchanged(body: Block) -> set[int]:
    """The numbers of the values that each step hands on as they are."""
    return {i for i, v in enumerate(returned(body)) if v is body.args[i]}


def _lines(b: HloCall, body: Block) -> dict[int, tuple[int, int]]:
    """The integers that grow by a constant in each step: by how much, and what they are at first."""
    found: dict[int, tuple[int, int]] = {}
    for index, value in enumerate(returned(body)):
        op, argument = value.owner, body.args[index]
        if not isinstance(op, HloOp) or op.name != "stablehlo.add" or argument not in op.operands:
            continue
        others = [v for v in op.operands if v is not argument]
        step = _number(b, others[0], body) if others else None
        start = _number(b, b.op.operands[index], None)
        if step is not None and start is not None:
            found[index] = step, start
    return found


def _counted(b: HloCall, body: Block, initial: list[RealOrPair], count: _Count) -> list[RealOrPair]:
    """A scan: what does not change is used, what counts is a row; rows of arrays that are read or written at what
    counts are rows and stacks (`LoopRows`).

    Of as many steps as a call says, those after the last one change nothing that is carried.
    """
    from mlc.frontends.stablehlo.to_graph._rows import LoopRows

    lines = _lines(b, body)
    fixed = _unchanged(body) - lines.keys()
    rows = LoopRows.of(b, body, lines, count.steps, initial, fixed, lambda value: _size(b, value, body))
    scan = ScanWriter(b, bounds(count.steps)[1])
    arguments: list[RealOrPair | None] = [None] * len(initial)
    carried = [i for i in range(len(initial)) if i not in (*fixed, *lines, *rows.stacked)]
    results: list[RealOrPair] = list(initial)
    for i in carried:
        arguments[i] = each_part(initial[i], scan.carry)
    for i in fixed:
        arguments[i] = initial[i]
    taken = {read: scan.row(all_along(b, cast(SSAValue, initial[i]), [0]), way) for i, read, way in rows.read}
    runs = _count_out(b, scan, lines, count.steps, rows.is_backwards, arguments, results)
    next, stacks = rows.convert(b.run, body, arguments, taken, scan)
    flat = [v for i in carried for v in number_of(next[i])]
    _require_unchanged([v for i in carried for v in number_of(initial[i])], flat)
    found = scan.finish(flat, stacks, rows.backwards, runs)
    carried_out = regrouped(found[: len(flat)], [initial[i] for i in carried])
    for i, number in zip(carried, carried_out, strict=True):
        results[i] = number
    for i, stack in zip(rows.stacked, found[len(flat) :], strict=True):
        results[i] = b.sized(stack, {0: count.steps})
        if shape_sizes(b, cast(SSAValue, results[i])) != shape_sizes(b, cast(SSAValue, initial[i])):
            raise Unconvertible("it writes rows of other extents than those of the array")
    return results


def _count_out(
    b: HloCall,
    scan: ScanWriter,
    lines: dict[int, tuple[int, int]],
    steps: AnySize,
    backwards: bool,
    arguments: list[RealOrPair | None],
    results: list[RealOrPair],
) -> SSAValue | None:
    """Put in what counts: what it is in a step, as a row, and after the last one. Whether a step is one of those that a
    call asks for; None if that is known."""
    most, inside = scan.steps, scan.inside
    if isinstance(steps, int):
        for i, (step, first) in lines.items():
            element = element_of(cast(SSAValue, results[i]))
            numbers = (np.arange(most + 1) * step + first).astype(dtypes.to_numpy(element))
            arguments[i] = scan.row(b.reshape(b.constant(numbers[:-1], element), (most, *b.shape(i))))
            results[i] = b.reshape(b.constant(numbers[-1], element), b.shape(i))
        return None
    row = scan.number(backwards)
    at = inside.sub(inside.extent(steps - 1), row) if backwards else row
    for i, (step, first) in lines.items():
        element = element_of(cast(SSAValue, results[i]))
        number = inside.add(inside.mul(at, inside.constant(step)), inside.constant(first))
        arguments[i] = inside.reshape(inside.cast(number, element), b.shape(i))
        results[i] = b.reshape(b.cast(b.extent(steps * step + first), element), b.shape(i))
    return inside.compare("lt", row, inside.extent(steps))


def _require_unchanged(before: Sequence[SSAValue], after: Sequence[SSAValue]) -> None:
    for one, other in zip(before, after, strict=True):
        if one.type != other.type:
            raise Unconvertible(f"it carries {one.type}, which becomes {other.type}; required: the same in each step")


def _as_long_as(b: HloCall, cond: Block, body: Block, initial: list[RealOrPair]) -> list[RealOrPair]:
    fixed = _unchanged(body)
    moving = [i for i in range(len(initial)) if i not in fixed]
    flat = [v for i in moving for v in number_of(initial[i])]
    writer = WhileWriter(b, flat)

    def arguments(inside: Sequence[SSAValue]) -> list[RealOrPair]:
        grouped = regrouped(list(inside), [initial[i] for i in moving])
        found = list(initial)
        for i, number in zip(moving, grouped, strict=True):
            found[i] = number
        return found

    (go_on,) = convert_block(b.run, cond, arguments(writer.ahead), writer.check.before)
    yielded = convert_block(b.run, body, arguments(writer.carried), writer.inside.before)
    next = [v for i in moving for v in number_of(yielded[i])]
    _require_unchanged(flat, next)
    assert isinstance(go_on, SSAValue)
    return arguments(writer.finish(go_on, next))
