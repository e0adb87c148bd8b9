"""Plugins that a project names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlc.plugins.project import plugins_of_project, project_file
from mlc.support.errors import UserError


def test_the_nearest_file_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    outer = tmp_path / "pyproject.toml"
    outer.write_text("", encoding="utf-8")
    assert project_file(inner) == outer
    (tmp_path / "a" / "pyproject.toml").write_text("", encoding="utf-8")
    assert project_file(inner) == tmp_path / "a" / "pyproject.toml"


def test_paths_start_at_the_folder_of_the_file(tmp_path: Path) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(
        '[tool.other]\nx = 1\n[tool.mlc]\nload-dialect = ["d/act.py"]\nload-pass = ["/p.py", "q.py"]\nirdl-file = []\n',
        encoding="utf-8",
    )
    found = plugins_of_project(file)
    assert found.load_dialect == [str(tmp_path / "d" / "act.py")]
    assert found.load_pass == ["/p.py", str(tmp_path / "q.py")]
    assert found.irdl_file == []


@pytest.mark.parametrize("text", ["", "tool = 1\n", "[tool.ruff]\n", "[tool.mlc]\n"])
def test_a_project_that_names_none(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    found = plugins_of_project(file)
    assert (found.load_dialect, found.load_pass, found.irdl_file) == ([], [], [])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[tool.mlc]\nplugins = []\n", "tool.mlc has no key 'plugins'; they are load-dialect, load-pass, irdl-file"),
        ("[tool.mlc]\nload_pass = []\n", "tool.mlc has no key 'load_pass'; did you mean 'load-pass'?"),
        (
            "[tool.mlc]\nload-pass = 'x'\n",
            "tool.mlc.load-pass is a list of paths, such as [\"mine.py\"]; found 'x'",
        ),
        ("[tool.mlc]\nload-pass = [1]\n", 'tool.mlc.load-pass is a list of paths, such as ["mine.py"]; found [1]'),
        ("[tool]\nmlc = 3\n", "found a value for tool.mlc; required: a table"),
        ("[tool", "is not TOML: "),
    ],
)
def test_a_wrong_table(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "pyproject.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=re.escape(message)):
        plugins_of_project(file)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"found no pyproject\.toml in '.*'; required: one that names the plugins"):
        plugins_of_project(tmp_path / "pyproject.toml")
    (tmp_path / "pyproject.toml").write_bytes(b"\xff")
    with pytest.raises(UserError, match="is not TOML"):
        plugins_of_project(tmp_path / "pyproject.toml")
