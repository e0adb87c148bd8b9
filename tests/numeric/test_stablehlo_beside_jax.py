"""Functions of JAX by their text, as native code, beside what JAX computes itself."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import mlc

jax: Any = pytest.importorskip("jax")
jnp: Any = jax.numpy
lax: Any = jax.lax
pytestmark = pytest.mark.slow

_rng = np.random.default_rng(0)
Function = tuple[Callable[..., Any], tuple[Any, ...]]
_CASES: dict[str, Function] = {}


def _normal(*shape: int) -> Any:
    return _rng.standard_normal(shape).astype(np.float32)


def _case(*arguments: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _CASES[function.__name__] = function, arguments
        return function

    return register


@_case(_normal(4, 16), _normal(16, 32), _normal(32, 10))
def perceptron(x: Any, a: Any, b: Any) -> Any:
    return jax.nn.softmax(jax.nn.gelu(x @ a) @ b)


@_case(_normal(4, 16), _normal(16, 32), _normal(32, 10))
def perceptron_gradient(x: Any, a: Any, b: Any) -> Any:
    return jax.grad(lambda a, b: -jax.nn.log_softmax(jax.nn.relu(x @ a) @ b)[:, 0].mean(), (0, 1))(a, b)


@_case(_normal(2, 8, 8, 3), _normal(3, 3, 3, 4), _normal(4))
def convolutions(x: Any, w: Any, b: Any) -> Any:
    y = lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC"))
    return lax.reduce_window(jax.nn.relu(y + b), -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


@_case(_normal(2, 8, 8, 3), _normal(3, 3, 3, 4), _normal(4))
def convolutions_gradient(x: Any, w: Any, b: Any) -> Any:
    return jax.grad(lambda w: convolutions(x, w, b).sum())(w)


@_case(_normal(2, 5, 8), _normal(8, 8), _normal(8, 8), _normal(8, 8))
def attention(x: Any, q: Any, k: Any, v: Any) -> Any:
    scores = jnp.einsum("bqd,bkd->bqk", x @ q, x @ k) / np.sqrt(8)
    return jax.nn.softmax(jnp.where(jnp.tril(jnp.ones((5, 5), bool)), scores, -1e9)) @ (x @ v)


@_case(_normal(6, 4), _normal(4, 8), _normal(8, 8))
def recurrent(xs: Any, w: Any, u: Any) -> Any:
    def step(h: Any, x: Any) -> Any:
        h = jnp.tanh(x @ w + h @ u)
        return h, h

    return lax.scan(step, jnp.zeros(8), xs)


@_case(_normal(6, 4), _normal(4, 8), _normal(8, 8))
def recurrent_gradient(xs: Any, w: Any, u: Any) -> Any:
    return jax.grad(lambda w, u: recurrent(xs, w, u)[1].sum(), (0, 1))(w, u)


@_case(_normal(4, 8))
def sorting(x: Any) -> Any:
    return jnp.sort(x, 1), jnp.argsort(x, 0), lax.top_k(x, 3), jnp.median(x)


@_case(_normal(4, 8))
def fourier(x: Any) -> Any:
    return jnp.abs(jnp.fft.rfft(x)), jnp.fft.irfft(jnp.fft.rfft(x))


@_case(_normal(8))
def random_numbers(x: Any) -> Any:
    a, b = jax.random.split(jax.random.key(3))
    drawn = jax.random.normal(a, (5,)), jax.random.uniform(b, (3, 4)), jax.random.randint(a, (6,), 0, 10)
    return *drawn, jax.random.permutation(b, x), jax.random.bernoulli(a, 0.3, (7,)), jax.random.categorical(a, x)


@_case(_normal(4, 8), np.array([3, 1, -1], np.int32))
def indexing(x: Any, i: Any) -> Any:
    written = x.at[i].add(1.0), x.at[:, 2].set(5.0), x.at[i, 2].max(0.0), x.at[i + 2].set(7.0)
    return x[i], *written, jnp.take_along_axis(x, jnp.argsort(x, 1), 1)


@_case(_normal(5, 5))
def numpy_functions(x: Any) -> Any:
    reduced = jnp.cumsum(x, 1), jnp.cumprod(x, 0), jnp.std(x), jnp.var(x, 0), jnp.argmax(x, 1), jnp.argmin(x)
    rounded = jnp.round(x), jnp.sign(x), jnp.mod(x, 0.7), jnp.floor_divide(x, 0.3), jnp.clip(x, -1, 1)
    return *reduced, *rounded, jnp.logaddexp(x, x * 2), jnp.roll(x, 2, 1), jnp.flip(x), jnp.tri(4)


@_case(_normal(5, 5))
def special_functions(x: Any) -> Any:
    special: Any = __import__("jax.scipy.special", fromlist=["erf"])
    a = jnp.abs(x) + 0.1
    errors = special.erf(x), special.erfc(x), special.erfinv(jnp.tanh(x)), special.ndtri(jax.nn.sigmoid(x))
    gamma = special.gammaln(a), special.digamma(a), special.i1e(x), special.zeta(a + 1.5, a)
    return *errors, *gamma, jnp.arctan2(x, a), jnp.cbrt(x), jnp.expm1(x), jnp.log1p(a)


@_case(_normal(3, 4, 5))
def batched(x: Any) -> Any:
    return jax.vmap(lambda a: a @ a.T)(x), jax.vmap(lambda a: lax.dynamic_slice(a, (1, 2), (2, 2)))(x)


@_case(np.float32(7.3))
def loops(x: Any) -> Any:
    halved = lax.while_loop(lambda c: c[0] > 1e-3, lambda c: (c[0] / 2, c[1] + 1), (x, 0))
    return halved, lax.fori_loop(0, 10, lambda i, c: c + jnp.sin(i * c), x)


@_case(_normal(4, 4))
def branches(x: Any) -> Any:
    chosen = lax.switch(jnp.int32(x[0, 0] * 10) % 3, [lambda v: v, lambda v: v * 2, lambda v: -v], x)
    return chosen, lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x)


@_case(np.arange(-7, 9, dtype=np.int32).reshape(4, 4))
def integers(n: Any) -> Any:
    bits = n << 2, n >> 1, n ^ 5, n & 6, ~n, lax.population_count(n), lax.clz(n)
    return *bits, n // 3, n % 3, n**2, n.astype(jnp.uint8) * 200, n.astype(jnp.int8) + 120


@_case(_normal(4, 8).astype(jnp.bfloat16), _normal(8, 4).astype(jnp.bfloat16))
def halves(x: Any, w: Any) -> Any:
    return jax.nn.silu(x @ w), jnp.tanh(x).sum(0)


@_case(_normal(4, 6))
def complex_numbers(x: Any) -> Any:
    z = x[:, :3] + 1j * x[:, 3:]
    return jnp.abs(jnp.exp(z) * jnp.conj(z) / (z + 2)), jnp.angle(z), (z @ z.T.reshape(3, 4)).real


@_case(_normal(10))
def sequences(x: Any) -> Any:
    scanned = lax.associative_scan(jnp.multiply, x), jnp.convolve(x, jnp.array([1.0, 2, 1]))
    return *scanned, jnp.histogram(x, bins=4)[0], jnp.searchsorted(jnp.sort(x), 0.0)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", list(_CASES))
def test_beside_jax(name: str, tmp_path: Path) -> None:
    function, arguments = _CASES[name]
    path = tmp_path / f"{name}.mlir"
    path.write_text(jax.jit(function).lower(*arguments).as_text())
    found: Any = mlc.compile(path)(*(np.asarray(a) for a in arguments))
    outputs: list[Any] = list(cast("tuple[Any, ...]", found)) if isinstance(found, tuple) else [found]
    wanted = [np.asarray(a) for a in jax.tree.leaves(jax.jit(function)(*arguments))]
    assert [(a.shape, a.dtype) for a in outputs] == [(a.shape, a.dtype) for a in wanted]
    for output, wish in zip(outputs, wanted, strict=True):
        is_half = wish.dtype.itemsize == 2
        np.testing.assert_allclose(
            output.astype(np.float64),
            wish.astype(np.float64),
            rtol=2e-2 if is_half else 2e-4,
            atol=2e-2 if is_half else 2e-5,
        )
