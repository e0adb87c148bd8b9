"""Qwen3 (arXiv:2505.09388): Llama with norms of each head of queries and keys, and halves of heads that turn."""

from __future__ import annotations

from dataclasses import replace

from mlc.frontends.operators.weight_matrices import ModelWeights
from mlc.nn.architectures.llama import Llama
from mlc.nn.attention import Attention


class Qwen3(Llama):
    """The size of a head is not that of the width."""

    name = "qwen3"
    INTERLEAVED = False

    def attention(self, weights: ModelWeights, i: int) -> Attention:
        q, k = (self.norm(weights, f"blk.{i}.attn_{each}_norm", self.key_size) for each in "qk")
        return replace(super().attention(weights, i), query_norm=q, key_norm=k)
