"""Arrays that a counted loop reads or writes row by row, as `jax.lax.scan` is lowered.

A `dynamic_slice` of one row of an array that no step changes, at the counter, is a row that the scan takes. An array
that each step writes at the counter, and that nobody reads, is a stack that the scan makes: all its rows are
written, for the counter goes from 0 to its extent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.graph.types import shape_of
from mlc.dialects.stablehlo import ConstantOp, HloOp, hlo
from mlc.passes.shared.loop_writer import ScanWriter
from mlc.passes.shared.refusal import Unconvertible
from mlc.passes.stablehlo_to_graph._calls import HloConversion, HloNumber, Pair
from mlc.passes.stablehlo_to_graph._expressions import returned
from mlc.support.ir import clone


@dataclass
class LoopRows:
    """What of a loop's body is rows and stacks."""

    counter: int
    read: list[tuple[int, Operation]] = field(default_factory=list[tuple[int, Operation]])
    """Which value is read row by row, and by which op."""
    stacked: list[int] = field(default_factory=list[int])
    """Which values are stacks."""
    writes: list[Operation] = field(default_factory=list[Operation])
    """The ops that write them."""

    @classmethod
    def of(
        cls, body: Block, counter: int, first: int, steps: int, initial: Sequence[HloNumber], fixed: set[int]
    ) -> LoopRows:
        """The rows and stacks of a body whose value `counter` goes from `first` on."""
        rows = cls(counter)
        if first != 0:
            return rows
        for i in fixed:
            value = initial[i]
            if isinstance(value, Pair) or not shape_of(value) or shape_of(value)[0] != steps:
                continue
            uses = [use.operation for use in body.args[i].uses]
            for op in uses:
                if _reads_row(op, body, body.args[i], counter):
                    rows.read.append((i, op))
        results = returned(body)
        for i, value in enumerate(results):
            old = initial[i]
            if i in fixed or i == counter or isinstance(old, Pair) or not shape_of(old) or shape_of(old)[0] != steps:
                continue
            op = value.owner
            if isinstance(op, HloOp) and _writes_row(op, body, body.args[i], counter):
                own = [use.operation for use in body.args[i].uses]
                others = [use.operation for use in value.uses]
                if own == [op] and others == [body.last_op]:
                    rows.stacked.append(i)
                    rows.writes.append(op)
        return rows

    def convert(
        self,
        run: HloConversion,
        body: Block,
        arguments: Sequence[HloNumber | None],
        taken: dict[Operation, SSAValue],
        scan: ScanWriter,
    ) -> tuple[list[HloNumber], list[SSAValue]]:
        """What a step gives for the arguments of the body, and a row of each stack."""
        before = scan.body.end
        mapping: dict[SSAValue, SSAValue] = {}
        for argument, number in zip(body.args, arguments, strict=True):
            if isinstance(number, Pair):
                run.pairs[argument] = number
            elif number is not None:
                mapping[argument] = number
        refused, replaced = len(run.refused), len(run.replaced)
        updates: list[SSAValue] = []
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
            mapping.get(v, v) if i not in self.stacked else mapping[body.args[self.counter]]
            for i, v in enumerate(returned(body))
        ]
        kept = [*given, *updates]
        keeper = hlo("optimization_barrier").create(operands=kept, result_types=[v.type for v in kept])
        Rewriter.insert_op(keeper, InsertPoint.before(before))
        run.lower(ops)
        lost = any(run.is_lost(v) for v in keeper.operands)
        found = [run.number(v) for v in keeper.operands]
        Rewriter.erase_op(keeper)
        run.drop_replaced(replaced)
        if len(run.refused) > refused or lost:
            reasons = [f"{op.name}: {reason}" for op, reason in run.refused[refused:]]
            del run.refused[refused:]
            raise Unconvertible(f"something in its region cannot be converted ({'; '.join(reasons) or 'see above'})")
        rows: list[SSAValue] = []
        for value in found[len(given) :]:
            assert isinstance(value, SSAValue)
            rows.append(scan.inside.reshape(value, shape_of(value)[1:]))
        return found[: len(given)], rows


def _reads_row(op: Operation, body: Block, array: SSAValue, counter: int) -> bool:
    if op.name != "stablehlo.dynamic_slice" or op.parent is not body or op.operands[0] is not array:
        return False
    assert isinstance(op, HloOp)
    sizes = op.ints("slice_sizes")
    return sizes[0] == 1 and sizes[1:] == shape_of(array)[1:] and _is_at_counter(op.operands[1:], body, counter)


def _writes_row(op: HloOp, body: Block, array: SSAValue, counter: int) -> bool:
    if op.name != "stablehlo.dynamic_update_slice" or op.parent is not body or op.operands[0] is not array:
        return False
    sizes = shape_of(op.operands[1])
    if op.operands[1] is array:
        return False
    return sizes[0] == 1 and sizes[1:] == shape_of(array)[1:] and _is_at_counter(op.operands[2:], body, counter)


def _is_at_counter(starts: Sequence[SSAValue], body: Block, counter: int) -> bool:
    """Whether the first start is the counter; those of the whole dims behind it do not count."""
    return bool(starts) and _source(starts[0], body) is body.args[counter]


def _source(value: SSAValue, body: Block) -> SSAValue:
    """What a value is a copy of: conversions to the same type, and what negative numbers would become, are looked
    through, for the counter is never negative."""
    while isinstance(op := value.owner, HloOp) and op.parent is body:
        if op.name == "stablehlo.convert" and op.operands[0].type == value.type:
            value = op.operands[0]
        elif op.name == "stablehlo.select" and _is_negative(op.operands[0], _source(op.operands[2], body), body):
            value = op.operands[2]
        else:
            break
    return value


def _is_negative(value: SSAValue, of: SSAValue, body: Block) -> bool:
    """Whether a value asks if another is less than 0."""
    op = value.owner
    if not isinstance(op, HloOp) or op.name != "stablehlo.compare" or op.word("comparison_direction") != "LT":
        return False
    bound = op.operands[1].owner
    if not isinstance(bound, ConstantOp) or _source(op.operands[0], body) is not of:
        return False
    numbers = getattr(bound.value, "get_values", tuple[int, ...])()
    return list(numbers) == [0]
