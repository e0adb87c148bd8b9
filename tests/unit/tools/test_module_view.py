"""`mlc.view`: passes, functions and patterns in a notebook."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file  # pyright: ignore[reportUnknownVariableType]
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.pattern_rewriter import PatternRewriter, RewritePattern, op_type_rewrite_pattern

import mlc
from mlc.dialects.graph import MatmulOp, ReluOp
from mlc.support.errors import Refused
from mlc.tools.explorer.stored_page import documents_in
from mlc.tools.highlight import highlighted

MODEL = """
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = graph.matmul %x, %w : tensor<4x8xf32>, tensor<8x3xf32> -> tensor<4x3xf32>
  %1 = graph.relu %0 : tensor<4x3xf32>
  %2 = graph.relu %1 : tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}
"""


class ReluOfRelu(RewritePattern):
    """One relu is enough."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: ReluOp, rewriter: PatternRewriter) -> None:
        if isinstance(op.operands[0].owner, ReluOp):
            rewriter.replace(op, [], [op.operands[0]])


class Stranger(RewritePattern):
    """Returns what is not there."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: MatmulOp, rewriter: PatternRewriter) -> None:
        rewriter.replace(op, [], [op.operands[1]])


class _Text(HTMLParser):
    """What a page shows, and its tags."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.text, self.tags = "", list[str]()
        self.feed(page)

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def _html(thing: object) -> _Text:
    return _Text(thing._repr_html_())  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]


def test_passes_make_another_view() -> None:
    module = mlc.view(MODEL)
    before = repr(module)
    lowered = module.run("canonicalize, fuse, lower-to-tensor")
    assert repr(module) == before and "graph.relu" in before
    assert lowered.kernels == ["matmul_relu"]
    assert lowered.functions == ["matmul_relu", "main"]
    assert lowered["main"].kernels == ["matmul_relu"]
    assert "tensor.contract" in repr(lowered["matmul_relu"])
    with pytest.raises(mlc.UserError, match="unknown pass 'fusee'"):
        module.run("fusee")
    with pytest.raises(KeyError, match=r"no function 'maim'.*did you mean 'main'"):
        module["maim"]


def test_modules_of_all_origins(tmp_path: Path) -> None:
    (tmp_path / "m.mlir").write_text(MODEL)
    parsed = mlc.parse(MODEL)
    assert repr(mlc.view(tmp_path / "m.mlir")) == repr(mlc.view(parsed)) == repr(mlc.view(parsed.clone()))
    assert mlc.view(ModuleOp([])).kernels == []


def test_html_shows_the_text() -> None:
    module = mlc.view(MODEL)
    shown = _html(module)
    assert shown.text == repr(module)
    assert shown.tags.count("span") > 20
    long = module.run("lower-to-loops")
    many = mlc.view("".join(MODEL.replace("@main", f"@main{i}") for i in range(9)))
    folded = _html(many)
    assert folded.tags.count("details") == 9
    assert re.sub(r"\s", "", folded.text) in re.sub(r"\s", "", repr(many))
    assert _html(long["main"]).text == repr(long["main"])


def test_tokens_are_escaped() -> None:
    text = '%a = "x.y<&>"() : i1 // <b>'
    assert _Text(highlighted(text)).text == text
    assert _Text(highlighted(text)).tags == ["span"] * 4


def test_a_pattern_is_tried() -> None:
    module = mlc.view(MODEL)
    trial = module.rewrite(ReluOfRelu())
    assert repr(trial.before) == repr(module)
    assert repr(trial.after).count("graph.relu") == 1
    applied = [event for event in trial.events if event.applied]
    assert [(e.pattern, e.op, str(e.place)) for e in applied] == [("ReluOfRelu", "graph.relu", "<text>:5:8")]
    assert "ReluOfRelu leaves graph.relu at <text>:4:8" in _html(trial).text
    assert "// ReluOfRelu applied to graph.relu at <text>:5:8\n" in repr(trial)
    with pytest.raises(mlc.UserError, match=r"graph\.relu"):
        module.rewrite(Stranger())


def test_why_a_pattern_refuses_is_told() -> None:
    class Refusing(RewritePattern):
        """Says why."""

        def match_and_rewrite(self, op: Operation, rewriter: PatternRewriter) -> None:
            if isinstance(op, MatmulOp):
                raise Refused("it has 8 columns")

    trial = mlc.view(MODEL).rewrite(Refusing())
    assert "Refusing leaves graph.matmul at <text>:3:8: it has 8 columns" in repr(trial)


def test_a_page_is_shown_inside(tmp_path: Path) -> None:
    page = mlc.view(MODEL).explore(opt_level=1)
    shown = page._repr_html_()  # pyright: ignore[reportPrivateUsage]
    assert shown.startswith('<iframe sandbox="allow-scripts"') and shown.count("<") == 2
    page.save(tmp_path / "r.html")
    assert (tmp_path / "r.html").read_text() == page.page
    assert repr(page).endswith("characters: .save('report.html')>")


def test_a_page_has_the_weights_of_the_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a file in another folder, of a module that was built, after passes: no text names those."""
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "m.mlir").write_text("""
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %w = graph.constant dense_resource<w> : tensor<3xf32>
  %y = graph.mul %x, %w : tensor<3xf32>, tensor<3xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
{-# external_resources: { mlc: { weights: "w.safetensors" } } #-}
""")
    save_file({"w": np.array([1, 2, 3], np.float32)}, tmp_path / "models" / "w.safetensors")
    monkeypatch.chdir(tmp_path)
    built = mlc.new_module()
    with built.function("main", x="4x8xf32") as f:
        f.returns(f.graph.matmul(f.x, np.ones((8, 100), np.float32)))
    read = mlc.view(Path("models/m.mlir"))
    for model, size in (
        (read, 12),
        (read.run("fuse, lower-to-tensor"), 12),
        (built.module, 3200),
        (built.view(), 3200),
    ):
        (document,) = documents_in(mlc.explore(model, opt_level=1).page, "page")
        assert [weight.bytes for weight in document.weights] == [size]


def test_a_pattern_that_is_none() -> None:
    seen = mlc.view("func.func @f() {\n  return\n}")
    for wrong, required in ((ReluOfRelu, "ReluOfRelu()"), ("x", "an object of a class of RewritePattern")):
        with pytest.raises(TypeError, match=rf"as pattern; required: {re.escape(required)}$"):
            seen.rewrite(wrong)  # pyright: ignore[reportArgumentType]


def test_pictures_are_files_of_their_kind(tmp_path: Path) -> None:
    picture = mlc.view("func.func @f() {\n  return\n}").picture()
    picture.save(tmp_path / "a.svg")
    picture.save(tmp_path / "a.dot")
    assert (tmp_path / "a.svg").read_text().startswith("<svg") and "digraph" in (tmp_path / "a.dot").read_text()
    with pytest.raises(ValueError, match=r"ends with '\.png' for a picture; required: \.svg or \.dot"):
        picture.save(tmp_path / "a.png")
    assert not (tmp_path / "a.png").exists()
