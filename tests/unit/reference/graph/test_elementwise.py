"""Elementwise ops against Python's scalar functions."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import f32, f64, i1, i32, i64
from xdsl.ir import Attribute

from mlc.dialects.graph import binary, elementwise, trigonometry, unary
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]
NAN, INF = math.nan, math.inf

FLOAT_UNARY: list[tuple[type[unary.UnaryOp], Callable[[float], float]]] = [
    (unary.NegOp, lambda x: -x),
    (unary.AbsOp, abs),
    (unary.ReluOp, lambda x: max(x, 0.0)),
    (unary.ExpOp, math.exp),
    (unary.TanhOp, math.tanh),
    (unary.SigmoidOp, lambda x: 1 / (1 + math.exp(-x))),
    (unary.ErfOp, math.erf),
    (unary.FloorOp, lambda x: float(math.floor(x))),
    (unary.CeilOp, lambda x: float(math.ceil(x))),
    (unary.ExpM1Op, math.expm1),
    (unary.Log1pOp, lambda x: math.log1p(x) if x > -1 else NAN),
    (unary.RoundOp, lambda x: float(round(x))),
    (unary.TruncOp, lambda x: float(math.trunc(x))),
    (unary.SignOp, lambda x: float((x > 0) - (x < 0))),
    (trigonometry.SinOp, math.sin),
    (trigonometry.CosOp, math.cos),
    (trigonometry.TanOp, math.tan),
    (trigonometry.AsinOp, lambda x: math.asin(x) if abs(x) <= 1 else NAN),
    (trigonometry.AcosOp, lambda x: math.acos(x) if abs(x) <= 1 else NAN),
    (trigonometry.AtanOp, math.atan),
    (trigonometry.SinhOp, math.sinh),
    (trigonometry.CoshOp, math.cosh),
    (trigonometry.AsinhOp, math.asinh),
    (trigonometry.AcoshOp, lambda x: math.acosh(x) if x >= 1 else NAN),
    (trigonometry.AtanhOp, lambda x: math.atanh(x) if abs(x) < 1 else NAN),
    (unary.GeluOp, lambda x: x * (1 + math.erf(x / math.sqrt(2))) / 2),
    (unary.LogOp, lambda x: math.log(x) if x > 0 else -INF if x == 0 else NAN),
    (unary.SqrtOp, lambda x: math.sqrt(x) if x >= 0 else NAN),
    (unary.RsqrtOp, lambda x: 1 / math.sqrt(x) if x > 0 else INF if x == 0 else NAN),
]
INTEGER_UNARY: list[tuple[type[unary.UnaryOp], Callable[[int], int]]] = [
    (unary.NegOp, lambda x: -x),
    (unary.AbsOp, abs),
    (unary.ReluOp, lambda x: max(x, 0)),
    (unary.SignOp, lambda x: (x > 0) - (x < 0)),
    (unary.NotOp, lambda x: ~x),
]


def apply(op_type: Callable[..., Any], values: Values, *arrays: Array) -> Array:
    op = op_type(*values(*arrays))
    op.verify_()
    (result,) = evaluate(op, list(arrays))
    assert result.shape == op.result.type.get_shape()
    return result


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("op_type", "scalar"), FLOAT_UNARY, ids=lambda p: getattr(p, "name", ""))
def test_unary_of_floats(
    op_type: type[unary.UnaryOp], scalar: Callable[[float], float], dtype: str, values: Values
) -> None:
    x = np.array([[-3.5, -1.25, -0.5, 0.0], [0.3, 0.75, 2.0, 7.5]], dtype)
    found = apply(op_type, values, x)
    assert found.dtype == dtype
    expected = np.array([[scalar(float(v)) for v in row] for row in x])
    np.testing.assert_allclose(
        found,
        expected,
        rtol=4e-7 if dtype == "float32" else 1e-15,
        atol=3e-7 if dtype == "float32" else 1e-15,
    )


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@pytest.mark.parametrize(("op_type", "scalar"), INTEGER_UNARY, ids=lambda p: getattr(p, "name", ""))
def test_unary_of_integers(
    op_type: type[unary.UnaryOp], scalar: Callable[[int], int], dtype: str, values: Values
) -> None:
    x = np.array([-3, 0, 5], dtype)
    found = apply(op_type, values, x)
    assert found.dtype == dtype
    assert found.tolist() == [scalar(v) for v in x.tolist()]


def test_not_of_booleans_is_logical(values: Values) -> None:
    assert apply(unary.NotOp, values, np.array([True, False])).tolist() == [False, True]


def test_relu_keeps_nan(values: Values) -> None:
    found = apply(unary.ReluOp, values, np.array([NAN, -INF, INF], np.float32))
    np.testing.assert_array_equal(found, [NAN, 0, INF])


def test_sigmoid_does_not_overflow(values: Values) -> None:
    found = apply(unary.SigmoidOp, values, np.array([-1000, 1000], np.float32))
    assert found.tolist() == [0, 1]


def test_erf_is_correct_to_the_last_bits_of_f32(values: Values) -> None:
    x = np.linspace(-5, 5, 1001, dtype=np.float32)
    exact = np.array([math.erf(float(v)) for v in x])
    assert np.all(np.abs(apply(unary.ErfOp, values, x) - exact) <= np.spacing(np.abs(exact).astype(np.float32)))


def test_gelu_by_tanh(values: Values) -> None:
    x = np.array([-3, -0.5, 0, 1, 4], np.float32)
    op = unary.GeluOp(*values(x), approximate="tanh")
    expected = [v / 2 * (1 + math.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))) for v in x.tolist()]
    np.testing.assert_allclose(evaluate(op, [x])[0], expected, rtol=1e-5, atol=1e-6)


BINARY: list[tuple[type[binary.BinaryOp], Callable[[Any, Any], Any]]] = [
    (binary.AddOp, lambda a, b: a + b),
    (binary.SubOp, lambda a, b: a - b),
    (binary.MulOp, lambda a, b: a * b),
    (binary.MaxOp, max),
    (binary.MinOp, min),
]


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize(("op_type", "scalar"), BINARY, ids=lambda p: getattr(p, "name", ""))
def test_binary_broadcasts(
    op_type: type[binary.BinaryOp], scalar: Callable[[Any, Any], Any], dtype: str, values: Values
) -> None:
    a = np.array([[[-2], [3]], [[5], [7]]], dtype)
    b = np.array([[4, -1, 6], [2, 8, 3]], dtype)
    found = apply(op_type, values, a, b)
    assert found.dtype == dtype
    for i, j, k in np.ndindex(2, 2, 3):
        assert found[i, j, k] == scalar(a[i, j, 0], b[j, k])


def test_division_of_floats(values: Values) -> None:
    found = apply(binary.DivOp, values, np.array([1, 1, 0, -7], np.float32), np.array([4, 0, 0, 2], np.float32))
    np.testing.assert_array_equal(found, [0.25, INF, NAN, -3.5])


@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_division_of_integers_truncates(dtype: str, values: Values) -> None:
    a, b = np.array([7, -7, 7, -7, 6, -6], dtype), np.array([2, 2, -2, -2, 3, 3], dtype)
    assert apply(binary.DivOp, values, a, b).tolist() == [3, -3, -3, 3, 2, -2]


def test_integers_wrap(values: Values) -> None:
    top = np.array([2**31 - 1, -(2**31)], np.int32)
    assert apply(binary.AddOp, values, top, np.array([1, -1], np.int32)).tolist() == [-(2**31), 2**31 - 1]
    assert apply(binary.MulOp, values, top, np.array([2, 2], np.int32)).tolist() == [-2, 0]


def test_power(values: Values) -> None:
    a, b = np.array([2, 9, -2, 0], np.float32), np.array([10, 0.5, 3, 0], np.float32)
    assert apply(binary.PowOp, values, a, b).tolist() == [1024, 3, -8, 1]


def test_sign_keeps_zeros_and_nan(values: Values) -> None:
    found = apply(unary.SignOp, values, np.array([-0.0, 0.0, NAN, -INF, 1e-40], np.float32))
    np.testing.assert_array_equal(found, [-0.0, 0.0, NAN, -1, 1])
    assert np.signbit(found[0]) and not np.signbit(found[1])


def test_remainders_of_integers(values: Values) -> None:
    """Python's `%` has the sign of the divisor; of the other one, the sign is that of the dividend."""
    a = np.array([7, -7, 7, -7, 6, 5, -5, -(2**31)], np.int32)
    b = np.array([3, 3, -3, -3, 3, 0, 0, -1], np.int32)
    assert apply(binary.RemOp, values, a, b).tolist() == [1, -1, 1, -1, 0, 5, -5, 0]
    assert apply(binary.ModOp, values, a, b).tolist() == [1, 2, -2, -1, 0, 5, -5, 0]


