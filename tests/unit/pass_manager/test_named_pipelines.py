"""Named pipelines: from every source to every level, what plugins add to them, and what cannot be."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from mlc.pass_manager.ir_levels import LEVELS, LOWER_TO
from mlc.pass_manager.lowering import StatelessPattern, lowering_of, lowers
from mlc.pass_manager.named_pipelines import own_pipelines
from mlc.pass_manager.pipeline import default_steps
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.pass_manager.registry import pass_names
from mlc.support.additions import plugin_scope

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_EXAMPLES = Path(__file__).parents[3] / "examples"
_GRAPH = """
func.func @main(%x: tensor<4x5xf32>) -> tensor<4x5xf32> {
  %0 = graph.exp %x : tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}
"""
_PLUGIN = '''
from mlc.pass_manager.base import Pass, PipelinePlace
from mlc.pass_manager.named_pipelines import NamedPipeline
from mlc.pass_manager.stage import Stage


class CountPass(Pass):
    """Say how many ops there are."""

    name = "count"
    place = PipelinePlace(before="convert-graph-to-tensor", reason="to see what is lowered")

    def run(self, module, ctx):
        ctx.remark(next(iter(module.ops)), f"{sum(1 for _ in module.walk())} ops")


PREPARE = NamedPipeline(
    "prepare-toy",
    "What the toy backend reads.",
    (Stage("graph", "canonicalize{max-rewrites-per-op=5}", 0, "one form"), Stage("loop", "lower-to-loops", 0, "loops")),
)
'''


def test_members_are_those_that_no_program_can_do_without() -> None:
    """Their options are those by default, as no compilation gives any."""
    members = [s.passes for s in own_pipelines()["lower-to-llvm"].stages]
    steps = [s.passes for s in default_steps(PipelineOptions(opt_level=0))]
    assert members == [step.partition("{")[0] for step in steps]
    lengths = [len(own_pipelines()[name].stages) for name in LOWER_TO.values()]
    assert lengths == sorted(set(lengths))


def test_from_each_level_to_each_level(mlc_opt: CommandLine) -> None:
    def lowered(text: str, level: str) -> str:
        shown = mlc_opt(f"--{LOWER_TO[level]}", stdin=text.encode())
        assert (shown.status, shown.err) == (0, "")
        return shown.out

    graph = mlc_opt(stdin=_GRAPH.encode()).out
    forms = {level: lowered(graph, level) for level in LEVELS}
    assert len(set(forms.values())) == len(LEVELS)
    for number, start in enumerate(LEVELS):
        for end in LEVELS:
            assert lowered(forms[start], end) == forms[LEVELS[max(number, LEVELS.index(end))]], (start, end)


def test_no_pass_has_the_name_of_a_pipeline() -> None:
    assert own_pipelines().keys().isdisjoint(pass_names())


def test_the_command_line_of_the_readme(mlc_opt: CommandLine) -> None:
    shown = mlc_opt(str(_EXAMPLES / "digits" / "mlp.mlir"), "--fuse", "--lower-to-loops")
    assert shown.err == ""
    # The fusion is one kernel: the sum, the bias and the maximum are computed in one nest.
    kernel = shown.out.partition("func.func private @linear_relu(")[2].partition("return")[0]
    assert kernel.count('loop.for parallel "n"') == 1
    assert all(op in kernel for op in ("math.fma", "arith.addf", "arith.select"))


def test_an_onnx_file(tmp_path: Path, mlc_opt: CommandLine) -> None:
    onnx: Any = pytest.importorskip("onnx")
    helper = onnx.helper
    x, y = (helper.make_tensor_value_info(name, 1, [3, 4]) for name in "xy")
    weight = onnx.numpy_helper.from_array(np.ones((4, 4), np.float32), "w")
    nodes = [helper.make_node("MatMul", ["x", "w"], ["p"]), helper.make_node("Relu", ["p"], ["y"])]
    model = helper.make_model(helper.make_graph(nodes, "g", [x], [y], [weight]), ir_version=8)
    onnx.save(model, path := tmp_path / "model.onnx")
    for level, op in (
        ("graph", "graph.matmul"),
        ("tensor", "tensor.contract"),
        ("loop", "loop.for"),
        ("llvm", "llvm.br"),
    ):
        shown = mlc_opt(str(path), f"--{LOWER_TO[level]}")
        assert (shown.status, shown.err) == (0, "")
        assert op in shown.out and "onnx." not in shown.out
    assert "loop.for" in mlc_opt(str(path), "--convert-onnx-to-graph", "--fuse", "--lower-to-loops").out


def test_pipelines_are_words_of_pipelines(mlc_opt: CommandLine) -> None:
    by_flags = mlc_opt("--fuse", "--lower-to-tensor", "--cse", stdin=_GRAPH.encode()).out
    assert "tensor.map" in by_flags
    assert mlc_opt("--pass-pipeline=fuse, lower-to-tensor ,cse", stdin=_GRAPH.encode()).out == by_flags
    assert mlc_opt("--pass-pipeline=builtin.module(fuse,lower-to-tensor,cse)", stdin=_GRAPH.encode()).out == by_flags


def test_ir_after_a_pipeline_is_that_after_its_last_pass(mlc_opt: CommandLine) -> None:
    shown = mlc_opt("--lower-to-tensor", "--print-ir-after=lower-to-tensor", stdin=_GRAPH.encode()).err
    assert "after convert-linalg-to-tensor" in shown and "tensor.map" in shown


def test_plugins_add_passes_and_pipelines(tmp_path: Path, mlc_opt: CommandLine) -> None:
    (path := tmp_path / "toy.py").write_text(_PLUGIN)
    load = f"--load-pass={path}"
    for name in ("lower-to-tensor", "lower-to-loops", "lower-to-llvm", "prepare-toy"):
        shown = mlc_opt(load, f"--{name}", "--remarks", stdin=_GRAPH.encode())
        assert "remark: 4 ops" in shown.err, name
    assert "remark" not in mlc_opt(load, "--lower-to-graph", "--remarks", stdin=_GRAPH.encode()).err
    assert "loop.for" in mlc_opt(load, "--prepare-toy", stdin=_GRAPH.encode()).out
    listed = mlc_opt(load, "--list-passes").out
    rows = ["    What the toy backend reads.", "      graph   canonicalize{max-rewrites-per-op=5}  one form"]
    assert "\n".join(["--prepare-toy", *rows, ""]) in listed
    row = f"      graph   count                       to see what is lowered (of '{path}')\n"
    assert row in listed.partition("--lower-to-tensor\n")[2]
    shown = mlc_opt(load, "--prepare-toy", "--print-pipeline").out
    assert shown.startswith("// --prepare-toy\n")
    to_tensor = "convert-graph-to-tensor,wrap-scalars,convert-linalg-to-tensor"
    assert f",count,{to_tensor},convert-tensor-to-loop,convert-scf-to-loop'\n" in shown
    assert "count" not in mlc_opt("--list-passes").out  # it went with the command


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "convert-graph-to-tensor",
            "convert-graf",
            "pass 'count' of '{path}' is to run before 'convert-graf', no pass",
        ),
        ('"prepare-toy"', '"lower-to-loops"', "two pipelines are named 'lower-to-loops': one of mlc, one of '{path}'"),
        ('"prepare-toy"', '"fuse"', "two pipelines are named 'fuse': one of mlc, one of '{path}'"),
        ('name = "count"', 'name = "lower-to-loops"', "two passes are named 'lower-to-loops': one of mlc"),
        (
            '"lower-to-loops", 0',
            '"prepare-toy", 0',
            "the pipeline 'prepare-toy' is a part of itself: prepare-toy -> prepare-toy",
        ),
        ('"prepare-toy"', '"timing"', "pipeline 'timing' of '{path}' has the name of an option of mlc-opt; rename it"),
    ],
)
def test_what_plugins_cannot_add(old: str, new: str, message: str, tmp_path: Path, mlc_opt: CommandLine) -> None:
    assert old in _PLUGIN
    (path := tmp_path / "toy.py").write_text(_PLUGIN.replace(old, new))
    name = "prepare-toy" if '"prepare-toy"' in _PLUGIN.replace(old, new, 1) else "lower-to-tensor"
    shown = mlc_opt(f"--load-pass={path}", f"--{name}", stdin=_GRAPH.encode())
    assert shown.status == 1
    assert message.format(path=path) in shown.err


def test_patterns_may_name_passes_as_before() -> None:
    from mlc.dialects.graph import NegOp

    class Neg(NegOp):
        name = "test.neg"

    with plugin_scope(), pytest.warns(DeprecationWarning, match="'lower-to-tensor' is named 'convert-graph-to-tensor'"):
        lowers("lower-to-tensor", Neg)(StatelessPattern)
    assert lowering_of("convert-graph-to-tensor", Neg) is not None
