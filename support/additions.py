"""What plugins add to a registry of the compiler: by name, with where it comes from, loaded when it is first needed.

There are two sources. Files that a command names (`--load-dialect`) add things while that command runs, or, from
Python, for as long as the process lives. Installed packages add them by entry points, which are found by their names
alone: nothing of a package is imported before the name is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.machinery import PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from mlc.support.blame import plugin_files
from mlc.support.errors import CompilerBug, UserError
from mlc.support.former_names import groups_of, name_today

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint, EntryPoints

_Class = TypeVar("_Class")
_GROUPS = "mlc."
"""How the groups of entry points begin."""
_DESCRIBING = (".dist-info", "egg-info")
"""How folders end that describe installed packages."""
_load_options: list[str] = []
_owners: list[str] = []
"""Whose additions are made, the innermost last."""
_texts: dict[Path, str] = {}
"""The owner of what each file of a plugin adds: another text of the file is another owner."""
_counting: dict[str, bool] = {}
"""Of the files of plugins, by the name of the module: whether what decorators in it registered counts."""


@dataclass(frozen=True)
class Addition:
    """One thing that a plugin brings."""

    origin: str
    """The file or the package, for messages."""
    load: Callable[[], object]
    """Gives it; the registry checks of what kind it is, as a package may promise what it does not hold."""
    group: str | None = None
    """The group of entry points that a package has it in; None if it is of a file."""


@dataclass
class _Change:
    """One thing that was done, which can be taken back and done again."""

    do: Callable[[], object]
    undo: Callable[[], object]
    owner: str
    is_done: bool = True

    def take_back(self) -> None:
        self.undo()
        self.is_done = False

    def do_again(self) -> None:
        self.do()
        self.is_done = True


_changes: list[_Change] = []
"""What the ends of scopes have to take back, last first."""


class Additions:
    """What plugins add to one registry."""

    def __init__(self, noun: str, group: str, own: Callable[[str], str | None], unasked: str | None = None) -> None:
        """
        Args:
            noun: what users call the things, such as `dialect`.
            group: the group of entry points that name such things.
            own: says who in the compiler itself has a name, such as `mlc`, or None if it is free.
            unasked: the group of those that have an effect before anybody names them.
        """
        self._noun = noun
        self._groups = [group] if unasked is None else [group, unasked]
        self._own = own
        self._added: dict[str, Addition] = {}

    def __iter__(self) -> Generator[tuple[str, Addition]]:
        """All names with what they stand for.

        Raises:
            UserError: two packages, or a package and a file, add one name.
        """
        yield from self._installed.items()
        yield from self._added.items()

    def unasked(self) -> list[tuple[str, Addition]]:
        """What has an effect before anybody names it: what packages have in a group of its own, and all of files."""
        return [*((n, a) for n, a in self._installed.items() if a.group in self._groups[1:]), *self._added.items()]

    def names(self) -> list[str]:
        """All names."""
        return [name for name, _ in self]

    def get(self, name: str) -> Addition | None:
        """What a plugin added under `name`."""
        return self._added.get(name) or self._installed.get(name)

    def add(self, name: str, load: Callable[[], object], origin: str) -> None:
        """Add something for as long as the innermost `plugin_scope` lasts; to add the same again, or what an installed
        package adds, changes nothing.

        Raises:
            UserError: the name is taken.
        """
        present = self.get(name)
        if present is not None and present.load() is load():
            return
        self.require_free(name, origin)
        change(lambda: self._added.update({name: Addition(origin, load)}), lambda: self._added.pop(name))

    def require_free(self, name: str, origin: str) -> None:
        """Raises: UserError if something is named `name` already."""
        self._refuse(name, origin, self.get(name))

    def _refuse(self, name: str, origin: str, other: Addition | None) -> None:
        taken_by = self._own(name) or (other.origin if other else None)
        if taken_by is not None:
            raise UserError(
                f"two {self._noun}{'es' if self._noun.endswith('s') else 's'} are named '{name}': "
                f"one of {taken_by}, one of {origin}; rename one"
            )

    @cached_property
    def _installed(self) -> dict[str, Addition]:
        found: dict[str, Addition] = {}
        for entry in (each for group in self._groups for each in installed_in(*groups_of(group))):
            name_today("entry point group", entry.group)
            origin = f"the package '{entry.dist.name}'" if entry.dist else f"'{entry.value}'"
            self._refuse(entry.name, origin, found.get(entry.name))
            load = partial(self._import, entry, origin)
            found[entry.name] = Addition(origin, load, entry.group)
        return found

    def _import(self, entry: EntryPoint, origin: str) -> object:
        """What an entry point stands for; the registry checks that it is of the right kind."""
        try:
            loaded = entry.load()
        except Exception as e:
            raise UserError(
                f"{self._noun} '{entry.name}' of {origin} cannot be imported from '{entry.value}': "
                f"{type(e).__name__}: {e}"
            ) from e
        plugin_files.add(sys.modules[entry.module].__file__ or "")
        return loaded


def installed_in(*groups: str) -> list[EntryPoint]:
    """The entry points of installed packages in some groups."""
    present = _present_groups()
    wanted = [group for group in groups if present is None or group in present]
    return [each for group in wanted for each in _entry_points().select(group=group)]


def modules_of_packages() -> list[str]:
    """The modules that entry points of installed packages name for the compiler."""
    present = _present_groups()
    if present is not None and not any(group.startswith(_GROUPS) for group in present):
        return []
    groups = [group for group in _entry_points().groups if group.startswith(_GROUPS)]
    return sorted({each.module for group in groups for each in _entry_points().select(group=group)})


@cache
def _present_groups() -> frozenset[str] | None:
    """The groups that installed packages have entry points in; None where packages may lie elsewhere than in folders.

    Hardly a package has one of the compiler's: `importlib.metadata` takes a tenth of a short command to say so.
    """
    if any(finder is not PathFinder and hasattr(finder, "find_distributions") for finder in sys.meta_path):
        return None
    groups: set[str] = set()
    for folder in sys.path:
        try:
            parts = [each for each in Path(folder or ".").iterdir() if each.name.lower().endswith(_DESCRIBING)]
        except NotADirectoryError:  # an archive
            return None
        except OSError:
            continue
        for part in parts:
            groups.update(_groups_in(part / "entry_points.txt"))
    return frozenset(groups)


def _groups_in(file: Path) -> list[str]:
    """The sections of a file of entry points; none if there is no such file."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    return [line.strip()[1:-1].strip() for line in lines if line.lstrip().startswith("[")]


@cache
def _entry_points() -> EntryPoints:
    """Those of all packages: to find them is to open a file of each."""
    from importlib.metadata import entry_points

    return entry_points()  # pyright: ignore[reportReturnType]  # of Python before 3.12, whose stub says a mapping


def load_options() -> list[str]:
    """The options of `mlc-opt` that load the same files again, from any folder: reproducers need them."""
    return list(_load_options)


def note_load_option(option: str) -> None:
    """Remember that a file was loaded."""
    change(lambda: _load_options.append(option), lambda: _load_options.remove(option))


def count_registrations(module: str) -> None:
    """Let what decorators in a plugin's file register count until the innermost `plugin_scope` ends."""
    if not _counting.get(module):
        change(lambda: _counting.update({module: True}), lambda: _counting.update({module: False}))


def counts(module: str) -> bool:
    """Whether what decorators in a Python module registered counts: not that of a file that is loaded no more."""
    return _counting.get(module, True)


def change(do: Callable[[], object], undo: Callable[[], object]) -> None:
    """Call `do` now, and `undo` when the innermost `plugin_scope` ends, or when another text of the file that adds
    things now is loaded."""
    do()
    _changes.append(_Change(do, undo, _owners[-1] if _owners else ""))


@contextmanager
def text_loaded(file: Path, owner: str) -> Generator[None]:
    """What is added inside belongs to `owner`, which is one text of `file`, and takes the place of what another text
    of it has added, until the innermost `plugin_scope` ends. After an exception all is as it was before."""
    start = len(_changes)
    former = _texts.get(file)
    try:
        if former not in (None, owner):
            _forget(former)
        _owners.append(owner)
        try:
            if former != owner:
                change(lambda: _texts.update({file: owner}), lambda: _texts.pop(file))
            yield
        finally:
            _owners.pop()
    except BaseException:
        _take_back(start)
        raise


def _forget(owner: str) -> None:
    """Take back what `owner` has added, until the innermost `plugin_scope` ends."""
    added = [each for each in _changes if each.owner == owner and each.is_done]
    for each in reversed(added):
        each.take_back()
    _changes.append(_Change(lambda: None, lambda: [each.do_again() for each in added], ""))


def _take_back(start: int) -> None:
    """Take back all changes but the first `start`."""
    while len(_changes) > start:
        _changes.pop().take_back()


class _PluginScope(AbstractContextManager[None]):
    """Not a generator, whose end would come when Python collects one that nobody left: in the middle of another."""

    def __enter__(self) -> None:
        self._start = len(_changes)

    def __exit__(self, *_: object) -> None:
        _take_back(self._start)


def plugin_scope() -> AbstractContextManager[None]:
    """What files add inside is forgotten at the end: the plugins of a command go with the command."""
    return _PluginScope()


def own_class(module_name: str, base: type[_Class], name: str, what: str, registry: str) -> type[_Class]:
    """The class of the compiler itself that derives from `base` and has this `name`, in the module that is its own.

    Raises:
        CompilerBug: the module holds none; `what` it should be, and the `registry` that was asked, are told.
    """
    for value in vars(import_module(module_name)).values():
        if isinstance(value, type) and issubclass(value, base) and vars(value).get("name") == name:
            return value
    raise CompilerBug(f"{module_name} holds no {what} named '{name}'", registry)
