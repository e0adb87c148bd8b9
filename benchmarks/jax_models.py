"""Functions of JAX as people write them, with example arguments: what is measured, and what tests compare."""

# JAX gives types that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportUnknownParameterType=false

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

Case = tuple[Callable[..., Any], tuple[Any, ...]]
"""A function and its arguments."""


def _normal(*shape: int, seed: int = 0, scale: float = 1.0) -> Any:
    return jnp.asarray(np.random.default_rng(seed + sum(shape)).standard_normal(shape) * scale, jnp.float32)


def _linen() -> Any:
    """The layers of flax, which nothing else here needs."""
    return importlib.import_module("flax.linen")


def flax_cnn() -> Case:
    """Two convolutions with pooling, and two dense layers, of flax."""
    nn = _linen()

    class Cnn(nn.Module):
        """As in flax's own first example."""

        @nn.compact
        def __call__(self, x: Any) -> Any:
            x = nn.avg_pool(nn.relu(nn.Conv(32, (3, 3))(x)), (2, 2), strides=(2, 2))
            x = nn.avg_pool(nn.relu(nn.Conv(64, (3, 3))(x)), (2, 2), strides=(2, 2))
            return nn.Dense(10)(nn.relu(nn.Dense(256)(x.reshape((x.shape[0], -1)))))

    model, x = Cnn(), _normal(8, 28, 28, 1)
    params = model.init(jax.random.key(0), x)
    return model.apply, (params, x)


