"""Serve editors: errors, documentation, completion, definitions, uses and the outline of texts of IR, by the language
server protocol on standard input and output.
"""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from pathlib import Path

from mlc.plugins.arguments import PluginArguments, add_plugin_arguments
from mlc.plugins.project import PROJECT_FILE, project_file
from mlc.support.errors import UserError
from mlc.tools.driver import ArgumentParser, Namespace
from mlc.tools.language_server.watched_plugins import WatchedPlugins


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument(
        "--stdio", action="store_true", help="standard input and output, which is the only way; ignored"
    )
    parser.add_argument(
        "--project",
        nargs="?",
        const=".",
        metavar="FOLDER",
        help="also load the plugins that pyproject.toml names, in this folder (the current one) or above it; plugins "
        "are programs, so do this with projects that you trust only",
    )
    add_plugin_arguments(parser)


def run(arguments: Namespace) -> None:
    """Serve until the editor ends the session."""
    given = vars(arguments)
    named = PluginArguments(**{n: given[n] for n in ("load_dialect", "load_pass", "irdl_file")})
    folder = given["project"]
    project = None if folder is None else project_file(Path(folder)) or Path(folder).resolve() / PROJECT_FILE
    plugins = WatchedPlugins(named, project)
    try:
        editor = os.fdopen(os.dup(sys.stdout.fileno()), "wb")  # of its own, as the session closes it
    except OSError:
        raise UserError("standard output is closed; required: an editor that reads it") from None
    try:
        from mlc.tools.language_server.server import serve
    except ImportError as e:
        raise UserError(
            f"the language server needs the packages pygls and lsprotocol ({e}); install them: pip install 'mlc[lsp]'"
        ) from None
    with redirect_stdout(sys.stderr):  # what a plugin prints is no answer to the editor
        plugins.load()
        serve(plugins, editor)
