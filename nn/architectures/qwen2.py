"""Qwen2 (arXiv:2407.10671): Llama with biases of queries, keys and values, and halves of heads that turn."""

from __future__ import annotations

from mlc.nn.architectures.llama import Llama


class Qwen2(Llama):
    """`Linear.of` takes the biases that are there."""

    name = "qwen2"
    INTERLEAVED = False
