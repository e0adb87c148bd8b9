"""`mlc bisect --against`: what others compute is the measure, and who cannot be asked is told in words."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from numpy.typing import NDArray

if TYPE_CHECKING:
    from tests.conftest import CommandLine

MODEL = """
func.func @main(%x: tensor<3x4xf32>, %y: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = graph.sub %x, %y : tensor<3x4xf32>, tensor<4xf32> -> tensor<3x4xf32>
  %answer = graph.relu %0 : tensor<3x4xf32>
  return %answer : tensor<3x4xf32>
}
"""
WRONG_PLACE = '''
from dataclasses import dataclass
from typing import ClassVar
from mlc.pass_manager.base import Pass


@dataclass(frozen=True)
class TransposePass(Pass):
    """Load what is elsewhere."""

    name: ClassVar[str] = "wrong-place"
    ir_level: ClassVar[str | None] = "loop"

    def run(self, module, ctx):
        from xdsl.dialects.builtin import AffineMapAttr
        from xdsl.ir.affine import AffineExpr, AffineMap
        for op in module.walk():
            if op.name == "loop.load" and len(op.indices) == 1:
                op.properties["map"] = AffineMapAttr(AffineMap(1, 0, (AffineExpr.dimension(0) * -1 + 3,)))
'''
WRONG_PATTERN = '''
from dataclasses import dataclass
from typing import ClassVar
from xdsl.pattern_rewriter import PatternRewriter, PatternRewriteWalker, RewritePattern, op_type_rewrite_pattern
from mlc.dialects import graph
from mlc.pass_manager.base import Pass


class ReluOfSub(RewritePattern):
    """`relu(x - y)` is no maximum of both."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: graph.ReluOp, rewriter: PatternRewriter):
        sub = op.operands[0].owner
        if isinstance(sub, graph.SubOp):
            new = graph.MaxOp.create(operands=sub.operands, result_types=[op.results[0].type])
            rewriter.replace(op, new)
            rewriter.erase(sub)


@dataclass(frozen=True)
class FuseReluPass(Pass):
    """Make one op of two."""

    name: ClassVar[str] = "fuse-relu"
    ir_level: ClassVar[str | None] = "graph"

    def run(self, module, ctx):
        PatternRewriteWalker(ReluOfSub()).rewrite_module(module)
