"""A file of a plugin that is loaded again with another text, as in a notebook: the new text replaces the old one."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc.dialects.registry import plugin_dialects
from mlc.pass_manager.registry import load_pass, plugin_passes
from mlc.plugins import load_irdl
from mlc.support.additions import load_options, plugin_scope
from mlc.support.errors import UserError

_PASS = '''
from dataclasses import dataclass
from mlc.dialects.graph import NegOp, ReluOp
from mlc.pass_manager.base import Pass
from mlc.pass_manager.lowering import lowers
from mlc.passes.graph_to_tensor import Elementwise
from xdsl.pattern_rewriter import PatternRewriter


@dataclass(frozen=True)
class CompanyPass(Pass):
    """Relu becomes something else."""

    name = "{0}"

    def run(self, module, ctx):
        for op in list(module.walk()):
            if isinstance(op, ReluOp):
                PatternRewriter(op).replace(op, [new := {1}(op.operands[0])], new.results)


@lowers("convert-graph-to-tensor", ReluOp, benefit=2)
class Shifted(Elementwise):
    def build(self, op, b):
        return self.map(op, b, lambda p, x: p.add(x, p.number({2}, x.type)))
'''
_RELU = """func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""
_DIALECT = """
from xdsl.dialects.builtin import f32
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, result_def

@irdl_op_definition
class MakeOp(IRDLOperation):
    name = "acme.make"
    r = result_def({})

Acme = Dialect("acme", [MakeOp])
"""
_IRDL = "irdl.dialect @{0} {{ irdl.operation @make {{ irdl.operands() }} }}"
X = np.array([-1, 0, 1, 2], np.float32)


@pytest.fixture(autouse=True)
def in_tmp_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    monkeypatch.chdir(tmp_path)
    with plugin_scope():
        yield


def _load(name: str, op: str, shift: int) -> None:
    Path("p.py").write_text(_PASS.format(name, op, shift))
    mlc.load_pass("p.py")


def test_a_pass_is_replaced() -> None:
    view = mlc.view(_RELU)
    _load("company", "NegOp", 1)
    first = load_pass("company")
    assert "graph.neg" in str(view.run("company").module)
    _load("company", "ReluOp", 2)
    assert load_pass("company") is not first
    assert "graph.relu" in str(view.run("company").module)
    np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 2)
    assert load_options() == [f"--load-pass={Path('p.py').resolve()}"]
    _load("company", "NegOp", 1)  # and back, to a text that has run before
    assert load_pass("company") is first
    np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 1)


def test_what_the_new_text_does_not_have_is_gone() -> None:
    _load("company", "NegOp", 1)
    _load("firm", "NegOp", 1)
    assert plugin_passes.names() == ["firm"]


def test_a_text_that_fails_leaves_the_former_one() -> None:
    _load("company", "NegOp", 1)
    Path("p.py").write_text("class Company(:\n")
    with pytest.raises(UserError, match=r"plugin 'p\.py' is not Python: invalid syntax"):
        mlc.load_pass("p.py")
    assert plugin_passes.names() == ["company"]
    np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 1)


def test_another_file_does_not_replace() -> None:
    _load("company", "NegOp", 1)
    Path("q.py").write_text(_PASS.format("company", "ReluOp", 1).replace("benefit=2", "benefit=3"))
    with pytest.raises(UserError, match=r"two passes are named 'company': one of 'p\.py', one of 'q\.py'; rename one"):
        mlc.load_pass("q.py")


def test_a_scope_ends_as_often_as_it_began() -> None:
    with plugin_scope():
        _load("company", "NegOp", 1)
        with plugin_scope():
            _load("company", "ReluOp", 2)
        assert plugin_passes.names() == []
    assert load_options() == []
    np.testing.assert_array_equal(mlc.compile(_RELU)(X), [0, 0, 1, 2])


def test_a_dialect_is_replaced() -> None:
    text = 'func.func @main() {\n  %0 = "acme.make"() : () -> f32\n  return\n}\n'
    Path("d.py").write_text(_DIALECT.format("f32"))
    mlc.load_dialect("d.py")
    mlc.parse(text)
    Path("d.py").write_text(_DIALECT.format("f32").replace("acme.make", "acme.build"))
    mlc.load_dialect("d.py")
    with pytest.raises(UserError, match=r"unknown operation 'acme\.make'"):
        mlc.parse(text)


def test_a_dialect_of_irdl_is_replaced() -> None:
    for name in ("some", "other"):
        Path("d.irdl").write_text(_IRDL.format(name))
        load_irdl("d.irdl")
        assert plugin_dialects.names() == [name]
