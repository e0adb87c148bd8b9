"""Functions of complex numbers by the names of StableHLO."""

from __future__ import annotations

from collections.abc import Callable

from mlc.frontends.operators.complex_numbers import Complex, Pair
from mlc.frontends.operators.refusal import Unconvertible

UNARY: dict[str, Callable[[Complex, Pair], Pair]] = {
    "acos": Complex.acos,
    "acosh": Complex.acosh,
    "asin": Complex.asin,
    "asinh": Complex.asinh,
    "atan": Complex.atan,
    "atanh": Complex.atanh,
    "cosine": Complex.cos,
    "exponential": Complex.exp,
    "exponential_minus_one": Complex.expm1,
    "log": Complex.log,
    "log_plus_one": Complex.log1p,
    "logistic": Complex.logistic,
    "rsqrt": Complex.rsqrt,
    "sine": Complex.sin,
    "sinh": Complex.sinh,
    "cosh": Complex.cosh,
    "tan": Complex.tan,
    "sqrt": Complex.sqrt,
    "tanh": Complex.tanh,
}
_BINARY: dict[str, Callable[[Complex, Pair, Pair], Pair]] = {
    "add": Complex.add,
    "subtract": Complex.sub,
    "multiply": Complex.mul,
    "divide": Complex.div,
    "power": Complex.power,
}


def binary(c: Complex, name: str, x: Pair, y: Pair) -> Pair:
    """An op of two complex operands, by its name.

    Raises:
        Unconvertible: complex numbers have none of it.
    """
    if name in ("maximum", "minimum"):
        return c.extreme(name, x, y)
    if name not in _BINARY:
        raise Unconvertible(f"complex numbers have no {name}")
    return _BINARY[name](c, x, y)
