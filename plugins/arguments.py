"""The options of every command by which it learns dialects and passes of other people."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from mlc import plugins


@dataclass(frozen=True)
class PluginFile:
    """A plugin that is to be loaded."""

    path: str
    loader: str
    """The function of `mlc.plugins` that does it."""

    def load(self, text: bytes | None = None) -> None:
        """Load it, or a former `text` of it in place of what the file has.

        Raises:
            UserError: it is not there, fails, or collides with another one.
        """
        if text is None:
            getattr(plugins, self.loader)(self.path)
        else:
            getattr(plugins, f"{self.loader}_text")(self.path, text)


@dataclass
class PluginArguments(argparse.Namespace):
    """The parsed options."""

    load_dialect: list[str] = field(default_factory=list[str])
    load_pass: list[str] = field(default_factory=list[str])
    irdl_file: list[str] = field(default_factory=list[str])

    def load(self) -> None:
        """Load the plugins.

        Raises:
            UserError: a plugin is not there, fails, or collides with another one.
        """
        for each in self.files():
            each.load()

    def files(self) -> Iterator[PluginFile]:
        """The files, in the order in which they are loaded."""
        for loader, files in (
            ("load_irdl", self.irdl_file),
            ("load_dialect", self.load_dialect),
            ("load_pass", self.load_pass),
        ):
            yield from (PluginFile(file, loader) for file in files)


def add_plugin_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add = parser.add_argument
    add(
        "--load-dialect",
        action="append",
        metavar="FILE.py",
        default=[],
        help="load dialects and all that belongs to them",
    )
    add("--load-pass", action="append", metavar="FILE.py", default=[], help="load passes")
    add("--irdl-file", action="append", metavar="FILE.irdl", default=[], help="load dialects that are defined by IRDL")


def plugin_arguments_of(argv: Sequence[str]) -> PluginArguments:
    """What a command line says of plugins; nothing if that part of it is wrong, which the parser of the tool tells."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    add_plugin_arguments(parser)
    try:
        return parser.parse_known_args([*argv], PluginArguments())[0]
    except argparse.ArgumentError:
        return PluginArguments()


def load_plugins_of(argv: Sequence[str]) -> None:
    """Load what a command line asks for, before the rest of it is read: plugins bring options of their own."""
    plugin_arguments_of(argv).load()
