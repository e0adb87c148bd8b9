"""Functions of JAX that JAX compiles first."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

jax: Any = pytest.importorskip("jax")
jnp: Any = jax.numpy

import mlc  # noqa: E402
from mlc.support.errors import CompilerBug  # noqa: E402
from tests.unit.held_builds import HeldBuilds, held_builds  # noqa: E402


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[HeldBuilds]:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    with held_builds(monkeypatch) as found:
        yield found


def _norm(x: Any, y: Any) -> Any:
    return {"sum": x @ y, "norm": jnp.sqrt((x * x).sum())}


_X, _Y = np.linspace(-1, 1, 12, dtype=np.float32).reshape(3, 4), np.ones((4, 2), np.float32)


def _assert_as_numpy(found: Any) -> None:
    np.testing.assert_allclose(found["sum"], _X @ _Y, rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(found["norm"], np.linalg.norm(_X), rtol=1e-6)


def test_calls_run_by_jax_until_the_code_is_there(held: HeldBuilds) -> None:
    traced = list[Any]()

    def function(x: Any, y: Any) -> Any:
        traced.append(type(x))
        return _norm(x, y)

    fast = mlc.jax.jit(function, tiered=True)
    for _ in range(2):
        _assert_as_numpy(fast(_X, y=_Y))
    assert len(traced) == 1  # for mlc and for JAX
    held.go_on()
    for _ in range(2):
        _assert_as_numpy(fast(_X, y=_Y))
    assert (held.count, len(traced)) == (1, 1)


def test_other_shapes_are_compiled_anew(held: HeldBuilds) -> None:
    fast = mlc.jax.jit(lambda x: x * 2, tiered=True)
    for n in (3, 4, 3):
        np.testing.assert_array_equal(fast(np.ones(n, np.float32)), np.full(n, 2))
    held.go_on()
    for n in (3, 4):
        np.testing.assert_array_equal(fast(np.ones(n, np.float32)), np.full(n, 2))
    assert held.count == 2


def test_static_and_donated_arguments(held: HeldBuilds) -> None:
    fast = mlc.jax.jit(lambda x, n: x * n, static_argnums=1, donate_argnums=0, tiered=True)
    for _ in range(2):
        x = jnp.ones(5)
        np.testing.assert_array_equal(fast(x, 3), np.full(5, 3))
        assert x.is_deleted()
        held.go_on()


def test_as_a_decorator_and_inside_of_a_transformation(held: HeldBuilds) -> None:
    def square(x: Any) -> Any:
        return x * x

    square = mlc.jax.jit(tiered=True)(square)
    assert float(jax.grad(square)(3.0)) == 6.0
    assert float(square(3.0)) == 9.0
    held.go_on()
    assert float(square(3.0)) == 9.0
    assert held.count == 1


def test_what_jax_holds_for_a_thread_is_that_of_the_caller(held: HeldBuilds) -> None:
    fast = mlc.jax.jit(lambda x: x / 3, tiered=True)
    with jax.enable_x64(True):
        x = jnp.ones(3)
        for _ in range(2):
            found = fast(x)
            assert found.dtype == np.float64
            np.testing.assert_array_equal(found, np.ones(3) / 3)
            held.go_on()


def test_where_there_will_be_no_code_the_call_says_why(held: HeldBuilds) -> None:
    held.failure = "no luck"
    fast = mlc.jax.jit(lambda x: x + 1, tiered=True)
    fast(np.ones(3, np.float32))
    held.go_on()
    with pytest.raises(CompilerBug, match="no luck"):
        fast(np.ones(3, np.float32))
