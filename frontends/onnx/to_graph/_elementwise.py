"""Operators that compute element by element."""

from __future__ import annotations

from functools import reduce
from math import inf

import numpy as np
from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._activations import ACTIVATIONS
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.activations import hard_sigmoid, leaky_relu, softplus
from mlc.frontends.operators.graph_builder import is_float

_SAME: dict[str, type[graph.GraphOp]] = {
    **{op.name.removeprefix("graph.").capitalize(): op for op in graph.TRIGONOMETRIC_OPS},
    "Abs": graph.AbsOp,
    "Neg": graph.NegOp,
    "Exp": graph.ExpOp,
    "Log": graph.LogOp,
    "Sqrt": graph.SqrtOp,
    "Tanh": graph.TanhOp,
    "Sigmoid": graph.SigmoidOp,
    "Erf": graph.ErfOp,
    "Floor": graph.FloorOp,
    "Ceil": graph.CeilOp,
    "Round": graph.RoundOp,
    "Sign": graph.SignOp,
    "Relu": graph.ReluOp,
    "Not": graph.NotOp,
    "BitwiseNot": graph.NotOp,
    "Add": graph.AddOp,
    "Sub": graph.SubOp,
    "Mul": graph.MulOp,
    "Div": graph.DivOp,
    "And": graph.AndOp,
    "Or": graph.OrOp,
    "BitwiseAnd": graph.AndOp,
    "BitwiseOr": graph.OrOp,
    "Xor": graph.XorOp,
    "BitwiseXor": graph.XorOp,
    "Where": graph.WhereOp,
}
"""Operators that are graph ops, operand by operand."""
_COMPARISONS = {"Equal": "eq", "Less": "lt", "LessOrEqual": "le", "Greater": "gt", "GreaterOrEqual": "ge"}
_FOLDS: dict[str, type[graph.GraphOp]] = {"Max": graph.MaxOp, "Min": graph.MinOp, "Sum": graph.AddOp}
"""Operators of any number of operands."""


def _aligned(b: Node) -> list[SSAValue]:
    """The operands. Before version 7 the second one was aligned at an axis of the first, if the node asked for it."""
    operands = b.operands
    if b.since >= 7 or len(operands) != 2 or not b.flag("broadcast") or b.attribute("axis") is None:
        return operands
    shape = b.shape(1)
    behind = b.rank(0) - axis_of(b.int("axis"), b.rank(0)) - len(shape)
    return [operands[0], b.reshape(operands[1], (*shape, *[1] * behind))]


@converts(*_SAME, bounded=True)
def same(b: Node) -> Results:
    """The graph op of the table."""
    return b(_SAME[b.op.OP_TYPE], *_aligned(b))


@converts(*_COMPARISONS, bounded=True)
def compare(b: Node) -> Results:
    """A comparison."""
    return b.compare(_COMPARISONS[b.op.OP_TYPE], *_aligned(b))


@converts(*_FOLDS, bounded=True, rounds_once=lambda b: b.op.OP_TYPE == "Sum" and len(b.operands) > 2)
def fold(b: Node) -> Results:
    """From the first operand to the last."""
    op_type = _FOLDS[b.op.OP_TYPE]
    return reduce(lambda x, y: b(op_type, x, y), b.operands[1:], b[0])


@converts("Mean", bounded=True, rounds_once=True)
def mean(b: Node) -> Results:
    """The sum of the operands, divided by their number."""
    total = reduce(b.add, b.operands[1:], b[0])
    return b.div(total, b.number(len(b.operands), total))


@converts("Mod", bounded=True)
def mod(b: Node) -> Results:
    """The remainder with the sign of the divisor, or with that of the dividend."""
    return b(graph.RemOp if b.flag("fmod") else graph.ModOp, *_aligned(b))


@converts("BitShift", bounded=True)
def bit_shift(b: Node) -> Results:
    """To the left, or to the right, where copies of the sign come in."""
    to_left = b.one_of("direction", "LEFT", "RIGHT") == "LEFT"
    return b(graph.ShlOp if to_left else graph.ShrOp, *b.operands)


@converts("Pow", bounded=True, rounds_once=True)
def power(b: Node) -> Results:
    """In the type of the base; an exponent of 2 is a product, and so are other small ones of integers."""
    base, exponent = _aligned(b)
    known = b.knowledge.array(exponent)
    number = float(known.reshape(-1)[0]) if known is not None and known.size == 1 else None
    if number is not None and number in (1, 2, 3) and shape_of(exponent) in ((), (1,)) and shape_of(base):
        return reduce(b.mul, [base] * (int(number) - 1), base)
    if is_float(base):
        return b(graph.PowOp, base, b.cast(exponent, element_of(base)))
    if not is_float(exponent):
        # In 64 bits the exponent stays what it is, and powers that wrap have the same low bits.
        return b.cast(b(graph.PowOp, b.cast(base, i64), b.cast(exponent, i64)), element_of(base))
    # Towards zero, but for what is an integer up to rounding errors.
    power = b(graph.PowOp, b.cast(base, f64), b.cast(exponent, f64))
    whole = b(graph.RoundOp, power)
    error = b(graph.AbsOp, b.sub(power, whole))
    is_whole = b.compare("le", error, b.mul(b(graph.AbsOp, whole), b.number(2.0**-40, power)))
    return b.cast(b.where(is_whole, whole, power), element_of(base))


@converts("Clip", bounded=True)
def clip(b: Node) -> Results:
    """Bounds are attributes up to version 6, and operands from 11 on."""
    x = b[0]
    if b.since < 11:
        low = b.number(b.float("min"), x) if b.attribute("min") is not None else None
        high = b.number(b.float("max"), x) if b.attribute("max") is not None else None
    else:
        low, high = b.optional(1), b.optional(2)
    x = x if low is None else b(graph.MaxOp, x, low)
    return x if high is None else b(graph.MinOp, x, high)


