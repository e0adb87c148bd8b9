"""Models of ONNX in Python: shapes and values that are bound, and dims that stay open."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc

onnx: Any = pytest.importorskip("onnx")
helper: Any = onnx.helper


@pytest.fixture
def scaled(tmp_path: Path) -> Path:
    """`y = x[:, :count] * w` for any number of rows."""
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("Unsqueeze", ["count", "zero"], ["end"]),
        helper.make_node("Slice", ["x", "zero", "end", "one"], ["cut"]),
        helper.make_node("Mul", ["cut", "w"], ["y"]),
    ]
    weights = {"w": np.asarray([2.0], np.float32), "zero": np.array([0]), "one": np.array([1])}
    graph = helper.make_graph(
        nodes,
        "g",
        [value("x", 1, ["rows", 6]), value("count", 7, [])],
        [value("y", 1, ["rows", None])],
        [onnx.numpy_helper.from_array(a, n) for n, a in weights.items()],
    )
    path = tmp_path / "scaled.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))
    return path


def test_shapes_and_values_are_bound(scaled: Path) -> None:
    model = mlc.compile(scaled, shapes={"rows": 3}, values={"count": 4})
    assert [(t.name, t.shape) for t in (*model.inputs, *model.outputs)] == [("x", (3, 6)), ("y", (3, 4))]
    x = np.arange(18, dtype=np.float32).reshape(3, 6)
    np.testing.assert_array_equal(model(x), 2 * x[:, :4])


def test_open_dims_are_bound_by_calls(scaled: Path, tmp_path: Path) -> None:
    model: Any = mlc.compile(scaled, values={"count": 5})
    assert repr(model) == "<mlc model with open dims (x [?, 6])>"
    for rows in (1, 4, 1):
        x = np.arange(rows * 6, dtype=np.float32).reshape(rows, 6)
        np.testing.assert_array_equal(model(x), 2 * x[:, :5])
        np.testing.assert_array_equal(model.run({"x": x})["y"], 2 * x[:, :5])
    assert model.bound({"x": (4, 6)}) is model.bound({"x": (4, 6)})
    model.bound({"x": (4, 6)}).save(tmp_path / "four.so")
    assert mlc.load(tmp_path / "four.so").outputs[0].shape == (4, 5)
    with pytest.raises(ValueError, match=r"the model leaves dims open; save what model\.bound"):
        model.save(tmp_path / "any.so")
    with pytest.raises(mlc.InputError, match="the model takes 1 inputs"):
        model(x, x)
    with pytest.raises(mlc.UserError, match=r"input 'x' has the shape \?x6, which 2x7 does not fit"):
        model(np.zeros((2, 7), np.float32))


def test_what_steers_has_to_be_known(scaled: Path) -> None:
    with pytest.raises(mlc.UserError, match="has to be known when the model is compiled"):
        mlc.compile(scaled, shapes={"rows": 1})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"shapes": [3]}, "found shapes of type list; required: a dict by the names of inputs"),
        ({"shapes": {"x": "3x6"}}, "found '3x6' as the shape of 'x'"),
        ({"values": 3}, "found values of type int"),
    ],
)
def test_arguments_of_wrong_types(scaled: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        mlc.compile(scaled, **arguments)
