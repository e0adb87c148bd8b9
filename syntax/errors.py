"""Errors in the text, while it is parsed: by position, turned to file, line and column where they are reported."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path
from traceback import extract_tb
from typing import NoReturn

from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import ParseError, VerifyException

from mlc.support.blame import blame, is_raised_in_plugin, place_of
from mlc.support.errors import Note, Replacement, SourceLocation, UserError, UserErrors, WordedError, Words
from mlc.support.recursion import TOO_DEEP
from mlc.syntax.mismatches import explain_parsing
from mlc.syntax.words import one_line

LIMIT = 20
"""Errors that are reported for one text."""

_HERE = Path(__file__).parent

PositionedNote = tuple[str, int]
"""A note and the position that it points to."""


class Fault(WordedError):
    """Something wrong in the text at a position (None: where the parser is), and what was probably meant there."""

    def __init__(
        self,
        words: Words,
        position: int | None = None,
        notes: Sequence[PositionedNote] = (),
        replacement: Replacement | None = None,
    ) -> None:
        super().__init__(words)
        self.position = position
        self.notes = tuple(notes)
        self.replacement = replacement


def misspelled(words: str, written: str, known: Sequence[str], position: int) -> Fault:
    """The fault for a name that does not exist, with the first of the known ones, if there are any, as a guess."""
    if not known:
        return Fault(words, position)
    replacement = Replacement(written, known[0])
    return Fault(f"{words}, did you mean '{known[0]}'?", position, replacement=replacement)


class FatalFault(Fault):
    """An error after which there is no point in going on."""


class Consequence(Fault):
    """Something that cannot be read because of an error that was found before: nothing that a user needs to hear."""

    def __init__(self) -> None:
        super().__init__("this follows from another error")


class TooManyErrors(Exception):
    """There is no point in going on."""


_OF_TEXTS = (Fault, ParseError, VerifyException, UserError, TooManyErrors, MemoryError)
"""What comes out of code of a dialect that is right."""


class SyntaxFault(Fault):
    """The next token is not one that may stand here.

    Args:
        expected: what may, in words, or nothing where that would be long.
        spellings: the keywords and the punctuation that may.
    """

    def __init__(self, position: int, found: str, expected: str = "", spellings: Sequence[str] = ()) -> None:
        super().__init__(f"expected {expected}, got {found}" if expected else f"unexpected {found}", position)
        self.found = found
        self.spellings = spellings


def reason_of(error: Exception, otherwise: str = "this is not valid here") -> str | None:
    """What the code of a dialect, such as a verifier or the constructor of an attribute, says against a text.

    Whatever it raises is an error of the text. xDSL forgets some checks, so that something else fails later, such as
    an assertion or the access to an element that does not exist; these have no words for users and are `otherwise`.
    None if it is not the text that is wrong: a file is missing, or there is a mistake in a plugin or in the code of
    this package itself. What a plugin has against a text it raises as a `VerifyException`, or by `parser.raise_error`.
    """
    if isinstance(error, MemoryError | OSError | UserError | TooManyErrors):
        return None
    if is_raised_in_plugin(error) and not isinstance(error, VerifyException):
        return None
    if isinstance(error, RecursionError):
        return TOO_DEEP
    if isinstance(error, VerifyException | ValueError | OverflowError) or type(error) is Exception:
        return explain_parsing(str(error)) or otherwise
    frames = extract_tb(error.__traceback__)
    ours = bool(frames) and Path(frames[-1].filename).parent == _HERE
    return None if ours or blame(error) is not None else otherwise


def mistake_of(
    definition: type[Operation | Attribute], error: Exception, read: SourceLocation | None
) -> UserError | None:
    """The error for code of a plugin's class that fails while it parses or verifies, or cannot be called at all.

    Args:
        read: the place in the text that it was about.

    Returns:
        None if the class is not a plugin's, or says with the exception that the text is wrong.
    """
    place = place_of(definition)
    too_deep = isinstance(error, RecursionError) and not is_raised_in_plugin(error)
    if place is None or too_deep or isinstance(error, _OF_TEXTS):
        return None
    line = blame(error)
    message = f"{type(error).__name__}: {one_line(str(error))}"
    notes = [Note("the text in question", read)] if read else ()
    return UserError(message if line else f"'{definition.name}': {message}", line or place, notes)


def raise_all(errors: Iterable[UserError]) -> NoReturn:
    """Raise errors together, in the order of their places."""
    ordered = sorted(errors, key=lambda e: (e.location.line, e.location.column) if e.location else (0, 0))
    raise ordered[0] if len(ordered) == 1 else UserErrors(ordered)


class Source:
    """A text and the way from positions in it to lines and columns."""

    def __init__(self, text: str, filename: str) -> None:
        self.text = text
        self.filename = filename

    @cached_property
    def line_starts(self) -> Sequence[int]:
        """The positions where lines start."""
        starts = [0]
        at = self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def locate(self, position: int) -> SourceLocation:
        """The line and column of a position, both from 1."""
        line = bisect_right(self.line_starts, position)
        return SourceLocation(self.filename, line, position - self.line_starts[line - 1] + 1)

    def position(self, location: SourceLocation) -> int:
        """The inverse of `locate`."""
        return self.line_starts[location.line - 1] + max(location.column, 1) - 1

    def user_error(self, fault: Fault, position: int) -> UserError:
        """The error as a user sees it; `position` is for a fault that has none of its own."""
        at = self.locate(position if fault.position is None else fault.position)
        error = UserError(fault.words, at, [Note(text, self.locate(p)) for text, p in fault.notes])
        error.replacement = fault.replacement
        return error
