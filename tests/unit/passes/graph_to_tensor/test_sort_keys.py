"""Sorting at the tensor level, run by its reference: positions are those of Python's stable sort, for all types."""

# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownVariableType=false

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.compiler.compilation import new_context
from mlc.pass_manager.manager import PassManager
from mlc.pass_manager.options import parse_passes
from mlc.reference.interpreter import run_function
from mlc.syntax import parse_module

Array = NDArray[Any]
_TEXT = """
func.func @main(%x: tensor<{shape}x{element}>) -> tensor<{result}xi64> {{
  %y = graph.argsort %x axis {axis} {way}first {first} : tensor<{shape}x{element}> -> tensor<{result}xi64>
  return %y : tensor<{result}xi64>
}}
"""
_TYPES = {"f32": np.float32, "f64": np.float64, "i8": np.int8, "i64": np.int64, "ui8": np.uint8, "ui32": np.uint32}


def _numbers(dtype: Any, count: int) -> Array:
    """Extremes, zeros of both signs and NaN of both among others, many of them twice."""
    rng = np.random.default_rng(count)
    if np.issubdtype(dtype, np.floating):
        kinds = np.array([0.0, -0.0, 1.5, -1.5, np.inf, -np.inf, np.nan, -np.nan, 1e-40, -1e-40, 3e38], dtype)
    else:
        info = np.iinfo(dtype)
        kinds = np.array([info.min, info.max, 0, 1, info.max // 2, info.max // 2 + 1, 7], dtype)
    return kinds[rng.integers(0, kinds.size, count)]


def _positions(row: Array, descending: bool) -> list[int]:
    """NaN is greater than all numbers; both zeros are one; of equal ones the first comes first."""

    def key(at: int) -> tuple[bool, Any]:
        missing = math.isnan(float(row[at]))
        return missing, 0 if missing else row[at].item()

    return sorted(range(len(row)), key=key, reverse=descending)


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("first", [3, 20])
@pytest.mark.parametrize("length", [23, 90])
@pytest.mark.parametrize("element", _TYPES)
def test_positions(element: str, length: int, first: int, descending: bool) -> None:
    """Along the middle axis: all pairs of short rows, long rows whole, and a part that is selected first."""
    x = _numbers(_TYPES[element], 2 * length * 3).reshape(2, length, 3)
    sizes = {"shape": f"2x{length}x3", "result": f"2x{first}x3", "axis": 1, "first": first}
    text = _TEXT.format(**sizes, element=element, way="descending " if descending else "")
    ctx = new_context()
    module = parse_module(text, "sort", ctx)
    PassManager(ctx).run(module, parse_passes("lower-to-tensor"))
    (found,) = run_function(module, "main", [x], ctx.resources)
    for batch, column in np.ndindex(2, 3):
        assert found[batch, :, column].tolist() == _positions(x[batch, :, column], descending)[:first]
