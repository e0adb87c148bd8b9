"""The layers of the digit classifiers, forward and backward, in NumPy.

Images are [n, channels, height, width], everything is float32.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

Array = NDArray[Any]


class Layer:
    """A function with parameters.

    `backward` takes the gradient of the loss by the output of the last `forward`, leaves the gradients by the
    parameters in `gradients`, and returns the gradient by the input.
    """

    def __init__(self, **parameters: Array) -> None:
        self.parameters = {name: p.astype(np.float32) for name, p in parameters.items()}
        self.gradients: dict[str, Array] = {}

    def forward(self, x: Array, training: bool) -> Array:
        raise NotImplementedError

    def backward(self, dy: Array) -> Array:
        raise NotImplementedError


class Flatten(Layer):
    def forward(self, x: Array, training: bool) -> Array:
        self.shape = x.shape
        return x.reshape(len(x), -1)

    def backward(self, dy: Array) -> Array:
        return dy.reshape(self.shape)


class Relu(Layer):
    def forward(self, x: Array, training: bool) -> Array:
        self.positive = x > 0
        return np.maximum(x, np.float32(0))

    def backward(self, dy: Array) -> Array:
        return dy * self.positive


class Linear(Layer):
    """`x @ weight + bias`, weight [inputs, outputs]."""

    def __init__(self, rng: np.random.Generator, inputs: int, outputs: int) -> None:
        weight = rng.normal(0, np.sqrt(2 / inputs), (inputs, outputs))
        super().__init__(weight=weight, bias=np.zeros(outputs))

    def forward(self, x: Array, training: bool) -> Array:
        self.x = x
        return x @ self.parameters["weight"] + self.parameters["bias"]

    def backward(self, dy: Array) -> Array:
        self.gradients = {"weight": self.x.T @ dy, "bias": dy.sum(0)}
        return dy @ self.parameters["weight"].T


class Conv3x3(Layer):
    """A 3x3 convolution without bias that keeps height and width, weight [outputs, inputs, 3, 3]."""

    def __init__(self, rng: np.random.Generator, inputs: int, outputs: int) -> None:
        super().__init__(weight=rng.normal(0, np.sqrt(2 / (9 * inputs)), (outputs, inputs, 3, 3)))

    def forward(self, x: Array, training: bool) -> Array:
        self.windows = _windows_3x3(x)
        return _contract(self.windows, self.parameters["weight"])

    def backward(self, dy: Array) -> Array:
        self.gradients = {"weight": np.tensordot(dy, self.windows, axes=([0, 2, 3], [0, 2, 3]))}
        # Each input pixel reaches the outputs around it through the kernel turned by 180 degrees.
        flipped = self.parameters["weight"][:, :, ::-1, ::-1].swapaxes(0, 1)
        return _contract(_windows_3x3(dy), flipped)


class BatchNorm(Layer):
    """Normalise each channel: by the batch while training, by the running mean and variance afterwards."""

    epsilon = np.float32(1e-5)
    momentum = np.float32(0.1)

    def __init__(self, channels: int) -> None:
        super().__init__(scale=np.ones(channels), bias=np.zeros(channels))
        self.mean = np.zeros(channels, np.float32)
        self.var = np.ones(channels, np.float32)

    def forward(self, x: Array, training: bool) -> Array:
        mean, var = self.mean, self.var
        if training:
            mean, var = x.mean((0, 2, 3)), x.var((0, 2, 3))
            self.mean += self.momentum * (mean - self.mean)
            self.var += self.momentum * (var - self.var)
        self.factor = _per_channel(1 / np.sqrt(var + self.epsilon))
        self.normal = (x - _per_channel(mean)) * self.factor
        return self.normal * _per_channel(self.parameters["scale"]) + _per_channel(self.parameters["bias"])

    def backward(self, dy: Array) -> Array:
        batch, normal = (0, 2, 3), self.normal
        self.gradients = {"scale": (dy * normal).sum(batch), "bias": dy.sum(batch)}
        d = dy * _per_channel(self.parameters["scale"])
        through_mean = d.mean(batch, keepdims=True)
        through_var = normal * (d * normal).mean(batch, keepdims=True)
        return self.factor * (d - through_mean - through_var)


class MaxPool2x2(Layer):
    def forward(self, x: Array, training: bool) -> Array:
        n, c, h, w = x.shape
        blocks = x.reshape(n, c, h // 2, 2, w // 2, 2)
        y = blocks.max((3, 5), keepdims=True)
        self.share = (blocks == y) / (blocks == y).sum((3, 5), keepdims=True).astype(np.float32)
        return y[:, :, :, 0, :, 0]

    def backward(self, dy: Array) -> Array:
        n, c, h, w = dy.shape
        return (self.share * dy[:, :, :, None, :, None]).reshape(n, c, 2 * h, 2 * w)


def cross_entropy(logits: Array, labels: Array) -> tuple[float, Array]:
    """The mean loss of softmax(logits) [n, classes] against `labels` [n], and its gradient by the logits."""
    e = np.exp(logits - logits.max(1, keepdims=True))
    p = e / e.sum(1, keepdims=True)
    rows = np.arange(len(labels))
    loss = float(-np.log(p[rows, labels]).mean())
    p[rows, labels] -= 1
    return loss, p / np.float32(len(labels))


def _windows_3x3(x: Array) -> Array:
    padded = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    return sliding_window_view(padded, (3, 3), axis=(2, 3))  # pyright: ignore[reportArgumentType, reportCallIssue]


def _contract(windows: Array, weight: Array) -> Array:
    return np.tensordot(windows, weight, axes=([1, 4, 5], [1, 2, 3])).transpose(0, 3, 1, 2)


def _per_channel(x: Array) -> Array:
    return x.reshape(1, -1, 1, 1)
