"""Calls of functions of many leaves: what was checked once is recognised, and nothing else is taken for it."""

# JAX gives types that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from mlc.runtime import InputError

jax: Any = pytest.importorskip("jax")
from mlc.frameworks import jax as mlc_jax  # noqa: E402

jnp: Any = jax.numpy


def leaves(count: int = 20) -> dict[str, Any]:
    return {f"k{i}": jnp.full((1 + i % 3,), i, jnp.float32) for i in range(count)}


def total(values: dict[str, Any], rate: Any) -> dict[str, Any]:
    return {name: value * rate + i for i, (name, value) in enumerate(values.items())}


def expected(values: dict[str, Any], rate: Any) -> list[Any]:
    return [np.asarray(v) * float(rate) + i for i, v in enumerate(jax.tree.leaves(values))]


@pytest.mark.parametrize("compiled", [True, False], ids=["compile", "jit"])
def test_each_call_sees_its_own_values(compiled: bool) -> None:
    values = leaves()
    function = mlc_jax.compile(total, values, 0.5) if compiled else mlc_jax.jit(total)
    for rate, given in ((0.5, values), (2.0, values), (0.5, leaves()), (0.25, jax.tree.map(lambda v: v - 3, values))):
        found = function(given, rate)
        for one, other in zip(jax.tree.leaves(found), expected(given, rate), strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-6)
    mixed = {name: np.asarray(v) if name.endswith("7") else v for name, v in values.items()}
    for one, other in zip(jax.tree.leaves(function(mixed, 0.5)), expected(values, 0.5), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-6)


def test_one_leaf_of_another_type_is_found_after_calls_that_were_right() -> None:
    values = leaves()
    function = mlc_jax.compile(total, values, 0.5)
    function(values, 0.5)
    for wrong in (jnp.ones(9), jnp.ones(3, jnp.int32), np.ones(9, np.float32)):
        with pytest.raises(InputError, match=r"argument 'values.k17' is .*; required: float32\[3\]"):
            function({**values, "k17": wrong}, 0.5)
    function(values, 0.5)
    # A weak type is a type of its own to JAX, and the same memory.
    found = function({**values, "k17": jnp.asarray([1.0, 2.0, 3.0]) * 2}, 0.5)
    np.testing.assert_allclose(found["k17"], np.array([1.0, 2.0, 3.0]) + sorted(values).index("k17"))


def test_the_first_call_may_be_inside_of_a_trace() -> None:
    """In a process of its own, in which nothing has asked JAX what arrays are."""
    program = """
import jax, jax.numpy as jnp, mlc.jax
f = mlc.jax.jit(lambda x: (x * x).sum())
assert jax.jit(jax.grad(f))(jnp.arange(3.0)).tolist() == [0, 2, 4]
assert float(f(jnp.arange(3.0))) == 5
assert jax.grad(f)(jnp.arange(3.0)).tolist() == [0, 2, 4]
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
