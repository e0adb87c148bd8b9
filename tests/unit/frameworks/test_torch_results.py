"""What a compiled graph returns: memory that is shared, strides, arguments, nothing."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_as_eager, assert_same, assert_same_gradients, compiled, torch

nn = torch.nn


def _views(x: Any) -> Any:
    y = x * 2
    return y, y.view(-1), y[1:], y.t(), y.expand(2, 3, 4)


def _pair(x: Any) -> Any:
    y = x * 2
    return y, y


FUNCTIONS: list[Callable[[Any], Any]] = [
    lambda x: (x, x + 1, x),
    lambda x: (x.view(-1), x[0], x.t(), x.detach()),
    _pair,
    _views,
    lambda x: (None, x * 2, 3, "a", None, x.shape[0]),
    lambda x: None,
    lambda x: {"a": x + 1, "b": [x * 2, ()]},
    lambda x: torch.ones(3),
    lambda x: (x * 2).expand(5, 3, 4),
    lambda x: (x * 2).split(2, dim=1),
    lambda x: [each + 1 for each in x.unbind()],
    lambda x: (x * 2).sum(),
    lambda x: (x > 0, x.argmax(1), x.half(), x.bfloat16()),
    lambda x: (torch.igamma(torch.ones(()), x.abs()) * 2, x.view(12) + 1, (x + 1).t()),
]


@pytest.mark.slow
@pytest.mark.parametrize("function", FUNCTIONS)
def test_results_are_as_in_eager(function: Callable[..., Any]) -> None:
    assert_as_eager(function, torch.randn(3, 4))
    assert_as_eager(function, torch.randn(3, 4, requires_grad=True), grad=True)


@pytest.mark.parametrize("grad", [False, True])
def test_results_share_memory_as_in_eager(grad: bool) -> None:
    def function(x: Any) -> Any:
        y = torch.igamma(torch.ones(()), x.abs()) * 2
        z = x + 1
        return y, y.view(-1), z, z[1], z[1]

    for f in (compiled(function), function):
        a, b, c, d, e = f(torch.randn(3, 4, requires_grad=grad))
        with torch.no_grad():
            b[0], d[1] = 7, 9
        assert a[0, 0] == 7
        assert c[1, 1] == 9
        assert e[1] == 9


def test_an_argument_is_returned_as_it_is() -> None:
    x = torch.randn(3, 4)
    a, b = compiled(lambda x: (x, x.view(-1)))(x)
    assert a is x
    b[0] = 100
    assert x[0, 0] == 100


def test_one_result_twice_is_one_tensor() -> None:
    a, b = compiled(_pair)(torch.randn(3))
    a[0] = 5
    assert b[0] == 5


@pytest.mark.slow
def test_gradients_of_several_parameters_do_not_share_memory() -> None:
    class Sum(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weights = nn.ParameterList([torch.randn(2, 2), torch.randn(4), torch.randn(2, 2)])

        def forward(self, x: Any) -> Any:
            a, b, c = self.weights
            return (a + b.view(2, 2) + c.t()) * x

    model = Sum()
    compiled(model)(torch.randn(2, 2)).sum().backward()
    gradients = [p.grad for p in model.parameters()]
    assert len({g.untyped_storage().data_ptr() for g in gradients}) == 3
    assert torch.equal(gradients[0].t(), gradients[2])


def _inputs() -> dict[str, Any]:
    complex_numbers = torch.randn(3, dtype=torch.complex64)
    return {
        "expanded": torch.randn(1, 4).expand(3, 4),
        "strided": torch.randn(4, 6)[:, ::2],
        "transposed": torch.randn(4, 6).t(),
        "overlapping": torch.as_strided(torch.randn(10), (3, 4), (2, 1)),
        "channels last": torch.randn(2, 3, 4, 5).to(memory_format=torch.channels_last),
        "offset": torch.randn(10)[3:],
        "no dims": torch.tensor(2.0),
        "no elements": torch.empty(0, 3),
        "negated": torch.conj(complex_numbers).imag,
        "odd address": torch.frombuffer(bytearray(41), dtype=torch.float32, count=10, offset=1),
    }


@pytest.mark.parametrize("name", _inputs())
def test_inputs_of_any_layout(name: str) -> None:
    # A copy may have another layout than the tensor has: torch keeps no overlapping one.
    x = _inputs()[name]
    fast = compiled(lambda x: (x * 2 + 1, x.sum()))
    assert_same(fast(x), (x * 2 + 1, x.sum()))


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float64"]
)
def test_inputs_of_any_type(dtype: str) -> None:
    x = torch.tensor([[0, 1, 2], [3, 4, 5]]).to(getattr(torch, dtype))
    assert_as_eager(lambda x: (x + 1, x.float() * 2, x > 1, x.sum(), x.t()), x)


@pytest.mark.slow
def test_arguments_are_changed_in_place() -> None:
    def rows(x: Any) -> Any:
        x[1:].mul_(3)
        return x

    def shape(x: Any) -> Any:
        x.t_()
        return x + 1

    functions: list[Callable[[Any], Any]] = [lambda x: x.add_(1) * 2, rows, shape, lambda x: x.copy_(torch.ones(4))]
    for function in functions:
        assert_as_eager(function, torch.randn(3, 4))

    def overlapping(x: Any, y: Any) -> Any:
        x.add_(1)
        return y * 2

    x = torch.arange(6.0)
    y = x.clone()
    assert_same(compiled(overlapping)(x[:4], x[2:]), overlapping(y[:4], y[2:]))
    assert_same(x, y)


@pytest.mark.slow
def test_results_of_convolutions_keep_their_layout() -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Conv2d(4, 4, 3))
    x = torch.randn(2, 3, 8, 8).to(memory_format=torch.channels_last)
    assert_as_eager(model, x)
    assert_as_eager(model.to(memory_format=torch.channels_last), x)


def test_results_may_be_changed_in_place_before_gradients() -> None:
    def function(x: Any) -> Any:
        y = x * 2
        return y, y.view(-1)

    def use(f: Any) -> Callable[..., Any]:
        def used(x: Any) -> Any:
            a, b = f(x)
            b.mul_(3)
            return a

        return used

    x = torch.randn(2, 3, requires_grad=True)
    fast = use(compiled(function))
    ours, theirs = fast(x), use(function)(x)
    assert_same(ours, theirs)
    assert_same(torch.autograd.grad(ours.sum(), x), torch.autograd.grad(theirs.sum(), x))


def test_the_default_device_is_not_that_of_results() -> None:
    model = nn.Linear(4, 4)
    x = torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        expected = model(x)
        with torch.device("meta"):
            assert_same(fast(x), expected)


@pytest.mark.slow
def test_no_arguments_and_lists_of_them() -> None:
    assert_as_eager(lambda: torch.arange(4) * 2)
    xs = [torch.randn(3) for _ in range(3)]

    def function(xs: Any, *, scale: Any) -> Any:
        return [x * scale for x in xs], sum(xs)

    fast = compiled(function)
    for scale in (2, 3, 2.5, -0.0, float("inf"), torch.tensor(2.0)):
        assert_same(fast(xs, scale=scale), function(xs, scale=scale))


@pytest.mark.slow
def test_gradients_by_torch_func_and_vmap() -> None:
    assert_as_eager(lambda x: torch.func.vmap(lambda row: (row * 2).sum())(x), torch.randn(3, 4))
    assert_as_eager(lambda x: torch.func.grad(lambda y: (y**2).sum())(x), torch.randn(3))
    assert_same_gradients(lambda x: torch.func.vmap(lambda row: row.exp())(x), torch.randn(3, 4, requires_grad=True))
