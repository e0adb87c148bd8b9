"""Primitive operators between those of ATen: numbers of Python that change, and compiled optimisers."""

# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false
# pyright: reportUnknownVariableType=false

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_same, backend, compiled, torch


@pytest.mark.slow
def test_a_float_that_changes_between_calls() -> None:
    def function(x: Any, s: float) -> Any:
        return torch.sin(x * s) + s, (x.half() * s).sum()

    fast, x = compiled(function), torch.rand(64)
    for s in (2.5, 3.5, -4.5, 1e-3):
        assert_same(fast(x, s), function(x, s))
    assert not backend.report().fallbacks


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SGD", "AdamW"])
def test_optimisers(name: str) -> None:
    steps: list[Any] = []
    for is_compiled in (True, False):
        torch.manual_seed(0)
        weights = [torch.rand(5, 3).requires_grad_(), torch.rand(4).requires_grad_()]
        more = {"momentum": 0.9} if name == "SGD" else {}
        optimiser = getattr(torch.optim, name)(weights, lr=1e-2, weight_decay=0.1, **more)
        for weight in weights:
            weight.grad = torch.rand_like(weight)
        step = compiled(lambda o=optimiser: o.step()) if is_compiled else optimiser.step
        for _ in range(3):
            step()
        if is_compiled:
            assert not backend.report().fallbacks
        steps.append([w.detach() for w in weights])
    assert_same(*steps)


def test_calls_of_primitive_operators() -> None:
    from mlc.frameworks.torch._prims import without_prims

    def function(a: Any, b: Any, c: Any) -> Any:
        made = prims.convert_element_type(a, torch.float64)
        sums = [prims.fma(a, b, c), prims.fma(a, 0.5, c), prims.fma(2.5, b, c)] if hasattr(prims, "fma") else []
        return *sums, prims.view_of(made)

    prims = torch.ops.prims
    x = [torch.rand(4), torch.rand(4), torch.rand(4)]
    traced = torch.fx.experimental.proxy_tensor.make_fx(function)(*x)
    found = without_prims(traced)
    assert not [n for n in found.graph.nodes if "prims" in str(n.target)]
    a, b, c = x
    assert_same(list(found(*x)), [a * b + c, a * 0.5 + c, 2.5 * b + c, a.double()][-len(traced(*x)) :])
