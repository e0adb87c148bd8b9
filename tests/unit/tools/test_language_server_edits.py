"""What the language server knows after an edit, against what it knows once all of the text was read."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from mlc.support.errors import Replacement
from mlc.syntax.names import NamedThing
from mlc.tools.language_server.analysis import AnalysedText, Edit
from mlc.tools.language_server.colours import coloured_lines
from mlc.tools.language_server.documents import Documents
from mlc.tools.language_server.edited import after_edit, changed_part
from mlc.tools.language_server.outline import inferred_types
from tests.unit.tools.language_client import session

_LIT = Path(__file__).parents[2] / "lit" / "passes"
_INSERTED = '%x0 \n{}<>(),:=@^#!"/'


def _read(text: str) -> AnalysedText:
    found = AnalysedText(text, "text.mlir", Path())
    found.read_all()
    return found


def _corpus() -> list[str]:
    files = sorted(_LIT.rglob("*.mlir"))[::25]
    chunks = [f"{chunk.strip()}\n" for file in files for chunk in file.read_text("utf-8").split("// -----")]
    return [chunk for chunk in chunks if "expected-error" not in chunk and len(chunk) < 6_000]


def _edited(text: str, rng: random.Random) -> str:
    """The text with a character less or more, or with a line less, more, or longer."""
    at = rng.randrange(len(text))
    lines = text.split("\n")
    n = rng.randrange(len(lines))
    before, line, after = lines[:n], lines[n], lines[n + 1 :]
    match rng.randrange(6):
        case 0:
            return text[:at] + text[at + 1 :]
        case 1:
            return text[:at] + rng.choice(_INSERTED) + text[at:]
        case 2:
            return "\n".join([*before, *after])
        case 3:
            return "\n".join([*before, line, line, *after])
        case 4:
            return "\n".join([*before, '  %new = "test.new"() : () -> i32', line, *after])
        case _:
            return "\n".join([*before, f"{line} // comment", *after])


def _names(text: AnalysedText) -> list[tuple[str, list[int], str]]:
    def defined(thing: NamedThing) -> str:
        return f"{thing.definition} {' '.join(str(value.type) for value in thing.values)}"

    return sorted((each.name, each.places, defined(each)) for each in text.names.things if each.places)


def _symbols(text: AnalysedText) -> dict[str, list[int]]:
    return {name: [at for _, at in found] for name, found in text.symbols.items()}


def _errors(text: AnalysedText) -> list[tuple[str, str]]:
    return [(str(error.location), error.message) for error in text.errors]


def _hints(text: AnalysedText, rng: random.Random) -> list[tuple[int, str]]:
    """Those of all parts of a text; where the parts end does not matter."""
    ends = sorted({0, len(text.text), *(rng.randrange(len(text.text)) for _ in range(3))})
    return [hint for start, end in pairwise(ends) for hint in inferred_types(text, start, end)]


def _visible(text: AnalysedText, position: int) -> Iterator[tuple[str, int | None]]:
    for sigil in "%^":
        yield from ((thing.name, thing.definition) for thing in text.visible(position, sigil))


@pytest.mark.parametrize("seed", range(4))
def test_what_is_known_after_an_edit_is_what_a_whole_reading_finds(seed: int) -> None:
    """Where the whole text has no errors of syntax, all names are where they are; where it has some, there is one."""
    rng = random.Random(seed)
    corpus = _corpus()
    kinds = Counter[str]()
    for _ in range(90):
        before = _read(rng.choice(corpus))
        text = _edited(before.text, rng)
        after, whole = after_edit(before, text), AnalysedText(text, "text.mlir", Path())
        assert after.braces == whole.braces
        if after.part is None:
            kinds["moved"] += 1
        elif not whole.reading.errors:
            kinds["right"] += 1
            assert _names(after) == _names(whole)
            assert [*map(list, coloured_lines(after))] == [*map(list, coloured_lines(whole))]
            assert {*_errors(after)} <= {*_errors(before), *_errors(whole)}
            assert _symbols(after) == _symbols(whole)
            assert _hints(after, rng) == _hints(whole, rng)
            at = rng.randrange(len(text))
            assert [*_visible(after, at)] == [*_visible(whole, at)]
        elif after.errors:
            kinds["wrong"] += 1
    assert kinds["right"] >= 20
    assert kinds["wrong"] >= 4


_FUNCTION = """\
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.add %0, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.sgn %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def test_an_edit_leaves_the_errors_of_other_lines_where_they_are() -> None:
    before = _read(_FUNCTION)
    unknown = ("text.mlir:7:8", "unknown operation 'graph.sgn', did you mean 'graph.sign'?")
    assert _errors(before) == [unknown]
    after = after_edit(before, _FUNCTION.replace("  %1 =", "\n  %1 ="))
    assert _errors(after) == [("text.mlir:8:8", unknown[1])]
    assert after.errors[0].replacement == Replacement("graph.sgn", "graph.sign")
    both = after_edit(before, _FUNCTION.replace("graph.relu %x", "graph.relu %y"))
    assert _errors(both) == [unknown, ("text.mlir:2:19", "value '%y' is not defined")]
    assert _errors(after_edit(before, _FUNCTION.replace("sgn", "sign"))) == []


