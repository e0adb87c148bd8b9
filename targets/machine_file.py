"""The file that keeps what `mlc machine measure` found: TOML, for people to read.

mlc = "0.1.0"
date = "2026-01-31"
cpu = "znver4"
[identity]                  # of the CPU that was measured; on another one the file is ignored
…
[facts.fma_latency]
value = 4.02                # as measured
planned = 4                 # as rules use it; missing where the value was too unsteady
unit = "cycles"
spread = 0.01               # how far the best measurements were apart, as a part of the value
source = "measured"
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import Any, cast, get_args

from mlc.architectures.facts import FACTS, FactSource, SourceKind
from mlc.support.errors import UserError
from mlc.targets import host

VARIABLE = "MLC_MACHINE_FILE"
"""The environment variable that names the file; if it is empty, no file is used."""
MEASURED = FactSource("measured")
_FIELDS = ("value", "planned", "unit", "spread", "source", "detail")
_MISSPELT = 0.8
"""How much alike two names are, of which one is taken for a slip."""
_FAR = 8
"""How many times as much as was measured nobody plans for."""


@dataclass(frozen=True)
class Measured:
    """A number, as it was measured."""

    value: float
    spread: float
    """How far the best measurements were apart, as a part of the value."""
    planned: float | None
    """As rules use it; None if it is not used."""
    source: FactSource = MEASURED


@dataclass(frozen=True)
class MachineFile:
    """What was measured of one CPU."""

    version: str
    """Of mlc."""
    date: str
    cpu: str
    identity: Mapping[str, str]
    facts: Mapping[str, Measured]
    """By their names in `FACTS`."""

    @property
    def is_of_this_machine(self) -> bool:
        """Whether it was measured on the CPU that this process runs on."""
        return dict(self.identity) == host.identity()


def machine_file_path() -> Path | None:
    """Where the file of this CPU is: `$MLC_MACHINE_FILE`, else a file in `$XDG_CONFIG_HOME/mlc` or `~/.config/mlc`.

    None if the variable is empty, or there is no home. The file need not exist. Its name says of which CPU it is, so
    that machines may share a home.
    """
    if (named := os.environ.get(VARIABLE)) is not None:
        return Path(named) if named else None
    short = hashlib.sha256(json.dumps(host.identity(), sort_keys=True).encode()).hexdigest()[:8]
    name = f"machine-{cpu.name if (cpu := host.cpu()) else host.machine_name()}-{short}.toml"
    folder = config_folder()
    return None if folder is None else folder / name


def config_folder() -> Path | None:
    """Where files of a user lie that change what is compiled: `$XDG_CONFIG_HOME/mlc`, else `~/.config/mlc`.

    None if there is no home. The folder need not exist.
    """
    if shared := os.environ.get("XDG_CONFIG_HOME"):
        return Path(shared) / "mlc"
    try:
        return Path.home() / ".config" / "mlc"
    except RuntimeError:
        return None


def why_no_place(variable: str) -> str:
    """Why a file of the user, which `variable` of the environment may name, has no place, in words."""
    return f"{variable} is empty" if variable in os.environ else "there is no home directory"


def read_machine_file() -> MachineFile | None:
    """The file of this process, of whatever CPU; None if there is none.

    Raises:
        UserError: it cannot be read, or is broken.
    """
    path = machine_file_path()
    if path is None:
        return None
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except IsADirectoryError:
        raise UserError(f"the machine file '{path}' is a folder; {VARIABLE} names another file, or none") from None
    except OSError as e:
        raise _broken(path, e.strerror or str(e)) from None
    return _of_bytes(path, data)


def measured_facts() -> tuple[dict[str, float], dict[str, FactSource]]:
    """The facts of this CPU that were measured and are steady enough to be used, and their sources.

    Raises:
        UserError: as `read_machine_file`.
    """
    found = read_machine_file()
    if found is None or not found.is_of_this_machine:
        return {}, {}
    used = {name: fact for name, fact in found.facts.items() if fact.planned is not None}
    return (
        {name: cast(float, fact.planned) for name, fact in used.items()},
        {name: FactSource(fact.source.kind, fact.source.detail or found.date) for name, fact in used.items()},
    )


def require_writable(path: Path) -> None:
    """See that the file can be written, before anything is measured for it.

    Raises:
        UserError: it cannot.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=path.parent).close()
        if path.is_dir():
            raise IsADirectoryError(0, "it is a folder")
    except OSError as e:
        raise _unwritable(path, e) from None


def _unwritable(path: Path, problem: OSError) -> UserError:
    return UserError(f"cannot write '{path}': {problem.strerror}; {VARIABLE} names another file")


