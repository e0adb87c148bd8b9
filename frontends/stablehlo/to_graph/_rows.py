"""Arrays that a counted loop reads or writes row by row, as `jax.lax.scan` is lowered.

A `dynamic_slice` of one row of an array that no step changes, at the counter, is a row that the scan takes. An array
that each step writes at the counter, and that nobody reads, is a stack that the scan makes: all its rows are written,
for the counter goes through all of them, from either end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.dialects.stablehlo import ConstantOp, HloOp, hlo
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.operators.sizes import AnySize, SymbolicSize, bounds
from mlc.frontends.stablehlo.to_graph._calls import HloConversion, convert_ops
from mlc.frontends.stablehlo.to_graph._expressions import returned
from mlc.support.ir import clone

Progression = tuple[AnySize, AnySize]
"""An integer that grows by a number in each step: what it grows by, and what it is at first."""


@dataclass
class LoopRows:
    """What of a loop's body is rows and stacks."""

    lines: Mapping[int, Progression]
    """The values that are known in each step, by number."""
    read: list[tuple[int, Operation, bool]] = field(default_factory=list[tuple[int, Operation, bool]])
    """Which value is read row by row, by which op, and whether backwards."""
    stacked: list[int] = field(default_factory=list[int])
    """Which values are stacks."""
    backwards: list[bool] = field(default_factory=list[bool])
    """Whether these are filled from their ends."""
    writes: list[Operation] = field(default_factory=list[Operation])
    """The ops that write them."""
    is_backwards: bool = False
    """Whether all rows and stacks go from the end."""

    @classmethod
    def of(
        cls,
        b: GraphBuilder,
        body: Block,
        lines: Mapping[int, Progression],
        steps: AnySize,
        initial: Sequence[RealOrPair],
        fixed: set[int],
        size_of: Callable[[SSAValue], AnySize | None],
    ) -> LoopRows:
        """The rows and stacks of a body, some of whose values are known in each step; `size_of` says what others are
        that are the same in all steps.

        Of as many steps as a call says, all rows and stacks are in one order; others are no rows.
        """
        rows, known = cls(lines), Lines(body, lines, steps, size_of)
        read: list[tuple[int, Operation, bool]] = []
        for i in fixed:
            value = initial[i]
            if isinstance(value, Pair) or not shape_of(value) or b.axis_size(value, 0) != steps:
                continue
            for op in [use.operation for use in body.args[i].uses]:
                if _reads_row(op, body, body.args[i]):
                    way = known.direction(op.operands[1])
                    read += [] if way is None else [(i, op, way)]
        written: list[tuple[int, bool, Operation]] = []
        for i, value in enumerate(returned(body)):
            old = initial[i]
            if i in fixed or i in lines or isinstance(old, Pair) or not shape_of(old) or b.axis_size(old, 0) != steps:
                continue
            op = value.owner
            if not isinstance(op, HloOp) or not _writes_row(op, body, body.args[i]):
                continue
            own = [use.operation for use in body.args[i].uses]
            others = [use.operation for use in value.uses]
            way = known.direction(op.operands[2])
            if way is not None and own == [op] and others == [body.last_op]:
                written.append((i, way, op))
        ways = [way for _, way, _ in written] + [way for _, _, way in read]
        rows.is_backwards = bool(ways) and all(ways)
        if isinstance(steps, SymbolicSize):
            read = [each for each in read if each[2] == rows.is_backwards]
            written = [each for each in written if each[1] == rows.is_backwards]
        rows.read = read
        for i, way, op in written:
            rows.stacked.append(i)
            rows.backwards.append(way)
            rows.writes.append(op)
        return rows

    def convert(
        self,
        run: HloConversion,
        body: Block,
        arguments: Sequence[RealOrPair | None],
        taken: dict[Operation, SSAValue],
        scan: ScanWriter,
    ) -> tuple[list[RealOrPair], list[SSAValue]]:
        """What a step gives for the arguments of the body, and a row of each stack."""
        before = scan.body.end
        mapping: dict[SSAValue, SSAValue] = {}
        for argument, number in zip(body.args, arguments, strict=True):
            if isinstance(number, Pair):
                run.pairs[argument] = number
            elif number is not None:
                mapping[argument] = number
        refused, replaced = len(run.refused), len(run.replaced)
        ops: list[Operation] = []
        for op in body.ops:
            if op in taken:
                row = taken[op]
                kind = op.results[0].type
                reshape = hlo("reshape").create(operands=[row], result_types=[kind])
                Rewriter.insert_op(reshape, InsertPoint.before(before))
                mapping[op.results[0]] = reshape.results[0]
                ops.append(reshape)
            elif op in self.writes:
                continue
            elif op is not body.last_op:
                copy = clone(op, mapping)
                Rewriter.insert_op(copy, InsertPoint.before(before))
                ops.append(copy)
        updates = [mapping.get(op.operands[1], op.operands[1]) for op in self.writes]
        given = [
            mapping.get(v, v) if i not in (*self.stacked, *self.lines) else mapping[body.args[next(iter(self.lines))]]
            for i, v in enumerate(returned(body))
        ]
        found = convert_ops(run, ops, [*given, *updates], before, refused, replaced)
        rows: list[SSAValue] = []
        for value in found[len(given) :]:
            assert isinstance(value, SSAValue)
            rows.append(scan.inside.squeeze(value, [0]))
        return found[: len(given)], rows


