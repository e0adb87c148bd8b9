"""Models over one integer type, and what Python's integers, which know no width, say that they compute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True)
class Integer:
    """An integer type: `i8`, or `ui8` if it has no sign."""

    name: str

    @property
    def signed(self) -> bool:
        return self.name.startswith("i")

    @property
    def width(self) -> int:
        return int(self.name.lstrip("ui"))

    @property
    def dtype(self) -> np.dtype[Any]:
        return np.dtype(f"{'int' if self.signed else 'uint'}{self.width}")

    @property
    def least(self) -> int:
        return -(1 << (self.width - 1)) if self.signed else 0

    @property
    def most(self) -> int:
        return self.least + (1 << self.width) - 1

    def wrapped(self, values: Array) -> Array:
        """Integers of any size, modulo 2^width."""
        return (((values - self.least) % (1 << self.width)) + self.least).astype(self.dtype)

    def values(self) -> Array:
        """All of an 8-bit type; of wider ones, those at the ends of this and of narrower types."""
        if self.width == 8:
            return np.arange(self.least, self.most + 1).astype(self.dtype)
        ends = {
            s * (1 << b) + d for b in (0, 7, 8, 15, 16, 24, 31, 32, 53, 63, 64) for s in (1, -1) for d in (-1, 0, 1)
        }
        chosen = {0, 1, 2, 7, self.least, self.most, *(e for e in ends if self.least <= e <= self.most)}
        return np.array(sorted(chosen), self.dtype)


def exact(array: Array) -> Any:
    """The same numbers as Python integers."""
    return array.astype(object)


def _quotient(a: Any, b: Any) -> Any:
    safe = np.where(b == 0, 1, b)
    return np.where(b == 0, 0, abs(a) // abs(safe) * np.where((a < 0) == (b < 0), 1, -1))


def _modulo(a: Any, b: Any) -> Any:
    where = cast(Any, np.where)
    return where(b == 0, a, a - a // where(b == 0, 1, b) * b)


def _power(kind: Integer, a: Any, b: Any) -> Any:
    def power(x: int, y: int) -> int:
        if y < 0:
            return int(x ** (y % 2)) if abs(x) == 1 else 0
        return pow(x, y, 1 << kind.width)

    return np.frompyfunc(power, 2, 1)(a, b)


def _shift(kind: Integer, a: Any, places: Any, left: bool) -> Any:
    moved = np.minimum(places % (1 << kind.width), kind.width)
    return a << moved if left else a >> moved


BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": _quotient,
    "rem": lambda a, b: a - _quotient(a, b) * b,
    "mod": _modulo,
    "max": np.maximum,
    "min": np.minimum,
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
UNARY: dict[str, Callable[[Any], Any]] = {
    "neg": lambda a: -a,
    "abs": abs,
    "relu": lambda a: np.maximum(a, 0),
    "not": lambda a: ~a,
    "sign": np.sign,
}
COMPARE: dict[str, Callable[[Any, Any], Any]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
}


def binary_of(kind: Integer) -> dict[str, Callable[[Any, Any], Any]]:
    """`BINARY`, and what depends on the width itself."""
    return {
        **BINARY,
        "pow": partial(_power, kind),
        "shl": partial(_shift, kind, left=True),
        "shr": partial(_shift, kind, left=False),
    }


def unary_of(kind: Integer) -> dict[str, Callable[[Any], Any]]:
    """Those of `UNARY` that there are for the type."""
    return {name: f for name, f in UNARY.items() if kind.signed or name != "neg"}


def pairs(kind: Integer) -> tuple[Array, Array]:
    """All pairs of `kind.values()`."""
    values = kind.values()
    return np.repeat(values, values.size), np.tile(values, values.size)


def elementwise_model(kind: Integer) -> str:
    """`main(%a, %b)` gives `binary_of`, `unary_of`, `COMPARE`, and a `where` of the last comparison, in this order."""
    t = f"tensor<{kind.values().size ** 2}x{kind.name}>"
    m = t.replace(kind.name, "i1")
    lines = [f"%{op} = graph.{op} %a, %b : {t}, {t} -> {t}" for op in binary_of(kind)]
    lines += [f"%{op} = graph.{op} %a : {t}" for op in unary_of(kind)]
    lines += [f"%{p} = graph.compare {p}, %a, %b : {t}, {t} -> {m}" for p in COMPARE]
    lines.append(f"%where = graph.where %ge, %a, %b : {m}, {t}, {t} -> {t}")
    names = ", ".join(f"%{name}" for name in (*binary_of(kind), *unary_of(kind), *COMPARE, "where"))
    types = ", ".join([t] * (len(binary_of(kind)) + len(unary_of(kind))) + [m] * len(COMPARE) + [t])
    return _function(f"%a: {t}, %b: {t}", lines, names, types)


def elementwise_expected(kind: Integer, a: Array, b: Array) -> list[Array]:
    """What `elementwise_model` computes."""
    x, y = exact(a), exact(b)
    numbers = [kind.wrapped(f(x, y)) for f in binary_of(kind).values()] + [
        kind.wrapped(f(x)) for f in unary_of(kind).values()
    ]
    masks = [f(x, y).astype(bool) for f in COMPARE.values()]
    return [*numbers, *masks, np.maximum(a, b)]


def structured_model(kind: Integer) -> str:
    """`main` gives products, windows, reductions and rearrangements of its inputs."""
    k = kind.name
    return f"""func.func @main(%x: tensor<9x21x{k}>, %y: tensor<21x35x{k}>, %image: tensor<1x5x9x11x{k}>,
    %kernel: tensor<6x5x3x3x{k}>, %rows: tensor<7xi64>)
    -> (tensor<9x35x{k}>, tensor<1x6x5x6x{k}>, tensor<1x5x5x5x{k}>, tensor<9x{k}>, tensor<21x{k}>, tensor<9x{k}>,
        tensor<21x{k}>, tensor<9xi64>, tensor<21xi64>, tensor<10x24x{k}>, tensor<7x21x{k}>, tensor<21x9x{k}>,
        tensor<18x20x{k}>, tensor<4x9x{k}>, tensor<9x21x{k}>) {{
  %matmul = graph.matmul %x, %y : tensor<9x21x{k}>, tensor<21x35x{k}> -> tensor<9x35x{k}>
  %conv = graph.conv2d %image, %kernel {{padding = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>}}
      : tensor<1x5x9x11x{k}>, tensor<6x5x3x3x{k}> -> tensor<1x6x5x6x{k}>
  %pool = graph.max_pool2d %image {{kernel = array<i64: 2, 3>, padding = array<i64: 1, 0, 0, 0>,
      strides = array<i64: 2, 2>}} : tensor<1x5x9x11x{k}> -> tensor<1x5x5x5x{k}>
  %sum = graph.reduce sum %x axes [1] : tensor<9x21x{k}> -> tensor<9x{k}>
  %prod = graph.reduce prod %x axes [0] : tensor<9x21x{k}> -> tensor<21x{k}>
  %max = graph.reduce max %x axes [1] : tensor<9x21x{k}> -> tensor<9x{k}>
  %min = graph.reduce min %x axes [0] : tensor<9x21x{k}> -> tensor<21x{k}>
  %argmax = graph.argmax %x axis 1 : tensor<9x21x{k}> -> tensor<9xi64>
  %argmin = graph.argmin %x axis 0 : tensor<9x21x{k}> -> tensor<21xi64>
  %pad = graph.pad %x low [0, 1] high [1, 2] with {kind.most} : {k} : tensor<9x21x{k}> -> tensor<10x24x{k}>
  %gather = graph.gather %x, %rows axis 0 : tensor<9x21x{k}>, tensor<7xi64> -> tensor<7x21x{k}>
  %transpose = graph.transpose %x [1, 0] : tensor<9x21x{k}> -> tensor<21x9x{k}>
  %slice = graph.slice %x starts [0, 1] ends [9, 21] strides [1, 1] : tensor<9x21x{k}> -> tensor<9x20x{k}>
  %concat = graph.concat %slice, %slice axis 0 : tensor<9x20x{k}>, tensor<9x20x{k}> -> tensor<18x20x{k}>
  %part = graph.slice %y starts [0, 0] ends [4, 9] strides [1, 1] : tensor<21x35x{k}> -> tensor<4x9x{k}>
  %shape = graph.reshape %part : tensor<4x9x{k}> -> tensor<9x4x{k}>
  %back = graph.transpose %shape [1, 0] : tensor<9x4x{k}> -> tensor<4x9x{k}>
  %updates = graph.slice %y starts [0, 0] ends [7, 21] strides [1, 1] : tensor<21x35x{k}> -> tensor<7x21x{k}>
  %places = graph.reshape %rows : tensor<7xi64> -> tensor<7x1xi64>
  %scatter = graph.scatter_nd max %x, %places, %updates axes [0]
      : tensor<9x21x{k}>, tensor<7x1xi64>, tensor<7x21x{k}> -> tensor<9x21x{k}>
  return %matmul, %conv, %pool, %sum, %prod, %max, %min, %argmax, %argmin, %pad, %gather, %transpose, %concat, %back,
      %scatter
      : tensor<9x35x{k}>, tensor<1x6x5x6x{k}>, tensor<1x5x5x5x{k}>, tensor<9x{k}>, tensor<21x{k}>, tensor<9x{k}>,
        tensor<21x{k}>, tensor<9xi64>, tensor<21xi64>, tensor<10x24x{k}>, tensor<7x21x{k}>, tensor<21x9x{k}>,
        tensor<18x20x{k}>, tensor<4x9x{k}>, tensor<9x21x{k}>
}}
"""


def structured_inputs(kind: Integer) -> list[Array]:
    """Numbers of the whole range of the type, and rows of which some count from the end."""
    rng = np.random.default_rng(kind.width)
    shapes = ((9, 21), (21, 35), (1, 5, 9, 11), (6, 5, 3, 3))
    inputs = [rng.integers(kind.least, kind.most, s, kind.dtype, endpoint=True) for s in shapes]
    return [*inputs, np.array([0, 8, -1, -9, 3, 3, 7])]


def structured_expected(kind: Integer, inputs: list[Array]) -> list[Array]:
    """What `structured_model` computes."""
    x, y, kernel = exact(inputs[0]), exact(inputs[1]), exact(inputs[3])
    image = inputs[2]
    padded = exact(np.pad(image, ((0, 0), (0, 0), (1, 1), (1, 1))))
    conv = np.zeros((1, 6, 5, 6), object)
    for i in range(5):
        for j in range(6):
            conv[0, :, i, j] = (padded[:, :, 2 * i : 2 * i + 3, 2 * j : 2 * j + 3] * kernel).sum((1, 2, 3))
    lowest = np.pad(image, ((0, 0), (0, 0), (1, 0), (0, 0)), constant_values=kind.least)
    pool = np.zeros((1, 5, 5, 5), kind.dtype)
    for i in range(5):
        for j in range(5):
            pool[..., i, j] = lowest[..., 2 * i : 2 * i + 2, 2 * j : 2 * j + 3].max((2, 3))
    plain = inputs[0]
    scattered = plain.copy()
    np.maximum.at(scattered, inputs[4], inputs[1][:7, :21])
    return [
        *(kind.wrapped(v) for v in (x @ y, conv, exact(pool), x.sum(1), x.prod(0), x.max(1), x.min(0))),
        plain.argmax(1),
        plain.argmin(0),
        np.pad(plain, ((0, 1), (1, 2)), constant_values=kind.most),
        plain[inputs[4]],
        plain.T,
        np.concatenate([plain[:, 1:], plain[:, 1:]]),
        inputs[1][:4, :9].reshape(9, 4).T,
        scattered,
    ]


CAST_TARGETS = ("i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64")
"""The integers that models cast to."""


def cast_model(kind: Integer) -> str:
    """`main(%a, %f, %d)`: `%a` to each other integer, to i1, f32 and f64; then the floats `%f` and `%d` to the type."""
    n, m = kind.values().size, floats().size
    a = f"tensor<{n}x{kind.name}>"
    targets = [t for t in (*CAST_TARGETS, "i1", "f32", "f64") if t != kind.name]
    lines = [f"%{t} = graph.cast %a : {a} -> tensor<{n}x{t}>" for t in targets]
    made = f"tensor<{m}x{kind.name}>"
    lines += [f"%from_{t} = graph.cast %{t[0]} : tensor<{m}x{t[1:]}> -> {made}" for t in ("ff32", "df64")]
    lines.append(f"%from_bool = graph.cast %i1 : tensor<{n}xi1> -> {a}")
    names = ", ".join([*(f"%{t}" for t in targets), "%from_ff32", "%from_df64", "%from_bool"])
    types = ", ".join([*(f"tensor<{n}x{t}>" for t in targets), made, made, a])
    return _function(f"%a: {a}, %f: tensor<{m}xf32>, %d: tensor<{m}xf64>", lines, names, types)


def floats() -> Array:
    """Floats at the borders of all integers, halves, infinities and NaN."""
    borders = [s * float(1 << b) for b in (0, 7, 8, 15, 16, 31, 32, 63, 64) for s in (1, -1)]
    near = [v for b in borders for v in (b, b - 0.5, b + 0.5, np.nextafter(b, 0), np.nextafter(b, 1e300))]
    return np.array([*near, 0.0, -0.0, 0.99, -0.99, 3e38, -3e38, np.inf, -np.inf, np.nan])


def cast_expected(kind: Integer, a: Array, f: Array, d: Array) -> list[Array]:
    """What `cast_model` computes."""
    targets = [Integer(t) for t in CAST_TARGETS if t != kind.name]
    narrowed = [t.wrapped(exact(a)) for t in targets]
    return [
        *narrowed,
        a != 0,
        a.astype(np.float32),
        a.astype(np.float64),
        *(saturated(kind, v) for v in (f, d)),
        (a != 0).astype(kind.dtype),
    ]


def saturated(kind: Integer, values: Array) -> Array:
    """Towards zero, the nearest number of the type, and 0 for NaN."""

    def each(value: float) -> int:
        if value != value:
            return 0
        if np.isinf(value):
            return kind.most if value > 0 else kind.least
        return min(max(int(value), kind.least), kind.most)

    return np.array([each(float(v)) for v in values], kind.dtype)


def _function(arguments: str, lines: list[str], names: str, types: str) -> str:
    body = "\n".join(f"  {line}" for line in lines)
    return f"func.func @main({arguments}) -> ({types}) {{\n{body}\n  return {names} : {types}\n}}\n"
