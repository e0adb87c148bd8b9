"""Kernels whose loops begin where the data begins compute what they compute with all that is before it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlc
from mlc.tests.numeric.masked_places import REDUCTIONS, Array, attended, check_reduction, places_of

_INTEGERS = (-(2**63), -1, 0, 1, 2, 15, 16, 17, 40, 63, 64, 65, 99, 100, 101, 170, 2**62, 2**63 - 1)


def _attention(heads: int, rows: int, places: int, width: int, window: int) -> str:
    """Of rows that see the same window of places, which ends with `%n`."""

    def kind(*extents: int) -> str:
        return f"tensor<{'x'.join([*map(str, extents), 'f32'])}>"

    q, k, s, t = (kind(heads, *dims) for dims in ((rows, width), (places, width), (rows, places), (width, places)))
    mask, integer = f"tensor<{places}xi1>", f"tensor<{places}xi64>, tensor<i64>"
    return f"""
    func.func @main(%q: {q}, %k: {t}, %v: {k}, %n: tensor<i64>) -> {q} {{
      %i = {places_of(places)}
      %size = graph.constant dense<{window}> : tensor<i64>
      %before = graph.sub %n, %size : tensor<i64>, tensor<i64> -> tensor<i64>
      %filled = graph.compare le, %i, %n : {integer} -> {mask}
      %near = graph.compare gt, %i, %before : {integer} -> {mask}
      %least = graph.constant dense<0xFF800000> : tensor<f32>
      %s = graph.matmul %q, %k : {q}, {t} -> {s}
      %m = graph.where %filled, %s, %least : {mask}, {s}, tensor<f32> -> {s}
      %w = graph.where %near, %m, %least : {mask}, {s}, tensor<f32> -> {s}
      %p = graph.softmax %w axis 2 : {s}
      %o = graph.matmul %p, %v : {s}, {k} -> {q}
      return %o : {q}
    }}"""


def _drawn(shape: tuple[int, ...]) -> tuple[Array, Array, Array]:
    heads, rows, places, width, _ = shape
    rng = np.random.default_rng(0)
    extents = (heads, rows, width), (heads, width, places), (heads, places, width)
    q, k, v = (rng.standard_normal(each, np.float32) for each in extents)
    return q, k, v


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("shape", "options"),
    [
        ((3, 1, 100, 24, 30), {}),
        ((2, 37, 100, 16, 5), {"threads": 2}),
        ((1, 5, 101, 3, 1), {"opt_level": 0}),
        ((1, 4, 160, 32, 64), {"opt_level": 2}),
    ],
)
def test_windows(shape: tuple[int, ...], options: Any) -> None:
    """Of any place, also where all of a window is before the first one, or after the last one."""
    q, k, v = _drawn(shape)
    model = mlc.compile(_attention(*shape), **options)
    for last in _INTEGERS:
        found = model(q, k, v, np.array(last))
        expected = attended(q, k.transpose(0, 2, 1), v, last - shape[-1] + 1, last + 1)
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6, err_msg=str(last))


def test_what_is_before_the_data_may_be_anything() -> None:
    """NaN and infinities in places that no row sees have no influence; in places that rows see they have."""
    shape = (2, 3, 160, 8, 20)
    q, k, v = _drawn(shape)
    model = mlc.compile(_attention(*shape))
    expected = attended(q, k.transpose(0, 2, 1), v, 101, 121)
    k[:, :, :96], v[:, :96] = np.nan, np.inf
    np.testing.assert_allclose(model(q, k, v, np.array(120)), expected, rtol=2e-5, atol=2e-6)
    k[1, 2, 101] = np.nan
    found = model(q, k, v, np.array(120))
    assert np.isnan(found[1]).all() and not np.isnan(found[0]).any()


@pytest.mark.sampled(6)
@pytest.mark.parametrize("predicate", ["gt", "ge", "eq"])
@pytest.mark.parametrize(("kind", "element", "neutral", "reduce"), REDUCTIONS)
def test_reductions(kind: str, element: str, neutral: str, reduce: Any, predicate: str) -> None:
    """Of the elements from an integer on, or of one, without and with an end."""
    integers = (-(2**31), -3, 0, 1, 31, 32, 33, 100, 127, 128, 131, 132, 133, 134, 2**31 - 1)
    check_reduction(kind, element, neutral, reduce, predicate, integers)


def test_sums_have_the_same_bits() -> None:
    """Zeros that are left out change no sum: lanes and blocks are those of the whole."""
    extent = 5_000
    text = f"""
    func.func @main(%x: tensor<{extent}xf32>, %n: tensor<i64>) -> tensor<f32> {{
      %i = graph.constant dense_resource<places> : tensor<{extent}xi64>
      %in = graph.compare ge, %i, %n : tensor<{extent}xi64>, tensor<i64> -> tensor<{extent}xi1>
      %zero = graph.constant dense<0.0> : tensor<f32>
      %x0 = graph.where %in, %x, %zero : tensor<{extent}xi1>, tensor<{extent}xf32>, tensor<f32> -> tensor<{extent}xf32>
      %y = graph.reduce sum %x0 axes [0] : tensor<{extent}xf32> -> tensor<f32>
      return %y : tensor<f32>
    }}
    {{-# dialect_resources: {{ builtin: {{ places: "0x08000000{np.arange(extent).tobytes().hex()}" }} }} #-}}"""
    model = mlc.compile(text)
    x = np.random.default_rng(5).standard_normal(extent).astype(np.float32)
    for start in (0, 1, 17, 1000, 4_095, 4_096, extent - 1, extent):
        rest = np.where(np.arange(extent) >= start, x, np.float32(0))
        assert model(x, np.array(start)).tobytes() == model(rest, np.array(0)).tobytes(), start
