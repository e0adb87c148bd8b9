"""What editors may do with a text by the language server: corrections, commands, formatting."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlparse

import pytest

from mlc.compiler.compilation import new_context
from mlc.syntax import parse_module
from mlc.tools.language_server.actions import OfferedCommand, corrections, offers
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.check_lines import updated_checks
from mlc.tools.language_server.formatting import formatted
from mlc.tools.language_server.run_lines import run_lines
from tests.unit.tools.language_client import session

_LIT = Path(__file__).parents[2] / "lit"

_TEST = """\
// RUN: mlc-opt %s --canonicalize --fuse | filecheck %s --check-prefix=FUSED
// FUSED-LABEL: @f
// FUSED-NEXT: graph.fusion "wrong"
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def _analysed(text: str) -> AnalysedText:
    return AnalysedText(text, "text.mlir", Path())


# -- corrections


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("graph.relu", "graph.rellu"),
        ("tensor<4xf32> {", "tensor<4xf23> {"),
        ("%x :", "%xx :"),
        ("return %0", "func.retrun %0"),
    ],
)
def test_a_misspelled_name_is_corrected(old: str, new: str) -> None:
    right = _TEST.replace("return %0", "func.return %0")
    text = _analysed(right.replace(old.replace("return", "func.return"), new))
    (found,) = corrections(text, 0, len(text.text))
    assert text.text[: found.start] + found.new + text.text[found.end :] == right
    assert not [*corrections(text, 0, found.start - 1)]


def test_other_errors_have_no_correction() -> None:
    assert not [*corrections(_analysed(_TEST.replace("relu %x :", "relu :")), 0, len(_TEST))]


# -- what is offered


def _titles(place: str, text: str = _TEST) -> list[str]:
    return [each.title for each in offers(_analysed(text), text.index(place) + 1)]


def test_functions_and_run_lines_have_commands() -> None:
    assert _titles("graph.relu")[:3] == [
        "Run the reference on @f",
        "Explain the kernels",
        "Show the text after --lower-to-graph",
    ]
    assert "Explain the kernel @f" in _titles("graph.relu", _TEST.replace("func.func", "func.func private"))
    assert _titles("canonicalize") == [
        "Show the text after --canonicalize",
        "Show what this line prints",
        "Update the CHECK lines of this test",
        "Reduce the text to what makes this line fail",
    ]
    assert _titles("--fuse")[0] == "Show what this line prints"
    assert _titles("FUSED-LABEL") == []


def test_a_run_line_is_run_up_to_a_pass() -> None:
    text = '// RUN: not mlc-opt %s\n// RUN: mlc-opt --tile="sizes=8, 4" --fuse %s 2>&1 | filecheck %s\n'
    (line,) = run_lines(text)
    assert line.arguments == ["--tile=sizes=8, 4", "--fuse", "%s"]
    assert line.merged
    assert line.prefixes == ["CHECK"]
    assert line.until(text.index("tile")) == ["--tile=sizes=8, 4"]
    assert OfferedCommand("Show the text after --tile", "mlc.show", [["--tile=sizes=8, 4"]]) in [
        *offers(_analysed(text), text.index("tile"))
    ]


# -- CHECK lines


def test_check_lines_that_match_stay() -> None:
    text = "// CHECK-LABEL: @f\n// CHECK: %[[A:.*]] = a.b\n// CHECK-NOT: x\n// CHECK-NEXT: c.d %[[A]]\n// OTHER: z\n"
    assert updated_checks(text, "CHECK", "func @f\n %1 = a.b : i32\n c.d %1\n") == text


def test_check_lines_are_updated() -> None:
    text = """\
// CHECK-LABEL: @f
// CHECK-NEXT: %[[A:.*]] = a.old %x {n = 1} : i32
// CHECK-NEXT: c.d %[[A]]
// CHECK-NEXT: gone.op %[[A]], %[[A]], %[[A]]
// CHECK-LABEL: @g
// CHECK: same
"""
    printed = "func @f {\n%1 = a.new %x {n = 1} : i32\n%2 = e.f %1 : i32\nc.d %1\n}\nfunc @g {\n  same\n}\n"
    assert updated_checks(text, "CHECK", printed).splitlines() == [
        "// CHECK-LABEL: @f",
        "// CHECK-NEXT: %[[A:.*]] = a.new %x {n = 1} : i32",
        "// CHECK-NEXT: %{{.*}} = e.f %[[A]] : i32",
        "// CHECK-NEXT: c.d %[[A]]",
        "// CHECK-NEXT: }",
        "// CHECK-LABEL: @g",
        "// CHECK: same",
    ]


def test_a_variable_that_nothing_defines_any_more_is_written_anew() -> None:
    text = "// CHECK-LABEL: @f\n// CHECK-NEXT: c.d %[[A]], 1\n"
    assert updated_checks(text, "CHECK", "@f\nc.d %1, 1\n") == text.replace("%[[A]]", "%{{.*}}")


def test_doubled_brackets_are_written_as_patterns() -> None:
    assert "{{[[][[]}}0, 1]]" in updated_checks("// CHECK: a.b [2]", "CHECK", "a.b [[0, 1]]\n")


# -- formatting


