"""A compiled language model with its caches: texts in, texts out."""

from __future__ import annotations

import time
from collections.abc import Generator as Steps
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from mlc import api
from mlc.compiler.options import PythonOptions
from mlc.frontends.gguf.file import GgufFile, open_gguf
from mlc.frontends.gguf.language_model import language_model
from mlc.frontends.gguf.source import MOST_PLACES
from mlc.generation.json_schema import JsonConstraint
from mlc.generation.sampling import Sampling
from mlc.generation.spelling import TextStream
from mlc.generation.stop_strings import StopStrings
from mlc.generation.tokenizer import Tokenizer
from mlc.runtime.model import Model
from mlc.support.errors import UserError

CHUNK = 16
"""How many tokens of a prompt a call takes."""
FEW = 3
"""So many tokens are read faster one by one."""


@dataclass
class Speed:
    """How many tokens were read and written, in how many seconds."""

    read: int = 0
    reading: float = 0.0
    written: int = 0
    writing: float = 0.0


class Ending(StrEnum):
    """Why a text ended, in the words of OpenAI's interface: by itself, or as there was no room for more."""

    STOP = "stop"
    LENGTH = "length"


@dataclass
class Generator:
    """A model and what it has read so far; not for several threads at a time.

    Attributes:
        file: where it comes from.
        model: the compiled model, for chunks of 1 token and of `CHUNK`.
        context: how many tokens caches hold.
        hidden: the state after the last token that was read, `[width]`.
    """

    file: GgufFile
    model: Model
    tokenizer: Tokenizer
    context: int
    speed: Speed = field(default_factory=Speed)
    hidden: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
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
        made._caches = [np.zeros(each.shape, each.dtype) for each in one.inputs[3:]]
        return made

    @property
    def vocabulary(self) -> int:
        """How many logits there are."""
        one = getattr(self.model, "variants", (self.model,))[0]
        return one.outputs[0].shape[-1]

    def another(self) -> Generator:
        """The same model with caches of its own, which has read nothing."""
        caches = [np.zeros(each.shape, each.dtype) for each in self._caches]  # pages are taken when they are used
        return replace(self, speed=Speed(), hidden=np.empty(0, np.float32), _caches=caches, _tokens=[])

    @property
    def held(self) -> int:
        """How many tokens caches hold now."""
        return len(self._tokens)

    def common(self, tokens: Sequence[int]) -> int:
        """How many tokens at the start of these have been read and need not be read again; never all of them."""
        most = min(len(self._tokens), len(tokens) - 1)
        return next((i for i in range(most) if self._tokens[i] != tokens[i]), max(most, 0))

    def forget(self, tokens: Sequence[int] = ()) -> list[int]:
        """Forget what was read, but for what `tokens` start with; gives those of them that are still to be read, the
        last one at least."""
        kept = self.common(tokens)
        del self._tokens[kept:]
        return list(tokens[kept:])

    def read(self, tokens: Sequence[int]) -> NDArray[np.float32]:
        """Read tokens, which follow what was read before; gives the logits of the next one, `[vocabulary]`.

        Raises:
            UserError: they do not fit into the context.
        """
        *_, logits = self.reading(tokens)
        return logits

    def reading(self, tokens: Sequence[int]) -> Iterator[NDArray[np.float32]]:
        """The same, chunk by chunk, with the logits after each.

        Raises:
            UserError: they do not fit into the context.
        """
        if not tokens or len(tokens) > self.context - len(self._tokens):
            left = self.context - len(self._tokens)
            raise UserError(f"found {len(tokens)} tokens to read; required: 1 to {left}, which the context has left")
        at = 0
        while at < len(tokens):
            is_chunk = len(tokens) - at > FEW and self.context - len(self._tokens) >= CHUNK
            room = CHUNK if is_chunk else 1
            given = np.zeros((1, room), np.int64)
            part = tokens[at : at + room]
            given[0, : len(part)] = part
            found, hidden = self.model.in_place(given, np.array(len(self._tokens)), np.array(len(part)), *self._caches)
            at += len(part)
            self._tokens += part
            self.hidden = hidden[0]
            yield found[0]

    def steps(
        self, tokens: Sequence[int], most: int, sampling: Sampling, constraint: JsonConstraint | None = None
    ) -> Steps[int | None, None, Ending]:
        """Read tokens and write what follows, one call of the model at a time: gives None after a chunk that was read,
        and each token that is written; at the end, why it ended.

        Raises:
            UserError: the tokens do not fit into the context.
        """
        start, logits, written = time.perf_counter(), np.empty(0, np.float32), list[int]()
        for read in self.reading(tokens):
            logits = read
            yield None
        self.speed.read += len(tokens)
        self.speed.reading += time.perf_counter() - start
        while len(written) < most:
            logits = logits if constraint is None else constraint.allowed(logits)
            token = sampling.token(logits, self._tokens, written)
            if token in self.tokenizer.ends:
                return Ending.STOP
            written.append(token)
            yield token
            if constraint is not None:
                constraint.take(token)
                if constraint.is_over:
                    return Ending.STOP
            if len(self._tokens) == self.context or len(written) == most:
                break
            start = time.perf_counter()
            logits = self.read([token])
            self.speed.written += 1
            self.speed.writing += time.perf_counter() - start
        return Ending.LENGTH

    def stream(
        self,
        prompt: str | Sequence[int],
        most: int = 64,
        sampling: Sampling | None = None,
        stops: Sequence[str] = (),
        constraint: JsonConstraint | None = None,
    ) -> Iterator[str]:
        """Read a prompt, a text or tokens, and give what follows piece by piece: up to so many tokens, and to the first
        of the texts at which it stops.

        Raises:
            UserError: the prompt does not fit into the context.
        """
        tokens = self.tokenizer.encoded(prompt, not self._tokens) if isinstance(prompt, str) else list(prompt)
        if not tokens:
            raise UserError("the prompt is empty; required: a text")
        text, stop = TextStream(self.tokenizer.spelling), StopStrings(stops)
        for token in self.steps(tokens, most, sampling or Sampling(), constraint):
            if token is not None and (piece := stop.passed(text.added(token))):
                yield piece
            if stop.is_found:
                return
        if piece := stop.passed(text.rest(), is_last=True):
            yield piece
