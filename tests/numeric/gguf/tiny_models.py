"""Small random models of each architecture, in files of GGUF that the package `gguf` writes."""

# The package has no types.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gguf
import numpy as np
from gguf import quants
from numpy.typing import NDArray

Array = NDArray[Any]
VOCABULARY, WIDTH, HIDDEN, CONTEXT = 96, 128, 192, 24

_COMMON: Mapping[str, int | float] = {
    "context_length": CONTEXT,
    "embedding_length": WIDTH,
    "feed_forward_length": HIDDEN,
    "attention.head_count": 4,
}
_RMS = "attention.layer_norm_rms_epsilon"
MODELS: Mapping[str, Mapping[str, int | float]] = {
    "llama": {"block_count": 2, "attention.head_count_kv": 2, _RMS: 1e-5, "rope.freq_base": 5000.0},
    "qwen2": {"block_count": 2, "attention.head_count_kv": 2, _RMS: 1e-6, "rope.freq_base": 1e6},
    "qwen3": {"block_count": 2, "attention.head_count_kv": 1, _RMS: 1e-6, "attention.key_length": 64},
    "phi3": {"block_count": 2, "attention.head_count_kv": 4, _RMS: 1e-5, "attention.sliding_window": 5},
    "gpt2": {"block_count": 2, "attention.layer_norm_epsilon": 1e-5},
    "gemma3": {
        "block_count": 3,
        "attention.head_count_kv": 1,
        "attention.key_length": 64,
        "attention.sliding_window": 6,
        "attention.sliding_window_pattern": 3,
        "rope.freq_base": 1e6,
        _RMS: 1e-6,
    },
}
"""The numbers of each architecture."""


def numbers_of(name: str) -> dict[str, Any]:
    """All numbers of an architecture."""
    return {**_COMMON, **MODELS[name]}


def _shapes(name: str) -> dict[str, tuple[int, ...]]:
    """The tensors of a layer."""
    of = numbers_of(name)
    heads, shared = of["attention.head_count"], of.get("attention.head_count_kv", 4)
    size = of.get("attention.key_length", WIDTH // heads)
    q, k = heads * size, shared * size
    apart = {"attn_q": (q, WIDTH), "attn_k": (k, WIDTH), "attn_v": (k, WIDTH), "attn_output": (WIDTH, q)}
    gated = {"ffn_gate": (HIDDEN, WIDTH), "ffn_up": (HIDDEN, WIDTH), "ffn_down": (WIDTH, HIDDEN)}
    norms = {"attn_norm": (WIDTH,), "ffn_norm": (WIDTH,)}
    each = {"attn_q_norm": (size,), "attn_k_norm": (size,)}
    match name:
        case "llama":
            found = {**apart, **gated, **norms}
        case "qwen2":
            found = {**apart, **gated, **norms}
            return _weights(found) | {f"{n}.bias": found[n][:1] for n in ("attn_q", "attn_k", "attn_v")}
        case "qwen3":
            found = {**apart, **gated, **norms, **each}
        case "gemma3":
            found = {**apart, **gated, **norms, **each, "post_attention_norm": (WIDTH,), "post_ffw_norm": (WIDTH,)}
        case "phi3":
            found = {"attn_qkv": (q + 2 * k, WIDTH), "attn_output": (WIDTH, q), "ffn_up": (2 * HIDDEN, WIDTH)}
            found |= {"ffn_down": (WIDTH, HIDDEN), **norms}
        case _:
            found = {"attn_qkv": (3 * q, WIDTH), "attn_output": (WIDTH, q), "ffn_up": (HIDDEN, WIDTH)}
            found |= {"ffn_down": (WIDTH, HIDDEN), **norms}
            return _weights(found) | {f"{n}.bias": shape[:1] for n, shape in found.items()}
    return _weights(found)


def _weights(found: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    return {f"{name}.weight": shape for name, shape in found.items()}


def _add_texts(writer: Any, template: str, has_start: bool) -> None:
    """As many tokens as the vocabulary has: two of their own, printable bytes but four, and three pairs of them."""
    own, pairs = ["<|im_start|>", "<|im_end|>"], ["Ġ w", "h e", "l l"]
    letters = [chr(i) for i in range(33, 127) if chr(i) not in "#@^~"]
    tokens = [*own, *letters, "Ġ", *(each.replace(" ", "") for each in pairs)]
    assert len(tokens) == VOCABULARY
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("gpt-2")
    writer.add_token_list(tokens)
    writer.add_token_types([3, 3, *[1] * (len(tokens) - 2)])
    writer.add_token_merges(pairs)
    writer.add_eos_token_id(1)
    if has_start:
        writer.add_bos_token_id(0)
        writer.add_add_bos_token(True)
    writer.add_chat_template(template)


def write_model(
    path: Path,
    name: str,
    matrices: str,
    embeddings: str = "Q8_0",
    seed: int = 0,
    with_texts: str | None = None,
    context: int = CONTEXT,
    has_start: bool = False,
) -> None:
    """Write a model whose matrices are stored in one format, and the table of tokens in another one; perhaps with a
    tokenizer, and a template for chats, and a token that all texts start with."""
    rng, of = np.random.default_rng(seed), {**numbers_of(name), "context_length": context}
    writer = gguf.GGUFWriter(path, name)
    for key, value in of.items():
        (writer.add_uint32 if isinstance(value, int) else writer.add_float32)(f"{name}.{key}", value)
    if with_texts is not None:
        _add_texts(writer, with_texts, has_start)
    shapes = {"token_embd.weight": (VOCABULARY, WIDTH), "output_norm.weight": (WIDTH,)}
    if name == "gpt2":
        shapes |= {"output_norm.bias": (WIDTH,), "position_embd.weight": (context, WIDTH)}
    if name == "phi3":
        shapes["output.weight"] = (VOCABULARY, WIDTH)
    for i in range(of["block_count"]):
        shapes |= {f"blk.{i}.{each}": shape for each, shape in _shapes(name).items()}
    for each, shape in shapes.items():
        if len(shape) == 1:
            around = 0 if each.endswith("bias") else 1
            writer.add_tensor(each, (around + 0.2 * rng.standard_normal(shape)).astype(np.float32))
            continue
        numbers = (rng.standard_normal(shape) * shape[1] ** -0.5 * 1.5).astype(np.float32)
        kind = embeddings if each == "token_embd.weight" else "F32" if each == "position_embd.weight" else matrices
        found = gguf.GGMLQuantizationType[kind]
        writer.add_tensor(each, quants.quantize(numbers, found), raw_dtype=found)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
