"""What products cost apart and side by side, beside numbers that are counted by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mlc.passes.graph._product_cost import ProductProblem, beside, cycles_apart, cycles_beside
from mlc.targets.machine import resolve_target

V4 = resolve_target("x86-64-v4")
LANES = 16


def _apart_and_beside(problem: ProductProblem, count: int = 2, threads: int = 1) -> tuple[float, float]:
    problems = [problem] * count
    return cycles_apart(problems, V4, threads), cycles_beside(problems, V4, threads)


def test_full_registers_take_the_multiply_adds():
    """A tile of 6 x 4 vectors has more accumulators than late results, so that only the units count."""
    problem = ProductProblem(96, 256, 4 * LANES, 4)
    units = 96 * 256 * 4 / V4.issue.fma_units
    assert problem.cycles(V4, problem.weight_bytes) == pytest.approx(units, rel=0.1)


def test_half_empty_vectors_are_filled_by_others():
    apart, together = _apart_and_beside(ProductProblem(960, 256, LANES // 2, 4))
    assert 1.8 < apart / together < 2.2
    apart, together = _apart_and_beside(ProductProblem(960, 256, 4 * LANES, 4))
    assert 0.98 < apart / together < 1.02


def test_blocks_of_rows_count_each():
    once, often = (ProductProblem(7, 64, 24, 4, repeated=n).cycles(V4, 0) for n in (1, 10))
    assert often == pytest.approx(10 * once)


def test_weights_come_from_the_level_that_holds_all_of_them():
    """Two matrices that fit the second cache alone, but not both, are read from the last one in turn."""
    problem = ProductProblem(1, 1024, V4.l2_bytes // (2 * 4 * 1024) + 16, 4)
    apart, together = _apart_and_beside(problem)
    size = 2 * problem.weight_bytes
    assert V4.l2_bytes < size <= V4.l3_bytes
    assert apart == together == pytest.approx(size / V4.memory.l3_read)


def test_parts_that_cannot_be_read_in_place_are_copied():
    problem = ProductProblem(960, 256, 16, 4)
    copied = replace(problem, copied=16)
    size = 2 * 960 * 16 * 4
    extra = cycles_beside([copied] * 2, V4, 1) - cycles_beside([problem] * 2, V4, 1)
    assert extra == pytest.approx(size / V4.memory.l2_read + size / V4.memory.l2_write)
    assert beside([copied, problem]).copied == 16


def test_threads_are_called_once_instead_of_twice():
    problem = ProductProblem(960, 256, 64, 4)
    joined = V4.threading.fork_join_ns * V4.frequency_mhz / 1000
    apart, together = _apart_and_beside(problem, threads=4)
    assert apart - together == pytest.approx(joined, rel=0.02)


def test_what_is_short_stays_on_one_thread():
    problem = ProductProblem(4, 8, 16, 4)
    assert _apart_and_beside(problem, threads=4) == _apart_and_beside(problem)
