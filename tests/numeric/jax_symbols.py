"""Functions of JAX with symbolic shapes, and how they are held against JAX itself."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")
export: Any = pytest.importorskip("jax.export")
jnp = jax.numpy

_WIDTH, _HEADS, WORDS = 16, 4, 50
RNG = np.random.default_rng(0)
_TABLE = jnp.asarray(RNG.standard_normal((WORDS, _WIDTH)), jnp.float32)
WEIGHTS = [jnp.asarray(RNG.standard_normal((_WIDTH, _WIDTH)) / 4, jnp.float32) for _ in range(5)]


def _norm(x: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def _layer(ids: Any) -> Any:
    """A layer of a language model: embedding, causal attention, a network of two products."""
    (batch, length), (q, k, v, out, inner) = ids.shape, WEIGHTS
    places = jnp.arange(length)
    x = _TABLE[ids] + jnp.sin(places.astype(jnp.float32))[None, :, None]
    heads = [(x @ w).reshape(batch, length, _HEADS, _WIDTH // _HEADS) for w in (q, k, v)]
    scores = jnp.einsum("bqhd,bkhd->bhqk", *heads[:2]) / 2
    scores = jnp.where(places[:, None] >= places[None, :], scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), heads[2])
    x = _norm(x + mixed.reshape(batch, length, _WIDTH) @ out)
    return _norm(x + jax.nn.gelu(x @ inner) @ out)


KERNEL = jnp.asarray(RNG.standard_normal((3, 3, 3, 3)) / 4, jnp.float32)
_PADS = ((0, 0), (0, 0), (1, 1), (1, 1))


def filtered(x: Any, kernel: Any = KERNEL, **options: Any) -> Any:
    given = {"window_strides": (1, 1), "padding": "SAME", **options}
    return jax.lax.conv_general_dilated(x, kernel, **given)


def peaks(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2), _PADS)


def _averages(x: Any) -> Any:
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4


@dataclass(frozen=True)
class Function:
    function: Callable[..., Any]
    symbols: Sequence[str]
    inputs: Sequence[tuple[str, Any]]
    """The shapes, with symbols, and dtypes."""
    hostile: bool = False
    """Whether integers are small ones of both signs, and floats infinities, NaN and both zeros as well."""

    def text(self) -> str:
        scope = export.SymbolicScope()
        shapes = [export.symbolic_shape(shape, scope=scope) for shape, _ in self.inputs]
        given = [jax.ShapeDtypeStruct(s, d) for s, (_, d) in zip(shapes, self.inputs, strict=True)]
        return export.export(jax.jit(self.function))(*given).mlir_module()

    def arrays(self, extents: Mapping[str, int]) -> list[Any]:
        found: list[Any] = []
        for words, dtype in self.inputs:
            shape = tuple(int(eval(word, {}, dict(extents))) for word in words.split(","))
            least, most = (-12, 12) if self.hostile else (0, WORDS)
            drawn = RNG.integers(least, most, shape) if dtype == np.int32 else RNG.standard_normal(shape)
            if self.hostile and dtype != np.int32:
                drawn = np.where(
                    RNG.random(shape) < 0.2, RNG.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), drawn
                )
            found.append(drawn.astype(dtype))
        return found

    def require_same(self, model: Any, extents: Mapping[str, int]) -> None:
        arrays = self.arrays(extents)
        wanted = np.asarray(jax.jit(self.function)(*arrays))
        found = np.asarray(model(*arrays))
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), extents
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5, err_msg=str(extents))


F32, I32 = np.float32, np.int32
SHAPED = {
    "layer": Function(_layer, ["b", "s"], [("b, s", np.int32)]),
    "pooled": Function(lambda ids: _layer(ids).mean(1), ["b", "s"], [("b, s", np.int32)]),
    "two inputs": Function(
        lambda x, y: jnp.concatenate([x, y], 1).max(0) + x.sum(), ["b", "s"], [("b, s", F32), ("b, s", F32)]
    ),
    "places": Function(lambda x: x * jnp.arange(x.shape[0])[:, None] / x.shape[0], ["s"], [("s, 3", F32)]),
    "last": Function(lambda x: x[:, -1], ["s"], [("4, s", F32)]),
    "padding": Function(lambda x: jnp.pad(x, ((0, 0), (2, 3))), ["s"], [("4, s", F32)]),
    "images": Function(
        lambda x: jax.lax.conv_general_dilated(x, jnp.ones((4, 3, 3, 3)), (1, 1), "SAME"), ["b"], [("b, 3, 8, 8", F32)]
    ),
    "filtered": Function(filtered, ["h", "w"], [("2, 3, h, w", F32)]),
    "filtered in steps": Function(
        lambda x: filtered(x + 1, window_strides=(2, 2), padding=((1, 1), (1, 2))), ["h", "w"], [("2, 3, h, w", F32)]
    ),
    "filtered by a dilated kernel": Function(
        lambda x: filtered(x, padding=((2, 2), (4, 3)), rhs_dilation=(2, 2)), ["h", "w"], [("1, 3, h, w", F32)]
    ),
    "filtered, channels last": Function(
        lambda x: filtered(x, dimension_numbers=("NHWC", "HWIO", "NHWC")), ["h", "w"], [("2, h, w, 3", F32)]
    ),
    "peaks": Function(lambda x: peaks(-jnp.exp(x)), ["h", "w"], [("2, 3, h, w", F32)]),
    "network": Function(
        lambda x: filtered(peaks(jax.nn.relu(filtered(x)))).mean((2, 3)), ["h", "w"], [("2, 3, h, w", F32)]
    ),
    "averages": Function(lambda x: _averages(filtered(x)), ["b"], [("b, 3, 8, 8", F32)]),
    "averages of any size": Function(_averages, ["h", "w"], [("2, 3, h + 2, w + 2", F32)]),
    "least of dilated windows": Function(
        lambda x: jax.lax.reduce_window(
            x, jnp.inf, jax.lax.min, (3, 2), (2, 3), ((1, -1), (0, 2)), base_dilation=(2, 1), window_dilation=(1, 2)
        ),
        ["h", "w"],
        [("h + 2, w + 2", F32)],
    ),
    "filtered, less at the ends": Function(
        lambda x: filtered(x, padding=((-1, 2), (1, -2))), ["h", "w"], [("2, 3, h + 4, w + 4", F32)]
    ),
    "filtered between zeros": Function(
        lambda x: filtered(x, lhs_dilation=(2, 3), padding=((1, 1), (-1, 2)), window_strides=(2, 1)),
        ["h", "w"],
        [("2, 3, h + 2, w + 2", F32)],
    ),
    "padded and cut": Function(
        lambda x: jax.lax.pad(x, 3.0, ((-1, 2, 1), (2, -3, 0))), ["h", "w"], [("h + 1, w + 3", F32)]
    ),
    "padded with an element": Function(
        lambda x: jax.lax.pad(x, x[0, 0], ((-1, -1, 0), (1, -2, 2))), ["h", "w"], [("h + 2, w + 2", F32)]
    ),
    "least in windows": Function(
        lambda x: jax.lax.reduce_window(x, jnp.inf, jax.lax.min, (1, 3), (1, 1), "VALID"), ["b"], [("b, 9", F32)]
    ),
    "differences": Function(lambda x: x[:, 1:] - x[:, :-1], ["s"], [("4, s + 1", F32)]),
    "flipped": Function(lambda x: x[:, ::-1], ["s"], [("4, s", F32)]),
    "some rows": Function(lambda x: x[jnp.array([0, 2, 1, -1])] + x[2:3], ["s"], [("s + 2, 4", F32)]),
    "triangle": Function(lambda x: jnp.tril(x @ x.T), ["s"], [("s, 6", F32)]),
    "sorted": Function(lambda x: jnp.sort(x, 1), ["s"], [("4, s", F32)]),
    "order": Function(lambda x: jnp.argsort(-jnp.round(x), 1), ["s"], [("4, s", F32)]),
    "median": Function(lambda x: jnp.median(x, 0), ["s"], [("s, 5", F32)]),
    "greatest": Function(lambda x: jnp.argmax(jnp.round(x), 1), ["s"], [("4, s", F32)]),
    "least of all": Function(lambda x: jnp.argmin(x), ["b", "s"], [("b, s", F32)]),
    "second half": Function(lambda x: x[:, x.shape[1] // 2 :], ["s"], [("4, s", F32)]),
    "every third": Function(lambda x: x[1::3] * 2, ["s"], [("s + 1, 3", F32)]),
    "pairs": Function(lambda x: x.reshape(4, x.shape[1] // 2, 2).max(-1), ["s"], [("4, 2*s", F32)]),
    "halves": Function(lambda x: jnp.concatenate(jnp.split(x, 2, 1)[::-1], 1), ["s"], [("4, 2*s", F32)]),
    "three greatest": Function(lambda x: jax.lax.top_k(x, 3)[0], ["s"], [("4, s + 2", F32)]),
}


def ranged(words: str) -> tuple[int | range, ...]:
    """The shape of an input whose extents are more than a symbol, which names no dim."""
    least, next_one, most = (
        [int(eval(word, {}, dict.fromkeys("hsw", n))) for word in words.split(",")] for n in (1, 2, 9)
    )
    return tuple(a if a == c else range(a, c + 1, b - a) for a, b, c in zip(least, next_one, most, strict=True))
