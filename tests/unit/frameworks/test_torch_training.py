"""Training by the backend: losses and gradients of some steps as in eager torch."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_same, assert_same_gradients, backend, compiled, torch

nn, functional = torch.nn, torch.nn.functional


class Block(nn.Module):
    """A layer of a transformer."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.attention, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.rest = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x: Any) -> Any:
        batch, length, width = x.shape
        parts = self.attention(self.norms[0](x)).split(width, dim=-1)
        q, k, v = (p.view(batch, length, self.heads, -1).transpose(1, 2) for p in parts)
        y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(batch, length, width))
        return x + self.rest(self.norms[1](x))


class Gpt(nn.Module):
    """A small language model, whose embedding is also its last layer."""

    def __init__(self, words: int = 11, length: int = 6, width: int = 8) -> None:
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.blocks = nn.Sequential(Block(width, 2), Block(width, 2))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, words, bias=False)
        self.head.weight = self.words.weight

    def forward(self, x: Any) -> Any:
        found = self.words(x) + self.places(torch.arange(x.shape[1]))
        return self.head(self.norm(self.blocks(found)))


def _language_loss(model: Any, x: Any) -> Any:
    return functional.cross_entropy(model(x[:, :-1]).flatten(0, 1), x[:, 1:].flatten())


def _mlp() -> Any:
    return nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3))


