"""The ops of CHLO."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlc.dialects.chlo import Chlo as _loaded
from mlc.dialects.stablehlo import HloOp, hlo
from mlc.reference.constants import constant_data
from mlc.reference.execution import Array, evaluates
from mlc.reference.stablehlo import elementwise, numbers, special
from mlc.reference.stablehlo.numbers import integers, is_complex, widely
from mlc.support.resources import Resources
from mlc.support.types import tensor_type

assert _loaded.name == "chlo"


def _square(x: Array) -> Array:
    return x * x


_UNARY: dict[str, Callable[[Array], Array]] = {
    "acos": np.arccos,
    "acosh": np.arccosh,
    "asin": np.arcsin,
    "asinh": np.arcsinh,
    "atan": np.arctan,
    "atanh": np.arctanh,
    "bessel_i1e": special.bessel_i1e,
    "conj": np.conj,
    "cosh": np.cosh,
    "sinh": np.sinh,
    "tan": np.tan,
    "digamma": special.digamma,
    "erf": special.erf,
    "erf_inv": special.erf_inv,
    "erfc": special.erfc,
    "lgamma": special.lgamma,
}


@evaluates(*(hlo(name, "chlo") for name in _UNARY))
def unary(op: HloOp, x: Array) -> Array:
    """In double precision, rounded once."""
    return widely(_UNARY[op.mnemonic()], x)


@evaluates(hlo("square", "chlo"))
def square(op: HloOp, x: Array) -> Array:
    """Times itself."""
    return integers(_square, x) if x.dtype.kind in "iu" else widely(_square, x)


_TESTS: dict[str, Callable[[Array], Array]] = {"is_inf": np.isinf, "is_neg_inf": np.isneginf, "is_pos_inf": np.isposinf}


@evaluates(*(hlo(name, "chlo") for name in _TESTS))
def test(op: HloOp, x: Array) -> Array:
    """Whether a float is infinite."""
    return _TESTS[op.mnemonic()](x.astype(np.float64))


def next_after(x: Array, y: Array) -> Array:
    """The float next to `x` in the direction of `y`."""
    if x.dtype.kind == "f":
        return np.nextafter(x, y)
    raw = x.view(np.uint16).astype(np.int32)
    ordered = np.where(raw >= 0x8000, 0x8000 - raw, raw)
    wide = x.astype(np.float32), y.astype(np.float32)
    ordered = ordered + np.where(wide[0] < wide[1], 1, -1)
    moved = np.where(ordered < 0, 0x8000 - ordered, ordered).astype(np.uint16).view(x.dtype)
    moved = np.where((ordered == 0) & np.signbit(wide[0]), np.uint16(0x8000).view(x.dtype), moved)
    moved = np.where(wide[0] == wide[1], y, moved)
    return np.where(np.isnan(wide[0]) | np.isnan(wide[1]), np.asarray(np.nan, x.dtype), moved)


_BINARY: dict[str, Callable[[Array, Array], Array]] = {
    "next_after": next_after,
    "polygamma": lambda n, x: widely(special.polygamma, n, x),
    "zeta": lambda x, q: widely(special.zeta, x, q),
    "mulhi": lambda a, b: _high_product(a, b),
}


def _high_product(a: Array, b: Array) -> Array:
    bits = 8 * a.dtype.itemsize
    return ((a.astype(object) * b.astype(object)) >> bits).astype(a.dtype)


@evaluates(*(hlo(name, "chlo") for name in _BINARY))
def binary(op: HloOp, a: Array, b: Array) -> Array:
    """Functions of two floats."""
    return _BINARY[op.mnemonic()](a, b)


def _aligned(op: HloOp, a: Array, b: Array) -> tuple[Array, Array]:
    """Operands with as many dims, those of the shorter one where the op says."""
    dims, shape = op.ints("broadcast_dimensions"), tensor_type(op.results[0]).get_shape()
    if dims and a.ndim != b.ndim:
        wide = [1] * max(a.ndim, b.ndim)
        short = a if a.ndim < b.ndim else b
        for d, n in zip(dims, short.shape, strict=True):
            wide[d] = n
        short = short.reshape(wide)
        a, b = (short, b) if a.ndim < b.ndim else (a, short)
    common = np.broadcast_shapes(a.shape, b.shape) if -1 in shape else tuple(shape)
    return np.broadcast_to(a, common), np.broadcast_to(b, common)


_ARITHMETIC = ("add", "atan2", "divide", "maximum", "minimum", "multiply", "power", "remainder", "subtract")


@evaluates(*(hlo(f"broadcast_{name}", "chlo") for name in _ARITHMETIC))
def broadcast_arithmetic(op: HloOp, a: Array, b: Array) -> Array:
    """The op of StableHLO, after broadcasting."""
    return elementwise.compute(op.mnemonic().removeprefix("broadcast_"), *_aligned(op, a, b))


@evaluates(*(hlo(f"broadcast_{name}", "chlo") for name in ("and", "or", "xor")))
def broadcast_bitwise(op: HloOp, a: Array, b: Array) -> Array:
    """Bit by bit, after broadcasting."""
    function = {"and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor}[op.mnemonic()[10:]]
    a, b = _aligned(op, a, b)
    return function(a, b) if a.dtype == np.bool_ else integers(function, a, b)


@evaluates(*(hlo(f"broadcast_shift_{n}", "chlo") for n in ("left", "right_arithmetic", "right_logical")))
def broadcast_shift(op: HloOp, a: Array, b: Array) -> Array:
    """A shift, after broadcasting."""
    a, b = _aligned(op, a, b)
    return numbers.shifted(op.mnemonic().rpartition("_")[2], np.array(a), b)


@evaluates(*(hlo(f"broadcast_{name}", "chlo") for name in ("next_after", "polygamma", "zeta")))
def broadcast_special(op: HloOp, a: Array, b: Array) -> Array:
    """A function of two floats, after broadcasting."""
    return _BINARY[op.mnemonic().removeprefix("broadcast_")](*_aligned(op, a, b))


@evaluates(hlo("broadcast_complex", "chlo"))
def broadcast_complex(op: HloOp, a: Array, b: Array) -> Array:
    """A complex number of its parts, after broadcasting."""
    return elementwise.make_complex(op, *_aligned(op, a, b))


@evaluates(hlo("broadcast_compare", "chlo"))
def broadcast_compare(op: HloOp, a: Array, b: Array) -> Array:
    """A comparison, after broadcasting."""
    return elementwise.compared(op.word("comparison_direction"), op.word("compare_type"), *_aligned(op, a, b))


@evaluates(hlo("broadcast_select", "chlo"))
def broadcast_select(op: HloOp, pred: Array, a: Array, b: Array) -> Array:
    """One of two, after broadcasting."""
    return np.where(pred, a, b)


@evaluates(hlo("constant_like", "chlo"))
def constant_like(op: HloOp, x: Array) -> Array:
    """A number in each place of another tensor."""
    number = constant_data(op.properties["value"], Resources())
    return np.broadcast_to(number, x.shape)


@evaluates(hlo("top_k", "chlo"))
def top_k(op: HloOp, x: Array) -> Sequence[Array]:
    """The greatest elements of each row and where they stand; of equal ones the first. NaN is the greatest."""
    k = op.number("k")
    if is_complex(x.dtype):
        key: Array = np.real(x)
    elif x.dtype.kind in "iub":
        key = x.astype(np.uint64) if x.dtype == np.uint64 else x.astype(np.int64)
        key = ~key
    else:
        key = -numbers.total_order(x)
    order = np.argsort(key, axis=-1, kind="stable")[..., :k]
    kind = tensor_type(op.results[1])
    return [np.take_along_axis(x, order, -1), elementwise.converted(order, elementwise.dtype_of(kind.element_type))]
