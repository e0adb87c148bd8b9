"""Attention of language models whose heads of queries share keys and values, `com.microsoft.GroupQueryAttention`."""

from __future__ import annotations

from itertools import pairwise
from math import inf, sqrt

import numpy as np
from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._attention import angles
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.attention import joined_heads, scores_of, split_heads
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.rotary import rotated

_REFUSED_INPUTS = (12, 13, 16)
"""Scales of quantised caches, and lengths of rows of queries."""


@converts("GroupQueryAttention", domain=RUNTIME_DOMAIN, rounds_once=True)
def group_query_attention(b: Node) -> Results:
    """Attention to a cache, to which the keys and values of the new rows are added.

    The extent of the caches in the results is that of those in the operands, or that of all rows if that is larger;
    where the new rows go is data.
    """
    _require_known_form(b)
    heads, own = b.int("num_heads"), b.int("kv_num_heads")
    batch, rows, _ = b.require_rank(0, 3)
    query, key, value = _heads(b, heads, own)
    total = b.known_ints(6)[0]
    before = _rows_before(b, batch, rows, total)
    query, key = _normalized(b, query, 14, "q_norm_epsilon"), _normalized(b, key, 15, "k_norm_epsilon")
    if b.flag("do_rotary"):
        positions = b.optional(9)
        if positions is None:
            positions = b.add(b.reshape(before, (batch, 1)), b.constant(np.arange(rows)[None]))
        cos, sin = angles(b, b.broadcast(positions, (batch, rows)), b[7], b[8])
        query, key = (rotated(b, x, cos, sin, b.flag("rotary_interleaved")) for x in (query, key))
    caches = [_cache(b, new, b.optional(index), before, total) for new, index in ((key, 3), (value, 4))]
    keys, values = (b.slice(cache, 2, 0, total) for cache in caches)
    weights = _weights(b, query, keys, before)
    size = shape_of(values)[3]
    shared = b.matmul(b.reshape(weights, (batch, own, heads // own * rows, total)), values)
    return [joined_heads(b, b.reshape(shared, (batch, heads, rows, size))), *caches]


def _require_known_form(b: Node) -> None:
    for index in _REFUSED_INPUTS:
        if b.has(index):
            raise Unconvertible(f"input '{b.operand_name(index)}' is there, which mlc does not take")
    for name in ("k_quant_type", "v_quant_type"):
        b.one_of(name, "NONE")
    if b.flag("sliding_window_cache"):
        raise Unconvertible("attribute 'sliding_window_cache' is 1; mlc knows 0")
    for index in (3, 4):
        b.require_rank(index, 4)
    heads, own = b.int("num_heads"), b.int("kv_num_heads")
    if own < 1 or heads % own:
        raise Unconvertible(f"num_heads is {heads}, which is not a multiple of kv_num_heads, {own}")


def _heads(b: Node, heads: int, own: int) -> list[SSAValue]:
    """Queries, keys and values, `[batch, head, rows, size]`, which may be packed side by side."""
    if b.has(1):
        b.require_rank(1, 3)
        b.require_rank(2, 3)
        parts = [b[0], b[1], b[2]]
    else:
        width = b.shape()[2]
        size = width // (heads + 2 * own)
        ends = [0, heads * size, (heads + own) * size, width]
        parts = [b.slice(b[0], 2, start, end) for start, end in pairwise(ends)]
    return [split_heads(b, x, count) for x, count in zip(parts, (heads, own, own), strict=True)]


def _normalized(b: Node, x: SSAValue, weight: int, epsilon: str) -> SSAValue:
    """Each row of a head, divided by the root of the mean of its squares, if there is a weight for that."""
    if not b.has(weight):
        return x
    return b(graph.RmsNormOp, x, b[weight], 3, b.float(epsilon, b.float("qk_norm_epsilon")))


def _rows_before(b: Node, batch: int, rows: int, total: int) -> SSAValue:
    """How many rows of the cache are before the new ones, i64 `[batch]`."""
    if total == rows:
        return b.constant(np.zeros(batch, np.int64))
    return b.add(b.cast(b.reshape(b[5], (batch,)), i64), b.constant(np.full(batch, 1 - rows)))


def _cache(b: Node, new: SSAValue, old: SSAValue | None, before: SSAValue, total: int) -> SSAValue:
    """A cache with the new rows, `[batch, head, rows, size]`."""
    batch, _, rows, _ = shape_of(new)
    extent = 0 if old is None else shape_of(old)[2]
    if total == rows:
        return new if old is None or extent <= rows else b.concat([new, b.slice(old, 2, rows, extent)], 2)
    if old is None:
        raise Unconvertible(f"there are {total} rows of keys, of which {rows} are new, and no past ones")
    if extent < total:
        old = b(graph.PadOp, old, [0] * 4, [0, 0, total - extent, 0], 0)
    extent = max(extent, total)
    place = b.sub(b.constant(np.arange(extent)[None]), b.reshape(before, (batch, 1)))
    is_new = b(graph.AndOp, b.compare("ge", place, b.number(0, place)), b.compare("lt", place, b.number(rows, place)))
    if rows > 1:
        index = b.minimum(b.maximum(place, b.number(0, place)), b.number(rows - 1, place))
        taken = b(graph.GatherNdOp, new, b.unsqueeze(index, [2]), [2], [0])
        new = b.transpose(taken, (0, 2, 1, 3))
    return b.where(b.reshape(is_new, (batch, 1, extent, 1)), new, old)


def _weights(b: Node, query: SSAValue, keys: SSAValue, before: SSAValue) -> SSAValue:
    """The softmax of scores, `[batch, head, rows, total]`: a row sees those before it, within a window."""
    batch, heads, rows, size = shape_of(query)
    _, own, total, _ = shape_of(keys)
    grouped = b.reshape(query, (batch, own, heads // own * rows, size))
    scores = scores_of(b, grouped, keys, b.float("scale") or 1 / sqrt(size), None)
    scores = b.reshape(scores, (batch, heads, rows, total))
    if cap := b.float("softcap"):
        scores = b.scaled(b(graph.TanhOp, b.scaled(scores, 1 / cap)), cap)
    if (bias := b.optional(10)) is not None:
        scores = b.add(scores, bias)
    if (seen := _seen(b, before, batch, rows, total)) is not None:
        scores = b.where(seen, scores, b.number(-inf, scores))
    if b.has(11):
        sink = b.broadcast(b.reshape(b[11], (1, heads, 1, 1)), (batch, heads, rows, 1))
    elif b.int("smooth_softmax") == 1:
        sink = b.splat(0, (batch, heads, rows, 1), element_of(scores))
    else:
        return b(graph.SoftmaxOp, scores, 3)
    return b.slice(b(graph.SoftmaxOp, b.concat([scores, sink], 3), 3), 3, 0, total)


def _seen(b: Node, before: SSAValue, batch: int, rows: int, total: int) -> SSAValue | None:
    """Which keys a row sees, `[batch, 1, rows, total]`; None if it sees all."""
    own = b.add(b.reshape(before, (batch, 1, 1, 1)), b.constant(np.arange(rows).reshape(1, 1, rows, 1)))
    place = b.constant(np.arange(total).reshape(1, 1, 1, total))
    if not b.flag("causal"):
        last = b.add(b.reshape(before, (batch, 1, 1, 1)), b.number(rows - 1, own))
        seen = b.compare("le", place, last)
        return None if (known := b.knowledge.array(seen)) is not None and known.all() else seen
    seen = b.compare("le", place, own)
    if (window := b.int("local_window_size")) > 0:
        seen = b(graph.AndOp, seen, b.compare("gt", place, b.sub(own, b.number(window, own))))
    return seen
