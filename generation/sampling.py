"""The next token, from logits: the most likely one, or one of the likely ones by chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.support.errors import UserError

Numbers = NDArray[Any]


@dataclass
class Sampling:
    """How tokens are drawn.

    Attributes:
        temperature: what logits are divided by; 0 takes the most likely token.
        top_k: of how many tokens one is drawn; 0 for all.
        top_p: the most likely ones that together are that likely (Holtzman et al., arXiv:1904.09751); 1 for all.
        min_p: those that are as likely as that part of the most likely one (arXiv:2407.01082); 0 for all.
        seed: that of NumPy's PCG64, of which each draw takes one number; equal seeds draw equal tokens.
        repetition_penalty: what positive logits of tokens that came before, in prompt or answer, are divided by, and
            negative ones multiplied by (Keskar et al., arXiv:1909.05858); 1 for none.
        frequency_penalty: what is taken from the logit of a token for each time that it stands in the answer.
        presence_penalty: what is taken from the logit of a token that stands in the answer.
    """

    temperature: float = 0.0
    top_k: int = 40
    top_p: float = 0.95
    min_p: float = 0.05
    seed: int = 0
    repetition_penalty: float = 1.0
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    _chance: np.random.Generator = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Raises: UserError if a number is out of range."""
        for name, found, least, most in (
            ("temperature", self.temperature, 0, 1e6),
            ("top-k", self.top_k, 0, 2**31),
            ("top-p", self.top_p, 0, 1),
            ("min-p", self.min_p, 0, 1),
            ("seed", self.seed, 0, 2**63),
            ("repetition penalty", self.repetition_penalty, 0.01, 100),
            ("frequency penalty", self.frequency_penalty, -100, 100),
            ("presence penalty", self.presence_penalty, -100, 100),
        ):
            if not least <= found <= most:
                raise UserError(f"found {name} {found}; required: a number from {least:g} to {most:g}")
        self._chance = np.random.default_rng(self.seed)

    def token(self, logits: Numbers, before: Sequence[int] = (), written: Sequence[int] = ()) -> int:
        """The next token, of `[vocabulary]` logits, where some tokens came before, of which some were `written`."""
        logits = self.penalized(logits, before, written)
        if self.temperature == 0:
            return int(logits.argmax())
        tokens, likely = self.likely(logits)
        drawn = int(np.searchsorted(likely.cumsum(), self._chance.random(), side="right"))
        return int(tokens[min(drawn, len(tokens) - 1)])

    def penalized(self, logits: Numbers, before: Sequence[int], written: Sequence[int]) -> Numbers:
        """Logits after penalties; the same array if there are none."""
        if self.repetition_penalty != 1 and len(before):
            logits, known = logits.copy(), np.unique(np.asarray(before))
            found = logits[known]
            logits[known] = np.where(found > 0, found / self.repetition_penalty, found * self.repetition_penalty)
        if (self.frequency_penalty or self.presence_penalty) and len(written):
            logits = logits.copy()
            known, times = np.unique(np.asarray(written), return_counts=True)
            logits[known] -= (self.frequency_penalty * times + self.presence_penalty).astype(logits.dtype)
        return logits

    def likely(self, logits: Numbers) -> tuple[Numbers, Numbers]:
        """The tokens of which one is drawn, the most likely one first and the lower one of equals, and how likely each
        is, which is more than 0."""
        count = len(logits) if self.top_k == 0 else min(self.top_k, len(logits))
        found = np.flatnonzero(~(logits < np.partition(logits, -count)[-count]))  # with what is no number
        found = found[np.argsort(-logits[found], kind="stable")][:count]
        scaled = (logits[found] - logits[found[0]]).astype(np.float64) / self.temperature
        weights = np.exp(scaled)
        weights /= weights.sum()
        before = weights.cumsum() - weights
        kept = ((before < self.top_p) & (weights >= self.min_p * weights[0]) & (weights > 0)).nonzero()[0]
        kept = kept if len(kept) else np.zeros(1, np.int64)
        return found[kept], weights[kept] / weights[kept].sum()
