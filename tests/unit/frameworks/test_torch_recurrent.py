"""Recurrent networks of PyTorch, as backend and ahead of time, beside eager torch."""

# Torch may be missing, so that its functions are of any type here.
# pyright: reportUnknownLambdaType=false, reportUnknownMemberType=false, reportUnknownArgumentType=false

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from mlc.runtime import load
from mlc.testing.torch_graphs import run_graph, traced
from tests.conftest import CommandLine
from tests.unit.frameworks.eager import assert_as_eager, assert_same_gradients, backend, compiled, torch

nn = torch.nn
_CASES: dict[str, tuple[str, dict[str, Any]]] = {
    "lstm": ("LSTM", {}),
    "lstm of two layers and directions": ("LSTM", {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    "lstm without bias": ("LSTM", {"bias": False}),
    "lstm with projections": ("LSTM", {"proj_size": 2, "num_layers": 2, "bidirectional": True, "bias": False}),
    "gru": ("GRU", {"bias": False}),
    "gru of two layers and directions": ("GRU", {"num_layers": 2, "bidirectional": True, "batch_first": True}),
    "rnn": ("RNN", {"num_layers": 2, "batch_first": True}),
    "rnn of relu": ("RNN", {"nonlinearity": "relu", "bidirectional": True, "bias": False}),
}
_NETWORKS = pytest.mark.parametrize("name", _CASES)


@pytest.fixture(autouse=True)
def _captured() -> Iterator[None]:
    """TorchDynamo captures networks only if it is told so."""
    with torch._dynamo.config.patch(allow_rnn=True):
        yield


def _network(name: str) -> Any:
    torch.manual_seed(0)
    kind, options = _CASES[name]
    return getattr(nn, kind)(4, 5, **options).eval()


def _states(model: Any, batch: int) -> Any:
    count = model.num_layers * (1 + model.bidirectional)
    h = torch.randn(count, batch, model.proj_size or model.hidden_size)
    return (h, torch.randn(count, batch, model.hidden_size)) if isinstance(model, nn.LSTM) else h


@pytest.mark.slow
@_NETWORKS
def test_inference_is_one_native_graph(name: str) -> None:
    model, x = _network(name), torch.randn(3, 7, 4)
    assert_as_eager(lambda x: model(x), x)
    assert [(graph.kind, graph.fallbacks.total()) for graph in backend.report().graphs] == [("inference", 0)]
    assert backend.report().graphs[0].operators <= 3  # the network, and zeros that it starts with


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lstm with projections", "gru of two layers and directions"])
def test_states_that_are_given(name: str) -> None:
    model = _network(name)
    batch = 3 if model.batch_first else 7
    states = _states(model, batch)
    with torch.no_grad():
        found, expected = compiled(model)(torch.ones(3, 7, 4), states), model(torch.ones(3, 7, 4), states)
    torch.testing.assert_close(found, expected)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lstm", "gru", "rnn of relu"])
def test_sequences_without_batches_and_of_one_step(name: str) -> None:
    model = _network(name)
    assert_as_eager(lambda x: model(x), torch.randn(6, 4))
    assert_as_eager(lambda x: model(x), torch.randn(1, 2, 4))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lstm", "lstm with projections", "gru", "rnn"])
def test_training_is_as_in_eager_torch(name: str) -> None:
    model = _network(name).train()
    assert_same_gradients(model, torch.randn(3, 2, 4), parameters=list(model.parameters()))
    assert_same_gradients(model, torch.randn(3, 2, 4).requires_grad_(), parameters=list(model.parameters()))


@pytest.mark.slow
def test_networks_are_taken_apart_for_others_as_before() -> None:
    model, x = _network("gru"), torch.randn(3, 2, 4)
    with torch.no_grad():
        compiled(model)(x)
        seen: list[str] = []

        def other(graph_module: Any, _: object) -> Any:
            seen.extend(str(node.target) for node in graph_module.graph.nodes)
            return graph_module.forward

        torch.compile(model, backend=torch._dynamo.backends.common.aot_autograd(fw_compiler=other))(x)
    assert "aten.gru.input" not in seen and any("sigmoid" in each for each in seen)


def test_sequences_of_several_lengths_run_in_torch() -> None:
    model = _network("gru")
    x = nn.utils.rnn.pack_padded_sequence(torch.randn(4, 3, 4), torch.tensor([4, 2, 1]))
    with torch.no_grad():
        torch.testing.assert_close(compiled(model)(x)[1], model(x)[1])


# ---- ahead of time


@pytest.mark.slow
@_NETWORKS
@pytest.mark.filterwarnings("ignore:The tensor attributes")
def test_libraries(name: str) -> None:
    model, x = _network(name), torch.randn(3, 7, 4)
    found = backend.compile(model, (x,))(x)
    for got, wanted in zip(found, torch.utils._pytree.tree_leaves(model(x)), strict=True):
        torch.testing.assert_close(torch.from_numpy(got), wanted.detach())


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The tensor attributes")
def test_archives(tmp_path: Path, mlc: CommandLine) -> None:
    model, x = _network("lstm of two layers and directions"), torch.randn(3, 7, 4)
    torch.export.save(torch.export.export(model, (x,)), tmp_path / "model.pt2")
    found = mlc("compile", str(tmp_path / "model.pt2"), "-o", str(tmp_path / "model.so"))
    assert found.status == 0, found.err
    got = load(tmp_path / "model.so")(x)[0]
    torch.testing.assert_close(torch.from_numpy(got), model(x)[0].detach())


@pytest.mark.slow
@pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="torch has no oneDNN here")
@pytest.mark.parametrize("reverse", [False, True])
def test_layers_of_onednn(reverse: bool) -> None:
    """What torch takes an LSTM apart into, where it does so."""

    def layer(*tensors: Any) -> list[Any]:
        return list(torch.ops.aten.mkldnn_rnn_layer(*tensors, reverse, [], 2, 5, 1, True, False, False, False)[:3])

    shapes = [(3, 2, 4), (20, 4), (20, 5), (20,), (20,), (1, 2, 5), (1, 2, 5)]
    tensors = [torch.randn(shape) for shape in shapes]
    for got, wanted in zip(run_graph(traced(layer, tensors), tensors, native=True), layer(*tensors), strict=True):
        torch.testing.assert_close(got, wanted)
