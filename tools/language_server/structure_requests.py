"""Requests about the structure of a text: outline, folds, colours, hints of types and of what kernels take."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import count

from lsprotocol import types as lsp

from mlc.tools.language_server.colour_numbers import COLOURS, changed_numbers, numbers_of
from mlc.tools.language_server.colours import ColouredLine, coloured, coloured_lines
from mlc.tools.language_server.outline import folds, inferred_types, outline
from mlc.tools.language_server.session import Server

_LONGEST_COLOURED = 50_000
"""Lines of a text beyond which only those parts are coloured that an editor shows: an answer has megabytes."""


def add_structure(server: Server) -> None:
    """Let a server answer them."""
    tasks = set[asyncio.Future[None]]()
    """Those that are running: asyncio itself does not keep them."""

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def _outline(of: lsp.DocumentSymbolParams) -> list[lsp.DocumentSymbol]:
        view = await server.view(of.text_document.uri)
        return [view.symbol(entry) for entry in outline(view.text)]

    @server.feature(lsp.TEXT_DOCUMENT_FOLDING_RANGE)
    async def _fold(of: lsp.FoldingRangeParams) -> list[lsp.FoldingRange]:
        view = await server.view(of.text_document.uri)
        return [lsp.FoldingRange(first, last) for first, last in folds(view.text)]

    @server.feature(lsp.TEXT_DOCUMENT_INLAY_HINT)
    async def _hint(server: Server, of: lsp.InlayHintParams) -> list[lsp.InlayHint]:
        uri, is_first = of.text_document.uri, not server.costs.is_asked_for
        view = await server.view(uri)
        start, end = view.offset(of.range.start), view.offset(of.range.end)
        hints = [
            lsp.InlayHint(view.position(at), f": {types}", lsp.InlayHintKind.Type)
            for at, types in inferred_types(view.text, start, end)
        ]
        for each in server.costs.hints(uri, view.text, start, end):
            at = view.position(each.position)
            hints.append(lsp.InlayHint(at, each.words, tooltip=each.more, padding_left=True))
        if is_first:
            tasks.add(task := asyncio.ensure_future(server.show_costs(uri)))
            task.add_done_callback(tasks.discard)
        return hints

    _add_colours(server)


def _add_colours(server: Server) -> None:
    legend = lsp.SemanticTokensLegend(COLOURS, ())
    answers = count(1)
    told: dict[str, tuple[str, Sequence[ColouredLine]]] = {}
    """The last answer for each document, from which the next one differs little."""

    async def colours(uri: str) -> Sequence[ColouredLine]:
        view = await server.view(uri)
        lines = len(view.text.source.line_starts)
        now = view.in_units(0, coloured_lines(view.text)) if lines <= _LONGEST_COLOURED else ()
        told[uri] = (str(next(answers)), now)
        return now

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def _colour(of: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        now = await colours(of.text_document.uri)
        return lsp.SemanticTokens(numbers_of(now), told[of.text_document.uri][0])

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, legend)
    async def _recolour(of: lsp.SemanticTokensDeltaParams) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
        name, before = told.get(of.text_document.uri, ("", []))
        now = await colours(of.text_document.uri)
        number = told[of.text_document.uri][0]
        if name != of.previous_result_id:
            return lsp.SemanticTokens(numbers_of(now), number)
        edits = [lsp.SemanticTokensEdit(*part) for part in changed_numbers(before, now)]
        return lsp.SemanticTokensDelta(edits, number)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, legend)
    async def _colour_part(server: Server, of: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens:
        view = await server.view(of.text_document.uri)
        first, last = of.range.start.line, of.range.end.line
        lines = view.in_units(first, coloured(view.text, first, last + 1))
        return lsp.SemanticTokens(numbers_of([()] * first + [*lines]))