def _attention(x: Any, layer: dict[str, Any], heads: int, mask: Any) -> Any:
    tokens, width = x.shape
    q, k, v = (part.reshape(tokens, heads, width // heads) for part in jnp.split(x @ layer["qkv"], 3, -1))
    scores = jnp.einsum("qhd,khd->hqk", q, k) / np.sqrt(width // heads)
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf))
    return jnp.einsum("hqk,khd->qhd", weights, v).reshape(tokens, width) @ layer["out"]


def _normalised(x: Any, scale: Any) -> Any:
    mean, var = jnp.mean(x, -1, keepdims=True), jnp.var(x, -1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + 1e-5) * scale


def transformer(layers: int = 6, tokens: int = 128, width: int = 256, heads: int = 8) -> Case:
    """A decoder whose layers are one scan over stacked weights."""
    mask = np.tril(np.ones((tokens, tokens), bool))

    def block(x: Any, layer: dict[str, Any]) -> tuple[Any, None]:
        x = x + _attention(_normalised(x, layer["a"]), layer, heads, mask)
        return x + jax.nn.gelu(_normalised(x, layer["b"]) @ layer["up"]) @ layer["down"], None

    def apply(params: dict[str, Any], x: Any) -> Any:
        return jax.lax.scan(block, x, params)[0]

    shapes = {"qkv": (width, 3 * width), "out": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
    params = {name: _normal(layers, *shape, scale=0.05) for name, shape in shapes.items()}
    return apply, (params | {"a": jnp.ones((layers, width)), "b": jnp.ones((layers, width))}, _normal(tokens, width))


def rnn(steps: int = 64, batch: int = 8, width: int = 128) -> Case:
    """A simple recurrent network by scan."""

    def apply(w: Any, u: Any, xs: Any) -> Any:
        def step(h: Any, x: Any) -> tuple[Any, Any]:
            h = jnp.tanh(x @ w + h @ u)
            return h, h

        return jax.lax.scan(step, jnp.zeros((xs.shape[1], w.shape[1])), xs)

    return apply, (_normal(64, width, scale=0.1), _normal(width, width, scale=0.05), _normal(steps, batch, 64))


def lstm_training(steps: int = 32, batch: int = 8, width: int = 64) -> Case:
    """A step of gradient descent on an LSTM."""

    def loss(params: dict[str, Any], xs: Any, targets: Any) -> Any:
        def step(carry: tuple[Any, Any], x: Any) -> tuple[tuple[Any, Any], None]:
            h, c = carry
            i, f, g, o = jnp.split(x @ params["w"] + h @ params["u"] + params["b"], 4, -1)
            c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
            return (jax.nn.sigmoid(o) * jnp.tanh(c), c), None

        zeros = jnp.zeros((xs.shape[1], width))
        (h, _), _ = jax.lax.scan(step, (zeros, zeros), xs)
        return jnp.mean((h @ params["head"] - targets) ** 2)

    def train(params: dict[str, Any], xs: Any, targets: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(params, xs, targets)
        return value, jax.tree.map(lambda p, g: p - 0.1 * g, params, gradients)

    params = {"w": _normal(32, 4 * width, scale=0.1), "u": _normal(width, 4 * width, scale=0.1)}
    params |= {"b": jnp.zeros(4 * width), "head": _normal(width, 5, scale=0.1)}
    return train, (params, _normal(steps, batch, 32), _normal(batch, 5))


def resnet50(size: int = 224) -> Case:
    """ResNet-50 of flax's layers, at inference."""
    nn = _linen()

    class Bottleneck(nn.Module):
        """1 x 1, 3 x 3, 1 x 1, and the way around."""

        features: int
        stride: int = 1

        @nn.compact
        def __call__(self, x: Any) -> Any:
            def norm(y: Any) -> Any:
                return nn.BatchNorm(use_running_average=True)(y)

            y = nn.relu(norm(nn.Conv(self.features, (1, 1), use_bias=False)(x)))
            y = nn.relu(norm(nn.Conv(self.features, (3, 3), (self.stride, self.stride), use_bias=False)(y)))
            y = norm(nn.Conv(4 * self.features, (1, 1), use_bias=False)(y))
            if x.shape != y.shape:
                x = norm(nn.Conv(4 * self.features, (1, 1), (self.stride, self.stride), use_bias=False)(x))
            return nn.relu(x + y)

    class ResNet(nn.Module):
        """Four stages of bottlenecks."""

        @nn.compact
        def __call__(self, x: Any) -> Any:
            x = nn.Conv(64, (7, 7), (2, 2), padding=[(3, 3), (3, 3)], use_bias=False)(x)
            x = nn.relu(nn.BatchNorm(use_running_average=True)(x))
            x = nn.max_pool(x, (3, 3), strides=(2, 2), padding="SAME")
            for stage, count in enumerate((3, 4, 6, 3)):
                for number in range(count):
                    x = Bottleneck(64 << stage, 2 if stage and not number else 1)(x)
            return nn.Dense(1000)(jnp.mean(x, (1, 2)))

    model, x = ResNet(), _normal(1, size, size, 3)
    return model.apply, (jax.jit(model.init)(jax.random.key(0), x), x)


def decode(length: int = 256, width: int = 256, heads: int = 8) -> Case:
    """One token through attention with a cache of keys and values, which gets a row more."""

    def step(params: dict[str, Any], keys: Any, values: Any, position: Any, x: Any) -> Any:
        q, k, v = (part.reshape(heads, width // heads) for part in jnp.split(x @ params["qkv"], 3, -1))
        keys = jax.lax.dynamic_update_slice(keys, k[None], (position, 0, 0))
        values = jax.lax.dynamic_update_slice(values, v[None], (position, 0, 0))
        scores = jnp.einsum("hd,khd->hk", q, keys) / np.sqrt(width // heads)
        weights = jax.nn.softmax(jnp.where(jnp.arange(length) <= position, scores, -jnp.inf))
        x = x + jnp.einsum("hk,khd->hd", weights, values).reshape(width) @ params["out"]
        return keys, values, x + jax.nn.gelu(x @ params["up"]) @ params["down"]

    shapes = {"qkv": (width, 3 * width), "out": (width, width), "up": (width, 4 * width), "down": (4 * width, width)}
    params = {name: _normal(*shape, scale=0.05) for name, shape in shapes.items()}
    cache = _normal(length, heads, width // heads)
    return step, (params, cache, cache * 2, jnp.asarray(17), _normal(width))


def k_means(points: int = 2000, dims: int = 16, centres: int = 10, rounds: int = 10) -> Case:
    """Lloyd's rounds: nearest centres, and their means by scatter."""

    def run(x: Any, start: Any) -> Any:
        def step(_: Any, means: Any) -> Any:
            nearest = jnp.argmin(jnp.sum((x[:, None] - means[None]) ** 2, -1), -1)
            total = jnp.zeros_like(means).at[nearest].add(x)
            count = jnp.zeros(centres).at[nearest].add(1.0)
            return jnp.where(count[:, None] > 0, total / jnp.maximum(count, 1)[:, None], means)

        return jax.lax.fori_loop(0, rounds, step, start)

    x = _normal(points, dims)
    return run, (x, x[:centres])


def fft_convolution(length: int = 4096) -> Case:
    """A convolution of two signals by Fourier transforms."""

    def run(x: Any, y: Any) -> Any:
        return jnp.fft.irfft(jnp.fft.rfft(x) * jnp.fft.rfft(y), length)

    return run, (_normal(length), _normal(length, seed=1))


def ode(steps: int = 1000) -> Case:
    """Runge and Kutta's method of order four on the Lorenz system."""

    def slope(y: Any) -> Any:
        return jnp.stack([10 * (y[1] - y[0]), y[0] * (28 - y[2]) - y[1], y[0] * y[1] - 8 / 3 * y[2]])

    def run(start: Any) -> Any:
        def step(y: Any, _: None) -> tuple[Any, Any]:
            h = 0.001
            a = slope(y)
            b = slope(y + h / 2 * a)
            c = slope(y + h / 2 * b)
            y = y + h / 6 * (a + 2 * b + 2 * c + slope(y + h * c))
            return y, y

        return jax.lax.scan(step, start, None, length=steps)[1]

    return run, (jnp.asarray([1.0, 2.0, 20.0]),)


MODELS: dict[str, Callable[[], Case]] = {
    "flax_cnn": flax_cnn,
    "transformer": transformer,
    "rnn": rnn,
    "lstm_training": lstm_training,
    "resnet50": resnet50,
    "decode": decode,
    "k_means": k_means,
    "fft_convolution": fft_convolution,
    "ode": ode,
}
"""By name."""
