"""What `jax.export` writes of symbolic shapes, compiled for ranges or for the shapes of a call, beside JAX itself."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportUnknownParameterType=false
from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.runtime.model import InputError
from mlc.support.errors import UserError
from tests.numeric.jax_placed import PLACED
from tests.numeric.jax_symbols import F32, I32, RNG, SHAPED, Function, export, filtered, jax, jnp, ranged

FUNCTIONS = {**SHAPED, **PLACED}
_QUICK = ("two inputs", "last")


def _cases(names: Sequence[str]) -> list[Any]:
    return [pytest.param(name, marks=() if name in _QUICK else (pytest.mark.slow,)) for name in names]


@pytest.mark.sampled(10)
@pytest.mark.parametrize("name", _cases([*FUNCTIONS]))
def test_one_code_for_a_range(name: str) -> None:
    """Small extents come after large ones: what lies after the data is that of the call before."""
    each = FUNCTIONS[name]
    given = {symbol: range(1, 10) for symbol in each.symbols}
    longer = {f"arg{i}": ranged(words) for i, (words, _) in enumerate(each.inputs) if set("+*") & set(words)}
    model = mlc.compile(each.text(), shapes=longer or given)
    for extents in ((9, 9), (1, 1), (3, 7), (1, 9), (4, 2), (9, 1), (2, 2)):
        each.require_same(model, dict(zip(each.symbols, extents, strict=False)))


_CALLS = {
    "changed by index": Function(lambda x, i: x.at[i].apply(jnp.sin), ["s"], [("s, 3", F32), ("s", I32)], True),
    "twice as long": Function(lambda x, y: (x.reshape(-1) * y).sum(), ["s"], [("s, 2", F32), ("2*s", F32)]),
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
            lambda x: filtered(x, padding=((-2, -1), (-1, -2))),
            r"convolution: its window has 3 elements, and the image arg0 - 3, which may be 2",
        ),
    ],
)
def test_windows_that_have_no_form_for_any_size(function: Callable[..., Any], message: str) -> None:
    text = Function(function, ["h", "w"], [("2, 3, h + 4, w + 4", F32)]).text()
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
        array = RNG.standard_normal((4, length)).astype(np.float32)
        for places in ((0, 1, 1), (7, -1, 3), (100, 8, -100)):
            at = np.array(places, np.int32)
            np.testing.assert_array_equal(model(array, at), np.asarray(jax.jit(function)(array, at)))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda x: jnp.linalg.solve(jnp.eye(x.shape[0]), x),
            r"custom_call: the extent of dim . of operand 0, .* known at the call only; required: a known one",
        ),
        (
            lambda x: jnp.roll(x, 3, 0),
            r"real_dynamic_slice: operand 1 depends on data; required: a constant, or the size of a dim",
        ),
        (
            lambda x: x.at[jnp.arange(x.shape[0])].apply(jnp.sin),
            r"scatter: its region is applied to s updates one after the other",
        ),
    ],
)
def test_what_no_range_holds(function: Callable[..., Any], message: str) -> None:
    text = Function(function, ["s"], [("s, s", F32)]).text()
    with pytest.raises(UserError, match=message):
        mlc.compile(text, shapes={"s": range(1, 10)})


def test_a_depthwise_kernel_has_no_gradient_for_a_range() -> None:
    def function(x: Any) -> Any:
        return jax.grad(lambda k: filtered(x, kernel=k, feature_group_count=3).sum())(jnp.ones((3, 1, 3, 3)))

    text = Function(function, ["b"], [("b, 3, 6, 6", F32)]).text()
    with pytest.raises(UserError, match=r"convolution: the extent of dim 0 of operand 0, .*; required: a known one"):
        mlc.compile(text, shapes={"b": range(1, 10)})


def test_a_roll_by_as_many_as_there_are_at_least() -> None:
    scope = export.SymbolicScope(["s >= 3"])
    x = jax.ShapeDtypeStruct(export.symbolic_shape("s", scope=scope), jnp.float32)
    for shift in (-3, -1, 2, 3):
        text = export.export(jax.jit(lambda x, shift=shift: jnp.roll(x, shift)))(x).mlir_module()
        model: Any = mlc.compile(text, shapes={"s": range(3, 8)})
        for length in (7, 3, 4):
            array = np.arange(length, dtype=np.float32)
            np.testing.assert_array_equal(model(array), np.roll(array, shift))
