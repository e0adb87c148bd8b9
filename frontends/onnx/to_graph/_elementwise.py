"""Operators that compute element by element."""

from __future__ import annotations

from functools import reduce
from math import inf

import numpy as np
from xdsl.dialects.builtin import f64, i1, i64
from xdsl.ir import Operation, SSAValue

from mlc.dialects import graph, onnx
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.onnx.to_graph._node import Node, axis_of
from mlc.frontends.onnx.to_graph._patterns import PASS, BoundedFromOnnx, FromOnnx, Results
from mlc.frontends.operators.graph_builder import GraphBuilder, is_float
from mlc.pass_manager.lowering import lowers

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


def _ops(*names: str) -> list[type[Operation]]:
    return [onnx.op(name) for name in names]


def _aligned(node: Node, b: GraphBuilder) -> list[SSAValue]:
    """The operands. Before version 7 the second one was aligned at an axis of the first, if the node asked for it."""
    operands = node.operands
    if node.since >= 7 or len(operands) != 2 or not node.flag("broadcast") or node.attribute("axis") is None:
        return operands
    shape = node.shape(1)
    behind = node.rank(0) - axis_of(node.int("axis"), node.rank(0)) - len(shape)
    return [operands[0], b.reshape(operands[1], (*shape, *[1] * behind))]


@lowers(PASS, *_ops(*_SAME))
class Same(BoundedFromOnnx):
    """The graph op of the table."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b(_SAME[node.op.OP_TYPE], *_aligned(node, b))


@lowers(PASS, *_ops(*_COMPARISONS))
class Compare(BoundedFromOnnx):
    """A comparison."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b.compare(_COMPARISONS[node.op.OP_TYPE], *_aligned(node, b))


@lowers(PASS, *_ops(*_FOLDS))
class Fold(BoundedFromOnnx):
    """From the first operand to the last."""

    def rounds_once(self, node: Node) -> bool:
        return node.op.OP_TYPE == "Sum" and len(node.operands) > 2

    def build(self, node: Node, b: GraphBuilder) -> Results:
        op_type = _FOLDS[node.op.OP_TYPE]
        return reduce(lambda x, y: b(op_type, x, y), node.operands[1:], node[0])


@lowers(PASS, onnx.op("Mean"))
class Mean(BoundedFromOnnx):
    """The sum of the operands, divided by their number."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        total = reduce(b.add, node.operands[1:], node[0])
        return b.div(total, b.number(len(node.operands), total))


@lowers(PASS, onnx.op("Mod"))
class Mod(BoundedFromOnnx):
    """The remainder with the sign of the divisor, or with that of the dividend."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b(graph.RemOp if node.flag("fmod") else graph.ModOp, *_aligned(node, b))


@lowers(PASS, onnx.op("BitShift"))
class BitShift(BoundedFromOnnx):
    """To the left, or to the right, where copies of the sign come in."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        to_left = node.one_of("direction", "LEFT", "RIGHT") == "LEFT"
        return b(graph.ShlOp if to_left else graph.ShrOp, *node.operands)


@lowers(PASS, onnx.op("Pow"))
class Pow(BoundedFromOnnx):
    """In the type of the base; an exponent of 2 is a product, and so are other small ones of integers."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        base, exponent = _aligned(node, b)
        known = self.conversion.knowledge.array(exponent)
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


@lowers(PASS, onnx.op("Clip"))
class Clip(BoundedFromOnnx):
    """Bounds are attributes up to version 6, and operands from 11 on."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        if node.since < 11:
            low = b.number(node.float("min"), x) if node.attribute("min") is not None else None
            high = b.number(node.float("max"), x) if node.attribute("max") is not None else None
        else:
            low, high = node.optional(1), node.optional(2)
        x = x if low is None else b(graph.MaxOp, x, low)
        return x if high is None else b(graph.MinOp, x, high)


@lowers(PASS, onnx.op("Reciprocal"))
class Reciprocal(BoundedFromOnnx):
    """`1 / x`."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b.div(b.number(1, node[0]), node[0])


@lowers(PASS, onnx.op("IsNaN"))
class IsNaN(BoundedFromOnnx):
    """What differs from itself."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b.compare("ne", node[0], node[0])


@lowers(PASS, onnx.op("IsInf"))
class IsInf(BoundedFromOnnx):
    """Equal to an infinity that the attributes let count."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        positive, negative = node.flag("detect_positive"), node.flag("detect_negative")
        if positive and negative:
            return b.compare("eq", b(graph.AbsOp, x), b.number(inf, x))
        if positive or negative:
            return b.compare("eq", x, b.number(inf if positive else -inf, x))
        return b.bounded(b.splat(0, shape_of(x), i1), b.knowledge.extents.get(x, {}))


def _leaky(node: Node, b: GraphBuilder, x: SSAValue, slope: SSAValue) -> SSAValue:
    return b.where(b.compare("lt", x, b.number(0, x)), b.mul(slope, x), x)


@lowers(PASS, onnx.op("LeakyRelu"))
class LeakyRelu(BoundedFromOnnx):
    """`alpha x` where `x` is negative."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return _leaky(node, b, node[0], b.number(node.float("alpha", 0.01), node[0]))


@lowers(PASS, onnx.op("PRelu"))
class PRelu(BoundedFromOnnx):
    """The same with slopes that broadcast; up to version 6 one for each channel."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, slope = node[0], node[1]
        if node.since < 7 and node.rank(1) == 1 and node.shape(1) != (1,):
            slope = b.reshape(slope, (*node.shape(1), *[1] * (node.rank() - 2)))
        return _leaky(node, b, x, slope)


