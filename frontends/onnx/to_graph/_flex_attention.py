"""Attention whose scores and probabilities go through graphs of the model."""

from __future__ import annotations

from math import sqrt

import numpy as np
from xdsl.dialects.builtin import bf16, f16, f32, f64
from xdsl.ir import Attribute, SSAValue

from mlc.dialects import graph
from mlc.dialects.onnx.types import TYPES_BY_NUMBER
from mlc.frontends.onnx.to_graph._control import convert
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.attention import for_each_head, swapped
from mlc.frontends.operators.refusal import Unconvertible


@converts("FlexAttention", domain="ai.onnx.preview")
def flex_attention(b: Node) -> Results:
    """`prob_mod(softmax(score_mod(scale Q K^T))) V`; a head of keys and values serves several of queries.

    Each factor of the scores is scaled by the root, as the specification's own body does it: scores of f16 would
    overflow before they are scaled.
    """
    q, k, v = (b.shape(i) for i in range(3))
    if not len(q) == len(k) == len(v) == 4 or k[0] != q[0] or v[:3] != k[:3] or k[3] != q[3]:
        raise Unconvertible(
            f"Q {list(q)}, K {list(k)} and V {list(v)} are not [batch, heads, rows, size] of one attention"
        )
    if not k[1] or q[1] % k[1]:
        raise Unconvertible(f"Q has {q[1]} heads, which is not a multiple of the {k[1]} of K and V")
    scale = b.float("scale", 1 / sqrt(q[3]) if q[3] else 1.0)
    if scale < 0:
        raise Unconvertible(f"scale is {scale}, which has no root")
    root = b.number(float(np.sqrt(np.float32(scale))), b[0])
    keys = for_each_head(b, b.mul(b[1], root), q[1])
    scores = b.matmul(b.mul(b[0], root), swapped(b, keys))
    precision = _precision(b)
    scores = _modified(b, "score_mod", b.cast(scores, precision))
    shares = _modified(b, "prob_mod", b(graph.SoftmaxOp, scores, 3))
    values = for_each_head(b, b.cast(b[2], precision), q[1])
    return b.cast(b.matmul(shares, values), b.element(2))


def _modified(b: Node, name: str, value: SSAValue) -> SSAValue:
    """What a graph of the node makes of a value; the value itself if it has no such graph."""
    if (source := b.op.graph(name)) is None:
        return value
    results = convert(b, source, [value], b.op)
    if len(results) != 1 or results[0].type != value.type:
        made = ", ".join(str(each.type) for each in results)
        raise Unconvertible(f"its graph '{name}' makes {made or 'nothing'} of {value.type}; required: the same type")
    return results[0]


def _precision(b: Node) -> Attribute:
    """The element type of scores and probabilities."""
    number = b.attribute("softmax_precision")
    if number is None:
        return f64 if b.element() == f64 else f32
    found = TYPES_BY_NUMBER.get(int(number))
    if found not in (f16, bf16, f32, f64):
        raise Unconvertible(f"softmax_precision is {number}, which is not a floating-point type")
    return found
