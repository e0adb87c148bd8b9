"""The tensor dialect against plain loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.reference import tensor
from mlc.reference.execution import InputsUndefined
from mlc.support.resources import Resources

Array = NDArray[Any]
Run = Callable[..., list[Array]]


def test_map_with_broadcast_transpose_and_capture(run: Run) -> None:
    x, b = np.arange(6, dtype=np.float32).reshape(2, 3), np.array([10, 20], np.float32)
    (found,) = run(
        """
        func.func @f(%x: tensor<2x3xf32>, %b: tensor<2xf32>) -> tensor<3x2xf32> {
          %two = arith.constant 2.0 : f32
          %y = tensor.map %x[j, i], %b[j] over (i: 3, j: 2) : tensor<2x3xf32>, tensor<2xf32> -> tensor<3x2xf32> {
          ^bb0(%a: f32, %bias: f32):
            %s = arith.addf %a, %bias : f32
            %t = arith.mulf %s, %two : f32
            tensor.yield %t : f32
          }
          return %y : tensor<3x2xf32>
        }
        """,
        x,
        b,
    )
    assert found.dtype == np.float32
    assert found.tolist() == [[2 * (x[j, i] + b[j]) for j in range(2)] for i in range(3)]


def test_map_of_nothing_fills(run: Run) -> None:
    (found,) = run("""
        func.func @f() -> tensor<2x2xi64> {
          %y = tensor.map over (i: 2, j: 2) : tensor<2x2xi64> {
            %c = arith.constant 7 : i64
            tensor.yield %c : i64
          }
          return %y : tensor<2x2xi64>
        }
        """)
    assert found.tolist() == [[7, 7], [7, 7]]


@pytest.mark.parametrize(("kind", "expected"), [("add", 6), ("mul", 6), ("max", 3), ("min", 1)])
@pytest.mark.parametrize("element", ["f32", "i32"])
def test_reduce(kind: str, expected: int, element: str, run: Run) -> None:
    x = np.array([[1, 2, 3], [3, 2, 1]], "float32" if element == "f32" else "int32")
    (found,) = run(
        f"""
        func.func @f(%x: tensor<2x3x{element}>) -> tensor<2x{element}> {{
          %y = tensor.reduce {kind} %x[m, k] over (m: 2) reduce (k: 3) : tensor<2x3x{element}> -> tensor<2x{element}>
          return %y : tensor<2x{element}>
        }}
        """,
        x,
    )
    assert found.dtype == x.dtype and found.tolist() == [expected, expected]


def test_maxnum_leaves_out_nan(run: Run) -> None:
    nan, inf = np.nan, np.inf
    x = np.array([[1, nan, 3], [nan, -inf, -2], [nan, nan, nan]], "float32")
    (found,) = run(
        """
        func.func @f(%x: tensor<3x3xf32>) -> tensor<3xf32> {
          %y = tensor.reduce maxnum %x[m, k] over (m: 3) reduce (k: 3) : tensor<3x3xf32> -> tensor<3xf32>
          return %y : tensor<3xf32>
        }
        """,
        x,
    )
    assert found.tolist() == [3, -2, -inf]


SQUARES = """
    func.func @f(%x: tensor<4x3xf32>) -> tensor<f32> {
      %y = tensor.reduce add %x[m, k] over () reduce (m: 4, k: 3) : tensor<4x3xf32> -> tensor<f32> {
      ^bb0(%a: f32):
        %s = arith.mulf %a, %a : f32
        tensor.yield %s : f32
      }
      return %y : tensor<f32>
    }
