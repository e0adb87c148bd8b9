"""Programs of JAX as people write them: statistics, control, learning, physics, sampling.

Each entry of `PROGRAMS` is a function, its arguments, and how far results may be from those of JAX, relative to the
largest one.
"""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax as _jax_package
import numpy as np

jax: Any = _jax_package
jnp: Any = jax.numpy
lax: Any = jax.lax
_rng = np.random.default_rng(0)


@dataclass(frozen=True)
class Program:
    """A function, its arguments, and the tolerance of its results."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    tolerance: float


PROGRAMS: dict[str, Program] = {}


def _normal(*shape: int) -> Any:
    return _rng.standard_normal(shape).astype(np.float32)


def _program(*arguments: Any, tolerance: float = 1e-4) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[function.__name__] = Program(function, arguments, tolerance)
        return function

    return register


@_program(_normal(12))
def particle_filter(observed: Any) -> Any:
    """Systematic resampling of a random walk."""
    count = 32

    def step(carry: Any, y: Any) -> Any:
        key, x = carry
        key, moved, start = jax.random.split(key, 3)
        x = x + 0.5 * jax.random.normal(moved, (count,))
        weights = jax.nn.softmax(-0.5 * (y - x) ** 2)
        places = (jnp.arange(count) + jax.random.uniform(start)) / count
        chosen = jnp.searchsorted(jnp.cumsum(weights), places)
        return (key, x[jnp.clip(chosen, 0, count - 1)]), jnp.sum(weights * x)

    return lax.scan(step, (jax.random.key(1), jnp.zeros(count)), observed)[1]


@_program(_normal(20, 2), _normal(20), _normal(5, 2))
def gaussian_process(x: Any, y: Any, new: Any) -> Any:
    """Mean, variance and the gradient of the likelihood."""

    def kernel(a: Any, b: Any, scale: Any) -> Any:
        return jnp.exp(-0.5 * jnp.sum((a[:, None] - b[None]) ** 2, -1) / scale**2)

    def likelihood(scale: Any) -> Any:
        factor = jnp.linalg.cholesky(kernel(x, x, scale) + 0.1 * jnp.eye(len(x)))
        solved = jax.scipy.linalg.cho_solve((factor, True), y)
        return -0.5 * y @ solved - jnp.log(jnp.diag(factor)).sum()

    factor = jax.scipy.linalg.cho_factor(kernel(x, x, 1.0) + 0.1 * jnp.eye(len(x)), lower=True)
    across = kernel(new, x, 1.0)
    variance = 1 - jnp.sum(across * jax.scipy.linalg.cho_solve(factor, across.T).T, 1)
    return across @ jax.scipy.linalg.cho_solve(factor, y), variance, jax.value_and_grad(likelihood)(1.3)


@_program(_normal(15, 2))
def kalman_filter(observed: Any) -> Any:
    """Constant velocity in a plane."""
    f = jnp.eye(4) + jnp.eye(4, k=2) * 0.1
    h = jnp.eye(2, 4)

    def step(carry: Any, z: Any) -> Any:
        mean, cov = carry
        mean, cov = f @ mean, f @ cov @ f.T + 0.01 * jnp.eye(4)
        s = h @ cov @ h.T + 0.1 * jnp.eye(2)
        gain = jnp.linalg.solve(s, h @ cov).T
        mean = mean + gain @ (z - h @ mean)
        cov = (jnp.eye(4) - gain @ h) @ cov
        return (mean, cov), (mean, jnp.linalg.slogdet(s)[1])

    return lax.scan(step, (jnp.zeros(4), jnp.eye(4)), observed)


@_program(_normal(5, 5), _normal(5, 7), np.array([0, 3, 6, 2, 2, 1, 5], np.int32))
def hidden_markov_model(a: Any, b: Any, seen: Any) -> Any:
    """The likelihood, forward and by a scan that is associative, and the best path."""
    move, emit = jax.nn.log_softmax(a), jax.nn.log_softmax(b)

    def forward(alpha: Any, y: Any) -> Any:
        alpha = jax.nn.logsumexp(alpha[:, None] + move, 0) + emit[:, y]
        return alpha, alpha

    def best(score: Any, y: Any) -> Any:
        all_scores = score[:, None] + move + emit[None, :, y]
        return all_scores.max(0), all_scores.argmax(0)

    first = emit[:, seen[0]] - jnp.log(5.0)
    steps = move[None] + emit.T[seen[1:]][:, None, :]
    product = lax.associative_scan(lambda p, q: jax.nn.logsumexp(p[..., :, :, None] + q[..., None, :, :], -2), steps)
    whole = jax.nn.logsumexp(first[:, None] + product[-1])
    score, back = lax.scan(best, first, seen[1:])
    path = lax.scan(lambda s, row: (row[s], s), score.argmax(), back, reverse=True)
    return lax.scan(forward, first, seen[1:]), whole, path


@_program(_normal(16, 4), _normal(4, 8), _normal(8, 3), _normal(8), _rng.integers(0, 3, 16), _normal(16))
def policy_gradient(x: Any, w: Any, head: Any, value: Any, actions: Any, rewards: Any) -> Any:
    """A clipped surrogate loss, generalized advantages, an entropy bonus; gradients of all."""

    def advantages(values: Any) -> Any:
        deltas = rewards[:-1] + 0.99 * values[1:] - values[:-1]
        return lax.scan(lambda a, d: (d + 0.94 * a, d + 0.94 * a), 0.0, deltas, reverse=True)[1]

    def loss(params: Any) -> Any:
        hidden = jnp.tanh(x @ params["w"])
        logs = jax.nn.log_softmax(hidden @ params["head"])
        values = hidden @ params["value"]
        chosen = jnp.take_along_axis(logs, actions[:, None], 1)[:-1, 0]
        gain = lax.stop_gradient(advantages(values))
        gain = (gain - gain.mean()) / (gain.std() + 1e-8)
        ratio = jnp.exp(chosen + 1.1)
        surrogate = jnp.minimum(ratio * gain, jnp.clip(ratio, 0.8, 1.2) * gain).mean()
        entropy = -(jnp.exp(logs) * logs).sum(1).mean()
        return -surrogate + 0.5 * ((values[:-1] - rewards[:-1]) ** 2).mean() - 0.01 * entropy

    return jax.value_and_grad(loss)({"w": w, "head": head, "value": value})


@_program(_normal(11, 8), _normal(8, 11))
def sampling_loop(embedding: Any, head: Any) -> Any:
    """Tokens drawn from the best few by a temperature, until one says stop."""

    def go_on(state: Any) -> Any:
        _, tokens, at = state
        return (at < 12) & (tokens[at - 1] != 0)

    def step(state: Any) -> Any:
        key, tokens, at = state
        key, own = jax.random.split(key)
        hidden = jnp.where((jnp.arange(12) < at)[:, None], embedding[tokens], 0).sum(0)
        best, places = lax.top_k(hidden @ head / 0.8, 4)
        drawn = places[jax.random.categorical(own, best)]
        return key, tokens.at[at].set(drawn), at + 1

    return lax.while_loop(go_on, step, (jax.random.key(3), jnp.full(12, 5), 1))[1:]


@_program(_normal(30, 2), _normal(4, 2))
def mixture_of_gaussians(x: Any, means: Any) -> Any:
    """Steps of expectation and maximization with full covariances."""

    def step(_: int, state: Any) -> Any:
        weights, means, covs = state
        factors = jnp.linalg.cholesky(covs)
        centred = x[:, None] - means
        solve = jax.vmap(lambda f, d: jax.scipy.linalg.solve_triangular(f, d.T, lower=True).T, (0, 1), 1)
        far = jnp.sum(solve(factors, centred) ** 2, -1)
        logs = jnp.log(weights) - 0.5 * far - jnp.log(jnp.diagonal(factors, axis1=1, axis2=2)).sum(1)
        share = jax.nn.softmax(logs, 1)
        total = share.sum(0)
        means = share.T @ x / total[:, None]
        centred = x[:, None] - means
        covs = jnp.einsum("nk,nki,nkj->kij", share, centred, centred) / total[:, None, None] + 0.1 * jnp.eye(2)
        return total / len(x), means, covs

    return lax.fori_loop(0, 5, step, (jnp.full(4, 0.25), means, jnp.broadcast_to(jnp.eye(2), (4, 2, 2))))


@_program(_normal(2, 8, 8, 1), _normal(3, 3, 1, 4), _normal(3, 3, 4, 1))
def convolutional_autoencoder(x: Any, down: Any, up: Any) -> Any:
    """The gradient of what a strided convolution and its transpose lose."""
    numbers = ("NHWC", "HWIO", "NHWC")

    def loss(params: Any) -> Any:
        hidden = lax.conv_general_dilated(x, params[0], (2, 2), "SAME", dimension_numbers=numbers)
        hidden = jax.nn.elu(hidden)
        made = lax.conv_transpose(hidden, params[1], (2, 2), "SAME", dimension_numbers=numbers)
        return jnp.mean((jax.nn.sigmoid(made) - x) ** 2)

    return jax.value_and_grad(loss)((down, up))


@_program(_normal(16, 3), _normal(16), _normal(3))
def adam(x: Any, y: Any, w: Any) -> Any:
    """Steps of Adam with a warm-up and clipped gradients, in a loop."""

    def loss(w: Any) -> Any:
        return jnp.mean((jax.nn.softplus(x @ w) - y) ** 2)

    def step(state: Any, t: Any) -> Any:
        w, m, v = state
        value, g = jax.value_and_grad(loss)(w)
        g = g * jnp.minimum(1.0, 1.0 / (jnp.linalg.norm(g) + 1e-6))
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g**2
        rate = 0.1 * jnp.minimum((t + 1) / 5, 1.0)
        w = w - rate * (m / (1 - 0.9 ** (t + 1))) / (jnp.sqrt(v / (1 - 0.999 ** (t + 1))) + 1e-8)
        return (w, m, v), value

    return lax.scan(step, (w, jnp.zeros_like(w), jnp.zeros_like(w)), jnp.arange(20, dtype=jnp.float32))


@_program(_normal(10, 3), _normal(10, 3), np.abs(_normal(10)) + 0.5)
def bodies(x: Any, v: Any, mass: Any) -> Any:
    """Leapfrog steps under gravity, and the energy."""

    def force(x: Any) -> Any:
        apart = x[None] - x[:, None]
        far = jnp.sum(apart**2, -1) + 0.1
        return jnp.sum(mass[None, :, None] * apart / far[..., None] ** 1.5, 1)

    def step(state: Any, _: Any) -> Any:
        x, v = state
        v = v + 0.005 * force(x)
        x = x + 0.01 * v
        v = v + 0.005 * force(x)
        return (x, v), 0.5 * jnp.sum(mass * jnp.sum(v**2, 1))

    return lax.scan(step, (x, v), None, length=20)


@_program(_normal(16, 16))
def heat_and_waves(u: Any) -> Any:
    """A pseudo-spectral step, forward and back."""
    k = jnp.fft.fftfreq(16) * 16
    squares = k[:, None] ** 2 + k[None, :9] ** 2

    def step(_: int, u: Any) -> Any:
        return jnp.fft.irfft2(jnp.fft.rfft2(u - 0.01 * u**3) * jnp.exp(-0.001 * squares))

    found = lax.fori_loop(0, 5, step, u)
    whole = jnp.fft.fft2(found)
    slope = jnp.fft.ifft2(1j * k[:, None] * whole).real
    return found, slope, jnp.angle(whole[0, 1]), jnp.abs(jnp.fft.fftshift(whole)).max()


@_program(_normal(40), _rng.integers(0, 6, 40), _normal(5, 9))
def segments(x: Any, groups: Any, table: Any) -> Any:
    """Sorting by keys, sums and extremes of segments, ranks, what is unique."""
    sums = jax.ops.segment_sum(x, groups, 6), jax.ops.segment_max(x, groups, 6), jax.ops.segment_prod(x, groups, 6)
    order = jnp.lexsort((x, groups))
    values, places = lax.top_k(table, 3)
    unique = jnp.unique(groups, size=8, fill_value=-1, return_counts=True)
    counts = jnp.bincount(groups, length=6), jnp.bincount(groups, weights=x, length=6)
    return *sums, x[order], values, places, *unique, *counts, jnp.argsort(-table, 1), jnp.partition(x, 5)[5]


@_program(_normal(2, 6, 16), _normal(16, 3, 4, 4), np.array([4, 6], np.int32))
def ragged_attention(x: Any, w: Any, lengths: Any) -> Any:
    """Causal heads over rows of different lengths, with rotated positions."""
    q, k, v = jnp.einsum("bsd,dnhe->nbshe", x, w)
    angles = jnp.arange(6)[:, None] / 10.0 ** jnp.arange(2)

    def turned(z: Any) -> Any:
        one, two = jnp.split(z, 2, -1)
        cos, sin = jnp.cos(angles)[:, None], jnp.sin(angles)[:, None]
        return jnp.concatenate([one * cos - two * sin, one * sin + two * cos], -1)

    scores = jnp.einsum("bqhe,bkhe->bhqk", turned(q), turned(k)) / 2
    seen = jnp.arange(6) < lengths[:, None]
    mask = seen[:, None, None, :] & jnp.tril(jnp.ones((6, 6), bool))
    weights = jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), -1, where=mask)
    found = jnp.einsum("bhqk,bkhe->bqhe", weights, v) * seen[..., None, None]
    return found, jax.nn.dot_product_attention(q, k, v, is_causal=True, key_value_seq_lengths=lengths)


@_program(_normal(4, 5), _normal(3))
def scan_of_scans(xs: Any, w: Any) -> Any:
    """A loop in a loop, with a gradient through both, and a branch inside."""

    def inner(c: Any, x: Any) -> Any:
        c = lax.cond(x > 0, lambda c: jnp.tanh(c * x + w[0]), lambda c: c * w[1], c)
        return c, c + w[2]

    def outer(c: Any, row: Any) -> Any:
        c, out = lax.scan(inner, c, row)
        return c * 0.5, out.sum()

    def run(xs: Any) -> Any:
        last, rows = lax.scan(jax.checkpoint(outer), 0.1, xs)
        return last + rows.sum()

    return run(xs), jax.grad(run)(xs), jax.jacfwd(lambda v: lax.scan(inner, v, xs[0])[0])(0.3)


@_program(np.abs(_normal(7)) + 0.1, np.array([3, 10, 27, 97, 1], np.int32))
def loops_side_by_side(x: Any, n: Any) -> Any:
    """Loops of different lengths, vectorized: roots by Newton, and Collatz."""

    def root(a: Any) -> Any:
        return lax.while_loop(lambda s: jnp.abs(s * s - a) > 1e-5 * a, lambda s: 0.5 * (s + a / s), a)

    def collatz(n: Any) -> Any:
        step = lambda s: (jnp.where(s[0] % 2 == 0, s[0] // 2, 3 * s[0] + 1), s[1] + 1)  # noqa: E731
        return lax.while_loop(lambda s: s[0] != 1, step, (n, 0))[1]

    return jax.vmap(root)(x), jax.vmap(collatz)(n)


@_program(_normal(9, 2), _normal(9))
def associative_scans(x: Any, a: Any) -> Any:
    """Linear recurrences and running extremes, from both ends."""
    rate = jax.nn.sigmoid(a)[:, None]
    linear = lax.associative_scan(lambda p, q: (p[0] * q[0], q[0] * p[1] + q[1]), (rate, x))
    running = lax.cummax(x, 0), lax.cumlogsumexp(x, 1), jnp.cumsum(x[::-1], 0)[::-1], lax.cumprod(x, 0, reverse=True)
    return *linear, *running, lax.associative_scan(jnp.maximum, x, reverse=True)


@jax.custom_vjp
def _clipped(x: Any, limit: Any) -> Any:
    return jnp.clip(x, -limit, limit)


_clipped.defvjp(
    lambda x, limit: (_clipped(x, limit), (x, limit)),
    lambda kept, g: (jnp.where(jnp.abs(kept[0]) > kept[1], 0.1 * g, g), jnp.zeros_like(kept[1])),
)


@_program(_normal(6), np.float32(0.7))
def own_derivatives(x: Any, limit: Any) -> Any:
    """A function with its own gradient, the gradient of a fixed point, Hessians and products with them."""

    def f(x: Any) -> Any:
        return jnp.sum(jnp.sin(x) * x**2)

    def energy(x: Any) -> Any:
        return jnp.sum(_clipped(x, limit) ** 2)

    product = jax.jvp(jax.grad(f), (x,), (jnp.ones_like(x),))[1]
    return jax.grad(energy)(x), jax.hessian(f)(x), product, jax.jacrev(lambda x: jnp.outer(x, x).sum(0))(x)


@_program(_normal(50), _normal(7), np.sort(_normal(9)), _normal(9))
def statistics(x: Any, at: Any, xp: Any, fp: Any) -> Any:
    """Quantiles, histograms, interpolation, correlations, polynomials."""
    quantiles = jnp.percentile(x, jnp.array([5.0, 50, 95])), jnp.quantile(x, 0.3, method="nearest"), jnp.median(x)
    counts, edges = jnp.histogram(x, bins=8, range=(-3, 3))
    tables = jnp.interp(at, xp, fp), jnp.digitize(at, xp), jnp.searchsorted(xp, at, side="right")
    moments = jnp.corrcoef(x[:20], x[20:40]), jnp.cov(x.reshape(5, 10)), jnp.nanmean(jnp.where(x > 1, jnp.nan, x))
    folded = jnp.polyval(fp[:4], at), jnp.convolve(x, fp, mode="same"), jnp.trapezoid(fp, xp), jnp.ptp(x)
    return *quantiles, counts, edges, *tables, *moments, *folded, jnp.histogram2d(x, x**2, bins=3)[0]


@_program(_normal(8))
def random_draws(x: Any) -> Any:
    """What `jax.random` draws, by keys that are folded and split."""
    keys = jax.random.split(jax.random.fold_in(jax.random.key(0), 7), 12)
    r = jax.random
    weights = jax.nn.softmax(x)
    return (
        r.normal(keys[0], (3, 2)),
        r.permutation(keys[1], 9),
        r.choice(keys[2], x, (4,), p=weights),
        r.choice(keys[3], 8, (4,), replace=False),
        r.categorical(keys[4], x, shape=(5,)),
        r.truncated_normal(keys[5], -1.0, 2.0, (4,)),
        r.gumbel(keys[6], (3,)),
        r.exponential(keys[7], (3,)),
        r.randint(keys[8], (4,), -5, 5, dtype=jnp.int8),
        r.multivariate_normal(keys[9], jnp.zeros(2), jnp.array([[2.0, 0.5], [0.5, 1.0]])),
        r.laplace(keys[10], (3,)),
        r.bits(keys[11], (3,), dtype=jnp.uint16),
    )


@_program(np.array([1, 2, 0xFFFFFFFE, 0xFFFFFFFF], np.uint32))
def draws_by_counters(state: Any) -> Any:
    """Bits of XLA's own generator, over the end of the lower half of its counter, and keys that use it."""
    key = jax.random.wrap_key_data(state, impl="rbg")
    bits = lax.rng_bit_generator(state, (7,)), lax.rng_bit_generator(state, (5,), dtype=jnp.uint8)
    return *bits, jax.random.normal(key, (3,)), jax.random.randint(key, (4,), 0, 100), jax.random.permutation(key, 6)


