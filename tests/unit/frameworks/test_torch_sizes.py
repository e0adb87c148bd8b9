"""Inputs whose sizes differ from call to call."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_same, assert_same_gradients, backend, compilations, compiled, torch

nn = torch.nn


@pytest.mark.slow
def test_compilations_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mlc.frameworks.torch._graphs._SIZES", 4)

    def model(x: Any) -> Any:
        return x.flip(0)

    fast = compiled(model, dynamic=True)
    with torch.no_grad():
        for rows in range(2, 14):
            x = torch.randn(rows, 4)
            assert_same(fast(x), model(x))
        assert compilations() == 4
        (fallback,) = backend.report().fallbacks
        assert str(backend.report()).splitlines() == [
            "inference: 1 of 1 operators run natively, compiled 4 times",
            "in torch:",
            f"  sizes (8 times): {fallback.reason}",
        ]
        assert fallback.reason == "its inputs come in more than 4 sizes; another is compiled when it is met 4 times"
        x = torch.randn(13, 4)
        for _ in range(4):
            assert_same(fast(x), model(x))
    assert compilations() == 5


@pytest.mark.parametrize("dynamic", [True, *(pytest.param(each, marks=pytest.mark.slow) for each in (None, False))])
def test_batches(dynamic: bool | None) -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 2))
    fast = compiled(model, dynamic=dynamic)
    with torch.no_grad():
        for rows in (3, 5, 1, 2, 0, 5):
            x = torch.randn(rows, 4)
            assert_same(fast(x), model(x))


@pytest.mark.slow
def test_gradients_of_batches() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    torch._dynamo.reset()
    fast = compiled(model, dynamic=True)
    for rows in (3, 5, 1):
        x, found = torch.randn(rows, 4), list[Any]()
        for f in (fast, model):
            model.zero_grad()
            f(x).square().sum().backward()
            found.append([p.grad.clone() for p in model.parameters()])
        assert_same(found[0], found[1], rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_marked_dims() -> None:
    model = nn.Linear(4, 4)
    fast = compiled(model)
    with torch.no_grad():
        for rows in (3, 5, 8):
            x = torch.randn(rows, 4)
            torch._dynamo.mark_dynamic(x, 0)
            assert_same(fast(x), model(x))
    assert len(backend.report().graphs) == 1


@pytest.mark.slow
def test_sizes_are_results_and_factors() -> None:
    def function(x: Any) -> Any:
        return x.shape[0], x.shape[0] * 2, x * x.shape[0], x.numel(), x.new_zeros(x.shape[0] + 1)

    fast = compiled(function)
    for size in (3, 4, 0):
        assert_same(fast(torch.ones(size)), function(torch.ones(size)))


@pytest.mark.slow
def test_numbers_as_arguments() -> None:
    def function(x: Any, number: Any, flag: bool, text: str) -> Any:
        return x * number if flag else x - len(text)

    fast = compiled(function)
    for number in (2, 3, -1, 0, 1 << 40, 1.5, 2.5, -0.0, float("nan")):
        for flag in (True, False):
            assert_same(fast(torch.arange(3), number, flag, "ab"), function(torch.arange(3), number, flag, "ab"))


def test_sizes_that_depend_on_data() -> None:
    config = torch._dynamo.config
    with config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        functions: list[Callable[[Any], Any]] = [lambda x: x.nonzero().float() * 2, lambda x: x * x.max().item()]
        for function in functions:
            fast = compiled(function)
            for x in (torch.tensor([1.0, 0, 3]), torch.tensor([1.0, 2, 3])):
                assert_same(fast(x), function(x))


@pytest.mark.slow
def test_several_open_sizes_with_gradients() -> None:
    def function(x: Any, y: Any) -> Any:
        return (x @ y).relu().sum(0)

    for rows, inner in ((2, 3), (4, 3), (4, 5)):
        x, y = torch.randn(rows, inner, requires_grad=True), torch.randn(inner, 6, requires_grad=True)
        assert_same_gradients(function, x, y)
