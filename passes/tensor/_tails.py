"""What is known of the elements of a tensor beyond an extent: padding that a mask wrote, and what was computed of it.

%in = tensor.map %i[k], %n[] …             { cmpi slt }            false from n on, where %i counts from 0
%s = tensor.map %in[k], %x[m, k] …         { select, %x or -inf }  -inf from n on, along k
%e = tensor.map %s[m, k], %max[m] …        { exp(%s - %max) }      0 from n on; or NaN, with the whole row
%t = tensor.reduce add %e[m, k] …          no need to look at more than n elements of a row

A mask of the places after an integer says the same of the elements before a start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    DenseIntOrFPElementsAttr,
    DenseResourceAttr,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    i32,
    i64,
)
from xdsl.dialects.tensor import YieldOp
from xdsl.ir import Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from mlc.dialects.arith import CmpiOp
from mlc.dialects.tensor import ReduceOp, StructuredOp
from mlc.passes.tensor._known_scalars import Count, Extent, KnownScalar, Share, Symbol, Tail, known_values
from mlc.reference.constants import constant_data
from mlc.support.ir import RESHAPES, identity_of
from mlc.support.linear import plain_dim
from mlc.support.resources import Resources
from mlc.support.types import element_type, tensor_type

_MOST_COUNTED = 1 << 20
"""How long a row of numbers 0, 1, 2, … is that is looked at."""


@dataclass(frozen=True)
class Table:
    """Element `j` along an axis of a constant is a place, not more than `j / per + more`, rounded down."""

    axis: int
    per: int
    more: int

    @staticmethod
    def of(axis: int, places: NDArray[Any]) -> Table | None:
        """None if places count from the end."""
        if places.min() < 0:
            return None
        per = max(1, places.size // (int(places.max()) + 1))
        return Table(axis, per, max(0, int((places - np.arange(places.size) // per).max())))


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
    shares: dict[SSAValue, Share] = field(default_factory=dict[SSAValue, Share])
    """Single integers that are computed of others."""
    tables: dict[SSAValue, Table | None] = field(default_factory=dict[SSAValue, "Table | None"])
    """Constants that hold places in order, as they are read for another size."""

    def hand_on(self, others: Tails, known: SSAValue, to: SSAValue) -> None:
        """Let a value be known as another one is to others: an argument of a kernel, as what a call passes."""
        self.tails[to] = others.tails.get(known, {})
        self.counts[to] = others.count_axis(known)
        self.tables[to] = others.table(known)
        if known in others.shares:
            self.shares[to] = others.shares[known]
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
        axis, data = self._row(value)
        return axis if data is not None and np.array_equal(data, np.arange(data.size)) else None

    def _row(self, value: SSAValue) -> tuple[int, NDArray[Any] | None]:
        """The integers of a constant that has more than one element along one axis only, and that axis."""
        shape = tensor_type(value).get_shape()
        long = [axis for axis, extent in enumerate(shape) if extent > 1]
        owner = unreshaped(value).owner
        constant = owner.value if isinstance(owner, arith.ConstantOp) else None
        if not isinstance(constant, DenseIntOrFPElementsAttr | DenseResourceAttr) or len(long) != 1:
            return 0, None
        if not isinstance(element_type(value.type), IntegerType) or shape[long[0]] > _MOST_COUNTED:
            return 0, None
        return long[0], constant_data(cast(Any, constant), self.resources).reshape(-1)

    def table(self, value: SSAValue) -> Table | None:
        """What is known of places that a constant holds; None for other values."""
        if value not in self.tables:
            axis, data = self._row(value)
            self.tables[value] = None if data is None else Table.of(axis, data)
        return self.tables[value]

    def learn(self, op: StructuredOp) -> None:
        """Note what follows of the operands of an op for its result."""
        if not set(tensor_type(op.result).get_shape()) - {1}:
            found = self._at_no_place(op) if op.reduction is None else None
            if isinstance(found, Symbol):
                self.symbols[op.result] = found.extent
            elif isinstance(found, Share):
                self.shares[op.result] = found
            return
        tails: dict[tuple[int, Extent], Tail] = {}
        for dim in range(op.num_parallel):
            for extent in self.extents_along(op, dim):
                if (tail := self.point(op, dim, extent)) is not None and self._is_kept(op, tail):
                    tails[dim, extent] = tail
        if tails:
            self.tails[op.result] = tails

    def _at_no_place(self, op: StructuredOp) -> KnownScalar:
        block = op.point_block()
        return self._values(op, block, -1).get(_yielded(block))

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
        """The extents beyond which something may be known of the points of an op, along a dim."""
        found: dict[Extent, None] = {}
        counted = False
        for value, affine in zip(op.inputs, op.index_maps, strict=True):
            axis = axis_along(affine.results, dim)
            if axis is not None:
                found |= dict.fromkeys(e for a, e in self.tails.get(value, {}) if a == axis)
                counted = counted or self.count_axis(value) == axis
        if counted:
            block = op.point_block()
            values = self._values(op, block, dim)
            for inner in block.ops:
                known = [values.get(v) for v in inner.operands] if isinstance(inner, CmpiOp) else []
                for each in known:
                    if isinstance(each, Symbol) and each.extent.factor == each.extent.over == 1:
                        symbol, plus = each.extent.symbol, each.extent.plus
                        found |= dict.fromkeys(Extent(symbol, plus + more) for more in (0, 1))
                        found |= dict.fromkeys(Extent(symbol, plus + more, is_start=True) for more in (1, 0))
        return list(found)

    def point(self, op: StructuredOp, dim: int, extent: Extent, unknown: int | None = None) -> Tail | None:
        """What each point of an op is beyond an extent along a dim, if nothing is known of the operand `unknown`.

        Zero times anything is zero here, and -inf plus anything is -inf, NaN and infinities as well: padding is left
        out (`Rounding.skips_zeros`).
        """
        known: list[KnownScalar] = [
            None if number == unknown else self._read(op, number, dim, extent) for number in range(len(op.inputs))
        ]
        if not any(isinstance(each, Tail | Count) for each in known):
            return None
        if op.contracts:
            return next((each for each in known if isinstance(each, Tail) and not each.number), None)
        block = op.point_block()
        found = known_values(
            block, known, extent, lambda difference: _is_below_maximum(op, dim, block, difference.operands)
        ).get(_yielded(block))
        return found if isinstance(found, Tail) else None

    def _values(self, op: StructuredOp, block: Block, dim: int) -> Mapping[SSAValue, KnownScalar]:
        """What is known of the values of a point, wherever it is along a dim."""
        return known_values(block, [self._read(op, number, dim, None) for number in range(len(op.inputs))])

    def _read(self, op: StructuredOp, number: int, dim: int, extent: Extent | None) -> KnownScalar:
        """What is known of the elements of an operand that are read there."""
        value = op.inputs[number]
        if (symbol := self.symbol(value)) is not None:
            return Symbol(symbol)
        if value in self.shares:
            return self.shares[value]
        axis = axis_along(op.index_maps[number].results, dim)
        if axis is None:
            return None
        if extent is not None and (tail := self.tails.get(value, {}).get((axis, extent))) is not None:
            return tail
        return Count() if self.count_axis(value) == axis else None


def _yielded(block: Block) -> SSAValue:
    last = block.last_op
    assert isinstance(last, YieldOp)
    return last.arguments[0]


def _is_below_maximum(op: StructuredOp, dim: int, block: Block, operands: Sequence[SSAValue]) -> bool:
    """Whether operands of a point are an element, and the maximum of the row along a dim that it is in."""
    numbers = [value.index for value in operands if isinstance(value, BlockArgument) and value.owner is block]
    if len(numbers) != len(operands):
        return False
    (value, subscripts), (maximum, rows) = ((op.inputs[n], op.index_maps[n].results) for n in numbers)
    if AffineExpr.dimension(dim) in rows:
        return False
    reduce = maximum.owner
    if not isinstance(reduce, ReduceOp) or reduce.reduction not in ("max", "maxnum") or not reduce.passes_through:
        return False
    read = reduce.index_maps[0].results
    if reduce.inputs[0] is not value or not all(isinstance(e, AffineDimExpr) for e in (*read, *subscripts, *rows)):
        return False
    over = dict(zip(read, subscripts, strict=True))
    return [over.get(AffineExpr.dimension(i)) for i in range(reduce.num_parallel)] == list(rows)


def unreshaped(value: SSAValue) -> SSAValue:
    """What a value is before all reshapes."""
    while isinstance(op := value.owner, RESHAPES):
        value = op.operands[0]
    return value


def axis_along(subscripts: Sequence[AffineExpr], dim: int) -> int | None:
    """The axis of which a dim is the subscript, if it is in no other one."""
    axes = [axis for axis, subscript in enumerate(subscripts) if dim in subscript.used_dims()]
    return axes[0] if len(axes) == 1 and plain_dim(subscripts[axes[0]]) == dim else None
