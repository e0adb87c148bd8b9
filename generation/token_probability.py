"""How likely a model thought the tokens of a text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST = -9999.0
"""What stands for the logarithm of a probability that is less, or 0."""


@dataclass(frozen=True)
class TokenProbability:
    """A token that was drawn, the logarithm of its probability, and the likeliest tokens with theirs.

    Probabilities are those of the model: before temperature, penalties, limits and schemas.
    """

    token: int
    logarithm: float
    likeliest: Sequence[tuple[int, float]]


def token_probability(logits: NDArray[Any], token: int, count: int) -> TokenProbability:
    """What `[vocabulary]` logits say of a token, and of the `count` likeliest ones, of equal ones the first."""
    wide = logits.astype(np.float64)
    with np.errstate(all="ignore"):
        wide -= wide.max()
        wide -= np.log(np.exp(wide).sum())
    wide = np.where(wide > LEAST, wide, LEAST)  # NaN is not greater
    count = min(count, len(wide))
    least = np.partition(wide, len(wide) - count)[len(wide) - count] if count else np.inf
    found = np.flatnonzero(wide >= least)
    order = found[np.argsort(-wide[found], kind="stable")][:count]
    return TokenProbability(token, float(wide[token]), [(int(each), float(wide[each])) for each in order])