def write_machine_file(path: Path, file: MachineFile) -> None:
    """Write the file, whole or not at all.

    Raises:
        UserError: it cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, delete=False, encoding="utf-8") as new:
            try:
                new.write(_text_of(file))
                new.close()
                Path(new.name).replace(path)
            finally:
                Path(new.name).unlink(missing_ok=True)
    except OSError as e:
        raise _unwritable(path, e) from None


def _text_of(file: MachineFile) -> str:
    lines = [
        "# What `mlc machine measure` found. Rules use `planned`; a fact without it was too unsteady.",
        f"mlc = {_quoted(file.version)}",
        f"date = {_quoted(file.date)}",
        f"cpu = {_quoted(file.cpu)}",
        "",
        "[identity]",
        *(f"{key} = {_quoted(value)}" for key, value in file.identity.items()),
    ]
    for name, fact in file.facts.items():
        lines += ["", f"[facts.{name}]  # {FACTS[name].words}", f"value = {_digits(fact.value)}"]
        lines += [f"planned = {_digits(fact.planned)}"] if fact.planned is not None else []
        lines += [f"unit = {_quoted(FACTS[name].unit)}", f"spread = {fact.spread:.3g}"]
        lines += [f"source = {_quoted(fact.source.kind)}"]
        lines += [f"detail = {_quoted(fact.source.detail)}"] if fact.source.detail else []
    return "\n".join(lines) + "\n"


def _digits(value: float) -> str:
    """A number with as many digits as mean something."""
    return str(int(value)) if value == int(value) else f"{value:.6g}"


def _quoted(text: str) -> str:
    """A basic string of TOML, whose escapes are those of JSON."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


@lru_cache(maxsize=8)
def _of_bytes(path: Path, data: bytes) -> MachineFile:
    """What a file holds whose bytes are these: times and sizes of files do not show each change."""
    try:
        return _parsed(tomllib.loads(data.decode()))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, _FormatError) as e:
        raise _broken(path, str(e)) from None


def _broken(path: Path, problem: str) -> UserError:
    return UserError(
        f"the machine file '{path}' is broken: {problem}; make it again with `mlc machine measure`, or remove it"
    )


class _FormatError(Exception):
    """The file is TOML, but not what is expected."""


def _parsed(table: Mapping[str, Any]) -> MachineFile:
    """Raises: _FormatError."""
    facts: dict[str, Measured] = {}
    for name, entry in _required(table, "facts", dict).items():
        if name in FACTS:
            facts[name] = _parsed_fact(name, entry)
        elif near := get_close_matches(name, list(FACTS), n=1, cutoff=_MISSPELT):
            raise _FormatError(f"found the fact '{name}', did you mean '{near[0]}'?")
        # Others are those of another version of mlc.
    identity = cast(dict[str, Any], _required(table, "identity", dict))
    version, date, cpu = (_required(table, key, str) for key in ("mlc", "date", "cpu"))
    return MachineFile(version, date, cpu, {key: str(value) for key, value in identity.items()}, facts)


def _parsed_fact(name: str, entry: object) -> Measured:
    if not isinstance(entry, dict):
        raise _FormatError(f"found '{name}' without a value; required: a table with 'value' and 'spread'")
    fields = cast(dict[str, Any], entry)
    if unknown := [key for key in fields if key not in _FIELDS]:
        raise _FormatError(f"found '{unknown[0]}' of '{name}'; its fields are {', '.join(_FIELDS)}")
    if (unit := fields.get("unit", FACTS[name].unit)) != FACTS[name].unit:
        raise _FormatError(f"found '{name}' in {unit!r}; required: {FACTS[name].unit!r}")
    value, spread = (_number(fields, name, key) for key in ("value", "spread"))
    planned = _number(fields, name, "planned") if "planned" in fields else None
    about = FACTS[name]
    if planned is not None and planned < about.least:
        raise _FormatError(f"found '{name}' planned as {planned:g}; required: at least {about.least:g}")
    if planned is not None and value and planned > _FAR * max(value, about.least):
        raise _FormatError(f"found '{name}' planned as {planned:g}, where {value:g} was measured")
    if planned is not None and about.is_whole:
        planned = round(planned)
    kind = fields.get("source", "measured")
    if kind not in get_args(SourceKind):
        raise _FormatError(f"found the source '{kind}' of '{name}'; required: one of {', '.join(get_args(SourceKind))}")
    return Measured(value, spread, planned, FactSource(kind, str(fields.get("detail", ""))))


def _number(fields: Mapping[str, Any], name: str, key: str) -> float:
    value = fields.get(key)
    if value is None:
        raise _FormatError(f"'{key}' of '{name}' is missing; required: a number that is not negative")
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < float("inf"):
        raise _FormatError(f"found '{key}' of '{name}' as {value!r}; required: a number that is not negative")
    return value


def _required(table: Mapping[str, Any], key: str, kind: type) -> Any:
    value = table.get(key)
    if not isinstance(value, kind):
        word = "a table" if kind is dict else "a text"
        if value is None:
            raise _FormatError(f"'{key}' is missing; required: {word}")
        raise _FormatError(f"found '{key}' as {value!r}; required: {word}")
    return value
