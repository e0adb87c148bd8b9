"""Loads and stores of vectors, against a list of the elements that their lanes stand for."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.reference.execution import UndefinedBehavior

Array = NDArray[Any]
Run = Callable[..., list[Array]]

X = np.arange(48, dtype=np.float32).reshape(6, 8) + 1


def _load(where: str, to: str = "%y[0]") -> str:
    return f"""
        func.func private @f(%x: memref<6x8xf32>, %y: memref<8xf32> {{mlc.output}}) {{
          %v = loop.load %x{where} : memref<6x8xf32>, vector<4xf32>
          loop.store %v, {to} : memref<8xf32>, vector<4xf32>
          func.return
        }}
    """


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("[1, 2]", X[1, 2:6]),
        ("[1, 1] stride 2", X[1, 1:8:2]),
        ("[1, 2] along 0", X[1:5, 2]),
        ("[0, 7] along 0 stride 1", X[0:4, 7]),
        ("[1, 5] active 3", [*X[1, 5:8], 0]),
        ("[2, 1] stride 3 active 3", [X[2, 1], X[2, 4], X[2, 7], 0]),
        ("[1, 7] along 0 stride 2 active 3", [X[1, 7], X[3, 7], X[5, 7], 0]),
    ],
)
def test_loaded_lanes(where: str, expected: Any, run: Run) -> None:
    """Lanes that are not active are 0, and read nothing."""
    (found,) = run(_load(where), X)
    np.testing.assert_array_equal(found[:4], expected)


@pytest.mark.parametrize(
    ("where", "written"),
    [
        ("[2]", [2, 3, 4, 5]),
        ("[1] stride 2", [1, 3, 5, 7]),
        ("[5] active 3", [5, 6, 7]),
        ("[1] stride 3 active 2", [1, 4]),
    ],
)
def test_stored_lanes(where: str, written: list[int], run: Run) -> None:
    """The first lanes are active; nobody has written the rest, which is NaN."""
    (found,) = run(_load("[0, 0]", f"%y{where}"), X)
    expected = np.full(8, np.nan, np.float32)
    expected[written] = X[0, : len(written)]
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("[0, 5]", "subscript 1 runs from 5 to 5 for 4 elements"),
        ("[0, 2] stride 2", "subscript 1 runs from 2 to 2 for 4 elements"),
        ("[3, 0] along 0", "subscript 0 runs from 3 to 3 for 4 elements"),
        ("[2, 0] along 0 stride 2 active 3", "subscript 0 runs from 2 to 2 for 3 elements"),
        ("[0, 6] active 3", "subscript 1 runs from 6 to 6 for 3 elements"),
        ("[0 - 1, 0] along 0", "subscript 0 runs from -1 to -1 for 4 elements"),
    ],
)
def test_lanes_outside_of_the_buffer(where: str, message: str, run: Run) -> None:
    with pytest.raises(UndefinedBehavior, match=f"loop.load: {message}, outside of memref<6x8xf32>"):
        run(_load(where), X)


def test_lanes_of_iterations(run: Run) -> None:
    """Each iteration has lanes of its own, down a column of a buffer of its own."""
    (found,) = run(
        """
        func.func private @f(%x: memref<6x8xf32>, %y: memref<3x8xf32> {mlc.output}) {
          loop.for parallel "m" %m = 0 to 3 {
            %t = memref.alloc() : memref<4x2xf32>
            %v = loop.load %x[%m, %m] stride 2 active 2 : memref<6x8xf32>, vector<4xf32>
            loop.store %v, %t[0, 1] along 0 : memref<4x2xf32>, vector<4xf32>
            loop.for parallel "n" %n = 0 to 4 {
              %a = loop.load %t[%n, 1] : memref<4x2xf32>
              loop.store %a, %y[%m, %n] : memref<3x8xf32>
            }
          }
          func.return
        }
        """,
        X,
    )
    np.testing.assert_array_equal(found[:, :4], [[X[m, m], X[m, m + 2], 0, 0] for m in range(3)])


def test_unwritten_truth_values_are_true(run: Run) -> None:
    """Like all bits that nobody has written."""
    (found,) = run("func.func private @f(%y: memref<3xi1> {mlc.output}) { func.return }")
    assert found.tolist() == [True] * 3
