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
from mlc.reference.interpreter import run_function
from mlc.support.additions import load_options, plugin_scope
from mlc.support.errors import UserError
from mlc.support.resources import Resources

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
_MEANING = """
import numpy as np
from acme_base import MakeOp
from mlc.reference.execution import evaluates

@evaluates(MakeOp)
def make(op):
    return np.float32({})
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


def test_a_refused_pass_leaves_the_former_text() -> None:
    company = _DIALECT.format("f32") + _PASS.format("company", "NegOp", 1)
    Path("d.py").write_text(company)
    mlc.load_dialect("d.py")
    Path("d.py").write_text(company.replace("company", "canonicalize"))
    with pytest.raises(UserError, match=r"two passes are named 'canonicalize': one of mlc, one of 'd\.py'"):
        mlc.load_dialect("d.py")
    assert (plugin_dialects.names(), plugin_passes.names()) == (["acme"], ["company"])
    assert load_options() == [f"--load-dialect={Path('d.py').resolve()}"]
    np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 1)


def test_a_refused_pattern_is_forgotten() -> None:
    _load("company", "NegOp", 1)
    right = Path("p.py").read_text()
    Path("p.py").write_text(right.replace("ReluOp, benefit=2)", 'ReluOp, benefit=2)\n@lowers("no-such-pass", ReluOp)'))
    for _ in range(2):
        with pytest.raises(UserError, match=r"plugin 'p\.py' has patterns for 'no-such-pass', which is not a pass"):
            mlc.load_pass("p.py")
        np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 1)
    Path("p.py").write_text(f"{right}# corrected\n")
    mlc.load_pass("p.py")
    np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 1)


def test_a_meaning_is_replaced() -> None:
    """That of an op which another file defines."""
    Path("acme_base.py").write_text(_DIALECT.format("f32"))
    mlc.load_dialect("acme_base.py")
    text = 'func.func @main() -> f32 {\n  %0 = "acme.make"() : () -> f32\n  return %0 : f32\n}\n'
    for meaning in (1, 2, 1):
        Path("p.py").write_text(_MEANING.format(meaning) + _PASS.format("company", "NegOp", 1))
        mlc.load_pass("p.py")
        assert run_function(mlc.parse(text), "main", [], Resources()) == [meaning]
    Path("p.py").write_text(_MEANING.format(3) + "1 / 0\n")
    for _ in range(2):
        with pytest.raises(UserError, match="division by zero"):
            mlc.load_pass("p.py")
        assert run_function(mlc.parse(text), "main", [], Resources()) == [1]


def test_a_plugin_that_is_refused_as_what_it_is_leaves_the_former_text() -> None:
    _load("company", "NegOp", 1)
    with pytest.raises(UserError, match=r"plugin 'p\.py' exports no Dialect; load it by --load-pass"):
        mlc.load_dialect("p.py")
    Path("p.py").write_text("x = 1\n")
    with pytest.raises(UserError, match=r"plugin 'p\.py' exports no Dialect; define one"):
        mlc.load_dialect("p.py")
    assert plugin_passes.names() == ["company"]
    np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 1)


def test_a_file_that_imports_another_text_runs_again() -> None:
    importing = (
        "from acme_base import MakeOp\nfrom mlc.pass_manager.base import Pass\n\n"
        "class CountPass(Pass):\n    name = 'count'\n    def run(self, module, ctx):\n"
        "        for op in list(module.walk()):\n            if isinstance(op, MakeOp):\n                op.detach()\n"
    )
    Path("importing.py").write_text(importing)
    found = list[type]()
    for text in (_DIALECT, f"# A comment.\n{_DIALECT}", _DIALECT):
        Path("acme_base.py").write_text(text.format("f32"))
        mlc.load_dialect("acme_base.py")
        mlc.load_pass("importing.py")
        assert "acme" not in str(mlc.view('module {\n  "acme.make"() : () -> f32\n}\n').run("count").module)
        found.append(load_pass("count"))
    assert found[0] is found[2] is not found[1]


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
            np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 2)
            _load("firm", "ReluOp", 3)
            assert plugin_passes.names() == ["firm"]
        assert plugin_passes.names() == ["company"]
        assert load_options() == [f"--load-pass={Path('p.py').resolve()}"]
        np.testing.assert_array_equal(mlc.compile(_RELU)(X), X + 1)
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
    Path("d.irdl").write_text(_IRDL.format("graph"))
    with pytest.raises(UserError, match=r"two dialects are named 'graph': one of mlc, one of 'd\.irdl'; rename one"):
        load_irdl("d.irdl")
    assert plugin_dialects.names() == ["other"]
    assert load_options() == [f"--irdl-file={Path('d.irdl').resolve()}"]
