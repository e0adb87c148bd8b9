"""Types whose elements are codes, in native code: conversions of every code and of many numbers, moves, and floats that
are computed with in f32.

The reference is what they are held against; tests/unit/reference/test_codes.py holds that against ml_dtypes and xDSL.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ReducedPrecisionFloatType

import mlc
from mlc.reference.interpreter import run_function
from mlc.support.dtypes import STORED_TYPES, ElementType, bits_of, dtype_named, is_float
from mlc.support.resources import Resources

Array = NDArray[Any]
FLOATS = [e for e in STORED_TYPES if isinstance(e.type, ReducedPrecisionFloatType)]


def _codes(element: ElementType) -> Array:
    """Every element of a type."""
    dtype = dtype_named(element.dtype)
    return np.arange(1 << bits_of(dtype), dtype=np.uint8).view(dtype)


def _halves() -> Array:
    return np.arange(1 << 16, dtype=np.uint16).view(np.float16)


def _singles() -> Array:
    """Every f16, its neighbours among the f32, powers of two, what lies between them, and random bits."""
    exact = np.concatenate([_halves().astype(np.float32), np.ldexp(np.float32(1), np.arange(-149, 128))])
    exact = np.concatenate([exact, np.ldexp(np.float32(1.5), np.arange(-148, 127))])
    random = np.random.default_rng(0).integers(0, 1 << 32, 20_000, np.uint32).view(np.float32)
    up, down = np.nextafter(exact, np.float32(np.inf)), np.nextafter(exact, np.float32(-np.inf))
    return np.concatenate([exact, up, down, random]).astype(np.float32)


def _doubles(element: ElementType) -> Array:
    """The middles between neighbours, and what is so near to them that an f32 cannot tell."""
    numbers = np.sort(_codes(element).astype(np.float64))
    numbers = numbers[np.isfinite(numbers)]
    middles = (numbers[1:] + numbers[:-1]) / 2
    return np.concatenate([middles, middles * (1 + 2.0**-50), middles * (1 - 2.0**-50)])


def _same(found: Array, wanted: Array) -> Array:
    """Which elements are equal to the bit; one NaN is like another."""
    return (found.view(np.uint8) == wanted.view(np.uint8)) | ((found != found) & (wanted != wanted))


def _conversions(source: str, count: int, elements: list[ElementType]) -> str:
    """`main` takes numbers and all codes of each type, and gives codes and numbers."""
    arguments, ops, results = [f"%x: tensor<{count}x{source}>"], "", list[str]()
    for i, e in enumerate(elements):
        codes = len(_codes(e))
        arguments.append(f"%c{i}: tensor<{codes}x{e.type}>")
        ops += f"  %a{i} = graph.cast %x : tensor<{count}x{source}> -> tensor<{count}x{e.type}>\n"
        ops += f"  %b{i} = graph.cast %c{i} : tensor<{codes}x{e.type}> -> tensor<{codes}x{source}>\n"
        results += [f"tensor<{count}x{e.type}>", f"tensor<{codes}x{source}>"]
    names, types = ", ".join(f"%a{i}, %b{i}" for i in range(len(elements))), ", ".join(results)
    return f"func.func @main({', '.join(arguments)}) -> ({types}) {{\n{ops}  return {names} : {types}\n}}\n"


def _numbers(source: str) -> Array:
    if source in ("f16", "f32"):
        return _halves() if source == "f16" else _singles()
    if source == "f64":
        return np.concatenate([_singles().astype(np.float64)[::7], *(_doubles(e) for e in FLOATS)])
    dtype = np.dtype({"i1": "bool", "i8": "int8", "ui8": "uint8", "i32": "int32", "ui64": "uint64"}[source])
    if source == "i1":
        return np.array([True, False])
    if dtype.itemsize == 1:
        return np.arange(256, dtype=np.uint8).view(dtype)
    bits = np.random.default_rng(0).integers(0, 1 << 63, 5000, np.uint64) >> np.arange(5000, dtype=np.uint64) % 63
    return np.concatenate([bits, ~bits, np.arange(40, dtype=np.uint64)]).astype(dtype)


@pytest.mark.sampled(4)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("f32", "native"),
        *((source, "native") for source in ("f16", "f64", "i1", "i8", "ui8", "i32", "ui64")),
        *(("f64", target) for target in ("x86-64-v2", "aarch64")),
    ],
)
def test_native_code_converts_as_the_reference_does(
    source: str, target: str, run_compiled: Callable[..., list[Array]]
) -> None:
    elements = list(STORED_TYPES)
    x = _numbers(source)
    module = mlc.parse(_conversions(source, len(x), elements))
    inputs = [x, *map(_codes, elements)]
    wanted = run_function(module, "main", inputs, Resources())
    found = run_compiled(module, inputs, target, 3)
    for element, a, b in zip([e for e in elements for _ in range(2)], found, wanted, strict=True):
        assert a.dtype == b.dtype and a.shape == b.shape
        right = _same(a, b) if a.dtype == dtype_named(element.dtype) else (a == b) | ((a != a) & (b != b))
        assert right.all(), (str(element.type), np.argwhere(~right)[:3], a[~right][:5], b[~right][:5])


_MOVES = """
func.func @main(%x: tensor<2x3x{0}>, %n: tensor<{0}>, %e: tensor<0x3x{0}>, %c: tensor<2x3xi1>)
    -> (tensor<3x4x{0}>, tensor<2x3x{0}>, tensor<{0}>, tensor<0x3x{0}>, tensor<2x3x{0}>) {{
  %one = graph.constant dense<1.0> : tensor<2x3x{0}>
  %k = graph.concat %x, %x axis 0 : tensor<2x3x{0}>, tensor<2x3x{0}> -> tensor<4x3x{0}>
  %t = graph.transpose %k [1, 0] : tensor<4x3x{0}> -> tensor<3x4x{0}>
  %b = graph.broadcast %n : tensor<{0}> -> tensor<2x3x{0}>
  %w = graph.where %c, %x, %one : tensor<2x3xi1>, tensor<2x3x{0}>, tensor<2x3x{0}> -> tensor<2x3x{0}>
  return %t, %b, %n, %e, %w : tensor<3x4x{0}>, tensor<2x3x{0}>, tensor<{0}>, tensor<0x3x{0}>, tensor<2x3x{0}>
}}
"""


@pytest.mark.parametrize("element", STORED_TYPES, ids=lambda e: str(e.type))
def test_moves_keep_codes(element: ElementType) -> None:
    dtype = dtype_named(element.dtype)
    x = np.random.default_rng(0).integers(0, 1 << bits_of(dtype), (2, 3), np.uint8).view(dtype)
    n, empty, c = x[1:, 1].reshape(()), np.zeros((0, 3), dtype), np.array([[1, 0, 1], [0, 1, 0]], bool)
    text = _MOVES.format(element.type)
    model = mlc.compile(text if is_float(dtype) else text.replace("1.0", "1"))
    found = model(x, n, empty, c)
    wanted = [np.concatenate([x, x]).T, np.broadcast_to(n, (2, 3)), n, empty, np.where(c, x, np.ones((), dtype))]
    for a, b in zip(found, wanted, strict=True):
        assert a.dtype == dtype and a.shape == b.shape
        assert a.tobytes() == np.asarray(b, order="C").tobytes()


_COMPUTED = """
func.func @main(%x: tensor<{count}x{type}>, %y: tensor<{count}x{type}>, %m: tensor<5x7x{type}>, %k: tensor<7x3x{type}>)
    -> ({results}) {{
{ops}  return {names} : {results}
}}
"""
_ROUNDED: dict[str, Callable[[Array, Array], Array]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "max": lambda a, b: np.where((a == 0) & (b == 0), a + b, np.maximum(a, b)),  # 0 is more than -0
    "min": lambda a, b: np.where((a == 0) & (b == 0), -(-a - b), np.minimum(a, b)),
}


def _computed(element: ElementType, count: int) -> str:
    """All ops of `_ROUNDED`, each on its own, `-x`, `sqrt(x)`, a comparison, and what sums."""
    kind, whole = element.type, f"tensor<{count}x{element.type}>"
    ops = [(f"{name} %x, %y : {whole}, {whole} -> {whole}", whole) for name in _ROUNDED]
    ops += [(f"neg %x : {whole}", whole), (f"sqrt %x : {whole}", whole)]
    ops.append((f"compare lt, %x, %y : {whole}, {whole} -> tensor<{count}xi1>", f"tensor<{count}xi1>"))
    ops.append((f"matmul %m, %k : tensor<5x7x{kind}>, tensor<7x3x{kind}> -> tensor<5x3x{kind}>", f"tensor<5x3x{kind}>"))
    ops.append((f"reduce max %m axes [1] : tensor<5x7x{kind}> -> tensor<5x{kind}>", f"tensor<5x{kind}>"))
    ops.append((f"reduce sum %m axes [0] : tensor<5x7x{kind}> -> tensor<7x{kind}>", f"tensor<7x{kind}>"))
    lines = "".join(f"  %r{i} = graph.{op}\n" for i, (op, _) in enumerate(ops))
    names, results = ", ".join(f"%r{i}" for i in range(len(ops))), ", ".join(result for _, result in ops)
    return _COMPUTED.format(count=count, type=kind, ops=lines, names=names, results=results)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("element", FLOATS, ids=lambda e: str(e.type))
def test_floats_are_computed_with_in_f32_and_rounded_once(
    element: ElementType, run_compiled: Callable[..., list[Array]]
) -> None:
    """Every pair of codes, but for every seventh of those of eight bits."""
    dtype = dtype_named(element.dtype)
    codes = _codes(element)[:: 1 if bits_of(dtype) < 8 else 7]
    x, y = (np.ascontiguousarray(v.reshape(-1)) for v in np.meshgrid(codes, codes))
    # Sums of few small numbers are exact in f32, whatever their order.
    small = np.array([0.5, 1, 2, 4], np.float32).astype(dtype)
    draw = np.random.default_rng(0)
    m, k = draw.choice(small, (5, 7)), draw.choice(small, (7, 3))
    wide = [v.astype(np.float32) for v in (x, y, m, k)]
    with np.errstate(all="ignore"):
        wanted = [f(wide[0], wide[1]) for f in _ROUNDED.values()]
        wanted += [-wide[0], np.sqrt(wide[0]), wide[0] < wide[1], wide[2] @ wide[3], wide[2].max(1), wide[2].sum(0)]
        wanted = [v if v.dtype == bool else v.astype(dtype) for v in wanted]
    module = mlc.parse(_computed(element, len(x)))
    runs = {"reference": run_function(module, "main", [x, y, m, k], Resources())}
    runs |= {f"-O{level}": run_compiled(module, [x, y, m, k], "native", level) for level in (0, 3)}
    for where, found in runs.items():
        for number, (a, b) in enumerate(zip(found, wanted, strict=True)):
            assert a.dtype == b.dtype and a.shape == b.shape
            right = _same(a, b)
            assert right.all(), (where, number, np.argwhere(~right)[:3], a[~right][:5], b[~right][:5])
