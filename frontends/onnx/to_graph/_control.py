"""Branches and loops; the graphs that they hold see the values around them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np
from xdsl.dialects.builtin import IntegerType, i1, i64
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import onnx
from mlc.dialects.graph import AndOp
from mlc.dialects.graph.types import element_of, shape_of, type_of
from mlc.frontends.onnx.to_graph._known_steps import KnownSteps, as_declared, known_steps
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._open_lengths import length_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.either import either
from mlc.frontends.operators.loop_writer import LoopBody, ScanWriter, WhileWriter, branches, only, only_integer
from mlc.frontends.operators.open_shapes import all_along
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds


def graph_of(b: Node, name: str) -> Block:
    """The graph that is an attribute of a node."""
    found = b.op.graph(name)
    if found is None:
        raise Unconvertible(f"its graph '{name}' is missing")
    return found


def convert(
    b: Node, source: Block, values: Sequence[SSAValue], before: Operation, repeated: bool = False
) -> list[SSAValue]:
    """Move the ops of a graph before an op, with values for its inputs, and convert them; what they yield.

    `repeated` says that they are computed several times there.

    Raises:
        Unconvertible: the numbers of inputs differ, or something in the graph cannot be converted.
    """
    if len(source.args) != len(values):
        raise Unconvertible(f"its graph has {len(source.args)} inputs, the node gives {len(values)}")
    for argument, value in zip(source.args, values, strict=True):
        argument.replace_all_uses_with(value)
    ops = list(source.ops)
    terminator = ops[-1]
    for op in ops:
        op.detach()
        Rewriter.insert_op(op, InsertPoint.before(before))
    refused = len(b.run.refused)
    knowledge = b.knowledge
    outside, knowledge.repeated = knowledge.repeated, knowledge.repeated or repeated
    try:
        b.run.lower(ops[:-1])
    finally:
        knowledge.repeated = outside
    results = list(terminator.operands)
    Rewriter.erase_op(terminator)
    for op in ops:
        if isinstance(op, onnx.NoValueOp) and op.result.first_use is None:
            Rewriter.erase_op(op)
    if len(b.run.refused) > refused or any(b.run.is_lost(v) for v in results):
        raise Unconvertible("something in its graph cannot be converted")
    return results


@converts("If", bounded=True)
def if_(b: Node) -> Results:
    """On a known condition, its branch; else both branches, one of which is computed. Both are, and one is chosen,
    where their extents differ, or depend on data, and no loop is in them, which may count on the condition to end."""
    names = ("then_branch", "else_branch")
    known = b.knowledge.array(b[0])
    if known is not None:
        return convert(b, graph_of(b, names[0 if bool(only(known)) else 1]), [], b.op)
    sources = [graph_of(b, name) for name in names]
    has_loop = any(isinstance(op, onnx.op("Loop")) for source in sources for op in source.walk())
    copies = [source.parent.clone() for source in sources if source.parent is not None and not has_loop]
    refused, bodies = len(b.run.refused), [LoopBody(b), LoopBody(b)]
    try:
        yielded = [convert(b, source, [], body.end) for source, body in zip(sources, bodies, strict=True)]
        then, otherwise = ([type_of(v) for v in values] for values in yielded)
        if then != otherwise:
            b.known(0)  # which branch it is says what the types are
        return branches(b, b.reshape(b[0], ()), bodies, yielded)
    except Unconvertible as e:
        if has_loop:
            raise
        reasons = b.run.refused[refused:]
        del b.run.refused[refused:]
        for body in bodies:
            body.discard()
        try:
            computed = [convert(b, copy.block, [], b.op) for copy in copies]
            return [either(b, b.reshape(b[0], ()), *pair) for pair in zip(*computed, strict=True)]
        except Unconvertible:
            b.run.refused[refused:] = reasons
            raise e from None
    finally:
        for copy in copies:
            copy.erase()


@converts("Scan", bounded=True)
def scan_(b: Node) -> Results:
    """Values that are carried, inputs that are taken apart along axes, outputs that are stacked along axes."""
    operands = list(range(len(b.op.operands)))
    if b.since < 9:
        return _batches(b)
    inputs = [b[i] for i in operands]
    return _scan(b, inputs, b.ints("scan_input_axes") or [], b.ints("scan_output_axes") or [])


def _batches(b: Node) -> Results:
    """Version 8 has a batch before everything; what it computes is stacked again."""
    if b.has(0):
        raise Unconvertible("sequence_lens of Scan-8 is not supported")
    operands = [b[i] for i in range(1, len(b.op.operands))]
    batch = shape_of(operands[0])[0]
    if batch != 1:
        raise Unconvertible(f"Scan-8 with a batch of {batch}; mlc converts one of 1")
    inputs = [b.reshape(v, shape_of(v)[1:]) for v in operands]
    found = _scan(b, inputs, [], [])
    return [b.reshape(v, (1, *shape_of(v))) for v in found]


def _scan(b: Node, inputs: Sequence[SSAValue], axes: Sequence[int], out_axes: Sequence[int]) -> list[SSAValue]:
    taken = b.int("num_scan_inputs")
    count = len(inputs) - taken
    if taken < 1 or count < 0:
        raise Unconvertible(f"num_scan_inputs is {taken}, the node has {len(inputs)} inputs; required: 1 to as many")
    source = graph_of(b, "body")
    name = "scan_input_directions" if b.since >= 9 else "directions"
    back = [bool(d) for d in b.ints(name) or [0] * taken]
    _require_as_many(taken, back, axes or back)
    fronts = [
        b.axis_first(v, axis_of(axis, len(shape_of(v))))
        for v, axis in zip(inputs[count:], axes or [0] * taken, strict=True)
    ]
    steps, length = shape_of(fronts[0])[0], b.axis_size(fronts[0], 0)
    if any(shape_of(v)[0] != steps or b.axis_size(v, 0) != length for v in fronts):
        raise Unconvertible("its inputs are not all as long along their axes")
    is_open = isinstance(length, SymbolicSize)
    if is_open:
        fronts = [all_along(b, v, [0]) for v in fronts]
    scan = ScanWriter(b, steps)
    arguments = [scan.carry(v) for v in inputs[:count]]
    arguments += [scan.row(v, way) for v, way in zip(fronts, back, strict=True)]
    number = scan.number(back[0]) if is_open and len(set(back)) == 1 else None
    yielded = convert(b, source, arguments, scan.body.end, repeated=True)
    _require_unchanged(inputs[:count], yielded[:count])
    runs = None
    if isinstance(length, SymbolicSize):
        if number is None:
            raise Unconvertible("it takes rows in both directions, and how many there are is known at the call only")
        runs = scan.inside.compare("lt", number, b.extent(length))
    stacked = len(yielded) - count
    _require_as_many(stacked, b.ints("scan_output_directions") or [0] * stacked, out_axes or [0] * stacked)
    out_back = [bool(d) for d in b.ints("scan_output_directions") or [0] * stacked]
    if is_open and any(way != back[0] for way in out_back):
        raise Unconvertible(
            "it stacks rows in another direction than it takes them; how many, is known at the call only"
        )
    results = scan.finish(yielded[:count], yielded[count:], out_back, runs)
    for place, axis in enumerate(out_axes or [0] * stacked, count):
        rank = len(shape_of(results[place]))
        rows = b.sized(results[place], {0: length}) if isinstance(length, SymbolicSize) else results[place]
        results[place] = b.first_to_axis(rows, axis_of(axis, rank))
    return results


def _require_as_many(count: int, *lists: Sequence[object]) -> None:
    if count < 0 or any(len(each) != count for each in lists):
        raise Unconvertible(
            "its lists of axes and directions, and what its graph yields, are not as many as they must be"
        )


def _require_unchanged(before: Sequence[SSAValue], after: Sequence[SSAValue]) -> None:
    if len(before) != len(after):
        raise Unconvertible(f"it carries {len(before)} values, its graph yields {len(after)}")
    for one, other in zip(before, after, strict=True):
        if one.type != other.type:
            raise Unconvertible(f"it carries {one.type}, which becomes {other.type}; required: the same in each step")


_MOST_STEPS = 1 << 24
"""The numbers of steps are data, so there has to be an end to them."""
_WRITTEN_OUT = 64
"""The most steps of a loop that are written out one after the other."""


@converts("Loop", bounded=True)
def loop(b: Node) -> Results:
    """Counted where the number of steps is known and nothing ends it before; else as long as its condition holds.

    In the body the condition is known to hold.
    """
    initial = [b[i] for i in range(2, len(b.op.operands))]
    limit = b.optional(0)
    known = None if limit is None else b.knowledge.array(limit)
    begins = b.optional(1)
    starts = None if begins is None else b.knowledge.array(begins)
    if starts is not None and not bool(only(starts)):
        known = starts.astype("int64")
    source = graph_of(b, "body")
    last = source.last_op
    if len(source.args) != len(initial) + 2 or last is None or len(last.operands) < len(initial) + 1:
        given = 0 if last is None else len(last.operands)
        raise Unconvertible(
            f"it carries {len(initial)} values, so its graph has {len(initial) + 2} inputs and at least "
            f"{len(initial) + 1} outputs; found {len(source.args)} and {given}"
        )
    most = None if known is None else max(only_integer(known), 0)
    bounded, begun = limit is None or known is not None, begins is None or starts is not None
    steps = _steps(b, source, most, initial, last.operands[0])
    if steps is not None and bounded and begun:
        return _counted(b, source, steps, initial)
    if len(last.operands) > 1 + len(initial):
        # Stacks of as many rows as there are steps: these have to be known, or the extents of a call say it.
        if begun and (length := length_of(b, source, limit, initial, partial(_known, b, source, initial))) is not None:
            return _scan_of_loop(b, source, length, initial)
        for index in (index for index in (0, 1) if b.has(index)):
            b.known(index)
    if steps is None:
        steps = _at_most(b, source, most, initial, last.operands[0])
    return _as_long_as(b, source, limit, begins, initial, steps)


def _steps(b: Node, source: Block, most: int | None, initial: Sequence[SSAValue], condition: SSAValue) -> int | None:
    """How many steps it takes, not more than `most`; None if the condition depends on what is not known."""
    if most is not None and most <= 1:
        return most
    found = _known(b, source, initial, condition)
    return None if found is None else found.steps(most)


def _at_most(b: Node, source: Block, most: int | None, initial: Sequence[SSAValue], condition: SSAValue) -> int | None:
    """How many steps it takes at most, as those parts of the condition say that are known; None if none does."""
    op, counts = condition.owner, [most]
    for part in op.operands if isinstance(op, onnx.op("And")) else ():
        steps = _steps(b, source, most, initial, part)
        counts.append(_at_most(b, source, most, initial, part) if steps is None else steps)
    return min((n for n in counts if n is not None), default=None)


def _known(b: Node, source: Block, initial: Sequence[SSAValue], value: SSAValue) -> KnownSteps | None:
    """What a value in the body is computed from, if that is known."""
    refused = len(b.run.refused)
    try:
        return known_steps(b, source, initial, value, partial(convert, b, repeated=True))
    except Unconvertible:
        del b.run.refused[refused:]
        return None


def _counted(b: Node, source: Block, steps: int, initial: Sequence[SSAValue]) -> list[SSAValue]:
    """A scan; a few steps of which some ask for their number, or change a shape, are written out."""
    if steps > _MOST_STEPS:
        raise Unconvertible(f"it takes {steps} steps; mlc counts up to {_MOST_STEPS}")
    refused = len(b.run.refused)
    copy = b.op.regions[0].clone() if steps <= _WRITTEN_OUT else None
    try:
        return _scan_of_loop(b, source, steps, initial)
    except Unconvertible:
        if copy is None:
            raise
        del b.run.refused[refused:]
        return _written_out(b, copy, steps, initial)
    finally:
        if copy is not None:
            copy.erase()  # which would keep its uses of values around the loop


def _written_out(b: Node, body: Region, steps: int, initial: Sequence[SSAValue]) -> list[SSAValue]:
    values, stacks = list(initial), list[list[SSAValue]]()
    for step in range(steps):
        source = body.clone().block
        number = as_declared(b, b.constant(step, i64), source.args[0])
        true = as_declared(b, b.constant(True, i1), source.args[1])
        _, *yielded = convert(b, source, [number, true, *values], b.op)
        values, rows = yielded[: len(initial)], yielded[len(initial) :]
        stacks.append([b.reshape(row, (1, *shape_of(row))) for row in rows])
    return [*values, *(b.concat(list(rows), 0) for rows in zip(*stacks, strict=True))]


def _scan_of_loop(b: Node, source: Block, length: AnySize, initial: Sequence[SSAValue]) -> list[SSAValue]:
    """A scan of so many steps; after as many as a call says, nothing that is carried changes."""
    steps = bounds(length)[1]
    scan = ScanWriter(b, steps)
    try:
        arguments = [scan.carry(v) for v in initial]
        step = scan.number()
        _note(b, source, steps, initial, [step, *arguments])
        number = as_declared(scan.inside, step, source.args[0])
        true = as_declared(scan.inside, scan.inside.constant(True, i1), source.args[1])
        _, *yielded = convert(b, source, [number, true, *arguments], scan.body.end, repeated=True)
        count = len(initial)
        _require_unchanged(initial, yielded[:count])
        runs = None
        if isinstance(length, SymbolicSize):
            runs = scan.inside.compare("lt", step, b.extent(length))
    except Unconvertible:
        scan.body.discard()  # the steps may be written out instead
        raise
    results = scan.finish(yielded[:count], yielded[count:], runs=runs)
    return [*results[:count], *(b.sized(rows, {0: length}) for rows in results[count:])]


def _note(
    b: Node,
    source: Block,
    most: int | None,
    initial: Sequence[SSAValue],
    arguments: Sequence[SSAValue],
) -> None:
    """Note what is known of the number of the step, and of integers that are carried, in at most so many steps.

    A loop that takes none makes rows of the types that a first step would give them.
    """
    knowledge, count = b.knowledge, None if most is None else max(most, 1)
    if count is not None:
        knowledge.each_step[arguments[0]] = partial(np.arange, count)
    for argument, name, value in zip(arguments[1:], source.args[2:], initial, strict=True):
        if not isinstance(element_of(value), IntegerType) or knowledge.array(value) is None:
            continue
        if (found := _known(b, source, initial, name)) is None:
            continue
        if (constant := found.constant()) is not None:
            knowledge.arrays[argument] = constant
        elif count is not None:
            knowledge.each_step[argument] = cache(partial(found.rows, count))


def _as_long_as(
    b: Node,
    source: Block,
    limit: SSAValue | None,
    begins: SSAValue | None,
    initial: Sequence[SSAValue],
    most: int | None,
) -> list[SSAValue]:
    first = b.constant(True, i1) if begins is None else b.reshape(begins, ())
    loop = WhileWriter(b, [b.constant(0, i64), first, *initial])
    go_on: SSAValue = loop.ahead[1]
    if limit is not None:
        count = loop.check.compare("lt", loop.ahead[0], b.cast(b.reshape(limit, ()), i64))
        go_on = loop.check(AndOp, go_on, count)
    _note(b, source, most, initial, loop.carried[:1] + loop.carried[2:])
    number = as_declared(loop.inside, loop.carried[0], source.args[0])
    true = as_declared(loop.inside, loop.inside.constant(True, i1), source.args[1])
    condition, *yielded = convert(b, source, [number, true, *loop.carried[2:]], loop.inside.before, repeated=True)
    if len(yielded) > len(initial):
        raise Unconvertible("it stacks values of a number of steps that depends on data")
    _require_unchanged(initial, yielded)
    next = loop.inside.add(loop.carried[0], loop.inside.constant(1, i64))
    return loop.finish(go_on, [next, loop.inside.reshape(condition, ()), *yielded])[2:]
