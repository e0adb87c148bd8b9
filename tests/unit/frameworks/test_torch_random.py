"""Random numbers in graphs: their distributions, seeds, and dropout in training."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false, reportUnknownLambdaType=false

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_same, backend, compilations, compiled, torch

nn, functional = torch.nn, torch.nn.functional
_COUNT = 200_000

_DRAWS: dict[str, tuple[Callable[[Any], Any], float, float]] = {
    "rand": (lambda x: torch.rand(x.shape), 0.5, 1 / 12),
    "rand_like": (torch.rand_like, 0.5, 1 / 12),
    "randn": (lambda x: torch.randn(x.shape), 0, 1),
    "randn of f64": (lambda x: torch.randn(x.shape, dtype=torch.float64), 0, 1),
    "uniform": (lambda x: torch.empty_like(x).uniform_(-1, 3), 1, 16 / 12),
    "normal": (lambda x: torch.empty_like(x).normal_(2, 3), 2, 9),
    "normal of means": (lambda x: torch.normal(x + 4, 2.0), 4, 4),
    "exponential": (lambda x: torch.empty_like(x).exponential_(0.5), 2, 4),
    "log_normal": (lambda x: torch.empty_like(x).log_normal_(0, 0.5), 1.1331, 0.3647),
    "bernoulli": (lambda x: torch.bernoulli(x + 0.3), 0.3, 0.21),
    "bernoulli of one chance": (lambda x: torch.empty_like(x).bernoulli_(0.3), 0.3, 0.21),
    "randint": (lambda x: torch.randint(-3, 4, x.shape), 0, 4),
    "randint_like": (lambda x: torch.randint_like(x, 0, 7), 3, 4),
    "random": (lambda x: torch.empty_like(x).random_(7), 3, 4),
    "multinomial": (lambda x: torch.multinomial(torch.tensor([0.2, 0.0, 0.8]), 20_000, True), 1.6, 0.64),
    "dropout": (lambda x: functional.dropout(x + 1, 0.25), 1, 1 / 0.75 - 1),
    "alpha_dropout": (lambda x: functional.alpha_dropout(torch.randn_like(x), 0.5), 0, 1),
    "rrelu": (lambda x: functional.rrelu(x - 1, 0.1, 0.5, training=True), -0.3, 0.16 / 12),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _DRAWS)
def test_mean_and_variance(name: str) -> None:
    function, mean, variance = _DRAWS[name]
    fast = compiled(function)
    with torch.no_grad():
        found = fast(torch.zeros(_COUNT))
    assert found.dtype == function(torch.zeros(2)).dtype
    numbers = found.double()
    assert not backend.report().fallbacks
    # Five standard errors; those of variances are of the fourth moment, for which a few variances stand.
    assert abs(numbers.mean() - mean) < 5 * (variance / len(numbers)) ** 0.5
    assert abs(numbers.var() / variance - 1) < 5 * (10 / len(numbers)) ** 0.5


@pytest.mark.slow
def test_quantiles_of_cauchy() -> None:
    with torch.no_grad():
        found = compiled(lambda x: torch.empty_like(x).cauchy_(1, 2))(torch.zeros(_COUNT))
    assert not backend.report().fallbacks
    quantiles = found.quantile(torch.tensor([0.25, 0.5, 0.75]))
    torch.testing.assert_close(quantiles, torch.tensor([-1.0, 1.0, 3.0]), atol=0.05, rtol=0)


@pytest.mark.slow
def test_a_sample_without_replacement_has_each_place_once() -> None:
    def function(chances: Any) -> Any:
        return torch.multinomial(chances, 3), torch.randperm(50), torch.multinomial(chances, 1)

    fast = compiled(function)
    with torch.no_grad():
        three, order, one = fast(torch.tensor([[0.1, 0.0, 0.6, 0.3]]).expand(2000, 4).contiguous())
    assert not backend.report().fallbacks
    assert_same(three.sort(-1).values, torch.tensor([[0, 2, 3]]).expand(2000, 3).contiguous())
    assert_same(order.sort().values, torch.arange(50))
    assert not torch.equal(order, torch.arange(50))
    shares = one.flatten().bincount(minlength=4) / 2000
    torch.testing.assert_close(shares, torch.tensor([0.1, 0.0, 0.6, 0.3]), atol=0.06, rtol=0)


@pytest.mark.slow
def test_a_seed_gives_the_same_numbers_again() -> None:
    fast = compiled(lambda x: (torch.rand_like(x), torch.rand_like(x)))
    x = torch.zeros(100)
    with torch.no_grad():
        torch.manual_seed(7)
        first, second = fast(x), fast(x)
        torch.manual_seed(7)
        assert_same(fast(x), first)
        assert_same(fast(x), second)
    drawn = [*first, *second]
    assert all(not torch.equal(a, b) for i, a in enumerate(drawn) for b in drawn[:i])


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_dropout_of_nothing_and_of_all(p: float) -> None:
    layer, x = nn.Dropout(p), torch.randn(8, 8)
    assert_same(compiled(layer)(x), layer(x))


def test_chances_of_zero_and_one() -> None:
    chances = torch.tensor([0.0, 1.0]).repeat(1000)
    with torch.no_grad():
        assert_same(compiled(torch.bernoulli)(chances), chances)


@pytest.mark.slow
def test_forward_and_backward_drop_the_same() -> None:
    fast = compiled(lambda x: functional.dropout(x, 0.4))
    x = torch.ones(1000, requires_grad=True)
    y = fast(x)
    y.sum().backward()
    assert_same(x.grad, y.detach())
    torch.testing.assert_close(torch.unique(y.detach()), torch.tensor([0.0, 1 / 0.6]))
    assert [graph.kind for graph in backend.report().graphs] == ["forward", "backward"]
    assert not backend.report().fallbacks


@pytest.mark.slow
def test_training_with_dropout_learns_and_repeats() -> None:
    model = nn.Sequential(nn.Linear(8, 64), nn.ReLU(), nn.Dropout(0.2), nn.Linear(64, 1))
    x = torch.randn(64, 8)
    target = x.sum(1, keepdim=True)
    fast, start = compiled(model), copy.deepcopy(model.state_dict())

    def losses() -> list[float]:
        model.load_state_dict(start)
        torch.manual_seed(3)
        optimizer, found = torch.optim.Adam(model.parameters(), 1e-2), list[float]()
        for _ in range(30):
            optimizer.zero_grad()
            loss = functional.mse_loss(fast(x), target)
            loss.backward()
            optimizer.step()
            found.append(loss.item())
        return found

    first = losses()
    assert losses() == first
    assert first[-1] < first[0] / 2
    assert not backend.report().fallbacks
    assert compilations() == 2


@pytest.mark.slow
def test_attention_drops_out() -> None:
    q = torch.randn(2, 4, 16, 8, requires_grad=True)
    fast = compiled(lambda q: functional.scaled_dot_product_attention(q, q, torch.ones_like(q), dropout_p=0.5))
    found = fast(q)
    assert not backend.report().fallbacks
    assert found.std() > 0.1
    assert abs(found.mean() - 1) < 0.3


@pytest.mark.slow
def test_a_generator_of_the_callers_own_is_used() -> None:
    generator = torch.Generator().manual_seed(5)
    expected = torch.rand(4, generator=generator)
    fast = compiled(lambda x: torch.rand(4, generator=generator) + x)
    generator.manual_seed(5)
    with torch.no_grad():
        assert_same(fast(torch.zeros(4)), expected)