def test_remainders_of_floats(values: Values) -> None:
    a, b = np.array([5.5, -5.5, 5.5, -5.5, 1, 1, INF]), np.array([2, 2, -2, -2, INF, 0, 2])
    np.testing.assert_array_equal(apply(binary.RemOp, values, a, b), [1.5, -1.5, 1.5, -1.5, 1, NAN, NAN])
    np.testing.assert_array_equal(apply(binary.ModOp, values, a, b), [1.5, 0.5, -0.5, -1.5, 1, NAN, NAN])
    zeros = apply(binary.ModOp, values, np.array([4.0, -4.0, 0.0, -0.0]), np.array([-2.0, 2.0, -1.0, 1.0]))
    assert not zeros.any() and np.signbit(zeros).tolist() == [True, False, True, False]


def test_powers_of_integers(values: Values) -> None:
    a, b = np.array([3, -2, 0, 2, -1, 1, 2, 0], np.int64), np.array([4, 3, 0, -1, -3, -2, 64, -1], np.int64)
    assert apply(binary.PowOp, values, a, b).tolist() == [81, -8, 1, 0, -1, 1, 0, 0]


def test_shifts_by_the_width_or_more_leave_no_bit(values: Values) -> None:
    a, b = np.array([1, -8, 5, -5, -1], np.int32), np.array([4, 1, 32, 32, -1], np.int32)
    assert apply(binary.ShlOp, values, a, b).tolist() == [16, -16, 0, 0, 0]
    assert apply(binary.ShrOp, values, a, b).tolist() == [0, -4, 0, -1, -1]


