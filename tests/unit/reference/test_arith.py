"""arith and math on arrays, against Python's numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects import arith
from xdsl.dialects import math as math_dialect
from xdsl.dialects.builtin import IndexType, f32, f64, i1, i8, i32, i64
from xdsl.ir import Attribute
from xdsl.utils.test_value import create_ssa_value

from mlc.dialects.arith import (
    Arith,
    CmpfOp,
    CmpiOp,
    ExtSIOp,
    ExtUIOp,
    FPToSIOp,
    IndexCastOp,
    RemFOp,
    SIToFPOp,
    TruncIOp,
    UIToFPOp,
)
from mlc.reference import interpreter as interpreter
from mlc.reference.execution import evaluate, has_meaning

Array = NDArray[Any]
NAN = math.nan
PAIRS = [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (0, 5)]


def evaluate_binary(op_type: Callable[..., Any], type: Attribute, a: Array, b: Array) -> Array:
    return evaluate(op_type(create_ssa_value(type), create_ssa_value(type)), [a, b])[0]


INTEGERS: list[tuple[Callable[..., Any], Callable[[int, int], int]]] = [
    (arith.AddiOp, lambda a, b: a + b),
    (arith.SubiOp, lambda a, b: a - b),
    (arith.MuliOp, lambda a, b: a * b),
    (arith.DivSIOp, lambda a, b: math.trunc(a / b)),
    (arith.RemSIOp, lambda a, b: a - b * math.trunc(a / b)),
    (arith.FloorDivSIOp, lambda a, b: a // b),
    (arith.CeilDivSIOp, lambda a, b: -(-a // b)),
    (arith.MinSIOp, min),
    (arith.MaxSIOp, max),
    (arith.AndIOp, lambda a, b: a & b),
    (arith.OrIOp, lambda a, b: a | b),
    (arith.XOrIOp, lambda a, b: a ^ b),
    (arith.DivUIOp, lambda a, b: (a % 2**32) // (b % 2**32)),
    (arith.RemUIOp, lambda a, b: (a % 2**32) % (b % 2**32)),
    (arith.MaxUIOp, lambda a, b: max(a, b, key=lambda v: v % 2**32)),
]


@pytest.mark.parametrize(("op_type", "scalar"), INTEGERS, ids=lambda p: getattr(p, "name", ""))
def test_integers(op_type: Callable[..., Any], scalar: Callable[[int, int], int]) -> None:
    a, b = (np.array(column, np.int32) for column in zip(*PAIRS, strict=True))
    found = evaluate_binary(op_type, i32, a, b)
    assert found.dtype == np.int32
    assert [v % 2**32 for v in found.tolist()] == [scalar(x, y) % 2**32 for x, y in PAIRS]


def test_division_by_zero() -> None:
    """A quotient is 0, and what remains is all; no CPU is asked, so the reference agrees with the compiler on it."""
    a, zero = np.array([-7, 0, 5], np.int32), np.zeros(3, np.int32)
    for remainder in (arith.RemSIOp, arith.RemUIOp):
        assert evaluate_binary(remainder, i32, a, zero).tolist() == a.tolist()
    for quotient in (arith.DivSIOp, arith.DivUIOp):
        assert evaluate_binary(quotient, i32, a, zero).tolist() == [0, 0, 0]


def test_floats_become_the_nearest_integers() -> None:
    a = np.array([-129.0, -128.0, -127.5, 126.9, 127.0, 128.0, NAN, math.inf, -math.inf], np.float32)
    op = FPToSIOp(create_ssa_value(f32), i8)
    assert evaluate(op, [a])[0].tolist() == [-128, -128, -127, 126, 127, 127, 0, 127, -128]


def test_shifts() -> None:
    a, b = np.array([-8, 5], np.int32), np.array([1, 2], np.int32)
    assert evaluate_binary(arith.ShLIOp, i32, a, b).tolist() == [-16, 20]
    assert evaluate_binary(arith.ShRSIOp, i32, a, b).tolist() == [-4, 1]
    assert evaluate_binary(arith.ShRUIOp, i32, a, b).tolist() == [2**31 - 4, 1]


@pytest.mark.parametrize(
    ("op_type", "expected"),
    [
        (arith.AddiOp, [False, True, True, False]),
        (arith.MuliOp, [False, False, False, True]),
        (arith.MaxSIOp, [False, False, False, True]),  # true is -1
        (arith.MaxUIOp, [False, True, True, True]),
        (arith.AndIOp, [False, False, False, True]),
        (arith.XOrIOp, [False, True, True, False]),
    ],
)
def test_one_bit(op_type: Callable[..., Any], expected: list[bool]) -> None:
    a, b = np.array([False, False, True, True]), np.array([False, True, False, True])
    found = evaluate_binary(op_type, i1, a, b)
    assert found.dtype == np.bool_ and found.tolist() == expected


def test_integer_predicates_of_either_sign() -> None:
    a, b = np.array([-1, 1, 3], np.int64), np.array([1, 1, 2], np.int64)
    for name, expected in {
        "eq": [False, True, False],
        "ne": [True, False, True],
        "slt": [True, False, False],
        "sle": [True, True, False],
        "sgt": [False, False, True],
        "sge": [False, True, True],
        "ult": [False, False, False],
        "ule": [False, True, False],
        "ugt": [True, False, True],
        "uge": [True, True, True],
    }.items():
        op = CmpiOp(create_ssa_value(i64), create_ssa_value(i64), name)
        assert evaluate(op, [a, b])[0].tolist() == expected, name


def test_float_predicates_with_nan() -> None:
    a, b = np.array([1, 2, 3, NAN], np.float32), np.array([2, 2, 2, 2], np.float32)
    for name, holds in {
        "eq": "0100",
        "gt": "0010",
        "ge": "0110",
        "lt": "1000",
        "le": "1100",
        "ne": "1010",
    }.items():
        for order, with_nan in (("o", "0"), ("u", "1")):
            predicate = f"{order}{name}"
            op = CmpfOp(create_ssa_value(f32), create_ssa_value(f32), predicate)
            expected = [c == "1" for c in holds[:3] + with_nan]
            assert evaluate(op, [a, b])[0].tolist() == expected, predicate
    for predicate, expected in {"ord": [True] * 3 + [False], "uno": [False] * 3 + [True]}.items():
        op = CmpfOp(create_ssa_value(f32), create_ssa_value(f32), predicate)
        assert evaluate(op, [a, b])[0].tolist() == expected


def test_nan_wins_in_maximum_and_loses_in_maxnum() -> None:
    a, b = np.array([NAN, 1], np.float32), np.array([2, NAN], np.float32)
    assert np.isnan(evaluate_binary(arith.MaximumfOp, f32, a, b)).all()
    assert np.isnan(evaluate_binary(arith.MinimumfOp, f32, a, b)).all()
    assert evaluate_binary(arith.MaxnumfOp, f32, a, b).tolist() == [2, 1]
    assert evaluate_binary(arith.MinnumfOp, f32, a, b).tolist() == [2, 1]


@pytest.mark.parametrize(
    ("op_type", "source", "from_type", "to_type", "expected"),
    [
        (FPToSIOp, np.array([-1.9, 1.9], np.float32), f32, i32, [-1, 1]),
        (SIToFPOp, np.array([-3], np.int64), i64, f32, [-3.0]),
        (SIToFPOp, np.array([True]), i1, f32, [-1.0]),
        (UIToFPOp, np.array([True]), i1, f32, [1.0]),
        (UIToFPOp, np.array([-1], np.int32), i32, f64, [2.0**32 - 1]),
        (ExtSIOp, np.array([-2], np.int32), i32, i64, [-2]),
        (ExtUIOp, np.array([-2], np.int32), i32, i64, [2**32 - 2]),
        (ExtUIOp, np.array([True]), i1, i32, [1]),
        (ExtSIOp, np.array([True]), i1, i32, [-1]),
        (TruncIOp, np.array([2**32 + 3], np.int64), i64, i32, [3]),
        (TruncIOp, np.array([2, 3], np.int32), i32, i1, [False, True]),
        (arith.ExtFOp, np.array([0.1], np.float32), f32, f64, [float(np.float32(0.1))]),
        (arith.TruncFOp, np.array([0.1]), f64, f32, [float(np.float32(0.1))]),
        (IndexCastOp, np.array([5], np.int32), i32, IndexType(), [5]),
        (arith.BitcastOp, np.array([1.0], np.float32), f32, i32, [0x3F800000]),
    ],
)
def test_conversions(
    op_type: Callable[..., Any], source: Array, from_type: Attribute, to_type: Attribute, expected: list[Any]
) -> None:
    assert evaluate(op_type(create_ssa_value(from_type), to_type), [source])[0].tolist() == expected


UNARY_MATH: dict[Any, Callable[[float], float]] = {
    math_dialect.AcosOp: math.acos,
    math_dialect.AsinOp: math.asin,
    math_dialect.AsinhOp: math.asinh,
    math_dialect.AtanOp: math.atan,
    math_dialect.AtanhOp: math.atanh,
    math_dialect.CosOp: math.cos,
    math_dialect.CoshOp: math.cosh,
    math_dialect.ErfOp: math.erf,
    math_dialect.ExpOp: math.exp,
    math_dialect.ExpM1Op: math.expm1,
    math_dialect.Log1pOp: math.log1p,
    math_dialect.SinOp: math.sin,
    math_dialect.SinhOp: math.sinh,
    math_dialect.TanOp: math.tan,
    math_dialect.TanhOp: math.tanh,
    math_dialect.FloorOp: math.floor,
    math_dialect.CeilOp: math.ceil,
    math_dialect.TruncOp: math.trunc,
    math_dialect.RoundEvenOp: round,
    math_dialect.AbsFOp: abs,
    math_dialect.Exp2Op: lambda x: 2.0**x,
    math_dialect.CbrtOp: lambda x: math.copysign(abs(x) ** (1 / 3), x),
    math_dialect.RoundOp: lambda x: math.copysign(math.floor(abs(x) + 0.5), x),
}
POSITIVE_MATH: dict[Any, Callable[[float], float]] = {
    math_dialect.LogOp: math.log,
    math_dialect.Log2Op: math.log2,
    math_dialect.Log10Op: math.log10,
    math_dialect.SqrtOp: math.sqrt,
    math_dialect.RsqrtOp: lambda x: 1 / math.sqrt(x),
    math_dialect.AcoshOp: lambda x: math.acosh(x) if x >= 1 else NAN,
}


@pytest.mark.parametrize("op_type", [*UNARY_MATH, *POSITIVE_MATH], ids=lambda op: op.name)
def test_math(op_type: Any) -> None:
    positive = op_type in POSITIVE_MATH
    x = np.array([0.125, 1, 2.5, 40] if positive else [-0.75, -0.5, -0.1, 0.0, 0.3, 0.5], np.float32)
    scalar = POSITIVE_MATH[op_type] if positive else UNARY_MATH[op_type]
    (found,) = evaluate(op_type(create_ssa_value(f32)), [x])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, [scalar(float(v)) for v in x], rtol=1e-6, atol=1e-7)


def test_powers() -> None:
    a, b = np.array([2, 9], np.float32), np.array([-1, 0.5], np.float32)
    assert evaluate_binary(math_dialect.PowFOp, f32, a, b).tolist() == [0.5, 3]
    op = math_dialect.FPowIOp(create_ssa_value(f32), create_ssa_value(i32))
    assert evaluate(op, [np.array([-2, 3], np.float32), np.array([3, -1], np.int32)])[0][0] == -8


def test_powers_of_integers_wrap() -> None:
    a, b = np.array([-3, 2, 2, 5, -1, 0], np.int32), np.array([3, 31, 32, -1, -3, -1], np.int32)
    assert evaluate_binary(math_dialect.IPowIOp, i32, a, b).tolist() == [-27, -(2**31), 0, 0, -1, 0]


def test_remainders_of_floats_have_the_sign_of_the_dividend() -> None:
    a, b = np.array([7.5, -7.5, 7.5, 1e38], np.float32), np.array([2, 2, -2, 3], np.float32)
    assert evaluate_binary(RemFOp, f32, a, b).tolist() == [1.5, -1.5, 1.5, math.fmod(float(np.float32(1e38)), 3)]


def test_fma_rounds_once() -> None:
    a = np.array([1 + 2**-12], np.float32)
    c = np.array([-1 - 2**-11], np.float32)
    x, y, z = (create_ssa_value(f32) for _ in range(3))
    op = math_dialect.FmaOp(x, y, z)
    assert evaluate(op, [a, a, c])[0].tolist() == [2**-24]
    assert (a * a + c).tolist() == [0]


def test_every_op_but_the_exotic_has_a_meaning() -> None:
    without = {op.name for d in (Arith, math_dialect.Math) for op in d.operations if not has_meaning(op)}
    assert without == {
        "arith.addui_extended",
        "arith.mului_extended",
        "arith.mulsi_extended",
        "math.ctlz",
        "math.cttz",
        "math.ctpop",
    }
