"""Ops of StableHLO that compute element by element."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlc.dialects.stablehlo import HloOp, hlo
from mlc.reference.execution import Array, evaluates
from mlc.reference.stablehlo import numbers
from mlc.reference.stablehlo.numbers import integers, is_complex, lexicographic, narrow, widely
from mlc.support.dtypes import dtype_of, is_float
from mlc.support.types import element_type

_FLOAT_UNARY: dict[str, Callable[[Array], Array]] = {
    "cbrt": numbers.cbrt,
    "ceil": np.ceil,
    "cosine": np.cos,
    "exponential": np.exp,
    "exponential_minus_one": np.expm1,
    "floor": np.floor,
    "log": np.log,
    "log_plus_one": np.log1p,
    "logistic": numbers.logistic,
    "round_nearest_afz": numbers.round_half_away,
    "round_nearest_even": np.rint,
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "sine": np.sin,
    "sqrt": np.sqrt,
    "tan": np.tan,
    "tanh": np.tanh,
}


@evaluates(*map(hlo, _FLOAT_UNARY))
def float_unary(op: HloOp, x: Array) -> Array:
    """In double precision, rounded once."""
    return widely(_FLOAT_UNARY[op.mnemonic()], x)


@evaluates(hlo("negate"))
def negate(op: HloOp, x: Array) -> Array:
    """Integers wrap around."""
    return -x if is_float(x.dtype) or is_complex(x.dtype) else integers(np.negative, x)


@evaluates(hlo("sign"))
def sign(op: HloOp, x: Array) -> Array:
    """Zeros and NaN stay."""
    return widely(numbers.sign, x) if is_float(x.dtype) or is_complex(x.dtype) else integers(np.sign, x)


@evaluates(hlo("abs"))
def absolute(op: HloOp, x: Array) -> Array:
    """Of complex numbers the modulus."""
    if is_complex(x.dtype):
        return np.abs(x.astype(np.complex128)).astype(dtype_of(element_type(op.results[0].type)))
    return np.abs(x) if not numbers.is_small_integer(x.dtype) else integers(np.abs, x)


@evaluates(hlo("not"))
def invert(op: HloOp, x: Array) -> Array:
    """Each bit, or a truth value."""
    return integers(np.invert, x) if x.dtype != np.bool_ else ~x


@evaluates(hlo("popcnt"))
def popcnt(op: HloOp, x: Array) -> Array:
    """How many bits are 1."""
    return np.bitwise_count(numbers.bits(x)).astype(x.dtype)


@evaluates(hlo("count_leading_zeros"))
def count_leading_zeros(op: HloOp, x: Array) -> Array:
    """How many bits stand before the first 1."""
    return numbers.count_leading_zeros(x)


@evaluates(hlo("real"))
def real(op: HloOp, x: Array) -> Array:
    """The real part; a float is its own."""
    return np.real(x)


@evaluates(hlo("imag"))
def imag(op: HloOp, x: Array) -> Array:
    """The imaginary part; that of a float is 0."""
    return np.imag(x) if is_complex(x.dtype) else np.zeros_like(x)


@evaluates(hlo("complex"))
def make_complex(op: HloOp, re: Array, im: Array) -> Array:
    """A complex number of its parts, infinite ones too."""
    found = np.empty(np.broadcast_shapes(re.shape, im.shape), dtype_of(element_type(op.results[0].type)))
    found.real, found.imag = re, im
    return found


@evaluates(hlo("is_finite"))
def is_finite(op: HloOp, x: Array) -> Array:
    """Neither infinite nor NaN."""
    return np.isfinite(x)


def _maximum(a: Array, b: Array) -> Array:
    return np.where(lexicographic(a, b), a, b) if is_complex(a.dtype) else np.maximum(a, b)


def _minimum(a: Array, b: Array) -> Array:
    return np.where(lexicographic(b, a), a, b) if is_complex(a.dtype) else np.minimum(a, b)


_BINARY: dict[str, tuple[Callable[..., Array], Callable[..., Array]]] = {
    "add": (np.add, np.add),
    "subtract": (np.subtract, np.subtract),
    "multiply": (np.multiply, np.multiply),
    "divide": (numbers.divide, np.divide),
    "remainder": (numbers.remainder, np.fmod),
    "power": (numbers.power, np.power),
    "maximum": (np.maximum, _maximum),
    "minimum": (np.minimum, _minimum),
    "atan2": (numbers.atan2, numbers.atan2),
}
"""By name: the function of integers, and that of floats."""
_TRUTH: dict[str, Callable[..., Array]] = {
    "add": np.logical_or,
    "multiply": np.logical_and,
    "maximum": np.logical_or,
    "minimum": np.logical_and,
}


@evaluates(*map(hlo, _BINARY))
def binary(op: HloOp, a: Array, b: Array) -> Array:
    """Sums of truth values are disjunctions, their products conjunctions."""
    return compute(op.mnemonic(), a, b)


def compute(name: str, a: Array, b: Array) -> Array:
    """An op of two operands, by its name."""
    if a.dtype == np.bool_ and name in _TRUTH:
        return _TRUTH[name](a, b)
    of_integers, of_floats = _BINARY[name]
    if a.dtype.kind in "iu" or numbers.is_small_integer(a.dtype):
        return integers(of_integers, a, b)
    if a.dtype == np.complex64 and name in ("add", "subtract"):
        return of_floats(a, b)
    return widely(of_floats, a, b)


_BITWISE: dict[str, Callable[..., Array]] = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}


@evaluates(*map(hlo, _BITWISE))
def bitwise(op: HloOp, a: Array, b: Array) -> Array:
    """Bit by bit."""
    return _BITWISE[op.mnemonic()](a, b) if a.dtype == np.bool_ else integers(_BITWISE[op.mnemonic()], a, b)


_SHIFTS = {"shift_left": "left", "shift_right_logical": "logical", "shift_right_arithmetic": "arithmetic"}


@evaluates(*map(hlo, _SHIFTS))
def shift(op: HloOp, a: Array, b: Array) -> Array:
    """By more bits than there are, all go out."""
    a, b = np.broadcast_arrays(a, b)
    return numbers.shifted(_SHIFTS[op.mnemonic()], np.array(a), b)


_COMPARISONS: dict[str, Callable[..., Array]] = {
    "EQ": np.equal,
    "NE": np.not_equal,
    "LT": np.less,
    "LE": np.less_equal,
    "GT": np.greater,
    "GE": np.greater_equal,
}


@evaluates(hlo("compare"))
def compare(op: HloOp, a: Array, b: Array) -> Array:
    """Complex numbers by their real parts first."""
    return compared(op.word("comparison_direction"), op.word("compare_type"), a, b)


def compared(direction: str, kind: str, a: Array, b: Array) -> Array:
    """A comparison, by the names of its direction and of its type."""
    if kind == "TOTALORDER":
        a, b = numbers.total_order(a), numbers.total_order(b)
    if numbers.is_small_integer(a.dtype):
        a, b = a.astype(np.int64), b.astype(np.int64)
    return _COMPARISONS[direction](a, b)


@evaluates(hlo("select"))
def select(op: HloOp, pred: Array, a: Array, b: Array) -> Array:
    """One of two."""
    return np.where(pred, a, b)


@evaluates(hlo("clamp"))
def clamp(op: HloOp, low: Array, x: Array, high: Array) -> Array:
    """Between two bounds, of which the upper one wins."""
    return compute("minimum", compute("maximum", x, np.broadcast_to(low, x.shape)), np.broadcast_to(high, x.shape))


@evaluates(hlo("convert"))
def convert(op: HloOp, x: Array) -> Array:
    """The same number in another type: floats are truncated to integers, and those out of range are the nearest."""
    return converted(x, dtype_of(element_type(op.results[0].type)))


def converted(x: Array, dtype: np.dtype[Any]) -> Array:
    """Numbers of any type as ones of another."""
    if is_complex(x.dtype) and not is_complex(dtype):
        x = np.real(x)
    if dtype == np.bool_:
        return x.astype(np.float64) != 0 if is_float(x.dtype) else x != 0
    if is_complex(dtype):
        return x.astype(dtype) if is_complex(x.dtype) or not is_float(x.dtype) else x.astype(np.float64).astype(dtype)
    if is_float(dtype):
        return narrow(x.astype(np.float64) if is_float(x.dtype) or x.dtype == np.bool_ else _wide(x), dtype)
    if not is_float(x.dtype):
        return numbers.wrapped(_wide(x), dtype) if x.dtype != dtype else x
    bits = numbers.bits_of(dtype)
    is_signed = dtype.kind == "i" or dtype.name.startswith("int")
    least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if is_signed else (0, (1 << bits) - 1)
    wide = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
    inside = np.where((wide >= most) | (wide <= least), 0, wide)
    whole = inside.astype(np.uint64 if not is_signed else np.int64)
    whole = np.where(
        wide >= most, np.array(most, whole.dtype), np.where(wide <= least, np.array(least, whole.dtype), whole)
    )
    return numbers.wrapped(whole, dtype)


def _wide(x: Array) -> Array:
    """Integers as NumPy computes with them."""
    return x.astype(np.int64) if numbers.is_small_integer(x.dtype) or x.dtype == np.bool_ else x


@evaluates(hlo("reduce_precision"))
def reduce_precision(op: HloOp, x: Array) -> Array:
    """Fewer bits of exponents and mantissas."""
    return numbers.reduced(x, op.number("exponent_bits"), op.number("mantissa_bits"))
