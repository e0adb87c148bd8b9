"""The protocol: requests of editors become questions to the analysis, and positions are translated."""

from __future__ import annotations

import asyncio
import gc
import sys
from typing import BinaryIO

from lsprotocol import types as lsp

from mlc.tools.language_server.action_requests import add_actions
from mlc.tools.language_server.completion import candidates
from mlc.tools.language_server.hover import hover
from mlc.tools.language_server.name_requests import add_names
from mlc.tools.language_server.session import Server
from mlc.tools.language_server.signatures import signature
from mlc.tools.language_server.structure_requests import add_structure
from mlc.tools.language_server.tool_runs import ToolRuns
from mlc.tools.language_server.watched_plugins import WatchedPlugins
from mlc.tools.language_server.weights import statistics, weight_at

_COLLECTOR = (100_000, 50, 1_000)
"""When Python looks for cycles by itself: seldom, as `documents.py` asks for it."""
_SECONDS_OF_A_THREAD = 0.0005
"""How long the thread that reads texts may run before the one that answers editors gets its turn."""
_MOST_CANDIDATES = 500
"""How many candidates an answer has; where there are more, editors ask again once more letters are written."""
_TRIGGERS = ("%", "@", "^", "#", "!", ".", "-")
_OPENING = ("(", ",", ":", "=", " ")
"""What stands before the parts of a signature."""


def serve(plugins: WatchedPlugins, editor: BinaryIO) -> None:
    """Serve an editor, which writes to standard input and reads from `editor`, until it ends the session."""
    server = make_server(plugins)
    gc.collect()
    gc.freeze()  # what was imported stays
    gc.set_threshold(*_COLLECTOR)
    sys.setswitchinterval(_SECONDS_OF_A_THREAD)
    server.start_io(stdout=editor)


def make_server(plugins: WatchedPlugins) -> Server:
    """A server that answers all that mlc and some plugins, which are loaded, know of."""
    runs = ToolRuns(lambda: plugins.options)
    server = Server(runs)
    _add_documents(server, plugins)
    add_names(server)
    add_structure(server)
    add_actions(server, runs)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def _hover(server: Server, at: lsp.HoverParams) -> lsp.Hover | None:
        view, position = await server.place(at)
        found, weight = hover(view.text, position), weight_at(view.text, position)
        token = view.text.token_at(position)
        if token is None or (found is None and weight is None):
            return None
        said, start, end = found or ("", token.start, token.end)
        if weight is not None:
            said += "\n" + await asyncio.to_thread(statistics, weight)
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said), view.range(start, end))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=_TRIGGERS))
    async def _complete(server: Server, at: lsp.CompletionParams) -> lsp.CompletionList:
        view, position = await server.place(at)
        found = candidates(view.text, position)
        items = [view.item(each, position) for each in found[:_MOST_CANDIDATES]]
        return lsp.CompletionList(len(items) < len(found), items)

    @server.feature(lsp.TEXT_DOCUMENT_SIGNATURE_HELP, lsp.SignatureHelpOptions(trigger_characters=_OPENING))
    async def _sign(server: Server, at: lsp.SignatureHelpParams) -> lsp.SignatureHelp | None:
        view, position = await server.place(at)
        found = signature(view.text, position)
        return None if found is None else view.signature(found)

    return server


def _add_documents(server: Server, plugins: WatchedPlugins) -> None:
    @server.feature(lsp.INITIALIZED)
    async def _initialized(server: Server, _: lsp.InitializedParams) -> None:
        server.show_plugin_problems(plugins.problems)
        await plugins.watch(server.documents.worker, lambda: server.take_plugins(plugins.problems))

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def _opened(server: Server, opened: lsp.DidOpenTextDocumentParams) -> None:
        await server.show_errors(opened.text_document.uri, 0)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(server: Server, changed: lsp.DidChangeTextDocumentParams) -> None:
        await server.show_errors(changed.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(server: Server, closed: lsp.DidCloseTextDocumentParams) -> None:
        server.close(closed.text_document.uri)