@_program(_normal(4))
def gamma_draws(a: Any) -> Any:
    """What is drawn by rejection."""
    keys = jax.random.split(jax.random.key(5), 2)
    a = jnp.abs(a) + 0.5
    return jax.random.gamma(keys[0], a), jax.random.poisson(keys[1], a * 3)


@_program(_normal(2, 6, 16), _normal(16, 48), _normal(16, 16), tolerance=3e-2)
def halved_transformer(x: Any, qkv: Any, out: Any) -> Any:
    """A block in bfloat16, with sums in f32."""
    x, qkv, out = (a.astype(jnp.bfloat16) for a in (x, qkv / 4, out / 4))
    wide = x.astype(jnp.float32)
    scale = lax.rsqrt(jnp.mean(wide**2, -1, keepdims=True) + 1e-6)
    q, k, v = jnp.split((wide * scale).astype(jnp.bfloat16) @ qkv, 3, -1)
    scores = jnp.einsum("bqd,bkd->bqk", q, k, preferred_element_type=jnp.float32) / 4
    found = jax.nn.softmax(scores).astype(jnp.bfloat16) @ v
    return x + jax.nn.gelu(found @ out), jnp.max(found.astype(jnp.float32))


@_program(_rng.integers(-128, 128, (4, 16), np.int8), _rng.integers(-128, 128, (16, 8), np.int8), _normal(8))
def quantized_product(x: Any, w: Any, scale: Any) -> Any:
    """Products of bytes, summed in i32, with rounding to bytes again."""
    total = lax.dot_general(x, w, (((1,), (0,)), ((), ())), preferred_element_type=jnp.int32)
    wide = total.astype(jnp.float32) * jnp.abs(scale) * 1e-3
    return total, jnp.clip(jnp.round(wide), -128, 127).astype(jnp.int8), wide


