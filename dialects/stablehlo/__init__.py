"""The stablehlo dialect: models as JAX and other frameworks hand them over, before `convert-stablehlo-to-graph`.

All ops of the specification (openxla.org/stablehlo/spec), in the forms in which jaxlib prints them. Messages of the
verifier end in the number that a constraint has there: `(dot_general_c9)`.

| what | file |
|---|---|
| how ops are declared | `base.py` |
| forms that need words of their own | `directives.py` |
| attributes | `attributes.py`, `enums.py` |
| what many ops require | `rules.py` |
| ops that compute element by element | `elementwise.py` |
| data, and moves of elements to places that the text says | `moves.py`, `dynamic.py` |
| gather, scatter | `places.py` |
| reductions, sort, map | `reductions.py` |
| while, if, case | `control.py` |
| products, convolutions | `contraction.py` |
| linear algebra, Fourier transforms, normalization | `algebra.py` |
| random numbers | `chance.py` |
| foreign functions, tuples, tokens, communication | `calls.py` |
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlc.dialects.stablehlo import algebra as algebra
from mlc.dialects.stablehlo import chance as chance
from mlc.dialects.stablehlo import contraction as contraction
from mlc.dialects.stablehlo import dynamic as dynamic
from mlc.dialects.stablehlo import elementwise as elementwise
from mlc.dialects.stablehlo.attributes import KEPT, PARTS, ConvAttr, DotAttr, GatherAttr, ScatterAttr
from mlc.dialects.stablehlo.base import HloOp, hlo, operations
from mlc.dialects.stablehlo.calls import TYPES, CompositeOp
from mlc.dialects.stablehlo.control import ReturnOp, WhileOp
from mlc.dialects.stablehlo.enums import ENUMS
from mlc.dialects.stablehlo.moves import ConstantOp
from mlc.dialects.stablehlo.reductions import ReduceOp

StableHlo = Dialect(
    "stablehlo",
    [ConstantOp, ReturnOp, WhileOp, ReduceOp, CompositeOp, *operations("stablehlo")],
    [*ENUMS, *PARTS, *KEPT, *TYPES],
)

__all__ = [
    "CompositeOp",
    "ConstantOp",
    "ConvAttr",
    "DotAttr",
    "GatherAttr",
    "HloOp",
    "ReduceOp",
    "ReturnOp",
    "ScatterAttr",
    "StableHlo",
    "WhileOp",
    "hlo",
]
