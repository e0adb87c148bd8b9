"""Normalisations of sums, and of embeddings, that ONNX Runtime's optimiser makes of several operators."""

from __future__ import annotations

from collections.abc import Sequence

from xdsl.dialects.builtin import i32
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts
from mlc.frontends.onnx.to_graph._qlinear import dequantized
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.open_shapes import cut, shape_sizes, splat
from mlc.frontends.operators.recurrent import plus
from mlc.frontends.operators.refusal import Unconvertible
from mlc.frontends.operators.sizes import bounds, in_symbols
from mlc.frontends.operators.statistics import inverse_root, mean_and_differences, mean_square


@converts("SkipLayerNormalization", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def skip_layer_normalization(b: Node) -> Results:
    """The norm of a sum, over the last dim, and that sum."""
    total, epsilon = _sum(b, b.optional(4)), b.float("epsilon")
    last = len(shape_of(total)) - 1
    result = _layer_norm(b, total, b[2], b.optional(3), epsilon)
    if not (b.wants(1) or b.wants(2)):
        return [result, None, None, total]
    mean, apart = mean_and_differences(b, total, [last])
    return [result, mean, inverse_root(b, mean_square(b, apart, [last], True), epsilon), total]


@converts("SkipSimplifiedLayerNormalization", domain=RUNTIME_DOMAIN, bounded=True, rounds_once=True)
def skip_simplified_layer_normalization(b: Node) -> Results:
    """A sum, divided by the root of the mean of its squares over the last dim, and that sum."""
    total, epsilon = _sum(b, b.optional(3)), b.float("epsilon")
    last = len(shape_of(total)) - 1
    deviation = inverse_root(b, mean_square(b, total, [last], True), epsilon) if b.wants(2) else None
    return [b(graph.RmsNormOp, total, b[2], last, epsilon), None, deviation, total]


def _sum(b: Node, bias: SSAValue | None) -> SSAValue:
    b.require_rank(0, 2, 3)
    return plus(b, b.add(b[0], b[1]), bias)


@converts("SimplifiedLayerNormalization", bounded=True, rounds_once=True)
def simplified_layer_normalization(b: Node) -> Results:
    """Over the dims from the axis on; the inverse of the root of the mean of squares is a result, too."""
    x, axis, epsilon = b[0], b.axis(), b.float("epsilon")
    scale = b.broadcast(b.cast(b[1], element_of(x)), b.shape()[axis:])
    result = b(graph.RmsNormOp, x, scale, axis, epsilon)
    if not b.wants(1):
        return result
    return [result, inverse_root(b, mean_square(b, x, range(axis, b.rank()), True), epsilon)]


def _layer_norm(b: GraphBuilder, x: SSAValue, scale: SSAValue, bias: SSAValue | None, epsilon: float) -> SSAValue:
    """Over the last dim."""
    bias = b.splat(0, shape_of(scale), element_of(x)) if bias is None else bias
    return b(graph.LayerNormOp, x, scale, bias, len(shape_of(x)) - 1, epsilon)


@converts("EmbedLayerNormalization", domain=RUNTIME_DOMAIN, bounded=True)
def embed_layer_normalization(b: Node) -> Results:
    """The norm of the sum of rows of tables: of words, of positions, and of segments if there are such."""
    wide = [b.optional(index) for index in range(2, 5)]
    found = _embedded(b, wide, b[5], b[6], b.optional(8))
    return [found[0], _mask_index(b, b.optional(7)), found[1]]


@converts("QEmbedLayerNormalization", domain=RUNTIME_DOMAIN, bounded=True)
def q_embed_layer_normalization(b: Node) -> Results:
    """The same of quantised tables and weights. Five tensors are followed by five scales and five zero points."""
    places = (2, 3, 4, 5, 6)
    scales, zeros = range(8, 13), range(13, 18)
    tables = [
        dequantized(b, b[x], b[scale], b.optional(zero)) if b.has(x) else None
        for x, scale, zero in zip(places, scales, zeros, strict=True)
    ]
    scale, bias = tables[3:]
    assert scale is not None and bias is not None
    return [_embedded(b, tables[:3], scale, bias, None)[0], _mask_index(b, b.optional(7))]


def _embedded(
    b: Node, tables: Sequence[SSAValue | None], scale: SSAValue, bias: SSAValue, positions: SSAValue | None
) -> tuple[SSAValue, SSAValue]:
    """The norm, and the sum of which it is."""
    b.require_rank(0, 2)
    batch, rows = shape_sizes(b, b[0])
    words, places, segments = tables
    assert words is not None and places is not None
    for name, table in zip(("word", "position", "segment"), tables, strict=True):
        if table is not None and len(shape_of(table)) != 2:
            raise Unconvertible(f"the table of {name} embeddings has {len(shape_of(table))} dims; required: 2")
    if positions is None:
        if shape_of(places)[0] < bounds(rows)[1]:
            raise Unconvertible(f"{in_symbols(rows)} words in a row, and a table of {shape_of(places)[0]} positions")
        place = b.unsqueeze(cut(b, places, 0, 0, rows, 1), [0])
    else:
        place = b(graph.GatherOp, places, positions, 0)
    total = b.add(b(graph.GatherOp, words, b[0], 0), place)
    if segments is not None:
        ids = b.optional(1) or splat(b, 0, [batch, rows], i32)
        total = b.add(total, b(graph.GatherOp, segments, ids, 0))
    return _layer_norm(b, total, scale, bias, b.float("epsilon")), total


def _mask_index(b: Node, mask: SSAValue | None) -> SSAValue:
    """How many words of each row a mask does not hide; 0 without one."""
    if mask is None:
        return splat(b, 0, shape_sizes(b, b[0])[:1], i32)
    return b.reduce("sum", mask, [1])
