"""Start a dialect or a pass of your own: a folder with one Python file, its tests, and a pyproject.toml that makes it a
package which mlc finds where it is installed.
"""

from __future__ import annotations

import keyword
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from mlc.dialects.registry import plugin_dialects
from mlc.pass_manager.registry import plugin_passes
from mlc.support.errors import UserError
from mlc.tools.driver import ArgumentParser, Namespace

_TEMPLATES = Path(__file__).parent / "templates"
_NAME = re.compile(r"[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


@dataclass(kw_only=True)
class Arguments(Namespace):
    """The parsed command line."""

    kind: str
    name: str
    dir: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("kind", choices=("dialect", "pass"), help="dialect or pass")
    parser.add_argument("name", metavar="NAME", help="the prefix of the dialect's ops, or the flag of the pass")
    parser.add_argument("--dir", metavar="DIR", help="the folder to write, which must not exist or be empty (NAME)")


def run(arguments: Namespace) -> None:
    """Write the files, and say what to do next."""
    args = Arguments(**vars(arguments))
    names = _names(args.kind, args.name)
    folder = Path(args.dir or names["file"])
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError(f"'{folder}' exists and is not an empty folder; name another one by --dir")
    root = _TEMPLATES / f"{args.kind}.in"  # no name of a package, for which installers would take it
    for template in sorted(file for file in root.rglob("*.in") if file.is_file()):
        target = folder / _fill(str(template.relative_to(root)).removesuffix(".in"), names)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_fill(template.read_text(encoding="utf-8"), names), encoding="utf-8")
        print(f"wrote {target}")
    print(f"next: cd {folder} && pytest")


def _names(kind: str, name: str) -> dict[str, str]:
    """The spellings of `name` that the templates use.

    Raises:
        UserError: it is not a name, or taken.
    """
    file = name.replace("-", "_")
    if not _NAME.fullmatch(name) or keyword.iskeyword(file):
        raise UserError(f"'{name}' is not a name for a {kind}: use lower-case words, such as 'my_{kind}'")
    if file in sys.stdlib_module_names or file == "mlc":
        raise UserError(f"'{file}' is a module of {'mlc' if file == 'mlc' else 'Python'} already; choose another name")
    registry = plugin_dialects if kind == "dialect" else plugin_passes
    registry.require_free(file if kind == "dialect" else file.replace("_", "-"), "the new one")
    words = file.split("_")
    return {"file": file, "dashed": "-".join(words), "Class": "".join(w.capitalize() for w in words)}


def _fill(text: str, names: dict[str, str]) -> str:
    return re.sub(r"@(file|dashed|Class)@", lambda m: names[m[1]], text)
