"""Gemma 3 (arXiv:2503.19786): five layers that see a window of the last tokens, then one that sees all."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.frontends.gguf.hyperparameters import Hyperparameters
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.weight_matrices import ModelWeights
from mlc.nn.attention import Attention, KeyValueCaches
from mlc.nn.decoder import Decoder
from mlc.nn.linear import Embedding, Linear
from mlc.nn.mlp import Gated, gelu_tanh
from mlc.nn.places import TokenPlaces
from mlc.nn.rotary import Rotary

_LOCAL_BASE = 10000.0


class Gemma3(Decoder):
    """Norms stand before and after attention and GeGLU; heads of queries and keys are normalised. Embeddings are
    scaled by the root of the width. Files have norms as what is multiplied with, not as what is added to 1."""

    name = "gemma3"

    def __init__(self, hyper: Hyperparameters) -> None:
        super().__init__(hyper)
        self.hidden = hyper.sizes("feed_forward_length", self.layers)
        self.scale = hyper.number("attention.scale", self.key_size**-0.5)
        self.window = hyper.size("attention.sliding_window")
        self.period = hyper.size("attention.sliding_window_pattern", 6)
        self.base = hyper.number("rope.freq_base", 1e6)
        self.local_base = hyper.number("rope.freq_base_swa", _LOCAL_BASE)
        self.stretch = hyper.number("rope.scaling.factor", 1.0) or 1.0
        if self.key_size % 2 or not self.base or not self.local_base:
            found = f"heads have {self.key_size} elements, and frequencies the bases {self.base} and {self.local_base}"
            raise hyper.file.error(f"{found}; required: an even number, and bases that are not 0")
        self.final_cap = hyper.number("final_logit_softcapping", 0.0) or None

    def embedding(self, weights: ModelWeights) -> Embedding:
        return Embedding(super().embedding(weights).table, self.width**0.5)

    def sees_all(self, i: int) -> bool:
        """Whether layer `i` has no window."""
        return (i + 1) % self.period == 0

    def layer(
        self, b: GraphBuilder, weights: ModelWeights, i: int, x: SSAValue, places: TokenPlaces, caches: KeyValueCaches
    ) -> tuple[SSAValue, KeyValueCaches]:
        def norm(name: str, x: SSAValue) -> SSAValue:
            return self.norm(weights, f"blk.{i}.{name}")(b, x, places)

        y, caches = self.attention(weights, i)(b, norm("attn_norm", x), places, caches)
        x = b.add(x, norm("post_attention_norm", y))
        y = self.mlp(weights, i)(b, norm("ffn_norm", x))
        return b.add(x, norm("post_ffw_norm", y)), caches

    def attention(self, weights: ModelWeights, i: int) -> Attention:
        """The attention of layer `i`."""
        at, queries, keys = f"blk.{i}.attn", self.heads * self.key_size, self.shared[i] * self.key_size
        q, k = (self.norm(weights, f"{at}_{each}_norm", self.key_size) for each in "qk")
        everything = Rotary(self.key_size // 2, self.base, False, 1 / self.stretch)
        local = Rotary(self.key_size // 2, self.local_base, False)
        return Attention(
            query=Linear.of(weights, f"{at}_q", queries, self.width),
            key=Linear.of(weights, f"{at}_k", keys, self.width),
            value=Linear.of(weights, f"{at}_v", self.shared[i] * self.value_size, self.width),
            output=Linear.of(weights, f"{at}_output", self.width, self.heads * self.value_size),
            heads=self.heads,
            scale=self.scale,
            rotary=everything if self.sees_all(i) else local,
            query_norm=q,
            key_norm=k,
            window=None if self.sees_all(i) else self.window,
            name=at,
        )

    def mlp(self, weights: ModelWeights, i: int) -> Gated:
        """The layer after attention."""
        at, hidden = f"blk.{i}.ffn", self.hidden[i]
        gate, up = (Linear.of(weights, f"{at}_{each}", hidden, self.width) for each in ("gate", "up"))
        return Gated(gate, up, Linear.of(weights, f"{at}_down", self.width, hidden), gelu_tanh, at)
