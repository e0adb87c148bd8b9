"""Each op of arith and math, on scalars and on vectors (through `vectorize`), against NumPy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mlc.passes.loop.vectorize import VectorizePass

Array = NDArray[Any]
Compiled = Callable[..., Callable[..., int]]
LANES = 16

FLOATS = np.array([0.0, -0.0, 1.5, -1.5, 2.5, -2.5, 1e30, -1e-30, 3.0, 7.25, -8.5, 0.1, 100.0, np.inf, -np.inf, np.nan])
INTS = np.array([0, 1, -1, 7, -7, 5, -5, 100, -100, 12, 3, -3, 8, -8, 2**30, -(2**31)])

NUMPY = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "i64": np.int64, "i1": np.bool_}


def divide(a: Array, b: Array) -> Array:
    return (np.sign(a) * np.sign(b) * (np.abs(a.astype(np.int64)) // np.abs(b.astype(np.int64)))).astype(a.dtype)


def remainder(a: Array, b: Array) -> Array:
    return (a - divide(a, b) * b).astype(a.dtype)


Unary = Callable[[Array], Array]
Binary = Callable[[Array, Array], Array]

UNARY_FLOAT: dict[str, Unary] = {
    "arith.negf": np.negative,
    "math.absf": np.abs,
    "math.ceil": np.ceil,
    "math.floor": np.floor,
    "math.trunc": np.trunc,
    "math.roundeven": np.rint,
    "math.sqrt": np.sqrt,
    "math.rsqrt": lambda a: np.ones_like(a) / np.sqrt(a),
}
BINARY_FLOAT: dict[str, Binary] = {
    "arith.addf": np.add,
    "arith.subf": np.subtract,
    "arith.mulf": np.multiply,
    "arith.divf": np.divide,
    "arith.maximumf": np.maximum,
    "arith.minimumf": np.minimum,
    "arith.maxnumf": np.fmax,
    "arith.minnumf": np.fmin,
    "math.copysign": np.copysign,
}
BINARY_INT: dict[str, Binary] = {
    "arith.addi": np.add,
    "arith.subi": np.subtract,
    "arith.muli": np.multiply,
    "arith.divsi": divide,
    "arith.remsi": remainder,
    "arith.floordivsi": np.floor_divide,
    "arith.ceildivsi": lambda a, b: -((-a.astype(np.int64)) // b).astype(a.dtype),
    "arith.maxsi": np.maximum,
    "arith.minsi": np.minimum,
    "arith.andi": np.bitwise_and,
    "arith.ori": np.bitwise_or,
    "arith.xori": np.bitwise_xor,
}
CASTS: dict[str, tuple[str, str]] = {
    "arith.sitofp": ("i32", "f32"),
    "arith.uitofp": ("i1", "f64"),
    "arith.extf": ("f32", "f64"),
    "arith.truncf": ("f64", "f32"),
    "arith.extsi": ("i32", "i64"),
    "arith.trunci": ("i64", "i32"),
    "arith.extui": ("i1", "i32"),
}


def leading_zeros(a: Array) -> Array:
    return np.array([32 - int(v & 0xFFFFFFFF).bit_length() for v in a.tolist()], np.int32)


def fma(a: Array, b: Array) -> Array:
    return (a.astype(np.float64) * b + a).astype(np.float32)


def bits(a: Array) -> Array:
    return a.view(np.int32)


def convert(kind: str) -> Unary:
    return lambda a: a.astype(NUMPY[kind])


Case = tuple[str, Sequence[str], str, Callable[..., Array]]
"""The op on %a and %b, the types of these, the type of the result, and what it should be."""
CASES: dict[str, Case] = {
    **{f"{op}_{t}": (f"{op} %a : {t}", (t,), t, f) for t in ("f32", "f64") for op, f in UNARY_FLOAT.items()},
    **{f"{op}_{t}": (f"{op} %a, %b : {t}", (t, t), t, f) for t in ("f32", "f64") for op, f in BINARY_FLOAT.items()},
    **{f"{op}_{t}": (f"{op} %a, %b : {t}", (t, t), t, f) for t in ("i32", "i64") for op, f in BINARY_INT.items()},
    **{op: (f"{op} %a : {a} to {b}", (a,), b, convert(b)) for op, (a, b) in CASTS.items()},
    "arith.bitcast": ("arith.bitcast %a : f32 to i32", ("f32",), "i32", bits),
    "math.fma": ("math.fma %a, %b, %a : f32", ("f32", "f32"), "f32", fma),
    "math.absi": ("math.absi %a : i32", ("i32",), "i32", np.abs),
    "math.ctlz": ("math.ctlz %a : i32", ("i32",), "i32", leading_zeros),
    "arith.xori_i1": ("arith.xori %a, %b : i1", ("i1", "i1"), "i1", np.logical_xor),
}
RUNS = [(name, form) for name in CASES for form in ("scalar", "vector")]


def kernel(name: str, case: Case, form: str) -> str:
    """A loop that applies one op to every element; the dim is what `vectorize` finds it by."""
    op, inputs, output, _ = case
    arguments = "".join(f"%{v}_: memref<{LANES}x{t}>, " for v, t in zip("ab", inputs, strict=False))
    loads = "\n".join(f"%{v} = loop.load %{v}_[%i] : memref<{LANES}x{t}>" for v, t in zip("ab", inputs, strict=False))
    return f"""
