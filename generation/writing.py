"""The tokens of a text that a model writes, drawn one after the other, and why the text ends."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from numpy.typing import NDArray

from mlc.generation.json_schema import JsonConstraint
from mlc.generation.sampling import Sampling


class Ending(StrEnum):
    """Why a text ended, in the words of OpenAI's interface: by itself, or as there was no room for more."""

    STOP = "stop"
    LENGTH = "length"


@dataclass
class Writing:
    """A text that grows token by token, given logits.

    Attributes:
        before: what the model has read, which grows as it reads more.
        context: how many tokens it may read.
        ends: the tokens that end a text.
        most: how many tokens may be written.
        written: those that were.
        ending: why no token follows; None as long as one does.
    """

    before: Sequence[int]
    context: int
    ends: Container[int]
    most: int
    sampling: Sampling
    constraint: JsonConstraint | None = None
    written: list[int] = field(default_factory=list[int])
    ending: Ending | None = None

    def __post_init__(self) -> None:
        if self.most <= 0:
            self.ending = Ending.LENGTH

    def token(self, logits: NDArray[Any]) -> int | None:
        """The next token, of `[vocabulary]` logits after what was read; None if the text ends without one. If `ending`
        is None after that, the model has to read the token."""
        if self.ending is not None:
            return None
        logits = logits if self.constraint is None else self.constraint.allowed(logits)
        token = self.sampling.token(logits, self.before, self.written)
        if token in self.ends:
            self.ending = Ending.STOP
            return None
        self.written.append(token)
        if self.constraint is not None:
            self.constraint.take(token)
        if self.constraint is not None and self.constraint.is_over:
            self.ending = Ending.STOP
        elif len(self.before) == self.context or len(self.written) == self.most:
            self.ending = Ending.LENGTH
        return token
