"""Reproducers hold what the pass that is wrong finds, and are reduced from there, for that pass alone."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from mlc.compiler.compilation import new_context
from mlc.syntax import parse_module
from mlc.tools.reduction import Reducer

if TYPE_CHECKING:
    from tests.conftest import CommandLine

PASS = '''
from dataclasses import dataclass
from typing import ClassVar
from xdsl.pattern_rewriter import PatternRewriter
from mlc.dialects.graph import SigmoidOp, TransposeOp
from mlc.pass_manager.base import Pass, PipelinePlace


@dataclass(frozen=True)
class CompanyPass(Pass):
    """Drop pairs of transpositions that do not undo each other; fail at sigmoid."""

    name: ClassVar[str] = "company"
    ir_level: ClassVar[str | None] = "graph"
    place: ClassVar[PipelinePlace | None] = PipelinePlace(before="canonicalize")
    fails: bool = False

    def run(self, module, ctx):
        for op in list(module.walk()):
            if self.fails and isinstance(op, SigmoidOp):
                raise KeyError("sigmoid")
            inner = op.operands[0].owner if isinstance(op, TransposeOp) else None
            if isinstance(inner, TransposeOp):
                PatternRewriter(op).replace(op, [], [inner.operands[0]])
'''
CORRECT = PASS.replace("isinstance(inner, TransposeOp)", "False")


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files of the tests: a pass, and a model of ONNX of some thirty nodes, two of which it takes for others."""
    monkeypatch.chdir(tmp_path)
    onnx: Any = pytest.importorskip("onnx")
    from onnx import TensorProto, helper

    Path("company.py").write_text(PASS)
    nodes: list[Any] = []
    value = "x"

    def add(operator: str, *operands: str, **attributes: Any) -> str:
        nodes.append(
            helper.make_node(operator, operands, [f"v{len(nodes)}"], name=f"{operator}_{len(nodes)}", **attributes)
        )
        return f"v{len(nodes) - 1}"

    for number in range(12):
        value = add("Add", add("MatMul", value, "w"), "x")
        if number == 6:
            turned = add("Transpose", add("Transpose", value, perm=[1, 2, 0]), perm=[1, 2, 0])
            value = add("Add", value, turned)
    nodes.append(helper.make_node("Sigmoid", [value], ["y"]))
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 4, 4] if n == "x" else None) for n in ("x", "y"))
    w = helper.make_tensor("w", TensorProto.FLOAT, [4, 4], [0.25 * (i % 5 - 2) for i in range(16)])
    graph = helper.make_graph(nodes, "g", [x], [y], [w])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    onnx.save(model, "open.onnx")
    x.type.tensor_type.shape.dim[0].dim_value = 4
    graph = helper.make_graph(nodes, "g", [x], [y], [w])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9), "m.onnx")


def _is_minimal(text: str) -> bool:
    """Whether nothing is left but two transpositions, in a function that returns what the second one gives."""
    return re.findall(r"= (graph\S+)", text) == ["graph.transpose"] * 2 and "--pass-pipeline=company\n" in text


def test_bisect_prints_the_command_that_reduces(mlc: CommandLine, mlc_opt: CommandLine) -> None:
    found = mlc("bisect", "m.onnx", "--load-pass=company.py", "-O1")
    assert found.status == 1, found.err
    assert "first wrong value: after pass 'company'" in found.out
    (command,) = re.findall(r"^  reduce it:  (.*)$", found.out, re.MULTILINE)
    program, *words = shlex.split(command)
    assert program == "mlc-opt"
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    again = mlc_opt("--run-reproducer", "--allow-plugins", str(reproducer))
    assert again.status == 70
    assert "after 'company', 'main' computes something else" in again.err
    reduced = mlc_opt(*words)
    assert reduced.status == 0, reduced.err
    assert re.match(r"note: reduced from \d\d to 5 ops", reduced.err)
    small = f"small-{reproducer.name}"
    assert _is_minimal(Path(small).read_text())
    Path("company.py").write_text(CORRECT)
    again = mlc_opt("--run-reproducer", "--allow-plugins", small)
    assert again.status == 0
    note = "note: the error that this file is to reproduce, in company, does not occur any more\n"
    assert again.err.startswith(note)


def test_what_was_not_compared_is_told_with_the_passes(mlc: CommandLine) -> None:
    Path("company.py").write_text(CORRECT)
    found = mlc("bisect", "m.onnx", "--load-pass=company.py", "--pass-pipeline=convert-onnx-to-graph,company,fuse")
    assert (found.status, found.out) == (0, "no value differs: 3 passes\n"), found.out
    assert "did not check 'main' as it was read: its arguments are not all tensors" in found.err


def test_reducing_begins_where_the_wrong_pass_does(mlc_opt: CommandLine) -> None:
    reduced = mlc_opt("m.onnx", "--load-pass=company.py", "-O1", "--reduce-while=differs")
    assert reduced.status == 0, reduced.err
    assert _is_minimal(reduced.out)


