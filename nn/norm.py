"""Normalisation of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import SSAValue

from mlc.dialects import graph
from mlc.dialects.graph.types import shape_of
from mlc.frontends.operators.graph_builder import GraphBuilder


@dataclass(frozen=True)
class RMSNorm:
    """`x / sqrt(mean(x^2) + epsilon) * scale` over the last dim."""

    scale: NDArray[np.float32]
    epsilon: float

    def __call__(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The shape stays."""
        return b(graph.RmsNormOp, x, b.constant(self.scale), len(shape_of(x)) - 1, self.epsilon)


@dataclass(frozen=True)
class LayerNorm:
    """`(x - mean) / sqrt(variance + epsilon) * scale + bias` over the last dim."""

    scale: NDArray[np.float32]
    bias: NDArray[np.float32]
    epsilon: float

    def __call__(self, b: GraphBuilder, x: SSAValue) -> SSAValue:
        """The shape stays."""
        scale, bias = b.constant(self.scale), b.constant(self.bias)
        return b(graph.LayerNormOp, x, scale, bias, len(shape_of(x)) - 1, self.epsilon)
