"""Tokens of a model, from the metadata of its file, through the package `tokenizers`."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.frontends.gguf.file import GgufFile
from mlc.support.errors import UserError

_CONTROL, _USER_DEFINED, _BYTE = 3, 4, 6
"""Types of tokens: those that stand for no text, those that stand for themselves as they are, and single bytes."""
_UNFINISHED = "\N{REPLACEMENT CHARACTER}"
_DIGITS = r"\p{N}{1,3}"
_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_PATTERNS = {"llama-bpe": _WORDS.format(digits=_DIGITS), "qwen2": _WORDS.format(digits=r"\p{N}")}
"""What splits texts into words, by `tokenizer.ggml.pre`, where it is not the pattern of GPT-2."""
_PLAIN = ("gpt-2", "default", "smollm")


def llm_package(name: str) -> Any:
    """A package that texts need.

    Raises:
        UserError: it is not installed.
    """
    try:
        return importlib.import_module(name)
    except ImportError as e:
        words = f"texts of language models need the package {name} ({e}); install it: pip install 'mlc[llm]'"
        raise UserError(words) from None


@dataclass(frozen=True)
class Tokenizer:
    """Texts to tokens and back.

    Attributes:
        first: the token that a text starts with, if the model wants one.
        ends: the tokens after which nothing follows.
    """

    words: Any
    tokens: Sequence[str]
    first: int | None
    ends: frozenset[int]

    @classmethod
    def of(cls, file: GgufFile) -> Tokenizer:
        """The tokenizer of a model.

        Raises:
            UserError: the file has none, or one of a kind that mlc does not know, or a package is missing.
        """
        llm_package("tokenizers")
        found = file.metadata
        kind, tokens = found.get("tokenizer.ggml.model"), found.get("tokenizer.ggml.tokens")
        if not isinstance(tokens, list) or not all(isinstance(each, str) for each in tokens) or not tokens:
            raise file.error("the file has no list of texts 'tokenizer.ggml.tokens', by which texts become tokens")
        types = _array(file, "token_type", len(tokens), np.ones(len(tokens), np.int32))
        if kind == "gpt2":
            words = _by_ranks(file, tokens)
        elif kind == "llama":
            words = _by_scores(file, tokens, types)
        else:
            raise file.error(f"its tokenizer is '{kind}'; required: gpt2 or llama")
        added = llm_package("tokenizers").AddedToken
        for kind_of_token, is_special in ((_CONTROL, True), (_USER_DEFINED, False)):
            own = [tokens[i] for i in np.flatnonzero(types == kind_of_token) if tokens[i]]
            given = [added(each, normalized=False, special=is_special) for each in own]
            (words.add_special_tokens if is_special else words.add_tokens)(given)
        wants_first = found.get("tokenizer.ggml.add_bos_token", kind == "llama")
        first = _token(file, "bos_token_id", len(tokens)) if wants_first is True else None
        ends = {_token(file, name, len(tokens)) for name in ("eos_token_id", "eot_token_id")}
        ends |= {i for i, each in enumerate(tokens) if each in ("<|im_end|>", "<end_of_turn>", "<|eot_id|>", "<|end|>")}
        return cls(words, tokens, first, frozenset(each for each in ends if each is not None))

    def encoded(self, text: str, is_start: bool = True) -> list[int]:
        """The tokens of a text, which may be the start of all."""
        found: list[int] = self.words.encode(text, add_special_tokens=False).ids
        starts = is_start and self.first is not None and found[:1] != [self.first]
        return [self.first, *found] if starts and self.first is not None else found

    def decoded(self, tokens: Sequence[int]) -> str:
        """The text of tokens, without those that stand for no text."""
        return self.words.decode(list(tokens), skip_special_tokens=True)


@dataclass
class TextStream:
    """The text of tokens that come one after the other; what may be half a character waits."""

    tokenizer: Tokenizer
    tokens: list[int]
    _shown: str = ""

    def added(self, token: int) -> str:
        """What the text grows by."""
        self.tokens.append(token)
        text = self.tokenizer.decoded(self.tokens)
        if text.endswith(_UNFINISHED) or not text.startswith(self._shown):
            return ""
        new, self._shown = text[len(self._shown) :], text
        return new


def _token(file: GgufFile, key: str, count: int) -> int | None:
    found = file.metadata.get(f"tokenizer.ggml.{key}")
    if found is not None and (type(found) is not int or not 0 <= found < count):
        raise file.error(f"'tokenizer.ggml.{key}' is not a token; required: a number less than {count}")
    return found


def _array(file: GgufFile, key: str, count: int, default: Any) -> Any:
    found = file.metadata.get(f"tokenizer.ggml.{key}", default)
    if not isinstance(found, np.ndarray) or found.shape != (count,):
        raise file.error(f"'tokenizer.ggml.{key}' is not a list of {count} numbers, one for each token")
    return found


def _by_ranks(file: GgufFile, tokens: list[str]) -> Any:
    """Pairs of bytes that are joined in the order of a list (Sennrich et al., arXiv:1508.07909)."""
    package = llm_package("tokenizers")
    merges = file.metadata.get("tokenizer.ggml.merges")
    pairs = [tuple(str(each).split(" ", 1)) for each in merges] if isinstance(merges, list) else []
    if not pairs or any(len(each) != 2 for each in pairs):
        raise file.error("the file has no list of pairs 'tokenizer.ggml.merges', which its tokenizer joins")
    vocabulary = {each: i for i, each in enumerate(tokens)}
    known = [(a, b) for a, b in pairs if a in vocabulary and b in vocabulary and a + b in vocabulary]
    words = package.Tokenizer(package.models.BPE(vocabulary, known))
    split = package.pre_tokenizers
    pre = str(file.metadata.get("tokenizer.ggml.pre", "default"))
    bytes_ = split.ByteLevel(add_prefix_space=False, use_regex=pre in _PLAIN)
    if pre in _PATTERNS:
        before = [split.Split(package.Regex(_PATTERNS[pre]), "isolated")]
    elif pre in _PLAIN:
        before = [split.Digits(individual_digits=True)] if pre == "smollm" else []
    else:
        known_ones = ", ".join((*_PLAIN, *_PATTERNS))
        raise file.error(f"texts are split into words as '{pre}' (tokenizer.ggml.pre); required: {known_ones}")
    words.pre_tokenizer = split.Sequence([*before, bytes_])
    words.decoder = package.decoders.ByteLevel()
    return words


def _by_scores(file: GgufFile, tokens: list[str], types: Any) -> Any:
    """Pairs of pieces that are joined where the whole has the best score, as SentencePiece does (arXiv:1808.06226)."""
    package = llm_package("tokenizers")
    scores: list[float] = _array(file, "scores", len(tokens), None).tolist()
    vocabulary = {each: i for i, each in enumerate(tokens)}
    joined: list[tuple[float, int, str, str]] = []
    plain = (types != _CONTROL) & (types != _BYTE)
    for number in np.flatnonzero(plain):
        token = tokens[number]
        for at in range(1, len(token)):
            if (left := token[:at]) in vocabulary and (right := token[at:]) in vocabulary:
                joined.append((-scores[number], int(number), left, right))
    joined.sort(key=lambda each: each[:2])
    unknown = _token(file, "unknown_token_id", len(tokens))
    model = package.models.BPE(
        vocabulary,
        [(left, right) for _, _, left, right in joined],
        unk_token=None if unknown is None else tokens[unknown],
        fuse_unk=True,
        byte_fallback=True,
    )
    words = package.Tokenizer(model)
    space, has_space = "\N{LOWER ONE EIGHTH BLOCK}", file.metadata.get("tokenizer.ggml.add_space_prefix", True) is True
    before = [package.normalizers.Prepend(space)] if has_space else []
    words.normalizer = package.normalizers.Sequence([*before, package.normalizers.Replace(" ", space)])
    ends = [package.decoders.Strip(" ", 1, 0)] if has_space else []
    parts = [package.decoders.Replace(space, " "), package.decoders.ByteFallback(), package.decoders.Fuse(), *ends]
    words.decoder = package.decoders.Sequence(parts)
    return words
