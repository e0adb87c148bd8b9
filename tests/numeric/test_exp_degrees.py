"""The polynomials of `degree(exp, n)`: as good as any of their degree, and off by what is said of them."""

from __future__ import annotations

from math import log

import numpy as np
import pytest
from xdsl.dialects.builtin import DictionaryAttr, IntegerAttr, ModuleOp, i64
from xdsl.dialects.func import FuncOp
from xdsl.parser import Parser

import mlc
from mlc.dialects.registry import register_dialects
from mlc.passes.loop.expand_math import ExpandMathPass
from mlc.polynomials.exp import ALLOWED_ULP, DEGREES, EXP_DEGREE, EXP_F32
from mlc.support.context import CompilerContext
from mlc.tests.numeric.test_expand_math import Array, arguments_of, errors_in_ulp, exact_values, run, split_fma

_POINTS = 4000


def _errors(coefficients: Array, r: Array) -> Array:
    """The errors of a polynomial for exp(r), in units in the last place of the f32 near to exp(r)."""
    return (np.polynomial.polynomial.polyval(r, coefficients) - np.exp(r)) / np.where(r < 0, 2.0**-24, 2.0**-23)


def _minimax(degree: int, limit: float) -> Array:
    """The polynomial 1 + c1 r + … whose largest error on |r| <= limit is as small as can be, in double precision.

    Remez' algorithm: solve for the coefficients that make the errors at some points equal, with signs that alternate;
    the next points are where the errors between their zeros are largest. As the error is 0 at 0, where its sign changes
    once more, what alternates is the error divided by r.
    """
    r = limit * np.cos(np.pi * (np.arange(_POINTS) + 0.5) / _POINTS)[::-1]
    scale = np.where(r < 0, 2.0**24, 2.0**23)
    basis = np.stack([r**j * scale for j in range(1, degree + 1)], axis=1)
    target, sign = (np.exp(r) - 1) * scale, np.sign(r)
    c: Array = np.zeros(degree)
    points: Array = np.linspace(0, _POINTS - 1, degree + 1).round().astype(int)
    for _ in range(20):
        alternating = (-1.0) ** np.arange(degree + 1) * sign[points]
        c = np.linalg.solve(np.column_stack([basis[points], alternating]), target[points])[:-1]
        errors: Array = (basis @ c - target) * sign
        pieces = np.split(np.arange(_POINTS), np.flatnonzero(np.diff(np.sign(errors))) + 1)
        points = np.array([piece[np.abs(errors[piece]).argmax()] for piece in pieces])
        assert len(points) == degree + 1
    return np.array([1.0, *c])


@pytest.mark.parametrize(
    ("coefficients", "limit"),
    [(EXP_F32[4].half, log(2) / 2), (EXP_F32[5].half, log(2) / 2), (EXP_F32[4].whole, log(2))],
    ids=["4", "5", "4, whole"],
)
def test_no_polynomial_of_the_degree_is_better(coefficients: tuple[float, ...], limit: float) -> None:
    """But for the rounding of coefficients to f32, which moves the sum by half a unit of each term at most."""
    assert all(c == np.float32(c) for c in coefficients)
    r = np.linspace(-limit, limit, 100_001)
    best = np.abs(_errors(_minimax(len(coefficients) - 1, limit), r)).max()
    rounding = sum(np.spacing(np.float32(c)) / 2 * limit**j for j, c in enumerate(coefficients) if j) / 2.0**-24
    assert best * 0.999 <= np.abs(_errors(np.array(coefficients), r)).max() <= best + rounding


def _expanded(degree: int, element: str, target: str) -> ModuleOp:
    ctx = CompilerContext(target=target)
    register_dialects(ctx)
    text = f"func.func @f(%a: {element}) -> {element} {{ %y = math.exp %a : {element} return %y : {element} }}"
    module = Parser(ctx, text).parse_module()
    function = module.body.block.first_op
    assert isinstance(function, FuncOp)
    function.attributes[DEGREES] = DictionaryAttr({"exp": IntegerAttr(degree, i64)})
    ExpandMathPass().run(module, ctx)
    return module


@pytest.mark.parametrize("degree", EXP_F32)
def test_errors_are_as_large_as_is_said(degree: int) -> None:
    x = arguments_of("f32")
    x = np.concatenate([x, np.linspace(-87, 88, 1_000_000, dtype=np.float32)])
    x = x[: x.size - x.size % 16]
    exact, largest = exact_values("exp", x), EXP_F32[degree].error
    powers = run(_expanded(degree, "vector<16xf32>", "x86-64-v4"), x.reshape(-1, 16)).ravel()
    scalars = _expanded(degree, "f32", "x86-64-v3")
    found = [errors_in_ulp(powers, exact).max(), errors_in_ulp(run(scalars, x), exact).max()]
    split_fma(scalars)
    found.append(errors_in_ulp(run(scalars, x), exact).max())
    assert 0.95 * largest <= max(found) <= largest, found
    assert (largest <= ALLOWED_ULP) == (degree == EXP_DEGREE)


def test_check_each_is_told_how_far_results_may_move() -> None:
    for degree, ulps in ((4, 2 * EXP_F32[4].error), (EXP_DEGREE, 8)):
        assert ExpandMathPass().rounding_in(_expanded(degree, "f32", "x86-64-v3")).ulps == ulps


_MODEL = """
func.func private @kernel(%x: tensor<3x32xf32>) -> tensor<3x32xf32>
    attributes {schedule = #loop.schedule<[tile(n, 16), vectorize(ni), degree(exp, DEGREE)]>} {
  %0 = tensor.map %x[m, n] over (m: 3, n: 32) : tensor<3x32xf32> -> tensor<3x32xf32> {
  ^bb0(%a: f32):
    %q = math.exp %a : f32
    tensor.yield %q : f32
  }
  return %0 : tensor<3x32xf32>
}
func.func @main(%x: tensor<3x32xf32>) -> tensor<3x32xf32> {
  %0 = func.call @kernel(%x) : (tensor<3x32xf32>) -> tensor<3x32xf32>
  return %0 : tensor<3x32xf32>
}
"""


def test_native_code_computes_less_where_the_accuracy_is_fast() -> None:
    x = np.linspace(-9, 9, 96, dtype=np.float32).reshape(3, 32)
    usual = mlc.compile(_MODEL.replace("DEGREE", "6"))(x)
    with pytest.warns(UserWarning, match=r"'degree\(exp, 4\)': function 'kernel' stays as it is: exp would"):
        assert np.array_equal(mlc.compile(_MODEL.replace("DEGREE", "4"))(x), usual)
    found = mlc.compile(_MODEL.replace("DEGREE", "4"), accuracy="fast")(x)
    assert 2 < errors_in_ulp(found, np.exp(x.astype(np.float64))).max() <= EXP_F32[4].error
