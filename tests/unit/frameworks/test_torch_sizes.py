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
        return x.cummax(0)[0]

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


_BY_DATA: dict[str, Callable[[Any], Any]] = {
    "places": lambda x: x.nonzero().float() * 2,
    "a view, and a number": lambda x: (x.nonzero().view(-1), x.nonzero().shape[0]),
    "elements": lambda x: (x[x > 0] * 2, x.sum()),
    "two masks": lambda x: (x[x > 0].sum(), x[x > 0], x[x <= 0]),
    "rows": lambda x: x[x > 0].reshape(-1, 1) @ torch.ones(1, 3),
}


@pytest.mark.parametrize(
    "name", [next(iter(_BY_DATA)), *(pytest.param(n, marks=pytest.mark.slow) for n in [*_BY_DATA][1:])]
)
def test_shapes_that_depend_on_data(name: str) -> None:
    function = _BY_DATA[name]
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True, capture_scalar_outputs=True):
        fast = compiled(function)
        for x in (torch.tensor([1.0, 0, 3]), torch.tensor([1.0, 2, 3]), torch.tensor([0.0, -1, 0, -2]), torch.zeros(1)):
            assert_same(fast(x), function(x))
    assert not backend.report().fallbacks


def test_what_has_no_form_for_such_shapes_stays_in_torch() -> None:
    def function(x: Any) -> Any:
        return x[x > 0].sort()[0], x.exp()

    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        fast = compiled(function)
        for x in (torch.tensor([4.0, 0, 3]), torch.tensor([0.0, -1, 0])):
            assert_same(fast(x), function(x))
    found = {each.operator: each.reason for each in backend.report().fallbacks}
    assert found["aten.sort"] == "the shape of a tensor depends on data"
    assert "graph" not in found and "aten.exp" not in found


def test_a_number_that_depends_on_data() -> None:
    with torch._dynamo.config.patch(capture_scalar_outputs=True):
        fast = compiled(lambda x: x * x.max().item())
        for x in (torch.tensor([1.0, 0, 3]), torch.tensor([1.0, 2, 3])):
            assert_same(fast(x), x * x.max().item())


@pytest.mark.slow
def test_several_open_sizes_with_gradients() -> None:
    def function(x: Any, y: Any) -> Any:
        return (x @ y).relu().sum(0)

    for rows, inner in ((2, 3), (4, 3), (4, 5)):
        x, y = torch.randn(rows, inner, requires_grad=True), torch.randn(inner, 6, requires_grad=True)
        assert_same_gradients(function, x, y)
