"""What decoders have in common: tokens to rows, layer after layer, the last row to logits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.gguf.hyperparameters import Hyperparameters
from mlc.frontends.gguf.language_model import CacheShape, Decoded, LanguageModel, TokenChunk
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.weight_matrices import ModelWeights
from mlc.nn.attention import KeyValueCaches, softly_capped
from mlc.nn.linear import Embedding, Linear
from mlc.nn.naming import named
from mlc.nn.norm import LayerNorm, RMSNorm
from mlc.nn.places import TokenPlaces


class Decoder(LanguageModel):
    """A model with keys and values for each layer.

    Attributes:
        heads: how many heads queries have.
        shared: how many heads keys and values have, in each layer.
        key_size, value_size: the elements of a head of keys, and of values.
        epsilon: that of norms.
    """

    EPSILON = "attention.layer_norm_rms_epsilon"

    def __init__(self, hyper: Hyperparameters) -> None:
        super().__init__(hyper)
        self.heads = hyper.size("attention.head_count")
        self.shared = hyper.sizes("attention.head_count_kv", self.layers, self.heads)
        if any(self.heads % each for each in self.shared):
            found = f"'{hyper.architecture}.attention.head_count_kv' is {max(self.shared)}"
            raise hyper.file.error(f"{found}; required: a divisor of {self.heads}, the heads of queries")
        self.key_size = hyper.size("attention.key_length", max(self.width // self.heads, 1))
        self.value_size = hyper.size("attention.value_length", self.key_size)
        self.epsilon = hyper.number(self.EPSILON)

    @property
    def caches(self) -> Sequence[CacheShape]:
        kinds = ("keys", self.key_size, None), ("values", None, self.value_size)
        return [CacheShape(f"{k}{i}", (self.shared[i], *e)) for i in range(self.layers) for k, *e in kinds]

    def decode(self, b: GraphBuilder, weights: ModelWeights, chunk: TokenChunk) -> Decoded:
        size, length, count = shape_of(chunk.tokens)[0], shape_of(chunk.caches[0])[2], 2 * self.layers
        with named(b, "places"):
            if chunk.seen:
                places = TokenPlaces.of_sequences(b, chunk.position, chunk.seen, length)
            else:
                places = TokenPlaces.of(b, chunk.position, size, length)
        embedding = self.embedding(weights)
        with named(b, "token_embd"):
            x = self.embedded(b, weights, embedding, chunk.tokens, places)
        starts, caches = range(0, len(chunk.caches), count), list(chunk.caches)
        for i in range(self.layers):
            of_layer = [(caches[at + 2 * i], caches[at + 2 * i + 1]) for at in starts]
            with named(b, f"blk.{i}"):
                x, kept = self.layer(b, weights, i, x, places, of_layer)
            for at, pair in zip(starts, kept, strict=True):
                caches[at + 2 * i : at + 2 * i + 2] = pair
        with named(b, "output"):
            if not chunk.seen and size > 1:
                last = b.reshape(b.sub(chunk.count, b.constant(np.int64(1))), (1,))
                x = b(graph.GatherOp, x, last, 0)
            head = Linear.of(weights, "output", self.vocabulary, self.width) if weights.has("output.weight") else None
            hidden = self.norm(weights, "output_norm")(b, x, places)
            y = (head or Linear(embedding.table))(b, hidden)
            return Decoded(softly_capped(b, y, self.final_cap), hidden, caches)

    final_cap: float | None = None
    """What logits are limited by."""

    def embedding(self, weights: ModelWeights) -> Embedding:
        """The table of tokens."""
        return Embedding(weights.matrix("token_embd.weight", self.vocabulary, self.width))

    def embedded(
        self, b: GraphBuilder, weights: ModelWeights, embedding: Embedding, tokens: SSAValue, places: TokenPlaces
    ) -> SSAValue:
        """The rows that the first layer takes."""
        return embedding(b, tokens)

    def norm(self, weights: ModelWeights, name: str, size: int | None = None) -> RMSNorm | LayerNorm:
        """The norm whose weights are called `<name>.weight`."""
        return RMSNorm(weights.vector(f"{name}.weight", size or self.width), self.epsilon, name)

    @abstractmethod
    def layer(
        self, b: GraphBuilder, weights: ModelWeights, i: int, x: SSAValue, places: TokenPlaces, caches: KeyValueCaches
    ) -> tuple[SSAValue, KeyValueCaches]:
        """Layer `i` of rows, and its caches with the new tokens in them."""
