"""Arithmetic of complex numbers as torch has it where formulas differ in zeros, infinities and NaN."""

from __future__ import annotations

from math import inf, nan

from xdsl.dialects.builtin import f64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.operators.complex_numbers import Complex, Pair


class TorchComplex(Complex):
    """Quotients are those of NumPy; exponential functions and roots are those of C99, Annex G."""

    def div(self, x: Pair, y: Pair) -> Pair:
        """Scaled by the larger part of `y` (Smith, 1962), but parts over 0 if `y` is 0."""
        b = self.b
        one, zero = b.number(1, y.re), b.number(0, y.re)
        across, up = b(graph.AbsOp, y.re), b(graph.AbsOp, y.im)
        flip = b.compare("lt", across, up)
        ratio = b.div(b.where(flip, y.re, y.im), b.where(flip, y.im, y.re))
        p, q = b.where(flip, ratio, one), b.where(flip, one, ratio)
        is_zero = b.compare("eq", b.add(across, up), zero)
        scale = b.div(one, b.add(b.mul(y.re, p), b.mul(y.im, q)))
        scale = b.where(is_zero, b.number(inf, scale), scale)
        re, im = b.add(b.mul(x.re, p), b.mul(x.im, q)), b.sub(b.mul(x.im, p), b.mul(x.re, q))
        return Pair(b.mul(b.where(is_zero, x.re, re), scale), b.mul(b.where(is_zero, x.im, im), scale))

    def reciprocal(self, x: Pair) -> Pair:
        """1 over a number."""
        return self.div(self.real(self.b.number(1, x.re)), x)

    def exp(self, x: Pair) -> Pair:
        """Real where `x` is; 0 of minus infinity, whatever the angle."""
        b = self.b
        size, zero = b(graph.ExpOp, x.re), b.number(0, x.re)
        no_angle = b.compare("ne", b.sub(x.im, x.im), zero)
        angle = b.where(no_angle, zero, x.im)
        re, im = b.mul(size, b(graph.CosOp, angle)), b.mul(size, b(graph.SinOp, angle))
        im = b.where(b.compare("eq", x.im, zero), x.im, im)
        is_zero = b.compare("eq", size, zero)
        is_limit = b(graph.OrOp, is_zero, b.compare("eq", size, b.number(inf, size)))
        unknown = b.number(nan, size)
        im = b.where(no_angle, b.where(is_zero, zero, unknown), im)
        return Pair(b.where(b(graph.AndOp, no_angle, b(graph.NotOp, is_limit)), unknown, re), im)

    def sqrt(self, x: Pair) -> Pair:
        """Zeros keep the sign of their imaginary part; an infinite imaginary part makes both parts infinite."""
        b = self.b
        found = super().sqrt(x)
        zero, infinite = b.number(0, x.re), b.number(inf, x.re)
        is_zero = b(graph.AndOp, b.compare("eq", x.re, zero), b.compare("eq", x.im, zero))
        is_infinite = b.compare("eq", b(graph.AbsOp, x.im), infinite)
        im = b.where(b(graph.OrOp, is_zero, is_infinite), x.im, found.im)
        return Pair(b.where(is_infinite, infinite, b.where(is_zero, zero, found.re)), im)

    def power(self, x: Pair, y: Pair | SSAValue) -> Pair:
        """`exp(y log(x))`, in f64: what is lost of the logarithm counts as often as the exponent says."""
        b, element = self.b, element_of(x.re)
        log = self.log(Pair(b.cast(x.re, f64), b.cast(x.im, f64)))
        if isinstance(y, Pair):
            found = self.exp(self.mul(log, Pair(b.cast(y.re, f64), b.cast(y.im, f64))))
        else:
            found = self.exp(self.scaled(log, b.cast(y, f64)))
        return Pair(b.cast(found.re, element), b.cast(found.im, element))
