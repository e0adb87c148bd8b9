"""A client of the language server, as an editor is one."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


def session(use: Callable[[Any, str], Coroutine[Any, Any, None]], path: Path, *options: str) -> None:
    """Start the server as an editor does, open a file, and end the session in order.

    The client that `use` gets has what the server told it: `told` and `next_told()`, `messages`, `shown`, `edits`,
    and for each time that hints are to be asked for again an item in `refreshed`.
    """
    client_module: Any = pytest.importorskip("pygls.lsp.client", reason="needs pygls (pip install 'mlc[lsp]')")
    lsp: Any = import_module("lsprotocol.types")
    make_client: Any = client_module.LanguageClient

    async def whole() -> None:
        client: Any = make_client("test", "1")
        told: asyncio.Queue[Any] = asyncio.Queue()
        client.told, client.messages, client.shown, client.edits = told, [], [], []
        client.refreshed = asyncio.Queue[None]()
        client.next_told = lambda: asyncio.wait_for(told.get(), 30)

        @client.feature(lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _told(params: Any) -> None:
            told.put_nowait(params)

        @client.feature(lsp.WINDOW_SHOW_MESSAGE)
        def _said(params: Any) -> None:
            client.messages.append(params.message)

        @client.feature(lsp.WINDOW_SHOW_DOCUMENT)
        def _shown(params: Any) -> Any:
            client.shown.append(params)
            return lsp.ShowDocumentResult(True)

        @client.feature(lsp.WORKSPACE_INLAY_HINT_REFRESH)
        def _refreshed(_: Any) -> None:
            client.refreshed.put_nowait(None)

        @client.feature(lsp.WORKSPACE_APPLY_EDIT)
        def _edited(params: Any) -> Any:
            client.edits.append(params)
            return lsp.ApplyWorkspaceEditResult(True)

        await client.start_io(sys.executable, "-m", "mlc", "lsp", "--stdio", *options, env={**os.environ})
        window = lsp.WindowClientCapabilities(show_document=lsp.ShowDocumentClientCapabilities(True))
        hints = lsp.InlayHintWorkspaceClientCapabilities(refresh_support=True)
        workspace = lsp.WorkspaceClientCapabilities(inlay_hint=hints)
        capabilities = lsp.ClientCapabilities(workspace=workspace, window=window)
        await client.initialize_async(lsp.InitializeParams(capabilities=capabilities))
        client.initialized(lsp.InitializedParams())
        uri = path.as_uri()
        item = lsp.TextDocumentItem(uri, "mlir", 1, path.read_text(encoding="utf-8"))
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        await use(client, uri)
        await client.shutdown_async(None)
        client.exit(None)
        await client.stop()

    asyncio.run(asyncio.wait_for(whole(), 90))
