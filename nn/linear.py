"""Products with matrices of weights, and rows of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.frontends.operators.weight_matrices import ModelWeights, WeightMatrix
from mlc.nn.naming import named


@dataclass(frozen=True)
class Linear:
    """`x w^T + bias`."""

    weight: WeightMatrix
    bias: NDArray[np.float32] | None = None
    name: str = ""

    @classmethod
    def of(cls, weights: ModelWeights, name: str, rows: int, columns: int) -> Linear:
        """The layer whose weights are called `<name>.weight`, with `<name>.bias` if there is one.

        Raises:
            UserError: the weights are missing, or have another shape.
        """
        bias = weights.vector(f"{name}.bias", rows) if weights.has(f"{name}.bias") else None
        return cls(weights.matrix(f"{name}.weight", rows, columns), bias, name)

    def part(self, start: int, size: int) -> Linear:
        """The layer that gives `size` numbers of this one's, from `start` on."""
        bias = None if self.bias is None else self.bias[start : start + size]
        return Linear(self.weight.part(start, start + size), bias, self.name)

    def __call__(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """`[n, columns]` to `[n, rows]`."""
        with named(b, self.name):
            y = self.weight.product(b, x)
            return y if self.bias is None else b.add(y, b.constant(self.bias))


@dataclass(frozen=True)
class Embedding:
    """A row of a table for each token, times a number."""

    table: WeightMatrix
    scale: float = 1

    def __call__(self, b: GraphBuilder, tokens: SSAValue) -> SSAValue:
        """`[n]` of i64 to `[n, columns]`."""
        return b.scaled(self.table.at(b, tokens), self.scale)
