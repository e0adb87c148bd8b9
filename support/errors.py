"""The two families of errors.

A `UserError` is something that a user did or has: bad text, a wrong shape, a missing clang, a full disk. Tools print it
as `file:line:col: error: …` and exit with status 1; it never shows a traceback. A `CompilerBug` is ours: a verifier
that fails after a pass, clang refusing our IR. Tools say so, name the pass, and write a reproducer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class SourceLocation:
    """A place in a source file; `line` and `column` count from 1, column 0 means the whole line.

    In a file without lines, whose places have names, line 0 stands for the part called `name`.
    """

    file: str
    line: int
    column: int = 0
    name: str = ""

    def __str__(self) -> str:
        if not self.line:
            return f"{self.file}: '{self.name}'" if self.name else self.file
        return f"{self.file}:{self.line}:{self.column}" if self.column else f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Note:
    """A further remark attached to an error, often pointing at an earlier definition."""

    message: str
    location: SourceLocation | None = None


class UserError(Exception):
    """An error in what the user gave, worded as: what was found, what was required, what to do."""

    def __init__(self, message: str, location: SourceLocation | None = None, notes: Sequence[Note] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.location = location
        self.notes = tuple(notes)

    def __str__(self) -> str:
        """The message with its place, as Python shows it to users of the API."""
        return f"{self.location}: error: {self.message}" if self.location else self.message


class UserErrors(UserError):
    """Several user errors that were found in one go, in source order."""

    def __init__(self, errors: Sequence[UserError]) -> None:
        super().__init__(errors[0].message, errors[0].location, errors[0].notes)
        self.errors = tuple(errors)

    def __str__(self) -> str:
        return "\n".join(map(str, self.errors))


def raise_found(errors: Iterable[UserError]) -> None:
    """Raises: UserError, or UserErrors for several, if there are any."""
    found = list(errors)
    if len(found) == 1:
        raise found[0]
    if found:
        raise UserErrors(found)


class CompilerBug(Exception):
    """A defect in mlc itself; `stage` names the pass or tool that failed."""

    def __init__(self, message: str, stage: str, details: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.stage = stage
        self.details = details
