"""Results of functions of PyTorch beside those of eager torch, as far as rounding allows."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch")
from mlc.testing.torch_graphs import run_graph, traced  # noqa: E402

Function = Callable[..., Any]
_OF_SINGLE, _OF_DOUBLE = 2e-5, 1e-12
_TOLERANCE = {
    torch.float32: _OF_SINGLE,
    torch.complex64: _OF_SINGLE,
    torch.float64: _OF_DOUBLE,
    torch.complex128: _OF_DOUBLE,
}
"""By how much results may differ, as a part of the largest one."""


def _flat(found: Any) -> list[Any]:
    return [found] if isinstance(found, torch.Tensor) else list(found)


def compiled(function: Function, *arguments: Any, native: bool) -> list[Any]:
    """What mlc makes of a function gives for these arguments, by native code or by the reference."""
    graph = traced(lambda *values: _flat(function(*values)), arguments)
    return run_graph(graph, arguments, native=native)


def assert_as_eager(function: Function, *arguments: Any, native: bool) -> None:
    """Check that results are those of eager torch: types, shapes, integers exactly, numbers up to rounding."""
    found, expected = compiled(function, *arguments, native=native), _flat(function(*arguments))
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        if b.dtype not in _TOLERANCE:
            assert torch.equal(a, b)
        elif b.numel():
            scale = max(float(b.abs().max()), 1e-300)
            assert float((a - b).abs().max()) <= _TOLERANCE[b.dtype] * scale
