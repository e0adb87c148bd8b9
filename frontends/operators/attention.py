"""Attention by heads: `softmax(scale q k^T + bias) v`."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.refusal import Unconvertible


def swapped(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """The last two dims in each other's place."""
    rank = len(shape_of(x))
    return b.transpose(x, [*range(rank - 2), rank - 1, rank - 2])


def split_heads(b: GraphBuilder, x: SSAValue, heads: int) -> SSAValue:
    """`[batch, rows, size of all heads]` as `[batch, head, rows, size]`.

    Raises:
        Unconvertible: the heads are not of one size.
    """
    batch, rows, size = shape_of(x)
    if heads < 1 or not size or size % heads:
        raise Unconvertible(f"{size} columns are not those of {heads} heads of one size")
    return b.transpose(b.reshape(x, (batch, rows, heads, size // heads)), (0, 2, 1, 3))


def joined_heads(b: GraphBuilder, x: SSAValue) -> SSAValue:
    """`[batch, head, rows, size]` as `[batch, rows, size of all heads]`."""
    batch, heads, rows, size = shape_of(x)
    return b.reshape(b.transpose(x, (0, 2, 1, 3)), (batch, rows, heads * size))


def for_each_head(b: GraphBuilder, x: SSAValue, heads: int) -> SSAValue:
    """Heads of keys or of values, `[…, head, rows, size]`, each as often as there are heads of queries that share it;
    `heads` is a multiple of them."""
    *front, own, rows, size = shape_of(x)
    if own == heads:
        return x
    wide = b.broadcast(b.unsqueeze(x, [len(front) + 1]), (*front, own, heads // own, rows, size))
    return b.reshape(wide, (*front, heads, rows, size))


def scores_of(b: GraphBuilder, query: SSAValue, key: SSAValue, scale: float, bias: SSAValue | None) -> SSAValue:
    """`scale q k^T + bias`, `[batch, head, rows of queries, rows of keys]`."""
    scores = b.scaled(b.matmul(query, swapped(b, key)), scale)
    return scores if bias is None else b.add(scores, bias)


def attended(
    b: GraphBuilder, query: SSAValue, key: SSAValue, value: SSAValue, scale: float, bias: SSAValue | None
) -> SSAValue:
    """`softmax(scale q k^T + bias) v`, `[batch, rows, size of all heads]`, of operands with heads of their own."""
    weights = b(graph.SoftmaxOp, scores_of(b, query, key, scale, bias), 3)
    return joined_heads(b, b.matmul(weights, value))
