"""The protocol: requests of editors become questions to the analysis, and positions are translated."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote, urlparse

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from mlc.support.errors import UserError
from mlc.support.version import __version__
from mlc.tools.language_server.analysis import AnalysedText, TextToken
from mlc.tools.language_server.completion import Completion, candidates
from mlc.tools.language_server.hover import hover
from mlc.tools.language_server.outline import OutlineEntry, coloured, folds, inferred_types, outline

_DELAY = 0.15
"""Seconds without a change after which errors are shown."""
_TRIGGERS = ("%", "@", "^", "#", "!", ".", "-")
_COLOURS = ("comment", "string", "variable", "parameter", "label", "function", "macro", "method", "number")
_COMPLETIONS: dict[str, lsp.CompletionItemKind] = {
    "value": lsp.CompletionItemKind.Variable,
    "block": lsp.CompletionItemKind.Reference,
    "symbol": lsp.CompletionItemKind.Function,
    "alias": lsp.CompletionItemKind.Constant,
    "op": lsp.CompletionItemKind.Method,
    "dialect": lsp.CompletionItemKind.Module,
    "keyword": lsp.CompletionItemKind.Keyword,
    "case": lsp.CompletionItemKind.EnumMember,
    "step": lsp.CompletionItemKind.Function,
    "pass": lsp.CompletionItemKind.Function,
}
_SYMBOLS = {
    "function": lsp.SymbolKind.Function,
    "module": lsp.SymbolKind.Module,
    "other": lsp.SymbolKind.Object,
}
_NEW_NAME = re.compile(r"[A-Za-z_$.-][\w$.-]*|[0-9]+", re.ASCII)


class _Positioned(Protocol):
    """What requests about a place have."""

    @property
    def text_document(self) -> lsp.TextDocumentIdentifier: ...

    @property
    def position(self) -> lsp.Position: ...


class Server(LanguageServer):
    """A language server for texts of IR."""

    def __init__(self) -> None:
        super().__init__("mlc", __version__)  # pyright: ignore[reportUnknownMemberType]
        self._analysed: dict[str, tuple[str, AnalysedText]] = {}
        self._open = set[str]()

    def analysed(self, uri: str) -> AnalysedText:
        """The text of a document, which is read once for each change."""
        source = self.workspace.get_text_document(uri).source
        known = self._analysed.get(uri)
        if known is None or known[0] != source:
            path = Path(unquote(urlparse(uri).path))
            known = self._analysed[uri] = (source, AnalysedText(source, str(path), path.parent))
        return known[1]

    def forget(self, uri: str) -> None:
        """Drop what is known of a document that was closed."""
        self._open.discard(uri)
        self._analysed.pop(uri, None)

    def place(self, at: _Positioned) -> tuple[AnalysedText, int, TextDocument]:
        """The text, the position in it, and the document of a request."""
        document = self.workspace.get_text_document(at.text_document.uri)
        return self.analysed(document.uri), document.offset_at_position(at.position), document

    async def show_errors(self, uri: str) -> None:
        """Tell the editor what is wrong, unless the text changes again meanwhile, or is closed."""
        self._open.add(uri)
        before = self.workspace.get_text_document(uri).source
        await asyncio.sleep(_DELAY)
        document = self.workspace.get_text_document(uri)
        if uri not in self._open or document.source != before:
            return
        text = self.analysed(uri)
        found = [_diagnostic(document, text, error) for error in text.errors]
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, found, document.version))


def make_server() -> Server:
    """A server that answers all that mlc knows of."""
    server = Server()
    _add_documents(server)
    _add_names(server)
    _add_structure(server)

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    def _hover(server: Server, at: lsp.HoverParams) -> lsp.Hover | None:
        text, position, document = server.place(at)
        if (found := hover(text, position)) is None:
            return None
        said, start, end = found
        return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, said), _range(document, start, end))

    @server.feature(lsp.TEXT_DOCUMENT_COMPLETION, lsp.CompletionOptions(trigger_characters=_TRIGGERS))
    def _complete(server: Server, at: lsp.CompletionParams) -> list[lsp.CompletionItem]:
        text, position, document = server.place(at)
        return [_item(document, each, position) for each in candidates(text, position)]

    return server


def _add_documents(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def _opened(server: Server, opened: lsp.DidOpenTextDocumentParams) -> None:
        await server.show_errors(opened.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def _changed(server: Server, changed: lsp.DidChangeTextDocumentParams) -> None:
        await server.show_errors(changed.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(server: Server, closed: lsp.DidCloseTextDocumentParams) -> None:
        server.forget(closed.text_document.uri)


def _add_names(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    def _define(server: Server, at: lsp.DefinitionParams) -> lsp.Location | None:
        text, position, document = server.place(at)
        token = text.token_at(position)
        found = None if token is None else text.definition_of(token)
        if token is None or found is None:
            return None
        return lsp.Location(document.uri, _range(document, found, found + _length(text, token)))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    def _refer(server: Server, at: lsp.ReferenceParams) -> list[lsp.Location]:
        text, position, document = server.place(at)
        token = text.token_at(position)
        defined = None if token is None or at.context.include_declaration else text.definition_of(token)
        found = _ranges(document, text, token, but=defined)
        return [lsp.Location(document.uri, each) for each in found]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def _highlight(server: Server, at: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        text, position, document = server.place(at)
        return [lsp.DocumentHighlight(each) for each in _ranges(document, text, text.token_at(position))]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    def _can_rename(server: Server, at: lsp.PrepareRenameParams) -> lsp.Range | None:
        text, position, document = server.place(at)
        token = text.token_at(position)
        if token is None or not text.places_of(token):
            return None
        return _range(document, token.start + 1, token.start + _length(text, token))

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    def _rename(server: Server, at: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        text, position, document = server.place(at)
        token = text.token_at(position)
        if token is None or _NEW_NAME.fullmatch(name := at.new_name.lstrip("%@^#!")) is None:
            return None
        ranges = _ranges(document, text, token, skip=1)
        return lsp.WorkspaceEdit(changes={document.uri: [lsp.TextEdit(each, name) for each in ranges]})


def _add_structure(server: Server) -> None:
    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def _outline(server: Server, of: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        document = server.workspace.get_text_document(of.text_document.uri)
        return [_symbol(document, entry) for entry in outline(server.analysed(document.uri))]

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    def _fold(server: Server, of: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        return [lsp.FoldingRange(first, last) for first, last in folds(server.analysed(of.text_document.uri))]

    legend = lsp.SemanticTokensLegend(_COLOURS, ())

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    def _colour(server: Server, of: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        document = server.workspace.get_text_document(of.text_document.uri)
        return lsp.SemanticTokens([*_deltas(document, server.analysed(document.uri))])

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    def _hint(server: Server, of: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        document = server.workspace.get_text_document(of.text_document.uri)
        start, end = (document.offset_at_position(each) for each in (of.range.start, of.range.end))
        found = inferred_types(server.analysed(document.uri), start, end)
        return [
            lsp.InlayHint(document.client_position_at_offset(at), f": {types}", lsp.InlayHintKind.Type)
            for at, types in found
        ]


# -- positions


def _range(document: TextDocument, start: int, end: int) -> lsp.Range:
    return lsp.Range(document.client_position_at_offset(start), document.client_position_at_offset(end))


def _length(text: AnalysedText, token: TextToken) -> int:
    """The length of the name that a token is, without the number of one of its values: `%x` of `%x#1`."""
    thing = text.things.get(token.start)
    return len(token.text) if thing is None else len(thing.name)


def _ranges(
    document: TextDocument, text: AnalysedText, token: TextToken | None, skip: int = 0, but: int | None = None
) -> list[lsp.Range]:
    """Where the name that a token is stands, without the first `skip` characters, nor the place `but`."""
    if token is None:
        return []
    length = _length(text, token)
    return [_range(document, at + skip, at + length) for at in text.places_of(token) if at != but]


def _deltas(document: TextDocument, text: AnalysedText) -> Iterator[int]:
    """Tokens as five numbers each, the first two relative to the token before."""
    tokens = [(document.client_position_at_offset(at), length, kind) for at, length, kind in coloured(text)]
    for (before, _, _), (at, length, kind) in pairwise([(lsp.Position(0, 0), 0, "comment"), *tokens]):
        same_line = at.line == before.line
        yield from (at.line - before.line, at.character - (before.character if same_line else 0), length)
        yield from (_COLOURS.index(kind), 0)


# -- answers


def _diagnostic(document: TextDocument, text: AnalysedText, error: UserError) -> lsp.Diagnostic:
    location = error.location
    here = location is not None and location.file == text.file
    start, end = text.range_of(location) if location is not None and here else (0, 0)
    related = [
        lsp.DiagnosticRelatedInformation(
            lsp.Location(document.uri, _range(document, *text.range_of(note.location))), note.message
        )
        for note in error.notes
        if note.location is not None and note.location.file == text.file
    ]
    elsewhere = f"{location}: " if location is not None and not here else ""
    return lsp.Diagnostic(
        _range(document, start, end),
        elsewhere + error.message,
        lsp.DiagnosticSeverity.Error,
        source="mlc",
        related_information=related,
    )


def _item(document: TextDocument, candidate: Completion, position: int) -> lsp.CompletionItem:
    return lsp.CompletionItem(
        candidate.text,
        kind=_COMPLETIONS[candidate.kind],
        detail=candidate.detail or None,
        text_edit=lsp.TextEdit(_range(document, candidate.start, position), candidate.text),
    )


def _symbol(document: TextDocument, entry: OutlineEntry) -> lsp.DocumentSymbol:
    return lsp.DocumentSymbol(
        entry.name,
        _SYMBOLS[entry.kind],
        _range(document, entry.start, max(entry.end, entry.name_at + len(entry.name))),
        _range(document, entry.name_at, entry.name_at + len(entry.name)),
        detail=entry.detail,
        children=[_symbol(document, each) for each in entry.inside],
    )
