"""Patterns of plugins for ops that mlc lowers: which one is applied, for how long, and who is blamed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import mlc
from mlc.support.additions import plugin_scope

if TYPE_CHECKING:
    from tests.conftest import CommandLine

_BASE2 = Path(__file__).parents[2] / "lit" / "plugins" / "Inputs" / "base2_softmax.py"
_SOFTMAX = """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.softmax %x axis 1 : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
"""
_RELU = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
_SHIFTED = """
from mlc.dialects.graph import ReluOp
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor import Elementwise

@lowers("convert-graph-to-tensor", ReluOp, benefit={0})
class Shifted{0}(Elementwise):
    def build(self, op, b):
        return self.map(op, b, lambda p, x: p.add(x, p.number({0}, x.type)))
"""

_NO_LOWERING = """
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, result_def
from mlc.dialects.graph.unary import FloatUnaryOp


@irdl_op_definition
class SquashOp(FloatUnaryOp):
    "A pattern of mlc for all elementwise ops takes it, and leaves it as it is."
    name = "acme.squash"


@irdl_op_definition
class PressOp(IRDLOperation):
    "Nothing takes it."
    name = "acme.press"
    input = operand_def(TensorType)
    result = result_def(TensorType)
    assembly_format = "$input attr-dict `:` type($input) `->` type($result)"


Acme = Dialect("acme", [SquashOp, PressOp])
"""

_LEAVING = """
from mlc.pass_manager.lowering import StatelessPattern, lowers
from {0} import {1}


@lowers("convert-graph-to-tensor", {1})
class Leaving(StatelessPattern):
    def match_and_rewrite(self, op, rewriter):
        pass
