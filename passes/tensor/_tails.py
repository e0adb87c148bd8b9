"""What is known of the elements of a tensor from an extent on: padding that a mask wrote, and what was computed of it.

%in = tensor.map %i[k], %n[] …             { cmpi slt }            false from n on, where %i counts from 0
%s = tensor.map %in[k], %x[m, k] …         { select, %x or -inf }  -inf from n on, along k
%e = tensor.map %s[m, k], %max[m] …        { exp(%s - %max) }      0 from n on; or NaN, with the whole row
%t = tensor.reduce add %e[m, k] …          no need to look at more than n elements of a row
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    i1,
    i32,
    i64,
)
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from mlc.dialects.arith import CmpiOp, ExtSIOp, SelectOp
from mlc.dialects.tensor import ReduceOp, StructuredOp
from mlc.reference.constants import constant_data
from mlc.reference.execution import evaluate, has_meaning
from mlc.support.dtypes import to_numpy
from mlc.support.ir import identity_of
from mlc.support.linear import plain_dim
from mlc.support.resources import Resources
from mlc.support.types import element_type, tensor_type

Array = NDArray[Any]
_MOST_COUNTED = 1 << 20
"""How long a row of numbers 0, 1, 2, … is that is looked at."""


@dataclass(frozen=True)
class Extent:
    """`(symbol + plus) * factor` elements, where `symbol` is a single integer that the model has.

    What is known of an extent is known of a larger one as well, so it may be rounded up.
    """

    symbol: SSAValue
    plus: int = 0
    factor: int = 1


@dataclass(frozen=True)
class Tail:
    """What all elements from an extent on are, along an axis."""

    number: Array
    """Of rank 0."""
    or_nan: bool = False
    """Whether they may be NaN as well, in rows that have nothing but NaN before the extent."""


@dataclass(frozen=True)
class _Count:
    """A counter that is at the extent, or beyond."""


@dataclass(frozen=True)
class _Symbol:
    """The value of a symbol, and a number more."""

    extent: Extent


_Scalar = Tail | _Count | _Symbol | None
"""What is known of a scalar for points from an extent on."""

_SAME_NUMBER = (ExtSIOp, arith.IndexCastOp)
"""Ops that keep the number of a count."""
_NAN_STAYS_NAN = (math.ExpOp, math.Exp2Op, arith.MulfOp, arith.ExtFOp, arith.TruncFOp)
"""Ops whose result is NaN where an operand is."""
_FALSE_FROM = {"slt": 0, "sle": 1, "eq": 1}
"""Comparisons `count ? number` that are false from as many after the number on."""
_TRUE_FROM = {"sge": 0, "sgt": 1, "ne": 1}
_SWAPPED = {"slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle", "eq": "eq", "ne": "ne"}


@dataclass
class Tails:
    """What is known of the values of a model, or of a kernel where a call calls it."""

    resources: Resources
    home: Block
    """That of the model, whose integers are symbols; those in kernels are, as far as they are these."""
    tails: dict[SSAValue, dict[tuple[int, Extent], Tail]] = field(
        default_factory=dict[SSAValue, "dict[tuple[int, Extent], Tail]"]
    )
    """By axis and extent."""
    counts: dict[SSAValue, int | None] = field(default_factory=dict[SSAValue, "int | None"])
    """Along which axis a value counts from 0; None if it does not."""
    symbols: dict[SSAValue, Extent] = field(default_factory=dict[SSAValue, Extent])
    """What single integers are."""

    def hand_on(self, others: Tails, known: SSAValue, to: SSAValue) -> None:
        """Let a value be known as another one is to others: an argument of a kernel, as what a call passes."""
        self.tails[to] = others.tails.get(known, {})
        self.counts[to] = others.count_axis(known)
        if (symbol := others.symbol(known)) is not None:
            self.symbols[to] = symbol

    def symbol(self, value: SSAValue) -> Extent | None:
        """What a single integer is, by itself as a rule; None for other values, and for constants."""
        if value in self.symbols:
            return self.symbols[value]
        kind, owner = tensor_type(value), value.owner
        if set(kind.get_shape()) - {1} or kind.element_type not in (i32, i64) or isinstance(owner, arith.ConstantOp):
            return None
        if (owner if isinstance(owner, Block) else owner.parent) is not self.home:
            return None
        self.symbols[value] = Extent(value)
        return self.symbols[value]

    def count_axis(self, value: SSAValue) -> int | None:
        """Along which axis a constant counts from 0, the same in all rows; None if it does not."""
        if value not in self.counts:
            self.counts[value] = self._count_axis(value)
        return self.counts[value]

    def _count_axis(self, value: SSAValue) -> int | None:
        shape = tensor_type(value).get_shape()
        long = [axis for axis, extent in enumerate(shape) if extent > 1]
        constant = value.owner.value if isinstance(value.owner, arith.ConstantOp) else None
        if not isinstance(constant, DenseIntOrFPElementsAttr | DenseResourceAttr) or len(long) != 1:
            return None
        if not isinstance(element_type(value.type), IntegerType) or shape[long[0]] > _MOST_COUNTED:
            return None
        data = constant_data(cast(Any, constant), self.resources).reshape(-1)
        return long[0] if np.array_equal(data, np.arange(data.size)) else None

    def learn(self, op: StructuredOp) -> None:
        """Note what follows of the operands of an op for its result."""
        if not set(tensor_type(op.result).get_shape()) - {1}:
            if op.reduction is None and (extent := self._at_no_place(op)) is not None:
                self.symbols[op.result] = extent
            return
        found: dict[tuple[int, Extent], Tail] = {}
        for dim in range(op.num_parallel):
            for extent in self.extents_along(op, dim):
                if (tail := self.point(op, dim, extent)) is not None and self._is_kept(op, tail):
                    found[dim, extent] = tail
        if found:
            self.tails[op.result] = found

    def _at_no_place(self, op: StructuredOp) -> Extent | None:
        block = op.point_block()
        known: list[_Scalar] = [self._read(op, i, -1, None) for i in range(len(op.inputs))]
        found = self._evaluated(op, -1, block.args, known, cast(YieldOp, block.last_op), None)
        return found.extent if isinstance(found, _Symbol) else None

    def _is_kept(self, op: StructuredOp, tail: Tail) -> bool:
        """Whether a reduction of numbers that are all this one is this one."""
        return op.reduction is None or (not tail.or_nan and self.is_neutral(op, tail))

    def is_neutral(self, op: StructuredOp, tail: Tail) -> bool:
        """Whether a reduction does not change if such points are left out, zeros of both signs alike."""
        assert op.reduction is not None
        neutral = identity_of(op.reduction, element_type(op.result.type)).value
        if not isinstance(neutral, FloatAttr | IntegerAttr):
            return False
        return bool(tail.number == np.asarray(neutral.value.data, tail.number.dtype))

    def extents_along(self, op: StructuredOp, dim: int) -> list[Extent]:
        """The extents from which on something may be known of the points of an op, along a dim."""
        found: dict[Extent, None] = {}
        counted = False
        for value, affine in zip(op.inputs, op.index_maps, strict=True):
            axis = axis_along(affine.results, dim)
            if axis is not None:
                found |= dict.fromkeys(e for a, e in self.tails.get(value, {}) if a == axis)
                counted = counted or self.count_axis(value) == axis
        if counted:
            symbols = [s for v in op.inputs if (s := self.symbol(v)) is not None and s.factor == 1]
            found |= dict.fromkeys(Extent(s.symbol, s.plus + more) for s in symbols for more in (0, 1))
        return list(found)

    def point(self, op: StructuredOp, dim: int, extent: Extent, unknown: int | None = None) -> Tail | None:
        """What each point of an op is from an extent on along a dim, if nothing is known of the operand `unknown`.

        Zero times anything is zero, NaN and infinities as well: padding is left out (`Rounding.skips_zeros`).
        """
        known: list[_Scalar] = [
            None if number == unknown else self._read(op, number, dim, extent) for number in range(len(op.inputs))
        ]
        if not any(isinstance(each, Tail | _Count) for each in known):
            return None
        if op.contracts:
            return next((each for each in known if isinstance(each, Tail) and not each.number), None)
        block = op.point_block()
        found = self._evaluated(op, dim, block.args, known, cast(YieldOp, block.last_op), extent)
        return found if isinstance(found, Tail) else None

    def _read(self, op: StructuredOp, number: int, dim: int, extent: Extent | None) -> _Scalar:
        """What is known of the elements of an operand that are read there."""
        value = op.inputs[number]
        if (symbol := self.symbol(value)) is not None:
            return _Symbol(symbol)
        axis = axis_along(op.index_maps[number].results, dim)
        if axis is None:
            return None
        if extent is not None and (tail := self.tails.get(value, {}).get((axis, extent))) is not None:
            return tail
        return _Count() if self.count_axis(value) == axis else None

    def _evaluated(
        self,
        op: StructuredOp,
        dim: int,
        arguments: Sequence[SSAValue],
        known: Sequence[_Scalar],
        end: YieldOp,
        extent: Extent | None,
    ) -> _Scalar:
        values: dict[SSAValue, _Scalar] = dict(zip(arguments, known, strict=True))
        inner = end.prev_op
        ops: list[Operation] = []
        while inner is not None:
            ops.append(inner)
            inner = inner.prev_op
        for inner in reversed(ops):
            result = self._result(inner, [values.get(v) for v in inner.operands], extent)
            if result is None and isinstance(inner, arith.SubfOp):
                result = self._without_maximum(op, dim, inner, arguments, values)
            values.update(dict.fromkeys(inner.results, result))
        return values.get(end.arguments[0])

    def _result(self, op: Operation, operands: Sequence[_Scalar], extent: Extent | None) -> _Scalar:
        match op, operands:
            case arith.ConstantOp(value=FloatAttr() | IntegerAttr() as number), _:
                return Tail(np.asarray(number.value.data).astype(to_numpy(op.result.type)))
            case SelectOp(), [Tail() as condition, on_true, on_false]:
                return on_true if condition.number else on_false
            case CmpiOp(), [_Count(), _Symbol() as symbol]:
                return _compared(op.predicate_name, symbol.extent, extent)
            case CmpiOp(), [_Symbol() as symbol, _Count()]:
                return _compared(_SWAPPED.get(op.predicate_name, ""), symbol.extent, extent)
            case arith.AddiOp(), [_Symbol() as symbol, Tail() as number] | [Tail() as number, _Symbol() as symbol]:
                plus = symbol.extent.plus + int(number.number)
                return _Symbol(Extent(symbol.extent.symbol, plus)) if abs(plus) <= _MOST_COUNTED else None
            case _, [_Count() | _Symbol() as found] if isinstance(op, _SAME_NUMBER):
                return found
            case arith.AndIOp(), [Tail() as one, _] | [_, Tail() as one] if not one.number:
                return one
            case arith.OrIOp(), [Tail() as one, _] | [_, Tail() as one] if op.result.type == i1 and one.number:
                return one
            case arith.MulfOp(), [Tail() as zero, None] | [None, Tail() as zero] if not zero.number:
                return zero
            case arith.DivfOp(), [Tail() as zero, None] if not zero.number:
                return zero
            case _ if operands and all(isinstance(each, Tail) for each in operands) and _is_function(op):
                tails = cast("Sequence[Tail]", operands)
                or_nan = any(tail.or_nan for tail in tails)
                if or_nan and not isinstance(op, _NAN_STAYS_NAN):
                    return None
                (result,) = evaluate(op, [tail.number for tail in tails])
                return Tail(result, or_nan)
            case _:
                return None

    def _without_maximum(
        self,
        op: StructuredOp,
        dim: int,
        difference: arith.SubfOp,
        arguments: Sequence[SSAValue],
        values: dict[SSAValue, _Scalar],
    ) -> Tail | None:
        """`x - max(x)` where `x` is -inf: it is -inf again, but for a maximum of -inf or NaN, of which all of the row
        becomes NaN."""
        own, other = difference.operands
        tail = values.get(own)
        if own not in arguments or other not in arguments or not isinstance(tail, Tail) or tail.or_nan:
            return None
        numbers = [list(arguments).index(value) for value in (own, other)]
        reads = [(op.inputs[n], op.index_maps[n].results) for n in numbers]
        if tail.number != -np.inf or AffineExpr.dimension(dim) in reads[1][1] or not _is_maximum_of_rows(*reads):
            return None
        return Tail(tail.number, or_nan=True)


def _is_function(op: Operation) -> bool:
    return len(op.results) == 1 and not op.regions and has_meaning(type(op))


def _compared(predicate: str, number: Extent, extent: Extent | None) -> Tail | None:
    """What `count <predicate> number` is for a count from `extent` on."""
    if extent is None or (extent.symbol, extent.factor, number.factor) != (number.symbol, 1, 1):
        return None
    beyond = extent.plus - number.plus
    for table, result in ((_FALSE_FROM, False), (_TRUE_FROM, True)):
        if predicate in table and beyond >= table[predicate]:
            return Tail(np.asarray(result))
    return None


def _is_maximum_of_rows(
    own: tuple[SSAValue, Sequence[AffineExpr]], other: tuple[SSAValue, Sequence[AffineExpr]]
) -> bool:
    """Whether the second is the maximum of a row of the first, read for the same row."""
    (value, subscripts), (maximum, rows) = own, other
    reduce = maximum.owner
    if not isinstance(reduce, ReduceOp) or reduce.reduction not in ("max", "maxnum") or not reduce.passes_through:
        return False
    read = reduce.index_maps[0].results
    if reduce.inputs[0] is not value or not all(isinstance(e, AffineDimExpr) for e in (*read, *subscripts, *rows)):
        return False
    over = dict(zip(read, subscripts, strict=True))
    return [over.get(AffineExpr.dimension(i)) for i in range(reduce.num_parallel)] == list(rows)


def axis_along(subscripts: Sequence[AffineExpr], dim: int) -> int | None:
    """The axis of which a dim is the subscript, if it is in no other one."""
    axes = [axis for axis, subscript in enumerate(subscripts) if dim in subscript.used_dims()]
    return axes[0] if len(axes) == 1 and plain_dim(subscripts[axes[0]]) == dim else None
