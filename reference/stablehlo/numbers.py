"""Functions of numbers, as StableHLO has them: integers wrap around, floats are rounded once.

Floats of less than 64 bits are computed in double precision. What the specification leaves open has a value here: an
integer divided by 0 has all bits set, and its remainder is the dividend.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlc.reference.execution import Array, rounded
from mlc.support.dtypes import bits_of, is_float, is_stored


def is_complex(dtype: np.dtype[Any]) -> bool:
    """Whether numbers have imaginary parts."""
    return dtype.kind == "c"


def narrow(array: Array, dtype: np.dtype[Any]) -> Array:
    """Results of a computation in double precision as numbers of a dtype, each rounded once."""
    array = np.asarray(array)
    if array.dtype == dtype:
        return array
    return rounded(array, dtype) if is_float(dtype) else array.astype(dtype)


def widely(function: Callable[..., Array], *operands: Array) -> Array:
    """A function of floats or complex numbers, computed in double precision."""
    dtype = np.asarray(operands[0]).dtype
    wide = np.complex128 if is_complex(dtype) else np.float64
    return narrow(function(*(np.asarray(o).astype(wide) for o in operands)), dtype)


def wrapped(array: Array, dtype: np.dtype[Any]) -> Array:
    """Integers of 64 bits as ones of a dtype, which keep the low bits."""
    if not is_stored(dtype):
        return array.astype(dtype)
    bits = bits_of(dtype)
    low = np.asarray(array) & ((1 << bits) - 1)
    is_signed = not dtype.name.startswith("u")
    return np.where(low >= 1 << (bits - 1), low - (1 << bits), low).astype(dtype) if is_signed else low.astype(dtype)


def is_small_integer(dtype: np.dtype[Any]) -> bool:
    """Whether integers have less than 8 bits."""
    return is_stored(dtype) and not is_float(dtype)


def integers(function: Callable[..., Array], *operands: Array) -> Array:
    """A function of integers that wrap around."""
    dtype = operands[0].dtype
    if is_small_integer(dtype):
        return wrapped(function(*(np.asarray(o).astype(np.int64) for o in operands)), dtype)
    return np.asarray(function(*operands)).astype(dtype)


def divide(a: Array, b: Array) -> Array:
    """Integers, towards 0."""
    quotient = np.where(b == 0, a.dtype.type(0), a // np.where(b == 0, a.dtype.type(1), b))
    remainder = a - quotient * b
    quotient = quotient + ((remainder != 0) & ((a < 0) != (b < 0)) & (b != 0)).astype(a.dtype)
    every_bit: Array = np.invert(np.zeros((), a.dtype))
    return np.where(b == 0, every_bit, quotient)


def remainder(a: Array, b: Array) -> Array:
    """What an integer quotient leaves, with the sign of the dividend."""
    return np.where(b == 0, a, a - divide(a, np.where(b == 0, a.dtype.type(1), b)) * b)


def power(a: Array, b: Array) -> Array:
    """Integers; a negative exponent gives 0, but for 1 and -1."""
    result = np.ones(np.broadcast_shapes(a.shape, b.shape), a.dtype)
    base, exponent = np.broadcast_to(a, result.shape).copy(), np.where(b < 0, 0, b).astype(np.uint64)
    while np.any(exponent):
        result = np.where(exponent & 1 == 1, result * base, result)
        base, exponent = base * base, exponent >> np.uint64(1)
    odd = np.where(b % 2 == 1, a, a.dtype.type(1)) if a.dtype.kind == "i" else result
    inverse = np.where(a == 1, a.dtype.type(1), np.where(a + 1 == 0, odd, a.dtype.type(0)))
    return np.where(b < 0, inverse, result)


def shifted(kind: str, a: Array, b: Array) -> Array:
    """Shifts; by a negative number, or by as many bits as there are, all bits go out."""
    bits = bits_of(a.dtype)
    count = b.astype(np.int64) if b.dtype != np.uint64 else np.minimum(b, np.uint64(64)).astype(np.int64)
    out = (count < 0) | (count >= bits)
    count = np.where(out, 0, count)
    unsigned = np.dtype(f"u{max(a.dtype.itemsize, 1)}")
    raw = a.astype(np.int8).view(unsigned) & ((1 << bits) - 1) if is_small_integer(a.dtype) else a.view(unsigned)
    if kind == "left":
        found = np.where(out, unsigned.type(0), raw << count.astype(unsigned))
    elif kind == "logical":
        found = np.where(out, unsigned.type(0), raw >> count.astype(unsigned))
    else:
        signed = a.astype(np.int8) if is_small_integer(a.dtype) else a.view(f"i{a.dtype.itemsize}")
        found = signed >> np.where(out, bits - 1, count).astype(signed.dtype)
        found = found.view(unsigned)
    return (
        wrapped(found.astype(np.int64), a.dtype) if is_small_integer(a.dtype) else found.astype(unsigned).view(a.dtype)
    )


def bits(a: Array) -> Array:
    """Integers as numbers that are not negative, of their bits."""
    width = bits_of(a.dtype)
    unsigned = np.dtype(f"u{a.dtype.itemsize}")
    raw = a.astype(np.int8).view(np.uint8) if is_small_integer(a.dtype) else a.view(unsigned)
    return raw & unsigned.type((1 << width) - 1)


def count_leading_zeros(a: Array) -> Array:
    """How many bits stand before the first 1."""
    raw, left = bits(a).copy(), np.full(a.shape, bits_of(a.dtype), np.int64)
    while np.any(raw):
        left = np.where(raw != 0, left - 1, left)
        raw = raw >> raw.dtype.type(1)
    return left.astype(a.dtype)


def total_order(a: Array) -> Array:
    """Floats as integers in the same order, in which -0 is less than 0 and NaNs are the least or the greatest."""
    width = 8 * a.dtype.itemsize
    raw = np.ascontiguousarray(a).view(f"i{a.dtype.itemsize}").reshape(a.shape).astype(np.int64)
    return np.where(raw < 0, raw ^ ((1 << (width - 1)) - 1 if width < 64 else np.int64((1 << 63) - 1)), raw)


def lexicographic(a: Array, b: Array) -> Array:
    """Whether complex numbers are greater than others, by their real parts first."""
    return (np.real(a) > np.real(b)) | ((np.real(a) == np.real(b)) & (np.imag(a) > np.imag(b)))


def round_half_away(x: Array) -> Array:
    """To the nearest integer, of two that are as near to the one with the greater absolute value."""
    whole = np.trunc(x)
    return whole + np.copysign((np.abs(x - whole) >= 0.5).astype(x.dtype), x)


def sign(x: Array) -> Array:
    """-1, 0 or 1; zeros and NaN stay, and complex numbers keep their direction."""
    if is_complex(x.dtype):
        size = np.abs(x)
        return np.where(size == 0, x.dtype.type(0), x / np.where(size == 0, 1, size))
    return np.where((x == 0) | (x != x), x, np.sign(x))


def logistic(x: Array) -> Array:
    """`1 / (1 + e^-x)`."""
    return 1 / (1 + np.exp(-x))


def atan2(y: Array, x: Array) -> Array:
    """The angle of a point; of complex numbers by the same formula."""
    if not is_complex(y.dtype):
        return np.arctan2(y, x)
    return -1j * np.log((x + 1j * y) / np.sqrt(x * x + y * y))


def cbrt(x: Array) -> Array:
    """The cube root; of complex numbers the principal one."""
    return np.cbrt(x) if not is_complex(x.dtype) else np.where(x == 0, 0, np.exp(np.log(np.where(x == 0, 1, x)) / 3))


def reduced(x: Array, exponent_bits: int, mantissa_bits: int) -> Array:
    """Floats with fewer bits, as in XLA: mantissas are rounded to even, what gets too small is 0, too large inf."""
    from xdsl.dialects.builtin import BFloat16Type, Float16Type, Float32Type, Float64Type

    from mlc.support.dtypes import from_numpy

    kind = from_numpy(x.dtype)
    own = {Float16Type: 10, BFloat16Type: 7, Float32Type: 23, Float64Type: 52}[type(kind)]  # pyright: ignore[reportArgumentType]
    width = 8 * x.dtype.itemsize
    exponents = width - 1 - own
    unsigned = np.dtype(f"u{x.dtype.itemsize}").type
    raw = np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}").reshape(x.shape)
    is_nan = x != x
    if mantissa_bits < own:
        cut = own - mantissa_bits
        last = (raw >> unsigned(cut)) & unsigned(1)
        raw = (raw + last + unsigned((1 << (cut - 1)) - 1)) & unsigned(((1 << width) - 1) ^ ((1 << cut) - 1))
    sign_bit = raw & unsigned(1 << (width - 1))
    if exponent_bits < exponents:
        bias, reduced_bias = (1 << (exponents - 1)) - 1, (1 << (exponent_bits - 1)) - 1
        found = (raw >> unsigned(own)) & unsigned((1 << exponents) - 1)
        infinite = sign_bit | unsigned(((1 << exponents) - 1) << own)
        raw = np.where(found > bias + reduced_bias, infinite, raw)
        raw = np.where(found <= bias - reduced_bias, sign_bit, raw)
    return np.where(is_nan, x, raw.astype(f"u{x.dtype.itemsize}").view(x.dtype))
