"""`mlc check` tells all that is wrong with a model at once, and what a first user of one gives that does not fit."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import mlc as package

if TYPE_CHECKING:
    from tests.conftest import CommandLine

onnx: Any = pytest.importorskip("onnx")
helper: Any = onnx.helper


def _saved(folder: Path, nodes: list[Any], shape: list[Any], result: Any = None, opset: int = 17) -> str:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", 1, shape)], [result or value("y", 1, shape)])
    path = folder / "model.onnx"
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])
    path.write_bytes(model.SerializeToString())
    return str(path)


def _wrong(folder: Path, shape: list[Any], opset: int = 17) -> str:
    """A model with something wrong in each node, whose operands all depend on the first."""
    nodes = [
        helper.make_node("Relo", ["x"], ["a"], "/relo"),
        helper.make_node("Relo", ["a"], ["b"], "/again"),
        helper.make_node("LeakyRelu", ["b"], ["c"], "/leaky", slope=0.5),
        helper.make_node("Fused", ["c"], ["d"], "/fused", domain="com.example"),
        helper.make_node("Neg", ["d", "d"], ["e"], "/neg"),
        helper.make_node("Gelu", ["e"], ["y"], "/gelu"),
    ]
    return _saved(folder, nodes, shape, opset=opset)


_MESSAGES = [
    "'/relo': error: unknown operator 'Relo' of the domain 'ai.onnx' (2 nodes: '/relo', '/again')",
    "'/leaky': error: onnx.LeakyRelu: unknown attribute 'slope'; version 16 has alpha",
    "'/neg': error: onnx.Neg: found 2 operands; version 13 takes 1",
    "'/gelu': error: the model imports version 17 of 'ai.onnx', which has no operator 'Gelu' yet; it is in version 20",
    "'/fused': error: com.example.Fused (version 1): mlc has no pattern for this operator; --load-pass FILE.py "
    "adds one (docs/importing-onnx.md)",
]


def test_all_that_is_wrong_is_told_at_once(mlc: CommandLine, tmp_path: Path) -> None:
    result = mlc("check", _wrong(tmp_path, [4]))
    assert result.status == 1
    assert [line.partition("model.onnx: ")[2] for line in result.err.splitlines()] == _MESSAGES


def test_open_dims_are_told_beside_it(mlc: CommandLine, tmp_path: Path) -> None:
    result = mlc("check", _wrong(tmp_path, ["n"]))
    assert all(message in result.err for message in _MESSAGES)
    assert "bind them, as in --shape n=1" in result.err
    assert len(result.err.splitlines()) == len(_MESSAGES) + 1


def test_a_compilation_tells_what_cannot_be_read(mlc: CommandLine, tmp_path: Path) -> None:
    result = mlc("compile", _wrong(tmp_path, [4]), "-o", str(tmp_path / "model.so"))
    assert result.status == 1
    assert len(result.err.splitlines()) == 5
    assert "'/again': error: unknown operator 'Relo'" in result.err


@pytest.mark.parametrize("command", [["check"], ["compile", "-o", "model.so"]])
def test_versions_that_nobody_knows(command: list[str], mlc: CommandLine, tmp_path: Path) -> None:
    path = _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [4], opset=99)
    result = mlc(command[0], path, *command[1:])
    newest = onnx.defs.onnx_opset_version()
    assert f"opset 99 of 'ai.onnx' is newer than the installed package onnx knows ({newest})" in result.err
    assert result.status == 1


@pytest.mark.parametrize(
    ("kind", "shape", "declared"),
    [(1, [5], "tensor<5xf32>"), (1, [4, 1], "tensor<4x1xf32>"), (7, [4], "tensor<4xi64>")],
)
def test_outputs_that_are_not_as_declared(
    kind: int, shape: list[int], declared: str, mlc: CommandLine, tmp_path: Path
) -> None:
    result = helper.make_tensor_value_info("y", kind, shape)
    told = mlc("check", _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [4], result))
    assert told.status == 0
    assert f"warning: output 'y' is declared as {declared}, but it is tensor<4xf32>" in told.err


@pytest.mark.parametrize("shape", [None, ["n"], [4]])
def test_outputs_that_are_as_declared(shape: list[Any] | None, mlc: CommandLine, tmp_path: Path) -> None:
    result = helper.make_tensor_value_info("y", 1, shape)
    told = mlc("check", _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [4], result))
    assert (told.status, told.err) == (0, "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--shape", "n=2", "--shape", "n=3"], "'n' is given two shapes, 2 and 3; required: one"),
        (["--shape", "x=2x4", "--shape", "x=8"], "'x' is given two shapes, 2x4 and 8; required: one"),
        (["--shape", "n=2", "--shape", "x=3x4"], "input 'x' is bound to 3x4, and its dim 'n' to 2; required: one"),
        (["--value", "x=1", "--value", "x=2"], "'x' is given two values; required: one"),
    ],
)
def test_bindings_that_contradict_one_another(
    options: list[str], message: str, mlc: CommandLine, tmp_path: Path
) -> None:
    result = mlc("check", _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], ["n", 4]), *options)
    assert result.status == 1
    assert message in result.err


def test_equal_bindings_are_one(mlc: CommandLine, tmp_path: Path) -> None:
    path = _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], ["n", 4])
    result = mlc("check", path, "--shape", "n=2", "--shape", "n=2", "--shape", "x=2x4")
    assert "output y: tensor<2x4xf32>" in result.out


def test_mlc_opt_binds_what_it_asks_for(mlc_opt: CommandLine, tmp_path: Path) -> None:
    path = _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], ["n", 4])
    advice = mlc_opt(path, "--convert-onnx-to-graph").err.rpartition("as in ")[2].split()
    assert advice == ["--shape", "n=1"]
    assert "graph.relu %x : tensor<1x4xf32>" in mlc_opt(path, "--convert-onnx-to-graph", *advice).out


@pytest.mark.parametrize("text", ["func.func @main() {\n  return\n}\n", '{"a": 1}\n'])
def test_text_that_is_called_a_model(text: str, mlc: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "model.onnx").write_text(text)
    result = mlc("check", str(tmp_path / "model.onnx"))
    assert "it is text, which is read from files of other names, such as model.mlir" in result.err


def test_objects_of_the_package_onnx() -> None:
    with pytest.raises(TypeError, match=r"found a model of type ModelProto; required: its file: onnx\.save\(model"):
        package.compile(onnx.ModelProto())


@pytest.mark.parametrize(("given", "found"), [([1.0], "list"), ("abc", "str"), (3.0, "float"), (None, "NoneType")])
def test_calls_of_open_models_without_arrays(given: Any, found: str, tmp_path: Path) -> None:
    model = package.compile(Path(_saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], ["n"])))
    for call in (lambda: model(given), lambda: model.run({"x": given})):
        with pytest.raises(package.InputError, match=rf"input 'x' is a {found}; required: a NumPy array .* x \[\?\]"):
            call()


def test_scalars_of_numpy(tmp_path: Path) -> None:
    model = package.compile(Path(_saved(tmp_path, [helper.make_node("Neg", ["x"], ["y"])], [])))
    assert model(np.float32(3)) == np.float32(-3)
    with pytest.raises(package.InputError, match="input 'x' has dtype float64; required: float32"):
        model(np.float64(3))
