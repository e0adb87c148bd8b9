"""Llama (Touvron et al., arXiv:2302.13971), and what has its layers: Mistral, SmolLM."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.frontends.gguf.hyperparameters import Hyperparameters
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.weight_matrices import ModelWeights
from mlc.nn.attention import Attention, KeyValueCaches
from mlc.nn.decoder import Decoder
from mlc.nn.linear import Linear
from mlc.nn.mlp import Gated, silu
from mlc.nn.places import TokenPlaces
from mlc.nn.rotary import Rotary


class Llama(Decoder):
    """Layers `x + attention(norm(x))` and `x + swiglu(norm(x))`; heads turn neighbours of their elements."""

    name = "llama"
    INTERLEAVED = True

    def __init__(self, hyper: Hyperparameters) -> None:
        super().__init__(hyper)
        self.hidden = hyper.sizes("feed_forward_length", self.layers)
        self.scale = hyper.number("attention.scale", self.key_size**-0.5)
        self.base = hyper.number("rope.freq_base", 10000.0)
        self.pairs = hyper.size("rope.dimension_count", self.key_size) // 2
        if 2 * self.pairs > self.key_size or not self.pairs or not self.base:
            raise hyper.file.error(
                f"heads of {self.key_size} elements turn {self.pairs} pairs by frequencies of the base {self.base}; "
                f"required: 1 to {self.key_size // 2} pairs, and a base that is not 0"
            )
        self.stretch = 1.0
        match hyper.word("rope.scaling.type", "none"):
            case "none":
                pass
            case "linear":
                self.stretch = hyper.number("rope.scaling.factor", 1.0) or 1.0
            case kind:
                raise hyper.file.error(f"'rope.scaling.type' is '{kind}'; required: none or linear")

    def layer(
        self, b: GraphBuilder, weights: ModelWeights, i: int, x: SSAValue, places: TokenPlaces, caches: KeyValueCaches
    ) -> tuple[SSAValue, KeyValueCaches]:
        y, caches = self.attention(weights, i)(
            b, self.norm(weights, f"blk.{i}.attn_norm")(b, x, places), places, caches
        )
        x = b.add(x, y)
        return b.add(x, self.mlp(weights, i)(b, self.norm(weights, f"blk.{i}.ffn_norm")(b, x, places))), caches

    def rotary(self, weights: ModelWeights, i: int) -> Rotary:
        """How layer `i` turns queries and keys."""
        factors = weights.vector("rope_freqs.weight", self.pairs) if weights.has("rope_freqs.weight") else None
        return Rotary(self.pairs, self.base, self.INTERLEAVED, 1 / self.stretch, factors)

    def attention(self, weights: ModelWeights, i: int) -> Attention:
        """The attention of layer `i`."""
        at, queries, keys = f"blk.{i}.attn", self.heads * self.key_size, self.shared[i] * self.key_size
        return Attention(
            query=Linear.of(weights, f"{at}_q", queries, self.width),
            key=Linear.of(weights, f"{at}_k", keys, self.width),
            value=Linear.of(weights, f"{at}_v", self.shared[i] * self.value_size, self.width),
            output=Linear.of(weights, f"{at}_output", self.width, self.heads * self.value_size),
            heads=self.heads,
            scale=self.scale,
            rotary=self.rotary(weights, i),
            name=at,
        )

    def mlp(self, weights: ModelWeights, i: int) -> Gated:
        """The layer after attention."""
        at, hidden = f"blk.{i}.ffn", self.hidden[i]
        return Gated(
            gate=Linear.of(weights, f"{at}_gate", hidden, self.width),
            up=Linear.of(weights, f"{at}_up", hidden, self.width),
            down=Linear.of(weights, f"{at}_down", self.width, hidden),
            activation=silu,
            name=at,
        )
