"""What lies at the edges: results without elements, and numbers that are too large for a half on their way."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_same, backend, compiled, torch

F = torch.nn.functional


@pytest.mark.parametrize(
    "function",
    [
        lambda x: F.adaptive_avg_pool1d(x, 0),
        lambda x: F.adaptive_avg_pool2d(x, (0, 3)),
        lambda x: F.adaptive_avg_pool2d(x, (3, 0)),
        lambda x: F.adaptive_avg_pool3d(x[None], (2, 0, 3)),
        lambda x: F.adaptive_max_pool2d(x, (0, 3), return_indices=True),
        lambda x: F.max_pool2d(x[:, None][:0], 2, return_indices=True),
        lambda x: (F.avg_pool2d(x[:, None][:0], 2), x + 1),
        lambda x: F.conv2d(x[None][:0], torch.ones(4, 3, 2, 2)),
        lambda x: F.interpolate(x[None][:0], scale_factor=2.0, mode="bilinear"),
        lambda x: torch.cdist(x, x[:, :0]),
        lambda x: F.scaled_dot_product_attention(x[:, :0], x, x),
        lambda x: (x.topk(0), x[..., :0].sort(), x[:0].median(-1)),
        lambda x: x.repeat(2, 0, 1),
    ],
)
def test_results_without_elements(function: Callable[..., Any]) -> None:
    x = torch.arange(96.0).reshape(3, 4, 8).sin()
    with torch.no_grad():
        assert_same(compiled(function)(x), function(x))
    assert not backend.report().fallbacks


@pytest.mark.slow
def test_pools_to_nothing_ahead_of_time() -> None:
    x = torch.ones(2, 3, 8)
    assert backend.compile(lambda x: F.adaptive_avg_pool1d(x, 0), x)(x.numpy()).shape == (2, 3, 0)


@pytest.mark.slow
@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_scores_of_attention_are_not_rounded(dtype: str, is_causal: bool) -> None:
    """Scores of hundreds, and such that are not finite halves: beside f64, to what rounding the result allows."""
    torch.manual_seed(0)
    for size in (8.0, 300.0):
        q, k, v = ((torch.randn(2, 6, 16) * s).to(getattr(torch, dtype)) for s in (size, size, 1.0))
        exact = F.scaled_dot_product_attention(q.double(), k.double(), v.double(), is_causal=is_causal)
        found = compiled(lambda *x: F.scaled_dot_product_attention(*x, is_causal=is_causal))(q, k, v)
        rounded = torch.finfo(found.dtype).eps * exact.abs().max()
        assert (found.double() - exact).abs().max() <= 2 * rounded


@pytest.mark.slow
def test_products_of_halves_are_scaled_before_they_are_rounded() -> None:
    x, y = torch.full((2, 64), 60.0).half(), torch.full((64, 3), 50.0).half()
    start = torch.full((2, 3), 3.0).half()
    for function in (
        lambda a, x, y: torch.addmm(a, x, y, alpha=0.125, beta=2.0),
        lambda a, x, y: torch.baddbmm(a[None], x[None], y[None], alpha=0.125, beta=2.0)[0],
        lambda a, x, y: torch.addmv(a[:, 0], x, y[:, 0], alpha=0.125, beta=2.0)[:, None].expand(2, 3),
    ):
        found = compiled(function)(start, x, y)
        exact = 0.125 * x.double() @ y.double() + 2 * start.double()
        assert torch.equal(found, exact.half())
