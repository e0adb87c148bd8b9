"""The stablehlo, chlo and check dialects, one module per family of ops, as in `mlc.dialects.stablehlo`.

Importing it registers the meaning of their ops. The interpreter does so when it meets the first of them.
"""

from mlc.reference.stablehlo import (
    algebra,
    calls,
    chance,
    chlo,
    contraction,
    control,
    elementwise,
    expectations,
    moves,
    places,
    reductions,
)

__all__ = [
    "algebra",
    "calls",
    "chance",
    "chlo",
    "contraction",
    "control",
    "elementwise",
    "expectations",
    "moves",
    "places",
    "reductions",
]
