"""User errors as text: `file:line:column: error: message`, the source line, a caret, and the notes the same way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mlc.support.errors import SourceLocation, UserError, UserErrors

_WIDTH = 160
"""Longer source lines (weights as text) are cut around the caret."""
_COLORS = {"error": "\033[1;31m", "note": "\033[1;36m", "caret": "\033[1;32m", "end": "\033[0m"}
_PLAIN = dict.fromkeys(_COLORS, "")


def render(error: UserError, sources: Mapping[str, str], color: bool = False) -> str:
    """The text of an error, or of each of several, without a final newline.

    Args:
        sources: the text of each file by name; errors elsewhere are shown without their source line.
        color: for a terminal.
    """
    style = _COLORS if color else _PLAIN
    errors = error.errors if isinstance(error, UserErrors) else (error,)
    return "\n".join(line for e in errors for line in _lines(e, sources, style))


def _lines(error: UserError, sources: Mapping[str, str], style: Mapping[str, str]) -> Iterator[str]:
    yield from _report("error", error.message, error.location, sources, style)
    for note in error.notes:
        yield from _report("note", note.message, note.location, sources, style)


def _report(
    kind: str,
    message: str,
    location: SourceLocation | None,
    sources: Mapping[str, str],
    style: Mapping[str, str],
) -> Iterator[str]:
    place = f"{location}: " if location else ""
    yield f"{place}{style[kind]}{kind}:{style['end']} {message}"
    line = None if location is None else _source_line(location, sources)
    if line is None or location is None:
        return
    start = max(0, location.column - _WIDTH // 2) if len(line) > _WIDTH else 0
    yield f"  {line[start : start + _WIDTH]}"
    if 0 < location.column <= len(line) + 1:
        # Tabs stay tabs, so that the caret stands below its column however wide they are.
        margin = "".join("\t" if c == "\t" else " " for c in line[start : location.column - 1])
        yield f"  {margin}{style['caret']}^{style['end']}"


def _source_line(location: SourceLocation, sources: Mapping[str, str]) -> str | None:
    text = sources.get(location.file)
    if text is None:
        return None
    start = 0
    for _ in range(location.line - 1):
        start = text.find("\n", start) + 1
        if start == 0:
            return None
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)].rstrip("\r")
