"""`python -m mlc.testing.random_graphs`: graphs of random ops, of which every pass keeps the meaning.

Numbers grow without bounds here, overflow and cancel, so that it is also tested that `--check-each` raises no false
alarm. (`tests/numeric/test_random_models.py` keeps numbers moderate, and has more kinds of ops.)
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from mlc.compiler.compilation import new_context
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.default_passes import default_passes
from mlc.support.errors import CompilerBug
from mlc.syntax.parse import parse_module

_TARGETS = ("x86-64-v2", "x86-64-v3", "x86-64-v4", "aarch64")
_ELEMENTS = ("f32", "f32", "f64", "f16", "bf16")
_UNARY = (
    "abs", "asinh", "atan", "ceil", "cos", "cosh", "erf", "exp", "expm1", "floor", "gelu", "log", "log1p", "neg",
    "relu", "round", "rsqrt", "sigmoid", "sign", "silu", "sin", "sinh", "sqrt", "tan", "tanh",
)  # fmt: skip
_BINARY = ("add", "sub", "mul", "max", "min", "div", "pow")
_INTEGERS = ("i8", "ui8", "i16", "i32", "ui4")
_REDUCTIONS = ("sum", "mean", "max", "min", "prod")
_HUGE = {"f32": 1e37, "f64": 1e307, "f16": 2e4, "bf16": 1e37}
"""What inputs of every fifth graph are multiplied with, or a part of it: sums then overflow in some order only."""


def random_graph(seed: int) -> str:
    """The text of a function of two matrices, with up to eight ops and as many that reductions need."""
    random = np.random.default_rng(seed)
    element, rows, columns = str(random.choice(_ELEMENTS)), int(random.integers(1, 6)), int(random.integers(1, 20))
    matrix = f"tensor<{rows}x{columns}x{element}>"
    values, lines = ["%x", "%z"], list[str]()
    if seed % 5 == 4:
        values[0] = "%huge"
        scale = _HUGE[element] * float(random.choice([1, 0.3, 0.05]))
        lines.append(f"%scale = graph.constant dense<{scale!r}> : tensor<{element}>")
        lines.append(f"%huge = graph.mul %x, %scale : {matrix}, tensor<{element}> -> {matrix}")
    for number in range(int(random.integers(2, 9))):
        name, kind = f"%v{number}", random.random()
        a, b = (str(random.choice(values)) for _ in range(2))
        if kind < 0.35:
            lines.append(f"{name} = graph.{random.choice(_UNARY)} {a} : {matrix}")
        elif kind < 0.65:
            lines.append(f"{name} = graph.{random.choice(_BINARY)} {a}, {b} : {matrix}, {matrix} -> {matrix}")
        elif kind < 0.75:
            square, turned = f"tensor<{rows}x{rows}x{element}>", f"tensor<{columns}x{rows}x{element}>"
            lines.append(f"{name}t = graph.transpose {a} [1, 0] : {matrix} -> {turned}")
            lines.append(f"{name}s = graph.matmul {b}, {name}t : {matrix}, {turned} -> {square}")
            lines.append(f"{name} = graph.matmul {name}s, {a} : {square}, {matrix} -> {matrix}")
        elif kind < 0.79:
            lines += _quantized(name, a, matrix, element, random)
        elif kind < 0.85:
            lines.append(f"{name} = graph.softmax {a} axis {random.integers(0, 2)} : {matrix}")
        else:
            axis = int(random.integers(0, 2))
            row = f"tensor<{'1' if axis == 0 else rows}x{'1' if axis == 1 else columns}x{element}>"
            reduction = f"graph.reduce {random.choice(_REDUCTIONS)} {a} axes [{axis}] keepdims"
            lines.append(f"{name}r = {reduction} : {matrix} -> {row}")
            lines.append(f"{name} = graph.{random.choice(_BINARY)} {b}, {name}r : {matrix}, {row} -> {matrix}")
        values.append(name)
    last, result = values[-1], matrix
    if element == "f32" and random.random() < 0.2:
        result = f"tensor<{rows}x{columns}xi32>"
        lines.append(f"%bits = graph.bitcast {last} : {matrix} -> {result}")
        last = "%bits"
    body = "\n  ".join([*lines, f"return {last} : {result}"])
    return f"func.func @main(%x: {matrix}, %z: {matrix}) -> {result} {{\n  {body}\n}}\n"


def _quantized(name: str, value: str, matrix: str, element: str, random: np.random.Generator) -> list[str]:
    """A matrix to integers and back, with one scale."""
    kind, scale = str(random.choice(_INTEGERS)), float(random.choice([0.25, 0.1, 3]))
    integers, number = matrix.replace(f"x{element}>", f"x{kind}>"), f"tensor<{element}>, tensor<{kind}>"
    return [
        f"{name}c = graph.constant dense<{scale!r}> : tensor<{element}>",
        f"{name}z = graph.constant dense<3> : tensor<{kind}>",
        f"{name}q = graph.quantize {value}, {name}c, {name}z : {matrix}, {number} -> {integers}",
        f"{name} = graph.dequantize {name}q, {name}c, {name}z : {integers}, {number} -> {matrix}",
    ]


def check_graph(seed: int) -> None:
    """Run the passes of -O3 on a graph, for a target that the seed chooses.

    Raises:
        CompilerBug: a pass changed what it computes, or is said to have.
    """
    ctx = new_context(_TARGETS[seed % len(_TARGETS)])
    module = parse_module(random_graph(seed), f"graph {seed}", ctx)
    checker = EquivalenceChecker(ctx, seed)
    checker.start(module)
    for pass_ in default_passes(3, upto="loop"):
        pass_.run(module, ctx)
        checker.check(pass_.name, module, pass_.rounding_in(module))


def main(arguments: Sequence[str] | None = None) -> int:
    """Check as many graphs as asked for; 1 if there was an alarm."""
    parser = argparse.ArgumentParser(prog="python -m mlc.testing.random_graphs", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="how many graphs (1000)")
    parser.add_argument("--first", type=int, default=0, help="the seed of the first one (0)")
    options = parser.parse_args(arguments)
    alarms = 0
    for seed in range(options.first, options.first + options.count):
        try:
            check_graph(seed)
        except CompilerBug as e:
            alarms += 1
            print(f"graph {seed}: {e}\n{random_graph(seed)}", flush=True)
    print(f"{options.count} graphs, {alarms} alarms")
    return int(alarms > 0)


if __name__ == "__main__":
    sys.exit(main())
