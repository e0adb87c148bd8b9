"""Any number of rows by a handful of compilations, where rows do not mix."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_same, backend, compilations, compiled, copied, gradients, torch

nn, functional = torch.nn, torch.nn.functional


def _checked(function: Callable[..., Any], make: Callable[[int], Any], counts: Sequence[int]) -> Any:
    """Calls with these numbers of rows have to give what eager torch gives."""
    fast = compiled(function)
    with torch.no_grad():
        for count in counts:
            x = make(count)
            torch._dynamo.mark_dynamic(x, 0)
            assert_same(fast(x), function(x), rtol=1e-4, atol=1e-5)
    assert not backend.report().fallbacks
    return fast


class _Attention(nn.Module):
    """Self-attention, whose rows and tokens are joined for its matrices."""

    def __init__(self) -> None:
        super().__init__()
        self.inner, self.outer, self.norm = nn.Linear(8, 24), nn.Linear(8, 8), nn.LayerNorm(8)

    def forward(self, x: Any) -> Any:
        rows, tokens, width = x.shape
        parts = self.inner(self.norm(x)).split(width, -1)
        q, k, v = (part.view(rows, tokens, 2, -1).transpose(1, 2) for part in parts)
        seen = functional.scaled_dot_product_attention(q, k, v)
        return x + self.outer(seen.transpose(1, 2).reshape(rows, tokens, width))


@pytest.mark.slow
def test_a_hundred_batch_sizes_are_a_handful_of_compilations() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.LayerNorm(8), nn.Linear(8, 2))
    _checked(model, lambda count: torch.randn(count, 4), range(2, 102))
    assert compilations() <= 6
    assert len(backend.report().graphs) == 1


_MODELS: dict[str, tuple[Callable[..., Any], Callable[[int], Any]]] = {
    "images": (
        nn.Sequential(
            nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 3)
        ).eval(),
        lambda count: torch.randn(count, 3, 8, 8),
    ),
    "attention": (_Attention(), lambda count: torch.randn(count, 5, 8)),
    "words": (nn.Sequential(nn.Embedding(10, 4), nn.Linear(4, 4)), lambda count: torch.randint(0, 10, (count, 3))),
    "softmax over rows": (nn.Softmax(0), lambda count: torch.randn(count, 5)),
    "sum over rows": (lambda x: (x * 2).sum(0), lambda count: torch.randn(count, 5)),
    "product over rows": (lambda x: x.t() @ x, lambda count: torch.randn(count, 5)),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", _MODELS)
def test_rows_that_are_not_there_count_for_nothing(name: str) -> None:
    _checked(*_MODELS[name], (3, 5, 2, 17, 9, 30, 31, 8))
    # One as it is first met, then 8, 16 and 32 rows or fewer; torch may make a graph of its own for one of the sizes.
    assert compilations() <= 5


_MIXED: dict[str, Callable[..., Any]] = {
    "a mean of rows": lambda x: x - x.mean(0),
    "a number of rows": lambda x: x * x.shape[0],
    "a variance of rows": lambda x: x.var(0),
    "the last row": lambda x: x[-1],
    "rows in another order": lambda x: x.flip(0),
    "a sum that runs over rows": lambda x: x.cumsum(0),
    "a row more": lambda x: torch.cat([x, x[:1]]),
    "numbers of rows": lambda x: x + torch.arange(x.shape[0]).unsqueeze(1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _MIXED)
def test_rows_that_mix_are_compiled_by_themselves(name: str) -> None:
    _checked(_MIXED[name], lambda count: torch.randn(count, 5), (3, 5, 6, 2))


@pytest.mark.slow
def test_gradients_are_of_the_rows_that_are_there() -> None:
    model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 2))
    fast, weights = compiled(model, dynamic=True), list(model.parameters())
    for count in (3, 5, 2, 17, 9, 30):
        x = torch.randn(count, 4, requires_grad=True)
        assert_same(gradients(fast, copied([x]), weights), gradients(model, copied([x]), weights), rtol=1e-4, atol=1e-4)
    assert compilations() == 8
    assert not backend.report().fallbacks


def test_results_have_memory_of_their_own_rows() -> None:
    fast = _checked(lambda x: x + 1, lambda count: torch.randn(count, 4), (3, 5))
    with torch.no_grad():
        found = fast(torch.zeros(6, 4))
    assert found.shape == (6, 4)
    assert found.is_contiguous()
    assert found._base is None
    assert_same(found.add_(1), torch.full((6, 4), 2.0))
