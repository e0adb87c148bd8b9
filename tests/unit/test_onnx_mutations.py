"""Models of ONNX that somebody broke are refused in words, or convert."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc.compiler.compilation import new_context
from mlc.support.errors import UserError

onnx: Any = pytest.importorskip("onnx")

from mlc.frontends.onnx.reader import read_onnx  # noqa: E402
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass  # noqa: E402
from mlc.testing import onnx_mutations  # noqa: E402


@pytest.mark.slow
def test_each_is_refused_or_converts() -> None:
    mutants = list(onnx_mutations.run(300))
    assert [m for m in mutants if m.outcome not in ("converted", "refused")] == []
    assert {m.outcome for m in mutants} == {"converted", "refused"}


@pytest.mark.slow
def test_what_goes_wrong_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign would see a crash."""

    def crash(path: Path) -> None:
        raise IndexError(f"no {path.name}")

    monkeypatch.setattr(onnx_mutations, "_convert", crash)
    assert onnx_mutations.try_one(0).outcome == "IndexError: no model.onnx"


def _converted(model: Any, folder: Path) -> None:
    path = folder / "model.onnx"
    path.write_bytes(model if isinstance(model, bytes) else model.SerializeToString())
    ctx = new_context()
    ConvertOnnxToGraphPass().run(read_onnx(path, ctx), ctx)


def _model(nodes: list[Any], inputs: list[Any], weights: dict[str, Any] | None = None) -> Any:
    helper: Any = onnx.helper
    tensors = [onnx.numpy_helper.from_array(np.asarray(array), name) for name, array in (weights or {}).items()]
    output = helper.make_tensor_value_info("y", 1, None)
    graph = helper.make_graph(nodes, "g", inputs, [output], tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def test_nodes_that_the_specification_does_not_allow(tmp_path: Path) -> None:
    node, value = onnx.helper.make_node, onnx.helper.make_tensor_value_info
    x = value("x", 1, [2, 3])
    wrong = {
        "input 'y_zero_point' has elements of type f32, to which nothing is quantised": _model(
            [node("QuantizeLinear", ["x", "s", "z"], ["y"])], [x], {"s": np.float32(1), "z": np.float32(0)}
        ),
        "Concat": _model([node("Concat", ["x", "z"], ["y"], axis=1)], [x], {"z": np.float32(0)}),
        "attribute 'reduction' is 'all'; mlc knows none, add, mul, max and min": _model(
            [node("ScatterND", ["x", "i", "u"], ["y"], reduction="all")],
            [x],
            {"i": np.array([[0]]), "u": np.zeros((1, 3), np.float32)},
        ),
        "EyeLike (version 9): it asks for numbers, or for data, beyond what a machine holds": _model(
            [node("EyeLike", ["x"], ["y"])], [value("x", 1, [2**40, 4])]
        ),
        "input 'input' is float[1099511627776,1048576], which has more elements than a machine can address": _model(
            [node("EyeLike", ["x"], ["y"])], [value("x", 1, [2**40, 2**20])]
        ),
        "input 'shape' is tensor(float); the operator takes tensor(int64)": _model(
            [node("Reshape", ["x", "z"], ["y"])], [x], {"z": np.array([float("inf")], np.float32)}
        ),
        "its attribute 'perm' is 'word'; required: INTS": _model([node("Transpose", ["x"], ["y"], perm="word")], [x]),
    }
    for message, model in wrong.items():
        with pytest.raises(UserError) as error:
            _converted(model, tmp_path)
        assert message in str(error.value)


def test_names_that_are_no_text(tmp_path: Path) -> None:
    model = _model([onnx.helper.make_node("Neg", ["x"], ["yes"])], [onnx.helper.make_tensor_value_info("x", 1, [2])])
    data = model.SerializeToString().replace(b"yes", b"\xff\xfe\xff")
    with pytest.raises(UserError, match="cannot be read as ONNX: a name in it is not UTF-8"):
        _converted(data, tmp_path)


def test_types_that_nobody_knows(tmp_path: Path) -> None:
    model = _model([onnx.helper.make_node("Neg", ["x"], ["y"])], [onnx.helper.make_tensor_value_info("x", 99, [2])])
    with pytest.raises(UserError, match=r"input 'x' is tensor\(type 99\), "):
        _converted(model, tmp_path)
