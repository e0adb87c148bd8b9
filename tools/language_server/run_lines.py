"""The RUN lines of a lit test that an editor can run: `mlc-opt`, whose output filecheck may read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_RUN = re.compile(r"//[ \t]*RUN:([^\n]*)")
_STDERR = "2>&1"
_PREFIX = re.compile(r"--?check-prefix(?:es)?(?:=(.*))?")


@dataclass(frozen=True)
class RunLine:
    """One RUN line."""

    start: int
    """The position of its comment."""
    command: str
    """What stands after `RUN:`."""
    command_start: int
    arguments: Sequence[str]
    """Those of mlc-opt, with `%s` for the file."""
    merged: bool
    """Whether its errors are read with its output."""
    check: Sequence[str] | None
    """The arguments of filecheck, if it reads the output."""

    @property
    def prefixes(self) -> list[str]:
        """The prefixes of the directives that filecheck reads."""
        given = [*(self.check or ())]
        for i, word in enumerate(given):
            if (m := _PREFIX.fullmatch(word)) is not None:
                return (m[1] if m[1] is not None else given[i + 1] if i + 1 < len(given) else "CHECK").split(",")
        return ["CHECK"]

    def until(self, position: int) -> Sequence[str]:
        """The arguments of mlc-opt up to the one that a position is in."""
        end = position - self.command_start
        while True:
            space = self.command.find(" ", end)
            end = len(self.command) if space < 0 else space
            if (words := _words(self.command[:end])) is not None or end == len(self.command):
                return [] if not words else words[1:]
            end += 1


def run_lines(text: str) -> Iterator[RunLine]:
    """The RUN lines of a text, without those that are continued on another line."""
    for m in _RUN.finditer(text):
        words = _words(m[1])
        if not words or words[0] != "mlc-opt" or words[-1] == "\\":
            continue
        stages = _stages(words)
        if len(stages) > 2 or (len(stages) == 2 and stages[1][:1] != ["filecheck"]):
            continue
        first = stages[0][1:]
        check = stages[1][1:] if len(stages) == 2 else None
        arguments = [word for word in first if word != _STDERR]
        yield RunLine(m.start(), m[1], m.start(1), arguments, len(arguments) < len(first), check)


def _words(command: str) -> list[str] | None:
    """The words of a command, with `|` among them; None if a quote is not closed."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="|")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        return list(lexer)
    except ValueError:
        return None


def _stages(words: Sequence[str]) -> list[list[str]]:
    stages: list[list[str]] = [[]]
    for word in words:
        if word == "|":
            stages.append([])
        else:
            stages[-1].append(word)
    return stages
