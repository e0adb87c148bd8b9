"""Functions of JAX with symbolic shapes that read and write at places, loop, and sum what came before."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
from __future__ import annotations

from typing import Any

from tests.numeric.jax_symbols import F32, I32, KERNEL, WEIGHTS, Function, filtered, jax, jnp, peaks


def _cell(state: Any, row: Any) -> Any:
    after = jnp.tanh(row @ WEIGHTS[0][:3, :4] + state @ WEIGHTS[1][:4, :4])
    return after, after * 2


def _recurrent(x: Any, reverse: bool = False) -> Any:
    """The states of a recurrent network: `[batch, time, 4]` of `[batch, time, 3]`."""
    start = jnp.zeros((x.shape[0], 4), jnp.float32)
    return jax.lax.scan(_cell, start, x.transpose(1, 0, 2), reverse=reverse)[1].transpose(1, 0, 2)


def _decoded(x: Any) -> Any:
    """A loop that writes a row of a cache in each step, and reads those that it has."""

    def step(i: Any, state: Any) -> Any:
        cache, row = state
        cache = jax.lax.dynamic_update_slice(cache, row[None], (i, 0))
        scores = jnp.where(jnp.arange(cache.shape[0]) <= i, cache @ row, -1e9)
        return cache, jnp.tanh(jax.nn.softmax(scores) @ cache)

    return jax.lax.fori_loop(0, x.shape[0], step, (x, x[0]))[0]


def _halved(state: Any, row: Any) -> Any:
    """A step that takes as many steps as its row says."""
    row = jax.lax.while_loop(lambda r: jnp.abs(r).sum() > 1, lambda r: r / 2, row)
    return state + row.sum(), row


def _sums(x: Any) -> Any:
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 2, 3), (1, 1, 2, 2), "SAME")


def _definite(x: Any) -> Any:
    return x @ x.transpose(0, 2, 1) + 3 * jnp.eye(3)


def _last_peaks(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


PLACED = {
    "one column set": Function(lambda x: x.at[:, 0].set(1.0), ["s"], [("4, s", F32)], hostile=True),
    "the last row set": Function(lambda x: x.at[-1].set(x[0] * 2), ["s"], [("s, 3", F32)]),
    "rows inside set": Function(lambda x: x.at[1:-1].set(3.0), ["s"], [("s + 2, 3", F32)]),
    "rows set by index": Function(
        lambda x, i, u: x.at[i].set(u, mode="drop"), ["s", "h"], [("s, 3", F32), ("h", I32), ("h, 3", F32)], True
    ),
    "rows added by index": Function(
        lambda x, i, u: x.at[i].add(u), ["s", "h"], [("5, s", F32), ("h", I32), ("h, s", F32)], True
    ),
    "the greatest by index": Function(
        lambda x, i, u: x.at[:, i].max(u), ["s", "h"], [("s, 5", F32), ("h", I32), ("s, h", F32)], True
    ),
    "elements added by index": Function(
        lambda x, i, j: x.at[i, j].add(1.0), ["s", "h"], [("s, h", F32), ("s", I32), ("s", I32)], True
    ),
    "an element of each row set": Function(
        lambda x, i: jax.vmap(lambda row, at: row.at[at].set(1.0))(x, i),
        ["s", "h"],
        [("s, h", F32), ("s, 2", I32)],
        True,
    ),
    "sums of segments": Function(
        lambda x, i: jax.ops.segment_sum(x, i, 7), ["s", "h"], [("s, h", F32), ("s", I32)], True
    ),
    "as many segments": Function(
        lambda x, i: jax.ops.segment_max(x, i, x.shape[0]), ["s", "h"], [("s, h", F32), ("s", I32)], True
    ),
    "counts": Function(lambda i: jnp.bincount(i, length=i.shape[0]), ["s"], [("s", I32)], True),
    "changed in place": Function(lambda x: x.at[jnp.arange(2)].apply(jnp.sin), ["s", "h"], [("s + 1, h", F32)]),
    "gradient of an embedding": Function(
        lambda x, i: jax.grad(lambda y: (y[i] ** 2).sum())(x), ["s", "h"], [("s, 3", F32), ("h, 2", I32)], True
    ),
    "elements by index": Function(lambda x, i: x[i, :, -i], ["s", "h"], [("s, 3, h", F32), ("h", I32)], True),
    "rows or a number": Function(
        lambda x, i: x.at[i].get(mode="fill", fill_value=-3.0), ["s", "h"], [("s, 2", F32), ("h, 3", I32)], True
    ),
    "taken along": Function(
        lambda x, i: jnp.take_along_axis(x, i, 1), ["s", "h"], [("s, h", F32), ("s, h", I32)], True
    ),
    "a window of each row": Function(
        lambda x, i: jax.vmap(lambda row, at: jax.lax.dynamic_slice_in_dim(row, at[0], 2, 0))(x, i),
        ["s", "h"],
        [("s, h + 1", F32), ("s, 2", I32)],
        True,
    ),
    "a window written": Function(
        lambda x, u, i: jax.lax.dynamic_update_slice(x, u, (0, i[0], 0)),
        ["s", "h"],
        [("s, h + 2, 3", F32), ("s, 2, 3", F32), ("2", I32)],
        True,
    ),
    "a window of half of it written": Function(
        lambda x, i: jax.lax.dynamic_update_slice(x, 2 * x[: x.shape[0] // 2 + 1], (i[0], i[1])),
        ["s", "h"],
        [("s, h", F32), ("2", I32)],
        True,
    ),
    "recurrent": Function(_recurrent, ["b", "s"], [("b, s, 3", F32)]),
    "recurrent, a batch": Function(_recurrent, ["b"], [("b, 5, 3", F32)]),
    "recurrent both ways": Function(
        lambda x: jnp.concatenate([_recurrent(x), _recurrent(x, True)], -1), ["b", "s"], [("b, s, 3", F32)]
    ),
    "gradient of what is recurrent": Function(
        lambda x: jax.grad(lambda y: (_recurrent(y) ** 2).sum())(x), ["b", "s"], [("b, s, 3", F32)]
    ),
    "a cache": Function(_decoded, ["s"], [("s, 4", F32)]),
    "loops in a loop": Function(lambda x: jax.lax.scan(_halved, 0.0, x)[1], ["s"], [("s, 3", F32)]),
    "loops over all": Function(
        lambda x: jax.lax.scan(lambda c, r: jax.lax.scan(lambda d, e: (d * 0.5 + e, d), c, r), 0.0, x)[1],
        ["s", "h"],
        [("s, h", F32)],
    ),
    "rows in between": Function(
        lambda x: jax.lax.fori_loop(1, x.shape[0] - 1, lambda i, c: c + x[i - 1] * x[i + 1], x[0]),
        ["s"],
        [("s, 3", F32)],
    ),
    "half of the steps": Function(
        lambda x: jax.lax.fori_loop(0, x.shape[0] // 2, lambda i, c: c.at[i].set(c[-1 - i]), x),
        ["s"],
        [("s, 3", F32)],
        True,
    ),
    "from both ends": Function(
        lambda x: jax.lax.fori_loop(0, x.shape[0], lambda i, c: c * 0.5 + x[-1 - i] - x[i], x[0]),
        ["s"],
        [("s, 3", F32)],
    ),
    "steps until the rest is enough": Function(
        lambda x: jax.lax.while_loop(lambda c: jnp.abs(c).sum() > 1, lambda c: c / 2 + 0 * c.sum(), x[1:]),
        ["s"],
        [("s, 3", F32)],
    ),
    "steps until it is enough": Function(
        lambda x: jax.lax.while_loop(lambda c: c.sum() < 100, lambda c: c + 1, x), ["s", "h"], [("s, h", F32)]
    ),
    "whole numbers divided": Function(
        lambda x: jax.lax.scan(lambda c, r: (c + 7 // jnp.where(r == 0, 1, r), c), 0, x)[1], ["s"], [("s", I32)], True
    ),
    "places in order": Function(lambda x: jnp.searchsorted(jnp.arange(5.0), x), ["s", "h"], [("s, h", F32)], True),
    "sums so far": Function(lambda x: jnp.cumsum(x, 1), ["s", "h"], [("h, s", F32)], True),
    "products so far, from the end": Function(
        lambda x: jax.lax.cumprod(x, 0, reverse=True), ["s", "h"], [("s, h", F32)], True
    ),
    "the greatest so far": Function(lambda x: jax.lax.cummax(x, 1), ["s", "h"], [("h, s", F32)], True),
    "exponentials so far": Function(lambda x: jax.lax.cumlogsumexp(x, 0), ["s"], [("s, 3", F32)]),
    "gradient of sums so far": Function(
        lambda x: jax.grad(lambda y: (jnp.cumsum(y, 1) ** 2).sum())(x), ["s", "h"], [("h, s", F32)]
    ),
    "the first positive ones": Function(lambda x: jnp.where(x > 0, size=3)[0], ["s"], [("s", F32)], True),
    "places of all positive ones": Function(
        lambda x: jnp.argwhere(x > 0, size=x.shape[0] * x.shape[1], fill_value=-1), ["s", "h"], [("s, h", F32)], True
    ),
    "different ones": Function(lambda x: jnp.unique(x, size=4), ["s"], [("s", I32)], True),
    "rolled": Function(lambda x: jnp.roll(x, (1, -1), (0, 1)), ["s", "h"], [("s, h", F32)], True),
    "rolled by data": Function(lambda x, n: jnp.roll(x, n[1], 0), ["s", "h"], [("s, h", F32), ("2", I32)], True),
    "both halves": Function(lambda x: x[-(-x.shape[0] // 2) :], ["s"], [("s + 2, 3", F32)]),
    "padded to a multiple": Function(
        lambda x: jnp.pad(x, ((0, (-x.shape[0]) % 2), (x.shape[0], (-x.shape[1]) % 2))),
        ["s", "h"],
        [("s, h", F32)],
        True,
    ),
    "filtered in steps, as many": Function(
        lambda x: filtered(jax.nn.relu(filtered(x, window_strides=(2, 3))), window_strides=(2, 2)),
        ["h", "w"],
        [("2, 3, h, w", F32)],
    ),
    "averages of what is there": Function(
        lambda x: _sums(x) / _sums(jnp.ones_like(x)), ["h", "w"], [("2, 3, h, w", F32)]
    ),
    "peaks, as many": Function(
        lambda x: jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 2, 1), (1, 2, 2, 1), "SAME"),
        ["h", "w"],
        [("2, h, w, 3", F32)],
        True,
    ),
    "sums of images": Function(
        lambda x: jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, *x.shape[1:]), (1, 1, 1), "VALID"),
        ["h", "w"],
        [("2, h, w", F32)],
    ),
    "one of two": Function(
        lambda x: jax.lax.cond(x[0, 0] > 0, lambda y: y @ y.T, lambda y: jnp.eye(y.shape[0]), x),
        ["s", "h"],
        [("s, h", F32)],
    ),
    "one of several": Function(
        lambda x: jax.lax.switch(x[0] % 4, [lambda y: y * 2, jnp.cumsum, lambda y: y[::-1]], x),
        ["s"],
        [("s", I32)],
        True,
    ),
    "a loop with branches": Function(
        lambda x: jax.lax.scan(lambda c, r: (jax.lax.cond(r[0] > 0, lambda: c + r, lambda: c * 0.5), c), x[0], x)[1],
        ["s"],
        [("s, 3", F32)],
    ),
    "a diagonal": Function(jnp.diagonal, ["s"], [("s, s", F32)], True),
    "random numbers": Function(
        lambda x: jax.random.normal(jax.random.PRNGKey(0), x.shape), ["s", "h"], [("s, h", F32)]
    ),
    "dropout": Function(
        lambda x: jnp.where(jax.random.bernoulli(jax.random.PRNGKey(1), 0.9, x.shape), x / 0.9, 0.0),
        ["s", "h"],
        [("s, h", F32)],
        True,
    ),
    "a Fourier transform": Function(lambda x: jnp.abs(jnp.fft.rfft(x)), ["b", "s"], [("b, s, 8", F32)]),
    "a Fourier transform and back": Function(
        lambda x: jnp.fft.ifft2(jnp.fft.fft2(x) * (1 + 2j)).imag, ["b"], [("b, 4, 6", F32)]
    ),
    "linear systems": Function(lambda x: jnp.linalg.solve(_definite(x), x), ["b"], [("b, 3, 3", F32)]),
    "factors": Function(lambda x: jnp.linalg.cholesky(_definite(x)), ["b"], [("b, 3, 3", F32)]),
    "eigenvalues": Function(lambda x: jnp.linalg.eigvalsh(_definite(x)), ["b"], [("b, 3, 3", F32)]),
    "rotated": Function(
        lambda x: jnp.abs(jax.lax.complex(x[..., :2], x[..., 2:]) * jnp.exp(1j * jnp.arange(x.shape[1])[:, None]) + 1),
        ["b", "s"],
        [("b, s, 4", F32)],
    ),
    "gradient for a kernel": Function(
        lambda x: jax.grad(lambda k: (filtered(x, kernel=k, window_strides=(1, 2)) ** 2).sum())(KERNEL),
        ["b"],
        [("b, 3, 6, 7", F32)],
    ),
    "gradient of peaks": Function(lambda x: jax.grad(lambda y: (peaks(y) ** 2).sum())(x), ["b"], [("b, 3, 8, 7", F32)]),
    "gradient of peaks, channels last": Function(
        lambda x: jax.grad(lambda y: (_last_peaks(y) ** 2).sum())(jnp.round(x)), ["b", "s"], [("b, 8, 6, s", F32)]
    ),
}
