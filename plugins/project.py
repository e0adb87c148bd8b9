"""Plugins that a project names in its `pyproject.toml`:

    [tool.mlc]
    load-dialect = ["dialects/act.py"]
    load-pass = ["passes/mine.py"]
    irdl-file = ["dialects/cmath.irdl"]

Keys are those of the options of commands, paths start at the folder of the file. Plugins are programs, so this is read
only where somebody says that the project is to be trusted.
"""

from __future__ import annotations

import tomllib
from difflib import get_close_matches
from pathlib import Path
from typing import cast

from mlc.plugins.arguments import PluginArguments
from mlc.support.errors import UserError

PROJECT_FILE = "pyproject.toml"
_KEYS = {"load-dialect": "load_dialect", "load-pass": "load_pass", "irdl-file": "irdl_file"}


def project_file(folder: Path) -> Path | None:
    """The `pyproject.toml` of a folder, or of the nearest one above it that has one."""
    folder = folder.resolve()
    return next((file for each in (folder, *folder.parents) if (file := each / PROJECT_FILE).is_file()), None)


def plugins_of_project(file: Path) -> PluginArguments:
    """The plugins that a `pyproject.toml` names, with absolute paths.

    Raises:
        UserError: it cannot be read, is not TOML, or its table `tool.mlc` says something else.
    """
    try:
        read = tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as e:
        raise UserError(f"cannot read '{file}': {e.strerror}") from None
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise UserError(f"'{file}' is not TOML: {e}") from None
    tool = read.get("tool", {})
    table: object = cast(dict[str, object], tool).get("mlc", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise UserError(f"'{file}': found a value for tool.mlc; required: a table")
    named = PluginArguments()
    for key, value in cast(dict[str, object], table).items():
        if key not in _KEYS:
            near = get_close_matches(key, _KEYS, 1)
            hint = f"; did you mean '{near[0]}'?" if near else f"; they are {', '.join(_KEYS)}"
            raise UserError(f"'{file}': tool.mlc has no key '{key}'{hint}")
        if not isinstance(value, list) or not all(isinstance(each, str) for each in cast(list[object], value)):
            raise UserError(f"'{file}': tool.mlc.{key} is a list of paths, such as [\"mine.py\"]; found {value!r}")
        setattr(named, _KEYS[key], [str(file.parent / each) for each in cast(list[str], value)])
    return named
