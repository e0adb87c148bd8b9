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

    def handle() -> Any:
        number = jnp.argmax(jnp.stack(wrong))
        found = jax.pure_callback(raises, jax.eval_shape(lambda: x), number)
        return jax.pure_callback(lambda found, number: found, jax.eval_shape(lambda: x), found, number)

    return jax.lax.cond(jnp.any(jnp.stack(wrong)), handle, lambda: x)


def checked(x: Any) -> Any:
    x = error_if(x, [jnp.any(x < -5), jnp.any(x > 100)], ["small", "large"])

    def step(carried: Any) -> Any:
        count, y = carried
        return count + 1, error_if(y * 1.5, [jnp.any(y > 1e6)], ["huge"])

    return jax.lax.while_loop(lambda c: (c[0] < 7) & (c[1].sum() < 1000), step, (0, x))


def unchecked(x: Any) -> Any:
    return jax.lax.while_loop(lambda c: (c[0] < 7) & (c[1].sum() < 1000), lambda c: (c[0] + 1, c[1] * 1.5), (0, x))


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

    def computes(x: Any) -> Any:
        shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
        return jax.lax.cond(x[0] > 0, lambda: jax.pure_callback(lambda y: y + 1, shape, x), lambda: x)

    with warnings.catch_warnings(), pytest.raises(UserError, match="it calls back into Python, which native code"):
        warnings.simplefilter("error")
        mlc_jax.jit(computes)(jnp.ones(3))