def _cnn() -> Any:
    return nn.Sequential(
        nn.Conv2d(2, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(64, 3)
    ).double()


class Residual(nn.Module):
    """Two convolutions, and what they do not change."""

    def __init__(self, channels: int, out: int, stride: int) -> None:
        super().__init__()
        self.first = nn.Conv2d(channels, out, 3, stride, 1, bias=False)
        self.second = nn.Conv2d(out, out, 3, 1, 1, bias=False)
        self.norms = nn.ModuleList([nn.BatchNorm2d(out), nn.BatchNorm2d(out)])
        changed = stride > 1 or channels != out
        self.short: Any = (
            nn.Sequential(nn.Conv2d(channels, out, 1, stride, bias=False), nn.BatchNorm2d(out)) if changed else None
        )

    def forward(self, x: Any) -> Any:
        y = self.norms[1](self.second(self.norms[0](self.first(x)).relu()))
        return (y + (self.short(x) if self.short else x)).relu()


def _resnet18(width: int = 16) -> Any:
    """All 18 layers of it (He, Zhang, Ren, Sun, "Deep Residual Learning", 2016), with a quarter of the channels."""
    start = [nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
    blocks: list[Any] = []
    for stage, (channels, out) in enumerate([(1, 1), (1, 2), (2, 4), (4, 8)]):
        blocks += [Residual(channels * width, out * width, 1 + (stage > 0)), Residual(out * width, out * width, 1)]
    return nn.Sequential(*start, *blocks, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8 * width, 3)).double()


def _trained(model: Any, call: Any, loss: Callable[[Any, Any], Any], batches: Any) -> list[float]:
    optimiser = torch.optim.AdamW(model.parameters(), lr=0.01)
    losses: list[float] = []
    for batch in batches:
        optimiser.zero_grad()
        found = loss(call, batch)
        found.backward()
        optimiser.step()
        losses.append(float(found.detach()))
    return losses


def _class_loss(model: Any, x: Any) -> Any:
    return functional.cross_entropy(model(x), torch.arange(len(x)) % 3)


@pytest.mark.parametrize(
    ("make", "loss", "batch"),
    [
        (_mlp, _class_loss, lambda: torch.randn(5, 6)),
        pytest.param(_cnn, _class_loss, lambda: torch.randn(4, 2, 8, 8, dtype=torch.float64), marks=pytest.mark.slow),
        pytest.param(Gpt, _language_loss, lambda: torch.randint(0, 11, (3, 7)), marks=pytest.mark.slow),
        pytest.param(
            _resnet18, _class_loss, lambda: torch.randn(3, 3, 40, 40, dtype=torch.float64), marks=pytest.mark.slow
        ),
    ],
    ids=["mlp", "cnn", "gpt", "resnet18"],
)
def test_ten_steps(make: Callable[[], Any], loss: Any, batch: Callable[[], Any]) -> None:
    ours = make()
    theirs, batches = copy.deepcopy(ours), [batch() for _ in range(10)]
    found = _trained(ours, compiled(ours), loss, batches)
    expected = _trained(theirs, theirs, loss, batches)
    torch.testing.assert_close(torch.tensor(found), torch.tensor(expected), rtol=1e-4, atol=1e-5)
    assert all(each.native == each.operators for each in backend.report().graphs)
    # Weights are not compared: the gradient of a bias of attention's keys is zero but for rounding, which AdamW scales.
    # What an epoch ends with: without gradients, weights and statistics are constants.
    fast = compiled(ours.eval())
    with torch.no_grad():
        x = batches[0][:, :-1] if make is Gpt else batches[0]
        assert_same(fast(x), ours(x), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("make", "loss", "batch"),
    [(_mlp, _class_loss, (5, 6)), pytest.param(_cnn, _class_loss, (4, 2, 8, 8), marks=pytest.mark.slow)],
    ids=["mlp", "cnn"],
)
def test_gradients(make: Callable[[], Any], loss: Any, batch: tuple[int, ...]) -> None:
    model = make()
    x = torch.randn(batch, dtype=next(model.parameters()).dtype, requires_grad=True)
    assert_same_gradients(lambda x: loss(model, x), x, parameters=list(model.parameters()))


@pytest.mark.slow
def test_gradients_of_a_language_model() -> None:
    model = Gpt()
    words = torch.randint(0, 11, (3, 7))
    assert_same_gradients(lambda x: _language_loss(model, x), words, parameters=list(model.parameters()))


@pytest.mark.slow
def test_statistics_of_batches() -> None:
    ours = nn.Sequential(nn.Conv2d(2, 3, 3), nn.BatchNorm2d(3))
    theirs, fast, x = copy.deepcopy(ours), compiled(ours), torch.randn(2, 2, 8, 8)
    for grad in (False, True):
        with torch.set_grad_enabled(grad):
            for _ in range(3):
                assert_same(fast(x), theirs(x), rtol=1e-4, atol=1e-5)
    assert_same(dict(ours.named_buffers()), dict(theirs.named_buffers()), rtol=1e-4, atol=1e-5)


@pytest.mark.slow
def test_training_and_evaluation_take_turns() -> None:
    model, x = nn.Sequential(nn.Linear(4, 4), nn.Dropout(0.5), nn.BatchNorm1d(4)), torch.randn(6, 4)
    fast = compiled(model)
    optimiser = torch.optim.SGD(model.parameters(), 0.1)
    for _ in range(4):
        model.train()
        optimiser.zero_grad()
        fast(x).square().sum().backward()
        optimiser.step()
        model.eval()
        with torch.no_grad():
            assert_same(fast(x), model(x))


@pytest.mark.slow
def test_an_optimiser_that_writes_to_data() -> None:
    model, x = nn.Linear(4, 4), torch.randn(6, 4)
    fast = compiled(model)
    for _ in range(4):
        model.zero_grad()
        fast(x).square().sum().backward()
        for parameter in model.parameters():
            parameter.data -= 0.1 * parameter.grad
        with torch.no_grad():
            assert_same(fast(x), model(x))


@pytest.mark.slow
def test_a_function_with_gradients_of_its_own() -> None:
    class Cubed(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x.exp()

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            (x,) = ctx.saved_tensors
            return gradients[0] * x * 3

    assert_same_gradients(lambda x: Cubed.apply(x * 2), torch.randn(3, requires_grad=True))


@pytest.mark.slow
def test_recomputation_in_a_model() -> None:
    layers = nn.Sequential(nn.Linear(8, 8), nn.GELU(), nn.Linear(8, 8))

    def function(x: Any) -> Any:
        return torch.utils.checkpoint.checkpoint(layers, x, use_reentrant=False)

    assert_same_gradients(function, torch.randn(3, 8, requires_grad=True), parameters=list(layers.parameters()))
