"""Files of records: a line each, appended as they are measured, joined by `cat`.

A process that ends in the middle leaves at most one line that is cut off, which a reader skips and tells; the next
writer starts a line of its own.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from mlc.schedules.records.record import FormatError, Record, parse_record
from mlc.support.errors import NamedOption, SourceLocation, UserError
from mlc.support.file_digest import file_digest
from mlc.support.former_names import steps_today
from mlc.targets.machine_file import config_folder

if TYPE_CHECKING:
    from mlc.support.context import Remark

RECORDS_VARIABLE = "MLC_RECORDS_FILE"
_RECORDS = NamedOption("records", "FILE")
"""The environment variable that names the default file; if it is empty, there is none."""
_MOST_TOLD = 3
"""Of so many lines that are not records each is told; of more it is said how many there are."""


@dataclass(frozen=True)
class Records:
    """What a file held."""

    records: tuple[Record, ...] = ()
    """In the order of the file."""
    problems: tuple[Remark, ...] = ()
    """What is wrong with lines that are not records: of the first ones, and how many more there are. Former names of
    steps, each once."""


def default_records_file() -> Path | None:
    """The records of the user: `$MLC_RECORDS_FILE`, else a file in `$XDG_CONFIG_HOME/mlc` or `~/.config/mlc`.

    None if the variable is empty, or there is no home. The file need not exist.
    """
    if (named := os.environ.get(RECORDS_VARIABLE)) is not None:
        return Path(named) if named else None
    folder = config_folder()
    return None if folder is None else folder / "records.jsonl"


def records_file(named: str | None) -> Path | None:
    """The file that a compilation takes schedules from: the one that is `named`, else that of the user if it exists.

    Raises:
        UserError: the one that is named does not exist, or what has the name is not a file.
    """
    path = default_records_file() if named is None else Path(named)
    if path is None or path.is_file():
        return path
    if path.exists():
        other = _RECORDS if named is not None else RECORDS_VARIABLE
        raise UserError((f"cannot read records from '{path}': {_kind_of(path)}; ", other, " names another file"))
    if named is None:
        return None
    raise UserError(f"records file '{named}' not found; `mlc tune MODEL --records {named}` writes one")


def require_records(named: str) -> None:
    """Make sure that the file of that name is one of records, or empty: what it holds is read as far as the first one.

    Raises:
        UserError: as `records_file`; or the file cannot be read, or no line of it is a record.
    """
    path, reason = Path(named), ""
    records_file(named)
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(stream, 1):
                if not line.strip():
                    continue
                try:
                    _record_in(line)
                    return
                except FormatError as e:
                    reason = reason or f"line {number}: {e}"
    except OSError as e:
        raise _unreadable(path, e) from None
    if reason:
        found = f"found no record in '{path}' ({reason}); required: a file that `mlc tune MODEL --records FILE` wrote"
        raise UserError((f"{found}; ", _RECORDS, " names another file"))


def _record_in(line: bytes) -> Record:
    """Raises: FormatError if the line is not a record."""
    try:
        return parse_record(line.decode("utf-8"))
    except UnicodeDecodeError:
        raise FormatError("no UTF-8") from None


def records_digest(named: str | None) -> str:
    """What is equal for files that give equal schedules; empty if there is none, as for the name "".

    Raises:
        UserError: as `records_file`, or the file cannot be read.
    """
    path = None if named == "" else records_file(named)
    if path is None:
        return ""
    try:
        with path.open("rb") as stream:
            return file_digest(stream.fileno())
    except OSError as e:
        raise _unreadable(path, e) from None


def read_records(path: Path) -> Records:
    """The records of a file; none if it does not exist.

    Raises:
        UserError: it cannot be read.
    """
    try:
        return _parsed(path, path.read_bytes())
    except FileNotFoundError:
        return Records()
    except OSError as e:
        raise _unreadable(path, e) from None


@lru_cache(maxsize=4)
def _parsed(path: Path, data: bytes) -> Records:
    """What a file holds whose bytes are these: times and sizes of files do not show each change."""
    from mlc.support.context import Remark  # with xDSL, which one who asks for the digest alone does without

    lines = data.split(b"\n")
    records: list[Record] = []
    problems: list[Remark] = []
    former: dict[str, SourceLocation] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = SourceLocation(str(path), number)
        try:
            records.append(_with_names_of_today(_record_in(line), place, former))
        except FormatError as e:
            reason = "it was cut off while it was written" if number == len(lines) else e
            problems.append(Remark(f"the line is not a record and is left out: {reason}", place))
    names = (Remark(message, place) for message, place in former.items())
    return Records(tuple(records), (*_first_of(problems, path), *names))


def _with_names_of_today(record: Record, place: SourceLocation, former: dict[str, SourceLocation]) -> Record:
    """The record with the names that steps have today; `former` gets a message for each other name, with its place."""
    said: list[str] = []
    schedule, beside = (steps_today(text, said.append) for text in (record.schedule, record.beside))
    for message in said:
        former.setdefault(message, place)
    return replace(record, schedule=schedule, beside=beside)


def _first_of(problems: Sequence[Remark], path: Path) -> tuple[Remark, ...]:
    told = tuple(problems[:_MOST_TOLD])
    if not (more := len(problems) - len(told)):
        return told
    one, several = "1 more line is not a record and is left out", f"{more} more lines are not records and are left out"
    return (*told, replace(told[0], message=one if more == 1 else several, location=SourceLocation(str(path), 0)))


def require_writable(path: Path) -> Records:
    """Make sure that records can be appended, before there are any; gives those that are there already.

    Raises:
        UserError: they cannot; or something else is in the file, which nobody wants records behind.
    """
    is_new = not path.exists()
    if not is_new and not path.is_file():
        raise _unwritable(path, _kind_of(path))
    append_records(path, ())
    known = read_records(path)
    if known.problems and not known.records:
        raise _unwritable(path, f"it holds something else ({known.problems[0].message})")
    if is_new:  # it appears when there is something to keep
        path.unlink()
    return known


def _kind_of(path: Path) -> str:
    """What stands where a file should."""
    return "it is a folder" if path.is_dir() else "it is not a regular file"


def append_records(path: Path, records: Sequence[Record]) -> None:
    """Write records after those of a file, each by one call of the system, so that other writers do not get between.

    Raises:
        UserError: that is not possible.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            size = os.fstat(descriptor).st_size
            start = b"\n" if records and size and os.pread(descriptor, 1, size - 1) != b"\n" else b""
            for record in records:
                os.write(descriptor, start + record.line().encode())
                start = b""
        finally:
            os.close(descriptor)
    except OSError as e:
        raise _unwritable(path, e.strerror or str(e)) from None


def _unwritable(path: Path, reason: str) -> UserError:
    return UserError((f"cannot write records to '{path}': {reason}; ", _RECORDS, " names another file"))


def _unreadable(path: Path, error: OSError) -> UserError:
    return UserError(f"cannot read records from '{path}': {error.strerror or error}")
