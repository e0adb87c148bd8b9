"""Runs of mlc's commands on the text of a document, each in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mlc.support.errors import UserError

_SECONDS = 300
_TOOLS = {
    "mlc": ("-m", "mlc"),
    "mlc-opt": ("-m", "mlc.tools.mlc_opt"),
    "reference": ("-m", "mlc.tools.language_server.reference_run"),
    "kernel-costs": ("-m", "mlc.tools.language_server.kernel_costs"),
    "filecheck": ("-m", "filecheck"),
}


@dataclass(frozen=True)
class ToolRun:
    """How a command ended."""

    status: int
    output: str
    errors: str


class ToolRuns:
    """Runs commands.

    Args:
        plugins: gives the options by which a command on IR is told of the plugins that the language server knows.
    """

    def __init__(self, plugins: Callable[[], Sequence[str]]) -> None:
        self._plugins = plugins
        self._folder = tempfile.TemporaryDirectory(prefix="mlc-lsp-")
        self._count = 0

    async def run(
        self, tool: str, arguments: Sequence[str], text: str, file: Path, seconds: float = _SECONDS
    ) -> ToolRun:
        """Run a command, in whose arguments `%s` is the text, `%S` the folder of its file and `%t` a path for nothing.

        Raises:
            UserError: it takes too long.
        """
        copy = file
        if not _has(file, text):
            copy = self.new_file(file.name)
            copy.write_text(text, encoding="utf-8")
        values = {"%s": str(copy), "%S": str(file.parent), "%t": str(copy.parent / "t"), "%%": "%"}
        words = [values.get(word, word.replace("%S", str(file.parent))) for word in arguments]
        plugins: Sequence[str] = () if tool == "filecheck" else self._plugins()
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, *_TOOLS[tool], *words, *plugins),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            cwd=file.parent if file.parent.is_dir() else None,
        )
        try:
            output, errors = await asyncio.wait_for(process.communicate(), seconds)
        except TimeoutError:
            process.kill()
            raise UserError(f"'{tool} {' '.join(arguments)}' takes more than {seconds:g} seconds") from None
        said, wrong = (part.decode(errors="replace").replace(str(copy), str(file)) for part in (output, errors))
        assert process.returncode is not None
        return ToolRun(process.returncode, said, wrong)

    def new_file(self, name: str) -> Path:
        """A path for a text to be shown, which goes when the session ends."""
        self._count += 1
        folder = Path(self._folder.name) / str(self._count)
        folder.mkdir()
        return folder / name


def _has(file: Path, text: str) -> bool:
    """Whether a file holds a text, so that it can be read itself, beside its weights."""
    try:
        return file.read_text(encoding="utf-8") == text
    except (OSError, UnicodeDecodeError):
        return False
