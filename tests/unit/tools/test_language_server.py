"""`mlc lsp`, asked by a client as an editor asks it, and the analysis by itself."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from mlc.compiler.compilation import new_context
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.completion import candidates
from mlc.tools.language_server.hover import hover, of_op
from mlc.tools.language_server.outline import outline
from tests.unit.tools.language_client import session

lsp = pytest.importorskip("lsprotocol.types", reason="needs pygls (pip install 'mlc[lsp]')")
pytest.importorskip("pygls.lsp.client", reason="needs pygls (pip install 'mlc[lsp]')")

TEXT = """\
// RUN: mlc-opt %s --fuse
// RUN: mlc-opt %s --lower-to-l
#map = affine_map<(d0) -> (d0)>
func.func @f(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1:2 = "test.two"(%0, %x) : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, i32)
  cf.cond_br %c, ^a, ^b
^a:
  %l = graph.compare lt, %1#0, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xi1>
  return %1#0 : tensor<4xf32>
^b:
  return %0 : tensor<4xf32>
}

module @inner {
  // Two lines
  // of a comment.
  func.func @g(%x: memref<16xf32>) {
    loop.for parallel "i" %i = 0 to 16 {
      %v = loop.load %x[%i] : memref<16xf32>
      loop.store %v, %x[%i] : memref<16xf32>
    }
    return
  }
}
"""


def _analysed(text: str = TEXT) -> AnalysedText:
    return AnalysedText(text, "text.mlir", Path())


def _after(text: str, what: str) -> int:
    return text.index(what) + len(what)


def test_names_stand_where_they_are_defined_and_used() -> None:
    text = _analysed()
    assert text.errors == []

    def around(places: list[int]) -> list[str]:
        return [TEXT[at : at + 5] for at in places]

    use = text.token_at(TEXT.index("%1#0, %x"))
    assert use is not None
    assert around(text.places_of(use)) == ["%1:2 ", "%1#0,", "%1#0 "]
    counter = text.token_at(TEXT.index("%i]"))
    assert counter is not None
    assert around(text.places_of(counter)) == ["%i = ", "%i] :", "%i] :"]
    of_g = text.token_at(TEXT.index("%x["))
    assert of_g is not None
    assert len(text.places_of(of_g)) == 3  # those of @f are another value
    block = text.token_at(TEXT.index("^b\n"))
    assert block is not None
    assert text.definition_of(block) == TEXT.index("^b:")
    alias = text.token_at(TEXT.index("#map"))
    assert alias is not None
    assert text.definition_of(alias) == TEXT.index("#map")


def test_names_are_known_in_text_with_errors() -> None:
    broken = TEXT.replace("graph.relu %x :", "graph.rellu %x :").replace("loop.store %v,", "loop.store %v")
    text = _analysed(broken)
    assert [error.location and error.location.line for error in text.errors] == [5, 21]
    use = text.token_at(broken.index("%1#0, %x"))
    assert use is not None
    assert len(text.places_of(use)) == 3
    assert set(text.symbols) == {"@f", "@inner", "@g"}


def test_the_op_after_an_error_is_read() -> None:
    broken = TEXT.replace("  cf.cond_br %c, ^a, ^b\n", "  graph.rellu %0\n  return %0 : tensor<4xf32>\n")
    text = _analysed(broken)
    returned = text.token_at(broken.index("%0 : tensor<4xf32>"))
    assert returned is not None
    assert text.definition_of(returned) == broken.index("%0 =")


def test_symbols_of_several_modules_may_have_one_name() -> None:
    text = _analysed("""\
module @a {
  func.func @f(%x: f32) -> f32 {
    return %x : f32
  }
  func.func @g(%x: f32) -> f32 {
    %0 = func.call @f(%x) : (f32) -> f32
    return %0 : f32
  }
}
module @b {
  func.func @f() {
    "test.use"() {other = @a::@f, mine = @f, none = @b::@g} : () -> ()
    return
  }
}
func.func @f() {
  return
}
func.func @f() {
  return
}
""")
    entries = [(entry.name, [inner.name for inner in entry.inside]) for entry in outline(text)]
    assert entries == [("@a", ["@f", "@g"]), ("@b", ["@f"]), ("@f", []), ("@f", [])]
    assert [error.message for error in text.errors] == ["symbol '@f' is defined twice"]
    defined: dict[int, list[int]] = {}
    for name in (token for token in text.tokens if token.text == "@f"):
        found = text.definition_of(name)
        assert found is not None
        assert name.start in text.places_of(name)
        defined.setdefault(text.source.locate(found).line, []).append(text.source.locate(name.start).line)
    assert defined == {2: [2, 6, 12], 11: [11, 12], 16: [16], 19: [19]}
    token = text.token_at(text.text.rindex("@g"))
    assert token is not None
    assert text.definition_of(token) == text.text.index("@g")


def test_uses_before_definitions_belong_to_them() -> None:
    forward = """\
