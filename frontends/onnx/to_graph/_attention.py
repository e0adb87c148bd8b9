"""Attention as ONNX Runtime's optimiser fuses it, `com.microsoft.Attention` and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from xdsl.dialects.builtin import f32, i32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._qproducts import scaled_product
from mlc.frontends.operators.attention import attended, split_heads
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.rotary import rotated
from mlc.support.dtypes import least_of


@converts("Attention", domain=RUNTIME_DOMAIN, rounds_once=True)
def attention(b: Node) -> Results:
    """Queries, keys and values are one product, side by side."""
    b.require_rank(0, 3)
    b.require_rank(1, 2)
    whole = b.matmul(b[0], b[1])
    if (bias := b.optional(2)) is not None:
        whole = b.add(whole, bias)
    return _of_itself(b, whole, b.optional(3), 4, b.optional(5))


@converts("QAttention", domain=RUNTIME_DOMAIN)
def q_attention(b: Node) -> Results:
    """The same with a product of integers; attention itself is computed with floats."""
    b.require_rank(0, 3)
    b.require_rank(1, 2)
    scales = b.mul(b.cast(b[3], f32), b.cast(b[4], f32))
    whole = b.add(scaled_product(b, b[0], b.optional(6), b[1], b.optional(7), scales), b.cast(b[2], f32))
    return [b.cast(each, b.element(2)) for each in _of_itself(b, whole, b.optional(5), 8, None)]


def _of_itself(b: Node, whole: SSAValue, mask: SSAValue | None, past: int, bias: SSAValue | None) -> list[SSAValue]:
    """Attention of rows to themselves, and to those of operand `past`; then all keys and values, stacked."""
    _refuse(b, "do_rotary", "past_present_share_buffer")
    heads, width = b.int("num_heads"), shape_of(whole)[2]
    sizes = b.ints("qkv_hidden_sizes") or [width // 3] * 3
    if len(sizes) != 3 or sum(sizes) != width:
        raise Unconvertible(f"{width} columns of weights are not those of queries, keys and values, {sizes}")
    ends = np.cumsum(sizes).tolist()
    parts = [b.slice(whole, 2, end - size, end) for end, size in zip(ends, sizes, strict=True)]
    query, key, value = (split_heads(b, part, heads) for part in parts)
    if b.has(past):
        b.require_rank(past, 5)
        before = b.cast(b[past], f32) if element_of(b[past]) != element_of(key) else b[past]
        key, value = (
            b.concat([b.squeeze(b.slice(before, 0, i, i + 1), [0]), new], 2) for i, new in enumerate((key, value))
        )
    result = _attended(b, query, key, value, mask, bias)
    if not b.wants(1):
        return [result]
    return [result, b.concat([b.unsqueeze(each, [0]) for each in (key, value)], 0)]


@converts("MultiHeadAttention", domain=RUNTIME_DOMAIN, rounds_once=True)
def multi_head_attention(b: Node) -> Results:
    """Of queries to keys and values that are operands of their own, or packed together."""
    for index in (8, 9):
        if b.has(index):
            raise Unconvertible(f"input '{b.operand_name(index)}' is there; mlc keeps no buffers of keys and values")
    heads = b.int("num_heads")
    query, key, value = _packed(b, heads)
    if b.has(6) != b.has(7):
        raise Unconvertible("only one of 'past_key' and 'past_value' is there; required: both or none")
    if b.has(6):
        b.require_rank(6, 4)
        b.require_rank(7, 4)
        key, value = b.concat([b[6], key], 2), b.concat([b[7], value], 2)
    return [_attended(b, query, key, value, b.optional(4), b.optional(5)), key, value]


def _packed(b: Node, heads: int) -> list[SSAValue]:
    """Queries, keys and values, `[batch, head, rows, size]`, with the bias added."""
    rank = len(b.require_rank(0, 3, 5))
    if rank == 5 or (b.has(1) and b.rank(1) == 5):
        if b.has(2) or b.has(3):
            raise Unconvertible("values or a bias beside packed keys")
        whole = [b[0]] if rank == 5 else [b[1]]
        parts = [b.transpose(part, (3, 0, 2, 1, 4)) for part in whole]
        count = shape_of(parts[0])[0]
        found = [b.squeeze(b.slice(parts[0], 0, i, i + 1), [0]) for i in range(count)]
        return found if rank == 5 else [split_heads(b, b[0], heads), *found]
    key, value = b[1], b[2]
    b.require_rank(2, b.rank(1))
    b.require_rank(1, 3, 4)
    is_split = b.rank(1) == 4
    found = [b[0]] if is_split else [b[0], key, value]
    b.require_rank(3, 1)
    if (bias := b.optional(3)) is not None:
        start = 0
        for i, x in enumerate(found):
            width = shape_of(x)[2]
            found[i] = b.add(x, b.slice(bias, 0, start, start + width))
            start += width
    found = [split_heads(b, x, heads) for x in found]
    return [*found, key, value] if is_split else found


def _attended(
    b: Node, query: SSAValue, key: SSAValue, value: SSAValue, mask: SSAValue | None, bias: SSAValue | None
) -> SSAValue:
    """Attention with what a node says of masks and of the scale."""
    batch, _, rows, size = shape_of(query)
    total = shape_of(key)[2]
    if bias is not None and len(shape_of(bias)) != 4:
        raise Unconvertible(f"input 'attention_bias' has {len(shape_of(bias))} dims; required: 4")
    hidden = None if mask is None else _hidden(b, mask, batch, rows, total)
    if hidden is not None:
        filter_value = b.number(b.float("mask_filter_value", -10000.0), query)
        own = b.where(hidden, filter_value, b.number(0, query))
    else:
        own = None
    if b.flag("unidirectional"):
        behind = b.constant(np.arange(total)[None] > np.arange(rows)[:, None] + (total - rows))
        least = b.number(least_of(element_of(query)), query)
        own = b.where(behind, least, b.number(0, query) if own is None else own)
    if bias is not None:
        own = bias if own is None else b.add(own, bias)
    return attended(b, query, key, value, b.float("scale") or 1 / sqrt(size), own)


def _hidden(b: GraphBuilder, mask: SSAValue, batch: int, rows: int, total: int) -> SSAValue:
    """Where a query does not see a key, `[batch, 1, rows or 1, total]`: by 0 in a mask, or by where rows end, and
    where they start."""
    shape = shape_of(mask)
    if shape in ((batch,), (2 * batch,)):
        place = b.constant(np.arange(total, dtype=np.int32))
        bounds = b.reshape(b.cast(mask, i32), (shape[0] // batch, batch, 1, 1, 1))
        end = b.squeeze(b.slice(bounds, 0, 0, 1), [0])
        hidden = b.compare("ge", place, end)
        if shape[0] == batch:
            return hidden
        start = b.squeeze(b.slice(bounds, 0, 1, 2), [0])
        return b(graph.OrOp, hidden, b.compare("lt", place, start))
    if len(shape) == 4 and shape[2] >= total and shape[3] >= total:
        mask = b.slice(b.slice(mask, 2, total - rows, total), 3, 0, total)
    elif shape == (batch, rows, total):
        mask = b.unsqueeze(mask, [1])
    elif shape == (batch, total):
        mask = b.unsqueeze(mask, [1, 2])
    else:
        raise Unconvertible(
            f"a mask of shape {list(shape)}; required: [{batch}], [{2 * batch}], [{batch}, {total}] or "
            f"[{batch}, {rows}, {total}]"
        )
    return b.compare("le", mask, b.number(0, mask))


def _refuse(b: Node, *flags: str) -> None:
    """Raises: Unconvertible if one of these flags is set."""
    for flag in flags:
        if b.flag(flag):
            raise Unconvertible(f"attribute '{flag}' is {b.int(flag)}; mlc knows 0")


@converts("RotaryEmbedding", domain=RUNTIME_DOMAIN, rounds_once=True)
def rotary_embedding(b: Node) -> Results:
    """Rows of heads, turned by angles that depend on their positions."""
    _refuse(b, "is_packed_batching")
    shape = b.require_rank(0, 3, 4)
    for index in (2, 3):
        b.require_rank(index, 2)
    width = b.int("rotary_embedding_dim")
    heads = b.int("num_heads") or (1 if width else 0)
    heads = heads or max(shape[2] // (2 * b.shape(2)[1]), 1)
    x = b[0] if len(shape) == 4 else split_heads(b, b[0], heads)
    batch, rows = shape[0], shape_of(x)[2]
    cos, sin = angles(b, positions_of(b, b[1], batch, rows), b[2], b[3])
    result = rotated(b, x, cos, sin, b.flag("interleaved"))
    return result if len(shape) == 4 else b.reshape(b.transpose(result, (0, 2, 1, 3)), shape)


def positions_of(b: GraphBuilder, positions: SSAValue, batch: int, rows: int) -> SSAValue:
    """The positions of rows, `[batch, rows]`, of which the first may be all that is given."""
    if shape_of(positions) in ((), (1,)) and (batch, rows) != (1, 1):
        steps = b.constant(np.arange(rows)[None], element_of(positions))
        return b.broadcast(b.add(b.reshape(positions, (1, 1)), steps), (batch, rows))
    return b.reshape(positions, (batch, rows))


def angles(b: GraphBuilder, positions: SSAValue, *tables: SSAValue) -> Sequence[SSAValue]:
    """Rows of tables at positions, `[batch, 1, rows, pairs]`: one for all heads."""
    return [b.unsqueeze(b(graph.GatherOp, table, positions, 0), [1]) for table in tables]
