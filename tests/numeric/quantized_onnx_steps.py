"""The operators of random models of quantised numbers, with their meaning in f64; None where a tensor does not fit."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.numeric.quantized_onnx import Interval, Model, Quantized, quantized

Array = NDArray[Any]
Step = Callable[[Model, Quantized], "Quantized | None"]
_WINDOW = (2, 3)


def _sigmoid(x: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


# ---- products


def _slid(image: Array, kernel: tuple[int, int], strides: Any, pads: Any, dilations: Any, fill: float = 0) -> Array:
    """The windows of an image: [n, c, height, width, *kernel]."""
    top, left, bottom, right = pads
    image = np.pad(image, ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=fill)
    spans = tuple((k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True))
    windows = np.lib.stride_tricks.sliding_window_view(image, spans, (2, 3))
    return windows[:, :, :: strides[0], :: strides[1], :: dilations[0], :: dilations[1]]


def _geometry(m: Model, x: Quantized, most: int = 3) -> tuple[tuple[int, int], dict[str, Any]] | None:
    """A kernel and the attributes of a window that fits."""
    kernel = (m.number(1, most), m.number(1, most))
    dilations = [m.number(1, 2), m.number(1, 2)]
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, dilations, strict=True)]
    pads = [m.number(0, span - 1) * int(m.chance(0.6)) for span in spans * 2]
    strides = [m.number(1, 2), m.number(1, 2)]
    extents = [e + pads[i] + pads[i + 2] for i, e in enumerate(x.shape[2:])]
    if any(e < s for e, s in zip(extents, spans, strict=True)):
        return None
    return kernel, {"pads": pads, "strides": strides, "dilations": dilations}


def _bias(m: Model, x: Quantized, w: Quantized, outputs: int) -> tuple[str, Array]:
    """Integers of i32 at the scale of the products, as floats."""
    scale = np.asarray(x.scale * w.scale.reshape(-1), np.float32)
    integers = m.rng.integers(-5000, 5000, outputs).astype(np.int32)
    axis: dict[str, Any] = {} if scale.size == 1 else {"axis": 0}
    parts = [m.constant(integers), m.constant(scale if axis else scale.reshape(()))]
    return m.add("DequantizeLinear", *parts, **axis), integers * scale.astype(np.float64)


def _convolution(kernel: tuple[int, int], attributes: dict[str, Any], groups: int) -> Callable[[Array, Array], Array]:
    """A convolution by definition."""

    def product(image: Array, weights: Array) -> Array:
        slid = _slid(image, kernel, attributes["strides"], attributes["pads"], attributes["dilations"])
        slid = slid.reshape(slid.shape[0], groups, -1, *slid.shape[2:])
        by_group = weights.reshape(groups, -1, *weights.shape[1:])
        found = np.einsum("bgchwij,gocij->bgohw", slid, by_group)
        return found.reshape(found.shape[0], -1, *found.shape[3:])

    return product


def conv(m: Model, x: Quantized) -> Quantized | None:
    """Plain, in groups or by channel; strides, dilations, uneven padding; QLinearConv, too."""
    if len(x.shape) != 4 or (geometry := _geometry(m, x)) is None:
        return None
    kernel, attributes = geometry
    channels = x.shape[1]
    groups = [1, 1, channels, 2 if channels % 2 == 0 else 1][m.number(0, 3)]
    outputs = groups * m.number(1, 1 if groups == channels else 5)
    dtype = np.uint8 if m.chance(0.2) and not m.fused else np.int8
    w = m.weights(outputs, channels // groups, *kernel, axis=0, dtype=dtype)

    product = _convolution(kernel, attributes, groups)
    real = x.real.linear(product, w.constants)
    if m.fused and x.zero.dtype.itemsize == 1 and x.axis is None:
        return m.fused_node("QLinearConv", [x, w], real, domain="", group=groups, **attributes)
    names = [m.dequantize(x), m.dequantize(w)]
    if m.chance(0.5):
        name, bias = _bias(m, x, w, outputs)
        names.append(name)
        real = real.map(lambda y: y + bias.reshape(-1, 1, 1)).rounded()
    found = m.add("Conv", *names, group=groups, **attributes)
    return m.quantize(*_activated(m, found, real))


def _activated(m: Model, name: str, real: Interval) -> tuple[str, Interval]:
    """A float, perhaps with an activation behind it."""
    if m.chance(0.3):
        return m.add("Relu", name), real.map(lambda y: np.maximum(y, 0))
    if m.chance(0.2):
        ends = [np.asarray(float(np.float32(v * np.abs(real.high).max())), np.float32) for v in (-0.25, 0.5)]
        clipped = real.map(lambda y: np.clip(y, float(ends[0]), float(ends[1])))
        return m.add("Clip", name, m.constant(ends[0]), m.constant(ends[1])), clipped
    return name, real


def conv_transpose(m: Model, x: Quantized) -> Quantized | None:
    """With strides and padding."""
    if len(x.shape) != 4 or x.shape[2] < 2:
        return None
    channels, outputs, kernel, stride = x.shape[1], m.number(1, 4), m.number(1, 3), m.number(1, 2)
    pad = m.number(0, max(0, kernel - 1)) // 2
    w = m.weights(channels, outputs, kernel, kernel)

    def product(image: Array, weights: Array) -> Array:
        height, width = ((e - 1) * stride + kernel for e in image.shape[2:])
        found = np.zeros((image.shape[0], outputs, height, width))
        for i in range(kernel):
            for j in range(kernel):
                part = np.einsum("bchw,co->bohw", image, weights[:, :, i, j])
                ends = i + (image.shape[2] - 1) * stride + 1, j + (image.shape[3] - 1) * stride + 1
                found[:, :, i : ends[0] : stride, j : ends[1] : stride] += part
        return found[:, :, pad : height - pad, pad : width - pad]

    names = m.dequantize(x), m.dequantize(w)
    found = m.add("ConvTranspose", *names, strides=[stride] * 2, pads=[pad] * 4)
    return m.quantize(found, x.real.linear(product, w.constants))


def matmul(m: Model, x: Quantized) -> Quantized | None:
    """MatMul, QLinearMatMul or Gemm with a bias."""
    if len(x.shape) != 2 and not m.chance(0.1):
        return None
    w = m.weights(x.shape[-1], m.number(1, 40), axis=1, dtype=np.uint8 if m.chance(0.3) and not m.fused else np.int8)
    real = x.real.linear(lambda a, b: a @ b, w.constants)
    if m.fused and x.zero.dtype.itemsize == 1 and (w.axis is None or x.zero.dtype == np.uint8):
        return m.fused_node("QLinearMatMul", [x, w], real, domain="")
    names = [m.dequantize(x), m.dequantize(w)]
    if len(x.shape) == 2 and m.chance(0.5):
        name, bias = _bias(m, x, w, w.shape[1])
        real = real.map(lambda y: y + bias).rounded()
        return m.quantize(*_activated(m, m.add("Gemm", *names, name), real))
    return m.quantize(*_activated(m, m.add("MatMul", *names), real))


def matmul_integer(m: Model, x: Quantized) -> Quantized | None:
    """MatMulInteger, with a zero point for each row and each column, and its sums scaled."""
    if len(x.shape) != 2 or x.zero.dtype.itemsize != 1:
        return None
    w = m.weights(x.shape[1], m.number(1, 20), axis=1)
    columns = m.rng.integers(-128, 128, w.shape[1]).astype(np.int8) if m.chance(0.5) else np.zeros((), np.int8)
    sums = m.add("MatMulInteger", x.name, w.name, m.constant(x.zero), m.constant(columns))
    zero = float(x.zero)
    real = x.numbers.map(lambda q: q - zero).linear(lambda a, b: a @ b, w.numbers.low - columns)
    scale = np.float32(0.37)
    product = m.add("Mul", m.add("Cast", sums, to=1), m.constant(np.asarray(scale)))
    return m.quantize(product, real.map(lambda y: y * float(scale)).rounded())


def _dynamic(m: Model, x: Quantized) -> Quantized | None:
    """DynamicQuantizeLinear of numbers that are known: its scale and its zero point come from data."""
    if (x.numbers.low != x.numbers.high).any() or x.axis is not None or not 1e-20 < float(x.scale) < 1e20:
        return None
    numbers = ((x.numbers.low - float(x.zero)) * float(x.scale)).astype(np.float32)
    low, high = min(np.float32(0), numbers.min()), max(np.float32(0), numbers.max())
    if high == low:
        return None
    scale = np.asarray((high - low) / np.float32(255))
    zero = np.asarray(np.clip(np.rint(-low / scale), 0, 255), np.uint8)
    name = m.add("DynamicQuantizeLinear", m.dequantize(x), count=3)
    real = Interval(numbers.astype(np.float64), numbers.astype(np.float64))
    return Quantized(name, scale, zero, quantized(real, scale, zero))


def _scale_and_zero(dynamic: Quantized) -> tuple[str, str]:
    """The names of what DynamicQuantizeLinear gives beside the integers."""
    return dynamic.name.replace("_0", "_1"), dynamic.name.replace("_0", "_2")


def dynamic(m: Model, x: Quantized) -> Quantized | None:
    """DynamicQuantizeLinear, and its numbers again as floats."""
    if (found := _dynamic(m, x)) is None:
        return None
    back = m.add("DequantizeLinear", found.name, *_scale_and_zero(found))
    return m.quantize(back, found.real)


def conv_integer(m: Model, x: Quantized) -> Quantized | None:
    """ConvInteger of such numbers, as dynamic quantization writes it: its padding is a zero point that data decide."""
    if len(x.shape) != 4 or (geometry := _geometry(m, x)) is None or (image := _dynamic(m, x)) is None:
        return None
    kernel, attributes = geometry
    groups = x.shape[1] if m.chance(0.2) else 1
    w = m.weights(groups * m.number(1, 5), x.shape[1] // groups, *kernel, dtype=np.uint8 if m.chance(0.7) else np.int8)
    scale, zero = _scale_and_zero(image)
    sums = m.add("ConvInteger", image.name, w.name, zero, m.constant(w.zero), group=groups, **attributes)
    scales = m.add("Mul", scale, m.constant(w.scale))
    found = m.add("Mul", m.add("Cast", sums, to=1), scales)
    return m.quantize(found, image.real.linear(_convolution(kernel, attributes, groups), w.constants).rounded())


# ---- two tensors


def add(m: Model, x: Quantized) -> Quantized | None:
    """A residual: the tensor itself in another form, or constants."""
    kind = "Add" if m.chance(0.6) else "Mul"
    y = m.weights(*x.shape[1:], dtype=x.zero.dtype) if (m.fused and x.zero.dtype == np.int8) or m.chance(0.4) else None
    if y is not None and m.fused and y.zero.dtype != x.zero.dtype:
        return None
    if y is None:
        name = m.add("Tanh", m.dequantize(x))
        y = m.quantize(name, x.real.map(np.tanh).rounded(), m.result(x.real.map(np.tanh), x.zero.dtype))
    a, b = x.real, y.real
    if kind == "Add":
        slack = 1.2e-7 * (np.maximum(abs(a.low), abs(a.high)) + np.maximum(abs(b.low), abs(b.high)))
        real = Interval(a.low + b.low - slack, a.high + b.high + slack)
    else:
        corners = np.stack([a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high])
        real = Interval(corners.min(0), corners.max(0)).rounded()
    if m.fused and x.zero.dtype.itemsize == 1 and x.axis is None and y.axis is None:
        return m.fused_node(f"QLinear{kind}", [x, y], real)
    return m.quantize(*_activated(m, m.add(kind, m.dequantize(x), m.dequantize(y)), real))


def concat(m: Model, x: Quantized) -> Quantized | None:
    """With itself, negated, at an equal scale or at another one."""
    axis = m.number(0, len(x.shape) - 1)
    name, real = m.dequantize(x), x.real
    negated = Interval(-real.high, -real.low)
    to = None if m.chance(0.5) else (x.scale, x.zero)
    y = m.quantize(m.add("Neg", name), negated, to or m.result(negated))
    joined = m.add("Concat", name, m.dequantize(y), axis=axis)
    both = Interval(np.concatenate([real.low, y.real.low], axis), np.concatenate([real.high, y.real.high], axis))
    return m.quantize(joined, both, to)


# ---- pools and the like


def max_pool(m: Model, x: Quantized) -> Quantized | None:
    """Its padding is less than all numbers."""
    if len(x.shape) != 4 or (geometry := _geometry(m, x)) is None:
        return None
    kernel, a = geometry
    spans = [(k - 1) * d + 1 for k, d in zip(kernel, a["dilations"], strict=True)]
    if any(p >= k for p, k in zip(a["pads"], (*kernel, *kernel), strict=True)) or min(spans) < 1:
        return None
    found = m.add("MaxPool", m.dequantize(x), kernel_shape=kernel, **a)
    real = x.real.map(lambda y: _slid(y, kernel, a["strides"], a["pads"], a["dilations"], -np.inf).max((-1, -2)))
    return m.quantize(found, real, (x.scale, x.zero) if m.chance(0.5) and x.axis is None else None)


def average_pool(m: Model, x: Quantized) -> Quantized | None:
    """Of windows, or of the whole image."""
    if len(x.shape) != 4:
        return None
    if m.chance(0.4):
        real = x.real.map(lambda y: y.mean((2, 3), keepdims=True)).rounded()
        slack = 1e-6 * np.maximum(abs(x.real.low), abs(x.real.high)).mean((2, 3), keepdims=True)
        real = Interval(real.low - slack, real.high + slack)
        if m.fused and x.zero.dtype.itemsize == 1 and x.axis is None:
            return m.fused_node("QLinearGlobalAveragePool", [x], real, channels_last=0)
        return m.quantize(m.add("GlobalAveragePool", m.dequantize(x)), real)
    kernel = (m.number(1, min(3, x.shape[2])), m.number(1, min(3, x.shape[3])))
    strides = [m.number(1, 2), m.number(1, 2)]
    found = m.add("AveragePool", m.dequantize(x), kernel_shape=kernel, strides=strides)

    def means(y: Array) -> Array:
        return _slid(y, kernel, strides, (0, 0, 0, 0), (1, 1)).mean((-1, -2))

    slack = 1e-6 * means(np.maximum(abs(x.real.low), abs(x.real.high)))
    return m.quantize(found, Interval(means(x.real.low) - slack, means(x.real.high) + slack))


def resize(m: Model, x: Quantized) -> Quantized | None:
    """By 2, of the nearest."""
    if len(x.shape) != 4 or prod(x.shape) > 1 << 11:
        return None
    scales = m.constant(np.asarray([1, 1, 2, 2], np.float32))
    attributes: dict[str, Any] = {
        "mode": "nearest",
        "coordinate_transformation_mode": "asymmetric",
        "nearest_mode": "floor",
    }
    found = m.add("Resize", m.dequantize(x), "", scales, **attributes)
    return m.quantize(found, x.real.map(lambda y: y.repeat(2, 2).repeat(2, 3)), _same(m, x))


# ---- moves


def _same(m: Model, x: Quantized) -> tuple[Array, Array] | None:
    return (x.scale, x.zero) if m.chance(0.6) and x.axis is None else None


def transpose(m: Model, x: Quantized) -> Quantized | None:
    """By any permutation."""
    order = [int(i) for i in m.rng.permutation(len(x.shape))]
    found = m.add("Transpose", m.dequantize(x), perm=order)
    return m.quantize(found, x.real.map(lambda y: y.transpose(order)), _same(m, x))


def reshape(m: Model, x: Quantized) -> Quantized | None:
    """To a matrix."""
    shape = (x.shape[0], prod(x.shape[1:]))
    found = m.add("Reshape", m.dequantize(x), m.constant(np.asarray(shape, np.int64)))
    return m.quantize(found, x.real.map(lambda y: y.reshape(shape)), _same(m, x))


def part(m: Model, x: Quantized) -> Quantized | None:
    """A slice, elements that indices choose, or a part of a split."""
    axis = m.number(0, len(x.shape) - 1)
    extent, name, same = x.shape[axis], m.dequantize(x), _same(m, x)
    if m.chance(0.4):
        index = m.rng.integers(-extent, extent, m.number(1, extent))
        found = m.add("Gather", name, m.constant(index.astype(np.int64)), axis=axis)
        return m.quantize(found, x.real.map(lambda y: np.take(y, index, axis, mode="wrap")), same)
    if extent < 2:
        return None
    middle = m.number(1, extent - 1)
    if m.chance(0.5):
        lengths = m.constant(np.asarray([middle, extent - middle], np.int64))
        found, ends, stride = m.add("Split", name, lengths, count=2, axis=axis), (0, middle), 1
    else:
        ends, stride = (middle, extent), m.number(1, 2)
        bounds = [m.constant(np.asarray([v], np.int64)) for v in (*ends, axis, stride)]
        found = m.add("Slice", name, *bounds)
    at = tuple(slice(*ends, stride) if i == axis else slice(None) for i in range(len(x.shape)))
    return m.quantize(found, x.real.map(lambda y: y[at]), same)


# ---- functions


def _leaky(y: Array) -> Array:
    return np.where(y < 0, float(np.float32(0.2)) * y, y)


_FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "Relu": lambda y: np.maximum(y, 0), "Sigmoid": _sigmoid, "LeakyRelu": _leaky, "Tanh": np.tanh,
}  # fmt: skip


def function(m: Model, x: Quantized) -> Quantized | None:
    """One that grows with its argument."""
    name, f = list(_FUNCTIONS.items())[m.number(0, 3)]
    attributes: dict[str, Any] = {"alpha": 0.2} if name == "LeakyRelu" else {}
    real = x.real.map(f).rounded()
    if m.fused and x.zero.dtype.itemsize == 1 and x.axis is None and name in ("Sigmoid", "LeakyRelu"):
        return m.fused_node(f"QLinear{name}", [x], real, **attributes)
    return m.quantize(m.add(name, m.dequantize(x), **attributes), real)


def hard_swish(m: Model, x: Quantized) -> Quantized | None:
    """Its slope is at most 1.5."""
    middle, radius = (x.real.low + x.real.high) / 2, (x.real.high - x.real.low) / 2
    y = middle * np.clip(middle / 6 + 0.5, 0, 1)
    slack = 1.5 * radius + 1e-6 * np.abs(middle)
    return m.quantize(m.add("HardSwish", m.dequantize(x)), Interval(y - slack, y + slack))


def softmax(m: Model, x: Quantized) -> Quantized | None:
    """A share grows with its own number, and shrinks with all others."""
    top = x.real.high.max(-1, keepdims=True)
    if not np.isfinite(top).all():
        return None
    low, high = np.exp(x.real.low - top), np.exp(x.real.high - top)
    with np.errstate(invalid="ignore", divide="ignore"):
        least = low / (low + high.sum(-1, keepdims=True) - high)
        most = high / (high + low.sum(-1, keepdims=True) - low)
    reach = np.abs(x.real.low).max() * 2e-7 + 1e-5
    found = Interval(np.nan_to_num(least) * (1 - reach) - 1e-37, np.nan_to_num(most, nan=1) * (1 + reach) + 1e-37)
    return m.quantize(m.add("Softmax", m.dequantize(x), axis=-1), found)


def layer_norm(m: Model, x: Quantized) -> Quantized | None:
    """Rows in which a number is not sure are not told."""
    extent = x.shape[-1]
    scale, bias = (m.rng.standard_normal(extent).astype(np.float32) for _ in range(2))
    numbers = x.numbers.low - x.zero.astype(np.float64)
    if extent < 2 or x.axis is not None or not 1e-3 < float(x.scale) < 1e3:
        return None
    numbers = numbers * float(x.scale)
    centred = numbers - numbers.mean(-1, keepdims=True)
    y = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5) * scale + bias
    is_sure = (x.numbers.low == x.numbers.high).all(-1, keepdims=True)
    slack = np.where(is_sure, 2e-5 * (np.abs(y) + 1), np.inf)
    name = m.add("LayerNormalization", m.dequantize(x), m.constant(scale), m.constant(bias), axis=-1)
    to = m.result(Interval(y, y))
    return m.quantize(name, Interval(y - slack, y + slack), to)


STEPS: dict[str, Step] = {
    each.__name__: each
    for each in (
        conv, conv_transpose, matmul, matmul_integer, dynamic, conv_integer, add, concat, max_pool, average_pool,
        resize, transpose, reshape, part, function, hard_swish, softmax, layer_norm,
    )
}  # fmt: skip
"""By name."""
