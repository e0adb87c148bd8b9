"""Plugins of a session, which are loaded again when their files change."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from contextlib import ExitStack
from pathlib import Path

from mlc.plugins.arguments import PluginArguments
from mlc.plugins.project import plugins_of_project
from mlc.support.additions import plugin_scope
from mlc.support.errors import UserError

_SECONDS = 1.0
"""How often files are looked at."""


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
        self._seen = self._stamps()

    @property
    def options(self) -> list[str]:
        """The options of a command that is to know them, too."""
        named = {
            "--load-dialect": self._arguments.load_dialect,
            "--load-pass": self._arguments.load_pass,
            "--irdl-file": self._arguments.irdl_file,
        }
        return [f"{option}={Path(file).resolve()}" for option, files in named.items() for file in files]

    def load(self) -> None:
        """Load them, in place of what was loaded before.

        Raises:
            UserError: one of them is not there or fails, or the project's file is wrong; then none is known.
        """
        self._loaded.close()
        self._arguments = self._given
        self._seen = self._stamps()
        self._arguments = self._all()
        self._seen = self._stamps()
        with ExitStack() as scope:
            scope.enter_context(plugin_scope())
            self._arguments.load()
            self._loaded = scope.pop_all()

    async def watch(self, worker: Executor, changed: Callable[[UserError | None], Awaitable[None]]) -> None:
        """Load them again whenever one of the files changes, and tell `changed` what is wrong with them, or nothing.

        That is done by `worker`, which does nothing else meanwhile that asks for dialects.
        """
        while self._seen:
            await asyncio.sleep(_SECONDS)
            if self._stamps() == self._seen:
                continue
            wrong = None
            try:
                await asyncio.get_running_loop().run_in_executor(worker, self.load)
            except UserError as e:
                wrong = e
            await changed(wrong)

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


def _stamp(file: Path) -> tuple[int, int]:
    try:
        found = file.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
