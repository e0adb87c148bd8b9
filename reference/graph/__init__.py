"""The graph dialect, one module per family of ops, as in `mlc.dialects.graph`."""

from mlc.reference.execution import evaluate
from mlc.reference.graph import (
    constant,
    contraction,
    elementwise,
    fusion,
    normalization,
    pooling,
    reduction,
    shape,
    slicing,
)

__all__ = [
    "constant",
    "contraction",
    "elementwise",
    "evaluate",
    "fusion",
    "normalization",
    "pooling",
    "reduction",
    "shape",
    "slicing",
]
