"""Distances between rows."""

from __future__ import annotations

from mlc.dialects import graph
from mlc.dialects.onnx.contributed import RUNTIME_DOMAIN
from mlc.frontends.onnx.to_graph._node import Node
from mlc.frontends.onnx.to_graph._patterns import Results, converts


@converts("CDist", domain=RUNTIME_DOMAIN, bounded=True)
def distances(b: Node) -> Results:
    """Between each row of A and each of B: `|a|^2 - 2 a b + |b|^2`, never negative, or its root."""
    b.require_rank(0, 2)
    b.require_rank(1, 2)
    metric = b.one_of("metric", "sqeuclidean", "euclidean")
    left = b.reduce("sum", b.squared(b[0]), [1], True)
    right = b.unsqueeze(b.reduce("sum", b.squared(b[1]), [1]), [0])
    products = b.matmul(b.scaled(b[0], -2), b.transpose(b[1], (1, 0)))
    found = b.maximum(b.add(b.add(left, products), right), b.number(0, left))
    return b(graph.SqrtOp, found) if metric == "euclidean" else found
