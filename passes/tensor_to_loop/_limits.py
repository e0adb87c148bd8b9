"""The limits that a kernel says its dims have become those of its loops, and the starts."""

from __future__ import annotations

from math import gcd

from xdsl.dialects import arith, func
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.rewriter import InsertPoint, Rewriter

from mlc.dialects.arith import IndexCastOp
from mlc.dialects.loop import LIMITS, ForOp, Limit, LimitsAttr, LoadOp
from mlc.support.types import memref_type, scalar_attribute

_LARGEST = 1 << 48
"""More than any extent, so that sums do not overflow."""


def set_limits(function: func.FuncOp) -> None:
    """Let the loops of a function, named by dims, end where its attribute says, which is taken off."""
    said = function.attributes.pop(LIMITS, None)
    if not isinstance(said, LimitsAttr):
        return
    writer = _LimitWriter(function)
    ends = {limit.dim: limit for limit in said.data if not limit.is_start}
    starts = {limit.dim: limit for limit in said.data if limit.is_start}
    for op in function.walk():
        if isinstance(op, ForOp) and (op.dim.data in ends or op.dim.data in starts):
            op.set_limit(*writer.range(ends.get(op.dim.data), starts.get(op.dim.data), op.range.stop))


class _LimitWriter:
    """Ops at the start of a function."""

    def __init__(self, function: func.FuncOp) -> None:
        self._arguments = function.args
        self._before = function.body.blocks[0].first_op
        self._location = function.location
        self._extents: dict[tuple[int, int, int, int, bool], SSAValue] = {}
        self._starts: dict[tuple[Limit | int, Limit], SSAValue] = {}

    def range(self, limit: Limit | None, start: Limit | None, upper: int) -> tuple[SSAValue, int, SSAValue | None]:
        """Where loops end, a number that this is a multiple of if it is less than the upper bound, and where they
        start, which is before that."""
        own = 0 if limit is None else limit.multiple * limit.factor
        end = self._number(upper) if limit is None else self._end(limit)
        if start is None:
            return end, own, None
        both, key = gcd(own, start.multiple * start.factor), (limit or upper, start)
        if key not in self._starts:
            self._starts[key] = self._add(arith.MinSIOp(self._end(start), self._last(limit, upper, both)))
        return end, both, self._starts[key]

    def _last(self, limit: Limit | None, upper: int, multiple: int) -> SSAValue:
        """The last multiple before the end of loops."""
        if limit is None:
            return self._number((upper - 1) // multiple * multiple)
        return self._add(arith.SubiOp(self._end(limit), self._number(multiple)))

    def _end(self, limit: Limit) -> SSAValue:
        """Where loops with a limit end, or start."""
        key = (limit.argument, limit.plus, limit.over, limit.multiple, limit.is_start)
        if key not in self._extents:
            self._extents[key] = self._extent(limit)
        rounded = self._extents[key]
        if limit.factor == 1:
            return rounded
        least = self._add(arith.MinSIOp(rounded, self._number(-(-_LARGEST // limit.factor))))
        return self._add(arith.MuliOp(least, self._number(limit.factor)))

    def _extent(self, limit: Limit) -> SSAValue:
        """The integer that the argument holds, and the number that is added, 1 if that is less, divided and
        rounded up. Of a start 0 if that is less, and rounded down."""
        argument = self._arguments[limit.argument]
        load = LoadOp(argument, [], AffineMap(0, 0, (AffineExpr.constant(0),) * memref_type(argument).get_num_dims()))
        value = self._add(IndexCastOp(self._add(load), IndexType()))
        value = self._add(arith.MinSIOp(value, self._number(_LARGEST)))
        if limit.is_start:
            value = self._add(arith.MaxSIOp(value, self._number(-_LARGEST)))
        if limit.plus:
            value = self._add(arith.AddiOp(value, self._number(limit.plus)))
        value = self._add(arith.MaxSIOp(value, self._number(0 if limit.is_start else 1)))
        if limit.is_start:
            return self._rounded_down(value, limit)
        if limit.over > 1:
            value = self._divided_up(value, self._number(limit.over), limit.over)
        if limit.multiple == 1:
            return value
        multiple = self._number(limit.multiple)
        return self._add(arith.MuliOp(self._divided_up(value, multiple, limit.multiple), multiple))

    def _rounded_down(self, value: SSAValue, limit: Limit) -> SSAValue:
        if (parts := limit.over * limit.multiple) == 1:
            return value
        value = self._add(arith.DivUIOp(value, self._number(parts)))
        return value if limit.multiple == 1 else self._add(arith.MuliOp(value, self._number(limit.multiple)))

    def _divided_up(self, value: SSAValue, parts: SSAValue, number: int) -> SSAValue:
        return self._add(arith.DivUIOp(self._add(arith.AddiOp(value, self._number(number - 1))), parts))

    def _number(self, value: int) -> SSAValue:
        return self._add(arith.ConstantOp(scalar_attribute(value, IndexType())))

    def _add(self, op: Operation) -> SSAValue:
        op.location = self._location
        assert self._before is not None
        Rewriter.insert_op(op, InsertPoint.before(self._before))
        return op.results[0]
