"""Plugins of a session, which are loaded again when their files change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from mlc.plugins.arguments import PluginArguments, PluginFile
from mlc.plugins.project import place_in_project, plugins_of_project
from mlc.support.additions import plugin_scope
from mlc.support.errors import SourceLocation, UserError

_SECONDS = 1.0
"""How often files are looked at."""


@dataclass(frozen=True)
class PluginProblem:
    """What is wrong with a plugin, or with the file of the project that names plugins."""

    error: UserError
    places: Sequence[SourceLocation]
    """Where it is to be seen; none if no file says more than that there is such a plugin."""
    plugin: str = ""
    """The path of the plugin, as it was given."""
    former_counts: bool = False
    """Whether its last text that loaded is used instead."""
    is_hint: bool = False
    """Whether all works as it is."""

    @property
    def message(self) -> str:
        """What is told at the places."""
        return self.error.message + self._instead

    def __str__(self) -> str:
        """What is told elsewhere, with the place."""
        return str(self.error) + self._instead

    @property
    def _instead(self) -> str:
        return "; until that is corrected, its last text that loaded is used" if self.former_counts else ""


class WatchedPlugins:
    """The plugins that a command line names, and those of a project, if it is to be trusted.

    Args:
        arguments: what the command line says.
        project: the `pyproject.toml` that names more.
    """

    def __init__(self, arguments: PluginArguments, project: Path | None = None) -> None:
        self._given, self._project = arguments, project
        self._arguments = arguments
        self._loaded = ExitStack()
        self._right = dict[PluginFile, bytes]()
        """The last texts that could be loaded."""
        self._seen = self._stamps()
        self.problems = list[PluginProblem]()
        """What is wrong with those that were loaded last."""

    @property
    def options(self) -> list[str]:
        """The options of a command that is to know them, too, without those that fail."""
        failing = {each.plugin for each in self.problems}
        named = {
            "--load-dialect": self._arguments.load_dialect,
            "--load-pass": self._arguments.load_pass,
            "--irdl-file": self._arguments.irdl_file,
        }
        return [
            f"{option}={Path(file).resolve()}"
            for option, files in named.items()
            for file in files
            if file not in failing
        ]

    def load(self) -> None:
        """Load them, in place of what was loaded before. One that is not there or fails is a problem; its last text
        that was right counts, if there was one, and the others are known without it.
        """
        self._loaded.close()
        self.problems = list[PluginProblem]()
        self._arguments = self._given
        self._seen = self._stamps()
        try:
            self._arguments = self._all()
        except UserError as e:
            places = [] if e.location is None else [e.location]
            is_missing = self._project is not None and not self._project.exists()
            self.problems.append(PluginProblem(e, places, is_hint=is_missing))
        self._seen = self._stamps()
        with ExitStack() as scope:
            for each in self._arguments.files():
                try:
                    text = _read(each)
                    scope.push(_loaded(each, text))
                except UserError as e:
                    former = self._load_former(each, scope)
                    self.problems.append(PluginProblem(e, [*self._places(each, e)], each.path, former))
                else:
                    if text is not None:
                        self._right[each] = text
            self._loaded = scope.pop_all()

    def _load_former(self, file: PluginFile, scope: ExitStack) -> bool:
        """Whether there is a text that was right, and it still can be loaded."""
        if file not in self._right:
            return False
        try:
            scope.push(_loaded(file, self._right[file]))
        except UserError:  # it collides with what another plugin has now
            return False
        return True

    def _places(self, file: PluginFile, error: UserError) -> Iterator[SourceLocation]:
        """Where an error of a plugin is to be seen: where it is, and where the project names the plugin."""
        if error.location is not None:
            yield error.location
        if self._project is not None and file not in self._given.files():
            yield place_in_project(self._project, file.path)

    async def watch(self, worker: Executor, changed: Callable[[], Awaitable[None]]) -> None:
        """Load them again whenever one of the files changes, and call `changed` then.

        That is done by `worker`, which does nothing else meanwhile that asks for dialects.
        """
        while self._seen:
            await asyncio.sleep(_SECONDS)
            if self._stamps() == self._seen:
                continue
            await asyncio.get_running_loop().run_in_executor(worker, self.load)
            await changed()

    def _all(self) -> PluginArguments:
        """All that are named."""
        if self._project is None:
            return self._given
        given, named = self._given, plugins_of_project(self._project)
        return PluginArguments(
            load_dialect=[*given.load_dialect, *named.load_dialect],
            load_pass=[*given.load_pass, *named.load_pass],
            irdl_file=[*given.irdl_file, *named.irdl_file],
        )

    def _stamps(self) -> dict[str, tuple[int, int]]:
        arguments = self._arguments
        files = [*arguments.load_dialect, *arguments.load_pass, *arguments.irdl_file]
        files += [] if self._project is None else [str(self._project)]
        return {file: _stamp(Path(file)) for file in files}


def _read(file: PluginFile) -> bytes | None:
    """The text of a plugin; None if it cannot be read, which loading tells."""
    try:
        return Path(file.path).read_bytes()
    except OSError:
        return None


def _loaded(file: PluginFile, text: bytes | None) -> ExitStack:
    """What takes a plugin back, which is loaded now.

    Raises:
        UserError: it is not there, fails, or collides with another one.
    """
    with ExitStack() as own:
        own.enter_context(plugin_scope())
        file.load(text)
        return own.pop_all()


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
