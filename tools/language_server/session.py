"""One session of an editor: its documents, and when it is told what is wrong with them."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlparse

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer

from mlc.support.version import __version__
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.cost_hints import CostHints
from mlc.tools.language_server.documents import Documents
from mlc.tools.language_server.tool_runs import ToolRuns
from mlc.tools.language_server.view import View, diagnostic_of_line
from mlc.tools.language_server.watched_plugins import PluginProblem

_DELAY = 0.3
"""Seconds without a change after which the whole text is read and verified."""
_LONGEST_DELAY = 10.0
_ANSWERED = 0.04
"""Seconds after a change in which what editors ask then is answered; people press the next key later."""


class Positioned(Protocol):
    """What requests about a place have."""

    @property
    def text_document(self) -> lsp.TextDocumentIdentifier: ...

    @property
    def position(self) -> lsp.Position: ...


class Server(LanguageServer):
    """A language server for texts of IR."""

    def __init__(self, runs: ToolRuns) -> None:
        super().__init__("mlc", __version__)  # pyright: ignore[reportUnknownMemberType]
        self.documents = Documents()
        self.costs = CostHints(runs)
        self._open = set[str]()
        self._of_plugins = dict[str, list[lsp.Diagnostic]]()
        """What is wrong with plugins, by the URIs of the files where that is to be seen."""

    def file_of(self, uri: str) -> Path:
        """The file of a document."""
        return Path(unquote(urlparse(uri).path))

    async def view(self, uri: str, *, complete: bool = False) -> View:
        """The text of a document and what is known of it; if `complete`, once all of it was read and verified."""
        document = self.workspace.get_text_document(uri)
        source = document.source
        ask = self.documents.whole if complete else self.documents.analysed
        text = await ask(document.uri, source, self.file_of(uri))
        while complete and text.text != (source := self.workspace.get_text_document(uri).source):
            text = await ask(uri, source, self.file_of(uri))
        return View(text, document.uri, document.position_codec)

    async def place(self, at: Positioned) -> tuple[View, int]:
        """The text of a request, and the position in it."""
        view = await self.view(at.text_document.uri)
        return view, view.offset(at.position)

    async def show_errors(self, uri: str, delay: float | None = None) -> None:
        """Tell the editor what is wrong: at once what the edited part says; once the text stays as it is, all.

        It has to stay for `delay` seconds: without one, the longer, the longer it takes to read.
        """
        self._open.add(uri)
        document = self.workspace.get_text_document(uri)
        before = document.source
        if (text := self.documents.now(uri, before)) is not None:
            self._publish(View(text, uri, document.position_codec), document.version)
        if delay is None:
            await asyncio.sleep(_ANSWERED)
            if self._is_current(uri, before):
                self.documents.collect()
            delay = min(max(_DELAY, self.documents.seconds.get(uri, 0) / 4), _LONGEST_DELAY) - _ANSWERED
        await asyncio.sleep(delay)
        if not self._is_current(uri, before):
            return
        text = await self.documents.whole(uri, before, self.file_of(uri))
        if self._is_current(uri, text.text):
            document = self.workspace.get_text_document(uri)
            self._publish(View(text, uri, document.position_codec), document.version)
            await self._estimate(uri, text)

    async def show_costs(self, uri: str) -> None:
        """Estimate the kernels of a document, of which hints are asked for the first time."""
        if uri not in self._open:
            return
        text = await self.documents.whole(uri, self.workspace.get_text_document(uri).source, self.file_of(uri))
        await self._estimate(uri, text)

    async def _estimate(self, uri: str, text: AnalysedText) -> None:
        if not await self.costs.update(uri, text, self.file_of(uri)):
            return
        workspace = self.client_capabilities.workspace
        hints = None if workspace is None else workspace.inlay_hint
        if uri in self._open and hints is not None and hints.refresh_support:
            await self.workspace_inlay_hint_refresh_async(None)

    def show_plugin_problems(self, problems: Sequence[PluginProblem]) -> None:
        """Tell what is wrong with plugins, each at its places, and no more what was wrong before."""
        before, self._of_plugins = self._of_plugins, dict[str, list[lsp.Diagnostic]]()
        for each in problems:
            kind = lsp.MessageType.Info if each.is_hint else lsp.MessageType.Error
            self.window_show_message(lsp.ShowMessageParams(kind, str(each)))
            for place in each.places:
                found = self._of_plugins.setdefault(Path(place.file).resolve().as_uri(), [])
                found.append(diagnostic_of_line(place, each.message))
        for uri in {*before, *self._of_plugins} - self._open:
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, self._of_plugins.get(uri, [])))

    async def take_plugins(self, problems: Sequence[PluginProblem]) -> None:
        """Read all open documents again, because plugins were loaded again; say what is wrong with these."""
        self.show_plugin_problems(problems)
        if not problems:
            said = "the plugins were loaded again"
            self.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Info, said))
        self.documents.forget_analyses()
        self.costs.forget_all()
        for uri in [*self._open]:
            await self.show_errors(uri, 0)

    def _is_current(self, uri: str, source: str) -> bool:
        return uri in self._open and self.workspace.get_text_document(uri).source == source

    def _publish(self, view: View, version: int | None) -> None:
        found = [*(view.diagnostic(error) for error in view.text.errors), *self._of_plugins.get(view.uri, [])]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(view.uri, found, version))

    def close(self, uri: str) -> None:
        """Drop what is known of a document that was closed."""
        self._open.discard(uri)
        self.costs.forget(uri)
        self.documents.forget(uri)
