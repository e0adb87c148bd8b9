"""Attention as ONNX Runtime's optimiser fuses it, `com.microsoft.Attention` and its kin."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt

import numpy as np
from xdsl.dialects.builtin import f32, i32, i64
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._qproducts import scaled_product
from mlc.frontends.operators.attention import attended, joined_heads, split_heads
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_shapes import counted, cut, expanded, joined, reshaped, shape_sizes
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.rotary import rotated
from mlc.frontends.operators.sizes import AnySize, bounds, in_symbols
from mlc.support.dtypes import least_of


@converts("Attention", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def attention(b: Node) -> Results:
    """Queries, keys and values are one product, side by side."""
    b.require_rank(0, 3)
    b.require_rank(1, 2)
    whole = b.matmul(b[0], b[1])
    if (bias := b.optional(2)) is not None:
        whole = b.add(whole, bias)
    return _of_itself(b, whole, b.optional(3), 4, b.optional(5))


@converts("QAttention", domain=RUNTIME_DOMAIN, bounded=True)
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
            joined(b, [b.squeeze(b.slice(before, 0, i, i + 1), [0]), new], 2) for i, new in enumerate((key, value))
        )
    result = _attended(b, query, key, value, shape_sizes(b, key)[2] - shape_sizes(b, query)[2], mask, bias)
    if not b.wants(1):
        return [result]
    return [result, b.concat([b.unsqueeze(each, [0]) for each in (key, value)], 0)]


@converts("MultiHeadAttention", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def multi_head_attention(b: Node) -> Results:
    """Of queries to keys and values that are operands of their own, or packed together."""
    for index in (8, 9):
        if b.has(index):
            raise Unconvertible(f"input '{b.operand_name(index)}' is there; mlc keeps no buffers of keys and values")
    heads = b.int("num_heads")
    query, key, value = _packed(b, heads)
    if b.has(6) != b.has(7):
        raise Unconvertible("only one of 'past_key' and 'past_value' is there; required: both or none")
    past: AnySize = 0
    if b.has(6):
        b.require_rank(6, 4)
        b.require_rank(7, 4)
        past = shape_sizes(b, b[6])[2]
        key, value = joined(b, [b[6], key], 2), joined(b, [b[7], value], 2)
    return [_attended(b, query, key, value, past, b.optional(4), b.optional(5)), key, value]


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
    b: Node,
    query: SSAValue,
    key: SSAValue,
    value: SSAValue,
    past: AnySize,
    mask: SSAValue | None,
    bias: SSAValue | None,
) -> SSAValue:
    """Attention with what a node says of masks and of the scale; so many keys are `past`, which all rows see."""
    batch, _, rows, _ = shape_sizes(b, query)
    total, size = shape_sizes(b, key)[2], shape_of(query)[3]
    if bias is not None and len(shape_of(bias)) != 4:
        raise Unconvertible(f"input 'attention_bias' has {len(shape_of(bias))} dims; required: 4")
    hidden = None if mask is None else _hidden(b, mask, batch, rows, total)
    if hidden is not None:
        filter_value = b.number(b.float("mask_filter_value", -10000.0), query)
        own = b.where(hidden, filter_value, b.number(0, query))
    else:
        own = None
    if b.flag("unidirectional"):
        if total - past != rows:  # the runtime lets the last row see all keys, and the others as many as before them
            found = f"queries of {in_symbols(rows)} rows and keys of {in_symbols(total - past)}"
            raise Unconvertible(f"attribute 'unidirectional' is 1 for {found}; required: as many")
        last = b.add(counted(b, 0, rows, 1, i64), b.extent(past))
        behind = b.compare("gt", counted(b, 0, total, 1, i64), b.unsqueeze(last, [1]))
        least = b.number(least_of(element_of(query)), query)
        own = b.where(behind, least, b.number(0, query) if own is None else own)
    if bias is not None:
        own = bias if own is None else b.add(own, bias)
    return attended(b, query, key, value, b.float("scale") or 1 / sqrt(size), own)


def _hidden(b: GraphBuilder, mask: SSAValue, batch: AnySize, rows: AnySize, total: AnySize) -> SSAValue:
    """Where a query does not see a key, `[batch, 1, rows or 1, total]`: by 0 in a mask, or by where rows end, and
    where they start."""
    sizes = shape_sizes(b, mask)
    if sizes in ([batch], [2 * batch]):
        place = counted(b, 0, total, 1, i32)
        if sizes == [batch]:
            return b.compare("ge", place, b.unsqueeze(b.cast(mask, i32), [1, 2, 3]))
        bounds_of_rows = b.reshape(b.cast(mask, i32), (2, shape_of(mask)[0] // 2, 1, 1, 1))
        end, start = (b.squeeze(b.slice(bounds_of_rows, 0, i, i + 1), [0]) for i in (0, 1))
        return b(graph.OrOp, b.compare("ge", place, end), b.compare("lt", place, start))
    if len(sizes) == 4 and all(bounds(size - total)[0] >= 0 for size in sizes[2:]):
        mask = cut(b, cut(b, mask, 2, total - rows, total, 1), 3, 0, total, 1)
    elif sizes == [batch, rows, total]:
        mask = b.unsqueeze(mask, [1])
    elif sizes == [batch, total]:
        mask = b.unsqueeze(mask, [1, 2])
    else:
        shown, *known = (in_symbols(size) for size in (2 * batch, batch, rows, total))
        raise Unconvertible(
            f"a mask of shape [{', '.join(map(in_symbols, sizes))}]; required: [{known[0]}], [{shown}], "
            f"[{known[0]}, {known[2]}] or [{', '.join(known)}]"
        )
    return b.compare("le", mask, b.number(0, mask))


def _refuse(b: Node, *flags: str) -> None:
    """Raises: Unconvertible if one of these flags is set."""
    for flag in flags:
        if b.flag(flag):
            raise Unconvertible(f"attribute '{flag}' is {b.int(flag)}; mlc knows 0")


@converts("RotaryEmbedding", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
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
    batch, _, rows, _ = shape_sizes(b, x)
    cos, sin = angles(b, positions_of(b, b[1], batch, rows), b[2], b[3])
    result = rotated(b, x, cos, sin, b.flag("interleaved"))
    return result if len(shape) == 4 else joined_heads(b, result)


def positions_of(b: GraphBuilder, positions: SSAValue, batch: AnySize, rows: AnySize) -> SSAValue:
    """The positions of rows, `[batch, rows]`, of which the first may be all that is given."""
    if shape_of(positions) in ((), (1,)) and (batch, rows) != (1, 1):
        steps = b.unsqueeze(counted(b, 0, rows, 1, element_of(positions)), [0])
        return expanded(b, b.add(b.reshape(positions, (1, 1)), steps), [batch, rows])
    return reshaped(b, positions, [batch, rows])


def angles(b: GraphBuilder, positions: SSAValue, *tables: SSAValue) -> Sequence[SSAValue]:
    """Rows of tables at positions, `[batch, 1, rows, pairs]`: one for all heads."""
    return [b.unsqueeze(b(graph.GatherOp, table, positions, 0), [1]) for table in tables]
