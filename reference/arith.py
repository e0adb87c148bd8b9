"""The arith dialect, on arrays as on scalars.

Integers wrap around and are signed unless the op says otherwise; `i1` is NumPy's bool, whose one bit counts as -1 in
signed ops. What upstream leaves undefined has a value here: `x / 0` is 0 and `x rem 0` is `x`, the quotient that does
not fit wraps, a shift by the width or more shifts every bit out, a float out of range becomes the nearest integer that
there is, and NaN becomes 0.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from xdsl.dialects import arith
from xdsl.ir import Operation

from mlc.dialects.arith import (
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    FPToUIOp,
    IndexCastOp,
    IndexCastUIOp,
    RemFOp,
    SelectOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array, Frame, evaluates, executes, rank_of, rounded
from mlc.reference.extremes import maximum, minimum
from mlc.support.dtypes import to_numpy
from mlc.support.types import element_type, integer_width


def truncating_divide(a: Array, b: Array) -> Array:
    """Integer quotient, rounded towards zero."""
    quotient = a // b
    inexact = (a - quotient * b != 0) & (b != 0)
    return quotient + (inexact & ((a < 0) != (b < 0)))


def remainder(a: Array, b: Array) -> Array:
    """What an integer quotient leaves, with the sign of `a`; `a` where `b` is 0."""
    return a - truncating_divide(a, b) * b


def _remainder_unsigned(a: Array, b: Array) -> Array:
    return np.where(b == 0, a, np.remainder(a, b))


def _ceiling_divide(a: Array, b: Array) -> Array:
    quotient = a // b
    return quotient + ((a - quotient * b != 0) & (b != 0))


def as_unsigned(a: Array) -> Array:
    """The same bits as unsigned integers."""
    return a.astype(f"u{a.dtype.itemsize}")


_INTEGER: dict[type[Operation], Callable[[Array, Array], Array]] = {
    arith.AddiOp: np.add,
    arith.SubiOp: np.subtract,
    arith.MuliOp: np.multiply,
    arith.DivSIOp: truncating_divide,
    arith.FloorDivSIOp: np.floor_divide,
    arith.CeilDivSIOp: _ceiling_divide,
    arith.RemSIOp: remainder,
    arith.MinSIOp: np.minimum,
    arith.MaxSIOp: np.maximum,
    arith.AndIOp: np.bitwise_and,
    arith.OrIOp: np.bitwise_or,
    arith.XOrIOp: np.bitwise_xor,
    arith.ShLIOp: np.left_shift,
    arith.ShRSIOp: np.right_shift,
}
_UNSIGNED: dict[type[Operation], Callable[[Array, Array], Array]] = {
    arith.DivUIOp: np.floor_divide,
    arith.CeilDivUIOp: _ceiling_divide,
    arith.RemUIOp: _remainder_unsigned,
    arith.MinUIOp: np.minimum,
    arith.MaxUIOp: np.maximum,
    arith.ShRUIOp: np.right_shift,
}
_FLOAT: dict[type[Operation], Callable[[Array, Array], Array]] = {
    arith.AddfOp: np.add,
    arith.SubfOp: np.subtract,
    arith.MulfOp: np.multiply,
    arith.DivfOp: np.divide,
    RemFOp: np.fmod,
    arith.MaximumfOp: maximum,  # NaN wins
    arith.MinimumfOp: minimum,
    arith.MaxnumfOp: np.fmax,  # NaN loses
    arith.MinnumfOp: np.fmin,
}


@evaluates(*_INTEGER, *_UNSIGNED)
def integer_binary(op: Operation, a: Array, b: Array) -> Array:
    """Signed or unsigned, as the op says; `i1` is computed in 8 bits and cut."""
    if a.dtype == np.bool_:
        wide = integer_binary(op, _as_signed_byte(a), _as_signed_byte(b))
        return (wide & 1).astype(np.bool_)
    if type(op) in _UNSIGNED:
        return _UNSIGNED[type(op)](as_unsigned(a), as_unsigned(b)).astype(a.dtype)
    return _INTEGER[type(op)](a, b)


def _as_signed_byte(a: Array) -> Array:
    return -a.astype(np.int8)


@evaluates(*_FLOAT)
def float_binary(op: Operation, a: Array, b: Array) -> Array:
    """In the precision of the operands."""
    return _FLOAT[type(op)](a, b)


@evaluates(arith.NegfOp)
def negate(op: arith.NegfOp, a: Array) -> Array:
    """Flips the sign bit."""
    return np.negative(a)


@evaluates(SelectOp)
def select(op: SelectOp, condition: Array, on_true: Array, on_false: Array) -> Array:
    """A scalar condition selects whole vectors: their axes come after its lane axes."""
    own = rank_of(op.result.type) - rank_of(op.cond.type)
    if own and condition.ndim:
        condition = np.reshape(condition, condition.shape + (1,) * own)
    return np.where(condition, on_true, on_false)


_COMPARE = {
    "eq": np.equal,
    "ne": np.not_equal,
    "lt": np.less,
    "le": np.less_equal,
    "gt": np.greater,
    "ge": np.greater_equal,
}
_CMPI = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
_CMPF = ("false", "oeq", "ogt", "oge", "olt", "ole", "one", "ord")
_CMPF_UNORDERED = ("ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true")


@evaluates(CmpiOp)
def compare_integers(op: CmpiOp, a: Array, b: Array) -> Array:
    """`i1` counts as -1 in signed predicates."""
    name = _CMPI[op.predicate.value.data]
    if a.dtype == np.bool_:
        a, b = _as_signed_byte(a), _as_signed_byte(b)
    if name.startswith("u"):
        a, b = as_unsigned(a), as_unsigned(b)
    return _COMPARE[name[-2:]](a, b)


@evaluates(CmpfOp)
def compare_floats(op: CmpfOp, a: Array, b: Array) -> Array:
    """Ordered predicates are false, and unordered ones true, if an operand is NaN."""
    name = (*_CMPF, *_CMPF_UNORDERED)[op.predicate.value.data]
    nan = np.isnan(a) | np.isnan(b)
    if name in ("false", "true"):
        return np.full(nan.shape, name == "true")
    if name in ("ord", "uno"):
        return ~nan if name == "ord" else nan
    holds = _COMPARE[name[1:]](a, b)
    return holds & ~nan if name[0] == "o" else holds | nan


def to_integer(a: Array, least: int, most: int, dtype: np.dtype[Any]) -> Array:
    """Floats towards zero, as integers from `least` to `most`: the nearest of them, and 0 for NaN."""
    whole = np.trunc(np.where(np.isnan(a), 0, a)).astype(np.float64)
    # `most + 1` is a power of two, which a float can be; `most` may lie between two of them.
    inside = (whole >= least) & (whole < float(most + 1))
    number = np.where(inside, whole, 0).astype(np.uint64 if most >= 1 << 63 else np.int64)
    # Where they are stored in as many bits, unsigned numbers become the signed ones with the same bits.
    outside: Array = np.array([least, most], number.dtype)[np.asarray(whole >= least, np.intp)]
    return np.where(inside, number, outside).astype(dtype)


@evaluates(FPToSIOp, FPToUIOp)
def float_to_integer(op: FPToSIOp | FPToUIOp, a: Array) -> Array:
    """The nearest integer that the type has, of those towards zero; NaN is 0."""
    kind = element_type(op.result.type)
    width = integer_width(kind)
    assert width is not None
    least, most = (-1 << (width - 1), (1 << (width - 1)) - 1) if isinstance(op, FPToSIOp) else (0, (1 << width) - 1)
    return to_integer(a, least, most, np.dtype(to_numpy(kind)))


@evaluates(IndexCastOp, SIToFPOp, arith.ExtFOp, arith.TruncFOp)
def convert(op: Operation, a: Array) -> Array:
    """To the nearest value; a signed `i1` is -1."""
    if a.dtype == np.bool_:
        a = _as_signed_byte(a)
    return rounded(a, to_numpy(element_type(op.results[0].type)))


@evaluates(ExtSIOp, TruncIOp)
def resize_integer(op: Operation, a: Array) -> Array:
    """Extends with the sign, or keeps the low bits."""
    target = to_numpy(element_type(op.results[0].type))
    if target == np.bool_:
        return (a & 1).astype(np.bool_)
    return (_as_signed_byte(a) if a.dtype == np.bool_ else a).astype(target)


@evaluates(IndexCastUIOp)
def index_cast_unsigned(op: IndexCastUIOp, a: Array) -> Array:
    """Extends with zeros, or keeps the low bits."""
    target = to_numpy(element_type(op.result.type))
    bits = a if a.dtype == np.bool_ else as_unsigned(a)
    return ((bits & 1) if target == np.bool_ else bits).astype(target)


@evaluates(ExtUIOp, UIToFPOp)
def convert_unsigned(op: Operation, a: Array) -> Array:
    """The operand's bits are an unsigned number."""
    bits = a if a.dtype == np.bool_ else as_unsigned(a)
    return bits.astype(to_numpy(element_type(op.results[0].type)))


@evaluates(arith.BitcastOp)
def bitcast(op: arith.BitcastOp, a: Array) -> Array:
    """The same bits as another type."""
    return cast(Any, a).view(to_numpy(element_type(op.result.type)))


@executes(arith.ConstantOp)
def constant(op: arith.ConstantOp, frame: Frame) -> None:
    """Scalars, splats, dense data and resources."""
    frame[op.result] = constant_data(op.value, frame.resources)
