"""Elementwise ops. NumPy broadcasts as the dialect does, wraps integers, and lets NaN win in max and min."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import pi, sqrt

import numpy as np
from xdsl.dialects.builtin import i1
from xdsl.ir import Operation

from mlc.dialects.graph import binary, elementwise, trigonometry, unary
from mlc.reference.arith import remainder, to_integer, truncating_divide
from mlc.reference.execution import Array, evaluates, rounded
from mlc.reference.extremes import maximum, minimum
from mlc.reference.fixed_order import apply, cos, exp, log, power, sin, tanh
from mlc.reference.math import erf, integer_power, rsqrt
from mlc.support.dtypes import is_float, is_stored, least_of, most_of, to_numpy


def relu(x: Array) -> Array:
    """`max(x, 0)`; what is not less than 0 stays: NaN, and -0."""
    return np.where(x < 0, x.dtype.type(0), x)


def sigmoid(x: Array) -> Array:
    """`1 / (1 + e^-x)`; an overflow of the exponential rightly gives 0."""
    one = x.dtype.type(1)
    return one / (one + exp(-x))


def silu(x: Array) -> Array:
    """`x / (1 + e^-x)`."""
    one = x.dtype.type(1)
    return x / (one + exp(-x))


def sign(x: Array) -> Array:
    """1 or -1; zeros and NaN stay."""
    if x.dtype.kind == "u":
        return np.sign(x)
    number = x.dtype.type
    return np.where(x > 0, number(1), np.where(x < 0, number(-1), x))


_UNARY: dict[type[Operation], Callable[[Array], Array]] = {
    unary.NegOp: np.negative,
    unary.AbsOp: np.abs,
    unary.ReluOp: relu,
    unary.ExpOp: exp,
    unary.ExpM1Op: partial(apply, np.expm1),
    unary.LogOp: log,
    unary.Log1pOp: partial(apply, np.log1p),
    unary.SqrtOp: np.sqrt,
    unary.RsqrtOp: rsqrt,
    unary.TanhOp: tanh,
    unary.SigmoidOp: sigmoid,
    unary.SiluOp: silu,
    unary.ErfOp: erf,
    unary.FloorOp: np.floor,
    unary.CeilOp: np.ceil,
    unary.RoundOp: np.rint,
    unary.TruncOp: np.trunc,
    unary.SignOp: sign,
    unary.NotOp: np.invert,
    trigonometry.SinOp: sin,
    trigonometry.CosOp: cos,
    trigonometry.TanOp: partial(apply, np.tan),
    trigonometry.AsinOp: partial(apply, np.arcsin),
    trigonometry.AcosOp: partial(apply, np.arccos),
    trigonometry.AtanOp: partial(apply, np.arctan),
    trigonometry.SinhOp: partial(apply, np.sinh),
    trigonometry.CoshOp: partial(apply, np.cosh),
    trigonometry.AsinhOp: partial(apply, np.arcsinh),
    trigonometry.AcoshOp: partial(apply, np.arccosh),
    trigonometry.AtanhOp: partial(apply, np.arctanh),
}
_BINARY: dict[type[Operation], Callable[[Array, Array], Array]] = {
    binary.AddOp: np.add,
    binary.SubOp: np.subtract,
    binary.MulOp: np.multiply,
    binary.MaxOp: maximum,
    binary.MinOp: minimum,
    binary.AndOp: np.bitwise_and,
    binary.OrOp: np.bitwise_or,
    binary.XorOp: np.bitwise_xor,
}
_COMPARE: dict[str, Callable[[Array, Array], Array]] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}


@evaluates(*_UNARY)
def apply_unary(op: Operation, x: Array) -> Array:
    """The NumPy function that the op names."""
    return _UNARY[type(op)](x)


@evaluates(*_BINARY)
def apply_binary(op: Operation, a: Array, b: Array) -> Array:
    """The NumPy function that the op names."""
    return _BINARY[type(op)](a, b)


@evaluates(binary.DivOp)
def divide(op: binary.DivOp, a: Array, b: Array) -> Array:
    """Of integers, rounded towards zero."""
    return a / b if is_float(a.dtype) else truncating_divide(a, b)


@evaluates(binary.RemOp)
def rem(op: binary.RemOp, a: Array, b: Array) -> Array:
    """Exact, with the sign of `a`."""
    return np.fmod(a, b) if is_float(a.dtype) else remainder(a, b)


@evaluates(binary.ModOp)
def mod(op: binary.ModOp, a: Array, b: Array) -> Array:
    """The remainder, plus `b` if the signs of the two differ; a float has the sign of `b` even if it is 0."""
    r = np.fmod(a, b) if is_float(a.dtype) else remainder(a, b)
    result = np.where((r != 0) & ((r < 0) != (b < 0)), r + b, r)
    return np.copysign(result, b) if is_float(a.dtype) else result


@evaluates(binary.PowOp)
def power_of(op: binary.PowOp, a: Array, b: Array) -> Array:
    """Of integers, products that wrap."""
    return power(a, b) if is_float(a.dtype) else integer_power(a, b)


@evaluates(binary.ShlOp, binary.ShrOp)
def shift(op: binary.ShiftOp, a: Array, places: Array) -> Array:
    """By an unsigned number of places; the width or more shifts every bit out."""
    width = a.dtype.itemsize * 8
    inside = (places >= 0) & (places < width)
    if isinstance(op, binary.ShlOp):
        return np.where(inside, a << np.where(inside, places, 0).astype(a.dtype), 0).astype(a.dtype)
    shifted = a >> np.where(inside, places, width - 1).astype(a.dtype)
    return np.where(inside, shifted, 0).astype(a.dtype) if a.dtype.kind == "u" else shifted


@evaluates(unary.GeluOp)
def gelu(op: unary.GeluOp, x: Array) -> Array:
    """`x Phi(x)`, or its approximation by tanh; constants have the precision of `x`."""
    number = x.dtype.type
    if op.approximate.data == "tanh":
        inner = number(sqrt(2 / pi)) * (x + number(0.044715) * x * x * x)
        return number(0.5) * x * (number(1) + tanh(inner))
    return number(0.5) * x * (number(1) + erf(x * number(sqrt(0.5))))


@evaluates(elementwise.CompareOp)
def compare(op: elementwise.CompareOp, a: Array, b: Array) -> Array:
    """With NaN, only `ne` holds."""
    return _COMPARE[op.predicate.data.value](a, b)


@evaluates(elementwise.WhereOp)
def where(op: elementwise.WhereOp, condition: Array, on_true: Array, on_false: Array) -> Array:
    """Selects element by element."""
    return np.where(condition, on_true, on_false)


@evaluates(elementwise.CastOp)
def cast(op: elementwise.CastOp, x: Array) -> Array:
    """To `i1` by `x != 0` (so NaN is true); float to integer towards zero, within its range; else the nearest value."""
    element = op.result.type.element_type
    target = np.dtype(to_numpy(element))
    if is_stored(x.dtype):
        x = x.astype(np.float32 if is_float(x.dtype) else np.int8)
    if is_float(x.dtype) and element != i1 and not is_float(target):
        least, most = int(least_of(element)), int(most_of(element))
        return to_integer(x, least, most, np.dtype(np.int64) if is_stored(target) else target).astype(target)
    return rounded(x, target)


@evaluates(elementwise.BitcastOp)
def bitcast(op: elementwise.BitcastOp, x: Array) -> Array:
    """The same bits as another type."""
    return np.ascontiguousarray(x).view(to_numpy(op.result.type.element_type)).reshape(x.shape)
