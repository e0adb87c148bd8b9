"""The kernels whose schedules are estimated, learnt and measured: models of few ops, which become one kernel each."""

from __future__ import annotations

from mlc.benchmarks.case import Shape, function, tensor_type


def _product(m: int, k: int, n: int) -> str:
    a, b, y = (m, k), (k, n), (m, n)
    return _model({"a": a, "b": b}, y, "graph.matmul %a, %b : ")


def _of_one(op: str, *shape: int) -> str:
    """An op whose result is shaped like its operand."""
    return function({"x": shape}, {}, shape, f"%y = graph.{op} : {tensor_type(shape)}")


def _model(inputs: dict[str, Shape], output: Shape, op: str) -> str:
    types = ", ".join(map(tensor_type, inputs.values()))
    return function(inputs, {}, output, f"%y = {op}{types} -> {tensor_type(output)}")


def _convolution(size: int, channels: int, out: int, kernel: int, stride: int = 1, groups: int = 1) -> str:
    """Of square images with channels last, padded so that stride 1 keeps their size."""
    pad = kernel // 2
    result = (size - 1) // stride + 1
    attributes = (
        f'{{layout = "NHWC", padding = array<i64: {pad}, {pad}, {pad}, {pad}>, '
        f"strides = array<i64: {stride}, {stride}>, groups = {groups} : i64}}"
    )
    inputs = {"x": (1, size, size, channels), "w": (kernel, kernel, channels // groups, out)}
    return _model(inputs, (1, result, result, out), f"graph.conv2d %x, %w {attributes} : ")


def _pooling(kind: str, size: int, channels: int) -> str:
    """Windows of 3 x 3 at every second place of square images with channels last."""
    result = (size - 3) // 2 + 1
    attributes = '{layout = "NHWC", kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>}'
    return _model(
        {"x": (1, size, size, channels)}, (1, result, result, channels), f"graph.{kind}_pool2d %x {attributes} : "
    )


def _layer_norm(rows: int, width: int) -> str:
    inputs = {"x": (rows, width), "s": (width,), "b": (width,)}
    return _model(inputs, (rows, width), "graph.layer_norm %x, %s, %b axis 1 epsilon 1.0e-05 : ")


def _attention(heads: int, tokens: int, width: int) -> str:
    """Of queries, keys (transposed) and values that are split into heads already."""
    q, k, v, scores = (heads, tokens, width), (heads, width, tokens), (heads, tokens, width), (heads, tokens, tokens)
    return function(
        {"q": q, "k": k, "v": v},
        {},
        q,
        f"%s = graph.matmul %q, %k : {tensor_type(q)}, {tensor_type(k)} -> {tensor_type(scores)}",
        f"%p = graph.softmax %s axis 2 : {tensor_type(scores)}",
        f"%y = graph.matmul %p, %v : {tensor_type(scores)}, {tensor_type(v)} -> {tensor_type(q)}",
    )


KERNELS = {
    **{f"product {m}x{k}x{n}": _product(m, k, n) for m, k, n in (
        (128, 768, 512), (512, 512, 512), (1, 2048, 2048), (1, 512, 512), (7, 512, 2048), (300, 17, 40),
    )},
    "convolution 3x3 28x28x64": _convolution(28, 64, 64, 3),
    "convolution 3x3 28x28x64 strided": _convolution(28, 64, 128, 3, 2),
    "convolution 7x7 64x64x3 strided": _convolution(64, 3, 64, 7, 2),
    "depthwise 3x3 28x28x192": _convolution(28, 192, 192, 3, 1, 192),
    "depthwise 3x3 56x56x96 strided": _convolution(56, 96, 96, 3, 2, 96),
    "maximum of windows 57x57x64": _pooling("max", 57, 64),
    "mean of windows 57x57x64": _pooling("avg", 57, 64),
    "attention 8x128x64": _attention(8, 128, 64),
    "layer norm 256x768": _layer_norm(256, 768),
    "softmax 512x1024": _of_one("softmax %x axis 1", 512, 1024),
    "softmax 1000x37": _of_one("softmax %x axis 1", 1000, 37),
    "softmax of columns 12x128x128": _of_one("softmax %x axis 1", 12, 128, 128),
    "gelu 512x1024": _of_one("gelu %x", 512, 1024),
    "tanh 200x333": _of_one("tanh %x", 200, 333),
}  # fmt: skip
"""The kernels, by name, as models: products, windows, attention, norms, and functions of elements."""
