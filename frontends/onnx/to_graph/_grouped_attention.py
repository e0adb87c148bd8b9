"""Attention of language models whose heads of queries share keys and values, `com.microsoft.GroupQueryAttention`."""

from __future__ import annotations

from itertools import pairwise
from math import inf, sqrt

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._attention import angles
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.operators.attention import scores_of, split_heads
from mlc.frontends.operators.open_padding import padded
from mlc.frontends.operators.open_shapes import all_along, counted, cut, expanded, joined, reshaped, shape_sizes, splat
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.rotary import rotated
from mlc.frontends.operators.sizes import AnySize, bounds, in_symbols, larger

_REFUSED_INPUTS = (12, 13, 16)
"""Scales of quantised caches, and lengths of rows of queries."""


@converts("GroupQueryAttention", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def group_query_attention(b: Node) -> Results:
    """Attention to a cache, to which the keys and values of the new rows are added.

    The extent of the caches in the results is that of those in the operands, or that of all rows if that is larger;
    where the new rows go is data.
    """
    _require_known_form(b)
    heads, own = b.int("num_heads"), b.int("kv_num_heads")
    b.require_rank(0, 3)
    batch, rows, _ = shape_sizes(b, b[0])
    query, key, value = _heads(b, heads, own)
    total = b.sizes(6)[0]
    before = _rows_before(b, batch, rows, total)
    query, key = _normalized(b, query, 14, "q_norm_epsilon"), _normalized(b, key, 15, "k_norm_epsilon")
    if b.flag("do_rotary"):
        positions = b.optional(9)
        if positions is None:
            positions = b.add(b.unsqueeze(before, [1]), b.unsqueeze(counted(b, 0, rows, 1, i64), [0]))
        cos, sin = angles(b, expanded(b, positions, [batch, rows]), b[7], b[8])
        query, key = (rotated(b, x, cos, sin, b.flag("rotary_interleaved")) for x in (query, key))
    caches = [_cache(b, new, b.optional(index), before, total) for new, index in ((key, 3), (value, 4))]
    keys, values = (cut(b, cache, 2, 0, total, 1) for cache in caches)
    shared = b.matmul(_weights(b, query, keys, before), values)
    size, (most_batch, _, most_rows, _) = shape_of(values)[3], shape_of(query)
    apart = b.reshape(shared, (most_batch, own, most_rows, heads // own, size))
    return [b.reshape(b.transpose(apart, (0, 2, 1, 3, 4)), (most_batch, most_rows, heads * size)), *caches]


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


def _rows_before(b: Node, batch: AnySize, rows: AnySize, total: AnySize) -> SSAValue:
    """How many rows of the cache are before the new ones, i64 `[batch]`: none where all rows are new."""
    if total == rows:
        return splat(b, 0, [batch], i64)
    before = b.add(b.cast(reshaped(b, b[5], [batch]), i64), b.extent(1 - rows))
    least, most = bounds(total - rows)
    if least > 0 or most < 0:
        return before
    return b.where(b.compare("eq", b.extent(total), b.extent(rows)), b.number(0, before), before)


def _cache(b: Node, new: SSAValue, old: SSAValue | None, before: SSAValue, total: AnySize) -> SSAValue:
    """A cache with the new rows, `[batch, head, rows, size]`."""
    rows = shape_sizes(b, new)[2]
    extent: AnySize = 0 if old is None else shape_sizes(b, old)[2]
    if total == rows and (old is None or bounds(extent - rows)[1] <= 0):
        return new
    if old is None:
        found = f"there are {in_symbols(total)} rows of keys, of which {in_symbols(rows)} are new"
        raise Unconvertible(f"{found}, and no past ones")
    if total == rows and bounds(extent - rows)[0] >= 0:
        return joined(b, [new, cut(b, old, 2, rows, extent, 1)], 2)
    end = larger(extent, total)
    old = padded(b, old, 2, 0, end - extent)
    place = b.sub(b.unsqueeze(counted(b, 0, end, 1, i64), [0]), b.unsqueeze(before, [1]))
    is_new = b(graph.AndOp, b.compare("ge", place, b.number(0, place)), b.compare("lt", place, b.extent(rows)))
    if rows != 1:
        index = b.minimum(b.maximum(place, b.number(0, place)), b.extent(rows - 1))
        taken = b(graph.GatherNdOp, all_along(b, new, [2]), b.unsqueeze(index, [2]), [2], [0])
        new = b.transpose(taken, (0, 2, 1, 3))
    return b.where(b.unsqueeze(is_new, [1, 3]), new, old)


def _weights(b: Node, query: SSAValue, keys: SSAValue, before: SSAValue) -> SSAValue:
    """The softmax of scores, `[batch, head of keys, rows * heads that share it, total]`: a row sees those before it,
    within a window. Rows stand before the heads that share keys, so that they may end early."""
    batch, heads, rows, size = shape_of(query)
    _, own, total, _ = shape_of(keys)
    share = heads // own
    grouped = b.reshape(_rows_first(b, query, own), (batch, own, rows * share, size))
    scores = scores_of(b, grouped, keys, b.float("scale") or 1 / sqrt(size), None)
    scores = b.reshape(scores, (batch, own, rows, share, total))
    if cap := b.float("softcap"):
        scores = b.scaled(b(graph.TanhOp, b.scaled(scores, 1 / cap)), cap)
    if b.has(10):
        b.require_rank(10, 4)
        bias = b[10]
        scores = b.add(scores, b.unsqueeze(bias, [3]) if shape_of(bias)[1] == 1 else _rows_first(b, bias, own))
    if (seen := _seen(b, before, shape_sizes(b, query)[2], shape_sizes(b, keys)[2])) is not None:
        scores = b.where(seen, scores, b.number(-inf, scores))
    if b.has(11) or b.int("smooth_softmax") == 1:
        sink = b.reshape(b[11], (1, own, 1, share, 1)) if b.has(11) else b.splat(0, (1,) * 5, element_of(scores))
        sinks = expanded(b, sink, [*shape_sizes(b, scores)[:4], 1])
        weights = b.slice(b(graph.SoftmaxOp, b.concat([sinks, scores], 4), 4), 4, 1, 1 + total)
    else:
        weights = b(graph.SoftmaxOp, scores, 4)
    return b.reshape(weights, (batch, own, rows * share, total))


def _rows_first(b: Node, x: SSAValue, own: int) -> SSAValue:
    """`[batch, head, rows, size]` as `[batch, head of keys, rows, heads that share it, size]`."""
    batch, heads, rows, size = shape_of(x)
    return b.transpose(b.reshape(x, (batch, own, heads // own, rows, size)), (0, 1, 3, 2, 4))


def _seen(b: Node, before: SSAValue, rows: AnySize, total: AnySize) -> SSAValue | None:
    """Which keys a row sees, `[batch, 1, rows, 1, total]`; None if it sees all."""
    first = b.unsqueeze(before, [1, 2, 3, 4])
    own = b.add(first, b.unsqueeze(counted(b, 0, rows, 1, i64), [1, 2]))
    place = counted(b, 0, total, 1, i64)
    if not b.flag("causal"):
        seen = b.compare("le", place, b.add(first, b.extent(rows - 1)))
        return None if (known := b.knowledge.array(seen)) is not None and known.all() else seen
    seen = b.compare("le", place, own)
    if (window := b.int("local_window_size")) > 0:
        seen = b(graph.AndOp, seen, b.compare("gt", place, b.sub(own, b.number(window, own))))
    return seen
