"""Weights that code holds copies of: which changes are seen, and how often code is made."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import copy
import gc
import pickle
import weakref
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("torch")

from mlc.frameworks.torch import _graphs
from tests.unit.frameworks.eager import assert_same, backend, compilations, compiled, torch

nn = torch.nn


def _new(tensor: Any) -> Any:
    return torch.randn_like(tensor)


def _loaded(model: Any, assign: bool = False) -> None:
    model.load_state_dict({name: _new(value) for name, value in model.state_dict().items()}, assign=assign)


def _set(tensor: Any, value: Any) -> None:
    tensor.data = value


def _subtracted(model: Any) -> None:
    for parameter in model.parameters():
        parameter.data -= 0.1 * _new(parameter)


def _replaced(model: Any) -> None:
    model.weight = nn.Parameter(torch.randn(6, 4))
    model.bias = nn.Parameter(torch.randn(6))


def _of_other_shape(model: Any) -> None:
    model.weight.data = torch.randn(5, 4)
    model.bias.data = torch.randn(5)


CHANGES: dict[str, Callable[[Any], Any]] = {
    "in place": lambda m: m.weight.mul_(2),
    "one element": lambda m: m.weight[2, 1].fill_(9),
    "state": _loaded,
    "assigned state": lambda m: _loaded(m, assign=True),
    "data set": lambda m: _set(m.weight, torch.randn(4, 4)),
    "data transposed": lambda m: _set(m.weight, m.weight.data.t()),
    "data in place": lambda m: m.weight.data.mul_(2),
    "data subtracted": _subtracted,
    "by NumPy": lambda m: m.weight.detach().numpy().fill(3),
    "replaced": _replaced,
    "of other shape": _of_other_shape,
    "bias": lambda m: m.bias.data.add_(1),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CHANGES)
def test_changes_are_seen(name: str) -> None:
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        assert_same(fast(x), model(x))
        for _ in range(3):
            CHANGES[name](model)
            assert_same(fast(x), model(x))


@pytest.mark.slow
def test_other_types_of_weights() -> None:
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        for dtype in (torch.float32, torch.float64, torch.float16):
            model.to(dtype)
            assert_same(fast(x.to(dtype)), model(x.to(dtype)), rtol=1e-3, atol=1e-3)


def test_some_elements_that_torch_does_not_count_need_a_word() -> None:
    model, indices = nn.Embedding(1000, 8), torch.tensor([3, 5])
    fast = compiled(model)
    with torch.no_grad():
        before = fast(indices)
        model.weight.data[5] = 9
        assert_same(fast(indices), before)
        backend.refresh()
        assert_same(fast(indices), model(indices))


@pytest.mark.slow
def test_weights_of_odd_sizes_and_layouts_are_sampled_whole() -> None:
    class Odd(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("expanded", torch.randn(1, 4).expand(3, 4))
            self.register_buffer("strided", torch.randn(8, 6)[::2, 1::2])
            self.register_buffer("flag", torch.tensor(True))
            self.register_buffer("nothing", torch.empty(0, 3))
            self.register_buffer("halves", torch.randn(3).half())
            self.register_buffer("bytes", torch.tensor([1, 2, 3], dtype=torch.uint8)[1:])

        def forward(self, x: Any) -> Any:
            rest = self.strided.sum() + self.flag + self.nothing.sum() + self.halves.sum() + self.bytes.sum()
            return x @ self.expanded.t() + rest

    model, x = Odd(), torch.randn(2, 4)
    with torch.no_grad():
        for buffer, place in (("flag", ()), ("halves", 2), ("bytes", 1), ("strided", (3, 2)), ("expanded", (0, 0))):
            fast = compiled(model)
            assert_same(fast(x), model(x))
            held = getattr(model, buffer).data
            held[place] = 0 if buffer == "flag" else 7
            assert_same(fast(x), model(x))


def test_a_weight_that_goes_on_changing_is_an_input() -> None:
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        for _ in range(8):
            assert_same(fast(x), model(x))
            model.weight.mul_(1.5)
            model.bias.data.mul_(1.5)
    assert compilations() == 3


@pytest.mark.slow
def test_new_weights_each_time_are_inputs_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_graphs, "_AGAIN", 4)
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        for _ in range(10):
            model.weight = nn.Parameter(torch.randn(4, 4))
            assert_same(fast(x), model(x))
    assert compilations() <= 6


def test_buffers_that_a_model_changes_are_inputs_from_the_start() -> None:
    class Cache(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("keys", torch.zeros(8, 4))
            self.projection = nn.Linear(4, 4)

        def forward(self, x: Any, place: Any) -> Any:
            self.keys.index_copy_(0, place, self.projection(x))
            return x @ self.keys.T

    model = Cache()
    expected, fast = copy.deepcopy(model), compiled(model)
    with torch.no_grad():
        for i in range(5):
            x, place = torch.randn(1, 4), torch.tensor([i])
            assert_same(fast(x, place), expected(x, place))
    assert_same(model.keys, expected.keys)
    assert compilations() == 1


@pytest.mark.slow
def test_instances_of_one_class_have_their_own_weights() -> None:
    models, x = [nn.Linear(4, 4) for _ in range(12)], torch.randn(2, 4)
    compiled(models[0])
    fast = [torch.compile(model, backend="mlc") for model in models]
    with torch.no_grad():
        for _ in range(2):
            for f, model in zip(fast, models, strict=True):
                assert_same(f(x), model(x))
    assert compilations() == 9


@pytest.mark.slow
def test_weights_that_modules_share() -> None:
    class Shared(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)
            self.b.weight = self.a.weight

        def forward(self, x: Any) -> Any:
            return self.b(self.a(x))

    model, x = Shared(), torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        assert_same(fast(x), model(x))
        model.a.weight.mul_(2)
        assert_same(fast(x), model(x))
    assert_same(fast(x), model(x))


def test_copies_of_a_compiled_module_have_their_own_weights() -> None:
    fast, x = compiled(nn.Linear(4, 4)), torch.randn(2, 4)
    with torch.no_grad():
        expected = fast(x)
        for other in (copy.deepcopy(fast), pickle.loads(pickle.dumps(fast))):
            assert_same(other(x), expected)
            other.weight.mul_(2)
            assert_same(other(x), other._orig_mod(x))
            assert_same(fast(x), expected)


def test_weights_made_in_inference_mode() -> None:
    x = torch.randn(2, 4)
    with torch.inference_mode():
        model = nn.Linear(4, 4)
        fast = compiled(model)
        for _ in range(3):
            assert_same(fast(x), model(x))
            model.weight[1, 1] += 1
    assert compilations() == 1


@pytest.mark.slow
def test_modes_of_gradients() -> None:
    model, x = nn.Linear(4, 4), torch.randn(2, 4)
    fast = compiled(model)
    optimiser = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        with torch.inference_mode():
            assert_same(fast(x), model(x))
        with torch.no_grad():
            assert_same(fast(x), model(x))
        optimiser.zero_grad()
        fast(x).square().sum().backward()
        optimiser.step()


def test_tensors_that_a_function_captures() -> None:
    weight = torch.randn(3)

    def function(x: Any) -> Any:
        return x + weight

    fast = compiled(function)
    for change in (lambda: weight.mul_(2), lambda: weight.data.mul_(2)):
        change()
        assert_same(fast(torch.ones(3)), function(torch.ones(3)))


def test_functional_calls_take_other_weights() -> None:
    model, x = nn.Linear(4, 4), torch.randn(2, 4)

    def function(weights: Any, x: Any) -> Any:
        return torch.func.functional_call(model, weights, (x,))

    fast = compiled(function)
    with torch.no_grad():
        for _ in range(3):
            weights = {name: _new(value) for name, value in model.named_parameters()}
            assert_same(fast(weights, x), function(weights, x))


def test_parametrised_weights() -> None:
    model, x = nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)), torch.randn(2, 4)
    fast = compiled(model)
    with torch.no_grad():
        assert_same(fast(x), model(x))
        model.parametrizations.weight.original0.mul_(2)
        assert_same(fast(x), model(x))


@pytest.mark.slow
def test_a_model_and_its_code_go(monkeypatch: pytest.MonkeyPatch) -> None:
    from mlc.frameworks.torch import _launch

    libraries: list[Any] = []
    before = _launch.Launch.__init__

    def noted(self: Any, model: Any, *rest: Any) -> None:
        libraries.append(weakref.ref(model))
        before(self, model, *rest)

    monkeypatch.setattr(_launch.Launch, "__init__", noted)
    model = nn.Linear(30, 30)
    weight = weakref.ref(model.weight)
    fast = compiled(model)
    with torch.no_grad():
        fast(torch.randn(2, 30))
        assert len(libraries) == 1
        assert libraries[0]() is not None
        del model, fast
        gc.collect()
    assert weight() is None
    assert libraries[0]() is None


def test_weights_say_what_changed() -> None:
    from mlc.frameworks.torch._weights import Weights

    tensors = [torch.randn(100), torch.arange(3, dtype=torch.uint8), torch.randn(2, 2)]
    gone: list[int] = []
    weights = Weights([0, 1, 2], tensors, lambda: gone.append(1))
    assert weights.are_same(tensors)
    assert weights.changed(tensors) == []
    tensors[1].data[2] = 9
    assert not weights.are_same(tensors)
    assert weights.changed(tensors) == [1]
    tensors[0].add_(0)
    assert weights.changed(tensors) == [0, 1]
    others = [tensors[0], torch.arange(3), tensors[2]]
    assert not weights.are_same(others)
    assert weights.changed(others) == [0]
    del others, tensors[1]
    assert not weights.is_alive
    assert gone == [1]
