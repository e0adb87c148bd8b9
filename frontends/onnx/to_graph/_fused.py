"""Operators that ONNX Runtime's optimiser makes of several: products and convolutions with what follows them."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._activations import activations
from mlc.frontends.onnx.to_graph._layouts import channels_first, channels_last
from mlc.frontends.onnx.to_graph._matmul import gemm
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._windows import convolution
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.products import numpy_product
from mlc.frontends.operators.refusal import Unconvertible


@converts(
    "FusedMatMul", "TransposeMatMul", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=lambda b: b.float("alpha") != 1
)
def fused_mat_mul(b: Node) -> Results:
    """`alpha A B`, either factor transposed, or with its first dim after those that count matrices."""
    lhs, rhs = (_factor(b, index, letter) for index, letter in enumerate("AB"))
    return b.scaled(numpy_product(b, lhs, rhs), b.float("alpha"))


def _factor(b: Node, index: int, letter: str) -> SSAValue:
    rank = b.rank(index)
    order = list(range(rank))
    if b.flag(f"transBatch{letter}") and rank > 2:
        order = [*order[1:-1], 0, order[-1]]
    if b.flag(f"trans{letter}") and rank > 1:
        order[-2:] = order[:-3:-1]
    return b.transpose(b[index], order)


@converts("FusedGemm", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def fused_gemm(b: Node) -> Results:
    """`f(alpha A B + beta C)`."""
    b.require_rank(0, 2)
    b.require_rank(1, 2)
    numbers = [b.float(f"activation_{name}") for name in ("alpha", "beta") if f"activation_{name}" in b.op.attributes]
    total = gemm(b)
    assert isinstance(total, SSAValue)
    return _activated(b, total, numbers)


@converts("FusedConv", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def fused_conv(b: Node) -> Results:
    """`f(convolution + Z)`."""
    return _fused_conv(b, b[0], b.optional(3))


@converts("NhwcConv", "NhwcFusedConv", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def nhwc_conv(b: Node) -> Results:
    """The same of images with channels last; weights are as those of `Conv`."""
    other = None if (z := b.optional(3)) is None else channels_first(b, z)
    return channels_last(b, _fused_conv(b, channels_first(b, b[0]), other))


def _fused_conv(b: Node, x: SSAValue, other: SSAValue | None) -> SSAValue:
    b.require_rank(0, 3, 4, 5)
    b.require_rank(1, b.rank())
    b.require_rank(2, 1)
    result = convolution(b, x, b[1], b.optional(2))
    return _activated(b, result if other is None else b.add(result, other), b.list("activation_params"))


def _activated(b: Node, x: SSAValue, numbers: Sequence[float]) -> SSAValue:
    """The activation that a node names, with its numbers, of a value."""
    name = b.string("activation")
    if not name:
        return x
    if name == "Clip":
        if len(numbers) != 2:
            raise Unconvertible(f"activation 'Clip' has numbers {list(numbers)}; required: the least and the largest")
        return b.minimum(b.maximum(x, b.number(numbers[0], x)), b.number(numbers[1], x))
    if name == "HardSwish":
        return b.mul(x, activations(["hardsigmoid"], [1 / 6], [0.5], None)[0](b, x))
    (function,) = activations([name], numbers[:1], numbers[1:], None)
    return function(b, x)


@converts("Gelu", "BiasGelu", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def gelu(b: Node) -> Results:
    """Exact, of a sum if there are two operands."""
    return b(graph.GeluOp, _with_bias(b))


@converts("FastGelu", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def fast_gelu(b: Node) -> Results:
    """By tanh, of a sum if there are two operands."""
    return b(graph.GeluOp, _with_bias(b), "tanh")


def _with_bias(b: Node) -> SSAValue:
    return b.add(b[0], b[1]) if b.has(1) else b[0]


@converts("QuickGelu", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def quick_gelu(b: Node) -> Results:
    """`x sigmoid(alpha x)`."""
    return b.mul(b[0], b(graph.SigmoidOp, b.scaled(b[0], b.float("alpha"))))


@converts("BiasSplitGelu", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def bias_split_gelu(b: Node) -> Results:
    """The first half of the last dim, times the unit of the second."""
    b.require_rank(0, 3)
    whole, width = b.add(b[0], b[1]), b.shape()[2]
    if width % 2:
        raise Unconvertible(f"the last dim of 'X' has extent {width}, which has no halves")
    first, second = _part(b, whole, 0, width // 2), _part(b, whole, width // 2, width)
    return b.mul(first, b(graph.GeluOp, second))


def _part(b: GraphBuilder, x: SSAValue, start: int, end: int) -> SSAValue:
    return b.slice(x, len(shape_of(x)) - 1, start, end)


@converts("BiasAdd", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def bias_add(b: Node) -> Results:
    """The sum of three."""
    return b.add(b.add(b[0], b[1]), b[2])
