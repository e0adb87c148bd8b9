"""A client of the language server that asks as an editor does, and waits for each answer.

The client of pytest-lsp, which tests have, makes an object of each part of an answer: its time would be part of the
times that are measured.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Any, Self

_ENDED = "the language server has ended"


class EditorClient:
    """A session with one document.

    Args:
        text: that of the document.
    """

    def __init__(self, text: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="mlc-bench-")
        file = Path(self._folder.name) / "text.mlir"
        file.write_text(text, encoding="utf-8")
        self._uri = file.as_uri()
        self._lines = text.count("\n") + 1
        command = [sys.executable, "-m", "mlc", "lsp"]
        self._server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._last = self._version = 0
        self._errors = 0
        self._colours = ""
        self._request("initialize", capabilities={}, processId=None, rootUri=None)
        self._tell("initialized")
        self._document = {"uri": self._uri}
        self._tell(
            "textDocument/didOpen", textDocument=self._document | {"languageId": "mlir", "version": 0, "text": text}
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, where: TracebackType | None
    ) -> None:
        if kind is None:
            self._request("shutdown")
            self._tell("exit")
            self._server.wait(60)
        else:
            self.kill()
        self._folder.cleanup()

    def wait_for_errors(self) -> None:
        """Wait until the server has said what is wrong with the text as it is, or that nothing is."""
        before = self._errors
        while self._errors == before:
            self._read()

    def insert(self, line: int, column: int, text: str) -> None:
        """Change the text; places count from 0."""
        at = {"line": line, "character": column}
        self._version += 1
        self._lines += text.count("\n")
        change = [{"range": {"start": at, "end": at}, "text": text}]
        document = self._document | {"version": self._version}
        self._tell("textDocument/didChange", textDocument=document, contentChanges=change)

    def ask_as_after_a_keystroke(self, line: int, column: int) -> None:
        """Ask for completion, the colours that changed, and the hints of a screen, and wait for all."""
        at = {"line": line, "character": column}
        screen = {
            "start": {"line": max(line - 30, 0), "character": 0},
            "end": {"line": min(line + 30, self._lines - 1), "character": 0},
        }
        kind, known = ("full/delta", {"previousResultId": self._colours}) if self._colours else ("full", {})
        asked = [
            self._ask("textDocument/completion", textDocument=self._document, position=at),
            self._ask(f"textDocument/semanticTokens/{kind}", textDocument=self._document, **known),
            self._ask("textDocument/inlayHint", textDocument=self._document, range=screen),
        ]
        answers = self._answers(*asked)
        self._colours = answers[asked[1]]["resultId"]

    def hover(self, line: int, column: int) -> Any:
        """What is said of a place."""
        return self._request(
            "textDocument/hover", textDocument=self._document, position={"line": line, "character": column}
        )

    def kill(self) -> None:
        """End the server, whatever it does."""
        self._server.kill()
        self._server.wait()

    def seconds_of_answering(self) -> float:
        """How long the thread of the server that answers has computed; Linux tells."""
        return int(Path(f"/proc/{self._server.pid}/schedstat").read_text(encoding="utf-8").split()[0]) / 1e9

    def peak_bytes(self) -> int:
        """The most memory that the server had; Linux tells."""
        status = Path(f"/proc/{self._server.pid}/status").read_text(encoding="utf-8")
        found = re.search(r"VmHWM:\s*(\d+) kB", status)
        return int(found[1]) * 1024 if found else 0

    # -- the protocol

    def _request(self, method: str, **params: Any) -> Any:
        number = self._ask(method, **params)
        return self._answers(number)[number]

    def _ask(self, method: str, **params: Any) -> int:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        return self._last

    def _tell(self, method: str, **params: Any) -> None:
        self._send({"method": method, "params": params})

    def _answers(self, *numbers: int) -> dict[int, Any]:
        """Raises: RuntimeError if one of them is an error."""
        found: dict[int, Any] = {}
        while len(found) < len(numbers):
            message = self._read()
            if message.get("id") in numbers and "method" not in message:
                if "error" in message:
                    raise RuntimeError(message["error"]["message"])
                found[message["id"]] = message["result"]
        return found

    def _read(self) -> dict[str, Any]:
        """The next message; what the server asks is answered by nothing."""
        assert self._server.stdout is not None
        length = 0
        while line := self._server.stdout.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise RuntimeError(_ENDED)
        message: dict[str, Any] = json.loads(self._server.stdout.read(length))
        if message.get("method") == "textDocument/publishDiagnostics":
            self._errors += 1
        elif "method" in message and "id" in message:
            self._send({"id": message["id"], "result": None})
        return message

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin is not None
        data = json.dumps({"jsonrpc": "2.0"} | message).encode()
        try:
            self._server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
            self._server.stdin.flush()
        except BrokenPipeError:
            raise RuntimeError(_ENDED) from None
