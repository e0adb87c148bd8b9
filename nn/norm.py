"""Normalisation of rows.

In which order a row is summed may depend on how many rows a kernel has. So those of several sequences are normalised
one by one: what a sequence gets does not depend, bit by bit, on whether others are decoded beside it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder
from mlc.nn.naming import named
from mlc.nn.places import TokenPlaces


@dataclass(frozen=True)
class RMSNorm:
    """`x / sqrt(mean(x^2) + epsilon) * scale` over the last dim."""

    scale: NDArray[np.float32]
    epsilon: float
    name: str = ""

    def __call__(self, b: GraphBuilder, x: SSAValue, places: TokenPlaces) -> SSAValue:
        """The shape stays."""
        with named(b, self.name):
            scale = b.constant(self.scale)
            return places.each_sequence(
                b, x, lambda rows: b(graph.RmsNormOp, rows, scale, len(shape_of(x)) - 1, self.epsilon)
            )


@dataclass(frozen=True)
class LayerNorm:
    """`(x - mean) / sqrt(variance + epsilon) * scale + bias` over the last dim."""

    scale: NDArray[np.float32]
    bias: NDArray[np.float32]
    epsilon: float
    name: str = ""

    def __call__(self, b: GraphBuilder, x: SSAValue, places: TokenPlaces) -> SSAValue:
        """The shape stays."""
        with named(b, self.name):
            scale, bias = b.constant(self.scale), b.constant(self.bias)
            return places.each_sequence(
                b, x, lambda rows: b(graph.LayerNormOp, rows, scale, bias, len(shape_of(x)) - 1, self.epsilon)
            )