@lowers(PASS, onnx.op("ThresholdedRelu"))
class ThresholdedRelu(BoundedFromOnnx):
    """`x` above `alpha`, else 0."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        return b.where(b.compare("gt", x, b.number(node.float("alpha", 1.0), x)), x, b.number(0, x))


@lowers(PASS, onnx.op("HardSigmoid"))
class HardSigmoid(BoundedFromOnnx):
    """`max(0, min(1, alpha x + beta))`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return hard_sigmoid(b, node[0], node.float("alpha", 0.2), node.float("beta", 0.5))


def hard_sigmoid(b: GraphBuilder, x: SSAValue, alpha: float, beta: float) -> SSAValue:
    """`max(0, min(1, alpha x + beta))`."""
    line = b.add(b.mul(x, b.number(alpha, x)), b.number(beta, x))
    return b(graph.MaxOp, b(graph.MinOp, line, b.number(1, x)), b.number(0, x))


@lowers(PASS, onnx.op("HardSwish"))
class HardSwish(BoundedFromOnnx):
    """`x max(0, min(1, x / 6 + 1/2))`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b.mul(node[0], hard_sigmoid(b, node[0], 1 / 6, 0.5))


@lowers(PASS, onnx.op("Softsign"))
class Softsign(BoundedFromOnnx):
    """`x / (1 + |x|)`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        return b.div(x, b.add(b.number(1, x), b(graph.AbsOp, x)))


def softplus(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`log(1 + e^x)`, as `max(x, 0) + log(1 + e^-|x|)`, which never overflows."""
    small = b(graph.ExpOp, b(graph.NegOp, b(graph.AbsOp, x)))
    return b.add(b(graph.ReluOp, x), b(graph.Log1pOp, small))


@lowers(PASS, onnx.op("Softplus"))
class Softplus(BoundedFromOnnx):
    """`log(1 + e^x)`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return softplus(b, node[0])


@lowers(PASS, onnx.op("Mish"))
class Mish(BoundedFromOnnx):
    """`x tanh(softplus(x))`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b.mul(node[0], b(graph.TanhOp, softplus(b, node[0])))


@lowers(PASS, onnx.op("Elu"))
class Elu(BoundedFromOnnx):
    """`alpha (e^x - 1)` where `x` is negative."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        curve = b.mul(b.number(node.float("alpha", 1.0), x), b(graph.ExpM1Op, b(graph.MinOp, x, b.number(0, x))))
        return b.where(b.compare("lt", x, b.number(0, x)), curve, x)


@lowers(PASS, onnx.op("Celu"))
class Celu(BoundedFromOnnx):
    """`max(0, x) + min(0, alpha (e^(x / alpha) - 1))`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        alpha, zero = b.number(node.float("alpha", 1.0), x), b.number(0, x)
        curve = b.mul(alpha, b(graph.ExpM1Op, b.div(b(graph.MinOp, x, zero), alpha)))
        return b.add(b(graph.MaxOp, x, zero), b(graph.MinOp, curve, zero))


@lowers(PASS, onnx.op("Selu"))
class Selu(BoundedFromOnnx):
    """`gamma x`, or `gamma alpha (e^x - 1)` where `x` is not positive."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        alpha = node.float("alpha", 1.67326319217681884765625)
        gamma = node.float("gamma", 1.05070102214813232421875)
        zero = b.number(0, x)
        curve = b.mul(b.number(alpha, x), b(graph.ExpM1Op, b(graph.MinOp, x, zero)))
        return b.mul(b.number(gamma, x), b.where(b.compare("gt", x, zero), x, curve))


@lowers(PASS, onnx.op("Shrink"))
class Shrink(BoundedFromOnnx):
    """`x + bias` below `-lambd`, `x - bias` above `lambd`, else 0."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node[0]
        bias, bound = node.float("bias"), node.float("lambd", 0.5)
        above = b.where(b.compare("gt", x, b.number(bound, x)), b.sub(x, b.number(bias, x)), b.number(0, x))
        return b.where(b.compare("lt", x, b.number(-bound, x)), b.add(x, b.number(bias, x)), above)


@lowers(PASS, onnx.op("Gelu"))
class Gelu(BoundedFromOnnx):
    """Exact, or its approximation by tanh."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b(graph.GeluOp, node[0], node.one_of("approximate", "none", "tanh"))


@lowers(PASS, onnx.op("Swish"))
class Swish(BoundedFromOnnx):
    """`x sigmoid(alpha x)`."""

    ROUNDS_ONCE = True

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, alpha = node[0], node.float("alpha", 1.0)
        if alpha == 1:
            return b(graph.SiluOp, x)
        return b.mul(x, b(graph.SigmoidOp, b.mul(x, b.number(alpha, x))))


@lowers(PASS, onnx.op("Hardmax"))
class Hardmax(FromOnnx):
    """1 at the first largest element along the axis, or along all dims from it on up to version 11; else 0."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x, shape = node[0], node.shape()
        axis = axis_of(node.int("axis", -1 if node.since >= 13 else 1), len(shape))
        flat = x if node.since >= 13 else b.reshape(x, (int(np.prod(shape[:axis])), int(np.prod(shape[axis:]))))
        at = axis if node.since >= 13 else 1
        best = b(graph.ArgMaxOp, flat, at, True)
        extents = [1] * len(shape_of(flat))
        extents[at] = shape_of(flat)[at]
        places = b.constant(np.arange(extents[at]).reshape(extents), i64)
        return b.reshape(b.cast(b.compare("eq", places, best), element_of(x)), shape)


@lowers(PASS, onnx.op("Identity"))
class Identity(BoundedFromOnnx):
    """Its operand."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return node[0]
