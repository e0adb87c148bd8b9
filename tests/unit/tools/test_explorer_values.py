"""Values of whole models in the page of `mlc explore`: in the graph, at the tensor level, after each pass."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

from .explored import document_in, save_hostile_model

if TYPE_CHECKING:
    from tests.conftest import CommandLine

X = np.random.default_rng(5).standard_normal((6, 50), np.float32)
OPEN = """\
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.relu %x : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""
WRONG_PASS = '''\
"""A pass of the pipeline that is wrong."""
from dataclasses import dataclass
from typing import ClassVar
from xdsl.dialects.builtin import ModuleOp
from mlc.dialects.graph import ReluOp, TanhOp
from mlc.pass_manager.base import Pass, PipelinePlace
from mlc.support.context import CompilerContext

@dataclass(frozen=True)
class WrongReluPass(Pass):
    """Computes the hyperbolic tangent in place of `graph.relu`."""
    name = "wrong-relu"
    place: ClassVar[PipelinePlace | None] = PipelinePlace(before="fuse", since=1, reason="it is wrong")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        for op in list(module.walk()):
            if isinstance(op, ReluOp):
                new = TanhOp(op.input)
                new.location = op.location
                op.parent.insert_op_before(new, op)
                op.result.replace_all_uses_with(new.result)
                op.detach()
                op.erase()
'''


def _values(mlc: CommandLine, model: Path, inputs: dict[str, NDArray[Any]], *options: str) -> dict[str, Any]:
    np.savez(model.with_name("inputs.npz"), allow_pickle=False, **inputs)
    output = model.with_name("report.html")
    result = mlc("explore", str(model), "-o", str(output), "--inputs", str(model.with_name("inputs.npz")), *options)
    assert result.status == 0, result.err
    return document_in(output.read_text(encoding="utf-8"))


def test_values_of_a_model(tmp_path: Path, mlc: CommandLine) -> None:
    """They are those that NumPy computes, from the graph down to the tensor level, whatever passes do."""
    document = _values(mlc, save_hostile_model(tmp_path), {"x": X}, "--target=x86-64-v3")
    assert document["inputs"].endswith("inputs.npz")
    values = {document["graph"][each["node"]]["label"]: each for each in document["values"]}
    assert list(values) == ["x", "matmul", "add", "relu", "softmax"], "weights are not told"
    assert values["x"]["numbers"]["least"] == X.min()
    assert values["x"]["numbers"]["first"][:2] == [str(each) for each in X[0, :2]]
    relu, softmax = values["relu"]["numbers"], values["softmax"]["numbers"]
    assert relu["least"] == 0 and 200 < relu["zeros"] < 1000
    assert softmax["mean"] == pytest.approx(1 / 200, rel=1e-4)
    for name in ("matmul", "add", "relu", "softmax"):
        begins, ends = values[name]["forms"]
        assert [begins["words"][-6:], ends["words"][-4:]] == ["begins", "ends"]
        for form in (begins, ends):
            assert form["difference"] is None or form["difference"]["largest"] < 1e-4
            assert form["numbers"]["mean"] == pytest.approx(values[name]["numbers"]["mean"], abs=1e-4)
    by_pass = {each["name"]: each["values"] for each in document["passes"] if each["values"]}
    assert by_pass["fuse"]["compared"] >= 4 and by_pass["fuse"]["differing"] == []
    assert "convert-tensor-to-loop" not in by_pass
    assert {each["reason"] for each in by_pass.values()} == {""}


def test_results_that_are_reshaped_at_a_call_are_those_of_their_own_ops(tmp_path: Path, mlc: CommandLine) -> None:
    """`collapse-dims` reshapes the result of a kernel, which is that of its last op, where its first op stood."""
    for file in (Path(__file__).parents[3] / "examples" / "digits").glob("mlp.*"):
        shutil.copy(file, tmp_path)
    image = np.random.default_rng(4).random((1, 8, 8), np.float32)
    document = _values(mlc, tmp_path / "mlp.mlir", {"image": image}, "--target=x86-64-v3")
    for value in document["values"][1:]:
        assert [form["words"][-4:] for form in value["forms"]] == ["gins", "ends"]
        assert all(form["difference"] is None or form["difference"]["largest"] < 1e-4 for form in value["forms"])
    assert document["values"][0]["picture"]["words"] == "8 x 8"


def test_numbers_that_are_not_finite(tmp_path: Path, mlc: CommandLine) -> None:
    x = X.copy()
    x[0, 0], x[1, 0] = np.nan, np.inf
    document = _values(mlc, save_hostile_model(tmp_path), {"x": x}, "--target=x86-64-v3", "-O1")
    values = {document["graph"][each["node"]]["label"]: each for each in document["values"]}
    assert [values["x"]["numbers"][name] for name in ("nans", "infinities")] == [1, 1]
    assert values["matmul"]["numbers"]["nans"] == 200, "one row is NaN"
    assert values["matmul"]["numbers"]["infinities"] == 200, "one row is infinite"
    assert all(form["numbers"]["nans"] >= 200 for name in ("matmul", "softmax") for form in values[name]["forms"])


