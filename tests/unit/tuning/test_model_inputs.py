"""Models are measured with inputs for which all of the data is there."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from mlc.compiler.compilation import new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.schedules.lone_kernel import lone_kernel
from mlc.tuning.libraries import function_named
from mlc.tuning.model_inputs import counts_of, random_inputs
from mlc.tuning.stopwatch import Stopwatch

_PLACES = 1 << 16
_TEXT = f"""
func.func private @kernel(%x: tensor<{_PLACES}xf32>, %held: tensor<i64>, %first: tensor<i64>) -> tensor<{_PLACES}xf32>
    attributes {{limits = #loop.limits<LIMITS>}} {{
  %0 = tensor.map %x[n] over (n: {_PLACES}) : tensor<{_PLACES}xf32> -> tensor<{_PLACES}xf32> {{
  ^bb0(%a: f32):
    %b = math.exp %a : f32
    tensor.yield %b : f32
  }}
  return %0 : tensor<{_PLACES}xf32>
}}
func.func @main(%first: tensor<i64>, %x: tensor<{_PLACES}xf32>, %held: tensor<1xi64>) -> tensor<{_PLACES}xf32> {{
  %h = tensor.collapse_shape %held [] : tensor<1xi64> into tensor<i64>
  %0 = func.call @kernel(%x, %h, %first) : (tensor<{_PLACES}xf32>, tensor<i64>, tensor<i64>) -> tensor<{_PLACES}xf32>
  return %0 : tensor<{_PLACES}xf32>
}}
"""


def _counts(limits: str) -> dict[int, int]:
    return dict(counts_of(parse_verified(_TEXT.replace("LIMITS", limits), "test.mlir", new_context(), Path())))


def test_counts_are_those_of_whole_dims() -> None:
    assert _counts("n: argument 1 plus 1 by 8") == {2: _PLACES - 1}
    assert _counts("n: argument 1 by 4 times 7") == {2: 9363}  # sevens, the last one of which is cut off
    assert _counts("n: argument 1 over 2") == {2: 2 * _PLACES}
    assert _counts("n: argument 1, n: from argument 2 plus -511") == {2: _PLACES}  # where loops begin is left to chance
    assert _counts("n: from argument 2") == {}


def test_a_kernel_is_measured_with_all_of_its_data() -> None:
    """At the integers that are drawn otherwise, 4 at most, a call would take a thousandth of the time."""
    ctx = new_context()
    module = parse_verified(_TEXT.replace("LIMITS", "n: argument 1 plus 1 by 8"), "test.mlir", ctx, Path())
    alone = lone_kernel(module, function_named(module, "kernel"))
    assert list(counts_of(alone).values()) == [_PLACES - 1]
    assert Stopwatch(alone, ctx, CompileOptions()).measured.shortest > 4e-6


def test_arrays_are_drawn_by_seed(tmp_path: Path) -> None:
    import mlc

    model = mlc.compile("func.func @main(%x: tensor<5xf32>, %n: tensor<i64>) -> tensor<5xf32> {\n"
                        "  %0 = graph.relu %x : tensor<5xf32>\n  return %0 : tensor<5xf32>\n}")  # fmt: skip
    one, again, other = (random_inputs(model, {1: 77, 9: 1}, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(one[0], again[0])
    assert (one[0] != other[0]).any() and one[1] == other[1] == 77
