"""Arithmetic of complex numbers, as pairs of tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, cast

from ml_dtypes import finfo
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.operators.angles import arc_tangent, is_negative
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.support.dtypes import to_numpy


@dataclass(frozen=True)
class Pair:
    """A complex tensor: the tensors of its real and of its imaginary parts."""

    re: SSAValue
    im: SSAValue


RealOrPair = SSAValue | Pair
"""What stands for a tensor while a module is converted."""


class Complex:
    """Writes what complex numbers need."""

    def __init__(self, b: GraphBuilder) -> None:
        self.b = b

    def add(self, x: Pair, y: Pair) -> Pair:
        """`x + y`."""
        return Pair(self.b.add(x.re, y.re), self.b.add(x.im, y.im))

    def sub(self, x: Pair, y: Pair) -> Pair:
        """`x - y`."""
        return Pair(self.b.sub(x.re, y.re), self.b.sub(x.im, y.im))

    def mul(self, x: Pair, y: Pair) -> Pair:
        """`x * y`."""
        b = self.b
        re = b.sub(b.mul(x.re, y.re), b.mul(x.im, y.im))
        return Pair(re, b.add(b.mul(x.re, y.im), b.mul(x.im, y.re)))

    def scaled(self, x: Pair, factor: SSAValue) -> Pair:
        """The product with a real number."""
        return Pair(self.b.mul(x.re, factor), self.b.mul(x.im, factor))

    def div(self, x: Pair, y: Pair) -> Pair:
        """`x / y`, by the larger part of `y`, so that no square overflows (Smith, 1962)."""
        b = self.b
        flip = b.compare("lt", b(graph.AbsOp, y.re), b(graph.AbsOp, y.im))
        large, small = b.where(flip, y.im, y.re), b.where(flip, y.re, y.im)
        one, two = b.where(flip, x.im, x.re), b.where(flip, x.re, x.im)
        ratio = b.div(small, large)
        below = b.add(large, b.mul(small, ratio))
        re = b.div(b.add(one, b.mul(two, ratio)), below)
        im = b.div(b.sub(two, b.mul(one, ratio)), below)
        return Pair(re, b.where(flip, b(graph.NegOp, im), im))

    def modulus(self, x: Pair) -> SSAValue:
        """`|x|`, by the larger part, so that no square overflows."""
        b = self.b
        one, two = b(graph.AbsOp, x.re), b(graph.AbsOp, x.im)
        most, least = b(graph.MaxOp, one, two), b(graph.MinOp, one, two)
        ratio = b.div(least, most)
        found = b.mul(most, b(graph.SqrtOp, b.add(b.number(1, one), b.mul(ratio, ratio))))
        found = b.where(b.compare("eq", least, b.number(0, one)), most, found)
        infinite = b.number(inf, one)
        return b.where(b(graph.OrOp, b.compare("eq", one, infinite), b.compare("eq", two, infinite)), infinite, found)

    def angle(self, x: Pair) -> SSAValue:
        """The argument, from -pi to pi."""
        return arc_tangent(self.b, x.im, x.re)

    def sign(self, x: Pair) -> Pair:
        """Its direction; 0 for 0."""
        b = self.b
        size = self.modulus(x)
        zero = b.number(0, size)
        is_zero = b.compare("eq", size, zero)
        below = b.where(is_zero, b.number(1, size), size)
        return Pair(b.div(x.re, below), b.div(x.im, below))

    def exp(self, x: Pair) -> Pair:
        """`e^x`."""
        b = self.b
        size = b(graph.ExpOp, x.re)
        return Pair(b.mul(size, b(graph.CosOp, x.im)), b.mul(size, b(graph.SinOp, x.im)))

    def expm1(self, x: Pair) -> Pair:
        """`e^x - 1`, with all digits where `x` is small."""
        b = self.b
        grown = b(graph.ExpM1Op, x.re)
        half = b(graph.SinOp, b.mul(x.im, b.number(0.5, x.im)))
        less = b.mul(b.mul(half, half), b.number(2, half))
        size = b(graph.ExpOp, x.re)
        return Pair(b.sub(grown, b.mul(size, less)), b.mul(size, b(graph.SinOp, x.im)))

    def log(self, x: Pair) -> Pair:
        """The principal logarithm."""
        return Pair(self.b(graph.LogOp, self.modulus(x)), self.angle(x))

    def log1p(self, x: Pair) -> Pair:
        """The logarithm of `1 + x`, with all digits where `x` is small."""
        b = self.b
        moved = Pair(b.add(x.re, b.number(1, x.re)), x.im)
        square = b.add(b.mul(x.re, b.add(x.re, b.number(2, x.re))), b.mul(x.im, x.im))
        near = b.mul(b(graph.Log1pOp, square), b.number(0.5, square))
        is_near = b.compare("lt", b(graph.MaxOp, b(graph.AbsOp, x.re), b(graph.AbsOp, x.im)), b.number(0.5, x.re))
        return Pair(b.where(is_near, near, b(graph.LogOp, self.modulus(moved))), self.angle(moved))

    def sqrt(self, x: Pair) -> Pair:
        """The principal square root."""
        b = self.b
        half = b.number(0.5, x.re)
        size = b(graph.SqrtOp, b.mul(b.add(self.modulus(x), b(graph.AbsOp, x.re)), half))
        zero = b.number(0, x.re)
        is_zero = b.compare("eq", size, zero)
        other = b.where(is_zero, zero, b.div(b.mul(x.im, half), size))
        left = b.compare("lt", x.re, zero)
        signed = b.where(is_negative(b, x.im), b(graph.NegOp, size), size)
        return Pair(b.where(left, b(graph.AbsOp, other), size), b.where(left, signed, other))

    def rsqrt(self, x: Pair) -> Pair:
        """1 over the principal square root."""
        return self.div(self.real(self.b.number(1, x.re)), self.sqrt(x))

    def real(self, x: SSAValue) -> Pair:
        """A real number as a complex one."""
        return Pair(x, self.b.number(0, x))

    def sin(self, x: Pair) -> Pair:
        """The sine."""
        b = self.b
        return Pair(
            b.mul(b(graph.SinOp, x.re), b(graph.CoshOp, x.im)), b.mul(b(graph.CosOp, x.re), b(graph.SinhOp, x.im))
        )

    def cos(self, x: Pair) -> Pair:
        """The cosine."""
        b = self.b
        im = b.mul(b(graph.SinOp, x.re), b(graph.SinhOp, x.im))
        return Pair(b.mul(b(graph.CosOp, x.re), b(graph.CoshOp, x.im)), b(graph.NegOp, im))

    def tanh(self, x: Pair) -> Pair:
        """The hyperbolic tangent, of numbers whose tangent does not overflow."""
        b = self.b
        t, u = b(graph.TanhOp, x.re), b(graph.TanOp, x.im)
        below = b.add(b.number(1, t), b.mul(b.mul(t, t), b.mul(u, u)))
        re = b.div(b.mul(t, b.add(b.number(1, u), b.mul(u, u))), below)
        im = b.div(b.mul(b.sub(b.number(1, t), b.mul(t, t)), u), below)
        return Pair(re, im)

    def sinh(self, x: Pair) -> Pair:
        """The hyperbolic sine."""
        b = self.b
        re = b.mul(b(graph.SinhOp, x.re), b(graph.CosOp, x.im))
        return Pair(re, b.mul(b(graph.CoshOp, x.re), b(graph.SinOp, x.im)))

    def cosh(self, x: Pair) -> Pair:
        """The hyperbolic cosine."""
        b = self.b
        re = b.mul(b(graph.CoshOp, x.re), b(graph.CosOp, x.im))
        return Pair(re, b.mul(b(graph.SinhOp, x.re), b(graph.SinOp, x.im)))

    def tan(self, x: Pair) -> Pair:
        """The tangent, `-i tanh(i x)`."""
        return self._turned_back(self.tanh(self._turned(x)))

    def asin(self, x: Pair) -> Pair:
        """The inverse of the sine; this and the next ones by square roots, which know the sides of cuts (Kahan, Branch
        cuts for complex elementary functions, 1987)."""
        below, above = self._roots(x)
        re = self._arc_tangent(x.re, self.mul(below, above).re)
        return Pair(re, self.b(graph.AsinhOp, self.mul(self.conjugate(below), above).im))

    def acos(self, x: Pair) -> Pair:
        """The inverse of the cosine."""
        b = self.b
        below, above = self._roots(x)
        half = self._arc_tangent(below.re, above.re)
        return Pair(b.add(half, half), b(graph.AsinhOp, self.mul(self.conjugate(above), below).im))

    def acosh(self, x: Pair) -> Pair:
        """The inverse of the hyperbolic cosine."""
        b = self.b
        one = b.number(1, x.re)
        below, above = self.sqrt(Pair(b.sub(x.re, one), x.im)), self.sqrt(Pair(b.add(x.re, one), x.im))
        half = self._arc_tangent(below.im, above.re)
        return Pair(b(graph.AsinhOp, self.mul(self.conjugate(below), above).re), b.add(half, half))

    def asinh(self, x: Pair) -> Pair:
        """The inverse of the hyperbolic sine, `-i asin(i x)`."""
        return self._turned_back(self.asin(self._turned(x)))

    def atanh(self, x: Pair) -> Pair:
        """The inverse of the hyperbolic tangent."""
        b = self.b
        one, size = b.number(1, x.re), b(graph.AbsOp, x.re)
        far = b.sub(one, size)
        square = b.mul(x.im, x.im)
        ratio = b.div(size, b.mul(b.add(b.mul(far, far), square), b.number(0.25, size)))
        ratio = b.where(b.compare("eq", size, b.number(inf, size)), b.number(0, size), ratio)
        re = b.mul(b(graph.Log1pOp, ratio), b.number(0.25, ratio))
        below = b.sub(b.mul(far, b.add(one, size)), square)
        # Where its square is infinite, any finite number stands for the imaginary part.
        most = float(cast(Any, finfo(to_numpy(element_of(x.im)))).max)
        up = b(graph.MaxOp, b(graph.MinOp, b.add(x.im, x.im), b.number(most, x.im)), b.number(-most, x.im))
        im = b.mul(self._arc_tangent(up, below), b.number(0.5, below))
        return Pair(b.where(is_negative(b, x.re), b(graph.NegOp, re), re), im)

    def atan(self, x: Pair) -> Pair:
        """The inverse of the tangent, `-i atanh(i x)`."""
        return self._turned_back(self.atanh(self._turned(x)))

    def _roots(self, x: Pair) -> tuple[Pair, Pair]:
        """The square roots of `1 - x` and `1 + x`."""
        b = self.b
        one = b.number(1, x.re)
        return self.sqrt(Pair(b.sub(one, x.re), b(graph.NegOp, x.im))), self.sqrt(Pair(b.add(one, x.re), x.im))

    def conjugate(self, x: Pair) -> Pair:
        """With the other sign of the imaginary part."""
        return Pair(x.re, self.b(graph.NegOp, x.im))

    def _turned(self, x: Pair) -> Pair:
        return Pair(self.b(graph.NegOp, x.im), x.re)

    def _turned_back(self, x: Pair) -> Pair:
        return Pair(x.im, self.b(graph.NegOp, x.re))

    def _arc_tangent(self, y: SSAValue, x: SSAValue) -> SSAValue:
        return self.angle(Pair(x, y))

    def logistic(self, x: Pair) -> Pair:
        """`1 / (1 + e^-x)`."""
        b = self.b
        one = self.real(b.number(1, x.re))
        return self.div(one, self.add(one, self.exp(Pair(b(graph.NegOp, x.re), b(graph.NegOp, x.im)))))

    def power(self, x: Pair, y: Pair | SSAValue) -> Pair:
        """`x^y`, the principal value; 0 to a power is 0, but to the power 0."""
        b = self.b
        log = self.log(x)
        exponent = self.mul(log, y) if isinstance(y, Pair) else self.scaled(log, y)
        found = self.exp(exponent)
        zero, one = b.number(0, x.re), b.number(1, x.re)
        is_zero = b(graph.AndOp, b.compare("eq", x.re, zero), b.compare("eq", x.im, zero))
        if isinstance(y, Pair):
            none = b(graph.AndOp, b.compare("eq", y.re, zero), b.compare("eq", y.im, zero))
        else:
            none = b.compare("eq", y, zero)
        re = b.where(is_zero, b.where(none, one, zero), found.re)
        return Pair(re, b.where(is_zero, zero, found.im))

    def atan2(self, y: Pair, x: Pair) -> Pair:
        """`-i log((x + i y) / sqrt(x^2 + y^2))`."""
        b = self.b
        point = self.add(x, Pair(b(graph.NegOp, y.im), y.re))
        size = self.sqrt(self.add(self.mul(x, x), self.mul(y, y)))
        found = self.log(self.div(point, size))
        return Pair(found.im, b(graph.NegOp, found.re))

    def compare(self, direction: str, x: Pair, y: Pair) -> SSAValue:
        """By the real parts first."""
        b = self.b
        if direction in ("eq", "ne"):
            kind = graph.AndOp if direction == "eq" else graph.OrOp
            return b(kind, b.compare(direction, x.re, y.re), b.compare(direction, x.im, y.im))
        strict = "lt" if direction in ("lt", "le") else "gt"
        same = b(graph.AndOp, b.compare("eq", x.re, y.re), b.compare(direction, x.im, y.im))
        return b(graph.OrOp, b.compare(strict, x.re, y.re), same)

    def extreme(self, name: str, x: Pair, y: Pair) -> Pair:
        """`maximum` or `minimum`, by the real parts first."""
        b = self.b
        first = self.compare("gt" if name == "maximum" else "lt", x, y)
        return Pair(b.where(first, x.re, y.re), b.where(first, x.im, y.im))


def spread(b: GraphBuilder, x: Pair, shape: Sequence[int]) -> Pair:
    """Repeated to a shape."""
    return Pair(b.broadcast(x.re, shape), b.broadcast(x.im, shape))


def each_part(number: RealOrPair, function: Callable[[SSAValue], SSAValue]) -> RealOrPair:
    """A function of a tensor, of both parts of a complex number."""
    return Pair(function(number.re), function(number.im)) if isinstance(number, Pair) else function(number)


def number_of(value: RealOrPair) -> list[SSAValue]:
    """The tensors that a number is."""
    return [value.re, value.im] if isinstance(value, Pair) else [value]
