"""Whole networks, whose weights are more than a cache holds: ResNet-50 and MobileNetV2 at batch 1 and 224 x 224."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from mlc.benchmarks.case import Case, Shape, function, tensor_type

_INPUT = (1, 224, 224, 3)
_CLASSES = 1000
_RESNET_50 = ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2))
"""He et al., Deep Residual Learning for Image Recognition, table 1: channels, blocks and stride of each stage."""
_WIDENING = 4
_MOBILENET_V2 = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 2),
    (6, 96, 3, 1),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Sandler et al., MobileNetV2, table 2: expansion, channels, blocks and stride of each stage."""


def cases() -> Iterator[Case]:
    """All of them, with batch norms folded into weights and biases. Flops are those of products and convolutions."""
    yield _resnet_50()
    yield _mobilenet_v2()


def _resnet_50() -> Case:
    net = _Network()
    x = net.max_pool(net.relu(net.conv(net.input, 7, 64, 2)))
    for channels, blocks, stride in _RESNET_50:
        for block in range(blocks):
            step = 1 if block else stride
            narrow = net.relu(net.conv(x, 1, channels))
            seen = net.relu(net.conv(narrow, 3, channels, step))  # version 1.5 has the stride here
            wide = net.conv(seen, 1, _WIDENING * channels)
            x = net.relu(net.add(wide, x if block else net.conv(x, 1, _WIDENING * channels, step)))
    return net.classifier("resnet-50", x)


def _mobilenet_v2() -> Case:
    net = _Network()
    x = net.relu6(net.conv(net.input, 3, 32, 2))
    for expansion, channels, blocks, stride in _MOBILENET_V2:
        for block in range(blocks):
            wide = net.relu6(net.conv(x, 1, expansion * x.channels)) if expansion > 1 else x
            seen = net.relu6(net.conv(wide, 3, wide.channels, 1 if block else stride, groups=wide.channels))
            narrow = net.conv(seen, 1, channels)
            x = net.add(narrow, x) if block else narrow
    return net.classifier("mobilenet-v2", net.relu6(net.conv(x, 1, 1280)))


@dataclass(frozen=True)
class _Value:
    """A tensor of the network, of the same name in both texts; images are [n, h, w, c]."""

    name: str
    shape: Shape

    @property
    def channels(self) -> int:
        return self.shape[-1]

    @property
    def type(self) -> str:
        return tensor_type(self.shape)


@dataclass
class _Network:
    """Writes a network in both languages, one layer a call."""

    weights: dict[str, Shape] = field(default_factory=dict[str, Shape])
    flops: int = 0
    text: list[str] = field(default_factory=lambda: ["%six = graph.constant dense<6.0> : tensor<f32>"])
    onnx: list[str] = field(
        default_factory=lambda: ["zero = Constant <value = float {0.0}> ()", "six = Constant <value = float {6.0}> ()"]
    )
    input = _Value("x", _INPUT)

    def conv(self, x: _Value, kernel: int, channels: int, stride: int = 1, groups: int = 1) -> _Value:
        """A convolution with a bias, padded so that stride 1 keeps the size of the image."""
        (n, height, width, inner), pad = x.shape, kernel // 2
        size = [(extent + 2 * pad - kernel) // stride + 1 for extent in (height, width)]
        w, b = self._weight(kernel, kernel, inner // groups, channels), self._weight(channels)
        self.flops += 2 * n * math.prod(size) * math.prod(w.shape)
        pads, strides = f"{pad}, {pad}, {pad}, {pad}", f"{stride}, {stride}"
        attributes = f'layout = "NHWC", padding = array<i64: {pads}>, strides = array<i64: {strides}>'
        y = self._layer(
            (n, *size, channels),
            f"graph.conv2d %{x.name}, %{w.name} {{{attributes}, groups = {groups} : i64}} : {x.type}, {w.type}",
            f"Conv <pads = [{pads}], strides = [{strides}], group = {groups}> ({x.name}, {w.name}, {b.name})",
        )
        return self._layer(y.shape, f"graph.add %{y.name}, %{b.name} : {y.type}, {b.type}", f"Identity ({y.name})")

    def add(self, a: _Value, b: _Value) -> _Value:
        return self._layer(a.shape, f"graph.add %{a.name}, %{b.name} : {a.type}, {b.type}", f"Add ({a.name}, {b.name})")

    def relu(self, x: _Value) -> _Value:
        return self._layer(x.shape, f"graph.relu %{x.name} : {x.type}", f"Relu ({x.name})", results=False)

    def relu6(self, x: _Value) -> _Value:
        x = self._layer(x.shape, f"graph.relu %{x.name} : {x.type}", f"Clip ({x.name}, zero, six)", results=False)
        return self._layer(x.shape, f"graph.min %{x.name}, %six : {x.type}, tensor<f32>", f"Identity ({x.name})")

    def max_pool(self, x: _Value) -> _Value:
        """3 x 3, stride 2."""
        n, height, width, channels = x.shape
        return self._layer(
            (n, height // 2, width // 2, channels),
            f"graph.max_pool2d %{x.name} {{kernel = array<i64: 3, 3>, padding = array<i64: 1, 1, 1, 1>, "
            f'strides = array<i64: 2, 2>, layout = "NHWC"}} : {x.type}',
            f"MaxPool <kernel_shape = [3, 3], pads = [1, 1, 1, 1], strides = [2, 2]> ({x.name})",
        )

    def classifier(self, name: str, x: _Value) -> Case:
        """The network, with the mean of the image and a matrix product at its end."""
        mean = self._layer(
            (1, x.channels),
            f"graph.reduce mean %{x.name} axes [1, 2] : {x.type}",
            f"ReduceMean <keepdims = 0> ({x.name}, axes)",
        )
        w, b = self._weight(x.channels, _CLASSES), self._weight(_CLASSES)
        self.flops += 2 * math.prod(w.shape)
        y = self._layer(
            (1, _CLASSES),
            f"graph.matmul %{mean.name}, %{w.name} : {mean.type}, {w.type}",
            f"MatMul ({mean.name}, {w.name})",
        )
        self.text.append(f"%y = graph.add %{y.name}, %{b.name} : {y.type}, {b.type} -> {y.type}")
        return Case(
            name=name,
            kind="compute",
            text=function({"x": _INPUT}, self.weights, y.shape, *self.text),
            onnx="\n".join(["axes = Constant <value_ints = [2, 3]> ()", *self.onnx, f"y = Add ({y.name}, {b.name})"]),
            inputs={"x": _INPUT},
            weights=self.weights,
            output=y.shape,
            flops=self.flops,
            channels_last=True,
        )

    def _weight(self, *shape: int) -> _Value:
        value = _Value(f"p{len(self.weights)}", shape)
        self.weights[value.name] = shape
        return value

    def _layer(self, shape: Shape, text: str, onnx: str, *, results: bool = True) -> _Value:
        """A value that both texts compute; `results`: whether mlc's writes the type of the result after an arrow."""
        value = _Value(f"v{len(self.onnx)}", shape)
        self.text.append(f"%{value.name} = {text}" + (f" -> {value.type}" if results else ""))
        self.onnx.append(f"{value.name} = {onnx}")
        return value
