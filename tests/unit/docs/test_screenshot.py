"""The picture of the explorer in README.md is that of the page of today, word for word; pixels depend on fonts."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlc.docs.generate_screenshot import FILE, KERNEL, STEP, page, picture, words_of
from mlc.testing.browser import why_no_browser
from mlc.tools.explorer.stored_page import documents_in

_ROOT = Path(__file__).parents[3]
_AGAIN = "python docs/generate_screenshot.py writes it again"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page(tmp_path_factory.mktemp("page"))


@pytest.mark.slow
def test_picture_shows_the_schedule_of_today(report: Path) -> None:
    (document,) = documents_in(report.read_text(encoding="utf-8"), report.name)
    (kernel,) = [each for each in document.kernels if each.name == KERNEL]
    assert STEP in [each.spelling for each in kernel.steps]
    shown = words_of(FILE.read_bytes())
    missing = [words for step in kernel.steps for words in (step.spelling, step.words) if words not in shown]
    assert missing == [], _AGAIN


@pytest.mark.slow
def test_picture_is_that_of_a_browser(report: Path) -> None:
    if (why := why_no_browser()) is not None:
        pytest.skip(why)
    made = picture(report)
    assert words_of(made).splitlines() == words_of(FILE.read_bytes()).splitlines(), _AGAIN
    assert made[16:24] == FILE.read_bytes()[16:24], "width and height"


@pytest.mark.parametrize("file", ["README.md", "docs/explorer.md"])
def test_pages_show_the_picture(file: str) -> None:
    link = FILE.relative_to((_ROOT / file).parent)
    assert f"]({link})" in (_ROOT / file).read_text(encoding="utf-8")


def test_words_of_a_picture_without_words() -> None:
    assert words_of(FILE.read_bytes()[:33]) == ""
