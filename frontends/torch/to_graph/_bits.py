"""Operators on the bits of numbers: signs, shifts, and what has to look at them."""

from __future__ import annotations

from xdsl.dialects.builtin import AnyFloat, IntegerType, i1
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.operators.graph_builder import is_float
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar
from mlc.frontends.torch.to_graph._patterns import converts
from mlc.support.dtypes import is_unsigned, to_numpy


def _width(element: Attribute) -> int:
    return 8 * to_numpy(element).itemsize


def has_sign(b: Call, x: SSAValue) -> SSAValue:
    """Whether the sign bit is set, which zeros and NaN have too."""
    element = element_of(x)
    if isinstance(element, AnyFloat):
        x = b(graph.BitcastOp, x, IntegerType(_width(element)))
    if element_of(x) == i1 or is_unsigned(element_of(x)):
        return b.broadcast(b.constant(False, i1), b.shape())
    return b.compare("lt", x, b.number(0, x))


@converts("signbit")
def signbit(b: Call, self: SSAValue) -> Results:
    """Whether the sign bit is set (i1), that of -0 and NaN too; of integers whether they are negative."""
    return has_sign(b, self)


@converts("copysign.Tensor", "copysign.Scalar")
def copysign(b: Call, self: SSAValue, other: SSAValue | Scalar) -> Results:
    """`|self|` with the sign bit of `other`, to which it broadcasts; integers become floats."""
    size = b(graph.AbsOp, b.tensor(self))
    sign = b.broadcast(b.tensor(other), b.shape())
    return b.where(has_sign(b, sign), b.minus(size), size)


@converts("fmax", "fmin")
def number_of_two(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """The greater or the lesser one; the other one of a NaN."""
    x, y = b.tensor(self), b.tensor(other)
    is_max = b.before.name == "aten.fmax"
    if element_of(x) == i1:
        return b(graph.OrOp if is_max else graph.AndOp, x, y)
    found = b(graph.MaxOp if is_max else graph.MinOp, x, y)
    if not is_float(x):
        return found
    found = b.where(b.compare("ne", x, x), y, found)
    return b.where(b.compare("ne", y, y), x, found)


@converts("hypot")
def hypot(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """The length of a vector, scaled so that no square is too large or too small."""
    x, y = b(graph.AbsOp, b.tensor(self)), b(graph.AbsOp, b.tensor(other))
    most, least = b.maximum(x, y), b.minimum(x, y)
    zero, infinite = b.number(0, x), b.number(float("inf"), x)
    ratio = b.div(least, b.where(b.compare("eq", most, zero), b.number(1, x), most))
    length = b.mul(most, b(graph.SqrtOp, b.add(b.squared(ratio), b.number(1, x))))
    either = b(graph.OrOp, b.compare("eq", x, infinite), b.compare("eq", y, infinite))
    return b.where(either, infinite, length)


@converts("bitwise_left_shift.Tensor", "bitwise_left_shift.Tensor_Scalar", "bitwise_left_shift.Scalar_Tensor",
          "__lshift__.Tensor", "__lshift__.Scalar")  # fmt: skip
def left_shift(b: Call, self: SSAValue | Scalar, other: SSAValue | Scalar) -> Results:
    """Shifts by less than 0, or by all bits, leave nothing."""
    x, by = b.tensor(self), b.tensor(other)
    _require_integer(b, x)
    zero, width = b.number(0, x), b.number(_width(element_of(x)), x)
    inside = b(graph.AndOp, b.compare("ge", by, zero), b.compare("lt", by, width))
    return b.where(inside, b(graph.ShlOp, x, b.where(inside, by, zero)), zero)


@converts("bitwise_right_shift.Tensor", "bitwise_right_shift.Tensor_Scalar", "bitwise_right_shift.Scalar_Tensor",
          "__rshift__.Tensor", "__rshift__.Scalar")  # fmt: skip
def right_shift(b: Call, self: SSAValue | Scalar, other: SSAValue | Scalar) -> Results:
    """Shifts by less than 0, or by all bits, leave copies of the sign."""
    x, by = b.tensor(self), b.tensor(other)
    _require_integer(b, x)
    zero = b.number(0, x)
    if is_unsigned(element_of(x)):
        width = b.number(_width(element_of(x)), x)
        inside = b.compare("lt", by, width)
        return b.where(inside, b(graph.ShrOp, x, b.where(inside, by, zero)), zero)
    most = b.number(_width(element_of(x)) - 1, x)
    inside = b(graph.AndOp, b.compare("ge", by, zero), b.compare("lt", by, most))
    return b(graph.ShrOp, x, b.where(inside, by, most))


def _require_integer(b: Call, x: SSAValue) -> None:
    assert not is_float(x), f"{b.before.name} of floats"


@converts("gcd")
def gcd(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """By Euclid's algorithm, in as many steps as the greatest numbers of the type need."""
    return _common_divisor(b, b.tensor(self), b.tensor(other))


@converts("lcm")
def lcm(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """The least common multiple of integers, not negative; 0 where either is 0."""
    x, y = b.broadcast(b.tensor(self), b.shape()), b.broadcast(b.tensor(other), b.shape())
    divisor = _common_divisor(b, x, y)
    zero = b.number(0, x)
    safe = b.where(b.compare("eq", divisor, zero), b.number(1, x), divisor)
    return b(graph.AbsOp, b.mul(b.div(x, safe), y))


def _common_divisor(b: Call, x: SSAValue, y: SSAValue) -> SSAValue:
    from mlc.frontends.operators.loop_writer import ScanWriter

    x, y = (b.broadcast(b(graph.AbsOp, v), b.shape()) for v in (x, y))
    # Numbers of n bits take at most n / log2((1 + sqrt 5) / 2) steps, as Fibonacci's do.
    steps = int(_width(element_of(x)) * 1.45) + 1
    scan = ScanWriter(b, steps)
    a, c, w = scan.carry(x), scan.carry(y), scan.inside
    zero = w.number(0, a)
    done = w.compare("eq", c, zero)
    rest = w(graph.RemOp, a, w.where(done, w.number(1, a), c))
    found, _ = scan.finish([w.where(done, a, c), w.where(done, zero, rest)])
    return found
