"""Rows that `--accuracy fast` rounds to eight bits for products with short weights: against rows that NumPy rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.tests.numeric.test_short_weights import Weights, check, rounded, weights_of

Array = NDArray[Any]
Run = Callable[..., list[Array]]
_BYTES = ("native", "znver3", "znver4", "neoverse-n1", "neoverse-v1")
"""Machines that multiply integers of eight bits faster than floats; the native one may be another."""
_FIELDS = ("x86-64-v2", "haswell", "x86-64-v4")
"""Others that multiply those of four bits faster."""
_K, _N = 512, 147


def _rows(m: int, factor: float = 1.0) -> Array:
    """Rows whose sizes differ, and so do those of blocks in them."""
    rng = np.random.default_rng(8)
    sizes = np.float32(10.0) ** rng.uniform(-3, 3, (m, _K // 32, 1)).astype(np.float32)
    return (rng.standard_normal((m, _K // 32, 32)).astype(np.float32) * sizes * np.float32(factor)).reshape(m, _K)


def _product(run: Run, weights: Weights, x: Array, target: str = "native") -> Array:
    (found,) = run(mlc.parse(weights.text(len(x))), [x], target, accuracy="fast")
    return found


@pytest.mark.parametrize("target", [*_BYTES, *_FIELDS, "cortex-a72"])
@pytest.mark.parametrize("bits, group, symmetric", [(4, 16, True), (4, 32, False), (8, 32, True), (8, 256, False)])
def test_rows_are_rounded_where_bytes_are_faster(
    bits: int, group: int, symmetric: bool, target: str, run_compiled: Run
) -> None:
    weights, x = weights_of(bits, _K, _N, group, symmetric), _rows(3)
    found = _product(run_compiled, weights, x, target)
    is_rounded = target in (*_BYTES[1:], *(_FIELDS if bits == 4 else ()))
    is_rounded |= target == "native" and bool(np.abs(found - x @ weights.floats()).max() > 1)
    check(found, rounded(x, group) if is_rounded else x, weights)


@pytest.mark.parametrize("target", ["native", "znver3", "znver4", "neoverse-n1"])
@pytest.mark.parametrize("least", [0, 63, 64, 65, 127])
def test_weights_near_both_ends(least: int, target: str, run_compiled: Run) -> None:
    """Bytes up to `least` and from `255 - least` on look like small numbers with a sign; two products of such weights
    and numbers of one sign leave 16 bits."""
    weights, x = weights_of(8, _K, _N, 32, True), np.abs(_rows(3))
    far = np.random.default_rng(least).integers(0, least + 1, (_K, _N))
    weights = replace(weights, integers=np.where(weights.integers > 127, 255 - far, far))
    x[1] = -x[1]
    check(_product(run_compiled, weights, x, target), rounded(x, 32), weights)


@pytest.mark.sampled(2)
@pytest.mark.slow
@pytest.mark.parametrize("targets", [("znver3", "znver4", "neoverse-v1"), ("neoverse-n1", "apple-m1")])
@pytest.mark.parametrize("bits, group, symmetric", [(4, 32, False), (8, 16, True)])
def test_a_row_is_the_same_beside_others(
    bits: int, group: int, symmetric: bool, targets: tuple[str, ...], run_compiled: Run
) -> None:
    """To the bit, for any number of rows, on targets whose weights have the same sign: sums of blocks are exact."""
    weights, x = weights_of(bits, _K, _N, group, symmetric), _rows(33)
    counts = (33, 16, 8, 7, 6, 5, 3, 2, 1)
    every = [_product(run_compiled, weights, x[:m], target) for target in targets for m in counts]
    assert len(every) == len(counts) * len(targets)
    for found in every:
        np.testing.assert_array_equal(found, every[0][: len(found)])


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_threads_share_columns(threads: int, run_compiled: Run) -> None:
    weights, x = weights_of(4, _K, 1500, 32, False), _rows(5)
    model = mlc.compile(mlc.parse(weights.text(5)), threads=threads, target="native", accuracy="fast")
    np.testing.assert_array_equal(model(x), _product(run_compiled, weights, x))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan])
def test_rows_that_are_not_finite(value: float, run_compiled: Run) -> None:
    """Rows that have such a number give no finite result; others are what they are without it."""
    weights, x = weights_of(4, _K, _N, 32, False), _rows(4)
    without = _product(run_compiled, weights, x)
    x[1, 100] = value
    found = _product(run_compiled, weights, x)
    assert not np.isfinite(found[1]).any()
    np.testing.assert_array_equal(found[[0, 2, 3]], without[[0, 2, 3]])


@pytest.mark.parametrize("factor", [0.0, -0.0, 1e-45, 1e-41, 1e-36, 1e33])
def test_rows_at_the_ends(factor: float, run_compiled: Run) -> None:
    """Blocks of zeros, and of very small and very large numbers."""
    weights, x = weights_of(4, _K, _N, 32, False), _rows(3)
    x[0] *= np.float32(factor)
    x[1, 32:64] *= np.float32(factor)
    exact, least = rounded(x, 32), np.finfo(np.float32).smallest_normal.item()
    wide = np.abs(exact) @ np.abs(weights.floats()) + 256 * least
    found = _product(run_compiled, weights, x, "znver3")
    assert (np.abs(found - exact @ weights.floats()) <= 2.0**-13 * wide).all()


def test_zeros_and_blocks_of_one_number(run_compiled: Run) -> None:
    """A row of zeros gives zeros; the largest number of a block is rounded to itself, but for the scale."""
    weights, x = weights_of(4, _K, _N, 32, False), np.zeros((3, _K), np.float32)
    x[1, 5::32], x[2, 7] = -3.7, 1e-3
    found = _product(run_compiled, weights, x)
    assert not found[0].any()
    np.testing.assert_allclose(found[1:], x[1:] @ weights.floats(), rtol=1e-5, atol=1e-6)
