"""The page on Python runs from top to bottom and prints what it says."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

_PAGE = Path(__file__).parents[3] / "docs" / "from-python.md"
_BLOCK = re.compile(r"^```(python)?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_runs() -> None:
    names: dict[str, object] = {}
    printed = io.StringIO()
    shown = ""
    for language, text in _BLOCK.findall(_PAGE.read_text(encoding="utf-8")):
        if language:
            with contextlib.redirect_stdout(printed):
                exec(text, names)
        else:
            shown += text
    assert printed.getvalue() == shown
    assert shown.count("\n") > 4
