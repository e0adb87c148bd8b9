"""Plugins that a project names in its `pyproject.toml`:

    [tool.mlc]
    load-dialect = ["dialects/act.py"]
    load-pass = ["passes/mine.py"]
    irdl-file = ["dialects/cmath.irdl"]

Keys are those of the options of commands, paths start at the folder of the file. Plugins are programs, so this is read
only where somebody says that the project is to be trusted.
"""

from __future__ import annotations

import re
import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import cast

from mlc.plugins.arguments import PluginArguments
from mlc.support.errors import SourceLocation, UserError

PROJECT_FILE = "pyproject.toml"
_KEYS = {"load-dialect": "load_dialect", "load-pass": "load_pass", "irdl-file": "irdl_file"}

_TOML_LINE = re.compile(r"at line (\d+)")
_TOML_WORD = re.compile(r"""[\w.-]+(?=\s*[\]=])|"[^"]*"|'[^']*'""")


def project_file(folder: Path) -> Path | None:
    """The `pyproject.toml` of a folder, or of the nearest one above it that has one."""
    folder = folder.resolve()
    return next((file for each in (folder, *folder.parents) if (file := each / PROJECT_FILE).is_file()), None)


def plugins_of_project(file: Path) -> PluginArguments:
    """The plugins that a `pyproject.toml` names, with absolute paths.

    Raises:
        UserError: it cannot be read, is not TOML, or its table `tool.mlc` says something else; at the line, if that is
            known.
    """
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        message = f"found no {PROJECT_FILE} in '{file.parent}'; required: one that names the plugins"
        raise UserError(message) from None
    except OSError as e:
        raise UserError(f"cannot read '{file}': {e.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        line = _TOML_LINE.search(str(e))
        place = SourceLocation(str(file), int(line[1]) if line else 1)
        raise UserError(f"'{file}' is not TOML: {e}", place) from None
    tool = read.get("tool", {})
    table: object = cast(dict[str, object], tool).get("mlc", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UserError(f"'{file}': found a value for tool.mlc; required: a table", place_in_project(file, "mlc"))
    named = PluginArguments()
    for key, value in cast(dict[str, object], table).items():
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; they are {', '.join(_KEYS)}"
            raise UserError(f"'{file}': tool.mlc has no key '{key}'{hint}", place_in_project(file, key))
        if not isinstance(value, list) or not all(isinstance(each, str) for each in cast(list[object], value)):
            message = f"'{file}': tool.mlc.{key} is a list of paths, such as [\"mine.py\"]; found {value!r}"
            raise UserError(message, place_in_project(file, key))
        setattr(named, _KEYS[key], [str(file.parent / each) for each in cast(list[str], value)])
    return named


def place_in_project(file: Path, word: str) -> SourceLocation:
    """The place in a `pyproject.toml`, which can be read, of a key, or of the path of a plugin as `plugins_of_project`
    gives it; that of the file where it is not written plainly."""
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
        for found in _TOML_WORD.finditer(line.partition("#")[0]):
            written = found[0].strip("\"'")
            if word in (written, written.rpartition(".")[2], str(file.parent / written)):
                return SourceLocation(str(file), number, found.start() + 1)
    return SourceLocation(str(file), 1)
