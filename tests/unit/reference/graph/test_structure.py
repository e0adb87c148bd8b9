"""Ops that move elements, constants, and fusions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import UnregisteredOp

from mlc.dialects.graph import Graph
from mlc.dialects.graph.fusion import YieldOp
from mlc.dialects.graph.shape import ReshapeOp, TransposeOp
from mlc.dialects.graph.slicing import ConcatOp, PadOp, SliceOp
from mlc.reference.execution import evaluates, has_meaning
from mlc.reference.graph import evaluate
from mlc.support.errors import UserError
from mlc.support.resources import Resources

Array = NDArray[Any]
Run = Callable[..., list[Array]]
Values = Callable[..., Any]
DTYPES = ["float32", "float64", "int32", "int64", "bool"]


def sample(shape: tuple[int, ...], dtype: str) -> Array:
    return (np.arange(np.prod(shape)) % 5).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_reshape(dtype: str, values: Values) -> None:
    x = sample((2, 6), dtype)
    (found,) = evaluate(ReshapeOp(*values(x), shape=(3, 4)), [x])
    assert found.dtype == dtype and found.shape == (3, 4)
    assert found.ravel().tolist() == x.ravel().tolist()


@pytest.mark.parametrize("dtype", DTYPES)
def test_transpose(dtype: str, values: Values) -> None:
    x = sample((2, 3, 4), dtype)
    (found,) = evaluate(TransposeOp(*values(x), permutation=[2, 0, 1]), [x])
    assert found.dtype == dtype and found.shape == (4, 2, 3)
    for i, j, k in np.ndindex(2, 3, 4):
        assert found[k, i, j] == x[i, j, k]


@pytest.mark.parametrize("dtype", DTYPES)
def test_concat(dtype: str, values: Values) -> None:
    parts = [sample((2, n), dtype) for n in (1, 3, 2)]
    (found,) = evaluate(ConcatOp(values(*parts), axis=1), parts)
    assert found.dtype == dtype
    assert found.tolist() == [[v for part in parts for v in part[i].tolist()] for i in range(2)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_slice(dtype: str, values: Values) -> None:
    x = sample((4, 8), dtype)
    (found,) = evaluate(SliceOp(*values(x), starts=[1, 2], ends=[4, 8], strides=[2, 3]), [x])
    assert found.dtype == dtype
    assert found.tolist() == [[x[i, j].item() for j in (2, 5)] for i in (1, 3)]


@pytest.mark.parametrize("dtype", DTYPES)
def test_pad(dtype: str, values: Values) -> None:
    x = sample((2, 2), dtype)
    (found,) = evaluate(PadOp(*values(x), low=[1, 0], high=[0, 2], value=1), [x])
    assert found.dtype == dtype
    (a, b), (c, d) = x.tolist()
    one = np.ones((), dtype).item()
    assert found.tolist() == [[one] * 4, [a, b, one, one], [c, d, one, one]]


def test_constants(run: Run) -> None:
    resources = Resources()
    resources.define("w", np.array([[1, 2]], np.float32))
    found = run(
        """
        func.func @f() -> (tensor<1x2xf32>, tensor<2xi64>, tensor<2x2xf64>, tensor<2xi1>, tensor<i32>) {
          %a = graph.constant dense_resource<w> : tensor<1x2xf32>
          %b = graph.constant dense<[3, -4]> : tensor<2xi64>
          %c = graph.constant dense<0.5> : tensor<2x2xf64>
          %d = graph.constant dense<[true, false]> : tensor<2xi1>
          %e = graph.constant dense<7> : tensor<i32>
          return %a, %b, %c, %d, %e : tensor<1x2xf32>, tensor<2xi64>, tensor<2x2xf64>, tensor<2xi1>, tensor<i32>
        }
        """,
        resources=resources,
    )
    assert [a.tolist() for a in found] == [[[1, 2]], [3, -4], [[0.5, 0.5], [0.5, 0.5]], [True, False], 7]
    assert [a.dtype.name for a in found] == ["float32", "int64", "float64", "bool", "int32"]


def test_fusion_computes_what_its_body_does(run: Run) -> None:
    x, y = np.array([1, -2], np.float32), np.array([3, -5], np.float32)
    (found,) = run(
        """
        func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
          %r = graph.fusion "add_relu" (%a = %x, %b = %y) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32> {
            %0 = graph.add %a, %b : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
            %1 = graph.relu %0 : tensor<2xf32>
            graph.yield %1 : tensor<2xf32>
          }
          return %r : tensor<2xf32>
        }
        """,
        x,
        y,
    )
    assert found.tolist() == [4, 0]


def test_every_op_has_a_meaning() -> None:
    assert [op.name for op in Graph.operations if not has_meaning(op) and op is not YieldOp] == []


def test_an_op_without_meaning_is_named() -> None:
    op = UnregisteredOp.with_name("graph.unknown").create()
    with pytest.raises(UserError, match="has no reference semantics"):
        evaluate(op, [])


def test_two_meanings_are_rejected() -> None:
    with pytest.raises(ValueError, match=r"'graph.reshape' has two reference semantics"):
        evaluates(ReshapeOp)(np.reshape)
