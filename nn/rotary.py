"""Rotary position embeddings, of angles that are computed when the model is compiled."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.rotary import rotated
from mlc.frontends.operators.weight_matrices import named_constant
from mlc.nn.naming import named
from mlc.nn.places import TokenPlaces


@dataclass(frozen=True)
class Rotary:
    """Pairs of elements turned by the place times a frequency, `base^(-i / pairs)` for pair `i`.

    Attributes:
        pairs: how many pairs of a head are turned; elements after them stay.
        base: the base of frequencies.
        interleaved: whether neighbours are a pair, and not elements `i` and `pairs + i`.
        scale: what places are multiplied with.
        factors: what frequencies are divided by, one for each pair.
    """

    pairs: int
    base: float
    interleaved: bool
    scale: float = 1
    factors: NDArray[Any] | None = field(default=None, compare=False)

    @cached_property
    def frequencies(self) -> NDArray[np.float64]:
        """The angle between neighbouring places, of each pair."""
        plain = self.base ** (-np.arange(self.pairs, dtype=np.float64) / self.pairs) * self.scale
        return plain if self.factors is None else plain / self.factors.astype(np.float64)

    def __call__(self, b: GraphBuilder, x: SSAValue, places: TokenPlaces) -> SSAValue:
        """Heads of tokens, `[n, heads, size]`: the shape stays."""
        with named(b, "rotary"):  # all layers read the same rows
            cos, sin = (self._rows(b, places, *each) for each in (("cos", np.cos), ("sin", np.sin)))
        return rotated(b, x, cos, sin, self.interleaved)

    def _rows(self, b: GraphBuilder, places: TokenPlaces, name: str, function: Any) -> SSAValue:
        """`[n, 1, pairs]`."""
        angles = np.arange(places.length)[:, None] * self.frequencies
        kind = f"{name}.{self.base:g}.{self.scale:g}.{self.pairs}.{places.length}"
        table = named_constant(b, kind, function(angles).astype(np.float32))
        return b.unsqueeze(b(graph.GatherOp, table, places.rows, 0), [1])
