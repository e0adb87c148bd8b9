"""What `jax.export` writes of symbolic shapes, compiled for ranges or for the shapes of a call, beside JAX itself."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")
export: Any = pytest.importorskip("jax.export")
jnp = jax.numpy

import mlc  # noqa: E402
from mlc.runtime.model import InputError  # noqa: E402
from mlc.support.errors import UserError  # noqa: E402

_WIDTH, _HEADS, _WORDS = 16, 4, 50
_RNG = np.random.default_rng(0)
_TABLE = jnp.asarray(_RNG.standard_normal((_WORDS, _WIDTH)), jnp.float32)
_WEIGHTS = [jnp.asarray(_RNG.standard_normal((_WIDTH, _WIDTH)) / 4, jnp.float32) for _ in range(5)]


def _norm(x: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


def _layer(ids: Any) -> Any:
    """A layer of a language model: embedding, causal attention, a network of two products."""
    (batch, length), (q, k, v, out, inner) = ids.shape, _WEIGHTS
    places = jnp.arange(length)
    x = _TABLE[ids] + jnp.sin(places.astype(jnp.float32))[None, :, None]
    heads = [(x @ w).reshape(batch, length, _HEADS, _WIDTH // _HEADS) for w in (q, k, v)]
    scores = jnp.einsum("bqhd,bkhd->bhqk", *heads[:2]) / 2
    scores = jnp.where(places[:, None] >= places[None, :], scores, -1e9)
    mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1), heads[2])
    x = _norm(x + mixed.reshape(batch, length, _WIDTH) @ out)
    return _norm(x + jax.nn.gelu(x @ inner) @ out)


_KERNEL = jnp.asarray(_RNG.standard_normal((3, 3, 3, 3)) / 4, jnp.float32)
_PADS = ((0, 0), (0, 0), (1, 1), (1, 1))


def _filtered(x: Any, **options: Any) -> Any:
    given = {"window_strides": (1, 1), "padding": "SAME", **options}
    return jax.lax.conv_general_dilated(x, _KERNEL, **given)


def _peaks(x: Any) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2), _PADS)


def _averages(x: Any) -> Any:
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, (1, 1, 2, 2), (1, 1, 2, 2), "VALID") / 4


def _cell(state: Any, row: Any) -> Any:
    after = jnp.tanh(row @ _WEIGHTS[0][:3, :4] + state @ _WEIGHTS[1][:4, :4])
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


@dataclass(frozen=True)
class _Function:
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
            least, most = (-12, 12) if self.hostile else (0, _WORDS)
            drawn = _RNG.integers(least, most, shape) if dtype == np.int32 else _RNG.standard_normal(shape)
            if self.hostile and dtype != np.int32:
                drawn = np.where(
                    _RNG.random(shape) < 0.2, _RNG.choice([np.nan, np.inf, -np.inf, 0.0, -0.0], shape), drawn
                )
            found.append(drawn.astype(dtype))
        return found

    def require_same(self, model: Any, extents: Mapping[str, int]) -> None:
        arrays = self.arrays(extents)
        wanted = np.asarray(jax.jit(self.function)(*arrays))
        found = np.asarray(model(*arrays))
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), extents
        np.testing.assert_allclose(found, wanted, rtol=2e-5, atol=2e-5, err_msg=str(extents))


_F32, _I32 = np.float32, np.int32
FUNCTIONS = {
    "layer": _Function(_layer, ["b", "s"], [("b, s", np.int32)]),
    "pooled": _Function(lambda ids: _layer(ids).mean(1), ["b", "s"], [("b, s", np.int32)]),
    "two inputs": _Function(
        lambda x, y: jnp.concatenate([x, y], 1).max(0) + x.sum(), ["b", "s"], [("b, s", _F32), ("b, s", _F32)]
    ),
    "places": _Function(lambda x: x * jnp.arange(x.shape[0])[:, None] / x.shape[0], ["s"], [("s, 3", _F32)]),
    "last": _Function(lambda x: x[:, -1], ["s"], [("4, s", _F32)]),
    "padding": _Function(lambda x: jnp.pad(x, ((0, 0), (2, 3))), ["s"], [("4, s", _F32)]),
    "images": _Function(
        lambda x: jax.lax.conv_general_dilated(x, jnp.ones((4, 3, 3, 3)), (1, 1), "SAME"), ["b"], [("b, 3, 8, 8", _F32)]
    ),
    "filtered": _Function(_filtered, ["h", "w"], [("2, 3, h, w", _F32)]),
    "filtered in steps": _Function(
        lambda x: _filtered(x + 1, window_strides=(2, 2), padding=((1, 1), (1, 2))), ["h", "w"], [("2, 3, h, w", _F32)]
    ),
    "filtered by a dilated kernel": _Function(
        lambda x: _filtered(x, padding=((2, 2), (4, 3)), rhs_dilation=(2, 2)), ["h", "w"], [("1, 3, h, w", _F32)]
    ),
    "filtered, channels last": _Function(
        lambda x: _filtered(x, dimension_numbers=("NHWC", "HWIO", "NHWC")), ["h", "w"], [("2, h, w, 3", _F32)]
    ),
    "peaks": _Function(lambda x: _peaks(-jnp.exp(x)), ["h", "w"], [("2, 3, h, w", _F32)]),
    "network": _Function(
        lambda x: _filtered(_peaks(jax.nn.relu(_filtered(x)))).mean((2, 3)), ["h", "w"], [("2, 3, h, w", _F32)]
    ),
    "averages": _Function(lambda x: _averages(_filtered(x)), ["b"], [("b, 3, 8, 8", _F32)]),
    "averages of any size": _Function(_averages, ["h", "w"], [("2, 3, h + 2, w + 2", _F32)]),
    "least of dilated windows": _Function(
        lambda x: jax.lax.reduce_window(
            x, jnp.inf, jax.lax.min, (3, 2), (2, 3), ((1, -1), (0, 2)), base_dilation=(2, 1), window_dilation=(1, 2)
        ),
        ["h", "w"],
        [("h + 2, w + 2", _F32)],
    ),
    "filtered, less at the ends": _Function(
        lambda x: _filtered(x, padding=((-1, 2), (1, -2))), ["h", "w"], [("2, 3, h + 4, w + 4", _F32)]
    ),
    "filtered between zeros": _Function(
        lambda x: _filtered(x, lhs_dilation=(2, 3), padding=((1, 1), (-1, 2)), window_strides=(2, 1)),
        ["h", "w"],
        [("2, 3, h + 2, w + 2", _F32)],
    ),
    "padded and cut": _Function(
        lambda x: jax.lax.pad(x, 3.0, ((-1, 2, 1), (2, -3, 0))), ["h", "w"], [("h + 1, w + 3", _F32)]
    ),
    "padded with an element": _Function(
        lambda x: jax.lax.pad(x, x[0, 0], ((-1, -1, 0), (1, -2, 2))), ["h", "w"], [("h + 2, w + 2", _F32)]
    ),
    "least in windows": _Function(
        lambda x: jax.lax.reduce_window(x, jnp.inf, jax.lax.min, (1, 3), (1, 1), "VALID"), ["b"], [("b, 9", _F32)]
    ),
    "differences": _Function(lambda x: x[:, 1:] - x[:, :-1], ["s"], [("4, s + 1", _F32)]),
    "flipped": _Function(lambda x: x[:, ::-1], ["s"], [("4, s", _F32)]),
    "some rows": _Function(lambda x: x[jnp.array([0, 2, 1, -1])] + x[2:3], ["s"], [("s + 2, 4", _F32)]),
    "triangle": _Function(lambda x: jnp.tril(x @ x.T), ["s"], [("s, 6", _F32)]),
    "sorted": _Function(lambda x: jnp.sort(x, 1), ["s"], [("4, s", _F32)]),
    "order": _Function(lambda x: jnp.argsort(-jnp.round(x), 1), ["s"], [("4, s", _F32)]),
    "median": _Function(lambda x: jnp.median(x, 0), ["s"], [("s, 5", _F32)]),
    "greatest": _Function(lambda x: jnp.argmax(jnp.round(x), 1), ["s"], [("4, s", _F32)]),
    "least of all": _Function(lambda x: jnp.argmin(x), ["b", "s"], [("b, s", _F32)]),
    "second half": _Function(lambda x: x[:, x.shape[1] // 2 :], ["s"], [("4, s", _F32)]),
    "every third": _Function(lambda x: x[1::3] * 2, ["s"], [("s + 1, 3", _F32)]),
    "pairs": _Function(lambda x: x.reshape(4, x.shape[1] // 2, 2).max(-1), ["s"], [("4, 2*s", _F32)]),
    "halves": _Function(lambda x: jnp.concatenate(jnp.split(x, 2, 1)[::-1], 1), ["s"], [("4, 2*s", _F32)]),
    "three greatest": _Function(lambda x: jax.lax.top_k(x, 3)[0], ["s"], [("4, s + 2", _F32)]),
    "one column set": _Function(lambda x: x.at[:, 0].set(1.0), ["s"], [("4, s", _F32)], hostile=True),
    "the last row set": _Function(lambda x: x.at[-1].set(x[0] * 2), ["s"], [("s, 3", _F32)]),
    "rows inside set": _Function(lambda x: x.at[1:-1].set(3.0), ["s"], [("s + 2, 3", _F32)]),
    "rows set by index": _Function(
        lambda x, i, u: x.at[i].set(u, mode="drop"), ["s", "h"], [("s, 3", _F32), ("h", _I32), ("h, 3", _F32)], True
    ),
    "rows added by index": _Function(
        lambda x, i, u: x.at[i].add(u), ["s", "h"], [("5, s", _F32), ("h", _I32), ("h, s", _F32)], True
    ),
    "the greatest by index": _Function(
        lambda x, i, u: x.at[:, i].max(u), ["s", "h"], [("s, 5", _F32), ("h", _I32), ("s, h", _F32)], True
    ),
    "elements added by index": _Function(
        lambda x, i, j: x.at[i, j].add(1.0), ["s", "h"], [("s, h", _F32), ("s", _I32), ("s", _I32)], True
    ),
    "an element of each row set": _Function(
        lambda x, i: jax.vmap(lambda row, at: row.at[at].set(1.0))(x, i),
        ["s", "h"],
        [("s, h", _F32), ("s, 2", _I32)],
        True,
    ),
    "sums of segments": _Function(
        lambda x, i: jax.ops.segment_sum(x, i, 7), ["s", "h"], [("s, h", _F32), ("s", _I32)], True
    ),
    "as many segments": _Function(
        lambda x, i: jax.ops.segment_max(x, i, x.shape[0]), ["s", "h"], [("s, h", _F32), ("s", _I32)], True
    ),
    "counts": _Function(lambda i: jnp.bincount(i, length=i.shape[0]), ["s"], [("s", _I32)], True),
    "changed in place": _Function(lambda x: x.at[jnp.arange(2)].apply(jnp.sin), ["s", "h"], [("s + 1, h", _F32)]),
    "gradient of an embedding": _Function(
        lambda x, i: jax.grad(lambda y: (y[i] ** 2).sum())(x), ["s", "h"], [("s, 3", _F32), ("h, 2", _I32)], True
    ),
    "elements by index": _Function(lambda x, i: x[i, :, -i], ["s", "h"], [("s, 3, h", _F32), ("h", _I32)], True),
    "rows or a number": _Function(
        lambda x, i: x.at[i].get(mode="fill", fill_value=-3.0), ["s", "h"], [("s, 2", _F32), ("h, 3", _I32)], True
    ),
    "taken along": _Function(
        lambda x, i: jnp.take_along_axis(x, i, 1), ["s", "h"], [("s, h", _F32), ("s, h", _I32)], True
    ),
    "a window of each row": _Function(
        lambda x, i: jax.vmap(lambda row, at: jax.lax.dynamic_slice_in_dim(row, at[0], 2, 0))(x, i),
        ["s", "h"],
        [("s, h + 1", _F32), ("s, 2", _I32)],
        True,
    ),
    "a window written": _Function(
        lambda x, u, i: jax.lax.dynamic_update_slice(x, u, (0, i[0], 0)),
        ["s", "h"],
        [("s, h + 2, 3", _F32), ("s, 2, 3", _F32), ("2", _I32)],
        True,
    ),
    "a window of half of it written": _Function(
        lambda x, i: jax.lax.dynamic_update_slice(x, 2 * x[: x.shape[0] // 2 + 1], (i[0], i[1])),
        ["s", "h"],
        [("s, h", _F32), ("2", _I32)],
        True,
    ),
    "recurrent": _Function(_recurrent, ["b", "s"], [("b, s, 3", _F32)]),
    "recurrent, a batch": _Function(_recurrent, ["b"], [("b, 5, 3", _F32)]),
    "recurrent both ways": _Function(
        lambda x: jnp.concatenate([_recurrent(x), _recurrent(x, True)], -1), ["b", "s"], [("b, s, 3", _F32)]
    ),
    "gradient of what is recurrent": _Function(
        lambda x: jax.grad(lambda y: (_recurrent(y) ** 2).sum())(x), ["b", "s"], [("b, s, 3", _F32)]
    ),
    "a cache": _Function(_decoded, ["s"], [("s, 4", _F32)]),
    "loops in a loop": _Function(lambda x: jax.lax.scan(_halved, 0.0, x)[1], ["s"], [("s, 3", _F32)]),
    "loops over all": _Function(
        lambda x: jax.lax.scan(lambda c, r: jax.lax.scan(lambda d, e: (d * 0.5 + e, d), c, r), 0.0, x)[1],
        ["s", "h"],
        [("s, h", _F32)],
    ),
    "rows in between": _Function(
        lambda x: jax.lax.fori_loop(1, x.shape[0] - 1, lambda i, c: c + x[i - 1] * x[i + 1], x[0]),
        ["s"],
        [("s, 3", _F32)],
    ),
    "half of the steps": _Function(
        lambda x: jax.lax.fori_loop(0, x.shape[0] // 2, lambda i, c: c.at[i].set(c[-1 - i]), x),
        ["s"],
        [("s, 3", _F32)],
        True,
    ),
    "from both ends": _Function(
        lambda x: jax.lax.fori_loop(0, x.shape[0], lambda i, c: c * 0.5 + x[-1 - i] - x[i], x[0]),
        ["s"],
        [("s, 3", _F32)],
    ),
    "steps until it is enough": _Function(
        lambda x: jax.lax.while_loop(lambda c: c.sum() < 100, lambda c: c + 1, x), ["s", "h"], [("s, h", _F32)]
    ),
    "whole numbers divided": _Function(
        lambda x: jax.lax.scan(lambda c, r: (c + 7 // jnp.where(r == 0, 1, r), c), 0, x)[1], ["s"], [("s", _I32)], True
    ),
    "places in order": _Function(lambda x: jnp.searchsorted(jnp.arange(5.0), x), ["s", "h"], [("s, h", _F32)], True),
}
_QUICK = ("two inputs", "last")


def _cases(names: Sequence[str]) -> list[Any]:
    return [pytest.param(name, marks=() if name in _QUICK else (pytest.mark.slow,)) for name in names]


def _longer(words: str) -> tuple[int | range, ...]:
    """The shape of an input whose extents are more than a symbol, which names no dim."""
    least, next_one, most = (
        [int(eval(word, {}, dict.fromkeys("hsw", n))) for word in words.split(",")] for n in (1, 2, 9)
    )
    return tuple(a if a == c else range(a, c + 1, b - a) for a, b, c in zip(least, next_one, most, strict=True))


@pytest.mark.parametrize("name", _cases([*FUNCTIONS]))
def test_one_code_for_a_range(name: str) -> None:
    """Small extents come after large ones: what lies after the data is that of the call before."""
    each = FUNCTIONS[name]
    given = {symbol: range(1, 10) for symbol in each.symbols}
    longer = {f"arg{i}": _longer(words) for i, (words, _) in enumerate(each.inputs) if set("+*") & set(words)}
    model = mlc.compile(each.text(), shapes=longer or given)
    for extents in ((9, 9), (1, 1), (3, 7), (1, 9), (4, 2), (9, 1), (2, 2)):
        each.require_same(model, dict(zip(each.symbols, extents, strict=False)))


_CALLS = {
    "changed by index": _Function(lambda x, i: x.at[i].apply(jnp.sin), ["s"], [("s, 3", _F32), ("s", _I32)], True),
    "twice as long": _Function(lambda x, y: (x.reshape(-1) * y).sum(), ["s"], [("s, 2", _F32), ("2*s", _F32)]),
}


@pytest.mark.parametrize("name", _cases([*_CALLS, "layer", "two inputs", "sorted", "greatest"]))
def test_code_for_the_shapes_of_a_call(name: str) -> None:
    each = (_CALLS | FUNCTIONS)[name]
    model = mlc.compile(each.text())
    for extents in ((2, 3), (5, 1), (2, 3)):
        each.require_same(model, dict(zip(each.symbols, extents, strict=False)))


def test_what_a_range_does_not_hold_is_refused_by_name() -> None:
    with pytest.raises(UserError, match=r"stablehlo\.scatter: its region is applied to s updates one after the other"):
        mlc.compile(_CALLS["changed by index"].text(), shapes={"s": range(1, 10)})


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda x: jax.lax.reduce_window(x, 0.0, lambda a, b: 2 * a + b, (1, 1, 2, 2), (1, 1, 2, 2), "VALID"),
            r"reduce_window: the extent of dim 2 of operand 0, .* at most, .*; required: a known one",
        ),
        (
            lambda x: _filtered(x, padding=((-2, -1), (-1, -2))),
            r"convolution: its window has 3 elements, and the image arg0 - 3, which may be 2",
        ),
    ],
)
def test_windows_that_have_no_form_for_any_size(function: Callable[..., Any], message: str) -> None:
    text = _Function(function, ["h", "w"], [("2, 3, h + 4, w + 4", _F32)]).text()
    with pytest.raises(UserError, match=message):
        mlc.compile(text, shapes={"arg0": (2, 3, range(5, 14), range(5, 14))})


def test_relations_that_are_not_proved_are_refused() -> None:
    text = _CALLS["twice as long"].text()
    with pytest.raises(UserError, match=r"an assertion is not proved for all extents .* the specification '2\*s'"):
        mlc.compile(text, shapes={"s": range(1, 10), "arg1": (range(2, 20),)})
    with pytest.raises(UserError, match=r"an assertion is not met: .*args\[1\]\.shape\[0\] \(= 7\)"):
        mlc.compile(text, shapes={"s": 3, "arg1": (7,)})
    model: Any = mlc.compile(text, shapes={"s": 3})
    with pytest.raises(InputError, match="these shapes leave dims open: arg1"):
        model.bound({"s": 3})


def test_calls_outside_of_what_is_promised() -> None:
    each = FUNCTIONS["two inputs"]
    model = mlc.compile(each.text(), shapes={"b": range(1, 5), "s": range(2, 9)})
    good = np.zeros((3, 4), np.float32)
    for x, y in product((good[:, :1], np.zeros((5, 4), np.float32), np.zeros((3, 9), np.float32)), (good,)):
        with pytest.raises(InputError):
            model(x, x)
        with pytest.raises(InputError):
            model(x, y)
    with pytest.raises(InputError):
        model(good, good[:, :3])


def test_an_assertion_that_a_range_breaks() -> None:
    with pytest.raises(UserError, match=r"an assertion is not proved for all extents .* Expected value >= 1"):
        mlc.compile(FUNCTIONS["last"].text(), shapes={"s": range(5)})


@pytest.mark.parametrize(
    "function",
    [
        lambda x, at: jax.lax.dynamic_slice_in_dim(x, at[0], 2, 1),
        lambda x, at: jnp.take(x, at, 1, mode="clip"),
    ],
    ids=["window", "columns"],
)
def test_places_that_data_say_stay_inside(function: Callable[..., Any]) -> None:
    """They are clamped to what a call gives, and not to what there is room for."""
    scope = export.SymbolicScope(["s >= 2"])
    x = jax.ShapeDtypeStruct(export.symbolic_shape("4, s", scope=scope), jnp.float32)
    text = export.export(jax.jit(function))(x, jax.ShapeDtypeStruct((3,), jnp.int32)).mlir_module()
    model: Any = mlc.compile(text, shapes={"s": range(2, 10)})
    for length in (9, 2, 5):
        array = _RNG.standard_normal((4, length)).astype(np.float32)
        for places in ((0, 1, 1), (7, -1, 3), (100, 8, -100)):
            at = np.array(places, np.int32)
            np.testing.assert_array_equal(model(array, at), np.asarray(jax.jit(function)(array, at)))


def test_branches_do_not_see_open_dims() -> None:
    def function(x: Any) -> Any:
        return jax.lax.cond(x[0, 0] > 0, lambda y: y * 2, lambda y: y + 1, x)

    x = jax.ShapeDtypeStruct(export.symbolic_shape("4, s"), jnp.float32)
    text = export.export(jax.jit(function))(x).mlir_module()
    with pytest.raises(UserError, match=r"stablehlo\.case: the extent of dim 1 of what its region reads"):
        mlc.compile(text, shapes={"s": range(1, 10)})
    array = np.ones((4, 3), np.float32)
    np.testing.assert_array_equal(mlc.compile(text)(array), array * 2)
