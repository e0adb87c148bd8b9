"""What stays true of a module while `mlc-opt --reduce` leaves parts of it out: `--reduce-while` in its spellings."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from mlc.pass_manager.wrong_value import wrong_value_in
from mlc.support.errors import CompilerBug, UserError

SPELLINGS = "differs, crashes, message=REGEX, slower=SECONDS or script=FILE"


@dataclass(frozen=True)
class PassesOutcome:
    """How passes end on a module."""

    error: UserError | CompilerBug | None
    seconds: float
    """How long they took."""


@dataclass(frozen=True)
class KeptPredicate:
    """What is kept, of what the passes make of a module."""

    words: str
    """That it holds, after "the passes"."""
    holds: Callable[[PassesOutcome], bool]
    checks_each: bool = False
    """Whether it needs the module to be run before and after each pass."""


@dataclass(frozen=True)
class ScriptPredicate:
    """A program that gets the path of a module, and ends with status 0 if that is what is looked for."""

    file: str

    def accepts(self, text: str) -> bool:
        """Whether the program ends with status 0 for this module.

        Raises:
            UserError: it cannot be started.
        """
        with tempfile.TemporaryDirectory(prefix="mlc-reduce-") as folder:
            (path := Path(folder) / "module.mlir").write_text(text, encoding="utf-8")
            command = [str(Path(self.file).absolute()), str(path)]
            try:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
            except OSError as e:
                raise UserError(
                    f"--reduce-while script={self.file}: {e.strerror}; required: a program that can be run (chmod +x)"
                ) from None
        return done.returncode == 0


def parse_predicate(spelling: str) -> KeptPredicate | ScriptPredicate:
    """What `--reduce-while` names.

    Raises:
        UserError: it names nothing that can be kept.
    """
    kind, _, value = spelling.partition("=")
    match kind, value:
        case "differs", "":
            return KeptPredicate("change a value", lambda o: wrong_value_in(o.error) is not None, checks_each=True)
        case "crashes", "":
            return KeptPredicate("fail", _crashes)
        case "message", value if value:
            pattern = _pattern(value)
            return KeptPredicate(
                f"end in an error with '{value}'", lambda o: bool(o.error and pattern.search(o.error.message))
            )
        case "slower", value if value:
            limit = _seconds(value)
            return KeptPredicate(f"take more than {value} s", lambda o: o.seconds > limit)
        case "script", value if value:
            return ScriptPredicate(value)
        case _:
            raise UserError(f"found --reduce-while {spelling}; required: {SPELLINGS}")


def _crashes(outcome: PassesOutcome) -> bool:
    return isinstance(outcome.error, CompilerBug) and wrong_value_in(outcome.error) is None


def _pattern(text: str) -> re.Pattern[str]:
    try:
        return re.compile(text)
    except re.error as e:
        raise UserError(f"found --reduce-while message={text}; required: a regular expression ({e})") from None


def _seconds(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise UserError(f"found --reduce-while slower={text}; required: a number of seconds") from None