@converts("Reciprocal", bounded=True)
def reciprocal(b: Node) -> Results:
    """`1 / x`."""
    return b.div(b.number(1, b[0]), b[0])


@converts("IsNaN", bounded=True)
def is_na_n(b: Node) -> Results:
    """What differs from itself."""
    return b.compare("ne", b[0], b[0])


@converts("IsInf", bounded=True)
def is_inf(b: Node) -> Results:
    """Equal to an infinity that the attributes let count."""
    x = b[0]
    positive, negative = b.flag("detect_positive"), b.flag("detect_negative")
    if positive and negative:
        return b.compare("eq", b(graph.AbsOp, x), b.number(inf, x))
    if positive or negative:
        return b.compare("eq", x, b.number(inf if positive else -inf, x))
    return b.bounded(b.splat(0, shape_of(x), i1), b.knowledge.extents.get(x, {}))


@converts("LeakyRelu", "ThresholdedRelu", "HardSigmoid", "Elu", "Softsign", "Softplus", bounded=True, rounds_once=True)
def activation(b: Node) -> Results:
    """A function of the table, with `alpha` and `beta` where it has these."""
    function, alpha, beta = ACTIVATIONS[b.op.OP_TYPE.lower()]
    return function(b, b[0], b.float("alpha", alpha or 0), b.float("beta", beta or 0))


@converts("PRelu", bounded=True, rounds_once=True)
def p_relu(b: Node) -> Results:
    """The same with slopes that broadcast; up to version 6 one for each channel."""
    x, slope = b[0], b[1]
    if b.since < 7 and b.rank(1) == 1 and b.shape(1) != (1,):
        slope = b.reshape(slope, (*b.shape(1), *[1] * (b.rank() - 2)))
    return leaky_relu(b, x, slope)


@converts("HardSwish", bounded=True, rounds_once=True)
def hard_swish(b: Node) -> Results:
    """`x max(0, min(1, x / 6 + 1/2))`."""
    return b.mul(b[0], hard_sigmoid(b, b[0], 1 / 6, 0.5))


@converts("Mish", bounded=True, rounds_once=True)
def mish(b: Node) -> Results:
    """`x tanh(softplus(x))`."""
    return b.mul(b[0], b(graph.TanhOp, softplus(b, b[0])))


@converts("Celu", bounded=True, rounds_once=True)
def celu(b: Node) -> Results:
    """`max(0, x) + min(0, alpha (e^(x / alpha) - 1))`."""
    x = b[0]
    alpha, zero = b.number(b.float("alpha", 1.0), x), b.number(0, x)
    curve = b.mul(alpha, b(graph.ExpM1Op, b.div(b(graph.MinOp, x, zero), alpha)))
    return b.add(b(graph.MaxOp, x, zero), b(graph.MinOp, curve, zero))


@converts("Selu", bounded=True, rounds_once=True)
def selu(b: Node) -> Results:
    """`gamma x`, or `gamma alpha (e^x - 1)` where `x` is not positive."""
    x = b[0]
    alpha = b.float("alpha", 1.67326319217681884765625)
    gamma = b.float("gamma", 1.05070102214813232421875)
    zero = b.number(0, x)
    curve = b.mul(b.number(alpha, x), b(graph.ExpM1Op, b(graph.MinOp, x, zero)))
    return b.mul(b.number(gamma, x), b.where(b.compare("gt", x, zero), x, curve))


@converts("Shrink", bounded=True, rounds_once=True)
def shrink(b: Node) -> Results:
    """`x + bias` below `-lambd`, `x - bias` above `lambd`, else 0."""
    x = b[0]
    bias, bound = b.float("bias"), b.float("lambd", 0.5)
    above = b.where(b.compare("gt", x, b.number(bound, x)), b.sub(x, b.number(bias, x)), b.number(0, x))
    return b.where(b.compare("lt", x, b.number(-bound, x)), b.add(x, b.number(bias, x)), above)


@converts("Gelu", bounded=True)
def gelu(b: Node) -> Results:
    """Exact, or its approximation by tanh."""
    return b(graph.GeluOp, b[0], b.one_of("approximate", "none", "tanh"))


@converts("Swish", bounded=True, rounds_once=True)
def swish(b: Node) -> Results:
    """`x sigmoid(alpha x)`."""
    x, alpha = b[0], b.float("alpha", 1.0)
    if alpha == 1:
        return b(graph.SiluOp, x)
    return b.mul(x, b(graph.SigmoidOp, b.mul(x, b.number(alpha, x))))


@converts("Hardmax", bounded=True)
def hardmax(b: Node) -> Results:
    """1 at the first largest element along the axis, or along all dims from it on up to version 11; else 0."""
    x, shape = b[0], b.shape()
    axis = axis_of(b.int("axis", -1 if b.since >= 13 else 1), len(shape))
    flat = x if b.since >= 13 else b.reshape(x, (int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))))
    at = axis if b.since >= 13 else 1
    best = b(graph.ArgMaxOp, flat, at, True)
    extents = [1] * len(shape_of(flat))
    extents[at] = shape_of(flat)[at]
    places = b.constant(np.arange(extents[at]).reshape(extents), i64)
    if at in (known := b.knowledge.extents.get(flat, {})):
        places = b.bounded(b.viewed(places, extents, {}), {at: known[at]})
    return b.reshape(b.cast(b.compare("eq", places, best), element_of(x)), shape)


@converts("Identity", bounded=True)
def identity(b: Node) -> Results:
    """Its operand."""
    return b[0]
