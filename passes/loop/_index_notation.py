"""Statements of a loop nest in index notation, as templates of schedules see them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, FunctionType, IndexType, IntegerAttr, TensorType
from xdsl.dialects.func import ReturnOp
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Block, BlockArgument, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from mlc.analysis.accesses import CounterValue, rewritten_subscripts
from mlc.analysis.reductions import COMBINATIONS, Combination, reduction_in
from mlc.analysis.statements import Statement, is_same_element
from mlc.dialects.arith import ExtSIOp
from mlc.dialects.func import FuncOp
from mlc.dialects.loop import ForOp, LoadOp
from mlc.dialects.tensor import ContractOp, MapOp, ReduceOp, StructuredOp
from mlc.dialects.tensor.structured import REDUCTIONS, combine
from mlc.support.dtypes import is_computed
from mlc.support.errors import Refused
from mlc.support.ir import clone, identity_of, is_made_in
from mlc.support.types import element_type, memref_type


@dataclass
class IndexNotation:
    """What a statement computes, over the loops that subscript its store.

        for %m, %n: { store 0, %y[%m, %n]; for %k: store %y[%m, %n] + %a[%m, %k] * %b[%k, %n], %y[%m, %n] }
    ->
        %0 = tensor.contract %a[m, k], %b[k, n] over (m: 64, n: 64) reduce (k: 64)

    Attributes:
        initial: the value that all elements of the result had before a statement that reduces; None if it is read.
        buffers: what is read, as arguments of `function` are.
    """

    nest: ForOp
    statement: Statement
    initial: SSAValue | None = None
    buffers: list[SSAValue] = field(default_factory=list[SSAValue])
    block: Block = field(default_factory=Block)
    _names: dict[ForOp, str] = field(default_factory=dict[ForOp, str])
    _reduced: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])

    def function(self, name: str) -> FuncOp:
        """A private function of the tensor level that returns the results, each dim as long as its loop runs.

        Raises:
            Refused: there is no notation for what it computes.
        """
        statement = self.statement
        if any(isinstance(op, ForOp) and op.limit is not None for op in self.nest.walk()):
            raise Refused("a loop ends at a limit")
        result = self._accumulated() if statement.reduced else self._mapped(statement.over, statement.store.value)
        self.block.add_op(ReturnOp(result))
        signature = FunctionType.from_lists([a.type for a in self.block.args], [result.type])
        return FuncOp(name, signature, Region(self.block), "private")

    def dims(self, loops: Sequence[ForOp]) -> list[tuple[str, int]]:
        """The names of loops, each its own, and how often they run."""
        for loop in loops:
            if loop not in self._names:
                name, number = loop.dim.data, 0
                while name in self._names.values():
                    number += 1
                    name = f"{loop.dim.data}{number}"
                self._names[loop] = name
        return [(self._names[loop], len(loop.range)) for loop in loops]

    def argument(self, buffer: SSAValue) -> SSAValue:
        """The tensor that stands for what is in a buffer."""
        if buffer not in self.buffers:
            self.buffers.append(buffer)
            kind = memref_type(buffer)
            argument = self.block.insert_arg(TensorType(kind.element_type, kind.shape), len(self.block.args))
            argument.name_hint = buffer.name_hint
        return self.block.args[self.buffers.index(buffer)]

    def _mapped(self, over: Sequence[ForOp], value: SSAValue) -> SSAValue:
        point = _Point(self, over)
        return self._map(point, point.emit(value))

    def _map(self, point: _Point, value: SSAValue) -> SSAValue:
        """A map, or the op that computes these points already."""
        identity = [AffineExpr.dimension(i) for i in range(len(point.loops))]
        if isinstance(value, BlockArgument) and value.block is point.block:
            operand = point.operands[value.index]
            if isinstance(operand.owner, StructuredOp) and list(point.rows[value.index]) == identity:
                return operand
        dims = self.dims(point.loops)
        kind = TensorType(value.type, [size for _, size in dims])
        self.block.add_op(made := MapOp(point.operands, point.rows, dims, kind, point.close(value)))
        return made.result

    def _accumulated(self) -> SSAValue:
        """What a statement adds to an element again and again, in memory."""
        statement = self.statement
        _require_number(statement.store.value)
        op = statement.store.value.owner
        found = COMBINATIONS.get(type(op)) if isinstance(op, Operation) else None
        if not isinstance(op, Operation) or found is None:
            raise Refused("iterations store to one element, and no sum, product, maximum or minimum")
        start = next((i for i in found.accumulators if _is_start(op.operands[i], statement)), None)
        if start is None or found.reduction == "maxnum":
            raise Refused("iterations store to one element, which does not start from what is there")
        reduced = self._combined(found, op, start, statement.over, statement.reduced)
        point = _Point(self, statement.over)
        value = point.operand(reduced, [AffineExpr.dimension(i) for i in range(len(statement.over))])
        initial = op.operands[start] if self.initial is None else self.initial
        return self._map(point, point.started(found.reduction, initial, value))

    def reduced(self, loop: ForOp, number: int, over: Sequence[ForOp]) -> tuple[SSAValue, str]:
        """The tensor of one of the values that a loop carries, started from what changes nothing; and how it is
        combined.

        Raises:
            Refused: it is not a reduction.
        """
        loops, inner = [loop], loop
        while len(inner.carried) == 1 and isinstance(below := inner.yielded[0].owner, ForOp):
            is_only_use = all(v.get_user_of_unique_use() is not None for v in (inner.carried[0], inner.yielded[0]))
            if len(below.iter_args) != 1 or below.iter_args[0] is not inner.carried[0] or not is_only_use:
                break
            loops.append(inner := below)
        found = reduction_in(inner, number)
        if isinstance(found, str):
            raise Refused(found)
        op, carried, result = found.combine, inner.carried[number], loop.results[number]
        start = next(i for i in found.combination.accumulators if op.operands[i] is carried)
        if result not in self._reduced:
            self._reduced[result] = self._combined(found.combination, op, start, over, loops)
        return self._reduced[result], found.combination.reduction

    def _combined(
        self, found: Combination, op: Operation, start: int, over: Sequence[ForOp], loops: Sequence[ForOp]
    ) -> SSAValue:
        if found.reduction not in REDUCTIONS:
            raise Refused(f"'{op.name}' is not a reduction of index notation")
        point = _Point(self, [*over, *loops])
        others = [v for i, v in enumerate(op.operands) if i != start]
        element = op.results[0].type
        dims = self.dims(point.loops)
        kind = TensorType(element, [size for _, size in dims[: len(over)]])
        factors = _factors(op, others)
        made: StructuredOp
        if factors is not None and (loads := [_widened(v) for v in factors]) and all(loads):
            (first, row), (second, other) = (point.read(load) for load in loads if load is not None)
            made = ContractOp(first, second, [row, other], dims, kind)
        else:
            if len(others) == 1:
                value = point.emit(others[0])
            else:
                left, right = (point.emit(v) for v in others)
                point.block.add_op(product := arith.MulfOp(left, right))
                value = product.result
            if not point.operands:
                raise Refused("it reads nothing")
            made = ReduceOp(found.reduction, point.operands, point.rows, dims, kind, point.close(value))
        self.block.add_op(made)
        return made.result


def counted_from_zero(loops: Sequence[ForOp]) -> dict[SSAValue, CounterValue]:
    """The counters of loops by what counts their iterations."""
    values: dict[SSAValue, CounterValue] = {}
    for loop in loops:
        count = AffineExpr.dimension(0)
        count = count if loop.range.step == 1 else count * loop.range.step
        values[loop.induction_variable] = (loop.induction_variable,), count + loop.range.start
    return values


def _require_number(value: SSAValue) -> None:
    """Raises: Refused if a value is nothing that tensors hold and vectors compute with, such as a position."""
    if isinstance(value.type, IndexType) or not is_computed(value.type):
        raise Refused(f"it computes with {value.type}")


def _is_start(value: SSAValue, statement: Statement) -> bool:
    """Whether a value is what is in the element that a statement stores to, and nobody else reads it."""
    load = value.owner
    return (
        isinstance(load, LoadOp)
        and is_same_element(load, statement.store)
        and load.parent is statement.store.parent
        and load.result.get_user_of_unique_use() is not None
    )


def _factors(op: Operation, others: Sequence[SSAValue]) -> Sequence[SSAValue] | None:
    """The factors of the product that is added; None if it is none."""
    if isinstance(op, math.FmaOp):
        return others
    product = others[0].owner
    if isinstance(op, arith.AddfOp | arith.AddiOp) and isinstance(product, arith.MulfOp | arith.MuliOp):
        return product.operands
    return None


def _widened(value: SSAValue) -> LoadOp | None:
    """The load of a factor, perhaps of a shorter type as `tensor.contract` widens it; None for what is computed."""
    if isinstance(value.owner, ExtSIOp | arith.ExtFOp):
        value = value.owner.operands[0]
    return value.owner if isinstance(value.owner, LoadOp) else None


class _Point:
    """What computes one point, over some loops."""

    def __init__(self, notation: IndexNotation, loops: Sequence[ForOp]) -> None:
        self.loops = list(loops)
        self.operands: list[SSAValue] = []
        self.rows: list[Sequence[AffineExpr]] = []
        self.block = Block()
        self._notation = notation
        self._mapping: dict[SSAValue, SSAValue] = {}

    def close(self, value: SSAValue) -> Region:
        """The finished body."""
        self.block.add_op(YieldOp(value))
        return Region(self.block)

    def operand(self, value: SSAValue, row: Sequence[AffineExpr]) -> SSAValue:
        """An element of one more tensor."""
        self.operands.append(value)
        self.rows.append(row)
        return self.block.insert_arg(element_type(value.type), len(self.block.args))

    def read(self, load: LoadOp) -> tuple[SSAValue, Sequence[AffineExpr]]:
        """The tensor that a load reads, and its subscripts over the dims of this point."""
        if not is_made_in(load.result, self._notation.nest):
            raise Refused("it uses values from outside")
        counted = counted_from_zero(self.loops)
        counters = list(counted)
        values, where = rewritten_subscripts(load, counted)
        if any(value not in counted for value in values):
            raise Refused("a subscript is not a sum of counters of loops around it")
        places = [AffineExpr.dimension(counters.index(value)) for value in values]
        return self._notation.argument(load.memref), [e.replace_dims_and_symbols(places, []) for e in where.results]

    def emit(self, value: SSAValue) -> SSAValue:
        """A value in the body.

        Raises:
            Refused: it is not a function of elements.
        """
        if value not in self._mapping:
            self._mapping[value] = self._emitted(value)
        return self._mapping[value]

    def started(self, kind: str, initial: SSAValue, value: SSAValue) -> SSAValue:
        """What was reduced from what changes nothing, as if it had started from `initial`."""
        if _is_neutral(initial, kind):
            return value
        self.block.add_op(made := combine(kind, self.emit(initial), value))
        return made.results[0]

    def _emitted(self, value: SSAValue) -> SSAValue:
        op = value.owner
        _require_number(value)
        if isinstance(op, arith.ConstantOp):
            self.block.add_op(copy := clone(op))
            return copy.results[0]
        if not isinstance(op, Operation) or not is_made_in(value, self._notation.nest):
            raise Refused("it computes with loop counters, or with values from outside")
        if isinstance(op, LoadOp):
            return self.operand(*self.read(op))
        if isinstance(op, ForOp):
            # Computed once for the loops around it, and not again in loops that only use it.
            around = [loop for loop in self.loops if op is not loop and is_made_in(op.induction_variable, loop)]
            if any(loop not in self._notation.statement.over for loop in around):
                raise Refused("it reduces inside of what is reduced")
            number = op.results.index(value)
            reduced, kind = self._notation.reduced(op, number, around)
            row = [AffineExpr.dimension(self.loops.index(loop)) for loop in around]
            return self.started(kind, op.iter_args[number], self.operand(reduced, row))
        copy = clone(op, {v: self.emit(v) for v in op.operands})
        self.block.add_op(copy)
        return copy.results[op.results.index(value)]


def _is_neutral(initial: SSAValue, kind: str) -> bool:
    """Whether nothing changes if a value is combined, zeros of both signs alike."""
    op, neutral = initial.owner, identity_of(kind, initial.type).value
    if not isinstance(op, arith.ConstantOp) or not isinstance(found := op.value, FloatAttr | IntegerAttr):
        return False
    return isinstance(neutral, FloatAttr | IntegerAttr) and found.value.data == neutral.value.data
