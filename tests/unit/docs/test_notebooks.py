"""The notebooks are programs: they run from top to bottom, and print what they show.

Cells are compared as the `console` blocks of pages are (test_commands), with numbers left out. Schedules are not
compared: they are decisions for one CPU. When a notebook shows something else than it prints: run it in Jupyter, save
it, and put `…` where machines differ.
"""

from __future__ import annotations

import importlib
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from .test_commands import compare, without_numbers

_NOTEBOOKS = sorted((Path(__file__).parents[3] / "docs" / "notebooks").glob("*.ipynb"))
_SCHEDULE = re.compile(r"^schedule\n(?:  .*\n)+", re.MULTILINE)
_SECONDS = 300
"""What a cell may take, with other work on the machine."""


def _read(notebook: Path) -> Any:
    return pytest.importorskip("nbformat").read(notebook, as_version=4)


def _code(document: Any) -> list[Any]:
    return [cell for cell in document.cells if cell.cell_type == "code"]


def _printed(cell: Any) -> str:
    """What a cell printed; anything else, such as a warning, is not an output of ours."""
    kinds = {output.get("name", output.output_type) for output in cell.outputs}
    assert kinds <= {"stdout"}, f"{cell.source}\ngives {cell.outputs}"
    return "".join(output.text for output in cell.outputs)


def test_there_are_notebooks() -> None:
    assert [notebook.stem for notebook in _NOTEBOOKS] == ["jax", "passes", "pytorch"]


@pytest.mark.parametrize("notebook", _NOTEBOOKS, ids=lambda path: path.stem)
def test_nothing_of_a_session_is_kept(notebook: Path) -> None:
    """A notebook that is saved says nothing about who ran it, where, when and how often."""
    document = _read(notebook)
    assert document.metadata.keys() == {"kernelspec", "language_info"}
    assert document.metadata.language_info == {"name": "python"}
    for cell in _code(document):
        assert cell.execution_count is None and not cell.metadata
        assert "/tmp/" not in _printed(cell)


@pytest.mark.slow
@pytest.mark.parametrize("notebook", _NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_prints_what_it_shows(notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ipykernel")
    client = importlib.import_module("nbclient")
    monkeypatch.setenv("PATH", os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    document = _read(notebook)
    cells = _code(document)
    shown = [_SCHEDULE.sub("schedule\n…\n", _printed(cell)) for cell in cells]
    assert sum(map(bool, shown)) >= 8
    folder = tmp_path / "notebook"
    folder.mkdir()
    client.NotebookClient(document, timeout=_SECONDS, resources={"metadata": {"path": str(folder)}}).execute()
    for cell, text in zip(cells, shown, strict=True):
        printed = _SCHEDULE.sub("schedule\n  …\n", _printed(cell))
        compare(cell.source, *(without_numbers(each).splitlines() for each in (text, printed)))
