"""Where the tokens of a chunk stand among all, and which of these each of them sees."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder


@dataclass(frozen=True)
class TokenPlaces:
    """`n` tokens from `position` on, and caches of so many places.

    Attributes:
        position: of i64, how many tokens came before.
        rows: `[n]` of i64, the place of each token.
        length: how many places caches have.
    """

    position: SSAValue
    rows: SSAValue
    length: int

    @classmethod
    def of(cls, b: GraphBuilder, position: SSAValue, n: int, length: int) -> TokenPlaces:
        """The places from `position` on."""
        return cls(position, b.add(b.reshape(position, (1,)), b.constant(np.arange(n))), length)

    @property
    def n(self) -> int:
        """How many tokens there are."""
        return shape_of(self.rows)[0]

    def written(self, b: GraphBuilder, cache: SSAValue, rows: SSAValue) -> SSAValue:
        """A cache `[places, …]` with `rows`, `[n, …]`, at the places of the tokens."""
        return b(graph.ScatterNdOp, "set", cache, b.unsqueeze(self.rows, [1]), rows, [0])

    def only_seen(self, b: GraphBuilder, scores: SSAValue, window: int | None) -> SSAValue:
        """Scores `[…, n, places]` where a token sees a place, else -inf: its own one and those before it, of which a
        window has the last.

        One mask compares places with an integer alone: after the last token nothing is computed (`limit-dims`).
        """
        places, least = b.constant(np.arange(self.length)), b.number(-np.inf, scores)
        last = b.add(self.position, b.constant(np.int64(self.n - 1)))
        masked = b.where(b.compare("le", places, last), scores, least)
        own = b.unsqueeze(self.rows, [1])
        if self.n > 1:
            masked = b.where(b.compare("le", places, own), masked, least)
        if window is not None and window < self.length:
            first = b.sub(own, b.constant(np.int64(window)))
            masked = b.where(b.compare("gt", places, first), masked, least)
        return masked
