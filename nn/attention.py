"""Attention over keys and values that are kept in caches."""

from __future__ import annotations

from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.nn.linear import Linear
from mlc.nn.norm import RMSNorm
from mlc.nn.places import TokenPlaces
from mlc.nn.rotary import Rotary

KeyValueCache = tuple[SSAValue, SSAValue]
"""The keys, `[heads, size, places]`, and the values, `[heads, places, size]`: products with both read neighbours. They
may be stored as f16, of which products are computed in f32."""


def softly_capped(b: GraphBuilder, x: SSAValue, cap: float | None) -> SSAValue:
    """`cap tanh(x / cap)`, or `x` without a cap."""
    return x if cap is None else b.scaled(b(graph.TanhOp, b.scaled(x, 1 / cap)), cap)


@dataclass(frozen=True)
class Attention:
    """`softmax(scale q k^T) v` of heads, of which several share a head of keys and values (Ainslie et al., "GQA",
    arXiv:2305.13245).

    Attributes:
        heads: how many heads queries have; a multiple of those of the caches.
        scale: what scores are multiplied with.
        rotary: turns queries and keys; None if nothing does.
        query_norm, key_norm: normalise each head before.
        window: how many of the last places a token sees, its own one included; None for all.
        cap: limits scores to `cap tanh(s / cap)`.
    """

    query: Linear
    key: Linear
    value: Linear
    output: Linear
    heads: int
    scale: float
    rotary: Rotary | None = None
    query_norm: RMSNorm | None = None
    key_norm: RMSNorm | None = None
    window: int | None = None
    cap: float | None = None

    def __call__(
        self, b: GraphBuilder, x: SSAValue, places: TokenPlaces, cache: KeyValueCache
    ) -> tuple[SSAValue, KeyValueCache]:
        """`[n, width]` and the cache: the same with the new tokens in it."""
        n, (shared, size, _), depth = places.n, shape_of(cache[0]), shape_of(cache[1])[2]
        q = self._prepared(b, self.query(b, x), (n, self.heads, size), self.query_norm, places)
        k = self._prepared(b, self.key(b, x), (n, shared, size), self.key_norm, places)
        v = b.reshape(self.value(b, x), (n, shared, depth))
        k, v = (b.cast(new, element_of(old)) for new, old in zip((k, v), cache, strict=True))
        keys, values = places.written(b, cache[0], 2, k), places.written(b, cache[1], 1, v)
        each = self.heads // shared
        rows = b.reshape(b.transpose(q, (1, 0, 2)), (shared, each * n, size))
        scores = softly_capped(b, b.matmul(b.scaled(rows, self.scale), b.widened(keys)), self.cap)
        weights = b(graph.SoftmaxOp, places.only_seen(b, scores, self.window), 2)
        seen = b.matmul(weights, b.widened(values))
        joined = b.transpose(b.reshape(seen, (self.heads, n, depth)), (1, 0, 2))
        return self.output(b, b.reshape(joined, (n, self.heads * depth))), (keys, values)

    def _prepared(
        self, b: GraphBuilder, x: SSAValue, shape: tuple[int, int, int], norm: RMSNorm | None, places: TokenPlaces
    ) -> SSAValue:
        x = b.reshape(x, shape)
        x = x if norm is None else norm(b, x)
        return x if self.rotary is None else self.rotary(b, x, places)