def test_names_without_prefix_are_those_of_the_innermost_op() -> None:
    text = """\
func.func @f(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %r = scf.for %i = %n to %n step %n iter_args(%c = %x) -> (tensor<4xf32>) {
    %0 = tensor.map %c[n] over (n: 4) : tensor<4xf32> -> tensor<4xf32> {
    ^bb0(%v: f32):
      %s = arith.addf %v, %v : f32
      yield %s : f32
    }
    scf.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
"""
    before = _read(text)
    assert before.errors == []
    after = after_edit(before, text.replace("addf", "mulf"))
    assert {op.name for op in after.new_ops} == {"arith.mulf", "tensor.yield"}
    assert after.errors == []


def test_values_outside_of_an_isolated_op_are_not_visible_in_it() -> None:
    text = '%a = "test.op"() : () -> i32\nfunc.func @f(%b: i32) {\n  "test.use"(%b) : (i32) -> ()\n  return\n}\n'
    before = _read(text)
    assert before.errors == []
    after = after_edit(before, text.replace("(%b) :", "(%a) :"))
    assert [message for _, message in _errors(after)] == ["value '%a' is not defined"]


def test_what_is_said_of_names_outside_is_what_a_whole_reading_says() -> None:
    nested = _FUNCTION.replace("sgn", "sign").replace(
        "  return %1", '  func.func @g(%b: i32) {\n    "test.use"(%b) : (i32) -> ()\n    return\n  }\n  return %1'
    )
    before = _read(nested)
    for old, new in (
        ('@g(%b: i32) {\n    "test.use"(%b)', '@h(%b: i32) {\n    "test.use"(%0)'),
        ("%0, %x :", "%00, %x :"),
        ("%1 = graph.add", "%0 = graph.add"),
        ("%0, %x : tensor<4xf32>,", "%0, %x : tensor<5xf32>,"),
    ):
        text = nested.replace(old, new, 1)
        expected = [(str(e.location), e.message, e.notes) for e in AnalysedText(text, "text.mlir", Path()).errors]
        found = [(str(e.location), e.message, e.notes) for e in after_edit(before, text).errors]
        assert found[0] == expected[0]


def test_values_that_are_defined_further_on_are_found_where_they_are_now() -> None:
    text = """\
func.func @f() {
  cf.br ^b
^a:
  "test.use"(%v) : (i32) -> ()
  return
^b:
  %v = "test.make"() : () -> i32
  cf.br ^a
}
"""
    changed = text.replace("(i32) -> ()", f"(i32) -> ()  // {'longer ' * 10}")
    after = after_edit(_read(text), changed)
    assert after.part is not None
    assert _names(after) == _names(AnalysedText(changed, "text.mlir", Path()))


def test_lines_that_become_one_are_read_together() -> None:
    text = 'func.func @f() {\n"test.op"() : () -> i32\nreturn\n}\n'
    before = _read(text.replace("i32\n", "()\n"))
    joined = after_edit(before, text.replace("i32\n", "i32"))
    assert joined.errors


def test_values_keep_their_uses_when_the_op_that_defines_them_is_edited() -> None:
    before = _read(_FUNCTION)
    text = _FUNCTION.replace("%0 = graph.relu %x", "%0 = graph.abs %x ")
    after = after_edit(before, text)
    token = after.token_at(text.index("%0, %x"))
    assert token is not None
    assert after.definition_of(token) == text.index("%0 =")
    assert len(after.places_of(token)) == 2
    owner = after.things[token.start].values[0].owner
    assert getattr(owner, "name", "") == "graph.abs"


def test_an_edit_that_cannot_be_read_by_itself_leaves_the_rest_as_it_is() -> None:
    right = _FUNCTION.replace("sgn", "sign")
    before = _read(right)
    text = right.replace("%1 = graph.add", "%1 = { graph.add")
    after = after_edit(before, text)
    assert after.part is None
    token = after.token_at(text.index("%0 : tensor<4xf32>\n}"))
    assert token is not None
    assert after.definition_of(token) == text.index("%0 = graph.sign")
    assert {*after.symbols} == {"@f", "@g"}


