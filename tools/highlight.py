"""IR text as HTML, coloured, for notebooks."""

from __future__ import annotations

import re
from html import escape

_TOKENS = re.compile(
    r"(?P<comment>//[^\n]*)"
    r'|(?P<string>"(?:[^"\\\n]|\\.)*")'
    r"|(?P<value>%[\w$.-]+(?:#\d+)?)"
    r"|(?P<symbol>@[\w$.-]+)"
    r"|(?P<attribute>#[A-Za-z_$][\w$.-]*)"
    r"|(?P<type>![\w$.-]+|\b(?:tensor|memref|vector)(?=<)|\b(?:[iu]\d+|bf16|f\d+\w*|index)\b)"
    r"|(?P<op>\b[a-z_]\w*(?:\.[a-z_]\w*)+\b)"
)
_COLOURS = {
    "comment": "#6a737d",
    "string": "#22863a",
    "value": "#005cc5",
    "symbol": "#6f42c1",
    "attribute": "#b08800",
    "type": "#e36209",
    "op": "#d73a49",
}
"""Dark enough for light pages and light enough for dark ones."""


def highlighted(text: str) -> str:
    """The text with each kind of token in its colour; all else of it is escaped, and shown as it is."""
    parts: list[str] = []
    end = 0
    for match in _TOKENS.finditer(text):
        parts.append(escape(text[end : match.start()]))
        parts.append(f'<span style="color:{_COLOURS[str(match.lastgroup)]}">{escape(match[0])}</span>')
        end = match.end()
    return "".join([*parts, escape(text[end:])])


def preformatted(text: str) -> str:
    """A block of coloured IR that keeps its lines, whatever the style of the page is."""
    style = "font-family:monospace;white-space:pre;line-height:1.3;margin:0;overflow-x:auto"
    return f'<pre style="{style}">{highlighted(text)}</pre>'


def folded(text: str, *, is_open: bool) -> str:
    """A function that folds to its first line, with a mark to click."""
    first, _, rest = text.partition("\n")
    summary = f'<summary style="font-family:monospace;white-space:pre">{highlighted(first)}</summary>'
    return f"<details{' open' if is_open else ''}>{summary}{preformatted(rest)}</details>"
