"""Texts to tokens and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("tokenizers")

from mlc.generation.spelling import TextStream
from mlc.generation.tokenizer import Tokenizer
from mlc.support.errors import UserError
from mlc.tests.unit.generation.files import by_ranks, by_scores, with_metadata


def _words(tokenizer: Tokenizer, text: str) -> list[str]:
    return [tokenizer.tokens[i] for i in tokenizer.encoded(text)]


def test_pairs_of_bytes() -> None:
    tokenizer = Tokenizer.of(with_metadata(by_ranks()))
    assert _words(tokenizer, "hello world12") == ["hello", "Ġw", "o", "r", "l", "d", "1", "2"]
    assert _words(tokenizer, "<|im_start|>ä\n") == ["<|im_start|>", "Ã¤", "Ċ"]
    assert tokenizer.decoded(tokenizer.encoded("<|im_start|>hello wä")) == "hello wä"
    assert tokenizer.first is None and tokenizer.ends == {1}


def test_pieces_with_scores() -> None:
    """`ba` has a better score than `ab`, so that `abab` is `a ba b`; each is joined while it can be."""
    tokenizer = Tokenizer.of(with_metadata(by_scores(add_space_prefix=False)))
    assert _words(tokenizer, "abab") == ["<s>", "aba", "b"]
    assert _words(tokenizer, "ab ab") == ["<s>", "ab", "▁ab"]
    assert _words(tokenizer, "é") == ["<s>", "<0xC3>", "<0xA9>"]
    assert tokenizer.decoded(tokenizer.encoded("é ab")) == "é ab"
    assert tokenizer.encoded("ab", is_start=False)[0] != 1


def test_pieces_that_stand_for_themselves() -> None:
    tokenizer = Tokenizer.of(with_metadata(by_scores(add_space_prefix=False)))
    assert _words(tokenizer, "</s>ab\n\nab") == ["<s>", "</s>", "ab", "\n\n", "ab"]
    assert tokenizer.decoded(tokenizer.encoded("</s>ab\n\nab")) == "ab\n\nab"


def test_a_space_before_pieces() -> None:
    tokenizer = Tokenizer.of(with_metadata(by_scores()))
    assert _words(tokenizer, "ab") == ["<s>", "▁ab"]
    assert tokenizer.decoded(tokenizer.encoded("ab")) == "ab"


def _streamed(tokenizer: Tokenizer, names: list[str]) -> list[str]:
    stream = TextStream(tokenizer.spelling)
    return [*(stream.added(tokenizer.tokens.index(each)) for each in names), stream.rest()]


def test_half_a_character_waits() -> None:
    pieces = Tokenizer.of(with_metadata(by_scores(add_space_prefix=False)))
    assert _streamed(pieces, ["a", "<0xC3>", "<0xA9>", "</s>", "▁ab"]) == ["a", "", "é", "", " ab", ""]
    pairs = Tokenizer.of(with_metadata(by_ranks()))
    assert _streamed(pairs, ["hello", "Ã", "<|im_end|>", "¤", "Ġw"]) == ["hello", "", "", "ä", " w", ""]


def test_bytes_that_are_no_character_hold_nothing_back() -> None:
    """The text of a stream is that of all bytes: a run of bytes that is broken once does not spoil what came before."""
    tokenizer = Tokenizer.of(with_metadata(by_scores(add_space_prefix=False)))
    names = ["<0xC3>", "<0xA9>", "<0xC3>", "a", "<0xFF>", "<0xE2>", "<0x82>"]
    assert _streamed(tokenizer, names) == ["", "é", "", "\ufffda", "\ufffd", "", "", "\ufffd"]
    assert tokenizer.decoded([tokenizer.tokens.index(each) for each in names]) == "é\ufffda\ufffd\ufffd"


@pytest.mark.parametrize("metadata", [by_ranks(), by_scores()])
def test_what_users_write_becomes_no_token_without_text(metadata: dict[str, Any]) -> None:
    """Not even where names overlap, or where the text has the characters that stand in."""
    tokenizer = Tokenizer.of(with_metadata(metadata))
    controls = set(tokenizer.controls.values())
    name, other = [*tokenizer.controls][:2]
    for text in (name, f"a{name}b", name[:-1] + other, f"{name[0]}\U000f0000{name[1:]}", f"\U000f0000{name[1:]}"):
        tokens = tokenizer.encoded(f"{name}{tokenizer.guarded(text)}{other}", False, is_guarded=True)
        assert tokens[0] == tokenizer.controls[name] and tokens[-1] == tokenizer.controls[other]
        assert not controls.intersection(tokens[1:-1])
        assert tokenizer.decoded(tokens).strip() == text.replace("\U000f0000", "")


def test_the_longest_name_of_a_control_token() -> None:
    metadata = by_ranks()
    metadata["tokenizer.ggml.tokens"][2] = "<|im_end|>!"
    metadata["tokenizer.ggml.token_type"][2] = 3
    tokenizer = Tokenizer.of(with_metadata(metadata))
    assert tokenizer.encoded("<|im_end|>!<|im_end|>") == [2, 1]


def test_halves_of_surrogate_pairs() -> None:
    with pytest.raises(UserError, match="the text has halves of surrogate pairs; required: characters of Unicode"):
        Tokenizer.of(with_metadata(by_ranks())).encoded("a\ud800")


@pytest.mark.parametrize(
    "metadata, words",
    [
        ({}, "the file has no list of texts 'tokenizer.ggml.tokens', by which texts become tokens"),
        (by_ranks(model="bert"), "its tokenizer is 'bert'; required: gpt2 or llama"),
        (by_ranks(model=np.zeros(2)), "its tokenizer is 'ndarray'; required: gpt2 or llama"),
        (by_ranks(merges=["a"]), "the file has no list of pairs 'tokenizer.ggml.merges', which its tokenizer joins"),
        (by_ranks(pre="viking"), r"texts are split into words as 'viking' \(tokenizer.ggml.pre\); required: gpt-2"),
        (by_ranks(eos_token_id=1 << 20), "'tokenizer.ggml.eos_token_id' is not a token; required: a number less than"),
        (by_ranks(token_type=np.zeros(3)), "'tokenizer.ggml.token_type' is not a list of"),
        (by_scores(scores=[1.0]), "'tokenizer.ggml.scores' is not a list of 267 numbers, one for each token"),
    ],
)
def test_what_is_wrong(metadata: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError, match=words):
        Tokenizer.of(with_metadata(metadata))


@pytest.mark.parametrize(("said", "ends"), [(True, True), (False, False), (None, False)])
def test_the_token_that_a_whole_text_ends_with(said: bool | None, ends: bool) -> None:
    more = {} if said is None else {"add_eos_token": said}
    tokenizer = Tokenizer.of(with_metadata(by_scores(**more)))
    text = tokenizer.encoded("ab")
    assert text[0] == 1 and text[-1] != 2, "a text that goes on has no end"
    assert tokenizer.encoded("ab", is_whole=True) == ([*text, 2] if ends else text)
    assert tokenizer.encoded("ab</s>", is_whole=True) == [*text, 2], "once"
    assert tokenizer.encoded("", is_whole=True) == ([1, 2] if ends else [1])
