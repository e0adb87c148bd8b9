"""Attention of random shapes keeps its meaning through every pass of the pipelines, and as native code."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from mlc.compiler.compilation import new_context, parse_verified
from mlc.pass_manager.checking import EquivalenceChecker
from mlc.pass_manager.default_passes import default_passes
from mlc.pass_manager.options import parse_passes
from mlc.support.context import CompilerContext

FUSE = ("fuse", "merge-products{least-gain=0},fuse", "merge-products{least-gain=0},fuse{attention=false}")
"""How the graph is cut into kernels: with queries, keys and values side by side or not, attention as one or three."""
TARGETS = ("x86-64-v3", "x86-64-v4", "aarch64")


def _tensor(*shape: int) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


FEW, MANY = (1, 4, 5), (33, 61, 130)
"""Rows of the models that are interpreted, and of those that are blocks of tiles, with packed values."""


def _model(pick: random.Random, rows_to_try: tuple[int, ...]) -> str:
    """Projections, heads, masked scores, softmax, 0 for NaN in rows that are all masked, values, a residual, a norm."""
    batch, heads, rows, size = (
        pick.choice((1, 1, 2)),
        pick.choice((1, 2, 3)),
        pick.choice(rows_to_try),
        pick.choice((1, 3, 8) if rows_to_try == FEW else (3, 8, 24, 32, 32)),
    )
    keys, width = pick.choice((rows, rows, 7)), heads * size
    itself = keys == rows and pick.random() < 0.5
    mask = _tensor(*pick.choice(((keys,), (rows, keys), (1, 1, keys), (batch, 1, 1, keys))))
    scores, result = _tensor(batch, heads, rows, keys), _tensor(batch, rows, width)
    weights = np.random.default_rng(pick.randrange(1000)).uniform(-1, 1, (3, width, width)).round(3).tolist()
    lines = _projections(
        weights, itself and pick.random() < 0.5, "x" if itself else "y", (batch, rows, keys, heads, size)
    )
    masked = f"%s2 = graph.add %mask, %s1 : {mask}, {scores} -> {scores}"
    if pick.random() < 0.5:
        mask = mask.replace("f32", "i1")
        lines.append("%never = graph.constant dense<0xFF800000> : tensor<f32>")
        masked = f"%s2 = graph.where %mask, %never, %s1 : {mask}, tensor<f32>, {scores} -> {scores}"
    probabilities = "%p"
    guard: list[str] = []
    if pick.random() < 0.5:
        probabilities, bits = "%p1", scores.replace("f32", "i1")
        guard = [
            "%zero = graph.constant dense<0.0> : tensor<f32>",
            f"%nan = graph.compare ne, %p, %p : {scores}, {scores} -> {bits}",
            f"%p1 = graph.where %nan, %zero, %p : {bits}, tensor<f32>, {scores} -> {scores}",
        ]
    queries, values = _tensor(batch, heads, rows, size), _tensor(batch, heads, keys, size)
    lines += [
        f"%s0 = graph.matmul %q, %k : {queries}, {_tensor(batch, heads, size, keys)} -> {scores}",
        "%c = graph.constant dense<0.3> : tensor<f32>",
        f"%s1 = graph.mul %s0, %c : {scores}, tensor<f32> -> {scores}",
        masked,
        f"%p = graph.softmax %s2 axis {pick.choice((3, 3, 3, 2))} : {scores}",
        *guard,
        f"%o0 = graph.matmul {probabilities}, %v : {scores}, {values} -> {queries}",
        f"%o1 = graph.transpose %o0 [0, 2, 1, 3] : {queries} -> {_tensor(batch, rows, heads, size)}",
        f"%o2 = graph.reshape %o1 : {_tensor(batch, rows, heads, size)} -> {result}",
        f"%z = graph.add %o2, %x : {result}, {result} -> {result}",
        f"%g = graph.constant dense<1.5> : {_tensor(width)}",
        f"%n = graph.layer_norm %z, %g, %g axis 2 epsilon 1.0e-01 : "
        f"{result}, {_tensor(width)}, {_tensor(width)} -> {result}",
        f"return %n : {result}",
    ]
    signature = f"%x: {result}, %y: {_tensor(batch, keys, width)}, %mask: {mask}"
    body = "\n".join(lines)
    return f"func.func @main({signature}) -> {result} {{\n{body}\n}}"


def _projections(
    weights: list[list[list[float]]], stacked: bool, others: str, sizes: tuple[int, int, int, int, int]
) -> list[str]:
    """`%q`, `%k` and `%v` in heads; if `stacked`, one product gives all three, a third of its columns each."""
    batch, rows, keys, heads, size = sizes
    width = heads * size
    lines: list[str] = []
    if stacked:
        three = _tensor(batch, rows, 3 * width)
        lines += [
            f"%w = graph.constant dense<{np.concatenate(weights, axis=1).tolist()}> : {_tensor(width, 3 * width)}",
            f"%xw = graph.matmul %x, %w : {_tensor(batch, rows, width)}, {_tensor(width, 3 * width)} -> {three}",
            f"%b = graph.constant dense<{np.concatenate([w[0] for w in weights]).tolist()}> : {_tensor(3 * width)}",
            f"%all = graph.add %xw, %b : {three}, {_tensor(3 * width)} -> {three}",
        ]
    for number, name in enumerate("qkv"):
        source, length, matrix = ("x", rows, weights[0]) if name == "q" else (others, keys, weights[number])
        flat, split = _tensor(batch, length, width), (batch, length, heads, size)
        if stacked:
            place = (
                f"starts [0, 0, {number * width}] ends [{batch}, {length}, {(number + 1) * width}] strides [1, 1, 1]"
            )
            lines.append(f"%{name}1 = graph.slice %all {place} : {_tensor(batch, length, 3 * width)} -> {flat}")
        else:
            lines += [
                f"%w{name} = graph.constant dense<{matrix}> : {_tensor(width, width)}",
                f"%{name}0 = graph.matmul %{source}, %w{name} : {flat}, {_tensor(width, width)} -> {flat}",
                f"%b{name} = graph.constant dense<{matrix[0]}> : {_tensor(width)}",
                f"%{name}1 = graph.add %{name}0, %b{name} : {flat}, {_tensor(width)} -> {flat}",
            ]
        order = (0, 2, 3, 1) if name == "k" else (0, 2, 1, 3)
        lines += [
            f"%{name}2 = graph.reshape %{name}1 : {flat} -> {_tensor(*split)}",
            f"%{name} = graph.transpose %{name}2 {list(order)} : "
            f"{_tensor(*split)} -> {_tensor(*(split[axis] for axis in order))}",
        ]
    return lines


def _parsed(seed: int, ctx: CompilerContext, rows: tuple[int, ...] = FEW) -> ModuleOp:
    return parse_verified(_model(random.Random(seed), rows), "attention.mlir", ctx, Path())


@pytest.mark.sampled(5)
@pytest.mark.parametrize("seed", range(15))
def test_every_pass_keeps_the_meaning(seed: int) -> None:
    ctx = new_context(TARGETS[seed // len(FUSE) % len(TARGETS)])
    module = _parsed(seed, ctx)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    for default in default_passes(3, upto="loop"):
        for pass_ in parse_passes(FUSE[seed % len(FUSE)]) if default.name == "fuse" else [default]:
            pass_.run(module, ctx)
            module.verify()
            checker.check(pass_.name, module, pass_.rounding)
            assert not checker.skipped


@pytest.mark.sampled(2)
@pytest.mark.parametrize("rows", [FEW, MANY])
@pytest.mark.parametrize("seed", (*range(100, 104), 113, 127, 135))
def test_native_code_agrees_with_the_reference(
    seed: int, rows: tuple[int, ...], run_compiled: Callable[..., list[NDArray[Any]]]
) -> None:
    ctx = new_context()
    module = _parsed(seed, ctx, rows)
    checker = EquivalenceChecker(ctx)
    checker.start(module)
    inputs = checker.inputs_of("main")
    assert inputs is not None
    checker.compare_outputs("native code", "main", run_compiled(module, inputs))
