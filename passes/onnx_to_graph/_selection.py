"""Operators whose result is as large as data says, where that data is known when the model is compiled."""

from __future__ import annotations

import numpy as np

from mlc.dialects import graph, onnx
from mlc.passes.lowering import lowers
from mlc.passes.onnx_to_graph._builder import GraphBuilder
from mlc.passes.onnx_to_graph._node import Node
from mlc.passes.onnx_to_graph._patterns import PASS, FromOnnx, Results


@lowers(PASS, onnx.op("NonZero"))
class NonZero(FromOnnx):
    """The coordinates of all elements that are not 0, a row per dim."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        return b.constant(np.asarray(np.nonzero(node.known(0)), np.int64).reshape(node.rank(), -1))


@lowers(PASS, onnx.op("Compress"))
class Compress(FromOnnx):
    """The slices, or without an axis the elements, for which a known condition holds; where it ends, it does not."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        places = np.flatnonzero(node.known(1))
        if node.attribute("axis") is not None:
            return b(graph.GatherOp, node[0], b.constant(places.astype(np.int64)), node.axis())
        count = int(np.prod(node.shape()))
        return b(graph.GatherOp, b.reshape(node[0], (count,)), b.constant(places.astype(np.int64)), 0)


@lowers(PASS, onnx.op("Unique"))
class Unique(FromOnnx):
    """The different elements or slices, sorted or as they first occur; where, which one each is, and how often."""

    def build(self, node: Node, b: GraphBuilder) -> Results:
        x = node.known(0)
        axis = None if node.attribute("axis") is None else node.axis()
        values, first, inverse, counts = np.unique(x, True, True, True, axis=axis)
        if not node.int("sorted", 1):
            order = np.argsort(first, kind="stable")
            rank = np.empty_like(order)
            rank[order] = np.arange(order.size)
            values = np.take(values, order, 0 if axis is None else axis)
            first, inverse, counts = first[order], rank[inverse], counts[order]
        positions = [b.constant(np.ravel(each).astype(np.int64)) for each in (first, inverse, counts)]
        return [b.constant(values, node.element()), *positions]