func.func private @{name}({arguments} %r_: memref<{LANES}x{output}>) {{
  loop.for parallel "{form}" %i = 0 to {LANES} {{
    {loads}
    %r = {op}
    loop.store %r, %r_[%i] : memref<{LANES}x{output}>
  }}
  func.return
}}"""


def symbol(name: str, form: str) -> str:
    return f"{name.replace('.', '_')}_{form}"


@pytest.fixture(scope="module")
def run(compiled: Compiled) -> Callable[..., int]:
    text = "".join(kernel(symbol(name, form), CASES[name], form) for name, form in RUNS)
    return compiled(text, VectorizePass(loops=("vector",)))


def values_of(kind: str, shift: int) -> Array:
    """Test data; second operands are never zero where they are integers."""
    if kind == "i1":
        return np.roll(np.arange(LANES) % 3 == 0, shift)
    if kind.startswith("f"):
        return np.roll(FLOATS, shift).astype(NUMPY[kind])
    rolled = np.roll(INTS, shift)
    return (np.where((rolled == 0) | (rolled == -1), 3, rolled) if shift else rolled).astype(NUMPY[kind])


@pytest.mark.parametrize(("name", "form"), RUNS)
def test_op(run: Callable[..., int], name: str, form: str) -> None:
    _, inputs, output, expected = CASES[name]
    arrays = [values_of(t, 5 * n) for n, t in enumerate(inputs)]
    result = np.empty(LANES, NUMPY[output])
    run(symbol(name, form), *arrays, result)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(result, expected(*arrays))


FLOAT_PREDICATES: dict[str, Binary] = {
    "oeq": np.equal,
    "une": np.not_equal,
    "olt": np.less,
    "ole": np.less_equal,
    "ogt": np.greater,
    "oge": np.greater_equal,
    "uno": lambda a, b: np.isnan(a) | np.isnan(b),
}
INT_PREDICATES: dict[str, Binary] = {
    "eq": np.equal,
    "ne": np.not_equal,
    "slt": np.less,
    "sge": np.greater_equal,
    "ult": lambda a, b: a.view(np.uint32) < b.view(np.uint32),
}


@pytest.mark.parametrize("form", ["scalar", "vector"])
def test_comparisons_and_selects(compiled: Compiled, form: str) -> None:
    def text(name: str, op: str, kind: str) -> str:
        memref = f"memref<{LANES}x{kind}>"
        return f"""
func.func private @{name}(%a: {memref}, %b: {memref}, %m: memref<{LANES}xi1>, %s: {memref}) {{
  loop.for parallel "i" %i = 0 to {LANES} {{
    %x = loop.load %a[%i] : {memref}
    %y = loop.load %b[%i] : {memref}
    %c = {op}, %x, %y : {kind}
    %r = arith.select %c, %x, %y : {kind}
    loop.store %c, %m[%i] : memref<{LANES}xi1>
    loop.store %r, %s[%i] : {memref}
  }}
  func.return
}}"""

    kernels = [text(p, f"arith.cmpf {p}", "f32") for p in FLOAT_PREDICATES]
    kernels += [text(p, f"arith.cmpi {p}", "i32") for p in INT_PREDICATES]
    run = compiled("".join(kernels), *([VectorizePass(loops=("i",))] if form == "vector" else []))
    for kind, predicates in (("f32", FLOAT_PREDICATES), ("i32", INT_PREDICATES)):
        a, b = values_of(kind, 0), np.where(np.arange(LANES) % 4 == 0, values_of(kind, 0), values_of(kind, 3))
        for name, expected in predicates.items():
            mask, chosen = np.empty(LANES, np.bool_), np.empty(LANES, a.dtype)
            run(name, a, b, mask, chosen)
            np.testing.assert_array_equal(mask, expected(a, b), err_msg=name)
            np.testing.assert_array_equal(chosen, np.where(expected(a, b), a, b), err_msg=name)