func.func @f(%c: i1) {
  cf.br ^b
^a:
  "test.use"(%v, %v) : (i32, i32) -> ()
  return
^b:
  %v = "test.make"() : () -> i32
  cf.br ^a
}
"""
    text = _analysed(forward)
    token = text.token_at(forward.index("%v, %v"))
    assert token is not None
    assert text.definition_of(token) == forward.index("%v =")
    assert len(text.places_of(token)) == 3


def test_values_are_visible_in_their_regions() -> None:
    text = _analysed()
    inside = text.visible(TEXT.index("loop.store"), "%")
    assert {thing.name for thing in inside} == {"%x", "%i", "%v"}
    at_return = text.visible(TEXT.rindex("return"), "%")
    assert {thing.name for thing in at_return} == {"%x"}
    labels = text.visible(TEXT.index("cond_br"), "^")
    assert {thing.name for thing in labels} == {"^a", "^b"}


@pytest.mark.parametrize(
    ("place", "said"),
    [
        ("graph.re", "NaN stays NaN"),
        ('test.two"(%', "The result of `graph.relu`, line 5; 2 uses."),
        ("loop.load %x[%", "%i : index"),
        ("func.func @", "func.func @f(tensor<4xf32>, i1) -> (tensor<4xf32>)"),
        ("#ma", "#map = affine_map<(d0) -> (d0)>"),
        ("--fu", "Group ops that are computed together"),
        ("cond_br %c, ^", "A block; 1 branch to it."),
    ],
)
def test_hover(place: str, said: str) -> None:
    found = hover(_analysed(), _after(TEXT, place))
    assert found is not None
    assert said in found[0]


def test_hover_says_what_an_op_may_be_given() -> None:
    """Constraints of declarations, and those that its verifier checks."""
    text = "func.func @f() {\n  graph.matmul\n  graph.layer_norm\n  return\n}\n"
    said = hover(_analysed(text), text.index("matmul"))
    assert said is not None
    assert "\n- operand `lhs`, `rhs`: tensor of (float or integer)\n" in said[0]
    assert "\n- refused, `matmul_c1`: rank below 2\n" in said[0]
    said = hover(_analysed(text), text.index("layer_norm"))
    assert said is not None
    assert "\n- operand `input`, `scale`, `bias`: tensor of float\n" in said[0]


def test_each_op_has_words() -> None:
    """Also one of xDSL, whose constraints are of other kinds."""
    ctx = new_context()
    ops = [op for name in ctx.registered_dialect_names for op in ctx.get_dialect(name).operations]
    assert len(ops) > 300
    assert all(of_op(op).startswith(f"**`{op.name}`**") for op in ops)


def test_hover_on_a_name_without_its_prefix() -> None:
    text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"
    found = hover(_analysed(text), text.index("return") + 1)
    assert found is not None
    assert found[0].startswith("**`func.return`**") and text[found[1] : found[2]] == "return"


def test_hover_on_a_word_that_is_not_an_op() -> None:
    text = 'func.func @f() {\n  "a.b"() {call = 1 : i64} : () -> ()\n  return\n}\n'
    assert hover(_analysed(text), text.index("call") + 1) is None


def test_hover_knows_nothing_of_spaces() -> None:
    assert hover(_analysed(), TEXT.index("\n\nmodule") + 1) is None


@pytest.mark.parametrize(
    ("line", "offered", "not_offered"),
    [
        ("  %2 = graph.ab", ["graph.abs"], ["graph.add"]),
        ("  gra", ["graph."], ["loop."]),
        ("  ret", ["return"], ["func.return"]),
        ("  %2 = ca", ["call"], []),
        ("  %2 = graph.compare ", ["eq", "lt"], []),
        ("  %2 = graph.concat %0, %x ax", ["axis"], []),
        ("  %2 = graph.relu %", ["%0", "%1", "%x"], ["%i", "%v"]),
        ("  func.call @", ["@f", "@g", "@inner"], []),
        ("  // RUN: mlc-opt --lower-to-", ["lower-to-llvm", "lower-to-loops"], ["fuse"]),
        ("  attributes = #loop.schedule<vec", ["vectorize("], ["tile("]),
    ],
)
def test_completion(line: str, offered: list[str], not_offered: list[str]) -> None:
    written = TEXT.replace("  cf.cond_br", f"{line}\n  cf.cond_br")
    found = [each.text for each in candidates(_analysed(written), _after(written, line))]
    assert set(offered) <= set(found)
    assert not set(not_offered) & set(found)


def test_a_large_text_is_analysed_in_time() -> None:
    """3,000 lines; the limit is a tenth of a second on a quiet machine, and ten times that here."""
    body = "".join(
        f"  %{i + 1} = graph.add %{i}, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n" for i in range(3000)
    )
    text = f"func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  %0 = graph.relu %x : tensor<4xf32>\n{body}"
    text += "  return %3000 : tensor<4xf32>\n}\n"
    _analysed(TEXT)
    start = time.process_time()
    assert _analysed(text).errors == []
    assert time.process_time() - start < 1.5


# -- as an editor asks


def test_an_editor_is_answered(tmp_path: Path) -> None:
    path = tmp_path / "über.mlir"
    path.write_text(TEXT, encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        document = lsp.TextDocumentIdentifier(uri)
        first = await asyncio.wait_for(client.told.get(), 30)
        assert (first.uri, list(first.diagnostics)) == (uri, [])

        def at(line: int, character: int) -> dict[str, Any]:
            return {"text_document": document, "position": lsp.Position(line, character)}

        said = await client.text_document_hover_async(lsp.HoverParams(**at(4, 10)))
        assert "NaN stays NaN" in said.contents.value
        place = await client.text_document_definition_async(lsp.DefinitionParams(**at(11, 9)))
        assert (place.range.start.line, place.range.start.character) == (4, 2)
        uses = await client.text_document_references_async(
            lsp.ReferenceParams(context=lsp.ReferenceContext(include_declaration=False), **at(4, 2))
        )
        assert [each.range.start.line for each in uses] == [5, 11]
        edit = await client.text_document_rename_async(lsp.RenameParams(new_name="%pair", **at(8, 26)))
        edits = edit.changes[uri]
        assert [(e.range.start.line, e.range.start.character, e.range.end.character, e.new_text) for e in edits] == [
            (5, 3, 4, "pair"),
            (8, 26, 27, "pair"),
            (9, 10, 11, "pair"),
        ]
        symbols = await client.text_document_document_symbol_async(lsp.DocumentSymbolParams(document))
        assert [(each.name, [inner.name for inner in each.children]) for each in symbols] == [
            ("@f", []),
            ("@inner", ["@g"]),
        ]
        folds = await client.text_document_folding_range_async(lsp.FoldingRangeParams(document))
        assert (15, 16) in [(each.start_line, each.end_line) for each in folds]  # the comment
        assert (3, 11) in [(each.start_line, each.end_line) for each in folds]
        colours = await client.text_document_semantic_tokens_full_async(lsp.SemanticTokensParams(document))
        assert len(colours.data) % 5 == 0
        whole = lsp.Range(lsp.Position(0, 0), lsp.Position(30, 0))
        hints = await client.text_document_inlay_hint_async(lsp.InlayHintParams(document, whole))
        assert ": f32" in [each.label for each in hints]  # of %v, whose line says memref<16xf32>
        listed = await client.text_document_completion_async(lsp.CompletionParams(**at(4, 14)))
        assert "graph.relu" in [each.label for each in listed.items]

    session(use, path)


def test_an_editor_hears_of_errors_as_they_come_and_go(tmp_path: Path) -> None:
    path = tmp_path / "text.mlir"
    path.write_text(TEXT, encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        await asyncio.wait_for(client.told.get(), 30)

        async def change(version: int, text: str) -> list[Any]:
            client.text_document_did_change(
                lsp.DidChangeTextDocumentParams(
                    lsp.VersionedTextDocumentIdentifier(version, uri),
                    [lsp.TextDocumentContentChangeWholeDocument(text)],
                )
            )
            while (told := await asyncio.wait_for(client.told.get(), 30)).version != version:
                pass
            return list(told.diagnostics)

        (unknown,) = await change(2, TEXT.replace("graph.relu", "graph.rellu"))
        assert unknown.message == "unknown operation 'graph.rellu', did you mean 'graph.relu'?"
        assert (unknown.range.start.line, unknown.range.start.character) == (4, 7)
        twice = await change(3, TEXT.replace("%l =", "%0 ="))
        assert twice[0].message == "value '%0' is defined twice"
        assert twice[0].related_information[0].location.range.start.line == 4
        wrong = await change(4, TEXT.replace("relu %x : tensor<4xf32>", "relu %x : tensor<5xf32>"))
        assert wrong
        assert await change(5, TEXT) == []
        # What a verifier says is told once all of the text was read.
        assert await change(6, TEXT.replace("    return\n", "")) == []
        (ends,) = (await asyncio.wait_for(client.told.get(), 30)).diagnostics
        assert "needs a terminator" in ends.message
        assert ends.range.start.line == 18

    session(use, path)


def test_of_many_values_the_nearest_are_offered(tmp_path: Path) -> None:
    """As many as an editor shows; more letters lead to the others."""
    lsp = pytest.importorskip("lsprotocol.types", reason="needs pygls (pip install 'mlc[lsp]')")
    lines = "".join(f"  %v{n} = graph.relu %x : tensor<4xf32>\n" for n in range(600))
    (path := tmp_path / "long.mlir").write_text(
        f"func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{\n{lines}  return %v599 : tensor<4xf32>\n}}\n"
    )

    async def use(client: Any, uri: str) -> None:
        async def offered(column: int) -> Any:
            at = lsp.CompletionParams(lsp.TextDocumentIdentifier(uri), lsp.Position(601, column))
            return await client.text_document_completion_async(at)

        many, few = await offered(10), await offered(12)
        assert (many.is_incomplete, len(many.items), many.items[0].label) == (True, 500, "%v599")
        assert not few.is_incomplete and {"%v50", "%v599"} <= {each.label for each in few.items}

    session(use, path)
