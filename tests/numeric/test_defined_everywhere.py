"""What upstream leaves undefined has a value: divisions, shifts and conversions, in every lane and on every machine.

The oracle is Python's integers, which know no width.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import mlc
from mlc.reference.interpreter import run_function
from mlc.support.resources import Resources

Array = NDArray[Any]
Run = Callable[..., list[Array]]

DTYPES = {"i8": np.int8, "i32": np.int32, "i64": np.int64}
MACHINES = (("native", 0), ("native", 3), ("x86-64-v2", 3), ("aarch64", 3))


def _quotient(a: int, b: int, rounded: Callable[[int, int], int]) -> int:
    return 0 if b == 0 else rounded(a, b)


def _towards_zero(a: int, b: int) -> int:
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


def _ceiling(a: int, b: int) -> int:
    return -(-a // b)


def _signed(rounded: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, width: _quotient(a, b, rounded)


def _unsigned(meaning: Callable[[int, int], int]) -> Callable[[int, int, int], int]:
    return lambda a, b, width: meaning(a % (1 << width), b % (1 << width))


INTEGERS: dict[str, Callable[[int, int, int], int]] = {
    "divsi": _signed(_towards_zero),
    "floordivsi": _signed(lambda a, b: a // b),
    "ceildivsi": _signed(_ceiling),
    "remsi": lambda a, b, width: a - _quotient(a, b, _towards_zero) * b,
    "divui": _unsigned(lambda a, b: _quotient(a, b, _towards_zero)),
    "ceildivui": _unsigned(lambda a, b: _quotient(a, b, _ceiling)),
    "remui": _unsigned(lambda a, b: a % b if b else a),
    "shli": lambda a, b, width: a << min(b % (1 << width), width),
    "shrsi": lambda a, b, width: a >> min(b % (1 << width), width),
    "shrui": _unsigned(lambda a, b: a >> min(b, 200)),
}


def _wrapped(value: int, width: int) -> int:
    return (value + (1 << (width - 1))) % (1 << width) - (1 << (width - 1))


def _pairs(dtype: Any) -> tuple[Array, Array]:
    """All pairs of numbers that are special to a division or to a shift, an odd number of pairs."""
    least, most, width = np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).bits
    numbers = [0, 1, -1, 2, 7, -7, width - 1, width, width + 1, least, most, least + 1, -width]
    return (np.array(v, dtype) for v in zip(*((a, b) for a in numbers for b in numbers), strict=True))  # pyright: ignore


def _kernels(size: int, source: str, result: str, operands: int, ops: Sequence[str]) -> str:
    """`main` gives what each op makes of its inputs, vectors of a size that fills no vector of a machine."""
    given, made = f"tensor<{size}x{source}>", f"tensor<{size}x{result}>"
    names = [f"%x{i}" for i in range(operands)]
    text = ""
    arguments, types = ", ".join(f"{n}: {given}" for n in names), ", ".join([given] * operands)
    scalars = ", ".join(f"%s{i}" for i in range(operands))
    typed = ", ".join(f"%s{i}: {source}" for i in range(operands))
    for i, op in enumerate(ops):
        kind = source if source == result else f"{source} to {result}"
        text += f"""
