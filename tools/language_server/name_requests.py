"""Requests about names: where they are defined and used, and what they would be called instead."""

from __future__ import annotations

import re

from lsprotocol import types as lsp
from pygls.exceptions import JsonRpcException

from mlc.tools.language_server.renaming import why_taken
from mlc.tools.language_server.session import Server

_NEW_NAME = re.compile(r"[A-Za-z_$.-][\w$.-]*|[0-9]+", re.ASCII)


def add_names(server: Server) -> None:
    """Let a server answer them."""

    @server.feature(lsp.TEXT_DOCUMENT_DEFINITION)
    async def _define(at: lsp.DefinitionParams) -> lsp.Location | None:
        view, position = await server.place(at)
        token = view.text.token_at(position)
        found = None if token is None else view.text.definition_of(token)
        if token is None or found is None:
            return None
        return lsp.Location(view.uri, view.range(found, found + view.length(token)))

    @server.feature(lsp.TEXT_DOCUMENT_REFERENCES)
    async def _refer(at: lsp.ReferenceParams) -> list[lsp.Location]:
        view, position = await server.place(at)
        token = view.text.token_at(position)
        defined = None if token is None or at.context.include_declaration else view.text.definition_of(token)
        return [lsp.Location(view.uri, each) for each in view.ranges(token, but=defined)]

    @server.feature(lsp.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def _highlight(at: lsp.DocumentHighlightParams) -> list[lsp.DocumentHighlight]:
        view, position = await server.place(at)
        return [lsp.DocumentHighlight(each) for each in view.ranges(view.text.token_at(position))]

    @server.feature(lsp.TEXT_DOCUMENT_PREPARE_RENAME)
    async def _can_rename(server: Server, at: lsp.PrepareRenameParams) -> lsp.Range | None:
        view, position = await server.place(at)
        token = view.text.token_at(position)
        if token is None or not view.text.places_of(token):
            return None
        return view.range(token.start + (token.kind != "word"), token.start + view.length(token))

    @server.feature(lsp.TEXT_DOCUMENT_RENAME, lsp.RenameOptions(prepare_provider=True))
    async def _rename(at: lsp.RenameParams) -> lsp.WorkspaceEdit | None:
        view = await server.view(at.text_document.uri, complete=True)
        token = view.text.token_at(view.offset(at.position))
        if token is None or _NEW_NAME.fullmatch(name := at.new_name.lstrip("%@^#!")) is None:
            return None
        if token.kind == "word" and not name.isidentifier():
            return None
        if (taken := why_taken(view.text, token, name)) is not None:
            raise JsonRpcException(f"{taken}; choose another name", lsp.LSPErrorCodes.RequestFailed)
        return lsp.WorkspaceEdit(changes={view.uri: [lsp.TextEdit(each, name) for each in view.ranges(token, skip=1)]})
