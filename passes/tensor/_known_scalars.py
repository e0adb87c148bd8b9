"""What is known of the scalars of a point: of a computation for points beyond an extent, along a dim."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import FloatAttr, IntegerAttr, i1
from xdsl.ir import Block, Operation, SSAValue

from mlc.dialects.arith import CmpiOp, ExtSIOp, IndexCastOp, SelectOp
from mlc.reference import arith as arith_semantics
from mlc.reference import math as math_semantics
from mlc.reference.execution import evaluate, has_meaning
from mlc.support.dtypes import to_numpy

Array = NDArray[Any]
_SEMANTICS = (arith_semantics, math_semantics)
"""The modules that say what scalar ops mean, whether something else has imported them or not."""
_MOST_ADDED = 1 << 20
"""The greatest number that is added to a symbol."""


@dataclass(frozen=True)
class Extent:
    """`(symbol + plus) / over * factor` elements, where `symbol` is a single integer that the model has, and the
    division is rounded up, to a multiple.

    What is known of the elements from an extent on is known of those from a larger one on as well, so it may be rounded
    up. Of a start, which says where data begins, that is known of the elements before it; it is rounded down.
    """

    symbol: SSAValue
    plus: int = 0
    factor: int = 1
    over: int = 1
    multiple: int = 1
    is_start: bool = False

    def times(self, number: Fraction | int) -> Extent:
        """An extent that is not less than so many times this one; a start that is not more."""
        factor, parts = (self.factor * Fraction(number)).as_integer_ratio()
        over = self.over * parts
        if self.is_start:
            return replace(self, factor=factor, over=over)
        common = gcd(factor, over)
        # ceil(x / over) * common <= (x + over - 1) / (over / common), and rounding up adds less than a multiple.
        plus = self.plus + (over * self.multiple - 1 if common > 1 else 0)
        return replace(self, plus=plus, factor=factor // common, over=over // common)

    def beyond(self, more: int) -> Extent:
        """An extent that is so many elements longer, or shorter, rounded up; a start that is rounded down."""
        if self.is_start:
            steps = more // self.factor - (self.multiple - 1)
            return replace(self, plus=self.plus + steps * self.over)
        if more <= 0 and self.multiple > 1:
            return self
        steps = -(-more // self.factor) + self.multiple - 1
        return replace(self, plus=self.plus + steps * self.over)


@dataclass(frozen=True)
class Tail:
    """What all elements beyond an extent are, along an axis: from it on, or before a start."""

    number: Array
    """Of rank 0."""
    or_nan: bool = False
    """Whether they may be NaN as well, in rows that have nothing but NaN inside."""


@dataclass(frozen=True)
class Count:
    """A counter that is beyond the extent."""


@dataclass(frozen=True)
class Symbol:
    """The value of a symbol, and a number more."""

    extent: Extent


@dataclass(frozen=True)
class Share:
    """What a symbol is of another one at most: `extent * times / divisor + more` of an integer that is not negative, as
    the extent of an image of half the size."""

    extent: Extent
    times: int
    divisor: int
    more: int = 0


KnownScalar = Tail | Count | Symbol | Share | None
"""What is known of a scalar for points beyond an extent."""

_SAME_NUMBER = (ExtSIOp, IndexCastOp)
"""Ops that keep the number of a count."""
_NAN_STAYS_NAN = (math.ExpOp, math.Exp2Op, arith.MulfOp, arith.ExtFOp, arith.TruncFOp)
"""Ops whose result is NaN where an operand is."""
_FALSE_FROM = {"slt": 0, "sle": 1, "eq": 1}
"""Comparisons `count ? number` that are false from as many after the number on."""
_TRUE_FROM = {"sge": 0, "sgt": 1, "ne": 1}
_FALSE_BEFORE = {"sge": 0, "sgt": 1, "eq": 0}
"""Comparisons `count ? number` that are false before as many after the number."""
_TRUE_BEFORE = {"slt": 0, "sle": 1, "ne": 0}
_FROM, _BEFORE = ((_FALSE_FROM, False), (_TRUE_FROM, True)), ((_FALSE_BEFORE, False), (_TRUE_BEFORE, True))
_SWAPPED = {"slt": "sgt", "sle": "sge", "sgt": "slt", "sge": "sle", "eq": "eq", "ne": "ne"}


def known_values(
    block: Block,
    arguments: Sequence[KnownScalar],
    extent: Extent | None = None,
    is_below_maximum: Callable[[arith.SubfOp], bool] = lambda op: False,
) -> Mapping[SSAValue, KnownScalar]:
    """What is known of the values in a block of scalar ops.

    Args:
        block: what computes a point.
        arguments: what is known of its arguments.
        extent: the one beyond which the points are, along a dim; None if only symbols are asked for.
        is_below_maximum: whether a difference is that of an element and the maximum of its row, along that dim.
    """
    values: dict[SSAValue, KnownScalar] = dict(zip(block.args, arguments, strict=True))
    for op in block.ops:
        operands = [values.get(v) for v in op.operands]
        result = _result(op, operands, extent)
        if result is None and isinstance(op, arith.SubfOp) and _is_least(operands[0]) and is_below_maximum(op):
            # -inf again, but for a maximum of -inf or NaN, which makes NaN of all of the row.
            result = Tail(np.asarray(-np.inf, to_numpy(op.result.type)), or_nan=True)
        values.update(dict.fromkeys(op.results, result))
    return values


def _is_least(known: KnownScalar) -> bool:
    return isinstance(known, Tail) and not known.or_nan and known.number == -np.inf


def _result(op: Operation, operands: Sequence[KnownScalar], extent: Extent | None) -> KnownScalar:
    match op, operands:
        case arith.ConstantOp(value=FloatAttr() | IntegerAttr() as number), _:
            return Tail(np.asarray(number.value.data).astype(to_numpy(op.result.type)))
        case SelectOp(), [Tail() as condition, on_true, on_false]:
            return on_true if condition.number else on_false
        case SelectOp(), [_, Tail() as one, Tail() as other] if one.number.tobytes() == other.number.tobytes():
            return replace(one, or_nan=one.or_nan or other.or_nan)
        case CmpiOp(), [Count(), Symbol() as symbol]:
            return _compared(op.predicate_name, symbol.extent, extent)
        case CmpiOp(), [Symbol() as symbol, Count()]:
            return _compared(_SWAPPED.get(op.predicate_name, ""), symbol.extent, extent)
        case arith.AddiOp(), [Symbol() as symbol, Tail() as number] | [Tail() as number, Symbol() as symbol]:
            plus = symbol.extent.plus + int(number.number)
            return Symbol(Extent(symbol.extent.symbol, plus)) if abs(plus) <= _MOST_ADDED else None
        case arith.SubiOp(), [Symbol() as symbol, Tail() as number]:
            plus = symbol.extent.plus - int(number.number)
            return Symbol(Extent(symbol.extent.symbol, plus)) if abs(plus) <= _MOST_ADDED else None
        case arith.AddiOp(), [Share() as share, Tail() as number] | [Tail() as number, Share() as share]:
            more = share.more + int(number.number)
            return replace(share, more=more) if abs(more) <= _MOST_ADDED else None
        case arith.DivSIOp(), [(Symbol() | Share()) as whole, Tail() as number] if 0 < number.number <= _MOST_ADDED:
            share, parts = _as_share(whole), int(number.number)
            if share.more < 0:  # what is divided may be negative
                return None
            return replace(share, divisor=share.divisor * parts, more=-(-share.more // parts))
        case (
            arith.MuliOp(),
            [(Symbol() | Share()) as each, Tail() as number] | [Tail() as number, (Symbol() | Share()) as each],
        ) if 0 < number.number <= _MOST_ADDED:
            share, times = _as_share(each), int(number.number)
            return replace(share, times=share.times * times, more=share.more * times)
        case _, [Count() | Symbol() as found] if isinstance(op, _SAME_NUMBER):
            return found
        case arith.AndIOp(), [Tail() as one, _] | [_, Tail() as one] if not one.number:
            return one
        case arith.OrIOp(), [Tail() as one, _] | [_, Tail() as one] if op.result.type == i1 and one.number:
            return one
        case arith.MulfOp(), [Tail() as zero, None] | [None, Tail() as zero] if not zero.number:
            return zero
        case arith.DivfOp(), [Tail() as zero, None] if not zero.number:
            return zero
        case arith.AddfOp(), [Tail() as least, None] | [None, Tail() as least] if least.number == -np.inf:
            return least
        case _ if operands and all(isinstance(each, Tail) for each in operands) and _is_function(op):
            tails = cast("Sequence[Tail]", operands)
            or_nan = any(tail.or_nan for tail in tails)
            if or_nan and not isinstance(op, _NAN_STAYS_NAN):
                return None
            (result,) = evaluate(op, [tail.number for tail in tails])
            return Tail(result, or_nan)
        case _:
            return None


def _as_share(known: Symbol | Share) -> Share:
    return known if isinstance(known, Share) else Share(known.extent, 1, 1)


def _is_function(op: Operation) -> bool:
    return len(op.results) == 1 and not op.regions and has_meaning(type(op))


def _compared(predicate: str, number: Extent, extent: Extent | None) -> Tail | None:
    """What `count <predicate> number` is for a count from `extent` on, or before a start."""
    if extent is None or (number.factor, number.over) != (1, 1):
        return None
    if replace(extent, plus=0, is_start=False) != Extent(number.symbol):
        return None
    beyond, sign = extent.plus - number.plus, -1 if extent.is_start else 1
    for table, result in _BEFORE if extent.is_start else _FROM:
        if predicate in table and sign * beyond >= sign * table[predicate]:
            return Tail(np.asarray(result))
    return None
