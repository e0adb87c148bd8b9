"""The backend of `torch.compile` beside eager torch: what programs do with models, and what goes wrong."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

import os
import re
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.frameworks.eager import assert_as_eager, assert_same, backend, compiled, torch

nn = torch.nn


def _branch(x: Any) -> Any:
    return x * 2 if x.sum() > 0 else x - 1


@pytest.mark.slow
def test_control_flow_that_depends_on_data() -> None:
    assert_as_eager(_branch, torch.ones(3))
    assert_as_eager(_branch, -torch.ones(3))
    assert_as_eager(lambda x: torch.cond(x.sum() > 0, lambda x: x * 2, lambda x: x - 1, (x,)), torch.ones(3))


def test_tensors_of_other_devices_stay_in_torch() -> None:
    fast = compiled(lambda x, y: (x * 2, y + 1))
    x, y = fast(torch.ones(3, device="meta"), torch.ones(2))
    assert x.device.type == "meta"
    assert_same(y, 2 * torch.ones(2))
    (fallback,) = backend.report().fallbacks
    assert (fallback.operator, fallback.reason) == (
        "aten.mul.Tensor",
        "a tensor is on the device 'meta', not on the CPU",
    )


def test_lazy_modules_become_real() -> None:
    model, x = nn.Sequential(nn.LazyLinear(3), nn.ReLU()), torch.randn(2, 5)
    fast = compiled(model)
    with torch.no_grad():
        for _ in range(2):
            assert_same(fast(x), model(x))


@pytest.mark.slow
@pytest.mark.parametrize("size", [16, 300])
def test_threads_and_children(size: int) -> None:
    models = [nn.Sequential(nn.Linear(size, size + i), nn.ReLU(), nn.Linear(size + i, 4)) for i in range(2)]
    compiled(models[0])
    fast = [torch.compile(model, backend="mlc") for model in models]
    x, wrong = torch.randn(64, size), list[BaseException]()

    def call(number: int) -> None:
        try:
            with torch.no_grad():
                for _ in range(10):
                    assert_same(fast[number % 2](x), models[number % 2](x))
        except BaseException as e:
            wrong.append(e)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")  # of Python, about forks of programs with threads
        expected = fast[0](x)
        child = os.fork()
        if child == 0:
            os._exit(0 if torch.equal(fast[0](x), expected) else 1)
    end = time.monotonic() + 60
    while not (found := os.waitpid(child, os.WNOHANG))[0]:
        assert time.monotonic() < end, "the child hangs"
        time.sleep(0.05)
    assert found[1] == 0


def test_what_goes_wrong_is_a_warning(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no luck\nat all")

    monkeypatch.setattr("mlc.frameworks.torch._native.build", fail)
    model, x = nn.Linear(5, 7), torch.randn(3, 5)
    fast = compiled(model)
    with (
        torch.no_grad(),
        pytest.warns(UserWarning, match="could not compile a graph, which runs in torch: RuntimeError: no luck$"),
    ):
        assert_same(fast(x), model(x))
    with torch.no_grad():
        assert_same(fast(x), model(x))
    assert str(backend.report()).splitlines() == [
        "inference: 0 of 2 operators run natively",
        "in torch:",
        "  graph: RuntimeError: no luck",
    ]
    with pytest.warns(UserWarning, match="no luck"):
        fast(x).sum().backward()


def test_what_torch_refuses_is_not_blamed_on_the_compiler(
    monkeypatch: pytest.MonkeyPatch, recwarn: pytest.WarningsRecorder
) -> None:
    def fail(*_: Any, **__: Any) -> Any:
        raise RuntimeError("no luck")

    monkeypatch.setattr("mlc.frameworks.torch._native.build", fail)
    fast = compiled(torch.linalg.cholesky)
    for _ in range(2):
        with pytest.raises(torch.linalg.LinAlgError, match="not positive-definite"):
            fast(-torch.eye(3))
    assert not [w for w in recwarn if "mlc" in str(w.message)]
    with pytest.warns(UserWarning, match="could not compile a graph, which runs in torch: RuntimeError: no luck"):
        torch.testing.assert_close(fast(torch.eye(3)), torch.eye(3))


def test_a_compilation_that_is_interrupted_is_made_by_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_: Any, **__: Any) -> Any:
        raise KeyboardInterrupt

    model, x = nn.Linear(5, 9), torch.randn(3, 5)
    fast = compiled(model)
    with torch.no_grad():
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("mlc.frameworks.torch._native.build", interrupt)
            fast(x)
        assert_same(fast(x), model(x))
    assert backend.report().graphs[-1].native == 2


def test_no_clang(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    monkeypatch.setenv("MLC_CC", "/nowhere/clang")
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path))
    model, x = nn.Linear(3, 5), torch.randn(2, 3)
    fast = compiled(model)
    with torch.no_grad(), pytest.warns(UserWarning, match=r"MLC_CC names '/nowhere/clang', which is not a program"):
        assert_same(fast(x), model(x))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"thread": 2},
            "found the option 'thread'; the backend takes target, threads, opt_level, accuracy, precision, cc",
        ),
        ({"threads": 0}, "found threads 0; required: a whole number, at least 1"),
        ({"threads": "x"}, "option 'threads' is 'x', a str; required: a whole number"),
        ({"threads": True}, "option 'threads' is True, a bool; required: a whole number"),
        ({"cc": "/nowhere/clang"}, "names '/nowhere/clang', which is not a program"),
        ({"cc": 5}, "option 'cc' is 5, a int; required: a name"),
        ({"opt_level": 7}, "found opt_level 7; required: 0, 1, 2 or 3"),
        ({"target": "vax"}, "unknown target 'vax'"),
    ],
)
def test_wrong_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(torch._dynamo.exc.BackendCompilerFailed, match=message):
        compiled(nn.Linear(2, 2), options=options)(torch.ones(1, 2))


@pytest.mark.slow
def test_options_are_taken() -> None:
    model, x = nn.Linear(3, 3), torch.randn(2, 3)
    assert_same(compiled(model, options={"threads": 1, "opt_level": 1})(x), model(x))
    assert_same(compiled(model, fullgraph=True)(x), model(x))


def test_models_within_models() -> None:
    inner, x = nn.Linear(4, 4), torch.randn(2, 4)
    fast = compiled(nn.Sequential(torch.compile(inner, backend="mlc"), nn.ReLU()))
    with torch.no_grad():
        assert_same(fast(x), inner(x).relu())
    assert_same(compiled(compiled(inner))(x), inner(x))
    inner.compile(backend="mlc")
    assert_same(inner(x), inner._call_impl(x))


@pytest.mark.parametrize("grad", [False, True])
def test_autocast(grad: bool) -> None:
    model, x = nn.Sequential(nn.Linear(8, 8), nn.ReLU(), nn.Linear(8, 3)), torch.randn(4, 8)
    fast = compiled(model)
    with torch.set_grad_enabled(grad), torch.autocast("cpu", torch.bfloat16):
        found, expected = fast(x), model(x)
    assert found.dtype == expected.dtype == torch.bfloat16
    torch.testing.assert_close(found, expected, rtol=0.05, atol=0.05)


@pytest.mark.slow
def test_seeds() -> None:
    """The same numbers for a seed, others without; those of eager torch only where the operator stays in torch."""
    x = torch.ones(1000)
    fast = compiled(nn.Dropout(0.5))
    found: list[Any] = []
    for seed in (1, 1, None):
        if seed is not None:
            torch.manual_seed(seed)
        found.append(fast(x))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[1], found[2])
    assert set(found[0].tolist()) == {0.0, 2.0}

    def drawn(x: Any) -> Any:
        return torch.poisson(x * 4) * 2

    results: list[Any] = []
    for function in (compiled(drawn), drawn):
        torch.manual_seed(1)
        results.append(function(torch.ones(5)))
    assert_same(*results)


def test_what_is_not_dense_stays_in_torch() -> None:
    for matrix in (torch.eye(3).to_sparse(), torch.eye(3)):
        assert_same(compiled(lambda s, x: torch.mm(s, x) * 2)(matrix, torch.ones(3, 2)), 2 * torch.ones(3, 2))
    x = torch.randn(8)
    functions: list[Callable[[Any], Any]] = [
        lambda x: torch.special.airy_ai(x * 2).abs() + 1,
        lambda x: torch.view_as_real(x.to(torch.complex32)),
    ]
    for function in functions:
        assert_as_eager(function, x)


def test_operators_of_others() -> None:
    with torch.library._scoped_library("mlc_test", "FRAGMENT"):

        @torch.library.custom_op("mlc_test::twice", mutates_args=(), schema="(Tensor x) -> Tensor")
        def twice(x: Any) -> Any:
            return x * 2

        @torch.library.custom_op("mlc_test::increase", mutates_args=("x",), schema="(Tensor(a!) x) -> ()")
        def increase(x: Any) -> None:
            x.add_(1)

        twice.register_fake(torch.empty_like)

        def function(x: Any) -> Any:
            y = twice(x + 1) * 3
            increase(y)
            return y + 1

        assert_as_eager(function, torch.randn(3))
    assert "mlc_test.twice" in {each.operator for each in backend.report().fallbacks}


class Notes(nn.Module):
    """A model whose forward has a line of its own for an operator that mlc lacks."""

    def forward(self, x: Any) -> Any:
        y = torch.special.airy_ai(torch.tanh(x))
        z = torch.special.airy_ai(torch.cos(x))
        return y + z


@pytest.mark.slow
def test_the_report_names_each_operator_once() -> None:
    fast = compiled(Notes())
    with torch.no_grad():
        fast(torch.randn(4))
        torch._dynamo.reset()
        fast(torch.randn(6))
    line = Notes.forward.__code__.co_firstlineno + 1
    lines = str(backend.report()).splitlines()
    assert re.search(r"operators run natively, \d+% of the work \(2 graphs\)$", lines[0])
    (function,) = [each for each in lines if "airy" in each]
    assert function.startswith("  aten.special_airy_ai (4 times): mlc has no pattern for this operator")
    assert function.endswith(f"[{__file__}:{line}]")
    backend.reset()
    assert str(backend.report()).startswith("no graph was compiled yet")


def test_the_report_counts_work_beside_operators() -> None:
    """A product that is native is nearly all of the work, whatever is around it; one that is not is, too."""
    matrix = torch.randn(64, 64)
    fast = compiled(lambda x: torch.special.airy_ai(x @ matrix).abs() + 1)
    with torch.no_grad():
        fast(torch.randn(64, 64))
    assert str(backend.report()).startswith("inference: 3 of 4 operators run natively, 99% of the work")
    (graph,) = backend.report().graphs
    each, product = 64 * 64, 2 * 64**3
    assert graph.share == pytest.approx((product + 2 * each) / (product + 3 * each))


def _three_graphs(x: Any) -> Any:
    print()
    return x + 1 if x.sum() > 0 else x - 1


def test_the_report_says_what_dynamo_did_not_capture() -> None:
    fast = compiled(_three_graphs)
    with torch.no_grad():
        fast(torch.ones(3))
    text = str(backend.report())
    assert "\nnot captured by TorchDynamo:\n" in text
    assert "print" in text.partition("not captured")[2]
    assert backend.report().breaks
    backend.reset()
    assert not backend.report().breaks


def test_the_report_says_why_nothing_was_captured() -> None:
    with torch.no_grad():
        compiled(nn.LSTM(3, 4))(torch.ones(2, 1, 3))
    head, captured, reason = str(backend.report()).splitlines()
    assert (head, captured) == ("no graph was compiled", "not captured by TorchDynamo:")
    assert "RNN" in reason


CALLS: dict[str, Callable[[Any, Any], Any]] = {
    "retained": lambda f, x: [f(x).sum().backward(retain_graph=True)],
    "saved on cpu": lambda f, x: _within(torch.autograd.graph.save_on_cpu(), f, x),
    "anomalies": lambda f, x: _within(torch.autograd.detect_anomaly(check_nan=True), f, x),
    "checkpoint": lambda f, x: torch.utils.checkpoint.checkpoint(f, x, use_reentrant=False).sum().backward(),
    "reentrant": lambda f, x: torch.utils.checkpoint.checkpoint(f, x, use_reentrant=True).sum().backward(),
}


def _within(context: Any, f: Any, x: Any) -> None:
    with context:
        f(x).sum().backward()


@pytest.mark.filterwarnings("ignore:Anomaly")
@pytest.mark.parametrize("name", CALLS)
def test_gradients_as_programs_ask_for_them(name: str) -> None:
    model, found = nn.Linear(3, 3), list[Any]()
    for f in (compiled(model), model):
        x = torch.linspace(-1, 1, 6).reshape(2, 3).requires_grad_()
        model.zero_grad()
        CALLS[name](f, x)
        found.append([x.grad, *(p.grad.clone() for p in model.parameters())])
    assert_same(*found)


def test_hooks() -> None:
    model, x, found = nn.Sequential(nn.Linear(4, 4), nn.ReLU()), torch.randn(2, 4), list[Any]()
    model[0].register_forward_hook(lambda *each: each[2] * 2)
    model[0].weight.register_hook(lambda g: g * 5)
    for f in (compiled(model), model):
        model.zero_grad()
        f(x).sum().backward()
        found.append([p.grad.clone() for p in model.parameters()])
    assert_same(*found)


@pytest.mark.slow
def test_second_derivatives_are_refused_as_by_other_backends() -> None:
    messages: list[str] = []
    for name in ("mlc", "aot_eager"):
        torch._dynamo.reset()
        x = torch.randn(3, requires_grad=True)
        fast = torch.compile(lambda x: (x**3).sum(), backend=name)
        (gradient,) = torch.autograd.grad(fast(x), x, create_graph=True)
        with pytest.raises(RuntimeError, match="double backward") as error:
            gradient.sum().backward()
        messages.append(str(error.value))
    assert messages[0] == messages[1]


def test_tensors_of_tensors_of_different_lengths_stay_in_torch() -> None:
    parts = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged)
    fast = compiled(lambda x: x * 2)
    with pytest.warns(UserWarning, match="is not a number: it stands for lengths that differ within a tensor"):
        found = fast(parts)
    assert_same(found.values(), 2 * torch.ones(5))
