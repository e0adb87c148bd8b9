"""Products of one input side by side, as native code at the default level, beside NumPy and beside themselves apart."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context, parse_verified
from mlc.dialects.graph import Conv2dOp, MatmulOp
from mlc.pass_manager.options import parse_passes

TAILS = ("", "bias", "bias,relu", "scale,bias,tanh", "clip", "bias,softmax")

_BOUNDS = {"relu": (0.0, np.inf), "clip": (-np.inf, 0.6)}


def _tensor(*shape: int) -> str:
    return f"tensor<{'x'.join(map(str, shape))}xf32>"


class Model:
    """Several products of one input, each with the same ops behind it: its text, its weights, and what NumPy computes.

    `window` is 0 for matrices, or the width of the windows of convolutions with channels last.
    """

    def __init__(self, pick: random.Random, window: int):
        self.window, self.tail = window, pick.choice(TAILS).split(",")
        self.terms = pick.choice((1, 3, 37, 64))
        self.columns = [pick.choice((1, 5, 8, 16, 24, 33)) for _ in range(pick.choice((2, 3, 4)))]
        size = pick.choice((window or 1, 7, 12))
        self.shape = (pick.choice((1, 2)), size, size, self.terms) if window else (pick.choice((1, 7, 50)), self.terms)
        self.random = np.random.default_rng(pick.randrange(1000))
        self.weights: dict[str, np.ndarray] = {}
        self.lines = ["%six = graph.constant dense<0.6> : tensor<f32>"]
        results = [self._branch(i, n) for i, n in enumerate(self.columns)]
        names, types = zip(*results, strict=True)
        body = "\n".join(f"  {line}" for line in self.lines)
        self.text = (
            f"func.func @main(%x: {_tensor(*self.shape)}) -> ({', '.join(types)}) {{\n{body}\n"
            f"  return {', '.join(names)} : {', '.join(types)}\n}}"
        )

    def _constant(self, name: str, *shape: int) -> str:
        self.weights[name] = self.random.uniform(-1, 1, shape).astype(np.float32)
        self.lines.append(f"%{name} = graph.constant dense_resource<{name}> : {_tensor(*shape)}")
        return f"%{name}"

    def _branch(self, number: int, columns: int) -> tuple[str, str]:
        kernel = (self.window, self.window) if self.window else ()
        weights = self._constant(f"w{number}", *kernel, self.terms, columns)
        left = [s - (self.window - 1) for s in self.shape[1:3]] if self.window else []
        result = _tensor(self.shape[0], *left, columns)
        op, layout = ("conv2d", ' {layout = "NHWC"}') if self.window else ("matmul", "")
        value = f"%p{number}"
        types = f"{_tensor(*self.shape)}, {_tensor(*kernel, self.terms, columns)} -> {result}"
        self.lines.append(f"{value} = graph.{op} %x, {weights}{layout} : {types}")
        for step in filter(None, self.tail):
            new = f"%{step}{number}"
            if step in ("bias", "scale"):
                operand = self._constant(f"{step[0]}{number}", columns)
                name = "add" if step == "bias" else "mul"
                self.lines.append(f"{new} = graph.{name} {operand}, {value} : {_tensor(columns)}, {result} -> {result}")
            elif step == "clip":
                self.lines.append(f"{new} = graph.min {value}, %six : {result}, tensor<f32> -> {result}")
            else:
                axis = f" axis {3 if self.window else 1}" if step == "softmax" else ""
                self.lines.append(f"{new} = graph.{step} {value}{axis} : {result}")
            value = new
        return value, result

    def expected(self, x: np.ndarray) -> list[np.ndarray]:
        found: list[np.ndarray] = []
        for number in range(len(self.columns)):
            weights = self.weights[f"w{number}"].astype(np.float64)
            if self.window:
                views = np.lib.stride_tricks.sliding_window_view(x, (self.window, self.window), (1, 2))
                value = np.einsum("bijcuv,uvcn->bijn", views, weights)
            else:
                value = x @ weights
            for step in filter(None, self.tail):
                if step == "bias":
                    value = value + self.weights[f"b{number}"]
                elif step == "scale":
                    value = value * self.weights[f"s{number}"]
                elif step == "softmax":
                    powers = np.exp(value - value.max(-1, keepdims=True))
                    value = powers / powers.sum(-1, keepdims=True)
                else:
                    value = np.tanh(value) if step == "tanh" else np.clip(value, *_BOUNDS[step])
            found.append(value)
        return found


@pytest.mark.parametrize("window", [0, 1, 3])
@pytest.mark.parametrize("seed", range(3))
def test_parts_are_those_of_the_products(seed: int, window: int):
    """Whatever is merged by the default pipeline, and all of it merged, the numbers are NumPy's."""
    model = Model(random.Random(100 * window + seed), window)
    x = model.random.uniform(-1, 1, model.shape).astype(np.float32)
    ctx = new_context()
    for name, array in model.weights.items():
        ctx.resources.define(name, array)
    merged = parse_verified(model.text, "model.mlir", ctx, Path())
    (merge,) = parse_passes("merge-products{least-gain=0}")
    merge.run(merged, ctx)
    merged.verify()
    assert sum(isinstance(op, Conv2dOp | MatmulOp) for op in merged.walk()) == 1
    text = str(merged)
    weights = {name: ctx.resources.array(name) for name in ctx.resources.names() if f"dense_resource<{name}>" in text}
    for source, arrays, threads in (
        (model.text, model.weights, 1),
        (model.text, model.weights, 2),
        (merged, weights, 1),
    ):
        found = mlc.compile(source, weights=arrays, threads=threads)(x)
        for result, needed in zip(found, model.expected(x.astype(np.float64)), strict=True):
            np.testing.assert_allclose(result, needed, rtol=1e-4, atol=1e-4 * max(1.0, float(np.abs(needed).max())))
