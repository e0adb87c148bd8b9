"""What the programs have in common that are written as upstream MLIR writes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

TYPES: dict[str, Any] = {
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i32": np.int32,
    "i64": np.int64,
}


@dataclass(frozen=True)
class Program:
    """A function of tensors."""

    name: str
    body: str
    """Statements over `%x0`, `%x1`, …, of which the last one is `return`."""
    inputs: tuple[Array, ...]
    expected: tuple[Array, ...]

    def function(self, name: str) -> str:
        """Its text."""
        inputs = ", ".join(f"%x{i}: {kind(a)}" for i, a in enumerate(self.inputs))
        results = ", ".join(map(kind, self.expected))
        return f"func.func @{name}({inputs}) -> ({results}) {{\n{self.body}\n}}\n"


def element(array: Array) -> str:
    """The element type of an array as text."""
    return next(name for name, dtype in TYPES.items() if array.dtype == dtype)


def kind(array: Array) -> str:
    """Its type as text."""
    return f"tensor<{''.join(f'{n}x' for n in array.shape)}{element(array)}>"


def numbers(seed: object, shape: Sequence[int], name: str) -> Array:
    """Random elements that depend on the arguments alone."""
    digits = [ord(c) for c in repr((seed, tuple(shape), name))]
    rng = np.random.default_rng(digits)
    if name == "i1":
        return np.asarray(rng.integers(0, 2, shape)).astype(bool)
    if name.startswith("i"):
        return np.asarray(rng.integers(-9, 10, shape)).astype(TYPES[name])
    return np.asarray(rng.standard_normal(shape)).astype(TYPES[name])


def call(op: str, inputs: Sequence[Array], out: Array, name: str = "r", init: str | None = None, said: str = "") -> str:
    values = ", ".join(f"%x{i}" for i in range(len(inputs)))
    types = ", ".join(map(kind, inputs))
    start = f"%x{len(inputs)}" if init is None else init
    return f"  %{name} = linalg.{op} {said} ins({values} : {types}) outs({start} : {kind(out)}) -> {kind(out)}\n"


def filled(out: Array, value: str, name: str = "init") -> str:
    whole, part = kind(out), element(out)
    return (
        f"  %value_{name} = arith.constant {typed(value, part)}\n"
        f"  %empty_{name} = tensor.empty() : {whole}\n"
        f"  %{name} = linalg.fill ins(%value_{name} : {part}) outs(%empty_{name} : {whole}) -> {whole}\n"
    )


def typed(value: str, name: str) -> str:
    """A scalar constant; those of i1 are words."""
    return value if name == "i1" else f"{value} : {name}"


def zero(name: str) -> str:
    return {"f": "0.0", "i": "0"}[name[0]] if name != "i1" else "false"


def module_of(programs: Sequence[Program]) -> str:
    """A module whose `main` calls all of them, with the inputs and results of all in a row."""
    functions = "".join(
        p.function(f"p{i}").replace("func.func @", "func.func private @") for i, p in enumerate(programs)
    )
    arguments: list[str] = []
    results: list[str] = []
    types: list[str] = []
    calls = ""
    for i, p in enumerate(programs):
        names = [f"%i{i}_{j}" for j in range(len(p.inputs))]
        arguments += [f"{n}: {kind(a)}" for n, a in zip(names, p.inputs, strict=True)]
        count = f":{len(p.expected)}" if len(p.expected) > 1 else ""
        found = ", ".join(map(kind, p.expected))
        calls += f"  %o{i}{count} = call @p{i}({', '.join(names)}) : ({', '.join(map(kind, p.inputs))}) -> ({found})\n"
        results += [f"%o{i}#{j}" if count else f"%o{i}" for j in range(len(p.expected))]
        types += map(kind, p.expected)
    text = f"func.func @main({', '.join(arguments)}) -> ({', '.join(types)}) {{\n{calls}"
    return f"{functions}{text}  return {', '.join(results)} : {', '.join(types)}\n}}\n"
