"""The quant dialect: types of quantized numbers, `!quant.uniform<i8:f32, 0.1:30>`, which mlc carries along as text.

`uniform.py` says what such a type means, which `convert-stablehlo-to-graph` makes integers of.
"""

from __future__ import annotations

from xdsl.ir import Dialect

from mlc.dialects.kept_text import type_kept_as_text

Quant = Dialect("quant", [], [type_kept_as_text(f"quant.{name}") for name in ("any", "uniform", "calibrated")])

__all__ = ["Quant"]