@pytest.mark.parametrize(
    ("old", "new", "edit"),
    [
        ("abc", "abc", Edit(3, 3, 3)),
        ("abc", "abxc", Edit(2, 2, 3)),
        ("aaa", "aa", Edit(2, 3, 2)),
        ("", "ab", Edit(0, 0, 2)),
        ("xyz", "", Edit(0, 3, 0)),
        ("one two", "one six two", Edit(4, 4, 8)),
    ],
)
def test_the_smallest_change(old: str, new: str, edit: Edit) -> None:
    assert changed_part(old, new) == edit
    assert old[: edit.start] + new[edit.start : edit.new_end] + old[edit.old_end :] == new


def test_a_keystroke_in_a_large_text_takes_little_time() -> None:
    """3,000 lines of one function; the limit is a tenth of a second of a quiet machine, and three times that here."""
    lines = "".join(
        f"  %{i + 1} = graph.add %{i}, %x : tensor<4xf32>, tensor<4xf32> -> tensor<4xf32>\n" for i in range(3000)
    )
    text = f"func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{\n  %0 = graph.relu %x : tensor<4xf32>\n{lines}"
    before = _read(f"{text}  return %3000 : tensor<4xf32>\n}}\n")
    coloured_lines(before)
    at = before.text.index("  %1500 = ")
    written = "  %z = graph.relu %x : tensor<4xf32>\n"
    times: list[float] = []
    for length in range(1, len(written) + 1, 5):
        start = time.process_time()
        after = after_edit(before, f"{before.text[:at]}{written[:length]}\n{before.text[at:]}")
        _ = coloured_lines(after), after.things, after.errors
        times.append(time.process_time() - start)
    assert sorted(times)[len(times) // 2] < 0.3


def test_reading_stops_when_the_text_has_changed() -> None:
    """What is known of the former text stays; a text that takes long to read is read to its end."""

    async def use() -> None:
        documents, file = Documents(), Path("text.mlir")

        async def read(text: str) -> str:
            return (await documents.whole("u", text, file)).text

        text = "func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = graph.relu %x : tensor<4xf32>\n"
        text += "  return %0 : tensor<4xf32>\n}\n"
        first, second, third = (text.replace("relu", name) for name in ("relu", "tanh", "sin"))
        documents.now("u", second)
        assert await read(first) == first, "nothing was known before"
        documents.now("u", third)
        assert await read(second) == first
        documents.seconds["u"] = 60
        assert await read(second) == second
        documents.now("u", second)
        documents.seconds["u"] = 0
        assert await read(third) == second
        documents.now("u", third)
        assert await read(third) == third
        documents.now("u", text + "}\n")
        assert await read(second) == second, "what is known of the third does not help with the last"

    asyncio.run(use())


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_an_editor_is_told_in_the_end_what_a_whole_reading_finds(tmp_path: Path, seed: int) -> None:
    """After several edits, of which some follow each other at once, as a person types."""
    lsp = pytest.importorskip("lsprotocol.types", reason="needs pygls (pip install 'mlc[lsp]')")
    rng = random.Random(seed)
    texts = [_FUNCTION]
    for _ in range(16):
        texts.append(_edited(texts[-1] if rng.random() < 0.7 else _FUNCTION, rng))
    path = tmp_path / "text.mlir"
    path.write_text(_FUNCTION, encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        await client.next_told()
        for version, (old, new) in enumerate(pairwise(texts), 2):
            edit = changed_part(old, new)
            start, end = (_position(lsp, old, at) for at in (edit.start, edit.old_end))
            part = lsp.TextDocumentContentChangePartial(lsp.Range(start, end), new[edit.start : edit.new_end])
            document = lsp.VersionedTextDocumentIdentifier(version, uri)
            client.text_document_did_change(lsp.DidChangeTextDocumentParams(document, [part]))
            if rng.random() < 0.3:
                await _expect(client, version, AnalysedText(new, str(path), tmp_path))
        await _expect(client, len(texts), AnalysedText(texts[-1], str(path), tmp_path))

    session(use, path)


async def _expect(client: Any, version: int, whole: AnalysedText) -> None:
    """Wait until the client was told, of this version of a text, what is wrong with it."""
    expected = sorted((error.location.line, error.message) for error in whole.errors if error.location is not None)
    found = None
    while found != expected:
        told = await client.next_told()
        if told.version == version:
            found = sorted((each.range.start.line + 1, each.message) for each in told.diagnostics)


def _position(lsp: Any, text: str, at: int) -> Any:
    before = text[:at]
    return lsp.Position(before.count("\n"), at - before.rfind("\n") - 1)
