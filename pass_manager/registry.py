"""Which passes and named pipelines there are: passes are found by file name, imported one at a time.

A file `passes/<folder>/<pass_name>.py` or `frontends/<source>/to_graph/<pass_name>.py` holds the pass `pass-name`;
files that start with `_` are parts of the passes beside them. Listing the names imports nothing, so a tool can check
its command line before it loads any pass. Plugins add passes of their own (`plugin_passes`).
"""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from mlc.pass_manager.ir_levels import LOWER_TO
from mlc.support.additions import Additions, own_class
from mlc.support.errors import UserError
from mlc.support.former_names import FORMER_NAMES, name_today

if TYPE_CHECKING:
    from mlc.pass_manager.base import Pass

_ROOT = Path(__file__).parents[1]
_FOLDERS = ("passes/*", "frontends/*/to_graph")
"""Where the files of passes lie."""


@cache
def _modules() -> dict[str, str]:
    """Module names by pass name."""
    return {path.stem.replace("_", "-"): _module_name(path) for path in sorted(_pass_files())}


def _pass_files() -> Iterator[Path]:
    for folder in _FOLDERS:
        yield from _ROOT.glob(f"{folder}/[a-z]*.py")


def _module_name(path: Path) -> str:
    return ".".join(("mlc", *path.relative_to(_ROOT).with_suffix("").parts))


def is_own_pass(name: str) -> bool:
    """Whether mlc itself has a pass of this name."""
    return name in _modules()


def _owner(name: str) -> str | None:
    return "mlc" if is_own_pass(name) or name in LOWER_TO.values() else None


plugin_passes = Additions("pass", "mlc.passes", _owner, unasked="mlc.placed_passes")
"""The passes that plugins bring; an installed one is imported when it is first used (entry point
`fit = "my_package.fit:FitPass"` in the group `mlc.passes`), one that has a place in pipelines when one of these is put
together (group `mlc.placed_passes`)."""
plugin_pipelines = Additions("pipeline", "mlc.pipelines", _owner)
"""The pipelines that plugins bring (entry point `prepare-toy = "my_package.toy:PREPARE"` in `mlc.pipelines`)."""


def pass_names() -> list[str]:
    """The names of all passes, sorted, without importing any of them.

    Raises:
        UserError: two plugins bring passes of one name.
    """
    return sorted([*_modules(), *plugin_passes.names()])


def pipeline_names() -> list[str]:
    """The names of all named pipelines, sorted."""
    return sorted([*LOWER_TO.values(), *plugin_pipelines.names()])


def known_words() -> set[str]:
    """What a command line may call passes: their names, and those that they had before."""
    return {*pass_names(), *FORMER_NAMES["pass"]}


def load_pass(name: str) -> type[Pass]:
    """Import the one module that holds the pass `name`.

    Raises:
        UserError: there is no such pass (the message names the nearest one), or a plugin does not hold it.
        CompilerBug: the file that should hold the pass does not.
    """
    if (addition := plugin_passes.get(name)) is not None:
        return _checked(addition.load(), name, addition.origin)
    name = name_today("pass", name)
    if (module_name := _modules().get(name)) is None:
        raise UserError(f"unknown pass '{name}'{suggest(name, [*pass_names(), *pipeline_names()])}")
    from mlc.pass_manager.base import Pass

    return own_class(module_name, Pass, name, "pass", "pass registry")


def _checked(loaded: object, name: str, origin: str) -> type[Pass]:
    from xdsl.passes import ModulePass

    from mlc.pass_manager.foreign_pass import as_pass_type

    if isinstance(loaded, type) and issubclass(loaded, ModulePass) and getattr(loaded, "name", None) == name:
        loaded = as_pass_type(loaded)
        if (problem := loaded.problem()) is not None:
            raise UserError(f"the pass '{loaded.__name__}' of {origin} {problem}")
        return loaded
    raise UserError(f"{origin} promises a pass '{name}', found {loaded!r}")


def suggest(word: str, known: list[str], quote: str = "'{}'") -> str:
    """`; did you mean 'x'?` for the known word nearest to `word`, or nothing if none is near."""
    bare = {each.removeprefix("--"): each for each in reversed(known)}  # two dashes make no two words alike
    near = get_close_matches(word.removeprefix("--"), bare, n=1)
    return f"; did you mean {quote.format(bare[near[0]])}?" if near else ""
