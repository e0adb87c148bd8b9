"""Ops that compute real numbers element by element."""

from __future__ import annotations

from math import inf

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.angles import arc_tangent
from mlc.frontends.operators.complex_numbers import Complex, Pair, spread
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.frontends.operators.open_shapes import expanded, shape_sizes
from mlc.frontends.stablehlo.to_graph import _complex
from mlc.frontends.stablehlo.to_graph._calls import Converted, HloCall, converts
from mlc.support import dtypes
from mlc.support.dtypes import is_unsigned

_UNARY: dict[str, type[graph.GraphOp]] = {
    "ceil": graph.CeilOp,
    "floor": graph.FloorOp,
    "round_nearest_even": graph.RoundOp,
    "chlo.erf": graph.ErfOp,
}
_OF_BOTH: dict[str, type[graph.GraphOp]] = {
    "cosine": graph.CosOp,
    "exponential": graph.ExpOp,
    "exponential_minus_one": graph.ExpM1Op,
    "log": graph.LogOp,
    "log_plus_one": graph.Log1pOp,
    "logistic": graph.SigmoidOp,
    "rsqrt": graph.RsqrtOp,
    "sine": graph.SinOp,
    "sqrt": graph.SqrtOp,
    "tanh": graph.TanhOp,
    "tan": graph.TanOp,
    "chlo.acos": graph.AcosOp,
    "chlo.acosh": graph.AcoshOp,
    "chlo.asin": graph.AsinOp,
    "chlo.asinh": graph.AsinhOp,
    "chlo.atan": graph.AtanOp,
    "chlo.atanh": graph.AtanhOp,
    "chlo.cosh": graph.CoshOp,
    "chlo.sinh": graph.SinhOp,
    "chlo.tan": graph.TanOp,
}
"""Those that complex numbers have, too."""


@converts(*_UNARY)
def unary(b: HloCall) -> Converted:
    """The op of the graph dialect that means the same."""
    name = b.op.mnemonic()
    return b(_UNARY[name] if name in _UNARY else _UNARY[f"chlo.{name}"], b[0])


@converts(*_OF_BOTH)
def unary_of_both(b: HloCall) -> Converted:
    """The same, and by its parts for complex numbers."""
    name = b.op.mnemonic()
    if b.is_pair(0):
        return _complex.UNARY[name](Complex(b), b.pair(0))
    return b(_OF_BOTH[name] if name in _OF_BOTH else _OF_BOTH[f"chlo.{name}"], b[0])


@converts("negate", parts=True)
def negate(b: HloCall) -> Converted:
    """Of unsigned integers what is missing to the next power of two."""
    return b.minus(b[0])


@converts("abs")
def absolute(b: HloCall) -> Converted:
    """Of complex numbers the modulus."""
    if b.is_pair(0):
        return Complex(b).modulus(b.pair(0))
    return b[0] if is_unsigned(element_of(b[0])) else b(graph.AbsOp, b[0])


@converts("sign")
def sign(b: HloCall) -> Converted:
    """Of complex numbers their direction."""
    if b.is_pair(0):
        return Complex(b).sign(b.pair(0))
    if is_unsigned(element_of(b[0])):
        return b.cast(b.compare("ne", b[0], b.number(0, b[0])), element_of(b[0]))
    return b(graph.SignOp, b[0])


@converts("not")
def invert(b: HloCall) -> Converted:
    """Each bit."""
    return b(graph.NotOp, b[0])


@converts("round_nearest_afz")
def round_half_away(b: HloCall) -> Converted:
    """Truncated, and one further where a half or more is cut off, which is exact."""
    whole = b(graph.TruncOp, b[0])
    cut = b(graph.AbsOp, b.sub(b[0], whole))
    further = b.add(whole, b(graph.SignOp, b[0]))
    return b.where(b.compare("ge", cut, b.number(0.5, cut)), further, whole)