func.func private @k{i}({arguments}) -> {made} {{
  %0 = tensor.map {", ".join(f"{n}[n]" for n in names)} over (n: {size}) : {types} -> {made} {{
  ^bb0({typed}):
    %1 = arith.{op} {scalars} : {kind}
    tensor.yield %1 : {result}
  }}
  return %0 : {made}
}}
"""
    calls = [f"%y{i} = func.call @k{i}({', '.join(names)}) : ({types}) -> {made}" for i in range(len(ops))]
    results = ", ".join(f"%y{i}" for i in range(len(ops)))
    kinds = ", ".join([made] * len(ops))
    body = "\n  ".join(calls)
    return f"{text}func.func @main({arguments}) -> ({kinds}) {{\n  {body}\n  return {results} : {kinds}\n}}\n"


@pytest.mark.parametrize(("target", "opt_level"), MACHINES)
@pytest.mark.parametrize("element", DTYPES)
def test_integers(element: str, target: str, opt_level: int, run_compiled: Run) -> None:
    dtype = DTYPES[element]
    width = np.iinfo(dtype).bits
    a, b = _pairs(dtype)
    module = mlc.parse(_kernels(len(a), element, element, 2, list(INTEGERS)))
    found = run_compiled(module.clone(), [a, b], target, opt_level)
    reference = run_function(module, "main", [a, b], Resources())
    for meaning, got, meant in zip(INTEGERS.values(), found, reference, strict=True):
        expected = [_wrapped(meaning(x, y, width), width) for x, y in zip(a.tolist(), b.tolist(), strict=True)]
        np.testing.assert_array_equal(meant, expected)
        np.testing.assert_array_equal(got, expected)


def _nearest(x: float, least: int, most: int) -> int:
    if math.isnan(x):
        return 0
    return least if x < least else most if x > most else min(max(math.trunc(x), least), most)


@pytest.mark.parametrize(("target", "opt_level"), MACHINES)
@pytest.mark.parametrize("element", DTYPES)
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_to_integers(source: str, element: str, target: str, opt_level: int, run_compiled: Run) -> None:
    width = np.iinfo(DTYPES[element]).bits
    powers = [s * 2.0**e for e in (7, 8, 31, 32, 63, 64, 100) for s in (1, -1)]
    numbers = [
        0.0,
        -0.0,
        0.9,
        -0.9,
        1.5,
        -1.5,
        -127.6,
        -128.5,
        255.5,
        math.inf,
        -math.inf,
        math.nan,
        -5e9,
        3e9,
        *powers,
    ]
    x = np.array([*numbers, *np.nextafter(np.array(powers, np.float32), 0)], "f4" if source == "f32" else "f8")
    module = mlc.parse(_kernels(len(x), source, element, 1, ["fptosi", "fptoui"]))
    ranges = [(-1 << (width - 1), (1 << (width - 1)) - 1), (0, (1 << width) - 1)]
    found = run_compiled(module.clone(), [x], target, opt_level)
    reference = run_function(module, "main", [x], Resources())
    for (least, most), got, meant in zip(ranges, found, reference, strict=True):
        expected = [_wrapped(_nearest(v, least, most), width) for v in x.tolist()]
        np.testing.assert_array_equal(meant, expected)
        np.testing.assert_array_equal(got, expected)


BITS = ("divsi", "divui", "remsi", "remui", "floordivsi", "ceildivsi", "ceildivui", "shli", "shrsi", "shrui")


@pytest.mark.parametrize("opt_level", [0, 3])
def test_bits(opt_level: int, run_compiled: Run) -> None:
    """Of `i1`, whose one bit is -1 to a signed op and 1 to others."""
    a, b = np.array([0, 0, 1, 1, 0], bool), np.array([0, 1, 0, 1, 1], bool)
    module = mlc.parse(_kernels(5, "i1", "i1", 2, BITS))
    found = run_compiled(module.clone(), [a, b], "native", opt_level)
    reference = run_function(module, "main", [a, b], Resources())
    quotient, remainder = [0, 0, 0, 1, 0], [0, 0, 1, 0, 0]
    shifted = [[0, 0, 1, 0, 0], [0, 0, 1, 1, 0], [0, 0, 1, 0, 0]]
    expected = [quotient] * 2 + [remainder] * 2 + [quotient] * 3 + shifted
    for got, meant, wanted in zip(found, reference, expected, strict=True):
        assert meant.astype(int).tolist() == wanted
        assert got.astype(int).tolist() == wanted


@pytest.mark.parametrize("target", ["native", "x86-64-v2", "aarch64"])
def test_a_division_behind_a_product(target: str, run_compiled: Run) -> None:
    """Five columns in a vector of eight lanes: the divisors of the lanes that nobody reads are zeros."""
    text = """
    func.func private @k(%x: tensor<4x8xi32>, %w: tensor<8x5xi32>, %d: tensor<5xi32>) -> tensor<4x5xi32> {
      %0 = tensor.contract %x[m, k], %w[k, n] over (m: 4, n: 5) reduce (k: 8)
        : tensor<4x8xi32>, tensor<8x5xi32> -> tensor<4x5xi32>
      %1 = tensor.map %0[m, n], %d[n] over (m: 4, n: 5) : tensor<4x5xi32>, tensor<5xi32> -> tensor<4x5xi32> {
      ^bb0(%a: i32, %b: i32):
        %2 = arith.divsi %a, %b : i32
        tensor.yield %2 : i32
      }
      return %1 : tensor<4x5xi32>
    }
    func.func @main(%x: tensor<4x8xi32>, %w: tensor<8x5xi32>, %d: tensor<5xi32>) -> tensor<4x5xi32> {
      %0 = func.call @k(%x, %w, %d) : (tensor<4x8xi32>, tensor<8x5xi32>, tensor<5xi32>) -> tensor<4x5xi32>
      return %0 : tensor<4x5xi32>
    }
    """
    x, w = np.arange(-16, 16, dtype=np.int32).reshape(4, 8), np.arange(-20, 20, dtype=np.int32).reshape(8, 5)
    d = np.array([3, -7, 1, -1, 2], np.int32)
    (found,) = run_compiled(mlc.parse(text), [x, w, d], target)
    np.testing.assert_array_equal(found, np.trunc(x @ w / d).astype(np.int32))