def test_a_wrong_pass_is_seen_where_it_runs(tmp_path: Path, mlc: CommandLine) -> None:
    (tmp_path / "m.mlir").write_text(OPEN)
    (tmp_path / "wrong.py").write_text(WRONG_PASS)
    x = np.linspace(-2, 2, 32, dtype=np.float32).reshape(4, 8)
    document = _values(mlc, tmp_path / "m.mlir", {"x": x}, f"--load-pass={tmp_path / 'wrong.py'}", "-O1")
    by_pass = {each["name"]: each["values"] for each in document["passes"] if each["values"]}
    (found,) = by_pass.pop("wrong-relu")["differing"]
    right, wrong = np.maximum(x, 0), np.tanh(x)
    where = tuple(found["difference"]["at"])
    assert found["difference"]["largest"] == pytest.approx(np.abs(right - wrong).max())
    assert np.abs(right - wrong)[where] == pytest.approx(np.abs(right - wrong).max())
    assert float(found["difference"]["before"]) == right[where]
    assert float(found["difference"]["after"]) == pytest.approx(wrong[where])
    assert document["places"][found["place"]]["line"] == 2
    later = [each["difference"]["largest"] for values in by_pass.values() for each in values["differing"]]
    assert all(each < 1e-5 for each in later)
    (relu,) = [each for each in document["values"] if document["graph"][each["node"]]["label"] == "relu"]
    assert [form["difference"]["count"] for form in relu["forms"]] == [32, 32]


@pytest.mark.slow
def test_two_layers_in_one_kernel_keep_their_own_values(tmp_path: Path, mlc: CommandLine) -> None:
    """A kernel that is called twice has the places of one layer; what it computes for the other one is told there."""
    lines = ["func.func @main(%v0: tensor<4x32xf32>) -> tensor<4x32xf32> {"]
    for n in range(3):
        lines += [
            f"  %w{n} = graph.constant dense<{0.25 + n}> : tensor<32x32xf32>",
            f"  %m{n} = graph.matmul %v{n}, %w{n} : tensor<4x32xf32>, tensor<32x32xf32> -> tensor<4x32xf32>",
            f"  %v{n + 1} = graph.sigmoid %m{n} : tensor<4x32xf32>",
        ]
    (tmp_path / "m.mlir").write_text("\n".join([*lines, "  return %v3 : tensor<4x32xf32>", "}"]))
    x = np.random.default_rng(3).standard_normal((4, 32), np.float32)
    document = _values(mlc, tmp_path / "m.mlir", {"v0": x}, "--target=x86-64-v3")
    products = [each for each in document["values"] if document["graph"][each["node"]]["kind"] == "graph.matmul"]
    assert len({each["numbers"]["mean"] for each in products}) == 3
    for each in products:
        assert each["forms"]
        assert all(form["difference"] is None or form["difference"]["largest"] < 1e-4 for form in each["forms"])


def test_shapes_that_are_open_are_those_of_the_inputs(tmp_path: Path, mlc: CommandLine) -> None:
    onnx = pytest.importorskip("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    ends = [helper.make_tensor_value_info(name, kind, ["n", 8]) for name in ("x", "y")]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], "relu")], "g", ends[:1], ends[1:])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
    onnx.save(model, str(tmp_path / "model.onnx"))
    document = _values(mlc, tmp_path / "model.onnx", {"x": np.ones((5, 8), np.float32)}, "-O1")
    assert [each["type"] for each in document["values"]] == ["tensor<5x8xf32>"] * 2


@pytest.mark.parametrize(
    "inputs",
    [
        None,
        {"y": X},
        {"x": X[:, :7]},
        {"x": X.astype(np.float64)},
        {"x": np.zeros((7, 50), np.float32)},
        {"x": np.array("text")},
        {},
    ],
)
def test_wrong_inputs_have_the_messages_of_mlc_run(
    inputs: dict[str, NDArray[Any]] | None, tmp_path: Path, mlc: CommandLine
) -> None:
    model, file = str(save_hostile_model(tmp_path)), str(tmp_path / "x.npz")
    if inputs is not None:
        np.savez(file, allow_pickle=False, **inputs)
    explored = mlc("explore", model, "--inputs", file, "-o", str(tmp_path / "report.html"))
    ran = mlc("run", model, "--inputs", file)
    assert (explored.status, explored.err) == (ran.status, ran.err)
    assert explored.status == 1 and explored.err.startswith("mlc: error: ")
    assert not (tmp_path / "report.html").exists()


def test_inputs_of_no_call(tmp_path: Path, mlc: CommandLine) -> None:
    model, file = str(save_hostile_model(tmp_path)), tmp_path / "x.npz"
    np.savez(file, allow_pickle=False, x=X[:0])
    result = mlc("explore", model, "--inputs", str(file), "-o", str(tmp_path / "report.html"))
    assert result.status == 1
    assert f"error: '{file}' has the inputs of no call; required: those of one" in result.err


def test_pages_have_no_values_of_other_inputs(tmp_path: Path, mlc: CommandLine) -> None:
    page = str(tmp_path / "before.html")
    result = mlc("explore", page, "--inputs", "x.npz", "-o", str(tmp_path / "report.html"))
    assert result.status == 1
    assert f"found --inputs with {page}; required: a model, as pages that were written before are" in result.err


def test_inputs_of_undefined_results(tmp_path: Path, mlc: CommandLine) -> None:
    """An index that is outside of what is read is no bug of mlc."""
    (tmp_path / "m.mlir").write_text("""\
func.func @main(%x: tensor<4x8xf32>, %i: tensor<2xi64>) -> tensor<2x8xf32> {
  %0 = graph.gather %x, %i axis 0 : tensor<4x8xf32>, tensor<2xi64> -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
""")
    file = tmp_path / "x.npz"
    np.savez(file, allow_pickle=False, x=np.ones((4, 8), np.float32), i=np.array([1, 99]))
    result = mlc("explore", str(tmp_path / "m.mlir"), "--inputs", str(file), "-o", str(tmp_path / "report.html"))
    assert result.status == 1
    assert f"error: the model cannot be run on '{file}': " in result.err
