"""What a user may choose of a compilation."""

from __future__ import annotations

import operator
import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, SupportsIndex

from mlc.pass_manager.pipeline import ACCURACIES, HIGHEST
from mlc.support.bindings import Bindings
from mlc.support.errors import UserError

if TYPE_CHECKING:
    from mlc.schedules.records.recorded_schedules import RecordedSchedules


@dataclass(frozen=True)
class CompileOptions:
    """What a user may choose."""

    target: str = "native"
    """A machine of `mlc targets`."""
    threads: int = 1
    """How many threads one call may use."""
    opt_level: int = HIGHEST
    """0 to 3, for the passes and for clang."""
    cc: str | None = None
    """The clang to use instead of the one that is found."""
    prefix: str = ""
    """What stands in front of the model's name in the names for C, so that several fit into one program."""
    bindings: Bindings = field(default_factory=Bindings)
    """What is given to inputs whose shapes or values the model leaves open."""
    suffix: str = ""
    """What stands behind the model's name in the names for C, where it is compiled for several shapes."""
    accuracy: str = "exact"
    """One of `ACCURACIES`: whether algorithms with larger errors may be used."""
    records: str | None = None
    """The file of records of `mlc tune` that schedules are taken from; None for that of the user, "" for none."""

    def check(self) -> None:
        """Raises: UserError if a number is out of range, the target is unknown, the prefix is no name in C, or the file
        of records is none."""
        from mlc.targets.machine import resolve_target

        if self.prefix and not (self.prefix.isidentifier() and self.prefix.isascii()):
            raise UserError(f"--prefix '{self.prefix}' is no name in C; use letters, digits and '_'")
        if not 0 <= self.opt_level <= HIGHEST:
            raise UserError(f"optimisation level {self.opt_level} does not exist; it is one of 0 to {HIGHEST}")
        if self.accuracy not in ACCURACIES:
            raise UserError(f"found accuracy '{self.accuracy}'; required: {' or '.join(ACCURACIES)}")
        if self.threads < 1:
            raise UserError(f"found {self.threads} threads; at least 1 is needed")
        resolve_target(self.target)
        if self.records:
            from mlc.schedules.records.record_file import require_records

            require_records(self.records)

    def recorded_schedules(self) -> RecordedSchedules | None:
        """What records say about schedules, if there are any.

        Raises:
            UserError: the file of records does not exist.
        """
        from mlc.schedules.records.record_file import records_file

        if self.records == "" or (file := records_file(self.records)) is None:
            return None
        from mlc.schedules.records.recorded_schedules import RecordedSchedules

        return RecordedSchedules(file, self.target, self.threads, self.opt_level, self.accuracy)


def options_of_python(
    target: str,
    threads: int,
    opt_level: int,
    cc: str | os.PathLike[str] | None,
    accuracy: str,
    records: str | os.PathLike[str] | None,
) -> CompileOptions:
    """The options that a Python program chose.

    Raises:
        TypeError: one is of another type.
        UserError: one is wrong.
    """
    wanted: tuple[tuple[str, object, Any, str], ...] = (
        ("target", target, str, "a name, such as 'native'"),
        ("threads", threads, SupportsIndex, "a whole number"),
        ("opt_level", opt_level, SupportsIndex, "a whole number"),
        ("accuracy", accuracy, str, "'exact' or 'fast'"),
        ("cc", "" if cc is None else cc, (str, os.PathLike), "the name or the path of a clang, or None"),
        ("records", "" if records is None else records, (str, os.PathLike), "the path of a file of records, or None"),
    )
    for name, value, kind, required in wanted:
        if not isinstance(value, kind):
            raise TypeError(f"found {name}={value!r}; required: {required}")
    clang = None if cc is None else os.fspath(cc)
    file = None if records is None else os.fspath(records)
    numbers = operator.index(threads), operator.index(opt_level)
    options = CompileOptions(target, *numbers, clang, accuracy=accuracy, records=file)
    options.check()
    return options