def _reads_row(op: Operation, body: Block, array: SSAValue) -> bool:
    if op.name != "stablehlo.dynamic_slice" or op.parent is not body or op.operands[0] is not array:
        return False
    assert isinstance(op, HloOp)
    sizes = op.ints("slice_sizes")
    return sizes[0] == 1 and sizes[1:] == shape_of(array)[1:]


def _writes_row(op: HloOp, body: Block, array: SSAValue) -> bool:
    if op.name != "stablehlo.dynamic_update_slice" or op.parent is not body or op.operands[0] is not array:
        return False
    sizes = shape_of(op.operands[1])
    return op.operands[1] is not array and sizes[0] == 1 and sizes[1:] == shape_of(array)[1:]


@dataclass
class Lines:
    """What integers are in each step of a body."""

    body: Block
    of_arguments: Mapping[int, Progression]
    steps: AnySize
    size_of: Callable[[SSAValue], AnySize | None]
    """What a value is that is the same in all steps."""

    def direction(self, start: SSAValue) -> bool | None:
        """Whether a start goes through all rows backwards; None if it is not known to go through all of them."""
        line = self.line(start)
        return False if line == (1, 0) else True if line == (-1, self.steps - 1) else None

    def line(self, value: SSAValue) -> Progression | None:
        """What a value is in each step, if that is known: sums and differences of numbers that are, and those that JAX
        makes of indices that might count from the end."""
        if isinstance(value, BlockArgument) and value.owner is self.body and value.index in self.of_arguments:
            return self.of_arguments[value.index]
        op = value.owner
        if isinstance(op, ConstantOp | graph.ConstantOp):
            numbers = getattr(op.value, "get_values", tuple[int, ...])()
            return (0, numbers[0]) if len(numbers) == 1 and isinstance(numbers[0], int) else None
        if not isinstance(op, HloOp) or op.parent is not self.body:
            size = self.size_of(value)
            return None if size is None else (0, size)
        if op.name == "stablehlo.select":
            line = self.line(op.operands[2])
            if line is None or min(bounds(line[1])[0], bounds(line[1] + line[0] * (self.steps - 1))[0]) < 0:
                return None
            return line if self._asks_if_negative(op.operands[0], line) else None
        if op.name == "stablehlo.convert" and op.operands[0].type == value.type:
            return self.line(op.operands[0])
        if op.name in ("stablehlo.add", "stablehlo.subtract"):
            one, two = (self.line(v) for v in op.operands)
            sign = 1 if op.name == "stablehlo.add" else -1
            return None if one is None or two is None else (one[0] + sign * two[0], one[1] + sign * two[1])
        return None

    def _asks_if_negative(self, value: SSAValue, line: Progression) -> bool:
        """Whether a value asks if a number that is known in each step is less than 0."""
        op = value.owner
        if not isinstance(op, HloOp) or op.name != "stablehlo.compare" or op.word("comparison_direction") != "LT":
            return False
        one, two = (self.line(v) for v in op.operands)
        return one == line and two == (0, 0)
