"""Attention, and its gradients."""

from __future__ import annotations

from math import inf, prod, sqrt

from xdsl.dialects.builtin import f32, i1
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.attention import for_each_head, swapped
from mlc.frontends.operators.matrices import below_diagonal
from mlc.frontends.operators.open_shapes import depends_on_call
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.torch.to_graph._calls import Call, Results
from mlc.frontends.torch.to_graph._patterns import converts


@converts("scaled_dot_product_attention", "_scaled_dot_product_flash_attention_for_cpu",
          "_scaled_dot_product_fused_attention_overrideable", bounded=True)  # fmt: skip
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
    factor = 1 / sqrt(shape_of(query)[-1]) if scale is None else scale
    if is_causal:
        mask = _both(b, _causal(b, query, key), mask)
    is_open = any(depends_on_call(b, x) for x in (query, key, value))
    if is_open:  # rows of queries that share keys cannot stand one below the other: they end early
        own, key, value = None, _shared_heads(b, query, key), _shared_heads(b, query, value)
    else:
        own, key, value = _own_heads(b, query, key, value)
    if own is not None:
        mask = None if mask is None else _grouped_mask(b, mask, query, own)
        query = _grouped(b, query, own)
    query, key, value = (b.widened(x) for x in (query, key, value))  # scores of halves may be larger than a half
    scores = _masked(b, b.scaled(b.matmul(query, swapped(b, key)), factor), mask)
    last = len(shape_of(scores)) - 1
    found = b.matmul(b(graph.SoftmaxOp, scores, last), value)
    if mask is not None and not is_causal and (blind := _blind(b, mask)) is not None:
        found = b.where(blind, b.number(0, found), found)
    found = found if is_open else b.reshape(found, b.shape())
    if len(b.op.results) == 1 or not b.wants(1):
        return [found]
    most = b.reduce("max", scores, [last], True)
    shift = b.where(b.compare("eq", most, b.number(-inf, most)), b.number(0, most), most)
    total = b.reduce("sum", b(graph.ExpOp, b.sub(scores, shift)), [last], True)
    logs = b.add(b(graph.LogOp, total), shift)
    return [found, b.squeeze(logs, [last]) if is_open else b.reshape(logs, b.shape(1))]


def _causal(b: Call, query: SSAValue, key: SSAValue) -> SSAValue:
    """Which keys a query may see: none after it."""
    rows, columns = (len(shape_of(x)) - 2 for x in (query, key))
    seen = below_diagonal(b, shape_of(query)[rows], shape_of(key)[columns], 0)
    return b.sized(seen, {0: b.length(query, rows), 1: b.length(key, columns)})


def _both(b: Call, seen: SSAValue, mask: SSAValue | None) -> SSAValue:
    """A mask of truth values, and another one of any kind, as one."""
    if mask is None:
        return seen
    return b(graph.AndOp, seen, mask) if element_of(mask) == i1 else b.where(seen, mask, b.number(-inf, mask))


def _masked(b: Call, scores: SSAValue, mask: SSAValue | None) -> SSAValue:
    """Scores with -inf where a query may not see a key."""
    if mask is None:
        return scores
    if element_of(mask) == i1:
        return b.where(mask, scores, b.number(-inf, scores))
    return b.add(scores, b.cast(mask, element_of(scores)))


def _blind(b: Call, mask: SSAValue) -> SSAValue | None:
    """Which rows of a mask hide all keys; None if it is known that none does."""
    last = len(shape_of(mask)) - 1
    if element_of(mask) == i1:
        most = b.reduce("max", b.cast(mask, f32), [last], True)
        blind = b.compare("eq", most, b.number(0, most))
    else:
        most = b.reduce("max", mask, [last], True)
        blind = b.compare("eq", most, b.number(-inf, most))
    known = b.knowledge.array(blind)
    return None if known is not None and not known.any() else blind


def _own_heads(b: Call, query: SSAValue, key: SSAValue, value: SSAValue) -> tuple[int | None, SSAValue, SSAValue]:
    """How many heads keys and values have of their own, if queries share them, and these without repetition."""
    if len(shape_of(query)) < 3:
        return None, key, value
    heads = shape_of(query)[-3]
    found = [_unrepeated(x) if shape_of(x)[-3] == heads else x for x in (key, value)]
    owns = {shape_of(x)[-3] for x in found}
    own = owns.pop()
    if owns or own == heads or heads % own:
        return None, _shared_heads(b, query, key), _shared_heads(b, query, value)
    return own, found[0], found[1]