@converts("cbrt")
def cbrt(b: HloCall) -> Converted:
    """A power of the absolute value, and two of Newton's steps."""
    if b.is_pair(0):
        return Complex(b).power(b.pair(0), b.number(1 / 3, b.pair(0).re))
    x = b[0]
    size = b(graph.AbsOp, x)
    root = b(graph.PowOp, size, b.number(1 / 3, x))
    for _ in range(2):
        step = b.scaled(b.sub(root, b.div(size, b.mul(root, root))), 1 / 3)
        root = b.sub(root, step)
    special = b(graph.OrOp, b.compare("eq", x, b.number(0, x)), b.compare("eq", size, b.number(inf, x)))
    return b.where(special, x, b.mul(root, b(graph.SignOp, x)))


@converts("is_finite")
def is_finite(b: HloCall) -> Converted:
    """NaN is less than nothing."""
    return b.compare("lt", b(graph.AbsOp, b[0]), b.number(inf, b[0]))


@converts("chlo.is_inf", "chlo.is_pos_inf", "chlo.is_neg_inf")
def is_infinite(b: HloCall) -> Converted:
    """Equal to an infinity."""
    name = b.op.mnemonic()
    x = b(graph.AbsOp, b[0]) if name == "is_inf" else b[0]
    return b.compare("eq", x, b.number(-inf if name == "is_neg_inf" else inf, x))


@converts("chlo.square")
def square(b: HloCall) -> Converted:
    """Times itself."""
    if b.is_pair(0):
        return Complex(b).mul(b.pair(0), b.pair(0))
    return b.mul(b[0], b[0])


# ---- two operands


_BINARY: dict[str, type[graph.GraphOp]] = {
    "add": graph.AddOp,
    "subtract": graph.SubOp,
    "multiply": graph.MulOp,
    "divide": graph.DivOp,
    "maximum": graph.MaxOp,
    "minimum": graph.MinOp,
    "remainder": graph.RemOp,
    "power": graph.PowOp,
}
_TRUTH: dict[str, type[graph.GraphOp]] = {
    "add": graph.OrOp,
    "maximum": graph.OrOp,
    "multiply": graph.AndOp,
    "minimum": graph.AndOp,
}
_BROADCAST = [f"chlo.broadcast_{name}" for name in _BINARY]


@converts(*_BINARY)
def binary(b: HloCall) -> Converted:
    """Sums of truth values are disjunctions, their products conjunctions."""
    name = b.op.mnemonic()
    if b.is_pair(0):
        return _complex.binary(Complex(b), name, b.pair(0), b.pair(1))
    return combine(b, name, b[0], b[1])


def combine(b: GraphBuilder, name: str, x: SSAValue, y: SSAValue) -> SSAValue:
    """An op of two real operands, by its name."""
    element = element_of(x)
    if element == i1 and name in _TRUTH:
        return b(_TRUTH[name], x, y)
    if is_float(x):
        return b(_BINARY[name], x, y)
    found = b(_BINARY[name], x, y)
    if name == "divide":
        # Division by 0 has all bits set, as in XLA.
        zero = b.compare("eq", y, b.number(0, y))
        dtype = dtypes.to_numpy(element)
        ones = b.constant(~np.zeros((), dtype), element)
        return b.where(zero, ones, found)
    if name == "remainder":
        return b.where(b.compare("eq", y, b.number(0, y)), x, found)
    return found


@converts("and", "or", "xor")
def bitwise(b: HloCall) -> Converted:
    """Bit by bit."""
    kind = {"and": graph.AndOp, "or": graph.OrOp, "xor": graph.XorOp}[b.op.mnemonic()]
    return b(kind, b[0], b[1])


@converts("atan2")
def atan2(b: HloCall) -> Converted:
    """From the arc tangent of a quotient between 0 and 1, turned into the quadrant."""
    if b.is_pair(0):
        return Complex(b).atan2(b.pair(0), b.pair(1))
    return arc_tangent(b, b[0], b[1])


# ---- choosing and converting


@converts("compare")
def compare(b: HloCall) -> Converted:
    """Complex numbers by both parts; floats in a total order by their bits."""
    direction = b.op.word("comparison_direction").lower()
    if b.is_pair(0):
        return Complex(b).compare(direction, b.pair(0), b.pair(1))
    return compared(b, direction, b.op.word("compare_type"), b[0], b[1])