"""


def test_reduce_of_a_body_to_a_scalar(run: Run) -> None:
    (found,) = run(SQUARES, np.arange(12, dtype=np.float32).reshape(4, 3))
    assert found.shape == () and found == sum(i * i for i in range(12))


def test_reduce_in_slabs(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensor, "_MAX_POINTS", 8)
    x = np.arange(15, dtype=np.int64).reshape(5, 3)
    text = """
        func.func @f(%x: tensor<5x3xi64>) -> tensor<5xi64> {
          %y = tensor.reduce add %x[m, k] over (m: 5) reduce (k: 3) : tensor<5x3xi64> -> tensor<5xi64>
          return %y : tensor<5xi64>
        }
    """
    assert run(text, x)[0].tolist() == [sum(row) for row in x.tolist()]


@pytest.mark.parametrize(("element", "dtype"), [("f32", "float32"), ("i32", "int32"), ("f64", "float64")])
def test_contract_as_matmul(element: str, dtype: str, run: Run, rng: np.random.Generator) -> None:
    a, b = (rng.integers(-3, 4, s).astype(dtype) for s in ((2, 3), (3, 4)))
    (found,) = run(
        f"""
        func.func @f(%a: tensor<2x3x{element}>, %b: tensor<3x4x{element}>) -> tensor<4x2x{element}> {{
          %y = tensor.contract %a[m, k], %b[k, n] over (n: 4, m: 2) reduce (k: 3)
            : tensor<2x3x{element}>, tensor<3x4x{element}> -> tensor<4x2x{element}>
          return %y : tensor<4x2x{element}>
        }}
        """,
        a,
        b,
    )
    assert found.dtype == dtype
    for n, m in np.ndindex(4, 2):
        assert found[n, m] == sum(a[m, k] * b[k, n] for k in range(3))


def test_contract_as_strided_convolution(run: Run, rng: np.random.Generator) -> None:
    x, w = (rng.integers(-3, 4, s).astype(np.float32) for s in ((1, 7, 9, 2), (3, 2, 2, 4)))
    (found,) = run(
        """
        func.func @f(%x: tensor<1x7x9x2xf32>, %w: tensor<3x2x2x4xf32>) -> tensor<1x3x3x4xf32> {
          %y = tensor.contract %x[n, oh * 2 + kh, ow * 3 + kw * 2, c], %w[kh, kw, c, o]
            over (n: 1, oh: 3, ow: 3, o: 4) reduce (kh: 3, kw: 2, c: 2)
            : tensor<1x7x9x2xf32>, tensor<3x2x2x4xf32> -> tensor<1x3x3x4xf32>
          return %y : tensor<1x3x3x4xf32>
        }
        """,
        x,
        w,
    )
    for i, j, o in np.ndindex(3, 3, 4):
        expected = sum(x[0, 2 * i + kh, 3 * j + 2 * kw, c] * w[kh, kw, c, o] for kh, kw, c in np.ndindex(3, 2, 2))
        assert found[0, i, j, o] == expected


def test_contract_over_dims_that_no_operand_uses(run: Run) -> None:
    a, b = np.array([1, 2, 3], np.float32), np.array([4, 5, 6], np.float32)
    (found,) = run(
        """
        func.func @f(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2xf32> {
          %y = tensor.contract %a[k], %b[k] over (i: 2) reduce (k: 3, j: 5)
            : tensor<3xf32>, tensor<3xf32> -> tensor<2xf32>
          return %y : tensor<2xf32>
        }
        """,
        a,
        b,
    )
    assert found.tolist() == [160, 160]


def test_upstream_ops(run: Run) -> None:
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    resources = Resources()
    resources.define("w", np.array([[9, 8]], np.float32))
    flat, padded, joined, cut, put, weights = run(
        """
        func.func @f(%x: tensor<2x3xf32>)
            -> (tensor<6xf32>, tensor<3x4xf32>, tensor<2x6xf32>, tensor<2xf32>, tensor<2x3xf32>, tensor<1x2xf32>) {
          %flat = "tensor.collapse_shape"(%x) {reassociation = [[0 : i64, 1 : i64]]}
              : (tensor<2x3xf32>) -> tensor<6xf32>
          %zero = arith.constant -1.0 : f32
          %padded = "tensor.pad"(%x) <{static_low = array<i64: 1, 0>, static_high = array<i64: 0, 1>,
              operandSegmentSizes = array<i32: 1, 0, 0>}> ({
          ^bb0(%i: index, %j: index):
            "tensor.yield"(%zero) : (f32) -> ()
          }) : (tensor<2x3xf32>) -> tensor<3x4xf32>
          %joined = tensor.concat dim(1) %x, %x : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
          %cut = "tensor.extract_slice"(%x) <{static_offsets = array<i64: 0, 1>, static_sizes = array<i64: 2, 1>,
              static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 0, 0, 0>}>
              : (tensor<2x3xf32>) -> tensor<2xf32>
          %put = "tensor.insert_slice"(%cut, %x) <{static_offsets = array<i64: 0, 0>, static_sizes = array<i64: 2, 1>,
              static_strides = array<i64: 1, 1>, operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}>
              : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
          %w = arith.constant dense_resource<w> : tensor<1x2xf32>
          return %flat, %padded, %joined, %cut, %put, %w : tensor<6xf32>, tensor<3x4xf32>, tensor<2x6xf32>,
              tensor<2xf32>, tensor<2x3xf32>, tensor<1x2xf32>
        }
        """,
        x,
        resources=resources,
    )
    assert flat.tolist() == [0, 1, 2, 3, 4, 5]
    assert padded.tolist() == [[-1, -1, -1, -1], [0, 1, 2, -1], [3, 4, 5, -1]]
    assert joined.tolist() == [[0, 1, 2, 0, 1, 2], [3, 4, 5, 3, 4, 5]]
    assert cut.tolist() == [1, 4]
    assert put.tolist() == [[1, 1, 2], [4, 4, 5]]
    assert weights.tolist() == [[9, 8]]


def test_calls(run: Run) -> None:
    (found,) = run(
        """
        func.func private @double(%x: tensor<2xf32>) -> tensor<2xf32> {
          %y = tensor.map %x[i], %x[i] over (i: 2) : tensor<2xf32>, tensor<2xf32> -> tensor<2xf32> {
          ^bb0(%a: f32, %b: f32):
            %s = arith.addf %a, %b : f32
            tensor.yield %s : f32
          }
          return %y : tensor<2xf32>
        }
        func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
          %0 = func.call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
          %1 = func.call @double(%0) : (tensor<2xf32>) -> tensor<2xf32>
          return %1 : tensor<2xf32>
        }
        """,
        np.array([1, -2], np.float32),
    )
    assert found.tolist() == [4, -8]


def test_take_has_the_nearest_row(run: Run) -> None:
    x, rows = np.arange(12, dtype=np.float32).reshape(2, 3, 2), np.array([2, -1, -3, -4, 3, -(2**31)], np.int32)
    (found,) = run(
        """
        func.func @f(%x: tensor<2x3x2xf32>, %i: tensor<6xi32>) -> tensor<2x6x2xf32> {
          %y = tensor.take %x[b, i, n] at (i = %i[m]) over (b: 2, m: 6, n: 2)
              : tensor<2x3x2xf32>, tensor<6xi32> -> tensor<2x6x2xf32>
          return %y : tensor<2x6x2xf32>
        }
        """,
        x,
        rows,
    )
    np.testing.assert_array_equal(found, x[:, [2, 2, 0, 0, 2, 0]])


@pytest.mark.parametrize(("kind", "expected"), [("max", [True, False, False]), ("min", [True, True, False])])
def test_truth_values_are_signed(kind: str, expected: list[bool], run: Callable[..., list[Array]]) -> None:
    """True is -1: the greatest of true and false is false."""
    x = np.array([[True, True], [True, False], [False, False]])
    (found,) = run(
        f"""
        func.func @f(%x: tensor<3x2xi1>) -> tensor<3xi1> {{
          %y = tensor.reduce {kind} %x[m, k] over (m: 3) reduce (k: 2) : tensor<3x2xi1> -> tensor<3xi1>
          func.return %y : tensor<3xi1>
        }}
        """,
        x,
    )
    assert found.tolist() == expected


def test_every_second_element_of_a_slice(run: Callable[..., list[Array]]) -> None:
    x = np.arange(20, dtype=np.float32).reshape(2, 10)
    (found,) = run(
        """
        func.func @f(%x: tensor<2x10xf32>) -> tensor<1x4xf32> {
          %y = tensor.extract_slice %x[1, 1] [1, 4] [1, 2] : tensor<2x10xf32> to tensor<1x4xf32>
          func.return %y : tensor<1x4xf32>
        }
        """,
        x,
    )
    np.testing.assert_array_equal(found, x[1:2, 1:9:2])


def test_put_leaves_out_what_is_out_of_range(run: Run) -> None:
    x, rows = np.zeros((3, 2), np.float32), np.array([2, -1, 3, -4, 0, 2**31 - 1], np.int32)
    u = np.arange(12, dtype=np.float32).reshape(6, 2) + 1
    for kind, expected in (("set", [[9, 10], [0, 0], [3, 4]]), ("add", [[9, 10], [0, 0], [4, 6]])):
        (found,) = run(
            f"""
            func.func @f(%u: tensor<6x2xf32>, %x: tensor<3x2xf32>, %i: tensor<6xi32>) -> tensor<3x2xf32> {{
              %y = tensor.put {kind} %u into %x[i, n] at (i = %i[m]) over (m: 6, n: 2)
                  : tensor<6x2xf32>, tensor<3x2xf32>, tensor<6xi32> -> tensor<3x2xf32>
              return %y : tensor<3x2xf32>
            }}
            """,
            u,
            x,
            rows,
        )
        assert found.tolist() == expected


@pytest.mark.parametrize(("row", "column"), [(5, 0), (-1, 0), (0, 4)])
def test_an_element_that_is_not_there_is_undefined(row: int, column: int, run: Run) -> None:
    text = """
        func.func @f(%x: tensor<5x4xf32>, %at: tensor<2xi64>) -> tensor<f32> {
          %c0 = arith.constant 0 : index
          %c1 = arith.constant 1 : index
          %a = tensor.extract %at[%c0] : tensor<2xi64>
          %b = tensor.extract %at[%c1] : tensor<2xi64>
          %i = arith.index_cast %a : i64 to index
          %j = arith.index_cast %b : i64 to index
          %e = tensor.extract %x[%i, %j] : tensor<5x4xf32>
          %y = tensor.from_elements %e : tensor<f32>
          func.return %y : tensor<f32>
        }
    """
    x = np.arange(20, dtype=np.float32).reshape(5, 4)
    (found,) = run(text, x, np.array([4, 3]))
    assert found == x[4, 3]
    axis, number = (0, row) if not 0 <= row < 5 else (1, column)
    message = f"subscript {axis} runs from {number} to {number}, outside of tensor<5x4xf32>"
    with pytest.raises(InputsUndefined, match=message):
        run(text, x, np.array([row, column]))
