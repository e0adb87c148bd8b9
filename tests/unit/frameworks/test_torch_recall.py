"""A graph of torch that was compiled before is not compiled again, and one that differs in anything is."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_same, compiled, torch

nn = torch.nn


@pytest.fixture
def compilations(lowered_levels: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The levels that graphs were lowered to, with a cache of their own."""
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))
    return lowered_levels


def _run(model: Any, x: Any, **options: Any) -> None:
    """Compile as a new process would, and compare."""
    torch._dynamo.reset()
    with torch.no_grad():
        assert_same(compiled(model, **options)(x), model(x))


def _model(seed: int = 0, slope: float = 0.25) -> Any:
    torch.manual_seed(seed)
    return nn.Sequential(nn.Linear(5, 7), nn.LeakyReLU(slope), nn.Linear(7, 2))


@pytest.mark.slow
def test_an_equal_model_is_compiled_once(compilations: list[str]) -> None:
    x = torch.randn(3, 5)
    for _ in range(2):
        _run(_model(), x)
    assert compilations == ["loop", "llvm"]


def _other_weights() -> tuple[Any, Any]:
    return _model(seed=1), torch.randn(3, 5)


def _other_rows() -> tuple[Any, Any]:
    return _model(), torch.randn(4, 5)


def _other_type() -> tuple[Any, Any]:
    return _model().double(), torch.randn(3, 5).double()


def _other_number() -> tuple[Any, Any]:
    return _model(slope=0.5), torch.randn(3, 5)


def _other_strides() -> tuple[Any, Any]:
    return _model(), torch.randn(5, 3).T


@pytest.mark.slow
@pytest.mark.parametrize("other", [_other_weights, _other_rows, _other_type, _other_number, _other_strides])
def test_what_differs_is_another_graph(other: Any, compilations: list[str]) -> None:
    _run(_model(), torch.randn(3, 5))
    _run(*other())
    assert compilations == ["loop", "llvm"] * 2


@pytest.mark.slow
def test_numbers_in_a_graph_are_part_of_it(compilations: list[str]) -> None:
    for factor in (2.0, 3.0, 2.0):
        _run(lambda x, factor=factor: x * torch.tensor([factor] * 5), torch.randn(3, 5))
    assert compilations == ["loop", "llvm"] * 2
