"""A client of the language server: pytest-lsp's, which says of itself that it can do what Neovim can."""

from __future__ import annotations

import asyncio
import os
import sys
import warnings
from collections.abc import Callable, Coroutine
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest


def session(use: Callable[[Any, str], Coroutine[Any, Any, None]], path: Path, *options: str) -> None:
    """Start the server as an editor does, open a file, and end the session in order.

    The client that `use` gets is one of pytest-lsp, with its `messages` and `shown_documents`. Besides it has what the
    server told of errors, in order, as `told` and `next_told()`, the edits that it asked for as `edits`, and for each
    time that hints are to be asked for again an item in `refreshed`. What the server sends that the protocol, or the
    editor, does not allow is an error.
    """
    pytest_lsp: Any = pytest.importorskip("pytest_lsp", reason="needs pytest-lsp")
    lsp: Any = import_module("lsprotocol.types")
    client_module: Any = import_module("pytest_lsp.client")

    async def whole() -> None:
        client: Any = pytest_lsp.LanguageClient(converter_factory=import_module("pygls.protocol").default_converter)
        told: asyncio.Queue[Any] = asyncio.Queue()
        client.told, client.edits, client.refreshed = told, [], asyncio.Queue[None]()
        client.next_told = lambda: asyncio.wait_for(told.get(), 30)

        def edited(params: Any) -> Any:
            client.edits.append(params)
            return lsp.ApplyWorkspaceEditResult(True)

        features: dict[str, Callable[[Any], Any]] = {
            lsp.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS: lambda params: told.put_nowait(params),
            lsp.WORKSPACE_INLAY_HINT_REFRESH: lambda _: client.refreshed.put_nowait(None),
            lsp.WORKSPACE_APPLY_EDIT: edited,
        }
        client_module.register_lsp_features(client, client_module.DEFAULT_CLIENT_FEATURES | features)
        await client.start_io(sys.executable, "-m", "mlc", "lsp", "--stdio", *options, env={**os.environ})
        capabilities = pytest_lsp.client_capabilities("neovim")
        await client.initialize_session(lsp.InitializeParams(capabilities=capabilities))
        uri = path.as_uri()
        item = lsp.TextDocumentItem(uri, "mlir", 1, path.read_text(encoding="utf-8"))
        client.text_document_did_open(lsp.DidOpenTextDocumentParams(item))
        await use(client, uri)
        await client.shutdown_session()
        await client.stop()

    with warnings.catch_warnings():
        warnings.simplefilter("error", pytest_lsp.LspSpecificationWarning)
        asyncio.run(asyncio.wait_for(whole(), 90))
