"""Passes of plugins that fail, or leave what is no IR: found where it happens, and told at the line of the plugin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_PASS = """\
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import ModuleOp, TensorType, f32
from xdsl.pattern_rewriter import GreedyRewritePatternApplier, PatternRewriter, PatternRewriteWalker, RewritePattern
from xdsl.pattern_rewriter import op_type_rewrite_pattern
from xdsl.rewriter import Rewriter

from mlc.dialects.graph import ReluOp
from mlc.pass_manager.base import Pass, PipelinePlace
from mlc.support.context import CompilerContext


class Boom(RewritePattern):
    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReluOp, rewriter: PatternRewriter) -> None:
        BODY


@dataclass(frozen=True)
class BadPass(Pass):
    \"\"\"Do something wrong.\"\"\"

    name: ClassVar[str] = "bad"
    ir_level: ClassVar[str | None] = "graph"
    place: ClassVar[PipelinePlace | None] = PipelinePlace(after="fold-batch-norm")

    def run(self, module: ModuleOp, ctx: CompilerContext) -> None:
        PatternRewriteWalker(GreedyRewritePatternApplier([Boom()]), apply_recursively=False).rewrite_module(module)
"""
_MODEL = """\
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.relu %x : tensor<4x8xf32>
  %1 = graph.sigmoid %0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
"""


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The model."""
    monkeypatch.chdir(tmp_path)
    Path("m.mlir").write_text(_MODEL)


def test_an_exception_names_the_pattern_and_the_op_and_not_the_module(mlc_opt: CommandLine) -> None:
    Path("bad.py").write_text(_PASS.replace("BODY", 'raise ValueError("no way")'))
    found = mlc_opt("m.mlir", "--load-pass=bad.py", "--bad")
    first, second = found.err.splitlines()
    assert first == "bad.py:17: error: pass 'bad' failed in the pattern Boom at m.mlir:2:8 with ValueError: no way"
    assert second.startswith("note: reproducer: ") and found.status == 1


_WRONG_TYPE = "Rewriter.replace_value_with_new_type(op.result, TensorType(f32, [3, 7]))"


@pytest.mark.parametrize("options", [["-O1"], ["-O3", "--emit=mlir:graph"], ["--convert-graph-to-tensor"]])
def test_what_it_leaves_is_verified_wherever_it_runs(options: list[str], mlc_opt: CommandLine) -> None:
    """By later passes an error may be gone, or be another one that mlc is blamed for."""
    Path("bad.py").write_text(_PASS.replace("BODY", _WRONG_TYPE))
    if "--convert-graph-to-tensor" in options:
        options = ["--bad", *options]
    found = mlc_opt("m.mlir", "--load-pass=bad.py", *options)
    assert "bug in a pass of 'bad.py': the IR does not verify after pass 'bad': m.mlir:2:8: error: " in found.err
    assert "in: bad\n" in found.err and found.status == 70


def test_a_library_is_not_written(mlc: CommandLine) -> None:
    Path("bad.py").write_text(_PASS.replace("BODY", _WRONG_TYPE))
    found = mlc("compile", "m.mlir", "--load-pass=bad.py", "-O1", "-o", "m.so")
    assert "bug in a pass of 'bad.py': the IR does not verify after pass 'bad'" in found.err
    assert found.status == 70 and not Path("m.so").exists()
