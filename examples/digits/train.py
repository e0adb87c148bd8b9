"""Train the two digit classifiers of this folder with NumPy, and write their weights and the test set.

    python examples/digits/train.py

The data are scikit-learn's digits: 1,797 grey images of 8x8 pixels, scaled from 0..16 to 0..1. A fifth of
them, drawn with a fixed seed, is held out. Everything is seeded; another BLAS may still round differently.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from layers import Array, BatchNorm, Conv3x3, Flatten, Layer, Linear, MaxPool2x2, Relu, cross_entropy
from safetensors.numpy import save_file
from sklearn.datasets import load_digits

HERE = Path(__file__).parent
Network = dict[str, Layer]
"""Layers by name, in the order in which they run."""


def split_data(seed: int) -> tuple[Array, Array, Array, Array]:
    """Training images [n, 1, 8, 8] and labels, then the held-out ones."""
    digits = load_digits()
    images = (digits.images / 16).astype(np.float32)[:, None]
    labels = digits.target.astype(np.int64)
    order = np.random.default_rng(seed).permutation(len(images))
    held_out = len(images) // 5
    test, train = order[:held_out], order[held_out:]
    return images[train], labels[train], images[test], labels[test]


def mlp(rng: np.random.Generator) -> Network:
    return {"flatten": Flatten(), "fc1": Linear(rng, 64, 200), "relu": Relu(), "fc2": Linear(rng, 200, 10)}


def cnn(rng: np.random.Generator) -> Network:
    return {
        "conv1": Conv3x3(rng, 1, 16),
        "norm1": BatchNorm(16),
        "relu1": Relu(),
        "conv2": Conv3x3(rng, 16, 32),
        "norm2": BatchNorm(32),
        "relu2": Relu(),
        "pool": MaxPool2x2(),
        "flatten": Flatten(),
        "fc": Linear(rng, 512, 10),
    }


def forward(network: Network, x: Array, training: bool = False) -> Array:
    for layer in network.values():
        x = layer.forward(x, training)
    return x


class Adam:
    """Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1."""

    def __init__(self, layers: Sequence[Layer], beta1: float = 0.9, beta2: float = 0.999) -> None:
        self.layers, self.beta1, self.beta2, self.steps = layers, beta1, beta2, 0
        self.moments = {
            (layer, name): (np.zeros_like(p), np.zeros_like(p))
            for layer in layers
            for name, p in layer.parameters.items()
        }

    def step(self, rate: float) -> None:
        """Move every parameter against its gradient."""
        self.steps += 1
        for (layer, name), (m, v) in self.moments.items():
            g = layer.gradients[name]
            m += (1 - self.beta1) * (g - m)
            v += (1 - self.beta2) * (g * g - v)
            m_hat = m / (1 - self.beta1**self.steps)
            v_hat = v / (1 - self.beta2**self.steps)
            layer.parameters[name] -= rate * m_hat / (np.sqrt(v_hat) + 1e-8)


def shift(images: Array, rng: np.random.Generator) -> Array:
    """Move half of the images, drawn at random, by up to one pixel in each direction."""
    padded = np.pad(images, ((0, 0), (0, 0), (1, 1), (1, 1)))
    moved = rng.random(len(images)) < 0.5
    down, right = np.where(moved, rng.integers(0, 3, (2, len(images))), 1)
    return np.stack([p[:, d : d + 8, r : r + 8] for p, d, r in zip(padded, down, right, strict=True)])


def train(
    network: Network, images: Array, labels: Array, rng: np.random.Generator, epochs: int, rate: float = 2e-3
) -> None:
    """Minimise the cross-entropy with Adam, in shuffled batches, while the rate falls linearly to zero."""
    adam = Adam(list(network.values()))
    for epoch in range(epochs):
        for batch in np.array_split(rng.permutation(len(images)), len(images) // 64):
            _, gradient = cross_entropy(forward(network, shift(images[batch], rng), True), labels[batch])
            for layer in reversed(network.values()):
                gradient = layer.backward(gradient)
            adam.step(rate * (1 - epoch / epochs))


def weights(network: Network) -> dict[str, Array]:
    """Everything that inference needs, by `layer.parameter`."""
    result: dict[str, Array] = {}
    for name, layer in network.items():
        result |= {f"{name}.{p}": value for p, value in layer.parameters.items()}
        if isinstance(layer, BatchNorm):
            result |= {f"{name}.mean": layer.mean, f"{name}.var": layer.var}
    return result


def main() -> None:
    images, labels, test_images, test_labels = split_data(seed=0)
    save_file({"image": test_images[:, 0], "labels": test_labels}, HERE / "test.safetensors")
    for name, build, epochs in (("mlp", mlp, 200), ("cnn", cnn, 40)):
        rng = np.random.default_rng(1)
        network = build(rng)
        train(network, images, labels, rng, epochs)
        accuracy = np.mean(forward(network, test_images).argmax(1) == test_labels)
        print(f"{name}: {accuracy:.2%} of {len(test_labels)} held-out images")
        save_file(weights(network), HERE / f"{name}.safetensors")


if __name__ == "__main__":
    main()
