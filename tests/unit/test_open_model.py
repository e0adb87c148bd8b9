"""Models of ONNX in Python: shapes and values that are bound, and dims that stay open."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlc
from mlc.support.resources import read_tensors

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


def test_a_call_does_not_wait_for_code_for_other_shapes() -> None:
    from mlc.compiler.open_model import OpenModel
    from mlc.support.bindings import Bindings
    from mlc.support.model_source import DeclaredInput

    started, go_on = threading.Event(), threading.Event()
    compiled: list[Any] = []

    def compile(bindings: Bindings) -> Any:
        compiled.append(rows := bindings.shapes["x"])
        if rows == (9, 6):
            started.set()
            assert go_on.wait(60)

        def run(*_: object) -> Any:
            return rows

        return run

    model = OpenModel([DeclaredInput("x", (None, 6))], compile, Bindings())
    x, other = np.zeros((2, 6), np.float32), np.zeros((9, 6), np.float32)
    model(x)
    results: list[Any] = []
    threads = [threading.Thread(target=lambda: results.append(model(other))) for _ in range(2)]
    try:
        for thread in threads:
            thread.start()
        assert started.wait(60)
        calls = [threading.Thread(target=model, args=(array,), daemon=True) for array in (x, np.zeros((3, 6)))]
        for thread in calls:
            thread.start()
            thread.join(60)
            assert not thread.is_alive()
    finally:
        go_on.set()
    for thread in threads:
        thread.join()
    assert results == [(9, 6)] * 2 and compiled == [(2, 6), (9, 6), (3, 6)]


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
    with pytest.raises(mlc.InputError, match=r"input 'x' has shape \(2, 7\); required: x \[\?, 6\]"):
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


@pytest.mark.parametrize("names", [('w"', "w@"), ("w\\22", "a b/c'd"), ("@w", "ü\n"), ("\x01w", "model@w")])
def test_weights_with_any_names(names: tuple[str, str], tmp_path: Path) -> None:
    """Also with such as an assembler would read as more than names."""
    value = helper.make_tensor_value_info
    arrays = {name: np.arange(2000, dtype=np.float32) + i for i, name in enumerate(names)}
    nodes = [helper.make_node("Add", ["x", names[0]], ["z"]), helper.make_node("Mul", ["z", names[1]], ["y"])]
    weights = [onnx.numpy_helper.from_array(a, n) for n, a in arrays.items()]
    graph = helper.make_graph(nodes, "g", [value("x", 1, [2000])], [value("y", 1, [2000])], weights)
    path = tmp_path / "named.onnx"
    path.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]).SerializeToString())
    x = np.ones(2000, np.float32)
    np.testing.assert_array_equal(mlc.compile(path)(x), (x + arrays[names[0]]) * arrays[names[1]])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"values": {"count": 2**70}},
            "input 'count' has elements of type i64, which cannot be 1180591620717411303424",
        ),
        ({"values": {"count": "abc"}}, "input 'count' has elements of type i64, which cannot be abc"),
        ({"values": {"x": 3}}, "input 'x' of shape .x6 is given 1 values: bind its shape, too"),
        ({"shapes": {"rows": -1}}, "a dim of input 'x' is bound to -1; extents are not negative"),
    ],
)
def test_values_and_shapes_that_do_not_fit(scaled: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(mlc.UserError, match=message):
        mlc.compile(scaled, **arguments)


def test_calls_by_name_name_the_inputs(scaled: Path) -> None:
    model = mlc.compile(scaled, values={"count": 5})
    with pytest.raises(mlc.InputError, match=r"found \['image'\]; required: a dict of arrays by input name, 'x'"):
        model.run({"image": np.zeros((1, 6), np.float32)})


def test_files_are_not_overwritten(scaled: Path, tmp_path: Path, mlc: Any, mlc_opt: Any) -> None:
    before = scaled.read_bytes()
    done = mlc_opt(str(scaled), "-o", str(scaled))
    assert "is an input; choose another output" in done.err and scaled.read_bytes() == before
    (tmp_path / "mine.safetensors").write_bytes(b"precious")
    bind = ("--shape", "rows=2", "--value", "count=3")
    done = mlc("import", str(scaled), *bind, "-o", str(tmp_path / "mine.mlir"))
    assert "is there already" in done.err and (tmp_path / "mine.safetensors").read_bytes() == b"precious"
    for _ in range(2):
        assert mlc("import", str(scaled), *bind, "-o", str(tmp_path / "other.mlir")).status == 0


@pytest.fixture
def masked(tmp_path: Path) -> Path:
    """`y = x * mask`, whose dims have the same names."""
    value = helper.make_tensor_value_info
    dims = ["batch", "seq"]
    graph = helper.make_graph(
        [helper.make_node("Mul", ["x", "mask"], ["y"])],
        "g",
        [value("x", 1, dims), value("mask", 1, dims)],
        [value("y", 1, dims)],
    )
    path = tmp_path / "masked.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), str(path))
    return path


def test_dims_of_one_name_have_one_extent(masked: Path) -> None:
    model: Any = mlc.compile(masked)
    x = np.ones((2, 5), np.float32)
    with pytest.raises(mlc.InputError, match="dim 'batch' is 2 in 'x' and 1 in 'mask', and has to be the same in both"):
        model(x, x[:1])
    with pytest.raises(mlc.UserError, match="dim 'seq' is 5 in 'x' and 6 in 'mask'"):
        mlc.compile(masked, shapes={"x": (2, 5), "mask": (2, 6)})
    with pytest.raises(mlc.UserError, match="a dim of input 'x' is bound to the shape 2x5; required: one number"):
        mlc.compile(masked, shapes={"seq": (2, 5)})
    with pytest.raises(mlc.UserError, match="the model has no input or dim 'z'"):
        mlc.compile(masked, shapes={"z": (2, 5)})


def test_a_model_is_bound_by_the_names_of_dims(masked: Path) -> None:
    model: Any = mlc.compile(masked)
    assert model.bound({"batch": 2, "seq": 3}) is model.bound({"x": (2, 3)})
    with pytest.raises(mlc.InputError, match=r"leave dims open: x \[2, \?\], mask \[2, \?\]; required: a number"):
        model.bound({"batch": 2})
    with pytest.raises(mlc.InputError, match="input 'x' is bound to 2x3, and its dim 'batch' to 4"):
        model.bound({"batch": 4, "x": (2, 3)})


def test_the_shape_of_an_input_says_the_dims_of_others(masked: Path) -> None:
    model = mlc.compile(masked, shapes={"x": (2, 5)})
    assert [t.shape for t in model.inputs] == [(2, 5), (2, 5)]
    x = np.arange(10, dtype=np.float32).reshape(2, 5)
    np.testing.assert_array_equal(model(x, x), x * x)


def test_an_import_writes_equal_weights_once(mlc: Any, tmp_path: Path) -> None:
    """Equal in type, shape and bits; one that differs in a bit, or in its shape, is another one."""
    weight = np.arange(100, dtype=np.float32)
    different = weight.copy()
    different[-1] = -1
    arrays = {"a": weight, "b": weight, "c": different, "d": weight.reshape(1, 100)}
    nodes = [
        helper.make_node("Add", [before, name], [f"x{name}"])
        for before, name in zip(["x", "xa", "xb", "xc"], arrays, strict=True)
    ]
    value = helper.make_tensor_value_info
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "g", [value("x", 1, [1, 100])], [value("xd", 1, [1, 100])], tensors)
    onnx.save(helper.make_model(graph), str(tmp_path / "model.onnx"))
    assert mlc("import", str(tmp_path / "model.onnx"), "-o", str(tmp_path / "model.mlir")).status == 0
    assert sorted(read_tensors(tmp_path / "model.safetensors")) == ["a", "c", "d"]
    text = (tmp_path / "model.mlir").read_text()
    assert text.count("dense_resource<a>") == 1
