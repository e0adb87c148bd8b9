"""Models that see some of the places of a tensor, as a comparison with an integer says, and what they compute."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import mlc

Array = NDArray[Any]


def places_of(extent: int, element: str = "i64") -> str:
    """The constant 0, 1, 2, …, in the language of the graph level."""
    return f"graph.constant dense<[{', '.join(map(str, range(extent)))}]> : tensor<{extent}x{element}>"


def attended(q: Array, k: Array, v: Array, start: int, end: int) -> Array:
    """Attention over some places, in f64; NaN if there are none.

    Args:
        q: [heads, rows, width].
        k: [heads, places, width], as `v`.
        v: what is summed.
        start: the first place that is seen, which may be before the first one.
        end: the one after the last that is seen.
    """
    start, end = max(start, 0), min(end, k.shape[1])
    if start >= end:
        return np.full(q.shape, np.nan)
    q, k, v = (a.astype(np.float64) for a in (q, k[:, start:end], v[:, start:end]))
    with np.errstate(all="ignore"):
        scores = q @ k.transpose(0, 2, 1)
        weights = np.exp(scores - scores.max(-1, keepdims=True))
        return (weights / weights.sum(-1, keepdims=True)) @ v


_REDUCTION = """
    func.func @main(%x: tensor<7x{n}x{t}>, %place: tensor<i32>) -> tensor<7x{t}> {{
      %i = {places}
      %in = graph.compare {predicate}, %i, %place : tensor<{n}xi32>, tensor<i32> -> tensor<{n}xi1>
      %neutral = graph.constant dense<{neutral}> : tensor<{t}>
      %x0 = graph.where %in, %x, %neutral : tensor<{n}xi1>, tensor<7x{n}x{t}>, tensor<{t}> -> tensor<7x{n}x{t}>
      %y = graph.reduce {kind} %x0 axes [1] : tensor<7x{n}x{t}> -> tensor<7x{t}>
      return %y : tensor<7x{t}>
    }}"""
_NUMBERS = {"0xFF800000": -np.inf, "0x7F800000": np.inf}
_SEEN = {"lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal, "eq": np.equal}
EXTENT = 133
REDUCTIONS: list[tuple[str, str, str, Any]] = [
    ("sum", "f32", "0.0", np.sum),
    ("sum", "i32", "0", np.sum),
    ("max", "f32", "0xFF800000", np.max),
    ("max", "i32", "-2147483648", np.max),
    ("min", "f32", "0x7F800000", np.min),
    ("min", "i32", "2147483647", np.min),
    ("prod", "f32", "1.0", np.prod),
]
"""The name of each in the language, an element type, what changes nothing, and NumPy's function."""


def check_reduction(
    kind: str, element: str, neutral: str, reduce: Any, predicate: str, integers: tuple[int, ...]
) -> None:
    """Reduce the places, of `EXTENT`, that compare with each of the integers so."""
    text = _REDUCTION.format(
        n=EXTENT, t=element, places=places_of(EXTENT, "i32"), predicate=predicate, neutral=neutral, kind=kind
    )
    model = mlc.compile(text)
    rng = np.random.default_rng(3)
    x = rng.uniform(0.9, 1.1, (7, EXTENT)).astype(np.float32) if element == "f32" else rng.integers(-9, 9, (7, EXTENT))
    x = x.astype(np.float32 if element == "f32" else np.int32)
    for integer in integers:
        seen = _SEEN[predicate](np.arange(EXTENT), integer)
        start = np.asarray(_NUMBERS.get(neutral, neutral)).astype(x.dtype)
        expected = reduce(np.concatenate([np.full((7, 1), start), x[:, seen]], 1), 1)
        np.testing.assert_allclose(model(x, np.array(integer, np.int32)), expected, rtol=1e-5, err_msg=str(integer))