def test_bitcast_keeps_bits(values: Values) -> None:
    x = np.array([[1.0, -0.0]], np.float32).T
    found = apply(partial(elementwise.BitcastOp, element_type=i32), values, x)
    assert found.dtype == np.int32 and found.tolist() == [[0x3F800000], [-(2**31)]]


@pytest.mark.parametrize("op_type", [binary.MaxOp, binary.MinOp])
def test_nan_wins_in_max_and_min(op_type: type[binary.BinaryOp], values: Values) -> None:
    found = apply(op_type, values, np.array([NAN, 1], np.float32), np.array([1, NAN], np.float32))
    assert np.isnan(found).all()


def test_logic(values: Values) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    assert apply(binary.AndOp, values, a, b).tolist() == [False, False, False, True]
    assert apply(binary.OrOp, values, a, b).tolist() == [False, True, True, True]
    assert apply(binary.XorOp, values, a, b).tolist() == [False, True, True, False]
    c, d = np.array([12, -1], np.int32), np.array([10, 5], np.int32)
    assert apply(binary.AndOp, values, c, d).tolist() == [8, 5]
    assert apply(binary.OrOp, values, c, d).tolist() == [14, -1]
    assert apply(binary.XorOp, values, c, d).tolist() == [6, -6]


@pytest.mark.parametrize(
    ("predicate", "expected"),
    [
        ("eq", [False, True, False, False]),
        ("ne", [True, False, True, True]),
        ("lt", [True, False, False, False]),
        ("le", [True, True, False, False]),
        ("gt", [False, False, True, False]),
        ("ge", [False, True, True, False]),
    ],
)
def test_compare(predicate: str, expected: list[bool], values: Values) -> None:
    a, b = np.array([1, 2, 3, NAN], np.float32), np.array([2, 2, 2, NAN], np.float32)
    found = apply(partial(elementwise.CompareOp, predicate), values, a, b)
    assert found.dtype == np.bool_ and found.tolist() == expected


def test_where_broadcasts(values: Values) -> None:
    condition = np.array([[True], [False]])
    a, b = np.array([1, 2, 3], np.int64), np.array(9, np.int64)
    found = apply(elementwise.WhereOp, values, condition, a, b)
    assert found.dtype == np.int64 and found.tolist() == [[1, 2, 3], [9, 9, 9]]


@pytest.mark.parametrize(
    ("source", "target", "type", "expected"),
    [
        (np.array([-1.75, 1.75], np.float32), "int32", i32, [-1, 1]),
        (np.array([0.0, -0.5, NAN], np.float32), "bool", i1, [False, True, True]),
        (np.array([2**24 + 1], np.int64), "float32", f32, [float(2**24)]),
        (np.array([2**32 + 5], np.int64), "int32", i32, [5]),
        (np.array([True, False]), "float64", f64, [1.0, 0.0]),
        (np.array([True, False]), "int64", i64, [1, 0]),
    ],
)
def test_cast(source: Array, target: str, type: Attribute, expected: list[Any], values: Values) -> None:
    found = apply(partial(elementwise.CastOp, element_type=type), values, source)
    assert found.dtype == target and found.tolist() == expected
