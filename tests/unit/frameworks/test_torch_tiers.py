"""Graphs of torch that run in torch while they are compiled."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownLambdaType=false
# pyright: reportUnknownArgumentType=false

from __future__ import annotations

import gc
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from mlc.support.errors import UserError
from tests.unit.frameworks.eager import assert_same, backend, compiled, gradients, torch
from tests.unit.held_builds import HeldBuilds, held_builds

nn = torch.nn
_TIERED = {"tiered": True}


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Generator[HeldBuilds]:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    with held_builds(monkeypatch) as found:
        yield found


def _report() -> list[str]:
    return str(backend.report()).splitlines()


def test_calls_run_in_torch_until_the_code_is_there(held: HeldBuilds) -> None:
    model, x = nn.Sequential(nn.Linear(5, 7), nn.ReLU()), torch.randn(3, 5)
    fast = compiled(model, options=_TIERED)
    with torch.no_grad():
        for _ in range(2):
            assert torch.equal(fast(x), model(x))
        assert _report() == ["inference: 0 of 3 operators run natively, 2 calls ran in torch before"]
        held.go_on()
        for _ in range(2):
            assert_same(fast(x), model(x))
    assert _report() == ["inference: 3 of 3 operators run natively, 2 calls ran in torch before"]
    assert held.count == 1


def test_what_was_compiled_before_runs_at_once(held: HeldBuilds) -> None:
    model, x = nn.Linear(5, 7), torch.randn(3, 5)
    held.released.set()
    with torch.no_grad():
        compiled(model, options=_TIERED)(x)
        held.go_on()
        assert_same(compiled(model, options=_TIERED)(x), model(x))
    assert (held.count, _report()) == (1, ["inference: 2 of 2 operators run natively"])


def test_weights_that_change_while_they_are_compiled(held: HeldBuilds) -> None:
    model, x = nn.Linear(5, 7), torch.randn(3, 5)
    fast = compiled(model, options=_TIERED)
    with torch.no_grad():
        fast(x)
        model.weight.mul_(2)
        assert_same(fast(x), model(x))
        held.go_on()
        assert_same(fast(x), model(x))  # by torch again, as the code is for other weights
        held.go_on()
        assert_same(fast(x), model(x))
        model.weight.mul_(2)
        for _ in range(2):
            assert_same(fast(x), model(x))
            held.go_on()
        assert_same(fast(x), model(x))
    assert held.count == 3


def test_weights_that_are_forgotten_while_they_are_compiled(held: HeldBuilds) -> None:
    model, x = nn.Linear(64, 64), torch.randn(3, 64)
    fast = compiled(model, options=_TIERED)
    with torch.no_grad():
        fast(x)
        model.weight.data[3, 5] = 100  # which torch does not count, and samples miss
        backend.refresh()
        held.go_on()
        for _ in range(2):
            assert_same(fast(x), model(x))
            held.go_on()
        assert_same(fast(x), model(x))
    assert held.count == 2


def test_weights_that_are_deleted_while_they_are_compiled(held: HeldBuilds) -> None:
    model, x = nn.Linear(5, 7), torch.randn(3, 5)
    fast = compiled(model, options=_TIERED)
    with torch.no_grad():
        fast(x)
        model.weight = nn.Parameter(torch.randn(7, 5))
        gc.collect()
        held.go_on()
        for _ in range(2):
            assert_same(fast(x), model(x))
            held.go_on()


def test_operators_that_stay_in_torch(held: HeldBuilds) -> None:
    def model(x: Any) -> Any:
        return torch.linalg.eigvals(torch.tanh(x) * 2).abs().relu() + 1

    x = torch.randn(16, 16)
    fast = compiled(model, options=_TIERED)
    with torch.no_grad():
        assert torch.equal(fast(x), model(x))
        held.go_on()
        assert_same(fast(x), model(x))
    assert held.count == 2  # the parts before and after it
    assert _report()[0] == "inference: 5 of 6 operators run natively, 67% of the work, 1 call ran in torch before"


def test_training(held: HeldBuilds) -> None:
    model, x = nn.Sequential(nn.Linear(5, 7), nn.Tanh(), nn.Linear(7, 2)), torch.randn(3, 5, requires_grad=True)
    fast = compiled(model, options=_TIERED)
    expected = gradients(model, [x], list(model.parameters()))
    assert_same(gradients(fast, [x], list(model.parameters())), expected)
    held.go_on()
    assert_same(gradients(fast, [x], list(model.parameters())), expected)
    assert held.count == 2


def test_a_graph_that_changes_its_arguments(held: HeldBuilds) -> None:
    def model(x: Any, cache: Any) -> Any:
        cache[1] = x
        return cache.sum(0)

    fast, x = compiled(model, options=_TIERED), torch.randn(4)
    ours, theirs = torch.zeros(3, 4), torch.zeros(3, 4)
    with torch.no_grad():
        for _ in range(3):
            assert_same(fast(x, ours), model(x, theirs))
            assert_same(ours, theirs)
            held.go_on()
            x = x + 1


def test_any_number_of_rows(held: HeldBuilds) -> None:
    model = nn.Sequential(nn.Linear(5, 7), nn.ReLU())
    fast = compiled(model, options=_TIERED, dynamic=True)
    with torch.no_grad():
        for _ in range(2):
            for rows in (3, 5, 6, 9, 3):
                x = torch.randn(rows, 5)
                assert_same(fast(x), model(x))
            held.go_on()


def test_rows_that_mix_are_compiled_for_each_number(held: HeldBuilds) -> None:
    def model(x: Any) -> Any:
        return x - x.mean(0)

    fast = compiled(model, options=_TIERED, dynamic=True)
    held.released.set()
    with torch.no_grad():
        for rows in (3, 5, 6, 5, 3):
            x = torch.randn(rows, 5)
            assert_same(fast(x), model(x))
            held.go_on()
            assert_same(fast(x), model(x))
    (graph,) = backend.report().graphs
    assert (graph.compilations, graph.native, graph.operators) == (3, 2, 2)
    assert held.count >= 3


def test_where_there_will_be_no_code_torch_runs(held: HeldBuilds) -> None:
    held.failure = "no luck"
    model, x = nn.Linear(5, 7), torch.randn(3, 5)
    fast = compiled(model, options=_TIERED)
    with torch.no_grad():
        fast(x)
        held.go_on()
        with pytest.warns(UserWarning, match="could not compile a graph, which runs in torch: CompilerBug: no luck"):
            assert torch.equal(fast(x), model(x))
        assert torch.equal(fast(x), model(x))
    assert "  graph: CompilerBug: no luck" in _report()


def test_the_option_is_yes_or_no() -> None:
    model = compiled(nn.Linear(5, 7), options={"tiered": 1})
    with pytest.raises(Exception, match="option 'tiered' is 1, a int; required: True or False") as caught:
        model(torch.randn(3, 5))
    cause = caught.value
    assert isinstance(cause, UserError) or isinstance(getattr(cause, "inner_exception", cause.__cause__), UserError)
