"""Functions of torch by the backend, beside eager torch."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

torch: Any = pytest.importorskip("torch")

from mlc.frameworks import torch as backend  # noqa: E402

Function = Callable[..., Any]
"""A model, or a function of tensors."""


def compiled(model: Function, **options: Any) -> Any:
    """A model by the backend, and nothing left of those before."""
    torch._dynamo.reset()
    backend.reset()
    return torch.compile(model, backend="mlc", **options)


def assert_same(found: Any, expected: Any, rtol: float | None = None, atol: float | None = None) -> None:
    """Results have to agree: kinds, types, shapes, strides where there is more than one element, and numbers."""
    leaves: Callable[[Any], Sequence[Any]] = torch.utils._pytree.tree_leaves
    assert len(leaves(found)) == len(leaves(expected))
    for a, b in zip(leaves(found), leaves(expected), strict=True):
        assert type(a) is type(b)
        if not isinstance(a, torch.Tensor):
            assert a == b
            continue
        torch.testing.assert_close(a, b, equal_nan=True, rtol=rtol, atol=atol)
        assert a.requires_grad == b.requires_grad
        if a.numel():
            strides = [(s, t) for s, t, extent in zip(a.stride(), b.stride(), a.shape, strict=True) if extent > 1]
            assert all(s == t for s, t in strides), (a.stride(), b.stride())


def assert_as_eager(function: Function, *arguments: Any, grad: bool = False, **named: Any) -> Any:
    """Two calls have to give what eager torch gives, and leave arguments as it does; returns what is compiled."""
    fast = compiled(function)
    with torch.set_grad_enabled(grad):
        for _ in range(2):
            ours, theirs = copied(arguments), copied(arguments)
            assert_same(fast(*ours, **named), function(*theirs, **named))
            assert_same([a.detach() for a in ours], [a.detach() for a in theirs])
    return fast


def copied(arguments: Sequence[Any]) -> list[Any]:
    """Tensors of the same layout, on memory of their own."""
    return [copy.deepcopy(a.detach()).requires_grad_(a.requires_grad) for a in arguments]


def gradients(function: Any, arguments: Sequence[Any], parameters: Sequence[Any] = ()) -> list[Any]:
    """Those of the sum of squares of the results."""
    own = copied(arguments)
    found = function(*own)
    results = [r for r in cast("Sequence[Any]", torch.utils._pytree.tree_leaves(found)) if r.requires_grad]
    wanted = [*(a for a in own if a.requires_grad), *parameters]
    return list(torch.autograd.grad(sum(r.square().sum() for r in results), wanted))


def assert_same_gradients(function: Function, *arguments: Any, parameters: Sequence[Any] = ()) -> None:
    """Gradients have to be as in eager torch, to a ten-thousandth."""
    found = gradients(compiled(function), arguments, parameters)
    assert_same(found, gradients(function, arguments, parameters), rtol=1e-4, atol=1e-5)


def compilations() -> int:
    """How often graphs were compiled since `compiled`."""
    return sum(graph.compilations for graph in backend.report().graphs)
