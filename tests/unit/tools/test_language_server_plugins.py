"""Plugins of the language server, which change and fail while it runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import mlc
from mlc.plugins.arguments import PluginArguments
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.completion import candidates
from mlc.tools.language_server.watched_plugins import WatchedPlugins
from tests.unit.tools.language_client import session


def _errors(text: str) -> list[str]:
    return [error.message for error in AnalysedText(text, "text.mlir", Path()).errors]


_PLUGIN = '''
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition


@irdl_op_definition
class FirstOp(IRDLOperation):
    """It does nothing."""

    name = "mine.first"
    assembly_format = "attr-dict"


Mine = Dialect("mine", [FirstOp], [])
'''

_IRDL = b"irdl.dialect @some { irdl.operation @make { irdl.operands() } }"
_IMPORTING = """
from mine_base import FirstOp
from mlc.pass_manager.base import Pass


class EraseFirstPass(Pass):
    name = "erase-first"

    def run(self, module, ctx):
        for op in list(module.walk()):
            if isinstance(op, FirstOp):
                op.detach()
"""


def test_plugins_are_loaded_again(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_PLUGIN, encoding="utf-8")
    plugins = WatchedPlugins(PluginArguments(load_dialect=[str(file)]))
    plugins.load()
    assert plugins.options == [f"--load-dialect={file}"]
    assert _errors("mine.first") == []
    file.write_text(_PLUGIN.replace("mine.first", "mine.second"), encoding="utf-8")
    plugins.load()
    assert _errors("mine.second") == []
    assert _errors("mine.first") == ["unknown operation 'mine.first'"]
    file.write_text("1 +", encoding="utf-8")
    plugins.load()
    (problem,) = plugins.problems
    assert "is not Python" in problem.error.message
    assert [str(place) for place in problem.places] == [f"{file}:1:4"]
    former = "; until that is corrected, its last text that loaded is used"
    assert problem.message == problem.error.message + former
    assert str(problem) == f"{file}:1:4: error: {problem.message}"
    assert plugins.options == []
    assert _errors("mine.second") == []  # as it was before
    file.unlink()
    plugins.load()
    assert [each.error.message for each in plugins.problems] == [f"plugin '{file}' not found"]
    assert _errors("mine.second") == []
    file.write_text(_PLUGIN, encoding="utf-8")
    plugins.load()
    assert plugins.problems == []
    assert _errors("mine.first") == []
    assert _errors("mine.second") == ["unknown operation 'mine.second'"]


def test_a_plugin_that_never_was_right_has_no_text_before(tmp_path: Path) -> None:
    (file := tmp_path / "mine.py").write_text("1 +", encoding="utf-8")
    plugins = WatchedPlugins(PluginArguments(load_pass=[str(file)]))
    plugins.load()
    (problem,) = plugins.problems
    assert problem.message == problem.error.message


def test_a_project_without_its_file(tmp_path: Path) -> None:
    """It is told, and the file counts once it is there."""
    project = tmp_path / "pyproject.toml"
    (tmp_path / "mine.py").write_text(_PLUGIN, encoding="utf-8")
    plugins = WatchedPlugins(PluginArguments(), project)
    plugins.load()
    (problem,) = plugins.problems
    found = f"found no pyproject.toml in '{tmp_path}'; required: one that names the plugins"
    assert (problem.message, problem.places, problem.is_hint) == (found, [], True)
    project.write_text('[tool.mlc]\nload-dialect = ["mine.py"]\n', encoding="utf-8")
    plugins.load()
    assert _errors("mine.first") == []


@pytest.mark.slow
def test_an_editor_hears_of_a_project_without_its_file(tmp_path: Path) -> None:
    path = tmp_path / "text.mlir"
    path.write_text("mine.first\n", encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        assert (await client.next_told()).diagnostics
        assert [each.message for each in client.messages] == [
            f"found no pyproject.toml in '{tmp_path}'; required: one that names the plugins"
        ]

    session(use, path, f"--project={tmp_path}")


def test_a_project_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    (project := tmp_path / "pyproject.toml").mkdir()
    plugins = WatchedPlugins(PluginArguments(), project)
    plugins.load()
    (problem,) = plugins.problems
    assert (problem.message, problem.is_hint) == (f"cannot read '{project}': Is a directory", False)


def test_a_file_of_irdl_that_is_not_a_text(tmp_path: Path) -> None:
    file = tmp_path / "some.irdl"
    plugins = WatchedPlugins(PluginArguments(irdl_file=[str(file)]))
    for text, found in ((_IRDL, []), (b"\xe9" + _IRDL, [f"IRDL file '{file}' is not UTF-8 text"])):
        file.write_bytes(text)
        plugins.load()
        assert [each.error.message for each in plugins.problems] == found
        assert _errors('"some.make"() : () -> ()') == []


def test_a_file_that_imports_another_one_runs_again(tmp_path: Path) -> None:
    dialect, importing = tmp_path / "mine_base.py", tmp_path / "mine_pass.py"
    dialect.write_text(_PLUGIN, encoding="utf-8")
    importing.write_text(_IMPORTING, encoding="utf-8")
    plugins = WatchedPlugins(PluginArguments(load_dialect=[str(dialect)], load_pass=[str(importing)]))
    for text in (_PLUGIN, f"# A comment.\n{_PLUGIN}", _PLUGIN):
        dialect.write_text(text, encoding="utf-8")
        plugins.load()
        assert plugins.problems == []
        assert "mine" not in str(mlc.view("module {\n  mine.first\n}\n").run("erase-first").module)


def test_dialects_of_plugins_are_offered(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_PLUGIN, encoding="utf-8")
    plugins = WatchedPlugins(PluginArguments(load_dialect=[str(file)]))
    plugins.load()
    for line in ("", "  mi", "  %0 = mi"):
        text = f"func.func @f() {{\n{line}"
        found = [each.text for each in candidates(AnalysedText(f"{text}\n}}\n", "m.mlir", tmp_path), len(text))]
        assert "mine." in found


def test_plugins_that_a_project_names(tmp_path: Path) -> None:
    project, file = tmp_path / "pyproject.toml", tmp_path / "mine.py"
    project.write_text("[project]\nname = 'x'\n", encoding="utf-8")
    file.write_text(_PLUGIN, encoding="utf-8")
    plugins = WatchedPlugins(PluginArguments(), project)
    plugins.load()
    assert plugins.options == []
    assert _errors("mine.first") == ["unknown operation 'mine.first'"]
    project.write_text('[tool.mlc]\nload-dialect = ["mine.py"]\n', encoding="utf-8")
    plugins.load()
    assert plugins.options == [f"--load-dialect={file}"]
    assert _errors("mine.first") == []
    project.write_text('[tool.mlc]\nload-dialekt = ["mine.py"]\n', encoding="utf-8")
    plugins.load()
    (problem,) = plugins.problems
    assert "has no key 'load-dialekt'; did you mean 'load-dialect'" in problem.error.message
    assert [str(place) for place in problem.places] == [f"{project}:2:1"]
    assert plugins.options == []
    assert _errors("mine.first") == ["unknown operation 'mine.first'"]


def test_a_plugin_that_fails_leaves_the_others(tmp_path: Path) -> None:
    project, good, bad = tmp_path / "pyproject.toml", tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(_PLUGIN, encoding="utf-8")
    bad.write_text("x = 1\nx.missing\n", encoding="utf-8")
    project.write_text(
        '[tool.mlc]  # "bad.py"\nload-dialect = [\n  "missing.py",\n  "bad.py", "good.py"\n]\n', encoding="utf-8"
    )
    plugins = WatchedPlugins(PluginArguments(), project)
    plugins.load()
    assert _errors("mine.first") == []
    assert plugins.options == [f"--load-dialect={good}"]
    missing, fails = plugins.problems
    assert missing.error.message == f"plugin '{tmp_path / 'missing.py'}' not found"
    assert [str(place) for place in missing.places] == [f"{project}:3:3"]
    assert "AttributeError: 'int' object has no attribute 'missing'" in fails.error.message
    assert [str(place) for place in fails.places] == [f"{bad}:2", f"{project}:4:3"]


def test_a_project_that_is_not_toml(tmp_path: Path) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text("[tool.mlc]\nx = \n", encoding="utf-8")
    plugins = WatchedPlugins(PluginArguments(), project)
    plugins.load()
    (problem,) = plugins.problems
    assert f"'{project}' is not TOML" in problem.error.message
    assert [str(place) for place in problem.places] == [f"{project}:2"]


@pytest.mark.slow
def test_an_editor_hears_of_plugins_that_change(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(_PLUGIN, encoding="utf-8")
    path = tmp_path / "text.mlir"
    path.write_text("mine.second\n", encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        assert (await client.next_told()).diagnostics
        file.write_text(_PLUGIN.replace("mine.first", "mine.second"), encoding="utf-8")
        while (await client.next_told()).diagnostics:
            pass
        assert [each.message for each in client.messages] == ["the plugins were loaded again"]

    session(use, path, "--load-dialect", str(file))


@pytest.mark.slow
def test_an_editor_hears_of_a_plugin_that_fails_at_the_start(tmp_path: Path) -> None:
    """The server lives on; what the plugin prints does not reach the editor as an answer."""
    file, project = tmp_path / "mine.py", tmp_path / "pyproject.toml"
    file.write_text("print('loading')\n1 / 0\n", encoding="utf-8")
    project.write_text('[tool.mlc]\nload-dialect = ["mine.py"]\n', encoding="utf-8")
    path = tmp_path / "text.mlir"
    path.write_text("mine.first\n", encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        told = dict[str, list[str]]()

        async def until(done: Callable[[], bool]) -> None:
            while not done():
                each = await client.next_told()
                told[each.uri] = [f"{one.range.start.line}: {one.message}" for one in each.diagnostics]

        await until(lambda: len(told) == 3)
        assert told[uri] == ["0: unknown operation 'mine.first'"]
        assert told[file.as_uri()] == [f"1: plugin '{file}' fails: ZeroDivisionError: division by zero"]
        assert told[project.as_uri()] == told[file.as_uri()]
        assert [each.message for each in client.messages] == [f"{file}:2: error: {told[file.as_uri()][0][3:]}"]
        printing = "\n    def verify_(self) -> None:\n        print('verified')\n"
        text = _PLUGIN.replace('    assembly_format = "attr-dict"\n', f'    assembly_format = "attr-dict"\n{printing}')
        file.write_text(f"print('loading again')\n{text}", encoding="utf-8")
        await until(lambda: not any(told.values()))
        assert client.messages[-1].message == "the plugins were loaded again"

    session(use, path, f"--project={tmp_path}")


@pytest.mark.slow
@pytest.mark.parametrize("is_trusted", [True, False])
def test_an_editor_hears_of_plugins_of_a_project_that_is_trusted(tmp_path: Path, is_trusted: bool) -> None:
    (tmp_path / "mine.py").write_text(_PLUGIN, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[tool.mlc]\n", encoding="utf-8")
    path = tmp_path / "folder" / "text.mlir"
    path.parent.mkdir()
    path.write_text("mine.first\n", encoding="utf-8")

    async def use(client: Any, uri: str) -> None:
        assert (await client.next_told()).diagnostics
        (tmp_path / "pyproject.toml").write_text('[tool.mlc]\nload-dialect = ["mine.py"]\n', encoding="utf-8")
        if is_trusted:
            while (await client.next_told()).diagnostics:
                pass
            assert [each.message for each in client.messages] == ["the plugins were loaded again"]
        else:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(client.told.get(), 3)

    session(use, path, *([f"--project={path.parent}"] if is_trusted else []))