def _unrepeated(x: SSAValue) -> SSAValue:
    """Heads before each was repeated for several queries, where that is how they were made; else as they are."""
    join = x.owner
    repeat = join.input.owner if isinstance(join, graph.ReshapeOp) else None
    if not isinstance(repeat, graph.BroadcastOp):
        return x
    before, wide_, shape = shape_of(repeat.input), shape_of(repeat.result), shape_of(x)
    rank = len(shape)
    split = (*shape[:-3], wide_[-4], wide_[-3], *shape[-2:]) if len(wide_) == rank + 1 else ()
    once = (*split[:-3], 1, *split[-2:])
    source = repeat.input.owner
    if split != wide_ or before != once or not isinstance(source, graph.ReshapeOp):
        return x
    return source.input if shape_of(source.input) == (*once[:-3], *once[-2:]) else x


def _grouped(b: Call, query: SSAValue, own: int) -> SSAValue:
    """The rows of queries that share keys, one below the other."""
    *front, heads, rows, size = shape_of(query)
    return b.reshape(query, (*front, own, heads // own * rows, size))


def _grouped_mask(b: Call, mask: SSAValue, query: SSAValue, own: int) -> SSAValue:
    """A mask for such rows."""
    shape, (count, rows) = shape_of(mask), shape_of(query)[-3:-1]
    *front, heads, own_rows, columns = (1, 1, *shape)[-max(3, len(shape)) :]
    if heads == 1 and own_rows == 1:
        return mask
    outer, group = (1, 1) if heads == 1 else (own, count // own)
    apart = b.reshape(mask, (*front, outer, group, own_rows, columns))
    wide_ = b.broadcast(apart, (*front, outer, count // own, rows, columns))
    return b.reshape(wide_, (*front, outer, count // own * rows, columns))


def _shared_heads(b: Call, query: SSAValue, x: SSAValue) -> SSAValue:
    """Heads repeated as often as the query has them."""
    shape = shape_of(x)
    if len(shape) < 3 or len(shape_of(query)) < 3:
        return x
    heads, own = shape_of(query)[-3], shape[-3]
    if heads == own or heads % own:
        return x
    return for_each_head(b, x, heads)


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
    gradient, query, key, value, out = (b.widened(v) for v in (grad_out, query, key, value, out))
    keys, values = _shared_heads(b, query, key), _shared_heads(b, query, value)
    factor = 1 / sqrt(shape_of(query)[-1]) if scale is None else scale
    mask = _both(b, below_diagonal(b, shape_of(query)[-2], shape_of(key)[-2], 0), attn_mask) if is_causal else attn_mask
    scores = _masked(b, b.scaled(b.matmul(query, swapped(b, keys)), factor), mask)
    logs = b.cast(b.unsqueeze(logsumexp, [len(shape_of(logsumexp))]), element_of(scores))
    logs = b.where(b.compare("eq", logs, b.number(-inf, logs)), b.number(0, logs), logs)
    weights = b(graph.ExpOp, b.sub(scores, logs))
    inner = b.reduce("sum", b.mul(gradient, out), [len(shape_of(out)) - 1], True)
    of_scores = b.mul(weights, b.sub(b.matmul(gradient, swapped(b, values)), inner))
    of_scores = b.scaled(of_scores, factor)
    of_keys, of_values = b.matmul(swapped(b, of_scores), query), b.matmul(swapped(b, weights), gradient)
    return [b.matmul(of_scores, keys), _over_heads(b, of_keys, key), _over_heads(b, of_values, value)]


def _over_heads(b: Call, gradient: SSAValue, like: SSAValue) -> SSAValue:
    """Gradients of heads that were repeated, summed."""
    shape = shape_of(like)
    if shape_of(gradient) == shape:
        return gradient
    apart = (*shape[:-2], shape_of(gradient)[-3] // shape[-3], *shape[-2:])
    return b.reduce("sum", b.reshape(gradient, apart), [len(shape) - 2])
