"""Reductions and normalisations against plain loops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.dialects.graph.normalization import BatchNormOp, GroupNormOp, LayerNormOp, RmsNormOp, SoftmaxOp
from mlc.dialects.graph.reduction import ArgMaxOp, ArgMinOp, ReduceOp
from mlc.reference.graph import evaluate

Array = NDArray[Any]
Values = Callable[..., Any]
KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "sum": sum,
    "mean": lambda v: sum(v) / len(v),
    "max": max,
    "min": min,
    "prod": math.prod,
}
TOLERANCE = {"float32": 1e-6, "float64": 1e-14}


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_reduce(kind: str, keepdims: bool, dtype: str, values: Values, rng: np.random.Generator) -> None:
    if kind == "mean" and dtype.startswith("int"):
        pytest.skip("the mean of integers is rejected by the verifier")
    x = rng.integers(-3, 4, (2, 3, 4)).astype(dtype)
    op = ReduceOp(kind, *values(x), axes=[0, 2], keepdims=keepdims)
    (found,) = evaluate(op, [x])
    assert found.dtype == dtype and found.shape == ((1, 3, 1) if keepdims else (3,))
    for j in range(3):
        expected = KINDS[kind]([x[i, j, k].item() for i, k in np.ndindex(2, 4)])
        assert found.ravel()[j] == pytest.approx(expected, rel=1e-6)


def test_reduce_to_a_scalar_and_over_no_axes(values: Values) -> None:
    x = np.array([[1, 2], [3, 4]], np.float32)
    assert evaluate(ReduceOp("sum", *values(x), axes=[0, 1]), [x])[0].shape == ()
    np.testing.assert_array_equal(evaluate(ReduceOp("sum", *values(x), axes=[]), [x])[0], x)


def test_sum_of_integers_wraps(values: Values) -> None:
    x = np.full(2, 2**31 - 1, np.int32)
    assert evaluate(ReduceOp("sum", *values(x), axes=[0]), [x])[0] == -2


@pytest.mark.parametrize("kind", ["max", "min"])
def test_nan_wins(kind: str, values: Values) -> None:
    x = np.array([1, np.nan, 3], np.float32)
    assert np.isnan(evaluate(ReduceOp(kind, *values(x), axes=[0]), [x])[0])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axis", [0, 1])
def test_softmax(axis: int, dtype: str, values: Values, rng: np.random.Generator) -> None:
    x = rng.uniform(-3, 3, (3, 4)).astype(dtype)
    (found,) = evaluate(SoftmaxOp(*values(x), axis=axis), [x])
    assert found.dtype == dtype
    for i, j in np.ndindex(3, 4):
        line = x[i, :] if axis == 1 else x[:, j]
        expected = math.exp(x[i, j]) / sum(math.exp(v) for v in line)
        assert found[i, j] == pytest.approx(expected, rel=TOLERANCE[dtype])


def test_softmax_does_not_overflow(values: Values) -> None:
    x = np.array([1000, 1000], np.float32)
    assert evaluate(SoftmaxOp(*values(x), axis=0), [x])[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_layer_norm(dtype: str, values: Values, rng: np.random.Generator) -> None:
    x = rng.uniform(-2, 2, (2, 3, 4)).astype(dtype)
    scale, bias = (rng.uniform(-2, 2, (3, 4)).astype(dtype) for _ in range(2))
    op = LayerNormOp(*values(x, scale, bias), axis=1, epsilon=0.5)
    (found,) = evaluate(op, [x, scale, bias])
    assert found.dtype == dtype
    for i in range(2):
        row = [float(v) for v in x[i].ravel()]
        mean = sum(row) / 12
        variance = sum((v - mean) ** 2 for v in row) / 12
        for j, k in np.ndindex(3, 4):
            expected = (x[i, j, k] - mean) / math.sqrt(variance + 0.5) * scale[j, k] + bias[j, k]
            assert found[i, j, k] == pytest.approx(expected, rel=3 * TOLERANCE[dtype], abs=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axis", [1, 3])
def test_batch_norm(axis: int, dtype: str, values: Values, rng: np.random.Generator) -> None:
    x = rng.uniform(-2, 2, (2, 3, 2, 3)).astype(dtype)
    scale, bias, mean, variance = (rng.uniform(0.5, 2, 3).astype(dtype) for _ in range(4))
    operands = [x, scale, bias, mean, variance]
    (found,) = evaluate(BatchNormOp(*values(*operands), axis=axis, epsilon=0.25), operands)
    assert found.dtype == dtype
    for index in np.ndindex(*x.shape):
        c = index[axis]
        expected = (x[index] - mean[c]) / math.sqrt(variance[c] + 0.25) * scale[c] + bias[c]
        assert found[index] == pytest.approx(expected, rel=3 * TOLERANCE[dtype], abs=TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_rms_norm(dtype: str, values: Values, rng: np.random.Generator) -> None:
    x, scale = rng.uniform(-2, 2, (2, 3, 4)).astype(dtype), rng.uniform(-2, 2, (3, 4)).astype(dtype)
    (found,) = evaluate(RmsNormOp(*values(x, scale), axis=1, epsilon=0.5), [x, scale])
    assert found.dtype == dtype
    for i in range(2):
        root = math.sqrt(sum(float(v) ** 2 for v in x[i].ravel()) / 12 + 0.5)
        for j, k in np.ndindex(3, 4):
            assert found[i, j, k] == pytest.approx(x[i, j, k] / root * scale[j, k], rel=3 * TOLERANCE[dtype])


@pytest.mark.parametrize("dtype", TOLERANCE)
@pytest.mark.parametrize("axis", [1, 3])
def test_group_norm(axis: int, dtype: str, values: Values, rng: np.random.Generator) -> None:
    x = rng.uniform(-2, 2, (2, 6, 2, 6)).astype(dtype)
    scale, bias = (rng.uniform(-2, 2, 6).astype(dtype) for _ in range(2))
    (found,) = evaluate(GroupNormOp(*values(x, scale, bias), groups=3, axis=axis, epsilon=0.5), [x, scale, bias])
    assert found.dtype == dtype
    for index in np.ndindex(*x.shape):
        first = index[axis] // 2 * 2
        group = [float(v) for v in np.take(x[index[0]], [first, first + 1], axis - 1).ravel()]
        mean = sum(group) / len(group)
        variance = sum((v - mean) ** 2 for v in group) / len(group)
        expected = (x[index] - mean) / math.sqrt(variance + 0.5) * scale[index[axis]] + bias[index[axis]]
        assert found[index] == pytest.approx(expected, rel=3 * TOLERANCE[dtype], abs=3 * TOLERANCE[dtype])


@pytest.mark.parametrize(
    ("row", "greatest", "least"),
    [([1, 3, 3, -2, -2], 1, 3), ([1, np.nan, 5, np.nan, -5], 1, 1), ([-0.0, 0.0], 0, 0), ([-np.inf, -np.inf], 0, 0)],
)
def test_argmax_and_argmin_find_the_first(row: list[float], greatest: int, least: int, values: Values) -> None:
    x = np.array([row, row], np.float32)
    found = evaluate(ArgMaxOp(*values(x), axis=1), [x])[0]
    assert found.dtype == np.int64 and found.tolist() == [greatest, greatest]
    assert evaluate(ArgMinOp(*values(x), axis=1, keepdims=True), [x])[0].tolist() == [[least], [least]]
