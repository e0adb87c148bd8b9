"""Files of ONNX become modules: names, dims, weights where they lie, and errors for files that are wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

import mlc
from mlc.compiler.compilation import new_context
from mlc.frontends.onnx import reader
from mlc.frontends.onnx.external import embed_external
from mlc.frontends.onnx.reader import read_onnx
from mlc.frontends.onnx.source import OnnxFrontend
from mlc.frontends.onnx.to_graph.convert_onnx_to_graph import ConvertOnnxToGraphPass
from mlc.reference.interpreter import run_function
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.mapped_file import MappedFile
from mlc.support.onnx_file import ExternalData, OnnxFile
from mlc.syntax import print_module, verify_module
from mlc.tools.mlc_opt import main as mlc_opt

onnx: Any = pytest.importorskip("onnx")
helper: Any = onnx.helper

_WEIGHTS = np.arange(600, dtype=np.float32).reshape(2, 300)


def _model(nodes: list[Any], inputs: list[Any], outputs: list[Any], weights: dict[str, Any], opset: int = 17) -> Any:
    tensors = [onnx.numpy_helper.from_array(array, name) for name, array in weights.items()]
    graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def _linear() -> Any:
    value = helper.make_tensor_value_info
    nodes = [
        helper.make_node("MatMul", ["x:0", "fc/w"], ["/fc/out"], name="/fc/MatMul"),
        helper.make_node("Relu", ["/fc/out"], ["y 1"]),
    ]
    return _model(nodes, [value("x:0", 1, ["batch", 2])], [value("y 1", 1, ["batch", 300])], {"fc/w": _WEIGHTS})


def _saved(model: Any, folder: Path, **options: Any) -> Path:
    path = folder / "model.onnx"
    onnx.save(model, str(path), **options)
    return path


def _read(path: Path) -> tuple[Any, CompilerContext]:
    ctx = new_context()
    module = read_onnx(path, ctx, path.name)
    verify_module(module)
    return next(iter(module.ops)), ctx


def test_names_and_dims_are_kept(tmp_path: Path) -> None:
    function, _ = _read(_saved(_linear(), tmp_path))
    marks = [{k: str(v) for k, v in m.data.items()} for m in (*function.arg_attrs.data, *function.res_attrs.data)]
    assert marks == [
        {"mlc.name": '"x:0"', "onnx.dims": '["batch", ""]'},
        {"mlc.name": '"y 1"', "onnx.dims": '["batch", ""]'},
    ]
    names = [op.name for op in function.body.block.ops]
    assert names == ["onnx.Constant", "onnx.MatMul", "onnx.Relu", "func.return"]
    assert [op.location.desc.data for op in list(function.body.block.ops)[:3]] == ["fc/w", "/fc/MatMul", "y 1"]


def _holds(file: MappedFile, array: Any) -> bool:
    """Whether the bytes of an array lie in a file, and nowhere else."""
    return np.shares_memory(np.frombuffer(file.data, np.uint8), array)


def test_what_has_no_letter_names_no_dim(tmp_path: Path) -> None:
    value = helper.make_tensor_value_info
    nodes = [helper.make_node("Relu", ["x"], ["y"])]
    names = ["?", "DynamicDimension.0", "batch", "?"]
    path = _saved(_model(nodes, [value("x", 1, names)], [value("y", 1, names)], {}), tmp_path)
    function, _ = _read(path)
    assert str(function.arg_attrs.data[0].data["onnx.dims"]) == '["", "DynamicDimension.0", "batch", ""]'
    model = mlc.compile(path, shapes={"x": (1, 3, 2, 5)}, opt_level=0)
    assert model.inputs[0].shape == (1, 3, 2, 5)
    model = mlc.compile(path, shapes={"DynamicDimension.0": 3}, opt_level=0)
    assert model(np.zeros((1, 3, 2, 5), np.float32)).shape == (1, 3, 2, 5)
    with pytest.raises(mlc.InputError, match="3"):
        model(np.zeros((1, 4, 2, 5), np.float32))


@pytest.mark.parametrize("options", [{}, {"save_as_external_data": True, "location": "weights.bin"}])
def test_weights_stay_where_they_are(tmp_path: Path, options: dict[str, Any]) -> None:
    path = _saved(_linear(), tmp_path, **options)
    _, ctx = _read(path)
    array = ctx.resources.array("fc/w")
    (file,) = [each for each in ctx.resources.read if _holds(each, array)]
    assert file.path.name == options.get("location", "model.onnx")
    np.testing.assert_array_equal(array, _WEIGHTS)


def test_text_of_a_model_names_its_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = _saved(_linear(), tmp_path)
    assert mlc_opt([str(path)]) == 0
    text = capsys.readouterr().out
    assert "dialect_resources" not in text and "model.onnx" in text
    (tmp_path / "model.mlir").write_text(text, encoding="utf-8")
    assert mlc_opt([str(tmp_path / "model.mlir"), '--bind-inputs=shape="batch=3"', "-O0"]) == 0


def test_kinds_of_weights(tmp_path: Path) -> None:
    """Every form in which a message may hold its data, small and large."""
    value = helper.make_tensor_value_info
    arrays = {
        "f16": np.arange(700).astype(np.float16),
        "bools": np.arange(1100) % 3 == 0,
        "i64": np.arange(-300, 300),
        "none": np.zeros((0, 4), np.float32),
        "one": np.asarray(2.5),
    }
    nodes = [helper.make_node("Identity", [name], [f"y.{name}"]) for name in arrays]
    outputs = [value(f"y.{n}", helper.np_dtype_to_tensor_dtype(a.dtype), a.shape) for n, a in arrays.items()]
    model = _model(nodes, [], outputs, arrays)
    packed = helper.make_tensor("packed", 1, [300], np.arange(300, dtype=np.float32), raw=False)
    varints = helper.make_tensor("varints", 7, [300], list(range(-150, 150)), raw=False)
    model.graph.initializer.extend([packed, varints])
    _, ctx = _read(_saved(model, tmp_path))
    names = ctx.resources.names()
    for name in ("f16", "bools", "i64"):
        np.testing.assert_array_equal(ctx.resources.array(name), arrays[name])
    np.testing.assert_array_equal(ctx.resources.array("packed"), np.arange(300, dtype=np.float32))
    (file,) = ctx.resources.read
    assert _holds(file, ctx.resources.array("packed")) and "varints" in names
    np.testing.assert_array_equal(ctx.resources.array("varints"), np.arange(-150, 150))


def test_functions_of_a_model_are_inlined(tmp_path: Path) -> None:
    value = helper.make_tensor_value_info
    body = [helper.make_node("Mul", ["a", "a"], ["b"]), helper.make_node("Neg", ["b"], ["c"])]
    function = helper.make_function("my", "NegSquare", ["a"], ["c"], body, [helper.make_opsetid("", 17)])
    graph = helper.make_graph(
        [helper.make_node("NegSquare", ["x"], ["y"], domain="my")], "g", [value("x", 1, [4])], [value("y", 1, [4])]
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("my", 1)]
    read, _ = _read(_saved(helper.make_model(graph, functions=[function], opset_imports=opsets), tmp_path))
    assert [op.name for op in read.body.block.ops] == ["onnx.Mul", "onnx.Neg", "func.return"]


def _broken() -> dict[str, tuple[Any, str]]:
    value = helper.make_tensor_value_info
    x, y = value("x", 1, [4]), value("y", 1, [4])

    def node(kind: str, *inputs: str, out: str = "y", **rest: Any) -> Any:
        return helper.make_node(kind, list(inputs), [out], name="n", **rest)

    return {
        "reads what is not there": (_model([node("Neg", "z")], [x], [y], {}), "'n': error: the node reads 'z'"),
        "a cycle": (
            _model([node("Neg", "b", out="a"), node("Neg", "a", out="b")], [x], [value("b", 1, [4])], {}),
            "'n': error: the node reads 'b', which no node before it computes",
        ),
        "an unknown operator": (
            _model([node("Nag", "x")], [x], [y], {}),
            "unknown operator 'Nag' of the domain 'ai.onnx'",
        ),
        "an operator from later": (
            _model([node("Gelu", "x")], [x], [y], {}),
            "the model imports version 17 of 'ai.onnx', which has no operator 'Gelu' yet; it is in version 20",
        ),
        "two values of a name": (
            _model([node("Neg", "x"), node("Neg", "x")], [x], [y], {}),
            "two values are named 'y'; names have to differ",
        ),
        "an output of nobody": (_model([], [x], [y], {}), "output 'y' of the graph 'g' is computed by no node"),
        "no output": (_model([], [x], [], {}), "model 'model.onnx' has no outputs"),
        "two inputs of a name": (_model([node("Neg", "x")], [x, x], [y], {}), "has 2 inputs named 'x'"),
        "an input without a name": (_model([node("Neg", "x")], [x, value("", 1, [4])], [y], {}), "1 inputs named ''"),
    }


@pytest.mark.parametrize("name", _broken())
def test_wrong_models_are_told(tmp_path: Path, name: str) -> None:
    model, message = _broken()[name]
    with pytest.raises(UserError) as error:
        _read(_saved(model, tmp_path))
    assert message in str(error.value)


def test_external_data_that_is_not_there(tmp_path: Path) -> None:
    path = _saved(_linear(), tmp_path, save_as_external_data=True, location="weights.bin")
    (tmp_path / "weights.bin").rename(tmp_path / "other.bin")
    with pytest.raises(UserError, match=r"weight 'fc/w' is in the file 'weights\.bin', which is not there"):
        _read(path)
    (tmp_path / "weights.bin").write_bytes(b"short")
    with pytest.raises(UserError, match=r"ends at byte 2400 of 'weights\.bin', which is shorter"):
        _read(path)


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"offset": "-8"}, "ends at byte 2392 of 'weights.bin', which is shorter"),
        ({"offset": "8"}, "ends at byte 2408 of 'weights.bin', which is shorter"),
        ({"length": "2401"}, "has 2401 bytes in 'weights.bin'; its shape and type need 2400"),
        ({"length": "2399"}, "has 2399 bytes in 'weights.bin'; its shape and type need 2400"),
    ],
)
def test_external_data_that_lies_elsewhere(entries: dict[str, str], message: str, tmp_path: Path) -> None:
    model = _linear()
    _put_outside(model.graph.initializer[0], "weights.bin", **entries)
    _WEIGHTS.tofile(tmp_path / "weights.bin")
    with pytest.raises(UserError, match=message):
        _read(_saved(model, tmp_path))


def _put_outside(tensor: Any, location: str, **entries: str) -> bytes:
    """Let a TensorProto lie in a file; its bytes."""
    data = tensor.raw_data
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    for key, text in {"location": location, **entries}.items():
        entry = tensor.external_data.add()
        entry.key, entry.value = key, text
    return data


def _tensors_in(message: Any) -> list[Any]:
    """All tensors of a message, by its definition."""
    if isinstance(message, onnx.TensorProto):
        return [message]
    parts = [value for field, value in message.ListFields() if field.message_type is not None]
    each = [part for value in parts for part in ([value] if hasattr(value, "ListFields") else value)]
    return [tensor for part in each for tensor in _tensors_in(part)]


def test_all_tensors_outside_are_found(tmp_path: Path) -> None:
    """Parts of sparse ones, those of attributes, in lists, subgraphs and functions, and such of two elements a byte."""
    tensor, made = onnx.numpy_helper.from_array, helper.make_node
    left = iter(range(1, 100))

    def dense() -> Any:
        return tensor(np.arange(next(left), dtype=np.float32), "t")

    def sparse() -> Any:
        return helper.make_sparse_tensor(dense(), tensor(np.arange(next(left)), "places"), [200])

    inner = [helper.make_graph([made("Constant", [], ["i"], value=dense())], "g", [], [], [dense()]) for _ in range(2)]
    nodes = [
        made("Constant", [], ["a"], value=dense()),
        made("Constant", [], ["b"], sparse_value=sparse()),
        made("If", ["c"], ["d"], then_branch=inner[0]),
        made("Any", [], ["e"], domain="my", many=[dense(), dense()], graphs=inner[1:]),
    ]
    halves = helper.make_tensor("h", onnx.TensorProto.INT4, [3], bytes([0x21, 0x03]), raw=True)
    graph = helper.make_graph(nodes, "g", [], [], [dense(), halves], sparse_initializer=[sparse()])
    function = helper.make_function("my", "F", [], ["f"], [made("Constant", [], ["f"], value=dense())], [])
    model = helper.make_model(graph, functions=[function])
    whole = model.SerializeToString()
    for number, each in enumerate(tensors := _tensors_in(model)):
        data = _put_outside(each, str(number), offset=str(number))
        (tmp_path / str(number)).write_bytes(bytes(number) + data)
    assert len(tensors) == 14
    embed_external(model, ExternalData(tmp_path))
    for each in tensors:
        each.ClearField("data_location")
    assert model.SerializeToString() == whole


def _sparse(values: list[float], places: Any, dims: list[int]) -> Any:
    """A model that returns a sparse constant, to which a sparse weight of the same elements is added."""
    tensor = onnx.numpy_helper.from_array
    made = helper.make_sparse_tensor(tensor(np.array(values, np.float32), "w"), tensor(np.array(places), "p"), dims)
    nodes = [helper.make_node("Constant", [], ["c"], sparse_value=made), helper.make_node("Add", ["c", "w"], ["y"])]
    results = [helper.make_tensor_value_info("y", 1, dims)]
    return helper.make_model(helper.make_graph(nodes, "g", [], results, sparse_initializer=[made]))


@pytest.mark.parametrize("places", [[1, 5], [[0, 1], [1, 2]]])
def test_sparse_constants_and_weights_are_dense(places: Any, tmp_path: Path) -> None:
    ctx = new_context()
    module = read_onnx(_saved(_sparse([1, 2], places, [2, 3]), tmp_path), ctx)
    ConvertOnnxToGraphPass().run(module, ctx)
    (found,) = run_function(module, "main", [], ctx.resources)
    np.testing.assert_array_equal(found, [[0, 2, 0], [0, 0, 4]])


@pytest.mark.parametrize(
    ("places", "dims", "message"),
    [
        ([1, 6], [2, 3], r"index 6 is out of range for a sparse tensor of \[2, 3\]"),
        ([-1, 3], [2, 3], r"index -1 is out of range for a sparse tensor of \[2, 3\]"),
        ([[0, 3], [1, 2]], [2, 3], r"index 3 is out of range for a sparse tensor of \[2, 3\]"),
        ([1], [2, 3], r"\[1\] indices for \[2\] values in a sparse tensor of \[2, 3\]; required: an index for each"),
        ([[1, 2, 0]] * 2, [2, 3], r"\[2, 3\] indices for \[2\] values"),
        ([1, 2], [-5], r"a sparse tensor of \[-5\]; required"),
        ([1, 2], [1 << 40, 1 << 20], r"is 4,611,686,018,427,387,904 bytes once it is dense; mlc makes up to 2\^30"),
    ],
)
def test_wrong_sparse_tensors(places: Any, dims: list[int], message: str, tmp_path: Path) -> None:
    model = _sparse([1, 2], places, dims)
    for part in ("constant", "weight"):
        if part == "weight":
            del model.graph.node[0]
            model.graph.node[0].input[0] = "w"
        with pytest.raises(UserError, match=message):
            _read(_saved(model, tmp_path))


def test_weights_that_are_their_inputs_too(tmp_path: Path) -> None:
    """As old versions have them: no caller gives them, whether they are mapped or not."""
    model, small = _linear(), np.ones(300, np.float32)[:1]
    model.graph.initializer.append(onnx.numpy_helper.from_array(small, "bias"))
    model.graph.node[1].input[0] = "sum"
    model.graph.node.insert(1, helper.make_node("Add", ["/fc/out", "bias"], ["sum"]))
    for name, shape in (("fc/w", [2, 300]), ("bias", [1])):
        model.graph.input.append(helper.make_tensor_value_info(name, 1, shape))
    function, _ = _read(_saved(model, tmp_path))
    assert [str(each.data["mlc.name"]) for each in function.arg_attrs] == ['"x:0"']


def _field(tag: int, data: bytes) -> bytes:
    """A field of a message that is bytes."""
    length, rest = b"", len(data)
    while rest > 0x7F:
        length, rest = length + bytes([rest & 0x7F | 0x80]), rest >> 7
    return bytes([tag << 3 | 2]) + length + bytes([rest]) + data


def test_a_packed_weight_in_two_pieces(tmp_path: Path) -> None:
    """Writers may cut a packed field, and readers join the parts."""
    model = _linear()
    tensor = onnx.TensorProto(name="fc/w", data_type=1, dims=[2, 300]).SerializeToString()
    pieces = [onnx.TensorProto(float_data=part).SerializeToString() for part in _WEIGHTS.reshape(2, 300)]
    del model.graph.initializer[:]
    graph = model.graph.SerializeToString() + _field(5, tensor + b"".join(pieces))
    model.ClearField("graph")
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString() + _field(7, graph))
    x = np.ones((1, 2), np.float32)
    (found,) = mlc.compile(path, shapes={"x:0": (1, 2)}, opt_level=0).run({"x:0": x}).values()
    np.testing.assert_array_equal(found, x @ _WEIGHTS)


def test_a_weight_that_is_cut_short(tmp_path: Path) -> None:
    model = _linear()
    tensor = model.graph.initializer[0]
    tensor.raw_data = tensor.raw_data[:-4]
    with pytest.raises(UserError, match="fc/w"):
        _read(_saved(model, tmp_path))


def test_external_data_does_not_leave_the_folder(tmp_path: Path) -> None:
    model = _linear()
    tensor = model.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = 1
    for key, text in (("location", "../secret"), ("offset", "0"), ("length", "2400")):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, text
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(UserError, match="it has to lie in the folder of the model"):
        _read(path)


def test_files_that_are_cut_off_or_damaged(tmp_path: Path) -> None:
    """Every prefix, and bits turned at random: an error in words, or a model."""
    data = _saved(_linear(), tmp_path).read_bytes()
    rng = np.random.default_rng(0)
    path = tmp_path / "damaged.onnx"
    lengths = [*range(200), *range(200, len(data), 97)]
    damaged = [data[:length] for length in lengths]
    for _ in range(300):
        changed = bytearray(data)
        for at in rng.integers(0, min(len(data), 400), 3):
            changed[at] ^= 1 << int(rng.integers(8))
        damaged.append(bytes(changed))
    refused = 0
    for each in damaged:
        path.write_bytes(each)
        try:
            function, ctx = _read(path)
            print_module(function.parent_op(), ctx, cast(Any, open("/dev/null", "w")))  # noqa: SIM115, PTH123
        except UserError:
            refused += 1
    assert refused > len(lengths) - 3


def test_files_that_are_not_there_or_empty(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"model 'model\.onnx' not found"):
        _read(tmp_path / "model.onnx")
    (tmp_path / "model.onnx").write_bytes(b"")
    with pytest.raises(UserError, match=r"model 'model\.onnx' cannot be read as ONNX: it is empty"):
        _read(tmp_path / "model.onnx")


def test_a_model_is_parsed_once_for_its_inputs_and_each_of_its_shapes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    times: list[str] = []
    parse = reader.parsed

    def counted(opened: OnnxFile, file: str) -> Any:
        times.append(file)
        return parse(opened, file)

    monkeypatch.setattr(reader, "parsed", counted)
    source = OnnxFrontend().open(_saved(_linear(), tmp_path))
    assert [each.name for each in source.inputs()] == ["x:0"]
    first, second = (str(source.module(new_context())) for _ in range(2))
    assert first == second
    assert len(times) == 1
