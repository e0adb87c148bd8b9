"""The math dialect, on arrays as on scalars, in the precision of the operands."""

from __future__ import annotations

import math as scalar_math
from collections.abc import Callable

import numpy as np
from xdsl.dialects import math
from xdsl.ir import Operation

from mlc.dialects.llvm.intrinsics import LimitOp, ReciprocalOp, ScaleOp
from mlc.reference.execution import Array, evaluates

_libm_erf = np.frompyfunc(scalar_math.erf, 1, 1)


def erf(x: Array) -> Array:
    """The error function: the C library's in double precision (below 1 ulp), rounded to the operand's type."""
    return np.asarray(_libm_erf(x.astype(np.float64)), np.float64).astype(x.dtype)


def rsqrt(x: Array) -> Array:
    """`1 / sqrt(x)`, rounded twice."""
    return np.reciprocal(np.sqrt(x))


def _round_half_away(x: Array) -> Array:
    whole = np.trunc(x)
    return whole + np.copysign((np.abs(x - whole) >= 0.5).astype(x.dtype), x)


_FUNCTIONS: dict[type[Operation], Callable[..., Array]] = {
    math.AbsFOp: np.abs,
    math.AbsIOp: np.abs,
    math.AcosOp: np.arccos,
    math.AcoshOp: np.arccosh,
    math.AsinOp: np.arcsin,
    math.AsinhOp: np.arcsinh,
    math.Atan2Op: np.arctan2,
    math.AtanOp: np.arctan,
    math.AtanhOp: np.arctanh,
    math.CbrtOp: np.cbrt,
    math.CeilOp: np.ceil,
    math.CopySignOp: np.copysign,
    math.CosOp: np.cos,
    math.CoshOp: np.cosh,
    math.ErfOp: erf,
    math.Exp2Op: np.exp2,
    math.ExpM1Op: np.expm1,
    math.ExpOp: np.exp,
    math.FloorOp: np.floor,
    math.Log10Op: np.log10,
    math.Log1pOp: np.log1p,
    math.Log2Op: np.log2,
    math.LogOp: np.log,
    math.PowFOp: np.power,
    math.RoundEvenOp: np.rint,
    math.RoundOp: _round_half_away,
    math.RsqrtOp: rsqrt,
    math.SinOp: np.sin,
    math.SinhOp: np.sinh,
    math.SqrtOp: np.sqrt,
    math.TanOp: np.tan,
    math.TanhOp: np.tanh,
    math.TruncOp: np.trunc,
}


@evaluates(*_FUNCTIONS)
def elementwise(op: Operation, *operands: Array) -> Array:
    """The function of the same name."""
    return _FUNCTIONS[type(op)](*operands)


def fused_multiply_add(a: Array, b: Array, c: Array) -> Array:
    """`a * b + c` rounded once: products of f32 are exact in f64. In f64 it is rounded twice."""
    if a.dtype == np.float32:
        return (a.astype(np.float64) * b + c).astype(np.float32)
    return a * b + c


@evaluates(math.FmaOp)
def fma(op: math.FmaOp, a: Array, b: Array, c: Array) -> Array:
    """See `fused_multiply_add`."""
    return fused_multiply_add(a, b, c)


@evaluates(math.FPowIOp)
def power_of_integer(op: math.FPowIOp, base: Array, exponent: Array) -> Array:
    """A float to an integer power."""
    return np.power(base, exponent.astype(base.dtype))


def integer_power(base: Array, exponent: Array) -> Array:
    """Products that wrap, by squaring; of a negative exponent 0, unless the base is 1 or -1."""
    with np.errstate(all="ignore"):
        base, exponent = np.broadcast_arrays(base, exponent)
        result, square, rest = np.ones_like(base), base, exponent
        while (rest > 0).any():
            result = np.where((rest > 0) & (rest & 1 == 1), result * square, result)
            square, rest = square * square, rest >> 1
        of_one = np.where((base == 1) | (exponent & 1 == 0), 1, -1).astype(base.dtype)
        return np.where(exponent >= 0, result, np.where((base == 1) | (base == -1), of_one, 0)).astype(base.dtype)


@evaluates(math.IPowIOp)
def power_of_integers(op: math.IPowIOp, base: Array, exponent: Array) -> Array:
    """See `integer_power`."""
    return integer_power(base, exponent)


@evaluates(ScaleOp)
def scale(op: ScaleOp, value: Array, exponent: Array) -> Array:
    """A float times a power of two; the limits are beyond any float's exponents."""
    power = np.floor(np.nan_to_num(exponent, nan=0.0)).clip(-5000, 5000).astype(np.int32)
    return np.where(np.isnan(exponent), exponent, np.ldexp(value, power)).astype(value.dtype)


@evaluates(ReciprocalOp)
def reciprocal(op: ReciprocalOp, value: Array) -> Array:
    """The nearest number; the instruction has fewer bits."""
    with np.errstate(all="ignore"):
        return (1 / value).astype(value.dtype)


@evaluates(LimitOp)
def limit(op: LimitOp, value: Array, limit: Array) -> Array:
    """As near to 0 as the limit, which NaN becomes."""
    return np.copysign(np.fmin(np.abs(value), limit), value)
