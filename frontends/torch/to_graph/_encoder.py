"""What `nn.MultiheadAttention` and `nn.TransformerEncoderLayer` call in inference: a whole layer in one operator."""

from __future__ import annotations

from math import inf, sqrt

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.attention import joined_heads, split_heads, swapped
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts

_OF_QUERIES, _OF_KEYS = 0, 1
"""Kinds of masks: rows and columns of scores, or batches and columns; another one fits scores as it is."""


@converts("_native_multi_head_attention")
def multi_head_attention(
    b: Call, query: SSAValue, key: SSAValue, value: SSAValue, num_head: int, qkv_weight: SSAValue, qkv_bias: SSAValue,
    proj_weight: SSAValue, proj_bias: SSAValue, mask: SSAValue | None, average_attn_weights: bool,
    mask_type: int | None,
) -> Results:  # fmt: skip
    """The second result is what the softmax gives, averaged over heads if that is asked for."""
    size = shape_of(query)[-1]
    parts: list[SSAValue] = []
    for i, x in enumerate((query, key, value)):
        weight, bias = (b.slice(each, 0, i * size, (i + 1) * size) for each in (qkv_weight, qkv_bias))
        parts.append(split_heads(b, _linear(b, x, weight, bias), num_head))
    found, weights = _attended(b, parts, mask, mask_type)
    found = _linear(b, found, proj_weight, proj_bias)
    if not b.wants(1):
        return [found, None]
    return [found, b.reshape(b.reduce("mean", weights, [1]) if average_attn_weights else weights, b.shape(1))]


@converts("_transformer_encoder_layer_fwd")
def encoder_layer(
    b: Call, src: SSAValue, embed_dim: int, num_heads: int, qkv_weight: SSAValue, qkv_bias: SSAValue,
    proj_weight: SSAValue, proj_bias: SSAValue, use_gelu: bool, norm_first: bool, eps: float, norm_weight_1: SSAValue,
    norm_bias_1: SSAValue, norm_weight_2: SSAValue, norm_bias_2: SSAValue, ffn_weight_1: SSAValue,
    ffn_bias_1: SSAValue, ffn_weight_2: SSAValue, ffn_bias_2: SSAValue, mask: SSAValue | None, mask_type: int | None,
) -> Results:  # fmt: skip
    """Attention, then two products with an activation between them, each added to what it is computed from; a
    normalisation stands before each, or after."""

    def attention(x: SSAValue) -> SSAValue:
        whole = _linear(b, x, qkv_weight, qkv_bias)
        parts = [b.slice(whole, 2, i * embed_dim, (i + 1) * embed_dim) for i in range(3)]
        found, _ = _attended(b, [split_heads(b, part, num_heads) for part in parts], mask, mask_type)
        return _linear(b, found, proj_weight, proj_bias)

    def products(x: SSAValue) -> SSAValue:
        inner = _linear(b, x, ffn_weight_1, ffn_bias_1)
        active = b(graph.GeluOp, inner) if use_gelu else b(graph.ReluOp, inner)
        return _linear(b, active, ffn_weight_2, ffn_bias_2)

    def normalized(x: SSAValue, weight: SSAValue, bias: SSAValue) -> SSAValue:
        y = b.widened(x)
        element = element_of(y)
        found = b(graph.LayerNormOp, y, b.cast(weight, element), b.cast(bias, element), 2, eps)
        return b.cast(found, element_of(x))

    if len(shape_of(src)) != 3:
        raise Unconvertible(f"its operand is {src.type}; required: three dims, the batch in front")
    x = src
    for step, weight, bias in ((attention, norm_weight_1, norm_bias_1), (products, norm_weight_2, norm_bias_2)):
        before = normalized(x, weight, bias) if norm_first else x
        x = b.add(x, step(before))
        x = x if norm_first else normalized(x, weight, bias)
    return x


def _linear(b: Call, x: SSAValue, weight: SSAValue, bias: SSAValue) -> SSAValue:
    return b.add(b.matmul(x, b.transpose(weight, (1, 0))), bias)


def _attended(
    b: Call, parts: list[SSAValue], mask: SSAValue | None, mask_type: int | None
) -> tuple[SSAValue, SSAValue]:
    """`softmax(q k^T / sqrt(size)) v`, `[batch, rows, size of all heads]`, and the softmax.

    A mask is true, or another number than 0, where a query does not see a key; a query that sees none is NaN.
    """
    query, key, value = (b.widened(each) for each in parts)
    batch, _, rows, size = shape_of(query)
    scores = b.matmul(b.scaled(query, 1 / sqrt(size)), swapped(b, key))
    if mask is not None:
        columns = shape_of(key)[2]
        shapes = {_OF_QUERIES: (1, 1, rows, columns), _OF_KEYS: (batch, 1, 1, columns)}
        hidden = b.to_bool(mask)
        if mask_type in shapes:
            hidden = b.reshape(hidden, shapes[mask_type])
        scores = b.where(hidden, b.number(-inf, scores), scores)
    weights = b(graph.SoftmaxOp, scores, 3)
    found = b.cast(b.matmul(weights, value), element_of(parts[0]))
    return joined_heads(b, found), weights
