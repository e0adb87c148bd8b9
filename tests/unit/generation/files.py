"""Files of language models, as far as texts are concerned: metadata alone."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from mlc.frontends.gguf.file import GgufFile
from mlc.support.mapped_file import MappedFile

_BYTES = "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}ĠĊÃ¤"


def with_metadata(metadata: dict[str, Any]) -> GgufFile:
    """A file that says this."""
    return GgufFile(MappedFile(Path("/dev/null")), "m.gguf", 3, metadata, {})


def by_ranks(**more: Any) -> dict[str, Any]:
    """A tokenizer of pairs of bytes, with a few pairs and two tokens of its own."""
    merges = ["h e", "l l", "he ll", "hell o", "Ġ w", "Ã ¤"]
    tokens = ["<|im_start|>", "<|im_end|>", *_BYTES, *(each.replace(" ", "") for each in merges)]
    types = np.array([3, 3, *[1] * (len(tokens) - 2)], np.int32)
    found = {"model": "gpt2", "pre": "smollm", "tokens": tokens, "merges": merges, "token_type": types}
    return {f"tokenizer.ggml.{key}": value for key, value in {**found, "eos_token_id": 1, **more}.items()}


def by_scores(**more: Any) -> dict[str, Any]:
    """A tokenizer of pieces with scores, which falls back to bytes."""
    pieces = ["▁", "a", "b", "ab", "ba", "▁ab", "aba", "\n\n"]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{i:02X}>" for i in range(256)), *pieces]
    types = np.array([2, 3, 3, *[6] * 256, *[1] * (len(pieces) - 1), 4], np.int32)
    scores = np.array([0.0] * 259 + [-9.0, -9.0, -9.0, -2.0, -1.0, -3.0, -4.0, 0.0], np.float32)
    found = {"model": "llama", "tokens": tokens, "scores": scores, "token_type": types}
    ends = {"bos_token_id": 1, "eos_token_id": 2, "unknown_token_id": 0}
    return {f"tokenizer.ggml.{key}": value for key, value in {**found, **ends, **more}.items()}
