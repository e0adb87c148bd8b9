"""What moves data more than it computes: softmax, normalisation, elementwise chains, sums, transposition, pooling."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np

from mlc.benchmarks.case import Array, Case, Shape, function, tensor_type


def cases() -> Iterator[Case]:
    """All of them. A function such as exp is one flop, and so is moving an element: here only bytes are a measure."""
    yield _softmax((512, 1024))
    yield _softmax((12, 128, 128))
    yield _layer_norm_gelu(512, 768)
    yield _chain((2048, 2048))
    yield _sum("rows", (2048, 2048), [1])
    yield _sum("columns", (2048, 2048), [0])
    yield _sum("all", (2048, 2048), [0, 1])
    yield _transpose(1024)
    yield _max_pool(112, 64)
    yield _global_average_pool(7, 2048)


def _case(
    name: str,
    x: Shape,
    y: Shape,
    lines: list[str],
    onnx: str,
    flops: int,
    numpy: Callable[..., object] | None,
    *,
    channels_last: bool = False,
) -> Case:
    return Case(
        name=name,
        kind="bandwidth",
        text=function({"x": x}, {}, y, *lines),
        onnx=onnx,
        inputs={"x": x},
        weights={},
        output=y,
        flops=flops,
        channels_last=channels_last,
        numpy=numpy,
    )


def _name(kind: str, shape: Shape) -> str:
    return f"{kind}-{'x'.join(map(str, shape))}"


def _softmax(shape: Shape) -> Case:
    axis = len(shape) - 1
    return _case(
        _name("softmax", shape),
        shape,
        shape,
        [f"%y = graph.softmax %x axis {axis} : {tensor_type(shape)}"],
        f"y = Softmax <axis = {axis}> (x)",
        5 * math.prod(shape),
        _softmax_in_numpy,
    )


def _softmax_in_numpy(x: Array, *, out: Array) -> None:
    np.subtract(x, x.max(-1, keepdims=True), out=out)
    np.exp(out, out=out)
    np.divide(out, out.sum(-1, keepdims=True), out=out)


def _layer_norm_gelu(rows: int, width: int) -> Case:
    x, w = (rows, width), (width,)
    t, p = tensor_type(x), tensor_type(w)
    inputs, weights = {"x": x}, {"scale": w, "bias": w}
    return Case(
        name=f"layer-norm-gelu-{rows}x{width}",
        kind="bandwidth",
        text=function(
            inputs,
            weights,
            x,
            f"%0 = graph.layer_norm %x, %scale, %bias axis 1 epsilon 1.0e-05 : {t}, {p}, {p} -> {t}",
            f"%y = graph.gelu %0 : {t}",
        ),
        onnx="n = LayerNormalization <axis = 1, epsilon = 1.0e-5> (x, scale, bias)\n y = Gelu (n)",
        inputs=inputs,
        weights=weights,
        output=x,
        flops=11 * rows * width,
    )


_CHAIN = ("mul %x", "add %c", "relu", "mul %x", "sub %c", "abs", "min %d", "add %x")
"""Op and second operand of each link; `%x` is the input, `%c` and `%d` are numbers."""
_ONNX_NAMES = {"mul": "Mul", "add": "Add", "relu": "Relu", "sub": "Sub", "abs": "Abs", "min": "Min"}


def _chain(shape: Shape) -> Case:
    t = tensor_type(shape)
    lines = ["%c = graph.constant dense<0.5> : tensor<f32>", "%d = graph.constant dense<3.0> : tensor<f32>"]
    nodes = ["c = Constant <value = float {0.5}> ()", "d = Constant <value = float {3.0}> ()"]
    value = "x"
    for number, link in enumerate(_CHAIN, 1):
        op, _, second = link.partition(" ")
        result = "y" if number == len(_CHAIN) else f"v{number}"
        types = f"{t}, {t if second == '%x' else 'tensor<f32>'} -> {t}" if second else t
        lines.append(f"%{result} = graph.{op} %{value}{f', {second}' if second else ''} : {types}")
        nodes.append(f"{result} = {_ONNX_NAMES[op]} ({value}{f', {second[1:]}' if second else ''})")
        value = result
    flops = len(_CHAIN) * math.prod(shape)
    return _case(_name("chain-of-8", shape), shape, shape, lines, "\n ".join(nodes), flops, _chain_in_numpy)


def _chain_in_numpy(x: Array, *, out: Array) -> None:
    c, d = np.float32(0.5), np.float32(3)
    np.multiply(x, x, out=out)
    np.add(out, c, out=out)
    np.maximum(out, np.float32(0), out=out)
    np.multiply(out, x, out=out)
    np.subtract(out, c, out=out)
    np.abs(out, out=out)
    np.minimum(out, d, out=out)
    np.add(out, x, out=out)


def _sum(what: str, x: Shape, axes: list[int]) -> Case:
    y = tuple(n for axis, n in enumerate(x) if axis not in axes)

    def in_numpy(x: Array, *, out: Array) -> None:
        np.sum(x, tuple(axes), out=out)

    return _case(
        _name(f"sum-{what}", x),
        x,
        y,
        [f"%y = graph.reduce sum %x axes {axes} : {tensor_type(x)} -> {tensor_type(y)}"],
        f"axes = Constant <value = int64[{len(axes)}] {{{', '.join(map(str, axes))}}}> ()\n"
        " y = ReduceSum <keepdims = 0> (x, axes)",
        math.prod(x),
        in_numpy,
    )


def _transpose(size: int) -> Case:
    shape = (size, size)

    def in_numpy(x: Array, *, out: Array) -> None:
        out[...] = x.T

    t = tensor_type(shape)
    line = f"%y = graph.transpose %x [1, 0] : {t} -> {t}"
    return _case(
        _name("transpose", shape), shape, shape, [line], "y = Transpose <perm = [1, 0]> (x)", size * size, in_numpy
    )


def _max_pool(size: int, channels: int) -> Case:
    """The pooling after ResNet's first convolution."""
    x, y = (1, size, size, channels), (1, size // 2, size // 2, channels)
    return _case(
        f"max-pool-3x3-{channels}-{size}x{size}-s2",
        x,
        y,
        [
            "%y = graph.max_pool2d %x {kernel = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, "
            f'strides = array<i64: 2, 2>, layout = "NHWC"}} : {tensor_type(x)} -> {tensor_type(y)}'
        ],
        "y = MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> (x)",
        8 * math.prod(y),
        None,
        channels_last=True,
    )


def _global_average_pool(size: int, channels: int) -> Case:
    x, y = (1, size, size, channels), (1, 1, 1, channels)

    def in_numpy(x: Array, *, out: Array) -> None:
        np.mean(x, (1, 2), keepdims=True, out=out)

    return _case(
        f"global-average-pool-{channels}-{size}x{size}",
        x,
        y,
        [f"%y = graph.reduce mean %x axes [1, 2] keepdims : {tensor_type(x)} -> {tensor_type(y)}"],
        "y = GlobalAveragePool (x)",
        math.prod(x),
        in_numpy,
        channels_last=True,
    )
