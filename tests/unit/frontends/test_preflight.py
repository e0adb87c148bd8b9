"""`mlc check` tells all that is wrong with a model at once, and what a first user of one gives that does not fit."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file  # pyright: ignore[reportUnknownVariableType]

import mlc as package

if TYPE_CHECKING:
    from tests.conftest import CommandLine

onnx: Any = pytest.importorskip("onnx")
helper: Any = onnx.helper


def _saved(folder: Path, nodes: list[Any], shape: list[Any], result: Any = None, opset: int = 17, kind: int = 1) -> str:
    value = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [value("x", kind, shape)], [result or value("y", kind, shape)])
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


@pytest.mark.parametrize("shape", [[4], ["n"]])
@pytest.mark.parametrize("command", ["compile", "import"])
def test_other_commands_tell_the_same(command: str, shape: list[Any], mlc: CommandLine, tmp_path: Path) -> None:
    path = _wrong(tmp_path, shape)
    output = {"compile": "model.so", "import": "model.mlir"}[command]
    result = mlc(command, path, "-o", str(tmp_path / output))
    assert (result.status, result.err) == (1, mlc("check", path).err)


@pytest.mark.parametrize("shape", [[4], ["n"]])
def test_python_tells_the_same_when_it_compiles(shape: list[Any], tmp_path: Path) -> None:
    with pytest.raises(package.UserError) as caught:
        package.compile(Path(_wrong(tmp_path, shape)))
    assert [line.partition("model.onnx: ")[2] for line in str(caught.value).splitlines()] == _in_python(_MESSAGES)


def _in_python(messages: list[str]) -> list[str]:
    """Python has a function where commands have an option."""
    return [each.replace("--load-pass FILE.py", "mlc.load_pass('FILE.py')") for each in messages]


def _foreign(folder: Path, shape: list[Any]) -> str:
    """A model with operators that nobody knows, one behind the other, and an open dim, perhaps."""
    nodes = [
        helper.make_node("Foo", ["x"], ["a"], "/foo", domain="com.example"),
        helper.make_node("Foo", ["a"], ["b"], "/foo1", domain="com.example"),
        helper.make_node("Bar", ["b"], ["c"], "/bar", domain="com.example"),
        helper.make_node("Cast", ["c"], ["d"], "/cast", to=8),
        helper.make_node("Relu", ["d"], ["y"], "/relu"),
    ]
    return _saved(folder, nodes, shape)


_NO_PATTERN = "mlc has no pattern for this operator; --load-pass FILE.py adds one (docs/importing-onnx.md)"
_FOREIGN = [
    f"'/foo': error: com.example.Foo (version 1): {_NO_PATTERN} (2 nodes: '/foo', '/foo1')",
    f"'/bar': error: com.example.Bar (version 1): {_NO_PATTERN}",
    "'/cast': error: Cast (version 13): it converts to strings, with which mlc does not compute; let the model have "
    "integers in their place, and look the strings up outside",
]
_OPEN = (
    "error: the model leaves dims of its inputs open: 'x' (n); code is generated for known shapes, or ranges such as "
    "1..8: bind them, as in --shape n=1"
)


@pytest.mark.parametrize(("shape", "expected"), [([4], _FOREIGN), (["n"], [_OPEN, *_FOREIGN])])
@pytest.mark.parametrize("command", [["check"], ["compile", "-o", "model.so"], ["import", "-o", "model.mlir"]])
def test_operators_behind_one_that_nobody_knows(
    command: list[str], shape: list[Any], expected: list[str], mlc: CommandLine, tmp_path: Path
) -> None:
    result = mlc(command[0], _foreign(tmp_path, shape), *command[1:])
    assert [line.partition("model.onnx: ")[2] for line in result.err.splitlines()] == expected


@pytest.mark.parametrize("shape", [[4], ["n"]])
def test_python_tells_of_all_operators_before_any_call(shape: list[Any], tmp_path: Path) -> None:
    with pytest.raises(package.UserError) as caught:
        package.compile(Path(_foreign(tmp_path, shape)))
    assert [line.partition("model.onnx: ")[2] for line in str(caught.value).splitlines()] == _in_python(_FOREIGN)


def test_what_a_branch_holds_may_be_gone_when_shapes_are_known(tmp_path: Path) -> None:
    """A branch for other shapes has an operator that nobody knows."""
    value = helper.make_tensor_value_info
    branches = {
        f"{name}_branch": helper.make_graph(
            [helper.make_node(op_type, ["x"], [name], domain=domain)], name, [], [value(name, 1, None)]
        )
        for name, op_type, domain in (("then", "Neg", ""), ("else", "Foo", "com.example"))
    }
    nodes = [
        helper.make_node("Size", ["x"], ["size"]),
        helper.make_node("Less", ["size", "size1"], ["less"]),
        helper.make_node("If", ["less"], ["y"], **branches),
    ]
    nodes.insert(0, helper.make_node("Constant", [], ["size1"], value_int=5))
    model = package.compile(Path(_saved(tmp_path, nodes, ["n"])))
    assert list(model(np.ones(2, np.float32))) == [-1, -1]
    with pytest.raises(package.UserError, match=r"com.example.Foo \(version 1\): mlc has no pattern"):
        model(np.ones(6, np.float32))


_STRINGS: list[tuple[str, str, dict[str, Any]]] = [
    (
        "LabelEncoder",
        "'enc' (ai.onnx.ml.LabelEncoder)",
        {"domain": "ai.onnx.ml", "keys_strings": ["a", "b"], "values_floats": [0.0, 1.0]},
    ),
    ("StringNormalizer", "'enc' (StringNormalizer)", {}),
]


@pytest.mark.parametrize("shape", [[3], ["n"], None])
@pytest.mark.parametrize(("op_type", "reader", "attributes"), _STRINGS)
def test_inputs_of_strings(
    op_type: str, reader: str, attributes: dict[str, Any], shape: list[Any] | None, mlc: CommandLine, tmp_path: Path
) -> None:
    value = helper.make_tensor_value_info
    nodes = [helper.make_node(op_type, ["s"], ["y"], "enc", **attributes)]
    graph = helper.make_graph(nodes, "g", [value("s", 8, shape)], [value("y", 1, shape)])
    imports = [helper.make_opsetid("", 17), helper.make_opsetid("ai.onnx.ml", 3)]
    path = tmp_path / "model.onnx"
    onnx.save(helper.make_model(graph, opset_imports=imports), str(path))
    expected = (
        f"error: input 's' is tensor(string), read by {reader}; mlc takes tensors of real numbers: compute outside "
        "the model what these nodes make of it, and let the model take that"
    )
    with pytest.raises(package.UserError) as caught:
        package.compile(path)
    assert str(caught.value).partition("model.onnx: ")[2] == expected
    for command in (["check"], ["compile", "-o", "model.so"]):
        result = mlc(command[0], str(path), *command[1:])
        assert result.err.partition("model.onnx: ")[2].rstrip() == expected
    assert "input s: tensor(string)" in mlc("check", str(path)).out


def test_inputs_that_no_node_reads(mlc: CommandLine, tmp_path: Path) -> None:
    value = helper.make_tensor_value_info
    inputs = [value("x", 1, ["n"]), value("s", 8, [1]), value("z", 14, [2])]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", inputs, [value("y", 1, ["n"])])
    (tmp_path / "model.onnx").write_bytes(helper.make_model(graph).SerializeToString())
    with pytest.raises(package.UserError) as caught:
        package.compile(tmp_path / "model.onnx")
    advice = "which no node reads; mlc takes tensors of real numbers: take the input out of the model"
    assert [line.partition("error: ")[2] for line in str(caught.value).splitlines()] == [
        f"input 's' is tensor(string), {advice}",
        f"input 'z' is complex64[2], {advice}",
    ]


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


@pytest.mark.parametrize("kind", ["ModelProto", "bytes", "bytearray"])
def test_models_in_memory(kind: str, tmp_path: Path) -> None:
    path = _saved(tmp_path, [helper.make_node("Neg", ["x"], ["y"])], ["n"])
    data = Path(path).read_bytes()
    given: Any = onnx.load(path) if kind == "ModelProto" else {"bytes": bytes, "bytearray": bytearray}[kind](data)
    model = package.compile(given)
    assert [model(np.ones(n, np.float32)).tolist() for n in (1, 2)] == [[-1], [-1, -1]]
    assert package.compile(given, shapes={"n": 2}).inputs[0].shape == (2,)


def test_models_in_memory_are_recalled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_CACHE_DIR", str(tmp_path / "cache"))
    weight = onnx.numpy_helper.from_array(np.arange(999, dtype=np.float32), "w")  # mapped, where the file lies
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Add", ["x", "w"], ["y"])]
    model = helper.make_model(helper.make_graph(nodes, "g", [value("x", 1, [1])], [value("y", 1, [999])], [weight]))
    first = package.compile(model)(np.ones(1, np.float32))
    monkeypatch.setattr("mlc.compiler.library.read_module", None)
    np.testing.assert_array_equal(package.compile(model)(np.ones(1, np.float32)), first)


def test_what_is_no_whole_model(tmp_path: Path) -> None:
    path = Path(_saved(tmp_path, [helper.make_node("Neg", ["x"], ["y"])], [2]))
    outside = onnx.load(path)
    weight = onnx.numpy_helper.from_array(np.arange(999, dtype=np.float32), "w")
    weight.data_location = weight.EXTERNAL
    outside.graph.initializer.append(weight)
    for given, message in (
        (onnx.ModelProto(), "model '<ModelProto>' cannot be read as ONNX: it is empty"),
        (path.read_bytes()[:-3], "model '<bytes>' cannot be read as ONNX: .* it is cut off"),
        (outside, "found a ModelProto whose weights lie in other files; required: the path of its own file"),
        (
            onnx.load(_saved(tmp_path, [helper.make_node("Relo", ["x"], ["y"], "n")], [2])),
            "^<ModelProto>: 'n': error: ",
        ),
    ):
        with pytest.raises(package.UserError, match=message):
            package.compile(given)
    with pytest.raises(TypeError, match=r"found a model of type int; .* an onnx\.ModelProto or the bytes of one"):
        package.compile(3)  # pyright: ignore


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--shape", "n=1,m=4"],
            "found 'n=1,m=4', which has several names; required: one option for each, --shape n=1 --shape m=4",
        ),
        (["--shape", "n=1 x=1x4"], "required: one option for each, --shape n=1 --shape x=1x4"),
        (["--value", "x=1,x=2"], "required: one option for each, --value x=1 --value x=2"),
        (["--value", "m=3"], "'m' is a dim of an input: bind its extent by --shape m=3"),
        (["--shape", "k=1,m=4"], "the model has no input or dim 'k=1,m' to bind a shape to"),
    ],
)
def test_names_that_are_given_elsewhere(options: list[str], message: str, mlc: CommandLine, tmp_path: Path) -> None:
    path = _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], ["n", "m"])
    result = mlc("check", path, *options)
    assert (result.status, message in result.err) == (1, True)


def test_python_has_arguments_instead_of_options(tmp_path: Path) -> None:
    path = Path(_saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], ["n", "m"]))
    with pytest.raises(package.UserError, match=r"bind its extent by shapes=\{'m': 3\}$"):
        package.compile(path, values={"m": 3})
    nodes = [helper.make_node("Expand", ["x", "x"], ["y"])]
    with pytest.raises(package.UserError, match=r"given by values=\{'NAME': NUMBER\}$"):
        package.compile(Path(_saved(tmp_path, nodes, [2], kind=onnx.TensorProto.INT64)))
    with pytest.raises(
        package.UserError, match=r"depends on the numbers in input 'x', not on its shape alone; required"
    ):
        package.compile(Path(_saved(tmp_path, nodes, [2])))


def test_an_import_is_two_files(mlc: CommandLine, tmp_path: Path) -> None:
    path = _saved(tmp_path, [helper.make_node("Relu", ["x"], ["y"])], [2])
    assert f"the text alone is printed by: mlc-opt {path} --convert-onnx-to-graph" in mlc("import", path, "-o", "-").err


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


@pytest.mark.parametrize(
    ("given", "shape", "taken", "rows"),
    [
        ([], (2, 4), "x=2x4", (2, 4)),
        (["--shape", "n=1"], (3, 4), "x=1x4", (3, 4)),
        (["--shape", "n=2"], (3, 2, 4), "x=2x4", (3, 2, 4)),
    ],
)
def test_a_run_takes_open_shapes_from_its_inputs(
    given: list[str], shape: tuple[int, ...], taken: str, rows: tuple[int, ...], mlc: CommandLine, tmp_path: Path
) -> None:
    path = _saved(tmp_path, [helper.make_node("Neg", ["x"], ["y"])], ["n", "m"])
    inputs, outputs = str(tmp_path / "in.safetensors"), str(tmp_path / "out.safetensors")
    save_file({"x": np.ones(shape, np.float32)}, inputs)
    result = mlc("run", path, "--inputs", inputs, "--outputs", outputs, "--repeat", "1", *given)
    assert f"note: shapes are those of the inputs: --shape {taken}\n" in result.err
    np.testing.assert_array_equal(load_file(outputs)["y"], -np.ones(rows, np.float32))


def test_a_run_says_what_inputs_do_not_fit(mlc: CommandLine, tmp_path: Path) -> None:
    path = _saved(tmp_path, [helper.make_node("Neg", ["x"], ["y"])], ["n", "m"])
    for name, array in (("x", np.ones(3, np.float32)), ("z", np.ones((2, 2), np.float32))):
        save_file({name: array}, str(tmp_path / "in.safetensors"))
        result = mlc("run", path, "--inputs", str(tmp_path / "in.safetensors"))
        assert (result.status, "the model leaves dims of its inputs open: 'x' (nxm)" in result.err) == (1, True)


def test_recalling_a_model_reads_nothing_of_it(tmp_path: Path) -> None:
    """A model that was compiled before costs neither the packages that read it nor those that hold the IR."""
    _saved(tmp_path, [helper.make_node("Neg", ["x"], ["y"])], [2])
    code = "import mlc, sys; mlc.compile('model.onnx'); print(*{'xdsl', 'onnx', 'lark'} & set(sys.modules))"
    loaded: list[set[str]] = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=tmp_path,
            env={**os.environ, "MLC_CACHE_DIR": str(tmp_path / "cache")},
            capture_output=True,
            text=True,
            check=True,
        )
        loaded.append(set(done.stdout.split()))
    assert "onnx" in loaded[0]
    assert loaded[1] == set()
