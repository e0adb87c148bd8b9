"""Sorting: integers as keys, and their order."""

from __future__ import annotations

from math import prod

from xdsl.dialects import arith
from xdsl.dialects.builtin import AnyFloat, IntegerType, i32, i64
from xdsl.ir import Attribute, Operation, SSAValue

from mlc.dialects import graph
from mlc.dialects.arith import CmpfOp, CmpiOp, ExtSIOp, SelectOp
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.tensor import ArgsortOp, TopKOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor._builder import Builder, d, every
from mlc.passes.graph_to_tensor._patterns import ToTensor
from mlc.passes.graph_to_tensor._points import Body, Points, unchanged
from mlc.support.dtypes import is_unsigned
from mlc.support.types import integer_width

_FEW = 64
"""Up to how many elements each is compared with each, in lanes: less work than the counters of a radix sort."""

_PART = 4
"""What part of a row is small enough to be selected first: that costs about a third of sorting the row."""


@lowers("convert-graph-to-tensor", graph.ArgsortOp)
class ArgsortToKeys(ToTensor):
    """Keys in rows, their positions in order, and those put back along the axis.

    Keys are signed integers in the order that is asked for, so that there is one order to sort by.
    """

    def build(self, op: Operation, b: Builder) -> SSAValue:
        assert isinstance(op, graph.ArgsortOp)
        shape, axis, first = shape_of(op.input), op.axis.value.data, op.first.value.data
        before, length, behind = prod(shape[:axis]), shape[axis], prod(shape[axis + 1 :])
        x = b.reshape(op.input, (before, length, behind))
        element = element_of(op.input)
        body, key = _key_of(element, op.descending is not None)
        dims = [("b", before), ("m", behind), ("n", length)]
        keys = b.reshape(b.map([(x, [d(0), d(2), d(1)])], dims, key, body), (before * behind, length))
        order = _order(b, keys, first)
        if behind == 1:
            return b.reshape(order, shape_of(op.result))
        order = b.reshape(order, (before, behind, first))
        dims = [("b", before), ("m", first), ("n", behind)]
        return b.reshape(b.map([(order, [d(0), d(2), d(1)])], dims, i64, unchanged), shape_of(op.result))


def _order(b: Builder, keys: SSAValue, first: int) -> SSAValue:
    """The positions of the `first` keys of each sorted row.

    Where these are a small part of the row they are selected before they are sorted.
    """
    rows, length = shape_of(keys)
    if length <= _FEW:
        return _order_of_few(b, keys, first)
    if first * _PART > length:
        return b.insert(ArgsortOp(keys, first))
    wanted = b.insert(TopKOp(keys, first))
    dims = [("m", rows), ("n", first)]

    def at(values: SSAValue, positions: SSAValue) -> SSAValue:
        return b.take(values, [d(0), d(2)], [("i", positions, every(2))], dims)

    return at(wanted, _order(b, at(keys, wanted), first))


def _key_of(element: Attribute, descending: bool) -> tuple[Body, IntegerType]:
    """What computes the key of an element, and its type.

    The bits of a float are in order as integers if those of the exponent and the fraction are flipped where the sign is
    set; those of an unsigned integer are if the greatest is flipped. Flipping all bits of a key reverses the order.
    """
    width = integer_width(element)
    if isinstance(element, AnyFloat):
        width = element.bitwidth
    assert width is not None
    key = IntegerType(width)

    def body(p: Points, x: SSAValue) -> SSAValue:
        value = x
        if isinstance(element, AnyFloat):
            zero = p.number(0, element)
            same_zero = p(SelectOp, p(CmpfOp, x, zero, "oeq"), zero, x)
            bits = p(arith.BitcastOp, same_zero, key)
            sign = p(arith.ShRSIOp, bits, p.number(width - 1, key))
            ordered = p(arith.XOrIOp, bits, p(arith.AndIOp, sign, p.number((1 << (width - 1)) - 1, key)))
            value = p(SelectOp, p(CmpfOp, x, x, "uno"), p.number((1 << (width - 1)) - 1, key), ordered)
        return p(arith.XOrIOp, value, p.number(-1, key)) if descending else value

    def of_unsigned(p: Points, x: SSAValue) -> SSAValue:
        greatest_bit = 1 << (width - 1)
        return p(arith.XOrIOp, x, p.number(greatest_bit - 1 if descending else greatest_bit, element))

    return of_unsigned if is_unsigned(element) else body, key


def _order_of_few(b: Builder, keys: SSAValue, first: int) -> SSAValue:
    """The order of short rows: how many keys come before each, and then which one has that rank.

    Both are sums over all pairs of a row, which vectorise.
    """
    rows, length = shape_of(keys)
    positions = b.constant(range(length), (length,), i32)
    pair = [("m", rows), ("n", length)]

    def comes_before(p: Points, k: SSAValue, n: SSAValue, other: SSAValue, here: SSAValue) -> SSAValue:
        less, equal = p(CmpiOp, other, here, "slt"), p(CmpiOp, other, here, "eq")
        first_of_equal = p(arith.AndIOp, equal, p(CmpiOp, k, n, "slt"))
        return p(SelectOp, p(arith.OrIOp, less, first_of_equal), p.number(1, i32), p.number(0, i32))

    def position_if(p: Points, k: SSAValue, rank: SSAValue, n: SSAValue) -> SSAValue:
        return p(SelectOp, p(CmpiOp, rank, n, "eq"), k, p.number(0, i32))

    reduce = [("k", length)]
    operands = [(positions, [d(2)]), (positions, [d(1)]), (keys, [d(0), d(2)]), (keys, [d(0), d(1)])]
    rank = b.reduce("add", operands, pair, reduce, comes_before)
    wanted = [("m", rows), ("n", first)]
    found = [(positions, [d(2)]), (rank, [d(0), d(2)]), (positions, [d(1)])]
    order = b.reduce("add", found, wanted, reduce, position_if)

    def widened(p: Points, at: SSAValue) -> SSAValue:
        return p(ExtSIOp, at, i64)

    return b.map([(order, every(2))], wanted, i64, widened)
