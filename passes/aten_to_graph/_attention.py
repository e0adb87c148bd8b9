"""Attention, and its gradients."""

from __future__ import annotations

from math import inf, prod, sqrt

from xdsl.dialects.builtin import i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.passes.aten_to_graph._calls import Call, Results, converts
from mlc.passes.aten_to_graph._moves import triangle
from mlc.passes.aten_to_graph._reductions import wide
from mlc.passes.shared.refusal import Unconvertible


@converts("scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu",
          "_scaled_dot_product_fused_attention_overrideable")  # fmt: skip
def attention(
    b: Call, query: SSAValue, key: SSAValue, value: SSAValue, is_causal: bool, scale: float | None, dropout_p: float,
    attn_mask: SSAValue | None = None, enable_gqa: bool = False, attn_bias: SSAValue | None = None,
) -> Results:  # fmt: skip
    """`softmax(scale q k^T + mask) v`; the second result of the CPU's own operator is the log of the sums of rows.

    A row that may see nothing is 0.
    """
    if dropout_p:
        raise Unconvertible("attention drops out at random, by numbers of torch's own generator")
    if not prod(b.shape()) or not prod(shape_of(key)):
        return [b.splat(0, b.shape(), b.element()), None]
    mask = attn_mask if attn_mask is not None else attn_bias
    key, value = _shared_heads(b, query, key), _shared_heads(b, query, value)
    scores = _scores(b, query, key, mask, is_causal, scale)
    last = len(shape_of(scores)) - 1
    weights = b(graph.SoftmaxOp, scores, last)
    if mask is not None:
        blind = b.compare("eq", b.reduce("max", scores, [last], True), b.number(-inf, scores))
        weights = b.where(blind, b.number(0, weights), weights)
    found = b.matmul(weights, value)
    assert b.op is not None
    if len(b.op.results) == 1 or not b.wants(1):
        return [found]
    scores = wide(b, scores)
    most = b.reduce("max", scores, [last], True)
    shift = b.where(b.compare("eq", most, b.number(-inf, most)), b.number(0, most), most)
    total = b.reduce("sum", b(graph.ExpOp, b.sub(scores, shift)), [last], True)
    return [found, b.reshape(b.plus(b(graph.LogOp, total), shift), b.shape(1))]


def _scores(
    b: Call, query: SSAValue, key: SSAValue, mask: SSAValue | None, is_causal: bool, scale: float | None
) -> SSAValue:
    """`scale q k^T`, with -inf where a query may not see a key."""
    factor = 1 / sqrt(shape_of(query)[-1]) if scale is None else scale
    scores = b.scaled(b.matmul(query, swapped(b, key)), factor)
    if is_causal:
        rows, columns = shape_of(scores)[-2:]
        seen = triangle(b, rows, columns, 0)
        scores = b.where(seen, scores, b.number(-inf, scores))
    if mask is None:
        return scores
    if element_of(mask) == i1:
        return b.where(mask, scores, b.number(-inf, scores))
    return b.plus(scores, b.cast(mask, element_of(scores)))


def swapped(b: Call, x: SSAValue) -> SSAValue:
    """The last two dims in each other's place."""
    rank = len(shape_of(x))
    return b.transpose(x, [*range(rank - 2), rank - 1, rank - 2])


def _shared_heads(b: Call, query: SSAValue, x: SSAValue) -> SSAValue:
    """Heads repeated as often as the query has them."""
    shape = shape_of(x)
    if len(shape) < 3 or len(shape_of(query)) < 3:
        return x
    heads, own = shape_of(query)[-3], shape[-3]
    if heads == own or heads % own:
        return x
    wide_ = b.broadcast(b.unsqueeze(x, [len(shape) - 2]), (*shape[:-2], heads // own, *shape[-2:]))
    return b.reshape(wide_, (*shape[:-3], heads, *shape[-2:]))


@converts("_scaled_dot_product_flash_attention_for_cpu_backward")
def attention_backward(
    b: Call, grad_out: SSAValue, query: SSAValue, key: SSAValue, value: SSAValue, out: SSAValue, logsumexp: SSAValue,
    dropout_p: float, is_causal: bool, attn_mask: SSAValue | None, scale: float | None,
) -> Results:  # fmt: skip
    """The weights are computed again, from the logs of sums, rather than kept."""
    if dropout_p:
        raise Unconvertible("attention drops out at random, by numbers of torch's own generator")
    if not prod(shape_of(query)) or not prod(shape_of(key)):
        return [b.splat(0, b.shape(i), b.element(i)) for i in range(3)]
    gradient, query, key, value, out = (wide(b, v) for v in (grad_out, query, key, value, out))
    keys, values = _shared_heads(b, query, key), _shared_heads(b, query, value)
    scores = _scores(b, query, keys, attn_mask, is_causal, scale)
    logs = b.cast(b.unsqueeze(logsumexp, [len(shape_of(logsumexp))]), element_of(scores))
    logs = b.where(b.compare("eq", logs, b.number(-inf, logs)), b.number(0, logs), logs)
    weights = b(graph.ExpOp, b.sub(scores, logs))
    inner = b.reduce("sum", b.mul(gradient, out), [len(shape_of(out)) - 1], True)
    of_scores = b.mul(weights, b.sub(b.matmul(gradient, swapped(b, values)), inner))
    of_scores = b.scaled(of_scores, 1 / sqrt(shape_of(query)[-1]) if scale is None else scale)
    of_keys, of_values = b.matmul(swapped(b, of_scores), query), b.matmul(swapped(b, weights), gradient)
    return [b.matmul(of_scores, keys), _over_heads(b, of_keys, key), _over_heads(b, of_values, value)]


def _over_heads(b: Call, gradient: SSAValue, like: SSAValue) -> SSAValue:
    """Gradients of heads that were repeated, summed."""
    shape = shape_of(like)
    if shape_of(gradient) == shape:
        return gradient
    apart = (*shape[:-2], shape_of(gradient)[-3] // shape[-3], *shape[-2:])
    return b.reduce("sum", b.reshape(gradient, apart), [len(shape) - 2])
