"""The document of `mlc explore` about models of ONNX and PyTorch: which nodes its ops and kernels are from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from .explored import explore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.conftest import CommandLine


def _save_onnx(path: Path, nodes: list[Any], ends: dict[str, list[int]], weights: Sequence[Any] = ()) -> Path:
    """A model of ONNX, the last of whose `ends` is the result."""
    onnx = pytest.importorskip("onnx")
    *inputs, output = (onnx.helper.make_tensor_value_info(n, onnx.TensorProto.FLOAT, s) for n, s in ends.items())
    graph = onnx.helper.make_graph(nodes, "g", inputs, [output], weights)
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(path))
    return path


def test_onnx_nodes_have_scopes_and_equal_layers_their_own_places(tmp_path: Path, mlc: CommandLine) -> None:
    onnx = pytest.importorskip("onnx")
    nodes: list[Any] = []
    value = "x"
    for layer in ("first", "second"):
        names = [f"/body/{layer}/MatMul", f"/body/{layer}/Relu"]
        nodes.append(onnx.helper.make_node("MatMul", [value, f"w.{layer}"], [names[0]], names[0]))
        nodes.append(onnx.helper.make_node("Relu", [names[0]], [names[1]], names[1]))
        value = names[1]
    rng = np.random.default_rng(1)
    weights = [
        onnx.numpy_helper.from_array(rng.standard_normal((8, 8), np.float32), f"w.{layer}")
        for layer in ("first", "second")
    ]
    model = _save_onnx(tmp_path / "model.onnx", nodes, {"x": [4, 8], value: [4, 8]}, weights)
    explored = explore(mlc, model)
    assert explored.document["source"] == -1
    ops = [node for node in explored.document["graph"] if node["calls"]]
    assert [node["scope"] for node in ops] == [
        ["body", "first"],
        ["body", "first"],
        ["body", "second"],
        ["body", "second"],
    ]
    # Two equal layers are two calls of one kernel, each with the nodes that it computes.
    calls = explored.document["calls"]
    assert [node["calls"] for node in ops] == [[0], [0], [1], [1]]
    assert calls[0]["kernel"] == calls[1]["kernel"]
    names = {place["name"] for place in explored.document["places"]}
    assert {"/body/first/MatMul", "/body/second/Relu"} <= names
    (kernel,) = explored.document["kernels"]
    for name in ("/body/second/Relu", "body/first/MatMul", "body/first", "/body"):
        shown = mlc("explain", str(model), name, "--target=x86-64-v3").out
        assert shown.startswith(f"'{name}' is computed by {kernel['name']}\n\nfunc.func private @{kernel['name']}(")
    result = mlc("explain", str(model), "/body/secnd/Relu", "--target=x86-64-v3")
    assert result.status == 1
    assert "no kernel '/body/secnd/Relu' in a model with the kernels " in result.err
    assert "; did you mean 'body/second/Relu'?" in result.err
    result = mlc("explain", str(model), "body/fir", "--target=x86-64-v3")
    assert "no kernel 'body/fir' in a model" in result.err, "part of a name is no module"
    assert kernel["calls"] == 2
    assert len(kernel["places"]) == 4


def test_constants_that_nodes_share_are_not_what_kernels_compute(tmp_path: Path, mlc: CommandLine) -> None:
    """Two nodes have equal constants, which are one: its place is that of the first node."""
    onnx = pytest.importorskip("onnx")
    helper = onnx.helper
    nodes = [
        helper.make_node("HardSwish", ["x"], ["y"], "first"),
        helper.make_node("MatMul", ["y", "w"], ["z"], "product"),
        helper.make_node("HardSwish", ["z"], ["v"], "second"),
    ]
    model = _save_onnx(tmp_path / "model.onnx", nodes, {name: [64, 64] for name in "xwv"})
    document = explore(mlc, model).document
    names = [place["name"] for place in document["places"]]
    computed = [[names[place] for place in kernel["places"]] for kernel in document["kernels"]]
    assert computed == [["first"], ["product", "second"]]
    written = {names[node["place"]]: node["written"] for node in document["graph"] if node["place"] >= 0}
    assert written == {"first": ["onnx.HardSwish"], "product": ["onnx.MatMul"], "second": ["onnx.HardSwish"]}


def test_a_module_of_several_kernels_is_asked_for_one(tmp_path: Path, mlc: CommandLine) -> None:
    onnx = pytest.importorskip("onnx")
    nodes = [
        onnx.helper.make_node("Softmax", ["x"], ["y"], "/body/Softmax"),
        onnx.helper.make_node("MatMul", ["y", "w"], ["z"], "/body/MatMul"),
    ]
    model = str(_save_onnx(tmp_path / "model.onnx", nodes, {name: [64, 64] for name in "xwz"}))
    result = mlc("explain", model, "/body", "--target=x86-64-v3")
    assert result.status == 1
    message = "found '/body', a module whose nodes are computed by softmax, matmul; required: one of these, or a node"
    assert message in result.err
    shown = mlc("explain", model, "/body/MatMul", "--target=x86-64-v3").out
    assert shown.startswith("'/body/MatMul' is computed by matmul\n")


@pytest.mark.slow
def test_nodes_of_one_line_of_python_are_told_apart(tmp_path: Path, mlc: CommandLine) -> None:
    torch = pytest.importorskip("torch")
    layers = [torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4), torch.nn.Tanh()]
    program = torch.export.export(torch.nn.Sequential(*layers), (torch.randn(2, 8),))
    torch.export.save(program, tmp_path / "model.pt2")
    explored = explore(mlc, tmp_path / "model.pt2")
    calls = explored.document["calls"]
    products = [node for node in explored.document["graph"] if node["kind"] == "graph.matmul"]
    places = [explored.document["places"][node["place"]] for node in products]
    assert [place["name"] for place in places] == ["linear", "linear_1"]
    assert len({(place["file"], place["line"]) for place in places}) == 1
    assert len(calls) == 2
    assert [node["calls"] for node in products] == [[0], [1]]
