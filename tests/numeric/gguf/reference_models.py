"""Language models in f64, one function for each part, from files that the package `gguf` reads: no code of mlc."""

# The package has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from math import pi, sqrt
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import quants
from numpy.typing import NDArray

Array = NDArray[np.float64]


class ReferenceModel:
    """The model in a file; logits of all tokens at once, without caches. Keys and values may be rounded to a type, and
    rows before products as llama.cpp rounds them for weights in blocks of 32."""

    def __init__(
        self, path: Path, stored_as: type[np.floating[Any]] = np.float64, *, rounds_rows: bool = False
    ) -> None:
        self._stored_as, self._rounds_rows = stored_as, rounds_rows
        reader = gguf.GGUFReader(path)
        self.fields = {name: field.contents() for name, field in reader.fields.items() if field.types}
        self.name = str(self.fields["general.architecture"])
        self._stored = {tensor.name: tensor for tensor in reader.tensors}
        self._decoded: dict[str, Array] = {}

    def of(self, key: str, default: Any = None) -> Any:
        """A number of the architecture."""
        return self.fields.get(f"{self.name}.{key}", default)

    def tensor(self, name: str) -> Array:
        """The numbers of a tensor."""
        if name not in self._decoded:
            stored = self._stored[name]
            found = quants.dequantize(stored.data, stored.tensor_type)
            self._decoded[name] = found.astype(np.float64).reshape(tuple(reversed(stored.shape.tolist())))
        return self._decoded[name]

    def linear(self, name: str, x: Array) -> Array:
        """A product, and a bias if there is one."""
        y = self.rounded(x) @ self.tensor(f"{name}.weight").T
        return y + self.tensor(f"{name}.bias") if f"{name}.bias" in self._stored else y

    def norm(self, name: str, x: Array) -> Array:
        """The norm of the architecture over the last dim."""
        if self.name == "gpt2":
            y = x - x.mean(-1, keepdims=True)
            y /= np.sqrt((y**2).mean(-1, keepdims=True) + self.of("attention.layer_norm_epsilon"))
            return y * self.tensor(f"{name}.weight") + self.tensor(f"{name}.bias")
        y = x / np.sqrt((x**2).mean(-1, keepdims=True) + self.of("attention.layer_norm_rms_epsilon"))
        return y * self.tensor(f"{name}.weight")

    def logits(self, tokens: list[int]) -> Array:
        """`[tokens, vocabulary]`."""
        name = "output.weight" if "output.weight" in self._stored else "token_embd.weight"
        return self.rounded(self.hidden(tokens)) @ self.tensor(name).T

    def rounded(self, x: Array) -> Array:
        """Rows in blocks of 32 as integers from -127 to 127 times a scale of f16, a 127th of the largest size, if they
        are rounded."""
        if not self._rounds_rows:
            return x
        blocks = x.reshape(len(x), -1, 32)
        scale = np.abs(blocks).max(-1, keepdims=True) / 127
        integers = np.rint(blocks / np.where(scale == 0, 1, scale))
        return (integers * scale.astype(np.float16)).reshape(x.shape)

    def hidden(self, tokens: list[int]) -> Array:
        """The states of which logits are products, `[tokens, width]`."""
        table = self.tensor("token_embd.weight")
        x = table[tokens]
        if self.name == "gemma3":
            x = x * sqrt(x.shape[-1])
        if self.name == "gpt2":
            x = x + self.tensor("position_embd.weight")[: len(tokens)]
        for i in range(self.of("block_count")):
            at = f"blk.{i}"
            y = self.attention(i, self.norm(f"{at}.attn_norm", x))
            x = x + (self.norm(f"{at}.post_attention_norm", y) if self.name == "gemma3" else y)
            y = self.mlp(at, self.norm(f"{at}.ffn_norm", x))
            x = x + (self.norm(f"{at}.post_ffw_norm", y) if self.name == "gemma3" else y)
        return self.norm("output_norm", x)

    def attention(self, i: int, x: Array) -> Array:
        """One layer of attention, token by token."""
        at, heads = f"blk.{i}", self.of("attention.head_count")
        shared = self.of("attention.head_count_kv", heads)
        size = self.of("attention.key_length", self.of("embedding_length") // heads)
        if f"{at}.attn_qkv.weight" in self._stored:
            ends = [heads * size, (heads + shared) * size]
            q, k, v = np.split(self.linear(f"{at}.attn_qkv", x), ends, axis=-1)
        else:
            q, k, v = (self.linear(f"{at}.attn_{each}", x) for each in "qkv")
        q, k, v = (each.reshape(len(x), -1, size) for each in (q, k, v))
        if f"{at}.attn_q_norm.weight" in self._stored:
            q, k = self.norm(f"{at}.attn_q_norm", q), self.norm(f"{at}.attn_k_norm", k)
        is_local = self.name == "gemma3" and (i + 1) % self.of("attention.sliding_window_pattern", 6) != 0
        if self.name != "gpt2":
            base = 10000.0 if is_local else self.of("rope.freq_base", 10000.0)
            q, k = (self.turned(each, base, self.of("rope.dimension_count", size)) for each in (q, k))
        k, v = (each.astype(self._stored_as).astype(np.float64) for each in (k, v))
        window = self.of("attention.sliding_window", 1 << 30)
        if self.name not in ("gemma3", "phi3") or (self.name == "gemma3" and not is_local):
            window = 1 << 30
        y = np.zeros_like(q)
        for t in range(len(x)):
            seen = slice(max(0, t - window + 1), t + 1)
            for h in range(heads):
                own = h // (heads // shared)
                scores = k[seen, own] @ q[t, h] / sqrt(size)
                weights = np.exp(scores - scores.max())
                y[t, h] = weights / weights.sum() @ v[seen, own]
        return self.linear(f"{at}.attn_output", y.reshape(len(x), heads * size))

    def turned(self, x: Array, base: float, turned: int) -> Array:
        """Rotary embeddings, pair by pair as complex numbers."""
        pairs = turned // 2
        angles = np.arange(len(x))[:, None, None] * base ** (-2.0 * np.arange(pairs) / turned)
        y = x.copy()
        first, second = (
            (slice(0, turned, 2), slice(1, turned, 2))
            if self.name == "llama"
            else (
                slice(0, pairs),
                slice(pairs, turned),
            )
        )
        z = (x[..., first] + 1j * x[..., second]) * np.exp(1j * angles)
        y[..., first], y[..., second] = z.real, z.imag
        return y

    def mlp(self, at: str, x: Array) -> Array:
        """The layer after attention."""
        if self.name == "gpt2":
            return self.linear(f"{at}.ffn_down", _gelu(self.linear(f"{at}.ffn_up", x)))
        if self.name == "phi3":
            gate, up = np.split(self.linear(f"{at}.ffn_up", x), 2, axis=-1)
        else:
            gate, up = self.linear(f"{at}.ffn_gate", x), self.linear(f"{at}.ffn_up", x)
        return self.linear(
            f"{at}.ffn_down", (_gelu(gate) if self.name == "gemma3" else gate / (1 + np.exp(-gate))) * up
        )


def _gelu(x: Array) -> Array:
    return 0.5 * x * (1 + np.tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))
