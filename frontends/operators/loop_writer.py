"""Writing loops that carry values, and making bodies of what sees the values around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, cast

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import Block, BlockArgument, Region, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph import ConstantOp, IfOp, ScanOp, WhileOp, YieldOp
from mlc.dialects.graph.types import element_of, shape_of, tensor, type_of
from mlc.dialects.scan import stack_type
from mlc.frontends.operators.graph_builder import Array, GraphBuilder
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import AnySize
from mlc.reference import graph as reference
from mlc.support.ir import clone

DimSizes = Mapping[int, AnySize]
"""The sizes of the dims that end at extents of the call."""


class LoopBody:
    """A body that is being written; `inside` puts ops into it.

    What it uses of the values around it becomes an operand in the end, each with an argument of the body; constants are
    repeated in it.
    """

    def __init__(self, b: GraphBuilder) -> None:
        self.block = Block()
        self.end = YieldOp()
        self.block.add_op(self.end)
        self.inside = GraphBuilder(self.end, b.knowledge, b.hint)
        b.knowledge.bodies[self.block] = b.before
        self.end.location = b.before.location
        self.captured: dict[SSAValue, BlockArgument] = {}
        """What it uses of the values around it, once it is finished, with its names for them."""
        self.ends: list[DimSizes] = []
        """Where the dims end of what it yields."""

    def argument(self, like: SSAValue, row: bool = False) -> BlockArgument:
        """An argument with the type of a value, or of a row of it, whose dims end where those of the value do.

        Raises:
            Unconvertible: the extent of one of its dims depends on data, or it is not known how many rows there are.
        """
        _ends(self.inside, like, "what a loop carries or takes rows of")
        if row:
            require_fixed(self.inside, like, "what a loop takes rows of", [0])
        argument = self._argument(like, row)
        extents = self.inside.knowledge.extents.get(like, {})
        self.inside.bounded(argument, {axis - row: extent for axis, extent in extents.items()})
        return argument

    def discard(self) -> None:
        """Let go of what its ops use; its constants are dropped when the conversion ends."""
        for op in reversed(list(self.block.ops)):
            if not isinstance(op, ConstantOp):
                Rewriter.erase_op(op, safe_erase=False)

    def _argument(self, like: SSAValue, row: bool = False) -> BlockArgument:
        kind = tensor(shape_of(like)[1:], element_of(like)) if row else type_of(like)
        argument = self.block.insert_arg(kind, len(self.block.args))
        argument.name_hint = like.name_hint
        return argument

    def finish(self, results: Sequence[SSAValue]) -> list[SSAValue]:
        """End the body with what it yields; returns the values around it that it uses, in the order of arguments.

        Raises:
            Unconvertible: the extent of a dim of what it yields depends on data.
        """
        self.ends = [_ends(self.inside, value, "what a graph yields") for value in results]
        self.end.operands = results
        captured = self.captured
        constants: dict[SSAValue, SSAValue] = {}
        for op in list(self.block.ops):
            for index, value in enumerate(op.operands):
                if _block_of(value) is self.block:
                    continue
                if isinstance(value.owner, ConstantOp):
                    if value not in constants:
                        copy = clone(value.owner)
                        copy.results[0].name_hint = value.name_hint
                        assert self.block.first_op is not None
                        self.block.insert_op_before(copy, self.block.first_op)
                        constants[value] = copy.results[0]
                        self.inside.knowledge.made[cast(ConstantOp, copy)] = None
                    op.operands[index] = constants[value]
                else:
                    if value not in captured:
                        captured[value] = self._argument(value)
                    op.operands[index] = captured[value]
        return list(captured)


class ScanWriter:
    """Writes a `graph.scan`: first what it carries, then of what it takes rows, then its body, then `finish`."""

    def __init__(self, b: GraphBuilder, steps: int) -> None:
        self.b, self.steps = b, steps
        self.body = LoopBody(b)
        self.inside = self.body.inside
        self._initial: list[SSAValue] = []
        self._carried: list[SSAValue] = []
        self._rows: list[SSAValue] = []
        self._backwards: list[bool] = []

    def carry(self, initial: SSAValue) -> SSAValue:
        """What the body calls a value that is carried."""
        self._initial.append(initial)
        self._carried.append(argument := self.body.argument(initial))
        return argument

    def row(self, value: SSAValue, backwards: bool = False) -> SSAValue:
        """What the body calls a row of a tensor."""
        self._rows.append(value)
        self._backwards.append(backwards)
        return self.body.argument(value, row=True)

    def number(self, backwards: bool = False) -> SSAValue:
        """The number of the row that a step is at, an i64."""
        return self.row(self.b.constant(np.arange(self.steps, dtype=np.int64), i64), backwards)

    def finish(
        self,
        next: Sequence[SSAValue],
        stacked: Sequence[SSAValue] = (),
        backwards: bool | Sequence[bool] = False,
        runs: SSAValue | None = None,
    ) -> list[SSAValue]:
        """The last carried values and the stacks; they are computed at once if all is known.

        Where `runs` does not hold, which the body computes, nothing that is carried changes, and rows are 0.
        """
        if runs is not None:
            where = partial(self.inside.where, runs)
            next = [where(new, old) for new, old in zip(next, self._carried, strict=True)]
            stacked = [where(row, self.inside.number(0, row)) for row in stacked]
        captured = self.body.finish([*next, *stacked])
        ways = [backwards] * len(stacked) if isinstance(backwards, bool) else list(backwards)
        types = [*(v.type for v in self._initial), *(stack_type(self.steps, type_of(v)) for v in stacked)]
        op = ScanOp(
            self.steps, self._initial, self._rows, captured, types, Region(self.body.block), [*self._backwards, *ways]
        )
        op.location = self.b.before.location
        known = [self.b.knowledge.array(v) for v in op.operands]
        arrays = [a for a in known if a is not None]
        if len(arrays) == len(known) and sum(a.nbytes for a in arrays) < 1 << 16:
            results = reference.evaluate(op, arrays, self.b.knowledge.resources)
            op.erase()
            return [self.b.constant(a) for a in results]
        Rewriter.insert_op(op, InsertPoint.before(self.b.before))
        ends = self.body.ends
        _require_same_ends(self.b, self._initial, ends)
        ends = [*ends[: len(next)], *({axis + 1: size for axis, size in each.items()} for each in ends[len(next) :])]
        return _ending(self.b, op.outputs, ends)


class WhileWriter:
    """Writes a `graph.while`: what `check` makes of `ahead`, and `inside` of `carried`, then `finish`."""

    def __init__(self, b: GraphBuilder, initial: Sequence[SSAValue]) -> None:
        self.b, self._initial = b, list(initial)
        self._bodies = LoopBody(b), LoopBody(b)
        self.check, self.inside = (body.inside for body in self._bodies)
        self.ahead, self.carried = ([body.argument(v) for v in initial] for body in self._bodies)

    def finish(self, go_on: SSAValue, next: Sequence[SSAValue]) -> list[SSAValue]:
        """What is carried when `go_on`, an i1 that `check` made, does not hold; `next` is carried on."""
        check, body = self._bodies
        used = list(dict.fromkeys([*check.finish([go_on]), *body.finish(next)]))
        op = WhileOp(self._initial, used, with_arguments(check, used), with_arguments(body, used))
        op.location = self.b.before.location
        Rewriter.insert_op(op, InsertPoint.before(self.b.before))
        _require_same_ends(self.b, self._initial, body.ends)
        return _ending(self.b, op.outputs, body.ends)


def branches(
    b: GraphBuilder, condition: SSAValue, bodies: Sequence[LoopBody], yielded: Sequence[Sequence[SSAValue]]
) -> list[SSAValue]:
    """The results of a `graph.if` of two bodies that yield values of the same types; each body takes what either of
    them uses.

    Raises:
        Unconvertible: the extents of what they yield depend on data, or differ.
    """
    types = [v.type for v in yielded[0]]
    used = list(dict.fromkeys(v for body, values in zip(bodies, yielded, strict=True) for v in body.finish(values)))
    op = IfOp(condition, used, types, *(with_arguments(body, used) for body in bodies))
    op.location = b.before.location
    Rewriter.insert_op(op, InsertPoint.before(b.before))
    if bodies[0].ends != bodies[1].ends:
        raise Unconvertible(
            "the extents of what its branches give differ; required: the same for all extents of a call"
        )
    return _ending(b, op.outputs, bodies[0].ends)


def _ends(b: GraphBuilder, value: SSAValue, what: str) -> DimSizes:
    """Raises: Unconvertible if the extent of a dim of `value`, which is `what`, depends on data."""
    extents = b.knowledge.extents.get(value, {})
    found = {axis: b.size_of(extent) for axis, extent in extents.items()}
    require_fixed(b, value, what, [axis for axis, size in found.items() if size is None])
    return {axis: size for axis, size in found.items() if size is not None}


def _require_same_ends(b: GraphBuilder, initial: Sequence[SSAValue], next: Sequence[DimSizes]) -> None:
    """Raises: Unconvertible if what is carried has other extents after a step."""
    for value, ends in zip(initial, next, strict=False):
        if _ends(b, value, "what a loop carries") != ends:
            raise Unconvertible("the extents of what it carries change from step to step; required: the same in each")


def _ending(b: GraphBuilder, results: Sequence[SSAValue], ends: Sequence[DimSizes]) -> list[SSAValue]:
    """Results of an op with bodies, whose dims end there."""
    for value, sizes in zip(results, ends, strict=True):
        b.bounded(value, {axis: b.extent(size) for axis, size in sizes.items()})
    return list(results)


def with_arguments(body: LoopBody, values: Sequence[SSAValue]) -> Region:
    """Give a body an argument for each of these values, in their order, after those that it had from the start."""
    block, captured = body.block, body.captured
    first = len(block.args) - len(captured)
    for number, value in enumerate(values):
        argument = block.insert_arg(value.type, first + number)
        argument.name_hint = value.name_hint
        if value in captured:
            captured[value].replace_all_uses_with(argument)
    for leftover in list(block.args)[first + len(values) :]:
        block.erase_arg(leftover)
    return Region(block)


def only(array: Array) -> Any:
    """The number that an array of one element holds.

    Raises:
        Unconvertible: it has more, or none.
    """
    if array.size != 1:
        raise Unconvertible(f"one number is required, found an array of shape {list(array.shape)}")
    return array.reshape(-1)[0]


def only_integer(array: Array) -> int:
    """The integer that an array of one element holds.

    Raises:
        Unconvertible: it has more, or none, or is of other numbers.
    """
    if array.dtype.kind not in "iu":
        raise Unconvertible(f"an integer is required, found an array of {array.dtype}")
    return int(only(array))


def _block_of(value: SSAValue) -> Block | None:
    owner = value.owner
    return owner if isinstance(owner, Block) else owner.parent
