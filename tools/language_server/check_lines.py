"""CHECK lines of a lit test that say what a tool prints now, and otherwise stay as they are.

Between two labels, the lines that filecheck looks for in their order are aligned with those that were printed, so that
as many as possible match, and the others are alike. A line that does not match is written anew, with variables where it
had some; one for which no line is left goes; where a line has to follow the one before it, those between are added.
What filecheck looks for in other ways (NOT, DAG, SAME, COUNT, EMPTY) stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

_PIECE = re.compile(r"\{\{(.*?)\}\}|\[\[([A-Za-z_]\w*)(?::(.*?))?\]\]")
_SPACE = re.compile(r"[ \t]+")
_VALUE = re.compile(r"%[\w$.-]+")
_DEFINITION = re.compile(r"%\[\[([A-Za-z_]\w*):.*?\]\]")
_TOKEN = re.compile(r"%\[\[.*?\]\]|%\{\{.*?\}\}|%[\w$.-]+|[\w$.-]+|\{\{|\[\[|\s+|.")
_ALIKE = 0.5
"""How alike lines have to be to say the same, from 0 to 1."""
_MATCHES = 2.0
"""What a match is worth beside lines that are only alike."""


@dataclass
class _Directive:
    """A line that filecheck looks for."""

    line: int
    indent: str
    prefix: str
    kind: str
    pattern: str


def updated_checks(text: str, prefix: str, output: str) -> str:
    """The text of a test whose directives of a prefix say what was printed."""
    lines = text.split("\n")
    printed = [_SPACE.sub(" ", line.strip()) for line in output.splitlines() if line.strip()]
    directives = [*_directives(lines, prefix)]
    replaced: dict[int, list[str]] = {}
    starts = [i for i, d in enumerate(directives) if d.kind == "LABEL"]
    at = _align_labels([directives[i] for i in starts], printed)
    bounds = [(0, 0), *zip(starts, at, strict=True), (len(directives), len(printed))]
    for (first, begin), (last, end) in pairwise(bounds):
        _update(directives[first:last], printed[begin:end], lines, replaced)
    return "\n".join(new for i, line in enumerate(lines) for new in replaced.get(i, [line]))


def _directives(lines: Sequence[str], prefix: str) -> list[_Directive]:
    form = re.compile(rf"(\s*)//\s*{re.escape(prefix)}(?:-(LABEL|NEXT))?:(.*)")
    found = ((i, form.fullmatch(line)) for i, line in enumerate(lines))
    return [_Directive(i, m[1], prefix, m[2] or "", m[3].strip()) for i, m in found if m is not None]


def _align_labels(labels: Sequence[_Directive], printed: Sequence[str]) -> list[int]:
    """Where the labels are printed, in their order; one that is not is where the one before it ends."""
    places: list[int] = []
    at = -1
    for label in labels:
        at = next((i for i in range(at + 1, len(printed)) if _expression(label.pattern).search(printed[i])), at)
        places.append(max(at, 0))
    return places


def _update(
    directives: Sequence[_Directive], printed: Sequence[str], lines: Sequence[str], replaced: dict[int, list[str]]
) -> None:
    """Say what each line of a test becomes, between two labels."""
    names: dict[str, str] = {}
    last = -1
    for directive, partner in zip(directives, _partners(directives, printed), strict=True):
        if partner is None:
            if directive.kind != "LABEL":
                replaced[directive.line] = []
            continue
        new: list[str] = []
        if directive.kind == "NEXT" and last >= 0:
            new = [_written(directive, "", printed[i], names) for i in range(last + 1, partner)]
        match = _expression(directive.pattern).search(printed[partner])
        used = {m[2] for m in _PIECE.finditer(directive.pattern) if m[2] and m[3] is None}
        if match is None or not used <= {*names.values(), *match.groupdict()}:
            new.append(_written(directive, directive.pattern, printed[partner], names))
        else:
            names |= {value: name for name, value in match.groupdict().items() if value}
            new.append(lines[directive.line])
        replaced[directive.line] = new
        last = partner


def _written(directive: _Directive, old: str, printed: str, names: dict[str, str]) -> str:
    """A directive for a printed line: names of values are what they are in the old pattern where it says the same.

    Args:
        old: the pattern that it had.
        names: the variables that stand for values, by the names of these; those that are defined here are added.
    """
    if old and ":" not in _PIECE.sub("", old):
        printed = printed.partition(" : ")[0]  # it said nothing of types
    before, now = _TOKEN.findall(old), _TOKEN.findall(printed)
    shapes = [["%" if token[0] == "%" else token for token in tokens] for tokens in (before, now)]
    written = ["%{{.*}}" if token[0] == "%" else token for token in now]
    for block in SequenceMatcher(None, *shapes, autojunk=False).get_matching_blocks():
        for i in range(block.size):
            earlier, value = before[block.a + i], now[block.b + i]
            if (variable := _DEFINITION.fullmatch(earlier)) is not None:
                names[value[1:]] = variable[1]
            if variable is not None or earlier == value:
                written[block.b + i] = earlier
    for i, token in enumerate(now):
        if written[i] == "%{{.*}}" and token[1:] in names:
            written[i] = f"%[[{names[token[1:]]}]]"
        elif written[i] in ("{{", "[["):
            written[i] = "{{" + "".join(f"[{sign}]" for sign in token) + "}}"
    kind = f"-{directive.kind}" if directive.kind else ""
    return f"{directive.indent}// {directive.prefix}{kind}: {''.join(written)}"


def _partners(directives: Sequence[_Directive], printed: Sequence[str]) -> list[int | None]:
    """The printed line of each directive, in order, so that the sum of what pairs are worth is the largest."""
    rows, columns = len(directives), len(printed)
    worth = [[_worth(d, line) for line in printed] for d in directives]
    best = [[0.0] * (columns + 1) for _ in range(rows + 1)]
    for i in range(rows - 1, -1, -1):
        for j in range(columns - 1, -1, -1):
            paired = worth[i][j] + best[i + 1][j + 1] if worth[i][j] else 0.0
            best[i][j] = max(paired, best[i + 1][j], best[i][j + 1])
    partners: list[int | None] = []
    j = 0
    for i in range(rows):
        while j < columns and best[i][j] == best[i][j + 1]:
            j += 1
        if j < columns and worth[i][j] and best[i][j] == worth[i][j] + best[i + 1][j + 1]:
            partners.append(j)
            j += 1
        else:
            partners.append(None)
    _fill(partners, directives, columns)
    return partners


def _fill(partners: list[int | None], directives: Sequence[_Directive], columns: int) -> None:
    """Let a directive that is like no line look for the one after that of the directive before, if no other does."""
    last = -1
    for i, directive in enumerate(directives):
        following = next((p for p in partners[i + 1 :] if p is not None), columns)
        if partners[i] is None and directive.kind != "LABEL" and last + 1 < following:
            partners[i] = last + 1
        last = last if (partner := partners[i]) is None else partner


def _worth(directive: _Directive, line: str) -> float:
    if _expression(directive.pattern).search(line):
        return _MATCHES
    literal = _PIECE.sub("", directive.pattern)
    matcher = SequenceMatcher(None, literal, _VALUE.sub("%", line), autojunk=False)
    if matcher.real_quick_ratio() < _ALIKE or matcher.quick_ratio() < _ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= _ALIKE else 0.0


def _expression(pattern: str) -> re.Pattern[str]:
    """What a pattern matches; a variable that was defined before stands for any name."""
    parts: list[str] = []
    end = 0
    defined: set[str] = set()
    for m in _PIECE.finditer(pattern):
        parts.append(re.escape(_SPACE.sub(" ", pattern[end : m.start()])))
        if m[1] is not None:
            parts.append(f"(?:{m[1]})")
        elif m[3] is not None and m[2] not in defined:
            defined.add(m[2])
            parts.append(f"(?P<{m[2]}>{m[3]})")
        else:
            parts.append(r"[\w$.-]+" if m[2] not in defined else f"(?P={m[2]})")
        end = m.end()
    parts.append(re.escape(_SPACE.sub(" ", pattern[end:])))
    try:
        return re.compile("".join(parts))
    except re.error:
        return re.compile(re.escape(pattern))
