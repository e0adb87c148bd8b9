"""Products of two rows with two columns at a time (`smmla` and its kin), against sums of NumPy and `bfdot`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.support.dtypes import dtype_named

Array = NDArray[Any]
Run = Callable[..., list[Array]]

DTYPES: dict[str, np.dtype[Any]] = {
    "i8": np.dtype(np.int8),
    "ui8": np.dtype(np.uint8),
    "bf16": dtype_named("bfloat16"),
}
PAIRS = (("ui8", "i8"), ("i8", "i8"), ("ui8", "ui8"), ("i8", "ui8"))
MACHINES = ("neoverse-v1", "neoverse-n2")
SHAPES = (
    *((m, 16, 32) for m in range(1, 12)),  # rows that have no other one beside them
    *((4, 32, n) for n in (1, 2, 3, 4, 5, 7, 8, 23, 24, 25, 26, 27, 49, 53)),
    *((5, k, 28) for k in (8, 24, 40, 48, 56, 72, 264)),
)


def _integers(kind: str, shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Numbers of a type, every other one at an end of it."""
    limits = np.iinfo(DTYPES[kind])
    numbers = rng.integers(limits.min, limits.max + 1, shape)
    ends = rng.choice((limits.min, limits.max), shape)
    return np.where(rng.random(shape) < 0.5, ends, numbers).astype(DTYPES[kind])


def _program(arguments: list[str], lines: list[str], results: list[str]) -> str:
    names, kinds = ", ".join(f"%y{n}" for n in range(len(results))), ", ".join(results)
    body = "\n  ".join([*lines, f"return {names} : {kinds}"])
    return f"func.func @main({', '.join(arguments)}) -> ({kinds}) {{\n  {body}\n}}\n"


@pytest.mark.sampled(4)
@pytest.mark.parametrize("kinds", PAIRS)
@pytest.mark.parametrize("target", MACHINES)
def test_products_of_bytes(target: str, kinds: tuple[str, str], run_compiled: Run) -> None:
    rng = np.random.default_rng(3)
    arguments, lines, results = list[str](), list[str](), list[str]()
    inputs, expected = list[Array](), list[Array]()
    for number, (m, k, n) in enumerate(SHAPES):
        lhs, rhs = _integers(kinds[0], (m, k), rng), _integers(kinds[1], (k, n), rng)
        types = f"tensor<{m}x{k}x{kinds[0]}>", f"tensor<{k}x{n}x{kinds[1]}>", f"tensor<{m}x{n}xi32>"
        arguments.append(f"%x{number}: {types[0]}")
        lines.append(f'%w{number} = graph.constant dense<"0x{rhs.tobytes().hex()}"> : {types[1]}')
        lines.append(f"%y{number} = graph.matmul %x{number}, %w{number} : {types[0]}, {types[1]} -> {types[2]}")
        results.append(types[2])
        inputs.append(lhs)
        expected.append((lhs.astype(np.int64) @ rhs.astype(np.int64)).astype(np.int32))
    found = run_compiled(mlc.parse(_program(arguments, lines, results)), inputs, target)
    for shape, got, want in zip(SHAPES, found, expected, strict=True):
        np.testing.assert_array_equal(got, want, f"{shape} of {kinds}")


@pytest.mark.parametrize(("height", "width", "channels", "filters"), [(5, 7, 8, 26), (6, 14, 16, 24), (3, 9, 24, 5)])
def test_windows_of_bytes(height: int, width: int, channels: int, filters: int, run_compiled: Run) -> None:
    """Padding is left out by loops of their own, and a tile has the rows of one line of the image."""
    rng = np.random.default_rng(height)
    image = _integers("ui8", (1, height, width, channels), rng)
    weights = _integers("i8", (3, 3, channels, filters), rng)
    types = [f"tensor<{'x'.join(map(str, each.shape))}x{kind}>" for each, kind in ((image, "ui8"), (weights, "i8"))]
    result = f"tensor<1x{height}x{width}x{filters}xi32>"
    lines = [
        f'%w = graph.constant dense<"0x{weights.tobytes().hex()}"> : {types[1]}',
        f'%y0 = graph.conv2d %x, %w {{layout = "NHWC", padding = array<i64: 1, 1, 1, 1>}} '
        f": {', '.join(types)} -> {result}",
    ]
    (found,) = run_compiled(mlc.parse(_program([f"%x: {types[0]}"], lines, [result])), [image], "neoverse-v1")
    padded = np.pad(image.astype(np.int64), ((0, 0), (1, 1), (1, 1), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (3, 3), axis=(1, 2))
    np.testing.assert_array_equal(found, np.einsum("bhwcij,ijcf->bhwf", windows, weights.astype(np.int64)))


def _floats(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Numbers of many sizes, whose sums round."""
    return (rng.standard_normal(shape) * 2.0 ** rng.integers(-12, 12, shape)).astype(DTYPES["bf16"])


@pytest.mark.parametrize(("m", "k", "n"), [(4, 64, 24), (5, 24, 30), (2, 256, 17), (7, 12, 8)])
def test_floats_round_as_dot_products_of_vectors_do(m: int, k: int, n: int, run_compiled: Run) -> None:
    """`bfmmla` adds two products, rounds, and adds the other two: the bits are those of two `bfdot`."""
    rng = np.random.default_rng(k)
    lhs, rhs = _floats((m, k), rng), _floats((k, n), rng)
    rhs[0, 0], rhs[-1, -1] = np.inf, np.nan
    types = f"tensor<{m}x{k}xbf16>", f"tensor<{k}x{n}xbf16>", f"tensor<{m}x{n}xf32>"
    lanes = f"tile(n, {min(24, n)}), pack(w, n), tile(ni, 4), vectorize(nii, 4), unroll(ni)"
    rows = f"tile(m, {min(4, m)}), unroll(mi)"
    found: list[Array] = []
    for dots in ("dot(k, 4, 64)", "dot(k, 2)"):
        text = f"""
func.func private @product(%x: {types[0]}, %w: {types[1]}) -> {types[2]} attributes {{
    schedule = #loop.schedule<[{dots}, interchange(n, m), {lanes}, {rows}]>
}} {{
  %y = tensor.contract %x[m, k], %w[k, n] over (m: {m}, n: {n}) reduce (k: {k}) : {types[0]}, {types[1]} -> {types[2]}
  func.return %y : {types[2]}
}}
func.func @main(%x: {types[0]}) -> {types[2]} {{
  %w = arith.constant dense<"0x{rhs.tobytes().hex()}"> : {types[1]}
  %y = func.call @product(%x, %w) : ({types[0]}, {types[1]}) -> {types[2]}
  func.return %y : {types[2]}
}}
"""
        found += run_compiled(mlc.parse(text), [lhs], "neoverse-v1")
    np.testing.assert_array_equal(found[0].view(np.uint32), found[1].view(np.uint32))
    with np.errstate(all="ignore"):
        sizes = np.abs(lhs.astype(np.float64)) @ np.abs(rhs.astype(np.float64))
        apart = np.abs(found[0] - lhs.astype(np.float64) @ rhs.astype(np.float64))
    finite = np.isfinite(sizes)
    assert finite.any() and (apart <= k * 2.0**-23 * sizes)[finite].all()
