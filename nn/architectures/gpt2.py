"""GPT-2 (Radford et al., "Language Models are Unsupervised Multitask Learners", 2019)."""

from __future__ import annotations

from xdsl.ir import SSAValue

from mlc.frontends.gguf.hyperparameters import Hyperparameters
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.weight_matrices import ModelWeights
from mlc.nn.attention import Attention, KeyValueCaches
from mlc.nn.decoder import Decoder
from mlc.nn.linear import Embedding, Linear
from mlc.nn.mlp import Mlp, gelu_tanh
from mlc.nn.norm import LayerNorm
from mlc.nn.places import TokenPlaces


class Gpt2(Decoder):
    """Places have embeddings of their own; nothing turns. Norms have means and biases."""

    name = "gpt2"
    EPSILON = "attention.layer_norm_epsilon"

    def __init__(self, hyper: Hyperparameters) -> None:
        super().__init__(hyper)
        self.hidden = hyper.size("feed_forward_length")

    def embedded(
        self, b: GraphBuilder, weights: ModelWeights, embedding: Embedding, tokens: SSAValue, places: TokenPlaces
    ) -> SSAValue:
        table = weights.matrix("position_embd.weight", self.context, self.width)
        return b.add(embedding(b, tokens), table.at(b, places.rows))

    def norm(self, weights: ModelWeights, name: str, size: int | None = None) -> LayerNorm:
        scale, bias = (weights.vector(f"{name}.{part}", size or self.width) for part in ("weight", "bias"))
        return LayerNorm(scale, bias, self.epsilon, name)

    def layer(
        self, b: GraphBuilder, weights: ModelWeights, i: int, x: SSAValue, places: TokenPlaces, caches: KeyValueCaches
    ) -> tuple[SSAValue, KeyValueCaches]:
        at, size = f"blk.{i}", self.heads * self.key_size
        whole = Linear.of(weights, f"{at}.attn_qkv", 3 * size, self.width)
        attention = Attention(
            *(whole.part(part * size, size) for part in range(3)),
            output=Linear.of(weights, f"{at}.attn_output", self.width, size),
            heads=self.heads,
            scale=self.key_size**-0.5,
            name=f"{at}.attn",
        )
        mlp = Mlp(
            up=Linear.of(weights, f"{at}.ffn_up", self.hidden, self.width),
            down=Linear.of(weights, f"{at}.ffn_down", self.width, self.hidden),
            activation=gelu_tanh,
            name=f"{at}.ffn",
        )
        y, caches = attention(b, self.norm(weights, f"{at}.attn_norm")(b, x, places), places, caches)
        x = b.add(x, y)
        return b.add(x, mlp(b, self.norm(weights, f"{at}.ffn_norm")(b, x, places))), caches
