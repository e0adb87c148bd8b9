"""Matrix products: of two inputs, of an input and weights, in batches, with a vector; and a small MLP."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from mlc.benchmarks.case import Array, Case, Kind, Shape, function, tensor_type


def cases() -> Iterator[Case]:
    """All of them. What a network knows beforehand are weights, which every engine may rearrange."""
    yield _matmul("matmul", 1024, 1024, 1024)
    yield _matmul("matmul", 512, 512, 512)
    yield _matmul("matmul", 17, 1000, 33)
    yield _matmul("matmul", 128, 64, 128, batch=12)
    yield _matmul("linear", 128, 768, 3072)
    yield _matmul("linear", 128, 384, 384)
    yield _matmul("linear", 128, 384, 1536)
    yield _matmul("linear", 64, 784, 200)
    yield _matmul("matvec", 1, 512, 512, "bandwidth")
    yield _matmul("matvec", 1, 4096, 1000, "bandwidth")
    yield _mlp(1, "bandwidth")
    yield _mlp(64, "compute")


def _matmul(family: str, m: int, k: int, n: int, kind: Kind = "compute", *, batch: int | None = None) -> Case:
    stack: Shape = () if batch is None else (batch,)
    x, w, y = (*stack, m, k), (*stack, k, n), (*stack, m, n)
    both = family == "matmul"
    inputs = {"x": x, "w": w} if both else {"x": x}
    weights = {} if both else {"w": w}
    line = f"%y = graph.matmul %x, %w : {tensor_type(x)}, {tensor_type(w)} -> {tensor_type(y)}"
    return Case(
        name=f"{family}-{'x'.join(map(str, (*stack, m, k, n)))}",
        kind=kind,
        text=function(inputs, weights, y, line),
        onnx="y = MatMul (x, w)",
        inputs=inputs,
        weights=weights,
        output=y,
        flops=2 * math.prod((*stack, m, k, n)),
        numpy=np.matmul,
    )


def _mlp(batch: int, kind: Kind) -> Case:
    """The classic classifier of digits: 784 pixels, 200 hidden units, 10 classes."""
    x, w1, b1, w2, b2 = (batch, 784), (784, 200), (200,), (200, 10), (10,)
    hidden, y = (batch, 200), (batch, 10)
    h_type, y_type = tensor_type(hidden), tensor_type(y)
    inputs = {"x": x}
    weights = {"w1": w1, "b1": b1, "w2": w2, "b2": b2}
    text = function(
        inputs,
        weights,
        y,
        f"%0 = graph.matmul %x, %w1 : {tensor_type(x)}, {tensor_type(w1)} -> {h_type}",
        f"%1 = graph.add %0, %b1 : {h_type}, {tensor_type(b1)} -> {h_type}",
        f"%2 = graph.relu %1 : {h_type}",
        f"%3 = graph.matmul %2, %w2 : {h_type}, {tensor_type(w2)} -> {y_type}",
        f"%y = graph.add %3, %b2 : {y_type}, {tensor_type(b2)} -> {y_type}",
    )
    return Case(
        name=f"mlp-784-200-10-batch-{batch}",
        kind=kind,
        text=text,
        onnx="h = Gemm (x, w1, b1)\n r = Relu (h)\n y = Gemm (r, w2, b2)",
        inputs=inputs,
        weights=weights,
        output=y,
        flops=2 * batch * (784 * 200 + 200 * 10) + batch * (2 * 200 + 10),
        numpy=_mlp_in_numpy,
        python_call=True,
    )


def _mlp_in_numpy(x: Array, w1: Array, b1: Array, w2: Array, b2: Array, *, out: Array) -> None:
    hidden = x @ w1
    hidden += b1
    np.maximum(hidden, 0, out=hidden)
    np.matmul(hidden, w2, out=out)
    np.add(out, b2, out=out)
