"""Colours of IR outside of mlc, and the extension of VS Code."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import tomllib
import xml.etree.ElementTree as ET
from importlib import import_module
from pathlib import Path
from typing import Any, cast
from zipfile import ZipFile

import pytest
from xdsl.parser import AttrParser

from mlc.syntax.lexer import LIKE_TYPE
from mlc.tools.editors.spelled_tokens import spelled_tokens
from mlc.tools.editors.textmate import textmate_grammar
from mlc.tools.editors.vsix import extension_files, write_extension
from mlc.tools.language_server.tokens import tokens_of_line

_ROOT = Path(__file__).parents[3]
_HOST = Path(__file__).with_name("vscode_host.js")
_CORPUS = sorted((_ROOT / "tests" / "lit").rglob("*.mlir"))[::20]
_SAME = {"comment", "string", "value", "block", "symbol"}
"""The kinds of tokens that the language server has, too."""


def _as_editors_do(line: str) -> list[tuple[str, str]]:
    """The scopes and the texts of a line: of the matches that start first, the one of the first pattern."""
    patterns = [
        (each.get("name", ""), re.compile(each["match"])) for each in json.loads(textmate_grammar())["patterns"]
    ]
    found: list[tuple[str, str]] = []
    at = 0
    while at < len(line):
        matches = [(m.start(), i, m) for i, (_, p) in enumerate(patterns) if (m := p.search(line, at)) and m[0]]
        if not matches:
            break
        _, number, match = min(matches, key=lambda each: each[:2])
        found.append((patterns[number][0], match[0]))
        at = match.end()
    return found


def _scopes(line: str) -> list[tuple[str, str]]:
    return [(scope, text) for scope, text in _as_editors_do(line) if scope]


def test_the_grammar_colours_a_line() -> None:
    line = (
        '  %0:2 = loop.for %i#1 in 0x1F, ^bb1, @f, #map, !t.u : tensor<4x?x8xf32> {axis = true, "a"} loc(unknown) // x'
    )
    assert [(scope.removesuffix(".mlir"), text) for scope, text in _scopes(line)] == [
        ("variable.other", "%0"),
        ("constant.numeric", "2"),
        ("support.function", "loop.for"),
        ("variable.other", "%i#1"),
        ("constant.numeric", "0x1F"),
        ("entity.name.label", "^bb1"),
        ("entity.name.function", "@f"),
        ("entity.other.attribute-name", "#map"),
        ("entity.name.type", "!t.u"),
        ("storage.type", "tensor"),
        ("constant.numeric", "4x?x8x"),
        ("storage.type", "f32"),
        ("constant.language", "true"),
        ("string.quoted.double", '"a"'),
        ("keyword.other", "loc"),
        ("constant.language", "unknown"),
        ("comment.line.double-slash", "// x"),
    ]


def test_the_grammar_finds_the_names_that_the_language_server_finds() -> None:
    kinds = {f"{each.scope}.mlir": each.kind for each in spelled_tokens()}
    for file in _CORPUS[::8]:
        for line in file.read_text(encoding="utf-8").splitlines():
            known = [(each.kind, each.text) for each in tokens_of_line(line) if each.kind in _SAME]
            assert [(kinds[s], t) for s, t in _scopes(line) if kinds[s] in _SAME] == known, line


def test_builtin_types_and_keywords_have_colours() -> None:
    floats = cast("dict[str, Any]", AttrParser._builtin_float_types)  # pyright: ignore[reportPrivateUsage]
    for name in (*floats, "i1", "si8", "ui64", "index"):
        assert _scopes(name) == [("storage.type.mlir", name)]
        assert name in floats or LIKE_TYPE(name)
    for word in ("affine_map", "dense_resource", "attributes", "strided"):
        assert _scopes(word) == [("keyword.other.mlir", word)]
    assert _scopes("index_of") == _scopes("d0") == []


def test_pygments_colours_what_the_grammar_does() -> None:
    pytest.importorskip("pygments")
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["entry-points"]["pygments.lexers"]["mlir"].partition(":")
    lexer = getattr(import_module(module), name)(ensurenl=False, stripnl=False)
    colourless = {"Token.Text.Whitespace", "Token.Punctuation", "Token.Name"}
    for file in _CORPUS:
        text = file.read_text(encoding="utf-8")
        tokens = [(str(kind), part) for kind, part in lexer.get_tokens(text)]
        assert "".join(part for _, part in tokens) == text
        assert "Token.Error" not in {kind for kind, _ in tokens}
        expected = [part for line in text.splitlines() for _, part in _scopes(line)] if len(text) < 2_000 else None
        assert expected is None or [part for kind, part in tokens if kind not in colourless] == expected


def test_colours_need_no_compiler() -> None:
    code = "import sys, mlc.tools.editors.textmate, mlc.tools.editors.vsix; sys.exit('xdsl' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_extension_is_an_archive_that_vs_code_installs(tmp_path: Path) -> None:
    first, second = tmp_path / "first.vsix", tmp_path / "second.vsix"
    for path in (first, second):
        subprocess.run([sys.executable, "-m", "mlc.tools.editors.vsix", str(path)], check=True)
    assert first.read_bytes() == second.read_bytes()
    with ZipFile(first) as archive:
        names = set(archive.namelist())
        package = json.loads(archive.read("extension/package.json"))
        grammar = archive.read("extension/mlir.tmLanguage.json").decode()
        manifest = ET.fromstring(archive.read("extension.vsixmanifest"))
        types = ET.fromstring(archive.read("[Content_Types].xml"))
    assert grammar == textmate_grammar()
    contributes = package["contributes"]
    used = [package["main"], contributes["grammars"][0]["path"], contributes["languages"][0]["configuration"]]
    assert {f"extension/{path.removeprefix('./')}" for path in used} < names
    space = "{http://schemas.microsoft.com/developer/vsx-schema/2011}"
    identity = manifest.find(f"{space}Metadata/{space}Identity")
    assert identity is not None
    assert (identity.get("Id"), identity.get("Version")) == ("mlc", package["version"])
    assert all(asset.get("Path") in names for asset in manifest.iter(f"{space}Asset"))
    endings = {entry.get("Extension") for entry in types}
    assert {Path(name).suffix for name in names if not name.startswith("[")} <= endings
    assert set(extension_files()) == names


def test_an_extension_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "missing" / "mlc.vsix"
    run = subprocess.run([sys.executable, "-m", "mlc.tools.editors.vsix", str(path)], capture_output=True, text=True)
    assert run.returncode == 1
    assert run.stderr == f"error: cannot write '{path}': No such file or directory\n"


_TEXT = """\
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : tensor<4xf32>
  %1 = graph.rellu %0 : tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


