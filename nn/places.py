"""Where the tokens of a call stand in their sequences, and which of these each of them sees."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder


@dataclass(frozen=True)
class TokenPlaces:
    """`n` tokens, and caches of so many places: tokens of one sequence from `position` on, or one of each of several
    sequences.

    Attributes:
        position: of i64, how many tokens came before that the first one sees.
        rows: `[n]` of i64, the place of each token.
        length: how many places caches have.
        sequences: the places of each sequence by itself, if there are several.
    """

    position: SSAValue
    rows: SSAValue
    length: int
    sequences: Sequence[TokenPlaces] = ()
    _known: dict[tuple[int, int | None], list[SSAValue]] = field(
        default_factory=dict["tuple[int, int | None]", "list[SSAValue]"], compare=False
    )
    """The masks that layers share."""

    @classmethod
    def of(cls, b: GraphBuilder, position: SSAValue, n: int, length: int) -> TokenPlaces:
        """The places from `position` on."""
        return cls(position, b.add(b.reshape(position, (1,)), b.constant(np.arange(n))), length)

    @classmethod
    def of_sequences(cls, b: GraphBuilder, positions: SSAValue, seen: Sequence[SSAValue], length: int) -> TokenPlaces:
        """A token of each sequence at `positions`, `[sequences]`, which sees so many places of its own caches."""
        apart = [
            cls(b.sub(count, b.constant(np.int64(1))), b.slice(positions, 0, i, i + 1), length)
            for i, count in enumerate(seen)
        ]
        return cls(positions, positions, length, apart)

    @property
    def n(self) -> int:
        """How many tokens there are."""
        return shape_of(self.rows)[0]

    def each_sequence(self, b: GraphBuilder, x: SSAValue, function: Callable[[SSAValue], SSAValue]) -> SSAValue:
        """A function of rows `[n, …]`, of those of each sequence by themselves."""
        if not self.sequences:
            return function(x)
        return b.concat([function(b.slice(x, 0, i, i + 1)) for i in range(self.n)], 0)

    def written(self, b: GraphBuilder, cache: SSAValue, axis: int, rows: SSAValue) -> SSAValue:
        """A cache with `rows`, `[n, …]`, at the places of the tokens along an axis."""
        return b(graph.ScatterNdOp, "set", cache, b.unsqueeze(self.rows, [1]), rows, [axis])

    def only_seen(self, b: GraphBuilder, scores: SSAValue, window: int | None) -> SSAValue:
        """Scores `[…, rows, places]`, of which each `n` rows are those of the tokens, where a token sees a place: its
        own one and those before it, of which a window has the last. Others are -inf.

        Masks that compare places with an integer alone let nothing be computed after the last token, and before the
        window of the first one (`limit-dims`).
        """
        least, count = b.number(-np.inf, scores), shape_of(scores)[-2]
        masked = scores
        for mask in self._masks(b, count, window if window is not None and window < self.length else None):
            masked = b.where(mask, masked, least)
        return masked

    def _masks(self, b: GraphBuilder, count: int, window: int | None) -> list[SSAValue]:
        if (count, window) not in self._known:
            places = b.constant(np.arange(self.length))
            masks = [b.compare("le", places, b.add(self.position, b.constant(np.int64(self.n - 1))))]
            before = None if window is None else b.constant(np.int64(window))
            if before is not None:
                masks.append(b.compare("gt", places, b.sub(self.position, before)))
            if self.n > 1:
                own = b.reshape(b.broadcast(b.unsqueeze(self.rows, [0]), (count // self.n, self.n)), (count, 1))
                masks.append(b.compare("le", places, own))
                if before is not None:
                    masks.append(b.compare("gt", places, b.sub(own, before)))
            self._known[count, window] = masks
        return self._known[count, window]