def test_a_text_is_indented_and_keeps_its_comments() -> None:
    text = """\
module {   // of all
      func.func @f(%x: i32,
                   %y: i32) {
  // A comment {
    cf.br ^a


  ^a:
  "test.op"() ({
  "test.{"() : () -> ()
  }, {
  }) : () -> ()
      return
    }
}
"""
    expected = """\
module {   // of all
  func.func @f(%x: i32,
               %y: i32) {
    // A comment {
    cf.br ^a

  ^a:
    "test.op"() ({
      "test.{"() : () -> ()
    }, {
    }) : () -> ()
    return
  }
}
"""
    assert formatted(text) == expected
    assert formatted(expected) == expected
    assert formatted("\n\n") == ""


def test_formatting_changes_nothing_but_spaces_between_lines() -> None:
    for file in sorted(_LIT.rglob("*.mlir"))[::20]:
        text = file.read_text(encoding="utf-8")
        new = formatted(text)
        assert [line.strip() for line in new.split("\n") if line.strip()] == [
            line.strip() for line in text.split("\n") if line.strip()
        ]
        assert formatted(new) == new


def test_a_formatted_text_means_the_same() -> None:
    text = "func.func @f() {\n%0 = arith.constant 1 : i32\n   return\n}\n"
    before, after = (str(parse_module(each, "f.mlir", new_context())) for each in (text, formatted(text)))
    assert before == after


# -- as an editor asks


@pytest.mark.slow
def test_an_editor_runs_commands(tmp_path: Path) -> None:
    lsp = pytest.importorskip("lsprotocol.types")
    path = tmp_path / "a test.mlir"
    path.write_text(_TEST, encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        async def ask(command: str, *arguments: Any) -> Any:
            return await client.workspace_execute_command_async(lsp.ExecuteCommandParams(command, [uri, *arguments]))

        shown = await ask("mlc.show", ["%s", "--canonicalize"])
        assert "graph.relu %x : tensor<4xf32>" in shown
        (document,) = client.shown_documents
        assert document.uri.endswith("a%20test.mlir")
        ran = await ask("mlc.runReference", "f")
        assert ran.count("4xfloat32") == 2
        uri_shown: str = client.shown_documents[-1].uri
        assert Path(unquote(urlparse(uri_shown).path)).read_text(encoding="utf-8") == ran
        wrong = await ask("mlc.show", ["%s", "--no-such-pass"])
        assert "--no-such-pass" in wrong and client.messages[-1].message == wrong
        nothing = await ask("mlc.show", ["%s", "--canonicalize", "--reduce"])
        assert nothing == "mlc-opt: error: --reduce keeps an error, and the passes end without one"
        place = lsp.Range(lsp.Position(0, 30), lsp.Position(0, 30))
        document = lsp.TextDocumentIdentifier(uri)
        found = await client.text_document_code_action_async(
            lsp.CodeActionParams(document, place, lsp.CodeActionContext([]))
        )
        assert "Update the CHECK lines of this test" in [each.title for each in found]
        options = lsp.FormattingOptions(2, True)
        assert not await client.text_document_formatting_async(lsp.DocumentFormattingParams(document, options))

    session(use, path)


def test_an_editor_updates_the_check_lines_of_a_test(tmp_path: Path) -> None:
    pytest.importorskip("filecheck")
    lsp = pytest.importorskip("lsprotocol.types")
    path = tmp_path / "test.mlir"
    path.write_text(_TEST, encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        await client.workspace_execute_command_async(lsp.ExecuteCommandParams("mlc.updateChecks", [uri]))
        (edit,) = client.edits
        (change,) = edit.edit.changes[uri]
        assert change.new_text == _TEST.replace(
            'FUSED-NEXT: graph.fusion "wrong"', "FUSED-NEXT: %{{.*}} = graph.relu %{{.*}}"
        )

    session(use, path)


@pytest.mark.slow
def test_neovim_works_with_the_language_server(tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="needs pygls (pip install 'mlc[lsp]')")
    editor = shutil.which("nvim")
    if editor is None:
        pytest.skip("needs nvim")
    text = _TEST[_TEST.index("func.func") :]
    path, out = tmp_path / "a test.mlir", tmp_path / "said.json"
    path.write_text(text.replace("  return %0", "%1 = graph.rellu %x : tensor<4xf32>\n  return %0"), encoding="utf-8")
    command = json.dumps([sys.executable, "-m", "mlc", "lsp"])
    told = {"MLC_FILE": str(path), "MLC_OUT": str(out), "MLC_COMMAND": command, "XDG_STATE_HOME": str(tmp_path)}
    script = shutil.copy(Path(__file__).with_name("neovim_session.lua"), tmp_path / "session.lua")
    subprocess.run(
        [editor, "--headless", "-u", "NONE", "-n", "-S", Path(script).name],
        env={**os.environ, **told},
        cwd=tmp_path,
        check=True,
        timeout=200,
        stdin=subprocess.DEVNULL,
        capture_output=True,
    )
    said = json.loads(out.read_text(encoding="utf-8"))
    assert "problem" not in said
    assert said["diagnostics"] == [[2, "unknown operation 'graph.rellu', did you mean 'graph.relu'?"]]
    assert "NaN stays NaN" in said["hover"]
    assert said["offered"][0] == "Change to 'graph.relu'"
    assert said["left"] == 0
    assert said["text"][2] == "  %1 = graph.relu %x : tensor<4xf32>"
