"""The page: one HTML file with the document in it, which opens offline and asks for nothing."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from string import Template

from mlc.tools.explorer.compare import Comparison
from mlc.tools.explorer.document import Document, StoredText

_VIEWER = Path(__file__).parent / "viewer"
_SCRIPTS = (
    "document",
    "widgets",
    "difference",
    "lines",
    "highlight",
    "passes",
    "roofline",
    "inner_loops",
    "kernels",
    "values",
    "layout",
    "graph",
    "memory",
    "artifact",
    "compare",
    "main",
)
"""The files of the viewer's script, in order: a later one uses what stands in those before it."""
_CHUNK = 1 << 20
"""About how many characters of texts are compressed together: they are decompressed when one of them is shown."""


def page_of(documents: Sequence[Document], comparison: Comparison | None = None) -> str:
    """The page that shows a document, or two with what differs."""
    style = (_VIEWER / "style.css").read_text(encoding="utf-8")
    script = "\n".join((_VIEWER / f"{name}.js").read_text(encoding="utf-8") for name in _SCRIPTS)
    script = f'"use strict";\n(() => {{\n{script}\n}})();\n'
    compared = [] if comparison is None else [_element("comparison", asdict(comparison))]
    return Template((_VIEWER / "page.html").read_text(encoding="utf-8")).substitute(
        policy=(
            f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; base-uri 'none'; "
            "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
        ),
        style=style,
        script=script,
        data="\n".join([*(line for document in documents for line in _data(document)), *compared]),
    )


def _data(document: Document) -> Iterator[str]:
    """The elements that hold a document: its texts apart from the rest, in chunks, in the order of their numbers."""
    chunks: list[list[StoredText]] = [[]]
    size = 0
    for text in document.texts:
        if size > _CHUNK:
            chunks.append([])
            size = 0
        chunks[-1].append(text)
        size += len(text.text)
    yield _element("document", asdict(replace(document, texts=[])) | {"chunks": [len(chunk) for chunk in chunks]})
    for chunk in chunks:
        yield _element("texts", [asdict(text) for text in chunk])


def _element(kind: str, data: object) -> str:
    """Data as an element that browsers do not look into; base64 has no character that could end it."""
    packed = gzip.compress(json.dumps(data, separators=(",", ":")).encode(), 9, mtime=0)
    return f'<script type="application/gzip" class="{kind}">{base64.b64encode(packed).decode()}</script>'


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
