"""IR that a person wrote and that looks like what our own passes make: it is computed at every level as it stands.

Passes recognise a softmax, a kernel or a move. What is written here is nearly one of these, in a way that counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

Array = NDArray[Any]


def _kernel(body: str) -> str:
    """A kernel of scores `%s` and values `%v`, and the model that calls it."""
    types = "tensor<4x5xf32>, %v: tensor<5x3xf32>"
    return f"""func.func private @kernel(%s: {types}) -> tensor<4x3xf32> {{
{body}
  %y = tensor.contract %p[m, k], %v[k, n] over (m: 4, n: 3) reduce (k: 5)
    : tensor<4x5xf32>, tensor<5x3xf32> -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}}
func.func @main(%s: {types}) -> tensor<4x3xf32> {{
  %0 = call @kernel(%s, %v) : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}}
"""


_EXP = """  %e = tensor.map %s[m, n] over (m: 4, n: 5) : tensor<4x5xf32> -> tensor<4x5xf32> {
  ^bb0(%a: f32):
    %x = math.exp %a : f32
    tensor.yield %x : f32
  }"""
_SCALED = """  %p = tensor.map %e[m, n] over (m: 4, n: 5) : tensor<4x5xf32> -> tensor<4x5xf32> {{
  ^bb0(%a: f32):
    %c = arith.constant {0} : f32
    %x = arith.mulf %a, %c : f32
    tensor.yield %x : f32
  }}"""
_FACTOR = """  %f = tensor.map %v[0, 0] over (m: 4) : tensor<5x3xf32> -> tensor<4xf32> {{
  ^bb0(%a: f32):
    %c = arith.constant {0} : f32
    tensor.yield %c : f32
  }}
  %p = tensor.map %e[m, n], %f[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {{
  ^bb0(%a: f32, %b: f32):
    %x = arith.mulf %a, %b : f32
    tensor.yield %x : f32
  }}"""
_SHIFTED = """  %g = tensor.reduce {0} %s[m, k] over (m: 4) reduce (k: {1}) : tensor<4x5xf32> -> tensor<4xf32>
  %e = tensor.map %s[m, n], %g[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {{
  ^bb0(%a: f32, %b: f32):
    %d = arith.subf %a, %b : f32
    %x = math.exp %d : f32
    tensor.yield %x : f32
  }}"""
_OVER_SUM = """  %t = tensor.reduce add %e[m, k] over (m: 4) reduce (k: {0}) : tensor<4x5xf32> -> tensor<4xf32>
  %p = tensor.map %e[m, n], %t[m] over (m: 4, n: 5) : tensor<4x5xf32>, tensor<4xf32> -> tensor<4x5xf32> {{
  ^bb0(%a: f32, %b: f32):
    %x = arith.divf %a, %b : f32
    tensor.yield %x : f32
  }}"""

_rng = np.random.default_rng(0)
_SCORES = _rng.standard_normal((4, 5)).astype(np.float32)
_VALUES = _rng.standard_normal((5, 3)).astype(np.float32)


@dataclass(frozen=True)
class _Case:
    body: str
    scores: Array
    values: Array
    weights: Array
    """What `%p` is, in doubles."""


def _over_sum(e: Array, terms: int = 5) -> Array:
    return e / e[:, :terms].sum(1, keepdims=True)


_LARGE = np.full((4, 5), 88, np.float32)
_FALLING = np.array([[50, 20, 10, 5, -30]] * 4, np.float32)
_ONE_LARGE = np.array([[0, -60, -60, -60, -60]] * 4, np.float32)
_RISING = _FALLING[:, ::-1].copy()
_wide = np.float64
CASES = {
    "exponentials times a small number": _Case(
        "\n".join((_EXP, _SCALED.format("1.0e-30"))), _LARGE, np.ones((5, 3), np.float32), np.exp(_wide(_LARGE)) * 1e-30
    ),
    "exponentials times a small factor": _Case(
        "\n".join((_EXP, _FACTOR.format("1.0e-30"))), _LARGE, np.ones((5, 3), np.float32), np.exp(_wide(_LARGE)) * 1e-30
    ),
    "exponentials over their sum": _Case(
        "\n".join((_EXP, _OVER_SUM.format(5))),
        np.full((4, 5), 87, np.float32),
        np.full((5, 3), 10, np.float32),
        np.full((4, 5), 0.2),
    ),
    "a large factor": _Case(
        "\n".join((_SHIFTED.format("max", 5), _FACTOR.format("1.0e+30"))),
        _ONE_LARGE,
        np.full((5, 3), 1e-20, np.float32) * np.array([[0], [1], [1], [1], [1]], np.float32),
        np.exp(_wide(_ONE_LARGE)) * 1e30,
    ),
    "the least of a row": _Case(
        "\n".join((_SHIFTED.format("min", 5), _OVER_SUM.format(5))),
        _FALLING,
        np.full((5, 3), 1e5, np.float32),
        _over_sum(np.exp(_wide(_FALLING) + 30)),
    ),
    "the greatest of a part of a row": _Case(
        "\n".join((_SHIFTED.format("max", 4), _OVER_SUM.format(5))),
        _RISING,
        np.full((5, 3), 1e12, np.float32),
        _over_sum(np.exp(_wide(_RISING) - 20)),
    ),
    "the sum of a part of a row": _Case(
        "\n".join((_SHIFTED.format("max", 5), _OVER_SUM.format(4))),
        _RISING,
        np.full((5, 3), 1e-20, np.float32),
        _over_sum(np.exp(_wide(_RISING) - 50), 4),
    ),
    "a softmax": _Case(
        "\n".join((_SHIFTED.format("max", 5), _OVER_SUM.format(5))),
        _SCORES,
        _VALUES,
        _over_sum(np.exp(_wide(_SCORES))),
    ),
}


@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("case", CASES.values(), ids=list(CASES))
def test_products_with_exponentials(case: _Case, opt_level: int) -> None:
    found = mlc.compile(_kernel(case.body), opt_level=opt_level)(case.scores, case.values)
    np.testing.assert_allclose(found, case.weights @ case.values, rtol=1e-5)
