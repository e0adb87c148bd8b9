"""Elementwise ops. NumPy broadcasts as the dialect does, wraps integers, and lets NaN win in max and min."""

from __future__ import annotations

from collections.abc import Callable
from math import pi, sqrt

import numpy as np
from xdsl.ir import Operation

from mlc.dialects.graph import binary, elementwise, unary
from mlc.reference.arith import to_integer, truncating_divide
from mlc.reference.execution import Array, evaluates
from mlc.reference.fixed_order import cos, exp, log, power, sin, tanh
from mlc.reference.math import erf, rsqrt
from mlc.support.dtypes import to_numpy


def relu(x: Array) -> Array:
    """`max(x, 0)`."""
    return np.maximum(x, x.dtype.type(0))


def sigmoid(x: Array) -> Array:
    """`1 / (1 + e^-x)`; an overflow of the exponential rightly gives 0."""
    one = x.dtype.type(1)
    return one / (one + exp(-x))


def silu(x: Array) -> Array:
    """`x / (1 + e^-x)`."""
    one = x.dtype.type(1)
    return x / (one + exp(-x))


_UNARY: dict[type[Operation], Callable[[Array], Array]] = {
    unary.NegOp: np.negative,
    unary.AbsOp: np.abs,
    unary.ReluOp: relu,
    unary.ExpOp: exp,
    unary.LogOp: log,
    unary.SqrtOp: np.sqrt,
    unary.RsqrtOp: rsqrt,
    unary.TanhOp: tanh,
    unary.SigmoidOp: sigmoid,
    unary.SiluOp: silu,
    unary.ErfOp: erf,
    unary.FloorOp: np.floor,
    unary.CeilOp: np.ceil,
    unary.SinOp: sin,
    unary.CosOp: cos,
    unary.NotOp: np.invert,
}
_BINARY: dict[type[Operation], Callable[[Array, Array], Array]] = {
    binary.AddOp: np.add,
    binary.SubOp: np.subtract,
    binary.MulOp: np.multiply,
    binary.MaxOp: np.maximum,
    binary.MinOp: np.minimum,
    binary.PowOp: power,
    binary.AndOp: np.bitwise_and,
    binary.OrOp: np.bitwise_or,
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
    return a / b if np.issubdtype(a.dtype, np.floating) else truncating_divide(a, b)


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
    target = np.dtype(to_numpy(op.result.type.element_type))
    if np.issubdtype(x.dtype, np.floating) and np.issubdtype(target, np.integer):
        limits = np.iinfo(target)
        return to_integer(x, int(limits.min), int(limits.max), target)
    return x.astype(target)
