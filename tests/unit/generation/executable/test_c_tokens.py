"""Tokens of the C of chats beside those of Python: texts of many scripts, and bytes that are none."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("tokenizers")
pytest.importorskip("regex")

from mlc.frontends.gguf.file import GgufFile, open_gguf
from mlc.generation.tokenizer import Tokenizer
from mlc.tests.numeric.gguf.real_models import gemma3, smollm2
from mlc.tests.unit.generation.executable.c_tokens import ChatLibrary
from mlc.tests.unit.generation.files import by_ranks, by_scores, with_metadata
from mlc.tests.unit.generation.naive_tokenizers import random_texts

_SPACES = " \t\n\r\v\f\x1c\x85\xa0\u2003\u3000'"


def _texts(count: int) -> list[bytes]:
    """Texts, some of which are cut anywhere, or have bytes that are wrong."""
    chance, found = random.Random(5), list[bytes]()
    letters = f"{_SPACES}hHeElLoOsStTdDvVrRmM12ab▁ſ<|im_end|>é\u0301\N{GRINNING FACE}"
    alphabets = letters, "helo", "ab \n", "'ſshSh ", "1234 a", " \n\rh-"
    drawn = ["".join(chance.choices(each, k=chance.randint(1, 40))) for each in alphabets for _ in range(count)]
    for text in [*random_texts(count), *drawn]:
        data = text.encode()
        match chance.randrange(3):
            case 0:
                data = data[: chance.randrange(len(data) + 1)]
            case 1:
                at = chance.randrange(len(data) + 1)
                data = data[:at] + chance.randbytes(chance.randint(1, 4)) + data[at:]
            case _:
                pass
        found.append(data)
    return found


def _across_words(metadata: dict[str, Any]) -> dict[str, Any]:
    """A tokenizer with more pairs: of digits, spaces, ends of lines, and of letters with what stands before them."""
    pairs = [
        "1 2",
        "12 3",
        "123 4",
        "Ġ Ġ",
        "ĠĠ h",
        "Ċ Ċ",
        "Ġ Ċ",
        "Ċ Ġ",
        "¿ h",
        "' s",
        "s h",
        "' Å",
        "a 1",
        "- h",
        "1 Ġ",
    ]
    more = ["Å", "¿", *(each.replace(" ", "") for each in pairs)]
    metadata["tokenizer.ggml.tokens"] += more
    metadata["tokenizer.ggml.merges"] += pairs
    types = metadata["tokenizer.ggml.token_type"]
    return metadata | {"tokenizer.ggml.token_type": np.append(types, np.ones(len(more), types.dtype))}


def _compare(file: GgufFile, folder: Path, count: int) -> None:
    ours, theirs = ChatLibrary.of(file, folder), Tokenizer.of(file)
    for data in _texts(count):
        text = theirs.guarded(data.decode(errors="replace"))
        expected = theirs.encoded(text, is_start=False, is_guarded=True)
        plain = text.translate(theirs.shown).encode()
        assert ours.encoded(data if plain == data else plain) == expected, data
        assert ours.encoded(data) == ours.encoded(data.decode(errors="replace").encode()), data


@pytest.mark.parametrize("pre", ["smollm", "gpt-2", "llama-bpe", "qwen2"])
def test_pairs_of_bytes(pre: str, tmp_path: Path) -> None:
    """Also with texts that are a token as they are, of which one is the start of another one; pairs go beyond words, so
    that tokens tell where these end."""
    metadata = _across_words(by_ranks(pre=pre))
    tokens, types = metadata["tokenizer.ggml.tokens"], metadata["tokenizer.ggml.token_type"]
    for name in ("e", "\\", "]"):
        at = tokens.index(name)
        tokens[at], types[at] = {"e": "th", "\\": "the", "]": "é"}[name], 4
    _compare(with_metadata(metadata), tmp_path, 600)


@pytest.mark.parametrize("more", [{}, {"add_space_prefix": False}])
def test_pieces_with_scores(more: dict[str, Any], tmp_path: Path) -> None:
    _compare(with_metadata(by_scores(**more)), tmp_path, 600)


def test_pieces_without_tokens_for_bytes(tmp_path: Path) -> None:
    """Neighbours that have no token become one, that of what is unknown."""
    metadata = by_scores()
    metadata["tokenizer.ggml.tokens"][3 + ord("h")] = "<0x>"
    metadata["tokenizer.ggml.tokens"][3 + 0xC3] = "<1x>"
    _compare(with_metadata(metadata), tmp_path, 600)


def test_kinds_of_characters(tmp_path: Path) -> None:
    ours = ChatLibrary.of(with_metadata(by_ranks()), tmp_path)
    for number in [*range(0x3000), *range(0x1D000, 0x20000, 7), 0x10FFFF]:
        printed, stripped = chr(number).isprintable(), chr(number).isspace()
        assert ours.kinds(number) >> 4 == printed + 2 * stripped, hex(number)


def test_the_vocabulary_of_smollm2(tmp_path: Path) -> None:
    _compare(open_gguf(smollm2()), tmp_path, 1500)


@pytest.mark.slow
def test_the_vocabulary_of_gemma(tmp_path: Path) -> None:
    _compare(open_gguf(gemma3(tmp_path)), tmp_path, 1500)
