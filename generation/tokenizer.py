"""Tokens of a model, from the metadata of its file, through the package `tokenizers`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from mlc.frontends.gguf.file import GgufFile
from mlc.generation.packages import llm_package
from mlc.generation.pairs import array_for_tokens, pairs_by_ranks, pairs_by_scores
from mlc.generation.spelling import CONTROL, SPACE, USER_DEFINED, Spelling
from mlc.support.errors import UserError

STAND_INS, _MOST_STAND_INS = 0xF0000, 1 << 16
"""The first character of a private area of Unicode, which `Tokenizer.guarded` uses, and how many it has."""
_DIGITS = r"\p{N}{1,3}"
_WORDS = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{{L}}\p{{N}}]?\p{{L}}+|{digits}| ?[^\s\p{{L}}\p{{N}}]+[\r\n]*|\s*[\r\n]+"
    r"|\s+(?!\S)|\s+"
)
_PATTERNS = {"llama-bpe": _WORDS.format(digits=_DIGITS), "qwen2": _WORDS.format(digits=r"\p{N}")}
"""What splits texts into words, by `tokenizer.ggml.pre`, where it is not the pattern of GPT-2."""
_PLAIN = ("gpt-2", "default", "smollm")


@dataclass(frozen=True)
class Tokenizer:
    """Texts to tokens and back.

    Attributes:
        words: splits texts without tokens that stand for no text.
        first: the token that a text starts with, if the model wants one.
        ends: the tokens after which nothing follows.
        controls: the tokens that stand for no text, by their names.
        spelling: how tokens spell bytes.
        puts_space: whether a text becomes tokens as if a space stood in front of it.
        last: the token that a whole text ends with, if the model wants one (`add_eos_token`).
    """

    words: Any
    tokens: Sequence[str]
    first: int | None
    ends: frozenset[int]
    controls: Mapping[str, int]
    spelling: Spelling
    puts_space: bool
    last: int | None = None

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
        kind = kind if isinstance(kind, str) else type(kind).__name__
        types = array_for_tokens(file, "token_type", len(tokens), np.ones(len(tokens), np.int32))
        puts_space = kind == "llama" and found.get("tokenizer.ggml.add_space_prefix", True) is True
        if kind == "gpt2":
            words = _by_ranks(file, tokens)
        elif kind == "llama":
            words = _by_scores(file, tokens, types, puts_space)
        else:
            raise file.error(f"its tokenizer is '{kind}'; required: gpt2 or llama")
        own = [tokens[i] for i in np.flatnonzero(types == USER_DEFINED) if tokens[i]]
        words.add_tokens([llm_package("tokenizers").AddedToken(each, normalized=False) for each in own])
        wants_first = found.get("tokenizer.ggml.add_bos_token", kind == "llama")
        first = _token(file, "bos_token_id", len(tokens)) if wants_first is True else None
        ends = {_token(file, name, len(tokens)) for name in ("eos_token_id", "eot_token_id")}
        ends |= {i for i, each in enumerate(tokens) if each in ("<|im_end|>", "<end_of_turn>", "<|eot_id|>", "<|end|>")}
        controls = {tokens[i]: int(i) for i in np.flatnonzero(types == CONTROL) if tokens[i]}
        if (firsts := len({each[0] for each in controls})) > _MOST_STAND_INS:
            required = f"required: at most {_MOST_STAND_INS}"
            raise file.error(f"names of its control tokens start with {firsts} different characters; {required}")
        spelling = Spelling(tokens, types, is_of_bytes=kind == "gpt2")
        known = frozenset(each for each in ends if each is not None)
        wants_last = found.get("tokenizer.ggml.add_eos_token") is True
        last = _token(file, "eos_token_id", len(tokens)) if wants_last else None
        return cls(words, tokens, first, known, controls, spelling, puts_space, last)

    def encoded(
        self,
        text: str,
        is_start: bool = True,
        is_guarded: bool = False,
        most: int | None = None,
        is_whole: bool = False,
    ) -> list[int]:
        """The tokens of a text, which may be the start of all, or a whole one that nothing follows. Names of tokens
        that stand for no text become these, but where the text has parts that are `guarded`.

        Raises:
            UserError: the text has halves of surrogate pairs, which stand for no character; or it is longer than `most`
                tokens can be, which is known before it is split.
        """
        if most is not None and len(text) > most * self.spelling.longest:
            longest = most * self.spelling.longest
            raise UserError(f"the text has {len(text)} characters; required: at most {longest}, for {most} tokens")
        found, at = list[int](), 0
        for start, name in [*self.names_in(text), (len(text), "")]:
            if start < at:  # in a name that was taken
                continue
            if part := text[at:start]:
                found += self._plain(part.translate(self.shown) if is_guarded else part)
            found += [self.controls[name]] if name else []
            at = start + len(name)
        if is_start and self.first is not None and found[:1] != [self.first]:
            found = [self.first, *found]
        return [*found, self.last] if is_whole and self.last is not None and found[-1:] != [self.last] else found

    def guarded(self, text: str) -> str:
        """A text that somebody else wrote, in which nothing becomes a token that stands for no text: where the name of
        one starts, a character of a private area of Unicode stands for its first character until it is encoded."""
        hidden = {character: chr(stand_in) for stand_in, character in self.shown.items()}
        text = text.translate(dict.fromkeys(self.shown))
        characters = [*text]
        for start, name in self.names_in(text):
            characters[start] = hidden[name[0]]
        return "".join(characters)

    def decoded(self, tokens: Sequence[int]) -> str:
        """The text of tokens, without those that stand for no text, and without the space that was put in front."""
        text = b"".join(map(self.spelling.bytes_of, tokens)).decode(errors="replace")
        return text.removeprefix(" ") if self.puts_space else text

    def _plain(self, text: str) -> list[int]:
        try:
            return self.words.encode(text, add_special_tokens=False).ids
        except (UnicodeEncodeError, TypeError):
            raise UserError("the text has halves of surrogate pairs; required: characters of Unicode") from None

    @cached_property
    def shown(self) -> dict[int, str]:
        """The characters that stand-ins stand for, by their code points."""
        return {STAND_INS + i: character for i, character in enumerate(sorted({each[0] for each in self.controls}))}

    def names_in(self, text: str) -> Iterator[tuple[int, str]]:
        """Where names of control tokens start, and the longest one that starts there."""
        for match in self._firsts.finditer(text) if self.controls else ():
            at = match.start()
            names = (text[at : at + length] for length in self._lengths)
            if (name := next((each for each in names if each in self.controls), None)) is not None:
                yield at, name

    @cached_property
    def _firsts(self) -> re.Pattern[str]:
        """The first characters of names."""
        return re.compile("|".join(re.escape(each) for each in self.shown.values()))

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted({len(each) for each in self.controls}, reverse=True)


def _token(file: GgufFile, key: str, count: int) -> int | None:
    found = file.metadata.get(f"tokenizer.ggml.{key}")
    if found is not None and (type(found) is not int or not 0 <= found < count):
        raise file.error(f"'tokenizer.ggml.{key}' is not a token; required: a number less than {count}")
    return found


def _by_ranks(file: GgufFile, tokens: list[str]) -> Any:
    """Pairs of bytes that are joined in the order of a list."""
    package = llm_package("tokenizers")
    vocabulary = {each: i for i, each in enumerate(tokens)}
    words = package.Tokenizer(package.models.BPE(vocabulary, pairs_by_ranks(file, tokens)))
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
    return words


def _by_scores(file: GgufFile, tokens: list[str], types: Any, puts_space: bool) -> Any:
    """Pairs of pieces that are joined where the whole has the best score."""
    package = llm_package("tokenizers")
    vocabulary = {each: i for i, each in enumerate(tokens)}
    unknown = _token(file, "unknown_token_id", len(tokens))
    model = package.models.BPE(
        vocabulary,
        pairs_by_scores(file, tokens, types),
        unk_token=None if unknown is None else tokens[unknown],
        fuse_unk=True,
        byte_fallback=True,
    )
    words = package.Tokenizer(model)
    before = [package.normalizers.Prepend(SPACE)] if puts_space else []
    words.normalizer = package.normalizers.Sequence([*before, package.normalizers.Replace(" ", SPACE)])
    return words
