"""Ops on the bits of numbers."""

from __future__ import annotations

import numpy as np
from xdsl.dialects.builtin import IntegerType, f32, f64, i1
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.open_shapes import require_fixed
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.support import dtypes
from mlc.support.dtypes import signless, unsigned


def _width(value: SSAValue) -> int:
    return 8 * dtypes.to_numpy(element_of(value)).itemsize


def _as_unsigned(b: GraphBuilder, value: SSAValue) -> SSAValue:
    element = unsigned(IntegerType(_width(value)))
    return value if element_of(value) == element else b(graph.BitcastOp, value, element)


def _as(b: GraphBuilder, value: SSAValue, element: Attribute) -> SSAValue:
    return value if element_of(value) == element else b(graph.BitcastOp, value, element)


def _word(b: GraphBuilder, number: int, like: SSAValue) -> SSAValue:
    """An integer of the type of `like`, of which only the bits count."""
    dtype = dtypes.to_numpy(element_of(like))
    return b.constant(np.asarray(number, np.uint64).astype(dtype), element_of(like))


@converts("shift_left", "shift_right_logical", "shift_right_arithmetic")
def shift(b: HloCall) -> Converted:
    """By more bits than there are, all go out; bits of a sign come in only where that is asked for."""
    x, count = b[0], b[1]
    element = element_of(x)
    if b.op.mnemonic() == "shift_left":
        return b(graph.ShlOp, x, count)
    wanted = unsigned(element) if b.op.mnemonic() == "shift_right_logical" else signless(element)
    return _as(b, b(graph.ShrOp, _as(b, x, wanted), _as(b, count, wanted)), element)


@converts("popcnt")
def popcnt(b: HloCall) -> Converted:
    """Counted in groups of 2, 4 and 8 bits, which a product adds up."""
    return _as(b, _count(b, _as_unsigned(b, b[0])), element_of(b[0]))


def _count(b: GraphBuilder, x: SSAValue) -> SSAValue:
    width = _width(x)
    repeated = {w: int(np.uint64(0x0101010101010101)) & ((1 << w) - 1) for w in (8, 16, 32, 64)}[width]
    two, four, eight = (_word(b, repeated * n, x) for n in (0x55, 0x33, 0x0F))

    def right(value: SSAValue, by: int) -> SSAValue:
        return b(graph.ShrOp, value, b.number(by, value))

    x = b.sub(x, b(graph.AndOp, right(x, 1), two))
    x = b.add(b(graph.AndOp, x, four), b(graph.AndOp, right(x, 2), four))
    x = b(graph.AndOp, b.add(x, right(x, 4)), eight)
    return right(b.mul(x, _word(b, repeated, x)), width - 8) if width > 8 else x


@converts("count_leading_zeros")
def count_leading_zeros(b: HloCall) -> Converted:
    """All bits after the first 1 are set; the others are counted."""
    x = _as_unsigned(b, b[0])
    by = 1
    while by < _width(x):
        x = b(graph.OrOp, x, b(graph.ShrOp, x, b.number(by, x)))
        by *= 2
    return _as(b, _count(b, b(graph.NotOp, x)), element_of(b[0]))


