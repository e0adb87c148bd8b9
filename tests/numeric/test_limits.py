"""Kernels whose loops end where the data ends compute what they compute with all of the padding."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import mlc
from mlc.tests.numeric.masked_places import REDUCTIONS, attended, check_reduction, places_of

_LENGTHS = (-(2**63), -1, 0, 1, 2, 15, 16, 17, 40, 63, 64, 65, 99, 100, 101, 2**62, 2**63 - 1)


def _attention(heads: int, rows: int, places: int, width: int, element: str = "f32") -> str:
    def kind(*extents: int) -> str:
        return f"tensor<{'x'.join([*map(str, extents), element])}>"

    q, k, s, t = (kind(heads, *dims) for dims in ((rows, width), (places, width), (rows, places), (width, places)))
    least = "0xFF80" if element == "bf16" else "0xFF800000"
    return f"""
    func.func @main(%q: {q}, %k: {k}, %v: {k}, %n: tensor<i64>) -> {q} {{
      %i = {places_of(places)}
      %in = graph.compare lt, %i, %n : tensor<{places}xi64>, tensor<i64> -> tensor<{places}xi1>
      %least = graph.constant dense<{least}> : {kind()}
      %t = graph.transpose %k [0, 2, 1] : {k} -> {t}
      %s = graph.matmul %q, %t : {q}, {t} -> {s}
      %m = graph.where %in, %s, %least : tensor<{places}xi1>, {s}, {kind()} -> {s}
      %p = graph.softmax %m axis 2 : {s}
      %o = graph.matmul %p, %v : {s}, {k} -> {q}
      return %o : {q}
    }}"""


@pytest.mark.parametrize(("shape", "threads"), [((3, 1, 100, 24), 1), ((2, 37, 100, 16), 2), ((1, 5, 101, 3), 1)])
def test_attention(shape: tuple[int, int, int, int], threads: int) -> None:
    heads, rows, places, width = shape
    model = mlc.compile(_attention(*shape), threads=threads)
    rng = np.random.default_rng(0)
    q = rng.standard_normal((heads, rows, width), np.float32)
    k, v = (rng.standard_normal((heads, places, width), np.float32) for _ in range(2))
    for length in _LENGTHS:
        found = model(q, k, v, np.array(length))
        np.testing.assert_allclose(found, attended(q, k, v, 0, length), rtol=2e-5, atol=2e-6, err_msg=str(length))


def test_what_is_after_the_data_may_be_anything() -> None:
    """NaN and infinities in places without weight have no influence; in places with data they have."""
    heads, rows, places, width = shape = (2, 3, 96, 8)
    model = mlc.compile(_attention(*shape))
    rng = np.random.default_rng(1)
    q = rng.standard_normal((heads, rows, width), np.float32)
    k, v = (rng.standard_normal((heads, places, width), np.float32) for _ in range(2))
    k[:, 48:], v[:, 48:] = np.nan, np.inf
    np.testing.assert_allclose(model(q, k, v, np.array(40)), attended(q, k, v, 0, 40), rtol=2e-5, atol=2e-6)
    k[1, 3, 2] = np.nan
    found = model(q, k, v, np.array(40))
    assert np.isnan(found[1]).all() and not np.isnan(found[0]).any()


def test_short_floats() -> None:
    heads, rows, places, width = shape = (2, 4, 64, 16)
    model = mlc.compile(_attention(*shape, element="bf16"))
    rng = np.random.default_rng(2)
    bf16 = model.signature.inputs[0].numpy_dtype
    q = rng.standard_normal((heads, rows, width)).astype(bf16)
    k, v = (rng.standard_normal((heads, places, width)).astype(bf16) for _ in range(2))
    for length in (1, 20, 64):
        found = np.asarray(model(q, k, v, np.array(length))).astype(np.float64)
        np.testing.assert_allclose(found, attended(q, k, v, 0, length), rtol=0.05, atol=0.05)


@pytest.mark.parametrize("predicate", ["lt", "le"])
@pytest.mark.parametrize(("kind", "element", "neutral", "reduce"), REDUCTIONS)
def test_reductions(kind: str, element: str, neutral: str, reduce: Any, predicate: str) -> None:
    integers = (-3, 0, 1, 31, 32, 33, 100, 131, 132, 133, 134, 2**31 - 1)
    check_reduction(kind, element, neutral, reduce, predicate, integers)


def test_rows_of_a_result() -> None:
    """What callers see of a result is computed, whatever kernels there are in between."""
    model = mlc.compile("""
    func.func @main(%x: tensor<90x24xf32>, %w: tensor<24x30xf32>, %kept: tensor<90xi1>)
        -> (tensor<90x2x15xf32> {mlc.extents = array<i64: 1, -1, -1>}, tensor<i64>) {
      %ones = graph.cast %kept : tensor<90xi1> -> tensor<90xi64>
      %rows = graph.reduce sum %ones axes [0] : tensor<90xi64> -> tensor<i64>
      %0 = graph.matmul %x, %w : tensor<90x24xf32>, tensor<24x30xf32> -> tensor<90x30xf32>
      %1 = graph.softmax %0 axis 1 : tensor<90x30xf32>
      %2 = graph.reshape %1 : tensor<90x30xf32> -> tensor<2700xf32>
      %3 = graph.tanh %2 : tensor<2700xf32>
      %4 = graph.reshape %3 : tensor<2700xf32> -> tensor<90x2x15xf32>
      return %4, %rows : tensor<90x2x15xf32>, tensor<i64>
    }""")
    rng = np.random.default_rng(4)
    x, w = rng.standard_normal((90, 24), np.float32), rng.standard_normal((24, 30), np.float32)
    for rows in (0, 1, 7, 16, 33, 89, 90):
        kept = rng.permutation(np.arange(90) < rows)
        scores = x.astype(np.float64) @ w
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        expected = np.tanh(weights / weights.sum(-1, keepdims=True)).reshape(90, 2, 15)[:rows]
        np.testing.assert_allclose(model(x, w, kept), expected, rtol=2e-5, atol=1e-6)


def _places(extent: int) -> str:
    """The places of a long dim, as a resource."""
    numbers = np.arange(extent, dtype=np.int64).tobytes().hex()
    return f'{{-# dialect_resources: {{ builtin: {{ places: "0x08000000{numbers}" }} }} #-}}'


@pytest.mark.parametrize("opt_level", [0, 2, 3])
def test_long_sums(opt_level: int) -> None:
    """Sums of blocks, each of which a limit does not end."""
    extent = 70_000
    model = mlc.compile(
        f"""
    func.func @main(%x: tensor<{extent}xf32>, %n: tensor<i64>) -> tensor<f32> {{
      %i = graph.constant dense_resource<places> : tensor<{extent}xi64>
      %in = graph.compare lt, %i, %n : tensor<{extent}xi64>, tensor<i64> -> tensor<{extent}xi1>
      %zero = graph.constant dense<0.0> : tensor<f32>
      %x0 = graph.where %in, %x, %zero : tensor<{extent}xi1>, tensor<{extent}xf32>, tensor<f32> -> tensor<{extent}xf32>
      %y = graph.reduce sum %x0 axes [0] : tensor<{extent}xf32> -> tensor<f32>
      return %y : tensor<f32>
    }}
    {_places(extent)}""",
        opt_level=opt_level,
    )
    x = np.random.default_rng(5).uniform(0.5, 1.5, extent).astype(np.float32)
    for length in (0, 1, 17, 1000, 65_536, extent - 1, extent, 2**40):
        expected = x[:length].astype(np.float64).sum()
        np.testing.assert_allclose(model(x, np.array(length)), expected, rtol=1e-6, err_msg=str(length))


@pytest.mark.parametrize("width", [1, 33])
def test_rows_of_data(width: int) -> None:
    """A limit along the rows of a matrix: of what is added up by columns, and of a product's sum."""
    extent = 2_000
    x, mask = f"tensor<{extent}x{width}xf32>", f"tensor<{extent}x1xi1>"
    model = mlc.compile(f"""
    func.func @main(%x: {x}, %w: tensor<5x{extent}xf32>, %n: tensor<i64>)
        -> (tensor<{width}xf32>, tensor<5x{width}xf32>) {{
      %i = graph.constant dense_resource<places> : tensor<{extent}xi64>
      %row = graph.compare lt, %i, %n : tensor<{extent}xi64>, tensor<i64> -> tensor<{extent}xi1>
      %in = graph.reshape %row : tensor<{extent}xi1> -> {mask}
      %zero = graph.constant dense<0.0> : tensor<f32>
      %x0 = graph.where %in, %x, %zero : {mask}, {x}, tensor<f32> -> {x}
      %sum = graph.reduce sum %x0 axes [0] : {x} -> tensor<{width}xf32>
      %product = graph.matmul %w, %x0 : tensor<5x{extent}xf32>, {x} -> tensor<5x{width}xf32>
      return %sum, %product : tensor<{width}xf32>, tensor<5x{width}xf32>
    }}
    {_places(extent)}""")
    rng = np.random.default_rng(6)
    x, w = rng.standard_normal((extent, width), np.float32), rng.standard_normal((5, extent), np.float32)
    for length in (0, 1, 15, 700, extent - 1, extent):
        data = x[:length].astype(np.float64)
        for found, expected in zip(model(x, w, np.array(length)), (data.sum(0), w[:, :length] @ data), strict=True):
            np.testing.assert_allclose(found, expected, rtol=1e-3, atol=2e-4, err_msg=str(length))
