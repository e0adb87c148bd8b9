"""`pair-rows`: dot products of two rows with the same columns become products of matrices of 2 x 2 sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from xdsl.dialects import vector
from xdsl.dialects.builtin import ModuleOp, VectorType, i64
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.analysis.nests import functions_with_loops
from mlc.dialects.loop import DotOp, ForOp, OuterDotOp
from mlc.pass_manager.base import Pass
from mlc.passes.loop._paired_sums import (
    COLUMN_BY_COLUMN,
    LANES,
    ROW_BY_ROW,
    SumOrder,
    apart,
    carry_together,
    shuffled,
    together,
)
from mlc.support.context import CompilerContext
from mlc.support.ir import erase_unused
from mlc.support.types import element_type, vector_type
from mlc.targets.machine import Machine, resolve_target


@dataclass(frozen=True)
class PairRowsPass(Pass):
    """Multiply long words of two rows at once where one instruction takes two rows and two columns.

        for k iter_args(s = z, t = z):                       p, q = zip z z
          w = load w[k, n] : vector<4xi64>                   for k iter_args(p, q):
          a, b = x[m, k], x[m + 1, k] in all lanes      ->     r = (x[m, k], x[m + 1, k]) : vector<2xi64>
          s' = loop.dot a, w, s                                p' = loop.outer_dot r, w[0 .. 1], p
          t' = loop.dot b, w, t                                q' = loop.outer_dot r, w[2 .. 3], q
                                                             s, t = unzip p, q

    Sums are put together for as long as loops carry them: half of the lanes of two rows in each vector, and the others
    in the next one. Each sum adds the same products in the same order. What has no second row stays as it is, and
    so does all where the target has no such instruction, or it is not faster.
    """

    name = "pair-rows"

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        machine: Machine | None = None
        for function in functions_with_loops(module):
            if not any(_has_long_words(op) for op in function.walk()):
                continue
            machine = machine or resolve_target(ctx.target)
            for block in function.body.blocks:
                _visit(block, machine)


def _has_long_words(op: Operation) -> bool:
    return isinstance(op, DotOp) and element_type(op.lhs.type) == i64


def _visit(block: Block, machine: Machine) -> None:
    """Rewrite a block, those in it first."""
    for op in list(block.ops):
        for region in op.regions:
            for inside in region.blocks:
                _visit(inside, machine)
        if isinstance(op, ForOp):
            carry_together(op)
    if any(_has_long_words(op) for op in block.ops):
        _Pairing(block, machine).run()


@dataclass(frozen=True)
class _RowWord:
    """A word that all lanes of a vector hold: a lane of another one."""

    source: SSAValue
    lane: int

    @staticmethod
    def of(value: SSAValue) -> _RowWord | None:
        """The word in all lanes of `value`, if it has one."""
        match value.owner:
            case vector.ShuffleOp(v1=source, mask=mask) if len(lanes := set(mask.get_values())) == 1:
                (lane,) = lanes
                kind = vector_type(source.type)
                return _RowWord(source, lane) if kind is not None and lane < kind.get_shape()[0] else None
            case vector.BroadcastOp(source=word) if isinstance(taken := word.owner, vector.ExtractOp):
                places = taken.static_position.get_values()
                return _RowWord(taken.vector, places[0]) if len(places) == 1 and not taken.dynamic_position else None
            case _:
                return None


@dataclass
class _RowSum:
    """Dot products of one row that are added up one after the other in a block."""

    types: tuple[Attribute, Attribute]
    """Of the numbers in the words of the row, and in those of the columns."""
    dots: list[DotOp] = field(default_factory=list[DotOp])
    row: list[_RowWord] = field(default_factory=list[_RowWord])
    columns: list[SSAValue] = field(default_factory=list[SSAValue])

    @property
    def start(self) -> SSAValue:
        """What the first one is added to."""
        return self.dots[0].accumulator

    @property
    def end(self) -> SSAValue:
        """What the last one gives."""
        return self.dots[-1].result

    @property
    def partner(self) -> tuple[object, ...]:
        """What a sum has in common with one that it can be paired with."""
        return (self.types, *self.columns, *(word.source.type for word in self.row), self.end.type)


@dataclass
class _Pairing:
    """The sums of a block, two by two."""

    block: Block
    machine: Machine
    _place: dict[Operation, int] = field(init=False)
    """The numbers of the ops that the block had before."""
    _shuffles: dict[tuple[SSAValue, SSAValue, tuple[int, ...]], SSAValue] = field(
        default_factory=dict[tuple[SSAValue, SSAValue, tuple[int, ...]], SSAValue]
    )

    def __post_init__(self) -> None:
        self._place = {op: number for number, op in enumerate(self.block.ops)}

    def run(self) -> None:
        """Rewrite all pairs."""
        waiting: dict[tuple[object, ...], _RowSum] = {}
        pairs: list[tuple[_RowSum, _RowSum]] = []
        for each in self._sums():
            if (first := waiting.pop(each.partner, None)) is None:
                waiting[each.partner] = each
            else:
                pairs.append((first, each))
        for first, second in [pair for pair in pairs if self._may_wait(*pair)]:
            self._pair(first, second)

    def _sums(self) -> Iterator[_RowSum]:
        """The sums of dot products that the target computes two by two, in the order in which they start."""
        found: list[_RowSum] = []
        open_sums: dict[SSAValue, _RowSum] = {}
        for op in self.block.ops:
            if not isinstance(op, DotOp) or op.lhs.type != VectorType(i64, [LANES]):
                continue
            row, columns, types = _RowWord.of(op.lhs), op.rhs, (op.lhs_type, op.rhs_type)
            if row is None:
                row, columns, types = _RowWord.of(op.rhs), op.lhs, (op.rhs_type, op.lhs_type)
            if row is None or self._order(types) is None:
                continue
            total = open_sums.pop(op.accumulator, None)
            if total is None or total.types != types or not op.accumulator.has_one_use():
                found.append(total := _RowSum(types))
            total.dots.append(op)
            total.row.append(row)
            total.columns.append(columns)
            open_sums[op.result] = total
        return iter(found)

    def _order(self, types: tuple[Attribute, Attribute]) -> SumOrder | None:
        """The order of sums of the instruction for a row and columns of these types; None without one."""
        row, columns = map(str, types)
        if self.machine.outer_dot_instruction(row, columns) is not None:
            return ROW_BY_ROW
        return None if self.machine.outer_dot_instruction(columns, row) is None else COLUMN_BY_COLUMN

    def _may_wait(self, first: _RowSum, second: _RowSum) -> bool:
        """Whether nobody reads one sum before the other one is complete, and loops can carry both together."""
        place = self._place
        last = max(place[first.dots[-1]], place[second.dots[-1]])
        for use in [*first.end.uses, *second.end.uses]:
            op: Operation | None = use.operation
            while op is not None and op.parent is not self.block:
                op = op.parent_op()
            if op is None or place[op] <= last:
                return False
        carried = [each for each in (first, second) if isinstance(each.start, BlockArgument)]
        loop = self.block.parent_op()
        if not carried or not isinstance(loop, ForOp):
            return not carried
        return len(carried) == 2 and all(
            each.start.has_one_use()
            and each.end.has_one_use()
            and loop.yielded[loop.carried.index(each.start)] is each.end
            for each in carried
            if each.start in loop.carried
        )

    def _pair(self, first: _RowSum, second: _RowSum) -> None:
        """Compute two sums together."""
        order = self._order(first.types)
        assert order is not None
        is_row_first = order is ROW_BY_ROW
        steps = [max(pair, key=self._place.__getitem__) for pair in zip(first.dots, second.dots, strict=True)]
        totals = together(first.start, second.start, order, steps[0])
        for number, before in enumerate(steps):
            one, two, columns = first.row[number], second.row[number], first.columns[number]
            length = _lanes(one.source)
            rows = self._shuffle(one.source, two.source, (one.lane, length + two.lane))
            for part, total in enumerate(totals):
                two_columns = self._shuffle(columns, columns, (2 * part, 2 * part + 1))
                factors = (rows, two_columns) if is_row_first else (two_columns, rows)
                types = first.types if is_row_first else first.types[::-1]
                product = OuterDotOp(*factors, total, *types)
                product.location = before.location
                Rewriter.insert_op(product, InsertPoint.before(before))
                totals[part] = product.result
        results = apart(totals, order, steps[-1])
        for each, result in zip((first, second), results, strict=True):
            each.end.replace_all_uses_with(result)
            for dot in reversed(each.dots):
                operands = list(dot.operands)
                Rewriter.erase_op(dot)
                for operand in operands:
                    erase_unused(operand)

    def _shuffle(self, first: SSAValue, second: SSAValue, lanes: tuple[int, ...]) -> SSAValue:
        """A vector of some lanes of two others; made once, where both are there."""
        key = (first, second, lanes)
        if key not in self._shuffles:
            op = shuffled(first, second, lanes)
            makers = [v.owner for v in (first, second) if isinstance(v.owner, Operation) and v.owner in self._place]
            last = max(makers, key=self._place.__getitem__, default=None)
            Rewriter.insert_op(op, InsertPoint.at_start(self.block) if last is None else InsertPoint.after(last))
            self._shuffles[key] = op.result
        return self._shuffles[key]


def _lanes(value: SSAValue) -> int:
    kind = vector_type(value.type)
    assert kind is not None
    return kind.get_shape()[0]