@converts("bitcast_convert", bounded=True)
def bitcast_convert(b: HloCall) -> Converted:
    """Of another width by shifts, the lowest bits first."""
    if b.is_pair(0):
        pair = b.pair(0)
        if element_of(pair.re) != b.element():
            raise Unconvertible("bits of complex numbers become complex numbers of the same width")
        return pair
    x, element = b[0], b.element()
    if i1 in (element, element_of(x)):
        if element != element_of(x):
            raise Unconvertible("bits of truth values become truth values")
        return x
    after = 8 * dtypes.to_numpy(element).itemsize
    before = _width(x)
    if before == after:
        return _as(b, x, element)
    raw = _as_unsigned(b, x)
    rank = len(shape_of(x))
    require_fixed(b, x, "operand 0", [rank - 1] if after > before else [])
    if after < before:
        count = before // after
        steps = b.constant((np.arange(count) * after).astype(dtypes.to_numpy(element_of(raw))), element_of(raw))
        parts = b(graph.ShrOp, b.unsqueeze(raw, [rank]), steps)
        mask = _word(b, (1 << after) - 1, parts)
        return _as(b, b.cast(b(graph.AndOp, parts, mask), unsigned(IntegerType(after))), element)
    wide = b.cast(raw, unsigned(IntegerType(after)))
    total: SSAValue | None = None
    for i in range(after // before):
        part = b.squeeze(b.slice(wide, rank - 1, i, i + 1), [rank - 1])
        part = b(graph.ShlOp, part, b.number(i * before, part))
        total = part if total is None else b(graph.OrOp, total, part)
    assert total is not None
    return _as(b, total, element)


@converts("reduce_precision")
def reduce_precision(b: HloCall) -> Converted:
    """Mantissas are rounded to even by an addition to the bits; what gets too large is infinite, too small 0."""
    x, element = b[0], element_of(b[0])
    exponent, mantissa = b.op.number("exponent_bits"), b.op.number("mantissa_bits")
    if element in dtypes.HALVES:
        own = 10 if str(element) == "f16" else 7
    elif element in (f32, f64):
        own = 23 if element == f32 else 52
    else:
        raise Unconvertible(f"it reduces {element}")
    width = _width(x)
    bits = _as_unsigned(b, x)
    raw = bits
    if mantissa < own:
        cut = own - mantissa
        last = b(graph.AndOp, b(graph.ShrOp, raw, b.number(cut, raw)), b.number(1, raw))
        raw = b.add(b.add(raw, last), _word(b, (1 << (cut - 1)) - 1, raw))
        raw = b(graph.AndOp, raw, _word(b, ((1 << width) - 1) ^ ((1 << cut) - 1), raw))
    exponents = width - 1 - own
    if exponent < exponents:
        sign = b(graph.AndOp, raw, _word(b, 1 << (width - 1), raw))
        bias, reduced = (1 << (exponents - 1)) - 1, (1 << (exponent - 1)) - 1
        found = b(graph.AndOp, b(graph.ShrOp, raw, b.number(own, raw)), _word(b, (1 << exponents) - 1, raw))
        infinite = b(graph.OrOp, sign, _word(b, ((1 << exponents) - 1) << own, raw))
        raw = b.where(b.compare("gt", found, _word(b, bias + reduced, found)), infinite, raw)
        raw = b.where(b.compare("le", found, _word(b, bias - reduced, found)), sign, raw)
    return b.where(b.compare("ne", x, x), x, _as(b, raw, element))


@converts("chlo.next_after")
def next_after(b: HloCall) -> Converted:
    """One step of the bits, away from 0 or towards it; around 0 the least number."""
    x, y = b[0], b[1]
    if not is_float(x):
        raise Unconvertible("it takes floats")
    element = IntegerType(_width(x))
    bits = b(graph.BitcastOp, x, element)
    zero = b.number(0, x)
    up = b.compare("gt", y, x)
    positive = b.compare("gt", x, zero)
    away = b.compare("eq", b.cast(up, IntegerType(8)), b.cast(positive, IntegerType(8)))
    one, minus = b.number(1, bits), b.number(-1, bits)
    moved = b.add(bits, b.where(away, one, minus))
    least = b.where(up, one, _word(b, (1 << (_width(x) - 1)) | 1, bits))
    moved = b.where(b.compare("eq", x, zero), least, moved)
    found = b(graph.BitcastOp, moved, element_of(x))
    found = b.where(b.compare("eq", x, y), y, found)
    nan = b(graph.OrOp, b.compare("ne", x, x), b.compare("ne", y, y))
    return b.where(nan, b.add(x, y), found)
