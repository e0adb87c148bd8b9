"""A compiled language model with its caches: texts in, texts out."""

from __future__ import annotations

import time
from collections.abc import Generator as Steps
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
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
from mlc.generation.writing import Ending, Writing
from mlc.runtime.model import Model
from mlc.support.errors import UserError

CHUNKS = (16, 64)
"""How many tokens of a prompt a call takes. With more of them, weights that are unpacked once are used more often, and
logits are computed more rarely. Where other texts are written while a prompt is read, calls take few tokens, so that
these do not wait long."""
FEW = 3
"""So many tokens are read faster one by one."""
BATCHES = (4, 5, 6, 7, 8)
"""Of how many sequences a call takes a token, if they are decoded at once. Up to four cost about as much as four; of
more, each number has code of its own, so that one more sequence is never a loss."""


def calls_for(sizes: Iterable[int]) -> list[tuple[int, int]]:
    """The numbers of tokens that calls of a model take, the largest first, each with the fewest tokens for which it is
    faster than calls of the next smaller one. A call costs what all its places cost."""
    ordered = sorted(set(sizes))
    steps = [(size, FEW + 1 if smaller == 1 else size - smaller + 1) for smaller, size in pairwise(ordered)]
    return [*reversed(steps), (1, 1)]


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
        model: the compiled model, for 1 token, for those of `CHUNKS` that fit into the context, and perhaps for a token
            of each of `batches`.
        context: how many tokens caches hold.
        hidden: the state after the last token that was read, `[width]`.
        caches: keys and values of what was read.
    """

    file: GgufFile
    model: Model
    tokenizer: Tokenizer
    context: int
    speed: Speed = field(default_factory=Speed)
    hidden: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    caches: list[NDArray[Any]] = field(default_factory=list[NDArray[Any]])
    _tokens: list[int] = field(default_factory=list[int])
    """What was read, each token at its place in the caches."""

    @classmethod
    def load(
        cls, path: str | Path, context: int | None = None, sequences: int = 1, **options: Unpack[PythonOptions]
    ) -> Generator:
        """Compile the model in a file, or find it in the cache; if there are several sequences, with code for a token
        of each of up to 8 of them (`batch.py`).

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
        rows = [size for smaller, size in pairwise((1, *BATCHES)) if sequences > smaller]
        shapes: list[api.GivenShape] = [(1, 1), *((size, 1) for size in rows)]
        shapes += [(1, size) for size in (CHUNKS if sequences == 1 else CHUNKS[:1]) if size <= context]
        model = api.compile(path, shapes={"tokens": shapes, "context": context}, **options)
        made = cls(file, model, tokenizer, context)
        made.caches = [np.zeros(each.shape, each.dtype) for each in made._one.inputs[3:]]
        return made

    @property
    def _variants(self) -> tuple[Model, ...]:
        """The code for each shape of the tokens of a call, first that for one token."""
        return getattr(self.model, "variants", (self.model,))

    @property
    def _one(self) -> Model:
        """The code for one token."""
        return self._variants[0]

    @cached_property
    def _calls(self) -> list[tuple[int, int]]:
        """How many tokens calls take, with how few of them they are made."""
        return calls_for([each.inputs[0].shape[1] for each in self._variants])

    @property
    def batches(self) -> tuple[int, ...]:
        """Of how many sequences there is code that takes a token of each."""
        return tuple(rows for each in self._variants if (rows := each.inputs[0].shape[0]) > 1)

    @property
    def cache_bytes(self) -> int:
        """How much memory the caches take when they are full."""
        return sum(each.nbytes for each in self.caches)

    @property
    def vocabulary(self) -> int:
        """How many logits there are."""
        return self._one.outputs[0].shape[-1]

    def another(self) -> Generator:
        """The same model with caches of its own, which has read nothing."""
        caches = [np.zeros(each.shape, each.dtype) for each in self.caches]  # pages are taken when they are used
        return replace(self, speed=Speed(), hidden=np.empty(0, np.float32), caches=caches, _tokens=[])

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
            left, places = len(tokens) - at, self.context - len(self._tokens)
            room = next(size for size, least in self._calls if left >= least and places >= size)
            given = np.zeros((1, room), np.int64)
            part = tokens[at : at + room]
            given[0, : len(part)] = part
            found, hidden = self.model.in_place(given, np.array(len(self._tokens)), np.array(len(part)), *self.caches)
            at += len(part)
            self.note_read(part, hidden[0])
            yield found[0]

    def note_read(self, tokens: Sequence[int], hidden: NDArray[np.float32]) -> None:
        """The model has read tokens, which are in the caches, with this state after the last one."""
        self._tokens += tokens
        self.hidden = hidden

    def free_last_place(self) -> None:
        """Forget the last token if the caches are full, as its place is going to be overwritten."""
        del self._tokens[self.context - 1 :]

    def writing(self, most: int, sampling: Sampling, constraint: JsonConstraint | None = None) -> Writing:
        """A text of at most so many tokens that follows what was read."""
        return Writing(self._tokens, self.context, self.tokenizer.ends, most, sampling, constraint)

    def steps(
        self, tokens: Sequence[int], most: int, sampling: Sampling, constraint: JsonConstraint | None = None
    ) -> Steps[int | None, None, Ending]:
        """Read tokens and write what follows, one call of the model at a time: gives None after a chunk that was read,
        and each token that is written; at the end, why it ended.

        Raises:
            UserError: the tokens do not fit into the context.
        """
        start, logits = time.perf_counter(), np.empty(0, np.float32)
        for read in self.reading(tokens):
            logits = read
            yield None
        self.speed.read += len(tokens)
        self.speed.reading += time.perf_counter() - start
        writing = self.writing(most, sampling, constraint)
        while (token := writing.token(logits)) is not None:
            yield token
            if writing.ending is not None:
                break
            start = time.perf_counter()
            logits = self.read([token])
            self.speed.written += 1
            self.speed.writing += time.perf_counter() - start
        assert writing.ending is not None
        return writing.ending

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