def test_a_reproducer_of_a_file_that_is_no_text(mlc_opt: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MLC_REDUCE_SECONDS", "0")
    found = mlc_opt("m.onnx", "--load-pass=company.py", "--lower-to-graph", "--company=fails=true")
    assert found.status == 1, found.err
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    assert "onnx.Sigmoid" in reproducer.read_text()  # what was read, and not what passes made of it
    again = mlc_opt("--run-reproducer", "--allow-plugins", str(reproducer))
    assert again.status == 1
    assert "KeyError" in again.err


def test_shapes_that_were_given_are_in_a_reproducer(mlc: CommandLine, mlc_opt: CommandLine) -> None:
    Path("company.py").write_text(PASS.replace("self.fails and ", ""))
    found = mlc("compile", "open.onnx", "--load-pass=company.py", "--shape", "n=4", "-O1", "-o", "m.so")
    assert found.status == 1, found.err
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    assert "tensor<4x4x4xf32>" in reproducer.read_text() and "?" not in reproducer.read_text().partition("{-#")[0]
    assert "KeyError" in mlc_opt("--run-reproducer", "--allow-plugins", str(reproducer)).err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--lower-to-tensor", "--reduce-while=differs"],
            "--reduce-while keeps that the passes change a value, and they do not; pass 'company' of 'company.py' is "
            "not among them: name it (--company), or a pipeline that has 'canonicalize', beside which it is to run\n",
        ),
        (
            ["--lower-to-tensor", "--reduce"],
            "and the passes end without one; pass 'company' of 'company.py' is not among ",
        ),
        (
            ["--company", "--reduce-while=differs"],
            "note: --company changed nothing: it works at the graph level, and the module is at the onnx level; "
            "run --lower-to-graph first\n",
        ),
    ],
)
def test_a_pass_that_did_not_run(options: list[str], message: str, mlc_opt: CommandLine) -> None:
    found = mlc_opt("m.onnx", "--load-pass=company.py", *options)
    assert found.status == 1
    assert message in found.err


def test_each_operand_may_take_the_place_of_a_result() -> None:
    """What is looked for may hang on any of them, and on a value of another type than the result has."""
    module = parse_module(
        "func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {\n"
        "  %0 = graph.exp %x : tensor<2x3xf32>\n"
        "  %1 = graph.transpose %0 [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>\n"
        "  %2 = graph.matmul %x, %1 : tensor<2x3xf32>, tensor<3x2xf32> -> tensor<2x2xf32>\n"
        "  %3 = graph.add %y, %2 : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>\n"
        "  return %3 : tensor<2x2xf32>\n}",
        "m.mlir",
        new_context(),
    )

    def returns_of_exp(candidate: Any) -> bool:
        """Whether exp is there, and something that is computed of it is returned."""
        reached: set[Any] = set()
        for op in candidate.walk():
            if op.name == "graph.exp" or any(v in reached for v in op.operands):
                reached.update(op.results)
        ends = [op for op in candidate.walk() if op.name == "func.return"]
        return any(v in reached for end in ends for v in end.operands)

    reducer = Reducer(module, returns_of_exp)
    reducer.reduce()
    assert [op.name for op in reducer.module.walk()][1:] == ["func.func", "graph.exp", "func.return"]
    assert "-> tensor<2x3xf32>" in str(reducer.module)


SEVERAL_SHAPES = """
func.func @main(%x: tensor<?x4xf32> {onnx.dims = ["n", ""]}) -> tensor<?x4xf32> {
  %e = onnx.Exp %x : (tensor<?x4xf32>) -> !onnx.value<"">
  %y = onnx.Sigmoid %e : (!onnx.value<"">) -> tensor<?x4xf32>
  return %y : tensor<?x4xf32>
}
"""


@pytest.mark.parametrize("rows", [3, 4, 5])
def test_the_reproducer_of_a_model_for_several_shapes(rows: int, mlc: CommandLine, mlc_opt: CommandLine) -> None:
    """The largest shape is compiled first, which is not the one that is given first."""
    Path("m.mlir").write_text(SEVERAL_SHAPES)
    Path("company.py").write_text(
        PASS.replace("self.fails and isinstance(op, SigmoidOp)", f"'tensor<{rows}x4xf32>' in str(op)")
    )
    found = mlc("compile", "m.mlir", "--shape=n=4,5,3", "--load-pass=company.py", "-o", "m.so")
    assert "pass 'company' failed with KeyError" in found.err
    (reproducer,) = Path("mlc-reproducers").glob("*.mlir")
    assert f"%x: tensor<{rows}x4xf32>" in reproducer.read_text()
    again = mlc_opt("--run-reproducer", "--allow-plugins", str(reproducer))
    assert again.status == found.status != 0
    assert "pass 'company' failed with KeyError" in again.err
