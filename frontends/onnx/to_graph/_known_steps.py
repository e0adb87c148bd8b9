"""What a loop computes of known numbers alone, found out by computing it: how often it goes on, where it counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from xdsl.dialects.builtin import NoneType, i1, i64
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import Rewriter

from mlc.dialects.graph import ConstantOp
from mlc.dialects.graph.types import shape_of
from mlc.dialects.onnx import YieldOp
from mlc.frontends.operators.graph_builder import Array, GraphBuilder, Knowledge
from mlc.frontends.operators.loop_writer import LoopBody, only
from mlc.frontends.operators.refusal import Unconvertible
from mlc.reference.execution import Frame, UndefinedBehavior
from mlc.reference.fixed_order import fixed_order
from mlc.support.errors import UserError
from mlc.support.ir import clone
from mlc.support.resources import Resources

_MOST_OPS = 1 << 17
"""How many ops are computed: one or two seconds."""
_MOST_ELEMENTS = 64
"""Of how many elements all results of one step are."""

Convert = Callable[[Block, Sequence[SSAValue], Operation], "list[SSAValue]"]
"""Converts the ops of a graph, with values for its inputs, before an op; returns what they yield."""


@dataclass(frozen=True)
class KnownSteps:
    """The backward slice of a value in the body of a loop, where that depends on known numbers alone."""

    block: Block
    """Takes the number of the step, what the slice carries, what it captures; yields the value, and what is carried."""
    initial: Sequence[Array]
    captured: Sequence[Array]
    resources: Resources

    def values(self) -> Iterator[tuple[Array, bool]]:
        """The value in each step, and whether it is the same in all later ones; ends where it is not worth its time, or
        where a step has no meaning."""
        frame, state = Frame(self.resources, {}), list(self.initial)
        (number, *carried), end = self.block.args, self.block.last_op
        assert end is not None
        constants = [op for op in self.block.ops if isinstance(op, ConstantOp)]
        ops = [op for op in self.block.ops if not isinstance(op, ConstantOp) and op is not end]
        for op in constants:
            frame.run(op)
        for argument, array in zip(carried[len(state) :], self.captured, strict=True):
            frame[argument] = array
        for step in range(_MOST_OPS // max(len(ops), 1)):
            frame[number] = np.array(step)
            for argument, array in zip(carried, state, strict=False):
                frame[argument] = array
            try:
                with fixed_order(), np.errstate(all="ignore"):
                    for op in ops:
                        frame.run(op)
            except (UndefinedBehavior, UserError):
                return
            value, *after = (frame[v] for v in end.operands)
            settled = number.first_use is None and all(
                a.tobytes() == z.tobytes() for a, z in zip(state, after, strict=True)
            )
            yield value, settled
            state = after

    def steps(self, most: int | None) -> int | None:
        """How many steps a loop takes that goes on as long as the value holds; it begins with one, unless `most` is 0.

        None if that is not found out, or there is no end.

        Raises:
            Unconvertible: the value is not one number.
        """
        if most is not None and most <= 1:
            return most
        for done, (value, settled) in enumerate(self.values(), 1):
            if not only(value):
                return done
            if done + 1 == most or settled:
                return most
        return None

    def constant(self) -> Array | None:
        """The value, if it is the same in all steps, as one step shows."""
        value, settled = next(self.values(), (None, False))
        return value if settled else None

    def rows(self, count: int) -> Array | None:
        """The value in each of so many steps, stacked; None if that is not found out."""
        found = list[Array]()
        for value, settled in self.values():
            found.append(value)
            if settled and len(found) < count:
                found += [value] * (count - len(found))
            if len(found) == count:
                return np.stack(found)
        return None


def known_steps(
    b: GraphBuilder, source: Block, initial: Sequence[SSAValue], value: SSAValue, convert: Convert
) -> KnownSteps | None:
    """The slice of a value in the body of a loop; None if it depends on numbers that are not known, or on many.

    Raises:
        Unconvertible: an op of the slice cannot be converted.
    """
    found = _slice(b.knowledge, source, initial, value)
    if found is None:
        return None
    ops, carried = found
    body = LoopBody(b)
    try:
        number = body.argument(b.constant(0, i64))
        arguments = [as_declared(body.inside, number, source.args[0])]
        arguments += [as_declared(body.inside, body.inside.constant(True, i1), source.args[1])]
        arguments += [body.argument(initial[i]) for i in carried]
        results = convert(_copy(source, ops, carried, value), arguments, body.end)
        if any(a.type != z.type for a, z in zip(arguments[2:], results[1:], strict=True)):
            raise Unconvertible("what it carries changes its type")
        captured = [b.knowledge.array(v) for v in body.finish(results)]
    except Unconvertible:
        body.discard()
        raise
    for op in reversed(list(body.block.ops)):
        if op is not body.end and all(result.first_use is None for result in op.results):
            Rewriter.erase_op(op)
    arrays = [b.knowledge.array(initial[i]) for i in carried]
    known = [a for a in (*arrays, *captured) if a is not None]
    size = sum(a.size for a in known)
    size += sum(prod(shape_of(result)) for op in body.block.ops for result in op.results)
    if len(known) < len(arrays) + len(captured) or size > _MOST_ELEMENTS:
        body.discard()
        return None
    return KnownSteps(body.block, known[: len(arrays)], known[len(arrays) :], b.knowledge.resources)


def _slice(
    knowledge: Knowledge, source: Block, initial: Sequence[SSAValue], value: SSAValue
) -> tuple[set[Operation], list[int]] | None:
    """The ops that a value depends on in any step, and which carried values; None if these begin unknown, or others
    around the loop are."""
    last = source.last_op
    assert last is not None
    ops, carried, pending = set[Operation](), list[int](), [value]
    while pending:
        each = pending.pop()
        owner = each.owner
        if owner is source:
            place = list(source.args).index(each) - 2  # type: ignore[arg-type]
            if place >= 0 and place not in carried:
                if knowledge.array(initial[place]) is None:
                    return None
                carried.append(place)
                pending.append(last.operands[1 + place])
        elif isinstance(owner, Operation) and owner.parent is source:
            if owner not in ops:
                ops.add(owner)
                inside = (v for op in owner.walk() for v in op.operands)
                pending += [v for v in inside if not owner.is_ancestor(v.owner)]
        elif not isinstance(each.type, NoneType) and knowledge.array(each) is None:
            return None
    return ops, carried


def _copy(source: Block, ops: set[Operation], carried: Sequence[int], value: SSAValue) -> Block:
    """A graph of these ops alone, which yields the value, and what is carried."""
    last = source.last_op
    assert last is not None
    taken = [source.args[0], source.args[1], *(source.args[2 + i] for i in carried)]
    block = Block(arg_types=[argument.type for argument in taken])
    mapping: dict[SSAValue, SSAValue] = dict(zip(taken, block.args, strict=True))
    block.add_ops([clone(op, mapping) for op in source.ops if op in ops])
    block.add_op(YieldOp([mapping.get(v, v) for v in (value, *(last.operands[1 + i] for i in carried))]))
    return block


def as_declared(b: GraphBuilder, value: SSAValue, declared: SSAValue) -> SSAValue:
    """A number of one element, as an input of a graph wants it: `[]` or `[1]`."""
    shape = getattr(declared.type, "get_shape", tuple[int, ...])()
    return b.reshape(value, (1,)) if len(shape) == 1 else value
