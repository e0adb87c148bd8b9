"""ARCHITECTURE.md stays a short map with a picture of the pipeline as it is; all documents name files that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlc.docs.generate_architecture import FILE, picture
from mlc.docs.generate_figures import COLUMNS, DEPTH, FOLDER, LANES, ROWS, VECTORS, figures

_ROOT = Path(__file__).parents[3]
_MOST_WORDS = 2500
_MADE = {"build", "dist"}  # folders that a build leaves in the checkout
_PAGES = [
    *_ROOT.glob("*.md"),
    *_ROOT.glob("docs/*.md"),
    *_ROOT.glob("docs/dialects/*.md"),
    *_ROOT.glob("benchmarks/*.md"),
]


def test_picture_shows_the_pipeline() -> None:
    assert FILE.read_text(encoding="utf-8") == picture(), "python docs/generate_architecture.py writes it again"


def test_figures_are_up_to_date() -> None:
    committed = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert committed == figures(), "python docs/generate_figures.py writes them again"


def test_figures_show_what_the_tour_does() -> None:
    """The tile and the panels are those of the schedule that the tour prints."""
    tour = (_ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    columns = VECTORS * LANES
    steps = f"tile(n, {columns}), pack(w1, n), tile(ni, {LANES}), vectorize(nii, {LANES}), unroll(ni), tile(m, {ROWS})"
    assert f"interchange(n, m), {steps}, unroll(mi)" in tour
    assert f"%w1: memref<{COLUMNS // columns}x{DEPTH}x{columns}xf32>" in tour


def test_each_step_of_the_tour_names_its_files() -> None:
    """From the first level to machine code; behind these sections the tour uses what it has shown."""
    sections = (_ROOT / "docs" / "tour.md").read_text(encoding="utf-8").split("\n## ")[1:]
    steps = sections[: 1 + next(i for i, text in enumerate(sections) if text.startswith("The llvm level"))]
    assert len(steps) == 8
    for section in steps:
        assert "\n\n*Done in* [" in section, section.partition("\n")[0]


def test_architecture_is_short() -> None:
    assert len((_ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8").split()) <= _MOST_WORDS


@pytest.mark.parametrize("page", _PAGES, ids=lambda page: str(page.relative_to(_ROOT)))
def test_files_that_a_page_names_exist(page: Path) -> None:
    """A path in backticks that begins with a folder of the repository is one of its files or folders."""
    folders = {f.name for f in _ROOT.iterdir() if f.is_dir()} - _MADE
    text = page.read_text(encoding="utf-8")
    named = [name for name in re.findall(r"`([\w.-]+/[\w./-]*)`", text) if name.partition("/")[0] in folders]
    assert [name for name in named if not (_ROOT / name).exists()] == []


def test_files_that_docstrings_name_exist() -> None:
    """The same for docstrings and comments of the sources."""
    folders = {f.name for f in _ROOT.iterdir() if f.is_dir() and (f / "__init__.py").exists()}
    missing: list[str] = []
    for folder in folders:
        for file in (_ROOT / folder).rglob("*.py"):
            for name in re.findall(r"`([\w-]+/[\w./-]*\.\w+)`", file.read_text(encoding="utf-8")):
                if (
                    name.partition("/")[0] in folders
                    and not (_ROOT / name).exists()
                    and not (file.parent / name).exists()
                ):
                    missing.append(f"{file.relative_to(_ROOT)}: {name}")
    assert missing == []
