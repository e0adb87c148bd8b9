"""Gradients of bags of rows of a table, and of weights that are normalised; histograms; groups of rows."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import math
from typing import Any

import pytest

from mlc.testing.torch_graphs import run_graph, traced
from tests.unit.frameworks.eager import assert_as_eager, assert_same_gradients, backend, compiled, torch

nn = torch.nn
_offsets = torch.tensor([0, 3, 3, 4])
_indices = torch.tensor([4, 1, 4, 2, 0, 2, 4])


def _runs_natively() -> bool:
    return not backend.report().fallbacks


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("options", [{}, {"padding_idx": 2}])
def test_tables(mode: str, options: dict[str, Any]) -> None:
    """The third bag is empty, the fourth is padding alone where that is left out."""
    table = torch.randn(6, 3, requires_grad=True)

    def bags(table: Any) -> Any:
        return nn.functional.embedding_bag(_indices, table, _offsets, mode=mode, **options)

    assert_same_gradients(bags, table)
    assert _runs_natively()


def test_of_equal_elements_the_first_one_has_the_gradient() -> None:
    table = torch.ones(6, 3, requires_grad=True)
    assert_same_gradients(lambda t: nn.functional.embedding_bag(_indices, t, _offsets, mode="max"), table)
    assert _runs_natively()


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["sum", "mean"])
def test_gradients_over_how_often_a_row_is_read(mode: str) -> None:
    """Torch itself takes the count of another row where indices repeat, so the gradient is divided here."""
    table = torch.randn(6, 3, requires_grad=True)

    def gradient(function: Any, by_frequency: bool) -> Any:
        found = function(_indices, table, _offsets, mode=mode, scale_grad_by_freq=by_frequency)
        return torch.autograd.grad(found.square().sum(), table)[0]

    plain = gradient(nn.functional.embedding_bag, False)
    counts = torch.bincount(_indices, minlength=6).clamp(min=1).unsqueeze(1)
    torch.testing.assert_close(gradient(compiled(nn.functional.embedding_bag), True), plain / counts)
    assert _runs_natively()


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"padding_idx": 2}])
def test_weights_of_samples(options: dict[str, Any]) -> None:
    table, weights = torch.randn(6, 3, requires_grad=True), torch.randn(7, requires_grad=True)

    def bags(table: Any, weights: Any) -> Any:
        return nn.functional.embedding_bag(_indices, table, _offsets, mode="sum", per_sample_weights=weights, **options)

    assert_same_gradients(bags, table, weights)
    assert _runs_natively()


@pytest.mark.slow
@pytest.mark.parametrize("dim", [0, 2])
def test_normalised_weights(dim: int) -> None:
    v = torch.randn(3, 4, 5, requires_grad=True)
    shape = [1, 1, 1]
    shape[dim] = v.shape[dim]
    g = torch.randn(shape, requires_grad=True)
    assert_same_gradients(lambda v, g: torch._weight_norm(v, g, dim), v, g)
    assert _runs_natively()


@pytest.mark.slow
@pytest.mark.parametrize("options", [(8, 0, 1), (8,), (1, -3, 3), (5, 2, 2), (100, 0.25, 0.75)])
def test_histograms(options: tuple[Any, ...]) -> None:
    """Halves and edges among them; what is NaN or outside does not count."""
    x = torch.cat([torch.rand(200), torch.tensor([0.0, 1.0, 0.5, 0.25, 0.125])])
    assert_as_eager(lambda x: torch.histc(x, *options), x)
    assert _runs_natively()
    if len(options) == 3 and options[1] != options[2]:
        odd = torch.tensor([math.nan, math.inf, -math.inf, 0.3, 7.0])
        assert_as_eager(lambda x: torch.histc(x, *options), odd)


@pytest.mark.slow
def test_a_histogram_of_one_number() -> None:
    assert_as_eager(lambda x: torch.histc(x, 4), torch.full((3,), 2.5))


@pytest.mark.slow
def test_a_histogram_of_no_range_is_refused_as_torch_does() -> None:
    fast = compiled(lambda x: torch.histc(x, 4))
    with torch.no_grad(), pytest.raises(RuntimeError, match=r"range of \[.*\] is not finite"):
        fast(torch.tensor([1.0, math.inf]))


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(torch.ops.aten, "_grouped_mm"), reason="this version of torch has no groups of rows")
@pytest.mark.parametrize("ends", [[4, 8, 100], [0, 0, 100], [1, 99, 99], [33, 64, 65]])
def test_groups_of_rows(ends: list[int]) -> None:
    """Rows behind the last end are whatever they are, so they are left out."""
    x, w = torch.randn(100, 16).bfloat16(), torch.randn(3, 16, 24).bfloat16()

    def product(x: Any, w: Any, ends: Any) -> Any:
        return torch._grouped_mm(x, w, offs=ends)

    fast, offsets = compiled(product), torch.tensor(ends, dtype=torch.int32)
    with torch.no_grad():
        found = fast(x, w, offsets)[: ends[-1]]
    parts = [x[a:b].float() @ w[i].float() for i, (a, b) in enumerate(zip([0, *ends[:-1]], ends, strict=True))]
    torch.testing.assert_close(found.float(), torch.cat(parts), rtol=0.01, atol=0.02)
    assert _runs_natively()


_ENDS = ([8, 16, 104], [0, 0, 104], [8, 96, 96], [32, 72, 80])


@pytest.mark.skipif(not hasattr(torch.ops.aten, "_grouped_mm"), reason="this version of torch has no groups")
@pytest.mark.parametrize("ends", _ENDS)
def test_groups_along_what_is_summed_up(ends: list[int]) -> None:
    """Each group gives a matrix. What is not a number stays in its group; what is behind the last one counts for
    none."""
    x, y = torch.randn(16, 104).bfloat16(), torch.randn(104, 24).bfloat16()
    x[0, ends[0] - 1], y[-1, 0] = math.inf, math.nan
    parts = [x[:, a:b].float() @ y[a:b].float() for a, b in zip([0, *ends[:-1]], ends, strict=True)]
    found = _grouped(x, y, ends)
    torch.testing.assert_close(found.float(), torch.stack(parts), rtol=0.01, atol=0.02, equal_nan=True)


@pytest.mark.skipif(not hasattr(torch.ops.aten, "_grouped_mm"), reason="this version of torch has no groups")
@pytest.mark.parametrize("ends", _ENDS)
def test_groups_of_columns(ends: list[int]) -> None:
    x, y = torch.randn(3, 8, 16).bfloat16(), torch.randn(16, 104).bfloat16()
    parts = [x[i].float() @ y[:, a:b].float() for i, (a, b) in enumerate(zip([0, *ends[:-1]], ends, strict=True))]
    found = _grouped(x, y, ends)[:, : ends[-1]]
    torch.testing.assert_close(found.float(), torch.cat(parts, 1), rtol=0.01, atol=0.02)


def _grouped(x: Any, y: Any, ends: list[int]) -> Any:
    """What the graph level computes."""
    tensors = [x, y, torch.tensor(ends, dtype=torch.int32)]
    graph_module = traced(lambda x, y, offs: [torch._grouped_mm(x, y, offs=offs)], tensors)
    (found,) = run_graph(graph_module, tensors, native=False)
    return found


@pytest.mark.slow
def test_memory_of_a_tensor_whose_dims_were_exchanged() -> None:
    assert_as_eager(lambda x: (x * 2).t().as_strided((2, 3), (1, 4)), torch.randn(3, 4))
    assert_as_eager(lambda x: (x * 2).permute(2, 0, 1).as_strided((5,), (2,), 3), torch.randn(2, 3, 4))
    assert _runs_natively()
    assert_as_eager(lambda x: (x * 2)[:, 1:].as_strided((2, 2), (3, 1)), torch.randn(3, 4))
