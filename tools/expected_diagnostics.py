"""`--verify-diagnostics`: checks the diagnostics of a run against comments in its input.

    // expected-error @below {{found 3 operands}}
    // expected-note-re @+2 {{defined in line {{[0-9]+}} (of this file)}}

The kinds are error, warning, note and remark. `@+N` and `@-N` count lines from the comment, `@above` and `@below` skip
comments that do the same, `@unknown` is for diagnostics without a place. Without one of these the comment's own line is
meant. Text between `{{` and `}}` has to occur in the message; with `-re`, what stands in it between a further `{{` and
`}}` is a regular expression, as in MLIR.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from mlc.support.context import CompilerContext
from mlc.support.errors import SourceLocation, UserError, UserErrors

_KIND = r"error|warning|note|remark"
_COMMENT = re.compile(
    rf"expected-(?P<kind>{_KIND})(?P<regex>-re)?\s*"
    r"(?P<place>@(?:[+-]\d+|above|below|unknown))?\s*(?:\{\{(?P<text>(?:\{\{.*?\}\}|.)*?)\}\}(?!\}))?"
)
_EXPRESSION = re.compile(r"\{\{(.*?)\}\}")


@dataclass(frozen=True)
class Diagnostic:
    """Something that was reported: its kind, its message, and the line that it points at."""

    kind: str
    message: str
    line: int | None


@dataclass
class Expectation:
    """One `expected-…` comment."""

    kind: str
    text: str
    pattern: re.Pattern[str]
    """What has to occur in the message."""
    line: int | None
    """The line that the diagnostic has to point at; None for `@unknown`."""
    comment_line: int
    met: bool = False

    def accepts(self, diagnostic: Diagnostic) -> bool:
        """Whether `diagnostic` is the one that is expected."""
        if self.kind != diagnostic.kind or self.line != diagnostic.line:
            return False
        return self.pattern.search(diagnostic.message) is not None


def parse_expectations(text: str, file: str) -> list[Expectation]:
    """The `expected-…` comments of `text`.

    Raises:
        UserError: a comment lacks its `{{text}}`, or its regular expression is malformed.
    """
    lines = text.split("\n")
    is_comment = [_COMMENT.search(line) is not None and line.lstrip().startswith("//") for line in lines]
    result: list[Expectation] = []
    for index, line in enumerate(lines):
        for match in _COMMENT.finditer(line) if "//" in line else ():
            here = SourceLocation(file, index + 1, match.start() + 1)
            if match["text"] is None:
                raise UserError("an expected diagnostic needs its text in {{double braces}}", here)
            text = match["text"]
            try:
                pattern = _pattern(text) if match["regex"] else re.compile(re.escape(text))
            except re.error as e:
                raise UserError(f"malformed regular expression: {e}", here) from None
            line_meant = _line_meant(match["place"] or "@+0", index, is_comment)
            result.append(Expectation(match["kind"], text, pattern, line_meant, index + 1))
    return result


def _pattern(text: str) -> re.Pattern[str]:
    """Text that is literal but for the regular expressions in double braces."""
    parts = _EXPRESSION.split(text)  # literal text and expressions by turns
    if any("{{" in literal for literal in parts[::2]):
        raise re.error("'{{' is not closed")
    for expression in parts[1::2]:
        re.compile(expression)  # which it has to be alone
    return re.compile("".join(f"(?:{part})" if i % 2 else re.escape(part) for i, part in enumerate(parts)))


def _line_meant(place: str, index: int, is_comment: Sequence[bool]) -> int | None:
    """The line, counted from 1, that `place` in the comment on line `index`, counted from 0, stands for."""
    if place == "@unknown":
        return None
    if place not in ("@above", "@below"):
        return index + 1 + int(place[1:])
    step = 1 if place == "@below" else -1
    index += step
    while 0 <= index < len(is_comment) and is_comment[index]:
        index += step
    return index + 1


def diagnostics_of(error: UserError) -> list[Diagnostic]:
    """The error, or the errors, with their notes."""
    result: list[Diagnostic] = []
    for each in error.errors if isinstance(error, UserErrors) else (error,):
        result.append(Diagnostic("error", each.message, _line(each.location)))
        result.extend(Diagnostic("note", n.message, _line(n.location)) for n in each.notes)
    return result


def diagnostics_of_remarks(ctx: CompilerContext) -> list[Diagnostic]:
    """The remarks and the warnings of a run."""
    told = (("remark", ctx.remarks), ("warning", ctx.warnings))
    return [Diagnostic(kind, r.message, _line(r.location)) for kind, remarks in told for r in remarks]


def mismatches(
    expected: Sequence[Expectation],
    found: Iterable[Diagnostic],
    file: str,
    optional_kinds: Iterable[str] = (),
) -> list[UserError]:
    """What was expected and not found, and what was found and not expected; unmatched `optional_kinds` are ignored."""
    errors: list[UserError] = []
    for diagnostic in found:
        match = next((e for e in expected if not e.met and e.accepts(diagnostic)), None)
        if match is not None:
            match.met = True
        elif diagnostic.kind not in optional_kinds:
            place = SourceLocation(file, diagnostic.line) if diagnostic.line else None
            errors.append(UserError(f"unexpected {diagnostic.kind}: {diagnostic.message}", place))
    for e in expected:
        if not e.met:
            place = SourceLocation(file, e.comment_line)
            errors.append(UserError(f"expected {e.kind} '{e.text}' was not produced", place))
    return errors


def _line(location: SourceLocation | None) -> int | None:
    return location.line if location else None
