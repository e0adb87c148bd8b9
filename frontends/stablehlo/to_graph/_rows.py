"""Arrays that a counted loop reads or writes row by row, as `jax.lax.scan` is lowered.

A `dynamic_slice` of one row of an array that no step changes, at the counter, is a row that the scan takes. An array
that each step writes at the counter, and that nobody reads, is a stack that the scan makes: all its rows are written,
for the counter goes through all of them, from either end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.dialects.stablehlo import ConstantOp, HloOp, hlo
from mlc.frontends.operators.complex_numbers import Pair, RealOrPair
from mlc.frontends.operators.loop_writer import ScanWriter
from mlc.frontends.stablehlo.to_graph._calls import HloConversion, convert_ops
from mlc.frontends.stablehlo.to_graph._expressions import returned
from mlc.support.ir import clone

Progression = tuple[int, int]
"""An integer that grows by a number in each step: what it grows by, and what it is at first."""


@dataclass
class LoopRows:
    """What of a loop's body is rows and stacks."""

    lines: dict[int, Progression]
    """The values that are known in each step, by number."""
    read: list[tuple[int, Operation, bool]] = field(default_factory=list[tuple[int, Operation, bool]])
    """Which value is read row by row, by which op, and whether backwards."""
    stacked: list[int] = field(default_factory=list[int])
    """Which values are stacks."""
    backwards: list[bool] = field(default_factory=list[bool])
    """Whether these are filled from their ends."""
    writes: list[Operation] = field(default_factory=list[Operation])
    """The ops that write them."""

    @classmethod
    def of(
        cls, body: Block, lines: dict[int, Progression], steps: int, initial: Sequence[RealOrPair], fixed: set[int]
    ) -> LoopRows:
        """The rows and stacks of a body, some of whose values are known in each step."""
        rows = cls(lines)
        for i in fixed:
            value = initial[i]
            if isinstance(value, Pair) or not shape_of(value) or shape_of(value)[0] != steps:
                continue
            for op in [use.operation for use in body.args[i].uses]:
                if _reads_row(op, body, body.args[i]):
                    way = _direction(op.operands[1], body, lines, steps)
                    rows.read += [] if way is None else [(i, op, way)]
        for i, value in enumerate(returned(body)):
            old = initial[i]
            if i in fixed or i in lines or isinstance(old, Pair) or not shape_of(old) or shape_of(old)[0] != steps:
                continue
            op = value.owner
            if not isinstance(op, HloOp) or not _writes_row(op, body, body.args[i]):
                continue
            own = [use.operation for use in body.args[i].uses]
            others = [use.operation for use in value.uses]
            way = _direction(op.operands[2], body, lines, steps)
            if way is not None and own == [op] and others == [body.last_op]:
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
            rows.append(scan.inside.reshape(value, shape_of(value)[1:]))
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


def _direction(start: SSAValue, body: Block, lines: dict[int, Progression], steps: int) -> bool | None:
    """Whether a start goes through all rows backwards; None if it is not known to go through all of them."""
    line = _line(start, body, lines, steps)
    return False if line == (1, 0) else True if line == (-1, steps - 1) else None


def _line(value: SSAValue, body: Block, lines: dict[int, Progression], steps: int) -> Progression | None:
    """What a value is in each step, if that is known: sums and differences of numbers that are, and those that JAX
    makes of indices that might count from the end."""
    if isinstance(value, BlockArgument):
        return lines.get(value.index) if value.owner is body else None
    op = value.owner
    if isinstance(op, ConstantOp | graph.ConstantOp):
        numbers = getattr(op.value, "get_values", tuple[int, ...])()
        return (0, numbers[0]) if len(numbers) == 1 and isinstance(numbers[0], int) else None
    if not isinstance(op, HloOp) or op.parent is not body:
        return None
    if op.name == "stablehlo.select":
        line = _line(op.operands[2], body, lines, steps)
        is_positive = line is not None and line[1] >= 0 and line[1] + line[0] * (steps - 1) >= 0
        return line if is_positive and _is_negative(op.operands[0], line, body, lines, steps) else None
    if op.name == "stablehlo.convert" and op.operands[0].type == value.type:
        return _line(op.operands[0], body, lines, steps)
    if op.name in ("stablehlo.add", "stablehlo.subtract"):
        one, two = (_line(v, body, lines, steps) for v in op.operands)
        sign = 1 if op.name == "stablehlo.add" else -1
        return None if one is None or two is None else (one[0] + sign * two[0], one[1] + sign * two[1])
    return None


def _is_negative(
    value: SSAValue, line: Progression | None, body: Block, lines: dict[int, Progression], steps: int
) -> bool:
    """Whether a value asks if a number that is known in each step is less than 0."""
    op = value.owner
    if not isinstance(op, HloOp) or op.name != "stablehlo.compare" or op.word("comparison_direction") != "LT":
        return False
    one, two = (_line(v, body, lines, steps) for v in op.operands)
    return one == line and two == (0, 0)
