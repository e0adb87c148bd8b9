"""Attention over keys and values that are kept in caches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import element_of, shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.nn.linear import Linear
from mlc.nn.naming import named
from mlc.nn.norm import LayerNorm, RMSNorm
from mlc.nn.places import TokenPlaces
from mlc.nn.rotary import Rotary

KeyValueCache = tuple[SSAValue, SSAValue]
"""The keys, `[heads, size, places]`, and the values, `[heads, places, size]`: products with both read neighbours. They
may be stored as f16, of which products are computed in f32."""
KeyValueCaches = Sequence[KeyValueCache]
"""Those of a layer, one for each sequence of a call."""


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
        name: what its ops are called, but for those of the layers in it.
    """

    query: Linear
    key: Linear
    value: Linear
    output: Linear
    heads: int
    scale: float
    rotary: Rotary | None = None
    query_norm: RMSNorm | LayerNorm | None = None
    key_norm: RMSNorm | LayerNorm | None = None
    window: int | None = None
    cap: float | None = None
    name: str = ""

    def __call__(
        self, b: GraphBuilder, x: SSAValue, places: TokenPlaces, caches: KeyValueCaches
    ) -> tuple[SSAValue, KeyValueCaches]:
        """`[n, width]` and the caches: the same with the new tokens in them."""
        with named(b, self.name):
            return self._attend(b, x, places, caches)

    def _attend(
        self, b: GraphBuilder, x: SSAValue, places: TokenPlaces, caches: KeyValueCaches
    ) -> tuple[SSAValue, KeyValueCaches]:
        n, (shared, size, _), depth = places.n, shape_of(caches[0][0]), shape_of(caches[0][1])[2]
        q = self._prepared(b, self.query(b, x), (n, self.heads, size), self.query_norm, places)
        k = self._prepared(b, self.key(b, x), (n, shared, size), self.key_norm, places)
        v = b.reshape(self.value(b, x), (n, shared, depth))
        k, v = (b.cast(new, element_of(old)) for new, old in zip((k, v), caches[0], strict=True))
        if not places.sequences:
            seen, cache = self._seen(b, q, k, v, places, caches[0])
            return self.output(b, seen), [cache]
        found: list[tuple[SSAValue, KeyValueCache]] = []
        for i, (own, cache) in enumerate(zip(places.sequences, caches, strict=True)):
            one_q, one_k, one_v = (b.slice(each, 0, i, i + 1) for each in (q, k, v))
            found.append(self._seen(b, one_q, one_k, one_v, own, cache))
        return self.output(b, b.concat([seen for seen, _ in found], 0)), [cache for _, cache in found]

    def _seen(
        self, b: GraphBuilder, q: SSAValue, k: SSAValue, v: SSAValue, places: TokenPlaces, cache: KeyValueCache
    ) -> tuple[SSAValue, KeyValueCache]:
        """What the tokens of one sequence see, `[n, heads * depth]`, and its cache with them in it."""
        n, (shared, size, _), depth = places.n, shape_of(cache[0]), shape_of(cache[1])[2]
        keys, values = places.written(b, cache[0], 2, k), places.written(b, cache[1], 1, v)
        each = self.heads // shared
        rows = b.reshape(b.transpose(q, (1, 0, 2)), (shared, each * n, size))
        scores = softly_capped(b, b.matmul(b.scaled(rows, self.scale), b.widened(keys)), self.cap)
        weights = b(graph.SoftmaxOp, places.only_seen(b, scores, self.window), 2)
        seen = b.matmul(weights, b.widened(values))
        joined = b.transpose(b.reshape(seen, (self.heads, n, depth)), (1, 0, 2))
        return b.reshape(joined, (n, self.heads * depth)), (keys, values)

    def _prepared(
        self,
        b: GraphBuilder,
        x: SSAValue,
        shape: tuple[int, int, int],
        norm: RMSNorm | LayerNorm | None,
        places: TokenPlaces,
    ) -> SSAValue:
        x = b.reshape(x, shape)
        x = x if norm is None else norm(b, x, places)
        return x if self.rotary is None else self.rotary(b, x, places)
