"""Ops on vectors against NumPy: masks, shuffles, elements, reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from mlc.support.errors import UserError

Compiled = Callable[..., Callable[..., int]]
Lower = Callable[..., ModuleOp]


@pytest.mark.parametrize("count", [-3, 0, 1, 7, 16, 40])
def test_masked_copy(compiled: Compiled, count: int) -> None:
    run = compiled("""
func.func private @k(%x: memref<16xf32>, %y: memref<16xf32>, %n: index) {
  %zero = arith.constant 0 : index
  %pass = arith.constant dense<7.0> : vector<16xf32>
  %m = vector.create_mask %n : vector<16xi1>
  %a = vector.maskedload %x[%zero], %m, %pass : memref<16xf32>, vector<16xi1>, vector<16xf32> into vector<16xf32>
  %two = arith.addf %a, %a : vector<16xf32>
  vector.maskedstore %y[%zero], %m, %two : memref<16xf32>, vector<16xi1>, vector<16xf32>
  func.return
}""")
    x, y = np.arange(16, dtype=np.float32), np.full(16, -1, np.float32)
    run("k", x, y, count)
    np.testing.assert_array_equal(y, np.where(np.arange(16) < count, 2 * x, -1))


def test_shuffles_and_elements(compiled: Compiled) -> None:
    run = compiled("""
func.func private @k(%x: memref<8xi32>, %y: memref<8xi32>, %p: index) {
  %zero = arith.constant 0 : index
  %a = vector.load %x[%zero] : memref<8xi32>, vector<4xi32>
  %b = loop.load %x[4] : memref<8xi32>, vector<4xi32>
  %s = vector.shuffle %a, %b [7, 0, 6, 1, 5, 2, 4, 3] : vector<4xi32>, vector<4xi32>
  %e = vector.extract %s[2] : i32 from vector<8xi32>
  %d = vector.extract %s[%p] : i32 from vector<8xi32>
  %sum = arith.addi %e, %d : i32
  %t = vector.insert %sum, %s[0] : i32 into vector<8xi32>
  vector.store %t, %y[%zero] : memref<8xi32>, vector<8xi32>
  func.return
}
func.func private @uneven(%x: memref<8xi32>, %y: memref<8xi32>) {
  %zero = arith.constant 0 : index
  %a = vector.load %x[%zero] : memref<8xi32>, vector<4xi32>
  %b = loop.load %x[4] : memref<8xi32>, vector<2xi32>
  %s = vector.shuffle %a, %b [0, 1, 2, 3, 4, 5, 5, 4] : vector<4xi32>, vector<2xi32>
  vector.store %s, %y[%zero] : memref<8xi32>, vector<8xi32>
  func.return
}
func.func private @bits(%x: memref<8xi32>, %y: memref<8xf32>) {
  %a = loop.load %x[0] : memref<8xi32>, vector<8xi32>
  %b = vector.bitcast %a : vector<8xi32> to vector<8xf32>
  loop.store %b, %y[0] : memref<8xf32>, vector<8xf32>
  func.return
}""")
    x, y = np.arange(8, dtype=np.int32), np.empty(8, np.int32)
    run("k", x, y, 4)
    np.testing.assert_array_equal(y, [6 + 5, 0, 6, 1, 5, 2, 4, 3])
    run("uneven", x, y)
    np.testing.assert_array_equal(y, [0, 1, 2, 3, 4, 5, 5, 4])
    floats = np.empty(8, np.float32)
    run("bits", x, floats)
    np.testing.assert_array_equal(floats.view(np.int32), x)


FLOAT_KINDS: dict[str, Callable[[Any], Any]] = {
    "add": np.sum,
    "mul": np.prod,
    "maximumf": np.max,
    "minimumf": np.min,
    "maxnumf": np.max,
    "minnumf": np.min,
}
INT_KINDS: dict[str, Callable[[Any], Any]] = {
    "add": np.sum,
    "mul": np.prod,
    "maxsi": np.max,
    "minsi": np.min,
    "and": np.bitwise_and.reduce,
    "or": np.bitwise_or.reduce,
    "xor": np.bitwise_xor.reduce,
}


@pytest.mark.parametrize("lanes", [1, 4, 7, 16])
def test_reductions(compiled: Compiled, lanes: int) -> None:
    def text(name: str, kind: str, element: str, acc: str) -> str:
        vector = f"vector<{lanes}x{element}>"
        return f"""
func.func private @{name}(%x: memref<{lanes}x{element}>, %y: memref<1x{element}>) {{
  %a = loop.load %x[0] : memref<{lanes}x{element}>, {vector}
  %c = arith.constant {acc} : {element}
  %r = vector.reduction <{kind}>, %a, %c : {vector} into {element}
  %s = vector.reduction <{kind}>, %a : {vector} into {element}
  %t = arith.{"addf" if element == "f32" else "addi"} %r, %s : {element}
  loop.store %t, %y[0] : memref<1x{element}>
  func.return
}}"""

    run = compiled(
        "".join(text(f"f_{k}", k, "f32", "3.0") for k in FLOAT_KINDS)
        + "".join(text(f"i_{k}", k, "i32", "3") for k in INT_KINDS)
    )
    for prefix, kinds, dtype in (("f", FLOAT_KINDS, np.float32), ("i", INT_KINDS, np.int32)):
        x = (np.arange(lanes) % 5 + 1).astype(dtype)
        for kind, expected in kinds.items():
            y = np.empty(1, dtype)
            run(f"{prefix}_{kind}", x, y)
            assert y[0] == expected(np.append(x, dtype(3))) + expected(x), kind


def test_sums_have_a_fixed_order(compiled: Compiled) -> None:
    """Halves are added: (x0 + x2) + (x1 + x3), which no other order of these numbers equals."""
    run = compiled("""
func.func private @k(%x: memref<4xf32>, %y: memref<1xf32>) {
  %a = loop.load %x[0] : memref<4xf32>, vector<4xf32>
  %r = vector.reduction <add>, %a : vector<4xf32> into f32
  loop.store %r, %y[0] : memref<1xf32>
  func.return
}""")
    x, y = np.array([1e8, 1.0, -1e8, 1.0], np.float32), np.empty(1, np.float32)
    run("k", x, y)
    assert y[0] == 2.0


def test_more_dimensions_are_refused(lower: Lower) -> None:
    with pytest.raises(UserError, match=r"vector<2x2xf32> is not a vector of one dimension"):
        lower("""
func.func private @k(%x: f32) {
  %a = vector.broadcast %x : f32 to vector<2x2xf32>
  func.return
}""")
