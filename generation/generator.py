"""A compiled language model with its caches: texts in, texts out."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mlc import api
from mlc.compiler.options import PythonOptions
from mlc.frontends.gguf.file import GgufFile, open_gguf
from mlc.frontends.gguf.language_model import language_model
from mlc.frontends.gguf.source import MOST_PLACES
from mlc.generation.sampling import Sampling
from mlc.generation.tokenizer import TextStream, Tokenizer
from mlc.runtime.model import Model
from mlc.support.errors import UserError

CHUNK = 16
"""How many tokens of a prompt a call takes."""
_FEW = 3
"""So many tokens are read faster one by one."""


@dataclass
class Speed:
    """How many tokens were read and written, in how many seconds."""

    read: int = 0
    reading: float = 0.0
    written: int = 0
    writing: float = 0.0


@dataclass
class Generator:
    """A model and what it has read so far; not for several threads at a time.

    Attributes:
        file: where it comes from.
        model: the compiled model, for chunks of 1 token and of `CHUNK`.
        context: how many tokens caches hold.
    """

    file: GgufFile
    model: Model
    tokenizer: Tokenizer
    context: int
    speed: Speed = field(default_factory=Speed)
    _caches: list[NDArray[Any]] = field(default_factory=list[NDArray[Any]])
    _tokens: list[int] = field(default_factory=list[int])
    """What was read, each token at its place in the caches."""

    @classmethod
    def load(cls, path: str | Path, context: int | None = None, **options: Unpack[PythonOptions]) -> Generator:
        """Compile the model in a file, or find it in the cache.

        Raises:
            UserError: the file is wrong, mlc does not know its architecture or its tokenizer, or the context is longer
                than the model was trained for.
        """
        file = open_gguf(Path(path), str(path))
        trained = language_model(file).context
        if context is None:
            context = min(trained, MOST_PLACES)
        if not 0 < context <= trained:
            raise file.error(f"found a context of {context} tokens; required: 1 to {trained}, as the model was trained")
        tokenizer = Tokenizer.of(file)
        sizes = [1, CHUNK] if context >= CHUNK else 1
        model = api.compile(path, shapes={"n": sizes, "context": context}, **options)
        made = cls(file, model, tokenizer, context)
        one = getattr(model, "variants", (model,))[0]
        made._caches = [np.zeros(each.shape, np.float32) for each in one.inputs[3:]]
        return made

    def forget(self, tokens: Sequence[int] = ()) -> list[int]:
        """Forget what was read, but for what `tokens` start with; gives those of them that are still to be read, the
        last one at least."""
        kept = 0
        while kept < min(len(self._tokens), len(tokens) - 1) and self._tokens[kept] == tokens[kept]:
            kept += 1
        del self._tokens[kept:]
        return list(tokens[kept:])

    def read(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Read tokens, which follow what was read before; gives the logits of the next one, `[vocabulary]`.

        Raises:
            UserError: they do not fit into the context.
        """
        if not tokens or len(tokens) > self.context - len(self._tokens):
            left = self.context - len(self._tokens)
            raise UserError(f"found {len(tokens)} tokens to read; required: 1 to {left}, which the context has left")
        logits, at = np.empty(0, np.float32), 0
        while at < len(tokens):
            is_chunk = len(tokens) - at > _FEW and self.context - len(self._tokens) >= CHUNK
            room = CHUNK if is_chunk else 1
            given = np.zeros((1, room), np.int64)
            part = tokens[at : at + room]
            given[0, : len(part)] = part
            (found,) = self.model.in_place(given, np.array(len(self._tokens)), np.array(len(part)), *self._caches)
            logits, at = found[0], at + len(part)
            self._tokens += part
        return logits

    def stream(self, prompt: str | Sequence[int], most: int = 64, sampling: Sampling | None = None) -> Iterator[str]:
        """Read a prompt, a text or tokens, and give what follows piece by piece, up to so many tokens.

        Raises:
            UserError: the prompt does not fit into the context.
        """
        sampling = sampling or Sampling()
        is_start = not self._tokens
        tokens = self.tokenizer.encoded(prompt, is_start) if isinstance(prompt, str) else list(prompt)
        if not tokens:
            raise UserError("the prompt is empty; required: a text")
        start = time.perf_counter()
        logits = self.read(tokens)
        self.speed.read += len(tokens)
        self.speed.reading += time.perf_counter() - start
        text = TextStream(self.tokenizer, [])
        for _ in range(most):
            token = sampling.token(logits)
            if token in self.tokenizer.ends:
                return
            yield text.added(token)
            if len(self._tokens) == self.context:
                return
            start = time.perf_counter()
            logits = self.read([token])
            self.speed.written += 1
            self.speed.writing += time.perf_counter() - start
