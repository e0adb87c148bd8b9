"""Calls that eager torch refuses because of elements are refused by the backend, in the same words."""

# pyright: reportUnknownLambdaType=false, reportUnknownVariableType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mlc.support.errors import UserError
from tests.unit.frameworks.eager import assert_same, backend, compilations, compiled, torch

F = torch.nn.functional


def _table() -> Any:
    return torch.arange(12.0).reshape(4, 3).sin()


def _at(*indices: int) -> Any:
    return torch.tensor(indices)


Call = tuple[Callable[..., Any], list[Any], list[Any]]
"""A function, the last argument of a call that it takes, and of one that it does not take."""
_CALLS: dict[str, Call] = {
    "embedding": (lambda w, i: F.embedding(i, w) + 1, [_at(3, 0)], [_at(1, 4), _at(-1, 0)]),
    "computed": (lambda w, i: F.embedding(i * 2, w) + 1, [_at(1, 0)], [_at(1, 2)]),
    "behind": (lambda w, i: F.embedding((w[:2, :2].sum(1) * 0).long() + i, w) + 1, [_at(1, 0)], [_at(1, 4)]),
    "index": (lambda w, i: w[i] + 1, [_at(3, -4)], [_at(1, 4), _at(-5, 0)]),
    "index of two": (lambda w, i: w[i, i.flip(0)] + 1, [_at(2, -3)], [_at(1, 3)]),
    "gather": (lambda w, i: w[:, 0].gather(0, i) + 1, [_at(3, 0)], [_at(1, 4), _at(-1, 0)]),
    "take": (lambda w, i: w.take(i) + 1, [_at(11, -12)], [_at(1, 12), _at(-13)]),
    "put": (lambda w, i: w.put(i, w[0, :2]) + 1, [_at(11, -12)], [_at(1, 12), _at(0, -13)]),
    "index_select": (lambda w, i: w.index_select(1, i) + 1, [_at(2, 0)], [_at(1, 3), _at(-1, 0)]),
    "scatter": (lambda w, i: w[:, 0].scatter(0, i, 1.0) + 1, [_at(3, 0)], [_at(1, 4), _at(-1, 0)]),
    "scatter_add": (lambda w, i: w[:, 0].scatter_add(0, i, w[:2, 1]) + 1, [_at(3, 3)], [_at(1, 4)]),
    "scatter_reduce": (lambda w, i: w[:, 0].scatter_reduce(0, i, w[:2, 1], "mean") + 1, [_at(3, 3)], [_at(1, 4)]),
    "index_add": (lambda w, i: w.index_add(0, i, w[:2]) + 1, [_at(3, 3)], [_at(1, 4)]),
    "index_copy": (lambda w, i: w.index_copy(0, i, w[:2]) + 1, [_at(3, 0)], [_at(1, 4)]),
    "index_fill": (lambda w, i: w.index_fill(0, i, 1.0) + 1, [_at(3, -4)], [_at(1, 4)]),
    "index_put": (lambda w, i: w.index_put((i,), w[:2]) + 1, [_at(3, -4)], [_at(1, 4), _at(-5, 0)]),
    "bags": (lambda w, i: F.embedding_bag(i, w, _at(0)) + 1, [_at(3, 0)], [_at(1, 4)]),
    "labels": (lambda w, i: F.cross_entropy(w[:2], i), [_at(2, 0), _at(-100, 1)], [_at(1, 3), _at(-1, 0)]),
    "labels of pixels": (
        lambda w, i: F.nll_loss(w[None, :, :, None], i[None, :, None]), [_at(3, 0, 1)], [_at(1, 4, 2)],
    ),
    "labels with weights": (
        lambda w, i: F.cross_entropy(w[:2], i, w[0].abs(), ignore_index=1, reduction="sum"), [_at(2, 1)], [_at(1, 3)],
    ),
    "chances": (lambda w, p: F.binary_cross_entropy(p, w[0].abs()), [torch.tensor([0.0, 1.0, 0.5])],
                [torch.tensor([0.5, 1.5, 0.0]), torch.tensor([0.5, float("nan"), 0.0])]),
    "draws": (lambda w, p: p.multinomial(1) + 1, [torch.tensor([0.0, 1.0, 0.0])],
              [torch.tensor([1.0, bad, 1.0]) for bad in (-0.5, float("nan"), float("inf"))]),
    "quotients": (lambda w, n: 7 // n + 1, [_at(2, -3)], [_at(1, 0)]),
    "quotients towards zero": (lambda w, n: torch.div(7, n, rounding_mode="trunc"), [_at(2, -3)], [_at(1, 0)]),
    "remainders": (lambda w, n: n % (n - 1), [_at(2, -3)], [_at(0, 1)]),
    "fmod": (lambda w, n: torch.fmod(n, n - 1), [_at(2, -3)], [_at(0, 1)]),
}  # fmt: skip


def _raised(function: Callable[..., Any], *arguments: Any) -> tuple[type, str]:
    with pytest.raises((IndexError, RuntimeError)) as caught:
        function(*arguments)
    return caught.type, str(caught.value)


@pytest.mark.parametrize("name", _CALLS)
def test_what_eager_torch_does_not_take(name: str) -> None:
    function, right, wrong = _CALLS[name]
    fast = compiled(function)
    for last in (*right, *wrong, *right):
        if any(last is each for each in wrong):
            assert _raised(fast, _table(), last) == _raised(function, _table(), last)
        else:
            assert_same(fast(_table(), last), function(_table(), last))
    assert not backend.report().fallbacks


def test_nobody_asks_without_the_option() -> None:
    fast = compiled(lambda w, i: F.embedding(i, w) + 1, options={"checked": False})
    assert_same(fast(_table(), _at(9)), _table()[3:] + 1)
    with pytest.raises(Exception, match="option 'checked' is 1, a int; required: True or False"):
        compiled(lambda x: x + 1, options={"checked": 1})(_table())


@pytest.mark.slow
def test_parts_between_what_stays_in_torch() -> None:
    function: Callable[..., Any] = lambda w, i: torch.linalg.matrix_exp(w[i][:, :2] @ w[:2, :2].T) + w[i + 1][:2, :2]  # noqa: E731
    fast = compiled(function)
    assert_same(fast(_table(), _at(2, 0)), function(_table(), _at(2, 0)))
    assert backend.report().fallbacks
    for wrong in (_at(4, 0), _at(3, 0)):
        assert _raised(fast, _table(), wrong) == _raised(function, _table(), wrong)


@pytest.mark.slow
def test_forward_passes_of_training_are_checked() -> None:
    table = _table().requires_grad_()
    fast = compiled(lambda w, i: F.embedding(i, w).square().sum())
    assert _raised(fast, table, _at(4))[0] is IndexError
    fast(table, _at(1, 1)).backward()
    assert_same(table.grad, torch.zeros(4, 3).index_add(0, _at(1), 4 * _table()[1:2]))


def test_constants_that_are_wrong() -> None:
    function: Callable[..., Any] = lambda w: w[torch.tensor([1, 9])] + 1  # noqa: E731
    assert _raised(compiled(function), _table()) == _raised(function, _table())


@pytest.mark.slow
def test_rows_that_a_call_does_not_have_are_not_looked_at() -> None:
    """Code for eight rows serves five: those behind them hold zeros, which are not labels here."""
    table = _table()
    function: Callable[..., Any] = lambda i: F.embedding(i - 1, table) + 1  # noqa: E731
    fast = compiled(function)
    for count in (5, 3, 7, 6):
        rows = torch.arange(count) % 4 + 1
        torch._dynamo.mark_dynamic(rows, 0)
        assert_same(fast(rows), function(rows))
    assert compilations() == 2
    assert _raised(fast, _at(1, 2, 5)) == _raised(function, _at(1, 2, 5))
    assert compilations() == 2


def test_what_is_changed_in_place() -> None:
    def update(cache: Any, i: Any, new: Any) -> Any:
        cache.index_copy_(0, i, new)
        return cache.sum()

    fast, cache = compiled(update), torch.zeros(4, 3)
    fast(cache, _at(3, 1), torch.ones(2, 3))
    assert cache.sum(1).tolist() == [0, 3, 0, 3]
    assert _raised(fast, cache, _at(1, 4), torch.ones(2, 3)) == _raised(update, cache, _at(1, 4), torch.ones(2, 3))


@pytest.mark.slow
@pytest.mark.parametrize("indices", [[1, 3], [1, 4], [-9, 7]])
def test_artifacts_count(indices: list[int]) -> None:
    function: Callable[..., Any] = lambda w, i: w[i] + 1  # noqa: E731
    model = backend.compile(function, (_table(), _at(0, 1)), checked=True)
    assert [t.name for t in model.outputs][1:] == ["wrong_elements"]
    found, wrong = model(_table().numpy(), np.array(indices))
    assert wrong == sum(not -4 <= i < 4 for i in indices)
    if not wrong:
        assert_same(torch.from_numpy(found), function(_table(), torch.tensor(indices)))
    plain = backend.compile(function, (_table(), _at(0, 1)))
    assert len(plain.outputs) == 1


@pytest.mark.slow
def test_nothing_to_count() -> None:
    assert len(backend.compile(lambda x: x + 1, _table(), checked=True).outputs) == 1


def test_what_is_no_truth_value() -> None:
    from mlc.frameworks.torch._build import backend_options

    with pytest.raises(UserError, match="option 'checked' is 'no', a str; required: True or False"):
        backend_options({"checked": "no"})
