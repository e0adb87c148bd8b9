"""Phi-3 (arXiv:2404.14219): Llama whose queries, keys and values are one matrix, as are the gate and what it gates."""

from __future__ import annotations

from mlc.frontends.gguf.hyperparameters import Hyperparameters
from mlc.frontends.operators.weight_matrices import ModelWeights
from mlc.nn.architectures.llama import Llama
from mlc.nn.attention import Attention
from mlc.nn.linear import Linear
from mlc.nn.mlp import Gated, silu


class Phi3(Llama):
    """Halves of heads turn. A window limits what a token sees, if there is one."""

    name = "phi3"
    INTERLEAVED = False

    def __init__(self, hyper: Hyperparameters) -> None:
        super().__init__(hyper)
        self.window = hyper.size("attention.sliding_window", self.context)
        if "rope_factors_long.weight" in hyper.file.tensors:
            found = "it has frequencies for long and for short contexts (rope_factors_long)"
            raise hyper.file.error(f"{found}; required: a model of one context, such as Phi-3-mini-4k")

    def attention(self, weights: ModelWeights, i: int) -> Attention:
        at, queries, keys = f"blk.{i}.attn", self.heads * self.key_size, self.shared[i] * self.key_size
        values = self.shared[i] * self.value_size
        whole = Linear.of(weights, f"{at}_qkv", queries + keys + values, self.width)
        return Attention(
            query=whole.part(0, queries),
            key=whole.part(queries, keys),
            value=whole.part(queries + keys, values),
            output=Linear.of(weights, f"{at}_output", self.width, self.heads * self.value_size),
            heads=self.heads,
            scale=self.scale,
            rotary=self.rotary(weights, i),
            window=self.window,
            name=at,
        )

    def mlp(self, weights: ModelWeights, i: int) -> Gated:
        at, hidden = f"blk.{i}.ffn", self.hidden[i]
        whole = Linear.of(weights, f"{at}_up", 2 * hidden, self.width)
        down = Linear.of(weights, f"{at}_down", self.width, hidden)
        return Gated(whole.part(0, hidden), whole.part(hidden, hidden), down, silu, at)
