"""How well a model predicts a text, as llama.cpp's `llama-perplexity` measures it.

The tokens of a text are cut into chunks as long as a context; what is left at the end is not read. Each chunk is read
by itself, with the token that texts start with in place of its first one if the model wants one. The second half of a
chunk is scored, where each token has at least half of the context before it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import exp, inf, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.generation.generator import Generator
from mlc.support.errors import UserError


@dataclass
class Perplexity:
    """The exponential of the mean of `-log(probability)` of tokens, in nats.

    Attributes:
        count: how many tokens were scored.
    """

    count: int = 0
    _sum: float = 0.0
    _squares: float = 0.0

    def add(self, surprise: float) -> None:
        """Count a token with this `-log(probability)`."""
        self.count += 1
        self._sum += surprise
        self._squares += surprise**2

    @property
    def value(self) -> float:
        """The perplexity of the tokens so far."""
        return _exp(self._sum / self.count)

    @property
    def error(self) -> float:
        """Its standard error, if tokens were independent."""
        if self.count < 2:
            return inf
        mean = self._sum / self.count
        variance = max(self._squares / self.count - mean**2, 0.0)
        return self.value * sqrt(variance / (self.count - 1))


def perplexities(generator: Generator, text: str) -> Iterator[Perplexity]:
    """The perplexity after each chunk of a text, each as long as the context of the generator.

    Raises:
        UserError: the text has fewer tokens than two chunks.
    """
    context, found = generator.context, Perplexity()
    tokens = generator.tokenizer.encoded(text)
    if len(tokens) < 2 * context:
        raise UserError(
            f"the text has {len(tokens)} tokens; required: at least {2 * context}, two chunks as long as the context"
        )
    for start in range(0, len(tokens) - context + 1, context):
        for surprise in _surprises(generator, tokens[start : start + context]):
            found.add(surprise)
        yield found


def _surprises(generator: Generator, chunk: Sequence[int]) -> Iterator[float]:
    """`-log(probability)` of the tokens of the second half of a chunk, given those before."""
    first = generator.tokenizer.first
    chunk = [first, *chunk[1:]] if first is not None else list(chunk)
    half = len(chunk) // 2
    generator.forget()
    logits = generator.read(chunk[: half + 1])
    for token, following in zip(chunk[half + 1 :], [*chunk[half + 2 :], None], strict=True):
        yield surprise_of(logits, token)
        if following is not None:
            logits = generator.read([token])


def surprise_of(logits: NDArray[Any], token: int) -> float:
    """`-log(probability)` of a token, of `[vocabulary]` logits, computed in f64."""
    below = logits.max() - logits.astype(np.float64)
    return float(np.log(np.exp(-below).sum()) + below[token])


def _exp(x: float) -> float:
    return exp(x) if x < 700 else inf
