"""What overflows in one order of its terms only is left open by `--check-each`, and nothing else is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.reference.any_order import any_order, product_of, sum_of
from mlc.support.errors import CompilerBug
from mlc.support.rounding import Rounding
from mlc.syntax import parse_module
from mlc.testing.repetitions import repetitions

MOST = float(np.finfo(np.float32).max)


def opened(kind: str, terms: Sequence[float], dtype: str = "f4") -> list[float]:
    """What a sum or a product may be: a number where it is known."""
    array = np.array(terms, dtype)
    found: list[float] = []
    for value in (np.inf, np.nan):
        with np.errstate(all="ignore"), any_order(value):
            found.append(float(sum_of(np.sum, array) if kind == "sum" else product_of(np.prod, array)))
    return found


@pytest.mark.parametrize(
    ("kind", "terms"),
    [
        ("sum", [MOST, MOST, -MOST]),
        ("sum", [MOST, MOST, -np.inf]),
        ("product", [1e30, 1e30, 1e-30]),
        ("product", [1e-30, 1e-30, 1e30]),
        ("product", [1e30, 1e30, 0.0]),
        ("product", [1e-30, 1e-30, np.inf]),
    ],
)
def test_an_order_that_overflows_leaves_the_result_open(kind: str, terms: list[float]) -> None:
    inf, nan = opened(kind, terms)
    assert inf == np.inf and np.isnan(nan)


@pytest.mark.parametrize(
    ("kind", "terms", "result"),
    [
        ("sum", [MOST / 2, MOST / 4, -MOST / 4], MOST / 2),
        ("sum", [1.0, np.inf, -2.0], np.inf),
        ("product", [1e30, 1e-30, 1e8], 1e8),
        ("product", [2.0, 0.0, 0.0], 0.0),
        ("product", [2.0, -np.inf, 3.0], -np.inf),
    ],
)
def test_what_is_the_same_in_all_orders_is_not_open(kind: str, terms: list[float], result: float) -> None:
    assert opened(kind, terms) == pytest.approx([result, result])


def test_no_more_is_open_than_the_type_makes_so() -> None:
    assert opened("sum", [MOST, MOST, -MOST], "f8") == pytest.approx([MOST, MOST])


# Rows of numbers up to 1 and, where the scale is large, up to the greatest one.
START = """
    func.func @main(%x: tensor<4x64xf32>) -> tensor<4x1xf32> {
      %scale = graph.constant dense<[[1.0], [1.0e36], [1.6e38], [1.0]]> : tensor<4x1xf32>
      %h = graph.mul %x, %scale : tensor<4x64xf32>, tensor<4x1xf32> -> tensor<4x64xf32>
      %s = REDUCTION
      return %s : tensor<4x1xf32>
    }
"""
SUM = "graph.reduce sum %h axes [1] keepdims : tensor<4x64xf32> -> tensor<4x1xf32>"
MATMUL = """graph.matmul %h, %ones : tensor<4x64xf32>, tensor<64x1xf32> -> tensor<4x1xf32>"""
ONES = "%ones = graph.constant dense<1.0> : tensor<64x1xf32>\n      %s ="
LATER = """
    func.func @main(%x: tensor<4x64xf32>) -> tensor<4x1xf32> {
      %scale = graph.constant dense<[[1.0], [1.0e36], [1.6e38], [LAST]]> : tensor<4x1xf32>
      %h = graph.mul %x, %scale : tensor<4x64xf32>, tensor<4x1xf32> -> tensor<4x64xf32>
      %p = graph.slice %h starts [0, 0] ends [4, 32] strides [1, 1] : tensor<4x64xf32> -> tensor<4x32xf32>
      %q = graph.slice %h starts [0, 32] ends [4, 64] strides [1, 1] : tensor<4x64xf32> -> tensor<4x32xf32>
      %r = graph.add %p, %q : tensor<4x32xf32>, tensor<4x32xf32> -> tensor<4x32xf32>
      %s = graph.reduce sum %r axes [1] keepdims : tensor<4x32xf32> -> tensor<4x1xf32>
      return %s : tensor<4x1xf32>
    }
"""


OF_JAX = """%zero = stablehlo.constant dense<0.0> : tensor<f32>
      %sums = stablehlo.reduce(%h init: %zero) applies stablehlo.add across dimensions = [1]
        : (tensor<4x64xf32>, tensor<f32>) -> tensor<4xf32>
      %s = stablehlo.reshape %sums : (tensor<4xf32>) -> tensor<4x1xf32>"""
DOT = """stablehlo.dot_general %h, %ones, contracting_dims = [1] x [0]
        : (tensor<4x64xf32>, tensor<64x1xf32>) -> tensor<4x1xf32>"""


@pytest.mark.parametrize(
    "start",
    [
        START.replace("REDUCTION", SUM),
        START.replace("%s =", ONES).replace("REDUCTION", MATMUL),
        START.replace("%s = REDUCTION", OF_JAX),
        START.replace("%s =", ONES).replace("REDUCTION", DOT),
    ],
)
def test_another_order_is_no_alarm_and_another_sum_is_one(start: str) -> None:
    ctx = new_context()
    alarms = 0
    seeds = repetitions(8, 2)
    for seed in seeds:
        for last in ("1.0", "1.001"):
            checker = EquivalenceChecker(ctx, seed)
            checker.start(parse_module(start, "test.mlir", ctx))
            later = parse_module(LATER.replace("LAST", last), "test.mlir", ctx)
            try:
                checker.check("halves", later, Rounding(4, "the order is another one"))
            except CompilerBug as e:
                assert (last, "result 0 at [3, 0]" in e.message) == ("1.001", True)
                alarms += 1
    assert alarms == len(seeds)


TIMES_ZERO = """
    func.func @main(%x: tensor<4xf32>) -> tensor<1xf32> {
      %h = graph.constant dense<TERMS> : tensor<4xf32>
      %s = graph.reduce sum %h axes [0] keepdims : tensor<4xf32> -> tensor<1xf32>
      %zero = graph.constant dense<0.0> : tensor<1xf32>
      %p = graph.mul %s, %zero : tensor<1xf32>, tensor<1xf32> -> tensor<1xf32>
      return %p : tensor<1xf32>
    }
"""


def test_an_overflow_times_zero_may_be_a_number_in_another_order() -> None:
    """Infinities and NaN become the same NaN there, a number does not."""
    ctx = new_context()
    start, later = (
        parse_module(TIMES_ZERO.replace("TERMS", terms), "test.mlir", ctx)
        for terms in ("[3.0e38, 3.0e38, -3.0e38, -3.0e38]", "[3.0e38, -3.0e38, 3.0e38, -3.0e38]")
    )
    checker = EquivalenceChecker(ctx, 0)
    checker.start(start)
    checker.check("reordered", later, Rounding(4, "the order is another one"))


def test_a_product_that_overflows_before_it_is_added_leaves_the_sum_open() -> None:
    """A fused multiply-add does not round it: an infinity where two roundings give NaN."""
    rows, column = np.array([[2, -2], [0.5, -0.5]], np.float32), np.array([[MOST], [MOST]], np.float32)
    for value in (np.inf, np.nan):
        with np.errstate(all="ignore"), any_order(value):
            found = sum_of(np.matmul, rows, column)
        np.testing.assert_array_equal(found[:, 0], [value, 0])