@_program(_normal(6) * 0.9, _normal(6))
def complex_functions(x: Any, y: Any) -> Any:
    """Functions of complex numbers and their inverses."""
    z = x + 1j * y
    trig = jnp.sin(z), jnp.cos(z), jnp.tan(z), jnp.sinh(z), jnp.tanh(z)
    inverse = jnp.arcsin(z), jnp.arccos(z), jnp.arctan(z), jnp.arcsinh(z), jnp.arccosh(z), jnp.arctanh(z)
    return *trig, *inverse, jnp.sqrt(z), jnp.log(z), jnp.log1p(z), jnp.expm1(z), z**2.5, z**3


@_program(_normal(5, 4), np.array([4, 0, 4, 2], np.int32), _normal(4, 4))
def scatters(x: Any, i: Any, u: Any) -> Any:
    """Changes at places by all functions that there are, and their gradients."""
    at = x.at[i]
    changed = at.set(u), at.add(u), at.multiply(u), at.min(u), at.max(u), at.divide(u + 3), at.power(2.0)
    applied = x.at[i[1:]].apply(jnp.sin), x.at[1:3, ::2].subtract(1.0), x.at[i, i % 4].add(1.0)
    gone = x.at[i + 3].set(u, mode="drop"), x.at[i + 3].get(mode="fill", fill_value=7.0)
    return (
        *changed,
        *applied,
        *gone,
        jax.grad(lambda x: (x[i] * u).sum())(x),
        jnp.put_along_axis(x, jnp.argmax(x, 1)[:, None], 9.0, 1, inplace=False),
    )


@_program(_normal(3, 10))
def windows(x: Any) -> Any:
    """Sliding means and extremes, strides and dilations."""
    window = partial(lax.reduce_window, window_dimensions=(1, 3), padding="VALID")
    sums = window(x, 0.0, lax.add, window_strides=(1, 2)), window(x, -jnp.inf, lax.max, window_strides=(1, 1))
    spread = lax.conv_general_dilated(x[:, None], jnp.ones((2, 1, 3)), (2,), [(1, 2)], (2,), (2,))
    patches = lax.conv_general_dilated_patches(x[:, None], (4,), (3,), "VALID")
    return (
        *sums,
        spread,
        patches,
        jnp.diff(x, n=2),
        jnp.gradient(x, axis=1),
        jnp.pad(x, ((0, 0), (2, 1)), mode="reflect"),
    )
