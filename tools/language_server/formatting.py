"""Texts with the indentation of their braces: what stands in a line, comments included, stays as it is.

Lines get two spaces for each brace that is open; labels of blocks stand where their region's brace was opened. Lines
within parentheses or brackets that an earlier line opened keep their distance to that line. Spaces at ends of lines go,
and so do empty lines after the first of several.
"""

from __future__ import annotations

import re

from mlc.tools.language_server.tokens import tokens_of_line

_INDENT = "  "
_OPENING = {")": "(", "]": "[", "}": "{"}
_PART = re.compile(r"//\s*-----")


def formatted(text: str) -> str:
    """The text with its lines indented; it ends with the end of a line, unless it is empty."""
    lines: list[str] = []
    opened: list[str] = []
    moved = 0  # how far the line went that opened the brackets
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped:
            if lines and lines[-1]:
                lines.append("")
            continue
        before = len(line) - len(line.lstrip())
        if _PART.match(stripped):
            opened.clear()
        if opened and opened[-1] != "{":
            width = max(before + moved, 0)
        else:
            closed_at_once = len(stripped) - len(stripped.lstrip("}"))
            depth = opened.count("{") - closed_at_once - (stripped[0] == "^")
            width = len(_INDENT) * max(depth, 0)
            moved = width - before
        lines.append(" " * width + stripped)
        _follow(stripped, opened)
    return "\n".join(lines).rstrip("\n") + "\n" if any(lines) else ""


def _follow(line: str, opened: list[str]) -> None:
    """Keep account of the braces and brackets that are open after a line, those in strings and comments aside."""
    masked = line
    for token in tokens_of_line(line):
        if token.kind in ("string", "comment", "symbol"):
            masked = masked[: token.start] + " " * len(token.text) + masked[token.end :]
    for character in masked:
        if character in "([{":
            opened.append(character)
        elif opened and opened[-1] == _OPENING.get(character):
            opened.pop()
