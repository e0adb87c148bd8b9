"""Requests about the structure of a text: outline, folds, colours, hints of types and of what kernels take."""

from __future__ import annotations

import asyncio
from itertools import count

from lsprotocol import types as lsp

from mlc.tools.language_server.colours import coloured, coloured_lines
from mlc.tools.language_server.outline import folds, inferred_types, outline
from mlc.tools.language_server.session import Server
from mlc.tools.language_server.view import COLOURS

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
    numbers = count(1)
    told: dict[str, tuple[str, list[int]]] = {}
    """The last answer for each document, from which the next one differs little."""

    async def colours(uri: str) -> lsp.SemanticTokens:
        view = await server.view(uri)
        lines = len(view.text.source.line_starts)
        data = view.colours(0, coloured_lines(view.text)) if lines <= _LONGEST_COLOURED else []
        told[uri] = (str(next(numbers)), data)
        return lsp.SemanticTokens(data, told[uri][0])

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, legend)
    async def _colour(of: lsp.SemanticTokensParams) -> lsp.SemanticTokens:
        return await colours(of.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, legend)
    async def _recolour(of: lsp.SemanticTokensDeltaParams) -> lsp.SemanticTokens | lsp.SemanticTokensDelta:
        name, before = told.get(of.text_document.uri, ("", []))
        now = await colours(of.text_document.uri)
        if name != of.previous_result_id:
            return now
        return lsp.SemanticTokensDelta(_changed_numbers(before, [*now.data]), now.result_id)

    @server.feature(lsp.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, legend)
    async def _colour_part(server: Server, of: lsp.SemanticTokensRangeParams) -> lsp.SemanticTokens:
        view = await server.view(of.text_document.uri)
        first, last = of.range.start.line, of.range.end.line
        return lsp.SemanticTokens(view.colours(first, coloured(view.text, first, last + 1)))


def _changed_numbers(old: list[int], new: list[int]) -> list[lsp.SemanticTokensEdit]:
    """The part in which two lists differ, if they do."""
    if old == new:
        return []
    shorter = min(len(old), len(new))
    start = next((i for i in range(shorter) if old[i] != new[i]), shorter)
    end = next((i for i in range(shorter - start) if old[-1 - i] != new[-1 - i]), shorter - start)
    return [lsp.SemanticTokensEdit(start, len(old) - end - start, new[start : len(new) - end])]
