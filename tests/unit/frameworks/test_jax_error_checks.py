"""Checks that call back into Python to raise, as `equinox.error_if` makes them, are left out with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")

from mlc.frameworks import jax as mlc_jax  # noqa: E402
from mlc.support.errors import UserError  # noqa: E402

jnp: Any = jax.numpy
MESSAGE = r"error checks that call back into Python are left out: .* goes on with the values that were checked"


def error_if(x: Any, wrong: Sequence[Any], messages: Sequence[str]) -> Any:
    """`x`, but an error with the first message whose condition holds."""

    def raises(number: Any) -> NoReturn:
        raise RuntimeError(messages[int(number)])

    def second(found: Any, number: Any) -> Any:
        return found

    def same() -> Any:
        return x

    def handle() -> Any:
        number = jnp.argmax(jnp.stack(wrong))
        found = jax.pure_callback(raises, jax.eval_shape(lambda: x), number)
        return jax.pure_callback(second, jax.eval_shape(lambda: x), found, number)

    return jax.lax.cond(jnp.any(jnp.stack(wrong)), handle, same)


def is_small(carried: Any) -> Any:
    return (carried[0] < 7) & (carried[1].sum() < 1000)


def checked(x: Any) -> Any:
    x = error_if(x, [jnp.any(x < -5), jnp.any(x > 100)], ["small", "large"])

    def step(carried: Any) -> Any:
        count, y = carried
        return count + 1, error_if(y * 1.5, [jnp.any(y > 1e6)], ["huge"])

    return jax.lax.while_loop(is_small, step, (0, x))


def unchecked(x: Any) -> Any:
    def step(carried: Any) -> Any:
        return carried[0] + 1, carried[1] * 1.5

    return jax.lax.while_loop(is_small, step, (0, x))


@pytest.mark.parametrize("first", [0.0, -9.0, 200.0])
def test_values_go_on_whether_a_check_fails_or_not(first: float) -> None:
    x = jnp.arange(4.0) + first
    with pytest.warns(UserWarning, match=MESSAGE):
        found = mlc_jax.jit(checked)(x)
    for one, other in zip(found, jax.jit(unchecked)(x), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_one_that_is_recalled_warns_again() -> None:
    for _ in range(2):
        with pytest.warns(UserWarning, match=MESSAGE) as caught:
            mlc_jax.compile(checked, jnp.arange(3.0))
        assert len(caught) == 1


def test_what_does_not_only_raise_is_refused() -> None:
    """A callback that sees the values may compute with them."""

    def add_one(y: Any) -> Any:
        return y + 1

    def computes(x: Any) -> Any:
        def calls_back() -> Any:
            return jax.pure_callback(add_one, jax.ShapeDtypeStruct(x.shape, x.dtype), x)

        def same() -> Any:
            return x

        return jax.lax.cond(x[0] > 0, calls_back, same)

    with warnings.catch_warnings(), pytest.raises(UserError, match="it calls back into Python, which native code"):
        warnings.simplefilter("error")
        mlc_jax.jit(computes)(jnp.ones(3))