"""


def test_native_code_of_a_replaced_softmax() -> None:
    x = np.random.default_rng(0).standard_normal((4, 8), np.float32)
    wide = x.astype(np.float64)
    powers = np.exp(wide - wide.max(1, keepdims=True))
    with plugin_scope():
        mlc.load_pass(_BASE2)
        np.testing.assert_allclose(mlc.compile(_SOFTMAX)(x), powers / powers.sum(1, keepdims=True), rtol=2e-6)


def test_a_replacement_lasts_as_long_as_its_plugin(tmp_path: Path) -> None:
    """What another lowering computes says which one was applied."""
    file, x = tmp_path / "shifted.py", np.array([-1, 0, 1, 2], np.float32)
    file.write_text(_SHIFTED.format(2))
    for _ in range(2):  # the second time, the file has run already
        with plugin_scope():
            mlc.load_pass(file)
            with plugin_scope():
                mlc.load_pass(file)
            np.testing.assert_array_equal(mlc.compile(_RELU)(x), x + 2)
        np.testing.assert_array_equal(mlc.compile(_RELU)(x), [0, 0, 1, 2])


def test_another_text_of_a_file_takes_the_place_of_the_former_one(tmp_path: Path) -> None:
    file, x = tmp_path / "shifted.py", np.array([-1, 0, 1, 2], np.float32)
    with plugin_scope():
        for by in (3, 2):
            file.write_text(_SHIFTED.format(by))
            mlc.load_pass(file)
            np.testing.assert_array_equal(mlc.compile(_RELU)(x), x + by)


def test_the_highest_benefit_comes_first(tmp_path: Path) -> None:
    x = np.array([-1, 0, 1, 2], np.float32)
    with plugin_scope():
        for by in (2, 4, 3):
            (tmp_path / f"by{by}.py").write_text(_SHIFTED.format(by))
            mlc.load_pass(tmp_path / f"by{by}.py")
        np.testing.assert_array_equal(mlc.compile(_RELU)(x), x + 4)


def test_a_file_that_fails_leaves_no_pattern(tmp_path: Path) -> None:
    file, x = tmp_path / "shifted.py", np.array([-1, 0, 1, 2], np.float32)
    with plugin_scope():
        file.write_text(_SHIFTED.format(2) + "1 / 0\n")
        with pytest.raises(mlc.UserError, match="division by zero"):
            mlc.load_pass(file)
        np.testing.assert_array_equal(mlc.compile(_RELU)(x), [0, 0, 1, 2])


def test_a_wrong_replacement_is_told_at_its_line(tmp_path: Path, mlc_opt: CommandLine) -> None:
    file = tmp_path / "shifted.py"
    file.write_text(_SHIFTED.format(2))
    result = mlc_opt(f"--load-pass={file}", "--lower-to-tensor", "--check-each", stdin=_RELU)
    assert result.status == 1
    assert f"{file}:6: error: " in result.err
    assert "'graph.relu' was lowered by Shifted2" in result.err


@pytest.mark.parametrize(
    ("op", "words"),
    [
        (
            "squash %x : tensor<4xf32>",
            "'acme.squash' cannot be lowered: no pattern of convert-graph-to-tensor handles it",
        ),
        (
            "press %x : tensor<4xf32> -> tensor<4xf32>",
            "'acme.press' cannot be lowered to loops: no pattern of convert-tensor-to-loop handles it",
        ),
    ],
)
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_an_op_without_a_lowering(op: str, words: str, level: str, tmp_path: Path, mlc_opt: CommandLine) -> None:
    (plugin := tmp_path / "acme.py").write_text(_NO_LOWERING)
    model = (
        f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  %0 = acme.{op}\n  return %0 : tensor<4xf32>\n}}\n"
    )
    (file := tmp_path / "m.mlir").write_text(model)
    found = mlc_opt(str(file), f"--load-dialect={plugin}", level)
    name = f"{op.partition(' ')[0].capitalize()}Op"
    advice = f'; write one, under @lowers("convert-graph-to-tensor", {name}) (docs/writing-a-dialect.md)'
    assert found.status == 1
    assert f"m.mlir:2:8: error: {words}{advice}\n" in found.err


def test_a_pattern_leaves_what_is_legal_below(tmp_path: Path, mlc_opt: CommandLine) -> None:
    """Such as calls, of which it takes some."""
    (plugin := tmp_path / "calls.py").write_text(_LEAVING.format("xdsl.dialects.func", "CallOp"))
    text = """func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = func.call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
    found = mlc_opt(f"--load-pass={plugin}", "--convert-graph-to-tensor", stdin=text)
    assert (found.status, found.err) == (0, "")
    assert "call @g" in found.out


def test_a_pattern_that_leaves_an_op_is_named(tmp_path: Path, mlc_opt: CommandLine) -> None:
    (dialect := tmp_path / "acme_ops.py").write_text(_NO_LOWERING)
    (plugin := tmp_path / "leaving.py").write_text(_LEAVING.format("acme_ops", "PressOp"))
    text = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = acme.press %x : tensor<4xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
    found = mlc_opt(f"--load-dialect={dialect}", f"--load-pass={plugin}", "--convert-graph-to-tensor", stdin=text)
    assert found.status == 1
    assert "error: 'acme.press' cannot be lowered: Leaving of convert-graph-to-tensor left it as it is\n" in found.err


def test_an_op_of_irdl_without_a_lowering(tmp_path: Path, mlc_opt: CommandLine) -> None:
    (file := tmp_path / "some.irdl").write_text(
        "irdl.dialect @some {\n  irdl.operation @make {\n    %0 = irdl.any\n    irdl.results(r: %0)\n  }\n}\n"
    )
    text = 'func.func @main() -> tensor<4xf32> {\n  %0 = "some.make"() : () -> tensor<4xf32>\n'
    text += "  return %0 : tensor<4xf32>\n}\n"
    found = mlc_opt(f"--irdl-file={file}", "-O0", stdin=text)
    assert found.status == 1
    advice = 'write one, under @lowers("convert-graph-to-tensor", MakeOp) (docs/writing-a-dialect.md)'
    assert f"no pattern of convert-tensor-to-loop handles it; {advice}\n" in found.err
