"""Operators that compute element by element."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, log

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of
from mlc.frontends.operators import activations
from mlc.frontends.operators.angles import arc_tangent
from mlc.frontends.operators.graph_builder import is_float
from mlc.frontends.torch.to_graph._calls import Call, Results, Scalar, dtypes_integer
from mlc.frontends.torch.to_graph._patterns import converts

elementwise = partial(converts, bounded=True)
"""Decorator of what computes each element from those at its place, however many there are."""
arithmetic = partial(elementwise, sizes=("self", "other", "value", "min", "max"))
"""The same, where a number may be an extent."""
_OF_FLOATS: dict[str, type[graph.GraphOp]] = {
    "acos": graph.AcosOp,
    "acosh": graph.AcoshOp,
    "asin": graph.AsinOp,
    "asinh": graph.AsinhOp,
    "atan": graph.AtanOp,
    "atanh": graph.AtanhOp,
    "cos": graph.CosOp,
    "cosh": graph.CoshOp,
    "erf": graph.ErfOp,
    "exp": graph.ExpOp,
    "expm1": graph.ExpM1Op,
    "log": graph.LogOp,
    "log1p": graph.Log1pOp,
    "rsqrt": graph.RsqrtOp,
    "sigmoid": graph.SigmoidOp,
    "silu": graph.SiluOp,
    "sin": graph.SinOp,
    "sinh": graph.SinhOp,
    "sqrt": graph.SqrtOp,
    "tan": graph.TanOp,
    "tanh": graph.TanhOp,
}
"""Functions of floats, which make floats of integers."""
_ROUNDING: dict[str, type[graph.GraphOp]] = {
    "ceil": graph.CeilOp,
    "floor": graph.FloorOp,
    "round": graph.RoundOp,
    "trunc": graph.TruncOp,
}
"""These leave integers as they are."""
_OF_NUMBERS: dict[str, type[graph.GraphOp]] = {"abs": graph.AbsOp, "neg": graph.NegOp, "_neg_view": graph.NegOp}


def _register(table: dict[str, type[graph.GraphOp]], before: Callable[[Call, SSAValue], SSAValue | None]) -> None:
    """Patterns for a table; `before` makes the operand, or None where the op changes nothing."""
    for name, op_type in table.items():

        def convert(b: Call, self: SSAValue, op_type: type[graph.GraphOp] = op_type) -> Results:
            operand = before(b, self)
            return self if operand is None else b(op_type, operand)

        elementwise(name)(convert)


_register(_OF_FLOATS, lambda b, x: b.to_float(x))
_register(_ROUNDING, lambda b, x: None if isinstance(element_of(x), dtypes_integer()) else x)
_register(_OF_NUMBERS, lambda b, x: None if element_of(x) == i1 else x)


@elementwise("sign", "sgn")
def sign(b: Call, self: SSAValue) -> Results:
    """-1, 0 or 1; 0 of NaN."""
    if element_of(self) == i1:
        return self
    found = b(graph.SignOp, self)
    if not is_float(self):
        return found
    return b.where(b.compare("gt", b(graph.AbsOp, self), b.number(0, self)), found, b.number(0, self))


@elementwise("relu")
def relu(b: Call, self: SSAValue) -> Results:
    """`max(x, 0)`; NaN stays."""
    return b(graph.ReluOp, self)


@elementwise("log2", "log10", "exp2")
def logarithm(b: Call, self: SSAValue) -> Results:
    """`log(x) / log(2)`, `log(x) / log(10)`, or `2^x`."""
    x = b.to_float(self)
    name = b.before.name.removeprefix("aten.")
    if name == "exp2":
        return b(graph.PowOp, b.tensor(2.0, element_of(x)), x)
    return b.scaled(b(graph.LogOp, x), 1 / log(2 if name == "log2" else 10))


@elementwise("reciprocal")
def reciprocal(b: Call, self: SSAValue) -> Results:
    """`1 / x`; integers become floats."""
    x = b.to_float(self)
    return b.div(b.tensor(1.0, element_of(x)), x)


@elementwise("square")
def square(b: Call, self: SSAValue) -> Results:
    """`x * x`."""
    return b.squared(self)


# ---- two operands


@arithmetic("add.Tensor", "add.Scalar")
def add(b: Call, self: SSAValue, other: SSAValue | Scalar, alpha: Scalar) -> Results:
    """`self + alpha other`; of i1 the disjunction."""
    x, y = b.tensor(self), b.scaled(b.tensor(other), alpha)
    return b(graph.OrOp, x, y) if b.element() == i1 else b.add(x, y)


@arithmetic("sub.Tensor", "sub.Scalar")
def sub(b: Call, self: SSAValue, other: SSAValue | Scalar, alpha: Scalar) -> Results:
    """`self - alpha other`."""
    return b.sub(b.tensor(self), b.scaled(b.tensor(other), alpha))


@arithmetic("rsub.Tensor", "rsub.Scalar")
def rsub(b: Call, self: SSAValue, other: SSAValue | Scalar, alpha: Scalar) -> Results:
    """`other - alpha self`."""
    return b.sub(b.tensor(other), b.scaled(b.tensor(self), alpha))


@arithmetic("mul.Tensor", "mul.Scalar")
def mul(b: Call, self: SSAValue, other: SSAValue | Scalar) -> Results:
    """`self * other`; of i1 the conjunction."""
    x, y = b.tensor(self), b.tensor(other)
    return b(graph.AndOp, x, y) if b.element() == i1 else b.mul(x, y)


@arithmetic("div.Tensor", "div.Scalar", "div.Tensor_mode", "div.Scalar_mode", "true_divide.Tensor")
def div(b: Call, self: SSAValue, other: SSAValue | Scalar, rounding_mode: str | None = None) -> Results:
    """The quotient, perhaps rounded towards zero (`trunc`) or downwards (`floor`). An integer by 0 is an error."""
    x, y = b.tensor(self), b.tensor(other)
    if isinstance(b.element(), dtypes_integer()):
        b.require_divisor(y)
        return floor_divided(b, x, y) if rounding_mode == "floor" else b.div(x, y)
    if rounding_mode == "floor":
        return floor_divided(b, x, y)
    quotient = b.div(x, y)
    return b(graph.TruncOp, quotient) if rounding_mode == "trunc" else quotient


@arithmetic("floor_divide", "floor_divide.Scalar")
def floor_divide(b: Call, self: SSAValue, other: SSAValue | Scalar) -> Results:
    """The quotient rounded towards minus infinity. An integer divided by 0 is an error."""
    x, y = b.tensor(self), b.tensor(other)
    b.require_divisor(y)
    return floor_divided(b, x, y)


def floor_divided(b: Call, x: SSAValue, y: SSAValue) -> SSAValue:
    """The quotient rounded towards minus infinity. That of floats is computed from the remainder, as in Python, so that
    a quotient that rounds up to an integer is none."""
    if isinstance(element_of(x), dtypes_integer()):
        quotient, rest = b.div(x, y), b(graph.RemOp, x, y)
        zero = b.number(0, x)
        differs = b(graph.XorOp, b.compare("lt", rest, zero), b.compare("lt", y, zero))
        lower = b(graph.AndOp, b.compare("ne", rest, zero), differs)
        return b.sub(quotient, b.cast(lower, element_of(x)))
    zero = b.number(0, x)
    rest = b(graph.RemOp, x, y)
    quotient = b.div(b.sub(x, rest), y)
    differs = b(graph.XorOp, b.compare("lt", rest, zero), b.compare("lt", y, zero))
    lower = b(graph.AndOp, b.compare("ne", rest, zero), differs)
    quotient = b.where(lower, b.sub(quotient, b.number(1, x)), quotient)
    nearest = b(graph.FloorOp, quotient)
    nearest = b.where(
        b.compare("gt", b.sub(quotient, nearest), b.number(0.5, x)), b.add(nearest, b.number(1, x)), nearest
    )
    plain = b.div(x, y)
    nearest = b.where(b.compare("eq", quotient, zero), b.mul(zero, plain), nearest)
    return b.where(b.compare("eq", y, zero), plain, nearest)


@arithmetic("remainder.Tensor", "remainder.Scalar", "remainder.Scalar_Tensor")
def remainder(b: Call, self: SSAValue | Scalar, other: SSAValue | Scalar) -> Results:
    """What is left of a quotient rounded down; of floats a 0 has the sign of the dividend."""
    x, y = b.tensor(self), b.tensor(other)
    b.require_divisor(y)
    if not is_float(x):
        return b(graph.ModOp, x, y)
    rest, zero = b(graph.RemOp, x, y), b.number(0, x)
    differs = b(graph.XorOp, b.compare("lt", rest, zero), b.compare("lt", y, zero))
    return b.where(b(graph.AndOp, differs, b.compare("ne", rest, zero)), b.add(rest, y), rest)


@elementwise("fmod.Tensor", "fmod.Scalar")
def fmod(b: Call, self: SSAValue, other: SSAValue | Scalar) -> Results:
    """The remainder with the sign of the dividend. An integer divided by 0 is an error."""
    x, y = b.tensor(self), b.tensor(other)
    b.require_divisor(y)
    return b(graph.RemOp, x, y)


@elementwise("maximum")
def maximum(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """The larger one, NaN if either is; of i1 the disjunction."""
    x, y = b.tensor(self), b.tensor(other)
    return b(graph.OrOp, x, y) if b.element() == i1 else b.maximum(x, y)


@elementwise("minimum")
def minimum(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """The smaller one, NaN if either is; of i1 the conjunction."""
    x, y = b.tensor(self), b.tensor(other)
    return b(graph.AndOp, x, y) if b.element() == i1 else b.minimum(x, y)


@elementwise("pow.Tensor_Tensor", "pow.Scalar", "pow.Tensor_Scalar")
def power(b: Call, self: SSAValue | Scalar, exponent: SSAValue | Scalar) -> Results:
    """`self ^ exponent`; exponents of -2 to 3 that are known and simple are products, quotients and roots. Powers of
    integers wrap."""
    if not isinstance(exponent, SSAValue) and isinstance(self, SSAValue):
        x = b.tensor(self)
        simple: dict[Scalar, Callable[[], SSAValue]] = {
            1: lambda: x,
            2: lambda: b.squared(x),
            3: lambda: b.mul(b.squared(x), x),
        }
        if not isinstance(b.element(), dtypes_integer()):
            simple |= {
                0.5: lambda: b(graph.SqrtOp, x),
                -0.5: lambda: b(graph.RsqrtOp, x),
                -1: lambda: b.div(b.number(1, x), x),
                -2: lambda: b.div(b.number(1, x), b.squared(x)),
            }
        if exponent in simple:
            return simple[exponent]()
    return b(graph.PowOp, b.tensor(self), b.tensor(exponent))


@elementwise("atan2")
def atan2(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """The angle of the point `(other, self)`: by quadrants, with the signs of zeros and infinities as in C."""
    return arc_tangent(b, b.tensor(self), b.tensor(other))


@elementwise("logaddexp")
def logaddexp(b: Call, self: SSAValue, other: SSAValue) -> Results:
    """`log(e^x + e^y)`, as `max(x, y) + log(1 + e^-|x - y|)`; equal infinities give themselves."""
    x, y = b.tensor(self), b.tensor(other)
    most = b.maximum(x, y)
    found = b.add(most, b(graph.Log1pOp, b(graph.ExpOp, b.minus(b(graph.AbsOp, b.sub(x, y))))))
    same = b(graph.AndOp, b.compare("eq", x, y), b.compare("eq", b(graph.AbsOp, x), b.number(inf, x)))
    return b.where(same, most, found)


# ---- comparisons and logic

_PREDICATES = ("eq", "ne", "lt", "le", "gt", "ge")


def _compare(predicate: str) -> None:
    @arithmetic(f"{predicate}.Tensor", f"{predicate}.Scalar")
    def compare(b: Call, self: SSAValue, other: SSAValue | Scalar) -> Results:  # pyright: ignore[reportUnusedFunction]
        return b.compare(predicate, *b.promoted(self, other))


for _predicate in _PREDICATES:
    _compare(_predicate)

_LOGIC: dict[str, type[graph.GraphOp]] = {"and": graph.AndOp, "or": graph.OrOp, "xor": graph.XorOp}


def _logic(name: str, op_type: type[graph.GraphOp]) -> None:
    @elementwise(f"bitwise_{name}.Tensor", f"bitwise_{name}.Scalar")
    def bitwise(b: Call, self: SSAValue, other: SSAValue | Scalar) -> Results:  # pyright: ignore[reportUnusedFunction]
        return b(op_type, b.tensor(self), b.tensor(other))

    @elementwise(f"logical_{name}")
    def logical(b: Call, self: SSAValue, other: SSAValue) -> Results:  # pyright: ignore[reportUnusedFunction]
        return b(op_type, b.to_bool(self), b.to_bool(other))


for _name, _op_type in _LOGIC.items():
    _logic(_name, _op_type)


@elementwise("logical_not")
def logical_not(b: Call, self: SSAValue) -> Results:
    """Whether elements are 0 (i1)."""
    return b(graph.NotOp, b.to_bool(self))


@elementwise("bitwise_not")
def bitwise_not(b: Call, self: SSAValue) -> Results:
    """All bits turned; of i1 the negation."""
    return b(graph.NotOp, self)


@elementwise("isnan")
def isnan(b: Call, self: SSAValue) -> Results:
    """Whether elements are NaN (i1)."""
    return b.compare("ne", self, self)


@elementwise("isinf")
def isinf(b: Call, self: SSAValue) -> Results:
    """Whether a float is infinite; false for integers."""
    if isinstance(element_of(self), dtypes_integer()):
        return b.splat(False, b.shape(), i1)
    return b.compare("eq", b(graph.AbsOp, self), b.number(inf, self))


@elementwise("where.self")
def where(b: Call, condition: SSAValue, self: SSAValue, other: SSAValue) -> Results:
    """`self` where the condition is not 0, else `other`."""
    return b.where(b.to_bool(condition), b.tensor(self), b.tensor(other))


@arithmetic("masked_fill.Scalar", "masked_fill.Tensor")
def masked_fill(b: Call, self: SSAValue, mask: SSAValue, value: SSAValue | Scalar) -> Results:
    """`value` where the mask holds, else `self`."""
    return b.where(b.to_bool(mask), b.tensor(value), self)


# ---- activations


@arithmetic("clamp", "clamp.Tensor", "clamp_min", "clamp_max", "clamp_min.Tensor", "clamp_max.Tensor")
def clamp(
    b: Call, self: SSAValue, min: SSAValue | Scalar | None = None, max: SSAValue | Scalar | None = None
) -> Results:
    """NaN wherever it comes from; `max` if that is less than `min`."""
    x = b.tensor(self)
    if min is not None:
        x = b.maximum(x, b.tensor(min))
    return x if max is None else b.minimum(x, b.tensor(max))


@elementwise("hardtanh")
def hardtanh(b: Call, self: SSAValue, min_val: Scalar, max_val: Scalar) -> Results:
    """`min(max(x, min_val), max_val)`; NaN stays."""
    return b.minimum(b.maximum(self, b.tensor(min_val)), b.tensor(max_val))


@elementwise("gelu")
def gelu(b: Call, self: SSAValue, approximate: str) -> Results:
    """`x / 2 (1 + erf(x / sqrt(2)))`, or with `approximate="tanh"` `x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715
    x^3)))`."""
    return b(graph.GeluOp, self, approximate)


@elementwise("leaky_relu")
def leaky_relu(b: Call, self: SSAValue, negative_slope: Scalar) -> Results:
    """`x` where it is positive, else `negative_slope x`."""
    return b.where(b.compare("gt", self, b.number(0, self)), self, b.scaled(self, negative_slope))


@elementwise("elu")
def elu(b: Call, self: SSAValue, alpha: Scalar, scale: Scalar, input_scale: Scalar) -> Results:
    """`scale x`, or `scale alpha (e^(input_scale x) - 1)` where `x` is negative."""
    return activations.elu(b, self, alpha, scale, input_scale)


def _sixth(b: Call, x: SSAValue) -> SSAValue:
    """`min(max(x + 3, 0), 6) / 6`."""
    shifted = b.minimum(b.maximum(b.add(x, b.number(3, x)), b.number(0, x)), b.number(6, x))
    return b.scaled(shifted, 1 / 6)


@elementwise("hardsigmoid")
def hardsigmoid(b: Call, self: SSAValue) -> Results:
    """`min(max(x + 3, 0), 6) / 6`."""
    return _sixth(b, self)


@elementwise("hardswish")
def hardswish(b: Call, self: SSAValue) -> Results:
    """`x min(max(x + 3, 0), 6) / 6`."""
    return b.mul(self, _sixth(b, self))


@elementwise("softplus")
def softplus(b: Call, self: SSAValue, beta: Scalar, threshold: Scalar) -> Results:
    """`log(1 + e^(beta x)) / beta`, and `x` where `beta x` is above the threshold."""
    self = b.widened(self)
    x = b.scaled(self, beta)
    found = activations.softplus(b, x)
    return b.where(b.compare("gt", x, b.tensor(threshold, element_of(x))), self, b.scaled(found, 1 / beta))