def compared(b: GraphBuilder, direction: str, kind: str, x: SSAValue, y: SSAValue) -> SSAValue:
    """A comparison of real numbers, by the names of its direction and of its type."""
    if kind == "TOTALORDER":
        x, y = total_order(b, x), total_order(b, y)
    return b.compare(direction, x, y)


def total_order(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """Floats as integers in the same order, in which -0 is less than 0 and NaNs are the least or the greatest."""
    from xdsl.dialects.builtin import IntegerType

    width = 8 * dtypes.to_numpy(element_of(x)).itemsize
    bits = b(graph.BitcastOp, x, IntegerType(width))
    flipped = b(graph.XorOp, bits, b.number((1 << (width - 1)) - 1, bits))
    return b.where(b.compare("lt", bits, b.number(0, bits)), flipped, bits)


@converts("select", "chlo.broadcast_select")
def select(b: HloCall) -> Converted:
    """One of two."""
    if b.is_pair(1):
        one, two = b.pair(1), b.pair(2)
        return Pair(b.where(b[0], one.re, two.re), b.where(b[0], one.im, two.im))
    return b.where(b[0], b[1], b[2])


@converts("clamp")
def clamp(b: HloCall) -> Converted:
    """Between two bounds, of which the upper one wins."""
    if any(b.is_pair(i) for i in range(3)):
        c = Complex(b)
        wide = [spread(b, b.pair(i), b.shape()) for i in range(3)]
        return c.extreme("minimum", c.extreme("maximum", wide[1], wide[0]), wide[2])
    return combine(b, "minimum", combine(b, "maximum", b[1], b[0]), b[2])


@converts("convert")
def convert(b: HloCall) -> Converted:
    """Complex numbers lose their imaginary parts where the result has none."""
    from xdsl.dialects.builtin import ComplexType

    if isinstance(b.type().element_type, ComplexType):
        pair = b.pair(0)
        return Pair(b.cast(pair.re, b.element()), b.cast(pair.im, b.element()))
    value = b.pair(0).re if b.is_pair(0) else b[0]
    if b.element() == i1 and element_of(value) != i1:
        return b.compare("ne", value, b.number(0, value))
    return b.cast(value, b.element())


# ---- parts of complex numbers


@converts("real")
def real(b: HloCall) -> Converted:
    """The real part."""
    return b.pair(0).re if b.is_pair(0) else b[0]


@converts("imag")
def imag(b: HloCall) -> Converted:
    """The imaginary part."""
    return b.pair(0).im


@converts("complex", "chlo.broadcast_complex")
def make_complex(b: HloCall) -> Converted:
    """Two parts."""
    sizes = [shape_sizes(b, b[i]) for i in (0, 1)]
    return Pair(*(expanded(b, b[i], sizes[1 - i]) for i in (0, 1)))


@converts("chlo.conj")
def conjugate(b: HloCall) -> Converted:
    """With the other sign of the imaginary part."""
    pair = b.pair(0)
    return Pair(pair.re, b(graph.NegOp, pair.im))


# ---- with broadcasting


@converts(*_BROADCAST, "chlo.broadcast_compare", "chlo.broadcast_and", "chlo.broadcast_or", "chlo.broadcast_xor")
def broadcast_binary(b: HloCall) -> Converted:
    """The op of StableHLO; a shorter operand has its dims where the op says, else at the end."""
    x, y = b[0], b[1]
    if (dims := b.op.ints("broadcast_dimensions")) and len(shape_of(x)) != len(shape_of(y)):
        is_first = len(shape_of(x)) < len(shape_of(y))
        short, long = (x, y) if is_first else (y, x)
        extents = dict(zip(dims, shape_of(short), strict=True))
        short = b.reshape(short, [extents.get(d, 1) for d in range(len(shape_of(long)))])
        x, y = (short, long) if is_first else (long, short)
    name = b.op.mnemonic().removeprefix("broadcast_")
    if name == "compare":
        return compared(b, b.op.word("comparison_direction").lower(), b.op.word("compare_type"), x, y)
    if name in ("and", "or", "xor"):
        return b({"and": graph.AndOp, "or": graph.OrOp, "xor": graph.XorOp}[name], x, y)
    return combine(b, name, x, y)
