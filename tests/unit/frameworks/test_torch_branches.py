"""`torch.cond` and `while_loop`, by the backend and in libraries, beside eager torch."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np
import pytest

from mlc.dialects.aten.branches import bodies_of
from mlc.dialects.aten.graph_source import GraphSource
from mlc.dialects.aten.identity import identity_of
from mlc.support.errors import UserError
from tests.unit.frameworks.eager import assert_as_eager, assert_same_gradients, backend, compiled, torch

_loops: Any = import_module("torch._higher_order_ops.while_loop")
_weight = torch.linspace(-1, 1, 12).reshape(4, 3)


def _while(condition: Callable[..., Any], step: Callable[..., Any], *carried: Any) -> Any:
    return _loops.while_loop(condition, step, carried)


def _either(x: Any) -> Any:
    return torch.cond(x.sum() > 0, lambda a: (a @ _weight).relu(), lambda a: a[:, :3] - 1, (x,)) * 2


def _nested(x: Any) -> Any:
    def inner(a: Any) -> Any:
        return torch.cond(a.mean() > 1, lambda c: c.cos(), lambda c: c.sin(), (a,))

    return torch.cond(x.sum() > 0, inner, lambda a: a.exp(), (x,))


def _several(x: Any) -> Any:
    return torch.cond((x.sum() > 0).reshape(1), lambda a: (a + 1, a.sum(0)), lambda a: (a * 2, a[0].clone()), (x,))


def _newton(x: Any) -> Any:
    """Square roots, until all are near."""
    start = x.abs() + 1
    return _while(
        lambda i, y: (i < 50) & ((y * y - x.abs()).abs().max() > 1e-4),
        lambda i, y: (i + 1, (y + x.abs() / y) / 2),
        torch.zeros((), dtype=torch.int64),
        start,
    )


def _never(x: Any) -> Any:
    return _while(lambda y: y.sum() > 1e9, lambda y: y * 2, x.clone())


_FUNCTIONS = [_either, _nested, _several, _newton, _never]


@pytest.mark.slow
@pytest.mark.parametrize("function", _FUNCTIONS)
def test_by_the_backend(function: Callable[..., Any]) -> None:
    x = torch.linspace(-2, 3, 20).reshape(5, 4)
    for each in (x, -x, x + 3):
        assert_as_eager(function, each)
        assert not backend.report().fallbacks


@pytest.mark.slow
@pytest.mark.parametrize("function", _FUNCTIONS)
def test_in_a_library(function: Callable[..., Any]) -> None:
    x = torch.linspace(-2, 3, 20).reshape(5, 4)
    model = backend.compile(function, x)
    for each in (x, -x, x + 3):
        found: Any = model(each.numpy())
        leaves: list[Any] = torch.utils._pytree.tree_leaves(function(each))
        ours: list[Any] = [found] if isinstance(found, np.ndarray) else list(found)
        for a, b in zip(ours, leaves, strict=True):
            np.testing.assert_allclose(a, b.numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_gradients_of_branches() -> None:
    w = torch.linspace(-1, 1, 12).reshape(4, 3).requires_grad_()
    for sign in (1, -1):
        x = sign * torch.linspace(-2, 3, 20).reshape(5, 4)
        assert_same_gradients(
            lambda x, w: torch.cond(x.sum() > 0, torch.matmul, lambda a, b: a @ b - a.sum(), (x, w)), x, w
        )


@pytest.mark.slow
def test_open_rows() -> None:
    rows = torch.export.Dim("rows", min=2, max=9)
    model = backend.compile(_either, torch.ones(3, 4), dynamic_shapes=({0: rows},))
    for count in (2, 5):
        x = torch.linspace(-3, 2, 4 * count).reshape(count, 4)
        np.testing.assert_allclose(model(x.numpy()), _either(x).numpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.slow
def test_a_known_condition_leaves_one_branch() -> None:
    """It depends on an extent, which is known when code is made."""

    def by_size(x: Any) -> Any:
        return torch.cond(x.shape[0] > 4, lambda a: a + 1, lambda a: a * 3, (x,))

    rows = torch.export.Dim("rows", min=2, max=9)
    model = backend.compile(by_size, torch.ones(3, 4), dynamic_shapes=({0: rows},))
    for count in (3, 6):
        x = torch.ones(count, 4)
        np.testing.assert_array_equal(model(x.numpy()), by_size(x).numpy())


@pytest.mark.slow
def test_indices_in_the_branch_that_is_taken_are_checked() -> None:
    def pick(x: Any, i: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda a, i: a[i], lambda a, i: a[:2] - 1, (x, i))

    x, wrong = torch.ones(4, 3), torch.tensor([0, 9])
    fast = compiled(pick)
    with torch.no_grad():
        with pytest.raises(IndexError, match="index 9 is out of bounds"):
            fast(x, wrong)
        torch.testing.assert_close(fast(-x, wrong), pick(-x, wrong))
        assert not backend.report().fallbacks
    model = backend.compile(pick, (x, wrong), checked=True)
    assert [int(model(v.numpy(), wrong.numpy())[-1]) for v in (x, -x)] == [1, 0]


@pytest.mark.slow
def test_indices_of_all_steps_are_checked() -> None:
    def walk(x: Any, n: Any) -> Any:
        return _while(
            lambda i, y: i < n,
            lambda i, y: (i + 1, y + x.index_select(0, i.reshape(1))[0]),
            torch.zeros((), dtype=torch.int64),
            x[0].clone(),
        )

    x = torch.arange(12.0).reshape(4, 3)
    model = backend.compile(walk, (x, torch.tensor(3)), checked=True)
    assert [int(model(x.numpy(), np.asarray(n))[-1]) for n in (3, 4, 7)] == [0, 0, 3]


@pytest.mark.slow
def test_what_stays_in_torch() -> None:
    """A call one of whose bodies holds what mlc lacks; others beside it are native."""

    def mixed(x: Any) -> Any:
        y = torch.cond(x.sum() > 0, lambda a: torch.special.airy_ai(a).abs(), lambda a: a - 1, (x,))
        return torch.cond(y.sum() > 0, lambda a: a.exp(), lambda a: a - 1, (y,)) + 1

    assert_as_eager(mixed, torch.linspace(0, 1, 8))
    (only,) = backend.report().fallbacks
    assert only.operator == "cond"
    assert only.reason.startswith("in a branch or a loop, aten.special_airy_ai: mlc has no pattern")


@pytest.mark.slow
def test_random_numbers_in_branches_stay_in_torch() -> None:
    def noisy(x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda a: a + torch.rand_like(a) * 0, lambda a: a - 1, (x,))

    assert_as_eager(noisy, torch.ones(3))
    (only,) = backend.report().fallbacks
    assert only.reason == "it draws random numbers in a branch or a loop, where there is no seed"
    with pytest.raises(UserError, match="it draws random numbers in a branch or a loop"):
        backend.compile(noisy, torch.ones(3))


@pytest.mark.slow
def test_bodies_are_part_of_what_a_graph_is() -> None:
    """Graphs that differ in a body alone are not answered by one library."""

    def identity(function: Callable[..., Any]) -> str:
        program = torch.export.export(_module(function), (torch.ones(3),))
        return identity_of(GraphSource(program.graph, bodies=bodies_of(program.graph_module)))

    def with_number(number: float) -> Callable[..., Any]:
        def function(x: Any) -> Any:
            return torch.cond(x.sum() > 0, lambda a: a + number, lambda a: a - 1, (x,))

        return function

    assert identity(with_number(1.0)) == identity(with_number(1.0))
    assert identity(with_number(1.0)) != identity(with_number(2.0))
    for number in (1.0, 2.0):
        assert backend.compile(with_number(number), torch.ones(3))(np.ones(3, np.float32))[0] == 1 + number


def _module(function: Callable[..., Any]) -> Any:
    module = torch.nn.Module()
    module.forward = function
    return module
