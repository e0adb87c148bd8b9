"""Maxima that leave out NaN, and softmax, which is computed from them, of rows with NaN, infinities and both zeros."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc

Run = Callable[..., list[NDArray[Any]]]
WIDTHS = (1, 3, 16, 17, 63, 64, 65, 127, 200, 1025)
KINDS = {"f32": np.float32, "f64": np.float64}
NAN, INF = np.nan, np.inf


def _rows(width: int, seed: int) -> NDArray[np.float64]:
    """Rows with special elements at their ends, at random places, and everywhere."""
    rng = np.random.default_rng([seed, width])
    rows = [rng.standard_normal(width) * 30]
    for special in (NAN, INF, -INF, 0.0, -0.0, 1e4, -1e4):
        for places in ([0], [width - 1], rng.integers(0, width, 5), slice(None)):
            row = rng.standard_normal(width) - 2
            row[places] = special
            rows.append(row)
    mixed = rng.choice([NAN, INF, -INF, 1.0], (5, width))
    return np.stack([*rows, *mixed])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("kind", KINDS)
def test_softmax_of_special_rows(kind: str, opt_level: int, run_compiled: Run) -> None:
    for width in WIDTHS:
        x = _rows(width, 0).astype(KINDS[kind])
        shape = f"tensor<{len(x)}x{width}x{kind}>"
        text = (
            f"func.func @main(%x: {shape}) -> {shape} {{ %0 = graph.softmax %x axis 1 : {shape} return %0 : {shape} }}"
        )
        (found,) = run_compiled(mlc.parse(text), [x], "native", opt_level)
        with np.errstate(all="ignore"):
            weights = np.exp(x - x.max(axis=1, keepdims=True), dtype=np.float64)
            wanted = weights / weights.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(found, wanted, rtol=1e-5 if kind == "f32" else 1e-13, atol=1e-37, err_msg=f"{width}")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("target", ["native", "x86-64-v2", "x86-64-v3"])
def test_maxnum_leaves_out_nan(kind: str, target: str, run_compiled: Run) -> None:
    for width in WIDTHS:
        x = _rows(width, 1).astype(KINDS[kind])
        source, result = f"tensor<{len(x)}x{width}x{kind}>", f"tensor<{len(x)}x{kind}>"
        text = f"""
        func.func private @largest(%x: {source}) -> {result} {{
          %y = tensor.reduce maxnum %x[m, k] over (m: {len(x)}) reduce (k: {width}) : {source} -> {result}
          return %y : {result}
        }}
        func.func @main(%x: {source}) -> {result} {{
          %y = call @largest(%x) : ({source}) -> {result}
          return %y : {result}
        }}"""
        (found,) = run_compiled(mlc.parse(text), [x], target)
        np.testing.assert_array_equal(found, np.fmax.reduce(x, axis=1, initial=-np.inf), err_msg=f"{width}")


def _larger(x: NDArray[Any], limit: Any) -> NDArray[Any]:
    """`maximum` of IEEE 754-2019: NaN stays, and 0 is larger than -0."""
    both_zero = (x == 0) & (limit == 0)
    return np.where(both_zero, np.where(np.signbit(limit), x, limit), np.where(np.isnan(x) | (x > limit), x, limit))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("opt_level", [0, 3])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("limit", [0.0, -0.0, 6.0, -1.5, 1e-40, INF, -INF])
def test_limits_of_special_numbers(limit: float, kind: str, opt_level: int, run_compiled: Run) -> None:
    """Maxima and minima with a number, to the bit; a minimum is a maximum of what is negated."""
    x = np.concatenate([_rows(17, 1).ravel(), [5e-324, -5e-324, 1e-40, -1e-40]]).astype(KINDS[kind])
    number = KINDS[kind](limit)
    shape = f"tensor<{x.size}x{kind}>"
    ops = "\n".join(f"%{op} = graph.{op} %x, %c : {shape}, tensor<{kind}> -> {shape}" for op in ("max", "min"))
    text = f"""func.func @main(%x: {shape}) -> ({shape}, {shape}) {{
      %c = graph.constant dense<{number!s}> : tensor<{kind}>
      {ops}
      return %max, %min : {shape}, {shape}
    }}""".replace("dense<inf>", f"dense<{_INFINITY[kind]}>").replace("dense<-inf>", f"dense<{_INFINITY['-' + kind]}>")
    largest, least = run_compiled(text, [x], opt_level=opt_level)
    for found, wanted in ((largest, _larger(x, number)), (least, -_larger(-x, -number))):
        np.testing.assert_array_equal(found, wanted)
        np.testing.assert_array_equal(np.signbit(found) & (found == 0), np.signbit(wanted) & (wanted == 0))


_INFINITY = {"f32": "0x7f800000", "-f32": "0xff800000", "f64": "0x7ff0000000000000", "-f64": "0xfff0000000000000"}
