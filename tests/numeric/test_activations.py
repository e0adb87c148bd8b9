"""The errors of activations as native code, held to what the documentation says of them."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

torch: Any = pytest.importorskip("torch")
from mlc.testing.torch_graphs import run_graph, traced  # noqa: E402
from mlc.tests.numeric.documented_bounds import documented_bounds  # noqa: E402

functional = torch.nn.functional
_BOUNDS = documented_bounds("activation")
_erfc = np.frompyfunc(math.erfc, 1, 1)


def _sigmoid(x: Any) -> Any:
    small = np.exp(-abs(x))
    return np.where(x < 0, small, 1) / (1 + small)


def _softplus(x: Any) -> Any:
    return np.maximum(x, 0) + np.log1p(np.exp(-abs(x)))


def _tanh_gelu(x: Any) -> Any:
    return x * _sigmoid(2 * np.sqrt(x.dtype.type(2) / _PI) * (x + x.dtype.type("0.044715") * x**3))


def _erfc_of(x: Any) -> Any:
    """By the C library, in f64."""
    return np.asarray(_erfc(x.astype(np.float64)), np.float64)


_PI = np.longdouble("3.14159265358979323846264338327950288")
_CASES: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "sigmoid": (torch.sigmoid, _sigmoid),
    "silu": (functional.silu, lambda x: x * _sigmoid(x)),
    "gelu": (functional.gelu, lambda x: x / 2 * _erfc_of(-x * np.sqrt(x.dtype.type(0.5)))),
    "gelu, by tanh": (lambda x: functional.gelu(x, approximate="tanh"), _tanh_gelu),
    "softplus": (lambda x: functional.softplus(x, threshold=50), _softplus),
    "logsigmoid": (functional.logsigmoid, lambda x: -_softplus(-x)),
    "mish": (functional.mish, lambda x: x * np.tanh(_softplus(x))),
    "elu": (functional.elu, lambda x: np.where(x > 0, x, np.expm1(x))),
}


def _arguments(dtype: Any) -> Any:
    """Finite numbers of all sizes, and more where activations bend."""
    random = np.random.default_rng(4)
    limits = np.iinfo(f"i{dtype.itemsize}")
    anywhere = random.integers(limits.min, limits.max, 50_000, limits.dtype).view(dtype)
    end = 110 if dtype == np.float32 else 760
    bends = [random.uniform(-r, r, 40_000) for r in (1, 10, end)]
    return np.concatenate([anywhere[np.isfinite(anywhere)], *bends]).astype(dtype)


def _assert_within(found: Any, exact: Any, info: Any, units: float, absolute: float, x: Any) -> None:
    """`found` in f64 or wider, `exact` in a format wider than that of the result."""
    with np.errstate(all="ignore"):
        exponent = np.maximum(np.frexp(exact)[1] - 1, info.minexp)
        error = np.where(found == exact, 0, abs(found - exact))
        is_wrong = ~((error <= absolute) | (np.ldexp(error, info.nmant - exponent) <= units))
        is_wrong &= ~((abs(exact) >= info.max) & np.isinf(found))
    assert not is_wrong.any(), f"{found[is_wrong][:3]}, exactly {exact[is_wrong][:3]}, at {x[is_wrong][:3]}"


def _native(function: Callable[[Any], Any], x: Any) -> Any:
    (found,) = run_graph(traced(lambda x: [function(x)], [x]), [x], native=True)
    return found


def test_every_activation_of_the_documentation_is_measured() -> None:
    assert {*_BOUNDS} == {*_CASES}


@pytest.mark.parametrize("element", ["f32", "f64"])
@pytest.mark.parametrize("name", _CASES)
def test_error_of_activation(name: str, element: str) -> None:
    dtype, wide = (np.dtype(np.float32), np.float64) if element == "f32" else (np.dtype(np.float64), np.longdouble)
    if np.finfo(wide).nmant <= np.finfo(dtype).nmant:
        pytest.skip("NumPy has no floats wider than f64 here")
    (function, exact), bounds, x = _CASES[name], _BOUNDS[name], _arguments(dtype)
    found = _native(function, torch.from_numpy(x)).numpy().astype(wide)
    with np.errstate(all="ignore"):
        expected = exact(x.astype(wide))
    _assert_within(found, expected, np.finfo(dtype), bounds[element], bounds[f"{element} absolute"], x)


@pytest.mark.parametrize("name", _CASES)
def test_error_of_activation_of_16_bits(name: str) -> None:
    """All finite numbers of both formats."""
    bits = torch.arange(-(2**15), 2**15, dtype=torch.int16)
    for dtype in (torch.float16, torch.bfloat16):
        x = bits.view(dtype)
        x = x[x.isfinite()]
        function, exact = _CASES[name]
        with np.errstate(all="ignore"):
            expected = exact(x.double().numpy())
        found = _native(function, x).double().numpy()
        info = torch.finfo(dtype)
        format = _Format(int(math.log2(info.smallest_normal)), -int(math.log2(info.eps)), info.max)
        _assert_within(found, expected, format, 0.6, _BOUNDS[name]["f32 absolute"], x)


class _Format:
    """What NumPy says of its own formats."""

    def __init__(self, minexp: int, nmant: int, largest: float) -> None:
        self.minexp, self.nmant, self.max = minexp, nmant, largest
