"""What self-checking programs expect."""

from __future__ import annotations

import numpy as np
from xdsl.ir import Operation

from mlc.dialects.check import (
    ExpectAlmostEqConstOp,
    ExpectAlmostEqOp,
    ExpectCloseOp,
    ExpectConstantOp,
    ExpectEqConstOp,
    ExpectEqOp,
    ExpectOp,
)
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array, Frame, executes
from mlc.reference.stablehlo.numbers import total_order
from mlc.support.dtypes import is_float
from mlc.support.errors import UserError
from mlc.support.locations import error_at

_NONE: Array = np.zeros((), bool)


class ExpectationError(UserError):
    """An expectation of a program does not hold."""


def _failed(op: Operation, found: Array, needed: Array, wrong: Array) -> ExpectationError:
    at = tuple(int(i[0]) for i in np.nonzero(wrong)) if wrong.ndim else ()
    where = f" at {list(at)}" if at else ""
    error = error_at(
        op, f"found {found[at]}{where}, expected {needed[at]}; {int(wrong.sum())} of {wrong.size} are wrong"
    )
    return ExpectationError(error.words, error.location)


def _require(op: Operation, found: Array, needed: Array, right: Array) -> None:
    if found.shape != needed.shape:
        error = error_at(op, f"found a tensor of shape {list(found.shape)}, expected {list(needed.shape)}")
        raise ExpectationError(error.words, error.location)
    if not np.all(right):
        raise _failed(op, found, needed, ~np.asarray(right))


def _same(a: Array, b: Array) -> Array:
    return (a == b) | ((a != a) & (b != b))


def equal(op: Operation, found: Array, needed: Array) -> None:
    """The same elements; any NaN is any other.

    Raises:
        ExpectationError: they are not.
    """
    _require(op, found, needed, _same(found, needed) if found.shape == needed.shape else _NONE)


def almost_equal(op: Operation, found: Array, needed: Array, tolerance: float) -> None:
    """Elements that differ by less than a tolerance, absolute or relative.

    Raises:
        ExpectationError: they do not.
    """
    if found.shape != needed.shape:
        _require(op, found, needed, _NONE)
    kind = np.complex128 if found.dtype.kind == "c" else np.float64
    a, b = found.astype(kind), needed.astype(kind)
    with np.errstate(all="ignore"):
        near = np.abs(a - b) <= tolerance * np.maximum(1, np.abs(b))
        parts = _same(np.real(a), np.real(b)) & _same(np.imag(a), np.imag(b)) if kind is np.complex128 else _same(a, b)
        near |= parts
    _require(op, found, needed, near)


def close(op: Operation, found: Array, needed: Array, least: int, most: int) -> None:
    """Elements between which there are so many floats; those that are not finite are the same.

    Raises:
        ExpectationError: there are more, or fewer.
    """
    if found.shape != needed.shape or not (is_float(found.dtype) or found.dtype.kind == "c"):
        equal(op, found, needed)
        return
    if found.dtype.kind == "c":
        right = np.ones(found.shape, bool)
        for a, b in ((np.real(found), np.real(needed)), (np.imag(found), np.imag(needed))):
            right &= _is_close(
                np.ascontiguousarray(a).reshape(a.shape), np.ascontiguousarray(b).reshape(b.shape), least, most
            )
    else:
        right = _is_close(np.asarray(found), np.asarray(needed), least, most)
    _require(op, found, needed, right)


def _is_close(a: Array, b: Array, least: int, most: int) -> Array:
    wide_a, wide_b = a.astype(np.float64), b.astype(np.float64)
    one, two = (np.where(w == 0, 0, total_order(x)) for x, w in ((a, wide_a), (b, wide_b)))
    # Negative floats count from -1 on in the total order, and zeros of both signs are one here.
    one, two = (np.where(o < 0, o + 1, o) for o in (one, two))
    with np.errstate(over="ignore"):
        between = np.abs(one - two)
    within = (between >= least) & (between <= most) & (between >= 0)
    finite = np.isfinite(wide_a) & np.isfinite(wide_b)
    return np.where(finite, within, _same(wide_a, wide_b))


@executes(ExpectEqConstOp, ExpectEqOp, ExpectAlmostEqConstOp, ExpectAlmostEqOp, ExpectCloseOp)
def expect(op: ExpectOp, frame: Frame) -> None:
    """One of the ops of the dialect."""
    found = frame[op.operands[0]]
    needed = constant_data(op.value, frame.resources) if isinstance(op, ExpectConstantOp) else frame[op.operands[1]]
    if isinstance(op, ExpectEqConstOp | ExpectEqOp):
        equal(op, found, needed)
    elif isinstance(op, ExpectCloseOp):
        close(op, found, needed, int(op.limit("min_ulp_difference", 0)), int(op.limit("max_ulp_difference", 1)))
    else:
        almost_equal(op, found, needed, op.limit("tolerance", 1e-4))
