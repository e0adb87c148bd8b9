"""Arguments that a model changes: in place where that can be, and as eager torch does everywhere."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_as_eager, assert_same, backend, compilations, compiled, torch


def _cache(cache: Any, at: Any, new: Any) -> Any:
    cache.index_copy_(2, at, new)
    return (cache * 2).sum(-1)


def _both(x: Any, y: Any) -> Any:
    x.add_(y)
    y.copy_(x.t() * 2)
    return x.unsqueeze(0)


def _swap(x: Any, y: Any) -> None:
    kept = x.clone()
    x.copy_(y)
    y.copy_(kept)


def _old(x: Any) -> Any:
    before = x * 1.0
    x[0] = 5
    return before, x


def _narrower(x: Any, y: Any) -> Any:
    x.copy_(y.sum(0))
    return x + 1


def _reads_again(cache: Any, at: Any, new: Any) -> Any:
    later = cache.index_copy(0, at, new)
    found = (cache * later).sum(-1)
    cache.copy_(later)
    return found


def _twice(cache: Any, at: Any, new: Any) -> Any:
    cache.index_add_(0, at, new)
    cache[at + 1] = new * 2
    return cache.sum()


def _near_what_stays_in_torch(x: Any, y: Any) -> Any:
    found = torch.special.airy_ai(x).abs()
    x.add_(y)
    return found


_AT = torch.tensor([3])
_CASES: list[tuple[Callable[..., Any], list[Any]]] = [
    (_cache, [torch.randn(1, 2, 8, 4), _AT, torch.randn(1, 2, 1, 4)]),
    (_cache, [torch.randn(1, 8, 2, 4).transpose(1, 2), _AT, torch.randn(1, 2, 1, 4)]),
    (_both, [torch.randn(3, 3), torch.randn(3, 3)]),
    (_both, [torch.randn(3, 3).t(), torch.randn(6, 3)[::2]]),
    (_swap, [torch.randn(4), torch.randn(4)]),
    (_old, [torch.randn(3, 4)]),
    (_narrower, [torch.randn(3, 4).double(), torch.randn(2, 4)]),
    (_reads_again, [torch.randn(6, 4), _AT, torch.randn(1, 4)]),
    (_twice, [torch.randn(6, 4), _AT, torch.randn(1, 4)]),
    (_near_what_stays_in_torch, [torch.randn(3, 4), torch.randn(3, 4)]),
]


@pytest.mark.parametrize("grad", [False, True])
@pytest.mark.parametrize("case", _CASES, ids=[f"{i}: {case[0].__name__}" for i, case in enumerate(_CASES)])
def test_arguments_are_changed_as_in_eager_torch(case: tuple[Callable[..., Any], list[Any]], grad: bool) -> None:
    function, arguments = case
    assert_as_eager(function, *arguments, grad=grad)


@pytest.mark.slow
@pytest.mark.parametrize("level", [0, 3])
def test_a_cache_keeps_its_memory_and_is_counted(level: int) -> None:
    fast = compiled(_cache, options={"opt_level": level})
    with torch.no_grad():
        cache = torch.zeros(1, 2, 8, 4)
        expected, place = cache.clone(), cache.data_ptr()
        for step in range(6):
            at, new, version = torch.tensor([step]), torch.randn(1, 2, 1, 4), cache._version
            assert_same(fast(cache, at, new), _cache(expected, at, new))
            assert_same(cache, expected)
            assert cache.data_ptr() == place
            assert cache._version > version
    assert compilations() == 1
    assert not backend.report().fallbacks


@pytest.mark.slow
def test_weights_that_a_graph_changes_are_seen_by_others() -> None:
    layer = torch.nn.Linear(3, 2)

    def step(x: Any) -> None:
        layer.weight.add_(x)

    fast = compiled(layer)
    change, x = torch.compile(step, backend="mlc"), torch.randn(4, 3)
    with torch.no_grad():
        for _ in range(3):
            assert_same(fast(x), layer(x))
            change(torch.ones(2, 3))


def test_tensors_of_inference_mode_are_changed() -> None:
    fast = compiled(_cache)
    with torch.inference_mode():
        ours, at, new = torch.randn(1, 2, 8, 4), torch.tensor([3]), torch.randn(1, 2, 1, 4)
        theirs = ours.clone()
        assert_same(fast(ours, at, new), _cache(theirs, at, new))
        assert_same(ours, theirs)