_PLUGIN = """\
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition


@irdl_op_definition
class FirstOp(IRDLOperation):
    name = "mine.first"
    assembly_format = "attr-dict"


Mine = Dialect("mine", [FirstOp], [])
"""


def _run_extension(folder: Path, text: str, *command: str) -> dict[str, Any]:
    node = shutil.which("node")
    if node is None:
        pytest.skip("needs node")
    write_extension(folder / "mlc.vsix")
    with ZipFile(folder / "mlc.vsix") as archive:
        archive.extractall(folder)
    file = folder / "text.mlir"
    file.write_text(text, encoding="utf-8")
    arguments = [node, str(_HOST), str(folder / "extension" / "extension.js"), str(file), *command]
    return json.loads(subprocess.run(arguments, capture_output=True, text=True, check=True, timeout=120).stdout)


def test_the_extension_asks_the_language_server(tmp_path: Path) -> None:
    pytest.importorskip("pygls", reason="needs pygls (pip install 'mlc[lsp]')")
    said = _run_extension(tmp_path, _TEXT, sys.executable, "-m", "mlc", "lsp")
    assert said["messages"] == []
    assert said["diagnostics"] == [[2, "unknown operation 'graph.rellu', did you mean 'graph.relu'?"]]
    assert "NaN stays NaN" in said["hover"]
    assert said["definition"] == {"line": 1, "character": 2}
    assert said["rename"] == [[1, 3, "y"], [3, 10, "y"]]
    assert "graph.relu" in said["completion"] and said["isIncomplete"] is False
    assert said["outline"] == ["@f"]
    assert (said["colours"], said["changes"]) == (0, 0)
    assert said["actions"] == [["Change to 'graph.relu'", [[2, 7, "graph.relu"]]], *said["actions"][1:]]
    assert ["Run the reference on @f", "mlc.runReference"] in said["actions"]
    assert said["signature"] == ["graph.relu $input attr-dict : type($result)", 0]
    assert said["hints"] == []


@pytest.mark.parametrize("is_trusted", [True, False])
def test_the_extension_loads_plugins_of_a_folder_that_is_trusted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_trusted: bool
) -> None:
    pytest.importorskip("pygls", reason="needs pygls (pip install 'mlc[lsp]')")
    monkeypatch.setenv("TRUSTED", "yes" if is_trusted else "no")
    (tmp_path / "pyproject.toml").write_text("[tool.mlc]\nload-dialect = ['mine.py']\n", encoding="utf-8")
    (tmp_path / "mine.py").write_text(_PLUGIN, encoding="utf-8")
    text = _TEXT.replace("  %1 = graph.rellu %0 : tensor<4xf32>\n", "  mine.first\n")
    said = _run_extension(tmp_path, text, sys.executable, "-m", "mlc", "lsp")
    unknown = [] if is_trusted else [[2, "unknown operation 'mine.first'"]]
    assert (said["messages"], said["diagnostics"]) == ([], unknown)


def test_the_extension_says_why_there_is_no_server(tmp_path: Path) -> None:
    code = "import sys; sys.exit('no such extra')"
    said = _run_extension(tmp_path, _TEXT, sys.executable, "-c", code)
    assert said["messages"] == [f"The language server ({sys.executable} -c {code}) ended: no such extra"]
