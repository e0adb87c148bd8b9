"""The graph dialect, one module per family of ops, as in `mlc.dialects.graph`."""

from mlc.reference.execution import evaluate
from mlc.reference.graph import (
    branches,
    constant,
    contraction,
    conv_transpose,
    convolution,
    elementwise,
    fusion,
    gather,
    normalization,
    pooling,
    random,
    reduction,
    scan,
    scatter,
    shape,
    slicing,
    sort,
)

__all__ = [
    "branches",
    "constant",
    "contraction",
    "conv_transpose",
    "convolution",
    "elementwise",
    "evaluate",
    "fusion",
    "gather",
    "normalization",
    "pooling",
    "random",
    "reduction",
    "scan",
    "scatter",
    "shape",
    "slicing",
    "sort",
]
