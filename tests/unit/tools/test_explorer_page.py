"""The page of `mlc explore`: what its policy allows, and that it is one file. (Browsers are asked in another test.)"""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from pathlib import Path

from mlc.tools.explorer import page as page_module
from mlc.tools.explorer.document import Document, StoredText
from mlc.tools.explorer.page import page_of

from .explored import HOSTILE, document_in

_VIEWER = Path(page_module.__file__).parent / "viewer"
_DOCUMENT = Document(HOSTILE, "1.0", "native", "a machine", texts=[StoredText(HOSTILE), StoredText("$style ${script}")])


def test_all_files_of_the_viewer_are_used() -> None:
    page = page_of([_DOCUMENT])
    files = [file for file in _VIEWER.iterdir() if file.suffix in (".js", ".css")]
    assert len(files) > 8
    assert all(file.read_text(encoding="utf-8") in page for file in files)
    assert all(file.read_text(encoding="utf-8").count("\n") <= 400 for file in files)


def test_names_are_no_markup() -> None:
    page = page_of([_DOCUMENT])
    assert HOSTILE not in page
    assert page.count("<script") == page.count("</script>") == 3
    held = document_in(page)
    assert held["title"] == HOSTILE
    assert [text["text"] for text in held["texts"]] == [HOSTILE, "$style ${script}"]


def test_policy_allows_one_script_and_one_style_by_their_hashes() -> None:
    page = page_of([_DOCUMENT])
    (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', page)
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    (style,) = re.findall(r"<style>(.*?)</style>", page, re.DOTALL)
    assert rules == {
        "default-src": "'none'",
        "script-src": f"'{_hash(script)}'",
        "style-src": f"'{_hash(style)}'",
        "base-uri": "'none'",
        "form-action": "'none'",
        "require-trusted-types-for": "'script'",
        "trusted-types": "'none'",
    }
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_nothing_is_fetched() -> None:
    """No address stands in the viewer but the name of SVG, and it has no function that asks for one."""
    viewer = "".join(file.read_text(encoding="utf-8") for file in _VIEWER.iterdir())
    assert set(re.findall(r"https?://[^\"'\s]*", viewer)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(|fetch\(|XMLHttp|import\(", viewer)


def test_texts_are_divided_into_chunks() -> None:
    texts = [StoredText(f"{number} " + "x" * 300_000) for number in range(9)]
    page = page_of([replace(_DOCUMENT, texts=texts)])
    held = document_in(page)
    assert held["chunks"] == [4, 4, 1]
    assert [text["text"].split()[0] for text in held["texts"]] == [str(number) for number in range(9)]


def test_equal_documents_give_equal_pages() -> None:
    assert page_of([_DOCUMENT]) == page_of([replace(_DOCUMENT)])


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
