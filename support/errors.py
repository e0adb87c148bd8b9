"""The two families of errors, and what all that tell users of a problem have in common.

A `UserError` is something that a user did or has: bad text, a wrong shape, a missing clang, a full disk. Tools print it
as `file:line:col: error: …` and exit with status 1; it never shows a traceback. A `CompilerBug` is ours: a verifier
that fails after a pass, clang refusing our IR. Tools say so, name the pass, and write a reproducer.

A `WordedError` carries its words with the options that they name as data: command lines word these as flags, and Python
as keyword arguments. A `Refused` tells the caller alone why something was not done.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path


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


@dataclass(frozen=True)
class NamedOption:
    """An option of a command, as messages name it, which is an argument of functions in Python.

    `operand` is what follows on a command line, such as FILE; `argument` is how Python spells it, if not by its name.
    """

    name: str
    operand: str = ""
    argument: str = ""

    def flag(self) -> str:
        """The option on a command line: `--records FILE`."""
        return f"--{self.name} {self.operand}".rstrip()

    def keyword(self) -> str:
        """The option in Python: `records`."""
        return self.argument or self.name


LOAD_PASS = NamedOption("load-pass", "FILE.py", "mlc.load_pass('FILE.py')")
"""What adds patterns, steps and passes."""

Words = str | Sequence[str | NamedOption]
"""A message, or its parts."""


class WordedError(Exception):
    """Something that cannot be done, in words: what was found, what was required, what to do."""

    def __init__(self, words: Words) -> None:
        super().__init__(words)
        self.words = parts_of(words)

    @property
    def message(self) -> str:
        """The words for users of command lines."""
        return "".join(part if isinstance(part, str) else part.flag() for part in self.words)

    def __str__(self) -> str:
        """The words for users of the API."""
        return "".join(part if isinstance(part, str) else part.keyword() for part in self.words)


def parts_of(words: Words) -> tuple[str | NamedOption, ...]:
    """The parts of a message."""
    return (words,) if isinstance(words, str) else tuple(words)


class Refused(WordedError):
    """Why a step leaves a loop as it is, or a pattern an op; nothing has been changed. Whoever asked for it tells the
    user, if it is worth telling, and where."""


@dataclass(frozen=True)
class Replacement:
    """What somebody who wrote a name that does not exist probably meant."""

    old: str
    """What stands at the place of the error."""
    new: str


class UserError(WordedError):
    """An error in what the user gave."""

    subject: str | None = None
    """The name of the op that it is about, if it is about one."""
    constraint: str | None = None
    """The name of the constraint of that op which is broken, if the documentation of the op lists it: `matmul_c2`."""
    replacement: Replacement | None = None
    """What would be right at its place, if a guess is good."""

    def __init__(self, words: Words, location: SourceLocation | None = None, notes: Sequence[Note] = ()) -> None:
        super().__init__(words)
        self.location = location
        self.notes = tuple(notes)

    def __str__(self) -> str:
        """The words with their place, for users of the API."""
        return f"{self.location}: error: {super().__str__()}" if self.location else super().__str__()


class UserErrors(UserError):
    """Several user errors that were found in one go, in source order."""

    def __init__(self, errors: Sequence[UserError]) -> None:
        super().__init__(errors[0].words, errors[0].location, errors[0].notes)
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
    """A defect in mlc itself; `stage` names the pass or tool that failed, and `reproducer` the file that shows it."""

    def __init__(self, message: str, stage: str, details: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.stage = stage
        self.details = details
        self.reproducer: Path | None = None

    @property
    def reproducer_lines(self) -> list[str]:
        """What is told of the reproducer: nothing if there is none."""
        return [] if self.reproducer is None else [f"reproducer: {self.reproducer}"]


class Whereabouts(str):
    """A note on an exception of Python that says where it was raised: `in the schedule step 'unroll(k)'`. Those of xDSL
    hold the whole module."""


def causes_of(error: BaseException | None) -> Iterator[BaseException]:
    """An error, and what led to it, the error first; each once, since `raise e from e` makes a ring."""
    seen: list[BaseException] = []
    while error is not None and not any(error is each for each in seen):
        seen.append(error)
        yield error
        error = error.__cause__