'''
WRONG_CONVERSION = """
from mlc.dialects import graph
from mlc.frontends.onnx.to_graph import converts


@converts("Tanh", benefit=2)
def tanh(b):
    return b(graph.SigmoidOp, b[0])
"""
X = np.linspace(-2, 2, 12, dtype=np.float32).reshape(3, 4)
Y = np.array([0.5, -1, 0.25, 3], np.float32)


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the tests."""
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(MODEL)


def test_a_file_of_results(mlc: CommandLine) -> None:
    right = np.maximum(X - Y, 0)
    np.savez("right.npz", x=X, y=Y, answer=right)
    found = mlc("bisect", "m.mlir", "--against=right.npz")
    assert found.status == 0, found.out + found.err
    assert found.out.startswith("no value differs: ")
    wrong = right.copy()
    wrong[1, 2] += 0.125
    np.savez("wrong.npz", x=X, y=Y, answer=wrong)
    found = mlc("bisect", "m.mlir", "--against=wrong.npz")
    assert found.status == 1
    assert found.out.startswith("first wrong value: in the model as it was read\n")
    assert f"[1, 2] of result 0: {right[1, 2]}, what 'wrong.npz' computes: {wrong[1, 2]}\n" in found.out
    assert "1 of 12 elements differ" in found.out
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    said = f"  reproducer: {reproducer.absolute()}, which runs on random inputs, and so may not show this\n"
    assert said in found.out and "reduce it" not in found.out


def test_inputs_of_a_file_of_their_own(mlc: CommandLine) -> None:
    np.savez("in.npz", x=X, y=Y)
    np.savez("out.npz", answer=np.maximum(X - Y, 0))
    found = mlc("bisect", "m.mlir", "--inputs=in.npz", "--against=out.npz", "--pass-pipeline=fuse")
    assert (found.status, found.out) == (0, "no value differs: 1 pass\n"), found.err


def test_code_of_another_level(mlc: CommandLine) -> None:
    found = mlc("bisect", "m.mlir", "--against=O0", "--pass-pipeline=fuse")
    assert found.status == 0, found.out + found.err


def test_a_value_at_the_wrong_place(mlc: CommandLine) -> None:
    Path("wrong.py").write_text(WRONG_PLACE)
    found = mlc("bisect", "m.mlir", "--load-pass=wrong.py", "--pass-pipeline=fuse,lower-to-loops,wrong-place")
    assert found.status == 1, found.err
    assert "after pass 'wrong-place'" in found.out
    assert "op before m.mlir:3:8: %0 = arith.subf" in found.out
    found = mlc("bisect", "m.mlir", "--load-pass=wrong.py", "-O0")
    assert (found.status, found.out[:18]) == (0, "no value differs: ")
    assert "note: of the passes that ran, pass 'wrong-place' of 'wrong.py' is not among them: name it" in found.err


def test_the_op_that_a_pattern_replaced(mlc: CommandLine) -> None:
    """Not one of its operands, which the pattern leaves out, too; a pass that uses no pattern says none."""
    Path("wrong.py").write_text(WRONG_PATTERN)
    shape = "1x3x1x4x1x5x1x2xf32"
    Path("m.mlir").write_text(MODEL.replace("tensor<3x4xf32>", f"tensor<{shape}>").replace("<4xf32>", f"<{shape}>"))
    found = mlc("bisect", "m.mlir", "--load-pass=wrong.py", "--pass-pipeline=fuse-relu")
    lines = found.out.splitlines()
    assert found.status == 1, found.err
    assert f"  op before m.mlir:4:13: %answer = graph.relu %0 : tensor<{shape}>" in lines
    (after,) = (line for line in lines if line.startswith("  op after "))
    assert after.startswith("  op after  %answer = graph.max %x, %y : ") and after.endswith("…"), "it has no place"
    assert "  pattern   ReluOfSub, applied to the op before" in lines
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    assert lines[-1].endswith(f" -o small-{reproducer.name}")
    Path("wrong.py").write_text(WRONG_PLACE)
    Path("m.mlir").write_text(MODEL)
    found = mlc("bisect", "m.mlir", "--load-pass=wrong.py", "--pass-pipeline=fuse,lower-to-loops,wrong-place")
    assert found.status == 1 and "  pattern " not in found.out


def test_onnx_runtime(mlc: CommandLine) -> None:
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, s) for n, s in (("x", [3, 4]), ("y", [3, 4])))
    nodes = [
        helper.make_node("Exp", ["x"], ["e"]),
        helper.make_node("Tanh", ["e"], ["t"], name="middle"),
        helper.make_node("Neg", ["t"], ["y"]),
    ]
    graph = helper.make_graph(nodes, "g", [x], [y])
    opset = helper.make_opsetid("", 18)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=9), "m.onnx")
    found = mlc("bisect", "m.onnx", "--against=onnxruntime", "--pass-pipeline=convert-onnx-to-graph,fuse")
    assert found.status == 0, found.out + found.err
    found = mlc("bisect", "m.onnx", "--pass-pipeline=cse")
    assert (found.status, found.out) == (1, "")
    assert "no value was compared, as no function can be run before and after a pass" in found.err
    assert "--pass-pipeline lower-to-graph,cse" in found.err
    Path("tanh.py").write_text(WRONG_CONVERSION)
    found = mlc("bisect", "m.onnx", "--against=onnxruntime", "--load-pass=tanh.py", "-O1")
    assert found.status == 1, found.err
    assert found.out.startswith("first wrong value: after pass 'convert-onnx-to-graph'")
    assert re.search(r"^  node +m\.onnx: 'middle': .*graph\.sigmoid ", found.out, re.MULTILINE), found.out
    assert re.search(r"^  its value 't' \[0, 0\]: 0\.\d+, what ONNX Runtime computes: 0", found.out, re.MULTILINE)
    found = mlc("bisect", "m.mlir", "--against=onnxruntime")
    assert found.status == 1
    assert "error: ONNX Runtime does not run 'm.mlir': " in found.err


def test_results_whose_shapes_the_file_does_not_know(mlc: CommandLine) -> None:
    """An output of no shape, as long as data says, and one that is declared with a rank that is not its own."""
    pytest.importorskip("onnxruntime")
    onnx = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4])
    places = helper.make_tensor_value_info("places", TensorProto.INT64, None)
    product = helper.make_tensor_value_info("product", TensorProto.FLOAT, [1, -1])
    nodes = [helper.make_node("NonZero", ["x"], ["places"]), helper.make_node("MatMul", ["x", "x"], ["product"])]
    graph = helper.make_graph(nodes, "g", [x], [places, product])
    opset = helper.make_opsetid("", 18)
    onnx.save(helper.make_model(graph, opset_imports=[opset], ir_version=9), "m.onnx")
    array = np.where(np.eye(4), 0, np.arange(16).reshape(4, 4)).astype(np.float32)
    np.savez("x.npz", x=array)
    for against in ("onnxruntime", "O0"):
        found = mlc("bisect", "m.onnx", "--shape=n=4", "--inputs=x.npz", f"--against={against}")
        assert (found.status, found.err.count("error")) == (0, 0), found.err
        assert found.out.startswith("no value differs")
    right = {"places": np.argwhere(array).T, "product": array @ array}
    for name, value, message in (
        ("places", right["places"][::-1], "element   [0, 0] of result 0: 0, what 'r.npz' computes: 1"),
        ("places", right["places"][:, :-1], "element   [0, 11] of result 0: 3, what 'r.npz' computes: 0"),
        ("product", right["product"] + 1, "element   [0, 0] of result 1: "),
        ("places", right["product"], "'r.npz' is float32 [4, 4]; required: int64 [2, 0..16]"),
    ):
        np.savez("r.npz", allow_pickle=False, **{**right, name: value})
        found = mlc("bisect", "m.onnx", "--shape=n=4", "--inputs=x.npz", "--against=r.npz")
        assert found.status == 1 and message in found.out + found.err, found.out + found.err


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"x": X, "y": Y}, "'r.npz' has no result of the model, which has 'answer'; found: 'x', 'y'"),
        ({"x": X, "answer": X}, "'r.npz' has no tensor 'y' for that input of the model (it has 'x', 'answer')"),
        (
            {"x": X, "y": Y, "answer": X.astype(np.float64)},
            "result 0 of 'r.npz' is float64 [3, 4]; required: float32 [3, 4]",
        ),
    ],
)
def test_what_is_missing_in_a_file(arrays: dict[str, NDArray[Any]], message: str, mlc: CommandLine) -> None:
    np.savez("r.npz", allow_pickle=False, **arrays)
    found = mlc("bisect", "m.mlir", "--against=r.npz")
    assert (found.status, found.out) == (1, "")
    assert message in found.err


def test_a_model_with_open_shapes(mlc: CommandLine) -> None:
    Path("open.mlir").write_text(MODEL.replace("3x4", "?x4"))
    found = mlc("bisect", "open.mlir", "--against=O0")
    assert "inputs and results are arrays of known shapes here; give open ones with --shape" in found.err
    assert found.status == 1


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--against=Ox", "error: file 'Ox' not found"),
        ("--pass-pipeline=drop-rellu", "error: unknown pass 'drop-rellu'"),
        ("--inputs=none.npz", "error: file 'none.npz' not found"),
    ],
)
def test_who_is_not_there(option: str, message: str, mlc: CommandLine) -> None:
    found = mlc("bisect", "m.mlir", option)
    assert (found.status, found.out) == (1, "")
    assert message in found.err


def test_values_of_ops_that_have_nothing_to_do_with_each_other(mlc: CommandLine) -> None:
    """Where an op is left out, the next one computes something else; its numbers are no other form of those."""
    Path("m.mlir").write_text(MODEL.replace("return %answer", "%2 = graph.neg %answer : tensor<3x4xf32>\n  return %2"))
    passes = Path(__file__).parents[2] / "lit" / "tools" / "Inputs" / "broken_passes.py"
    found = mlc("bisect", "m.mlir", f"--load-pass={passes}", "--pass-pipeline=drop-relu")
    assert "op before m.mlir:4:13: " in found.out and "op after  m.mlir:5:8: %0 = graph.neg" in found.out
    assert "its value" not in found.out
