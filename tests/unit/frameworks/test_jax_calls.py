"""Calls of functions of many leaves: what was checked once is recognised, and nothing else is taken for it."""

# JAX gives types that are not whole.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownLambdaType=false, reportPrivateUsage=false

from __future__ import annotations

import subprocess
import sys
from typing import Any, cast

import numpy as np
import pytest

from mlc.runtime import InputError

jax: Any = pytest.importorskip("jax")
from mlc.frameworks import jax as mlc_jax  # noqa: E402
from mlc.frameworks.jax import _xla_call  # noqa: E402
from mlc.support.errors import UserError  # noqa: E402

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


# ---- many small results, whose memory XLA makes


def parts(x: Any, y: Any) -> dict[str, Any]:
    """Results of several types and shapes, scalars and such without elements among them."""
    found = {f"r{i}": x[i % 4] * i for i in range(20)}
    return {**found, "sum": y.sum(), "signs": y > 0, "none": y[:0], "short": y.astype(jnp.bfloat16), "x": x}


@pytest.mark.parametrize("compiled", [True, False], ids=["compile", "jit"])
def test_many_results_are_written_where_xla_wants_them(compiled: bool) -> None:
    x, y = jnp.arange(12, dtype=jnp.int32).reshape(4, 3), jnp.arange(-2.0, 3.0)
    function = mlc_jax.compile(parts, x, y) if compiled else mlc_jax.jit(parts)
    results: list[tuple[Any, Any]] = []
    for step in range(20):  # what a call has returned stays as it is
        results.append((function(x + step, y * step), parts(x + step, y * step)))
    results.append((function(np.asarray(x), np.asarray(y)), parts(x, y)))
    for found, wanted in results:
        assert jax.tree.structure(found) == jax.tree.structure(wanted)
        for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            assert a.dtype == b.dtype and isinstance(a, jax.Array)
            np.testing.assert_array_equal(np.asarray(a, np.float64), np.asarray(b, np.float64))


def test_who_calls_functions_of_many_results() -> None:
    x, y = jnp.ones((4, 3), jnp.int32), jnp.ones(5)
    assert mlc_jax.compile(parts, x, y)._by_xla is not None
    assert mlc_jax.compile(parts, x, y, donate_argnums=0)._by_xla is None, "donated arguments are deleted"
    assert mlc_jax.compile(lambda x: [x + i for i in range(15)], y)._by_xla is None, "few results"
    large = jnp.ones(1 << 17)
    assert mlc_jax.compile(lambda x: [x + i for i in range(16)], large)._by_xla is None, "large results"


def test_many_results_of_64_bits_outside_of_where_they_are_allowed() -> None:
    with jax.enable_x64(True):
        y = jnp.arange(4.0)
        assert y.dtype == np.float64
        compiled = mlc_jax.compile(lambda y: [y + i for i in range(17)], y)
    for i, found in enumerate(compiled(y)):
        assert found.dtype == np.float64
        np.testing.assert_array_equal(np.asarray(found), np.arange(4.0) + i)


def test_many_results_without_a_way_for_xla(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_xla_call, "_is_registered", lambda: False)
    compiled = mlc_jax.compile(lambda y: [y + i for i in range(17)], jnp.ones(3))
    assert compiled._by_xla is None
    assert [float(found[0]) for found in compiled(jnp.ones(3))] == [1.0 + i for i in range(17)]


def test_no_clang_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*_: Any) -> Any:
        raise UserError("mlc needs clang")

    monkeypatch.setattr(_xla_call, "find_clang", none)
    assert not cast(Any, _xla_call._is_registered).__wrapped__()


@pytest.mark.parametrize("name", ["int4", "uint4", "int2", "uint2", "float4_e2m1fn"])
@pytest.mark.parametrize("compiled", [True, False], ids=["compile", "jit"])
def test_arrays_of_jax_with_several_elements_in_a_byte(name: str, compiled: bool) -> None:
    """XLA packs them, artifacts do not: of seven elements both read and write other bytes."""
    dtype = jnp.dtype(name)
    short = jnp.asarray([-1, 1, 0, 2, -2, 1, 3], jnp.float32).astype(dtype)
    many = {f"k{i}": short for i in range(20)}

    def function(x: Any, y: Any, many: Any) -> Any:
        wide = x.astype(jnp.float32)
        return wide, (wide + y).astype(dtype), x[::-1], {k: v[1:] for k, v in many.items()}

    y = jnp.asarray([1, -1, 0, 0, 0, -1, 0], jnp.float32)
    called = mlc_jax.compile(function, short, y, many) if compiled else mlc_jax.jit(function)
    # Of NumPy, as arithmetic on these types is not the same in all versions of XLA.
    array = np.asarray(short)
    wide = array.astype(np.float32)
    wanted = [wide, (wide + np.asarray(y)).astype(array.dtype), array[::-1], *[array[1:]] * 20]
    for given in (short, array):
        found = jax.tree.leaves(called(given, y, many))
        assert all(isinstance(each, jax.Array) for each in found)
        for one, other in zip(found, wanted, strict=True):
            assert one.dtype == other.dtype
            np.testing.assert_array_equal(np.asarray(one), other)
