"""What is known of the documents that an editor has open.

A text is read as a whole by one thread of its own, so that editors are answered meanwhile. After an edit, what is known
is that of the former text and of the part that changed (`edited.py`), until the new text has been read.
"""

from __future__ import annotations

import asyncio
import gc
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from mlc.syntax.names import ReadingStopped, go_on
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.colours import coloured_lines
from mlc.tools.language_server.edited import after_edit

_SHORT = 3.0
"""Seconds of reading that edits may put off."""


class Documents:
    """The analyses of texts, by the URI of their documents."""

    def __init__(self) -> None:
        self.worker = ThreadPoolExecutor(1, "analysis")
        """Verifiers share state, so that only one thread may call them: all that runs passes or verifies runs here."""
        self._whole: dict[str, AnalysedText] = {}
        self._latest: dict[str, AnalysedText] = {}
        self._wanted: dict[str, str] = {}
        self._current: dict[str, str] = {}
        self.seconds: dict[str, float] = {}
        """How long the last reading of each document took."""
        self._has_garbage = False

    def now(self, uri: str, source: str) -> AnalysedText | None:
        """What is known at once; None for a document of which nothing was read yet.

        If another text of it is being read, that stops, unless it takes long: edits would put it off again and again.
        """
        self._current[uri] = source
        latest = self._latest.get(uri)
        if latest is not None and latest.text == source:
            return latest
        before = self._whole.get(uri)
        if before is not None:
            self._latest[uri] = after_edit(before, source)
        return self._latest.get(uri)

    async def analysed(self, uri: str, source: str, file: Path) -> AnalysedText:
        """What is known of a text, as soon as anything is."""
        return self.now(uri, source) or await self.whole(uri, source, file)

    async def whole(self, uri: str, source: str, file: Path) -> AnalysedText:
        """The analysis of a text of which all was read and verified; that of an older one if it is out of date."""
        self._wanted[uri] = source
        known = self._whole.get(uri)
        if known is None or known.text != source:
            await asyncio.get_running_loop().run_in_executor(self.worker, self._read, uri, source, file)
        return self._whole[uri]

    def _read(self, uri: str, source: str, file: Path) -> None:
        known = self._whole.get(uri)
        if known is not None and (known.text == source or self._wanted.get(uri) != source):
            return  # another request has read it, or the text has changed since
        text = AnalysedText(source, str(file), file.parent, check=lambda: self._stop_if_outdated(uri, source))
        start = time.perf_counter()
        self._has_garbage = True
        try:
            text.read_all()
            coloured_lines(text)
        except ReadingStopped:
            return
        text.check = go_on
        self._whole[uri] = text
        self.seconds[uri] = time.perf_counter() - start
        if self._wanted.get(uri) == source:
            self._latest[uri] = text
        del known  # nobody refers to the former text any more
        if self.seconds[uri] > _SHORT:
            self.collect()

    def collect(self) -> None:
        """Free the memory of former texts. What is known of a text is cyclic, and Python stops all threads while it
        looks for cycles: that of a short text is freed when somebody asks, who knows that nobody waits."""
        if self._has_garbage:
            self._has_garbage = False
            gc.collect()

    def _stop_if_outdated(self, uri: str, source: str) -> None:
        """Raises: ReadingStopped if the document has another text by now, and what is known of a former one will do."""
        if self._current.get(uri, source) == source or uri not in self._whole or self.seconds.get(uri, 0) > _SHORT:
            return
        latest = self._latest[uri]
        if latest.part is not None or latest is self._whole[uri]:  # else edits are far apart, or of many operations
            raise ReadingStopped

    def forget(self, uri: str) -> None:
        """Drop what is known of a document that was closed."""
        for known in (self._whole, self._latest, self._wanted, self._current, self.seconds):
            known.pop(uri, None)

    def forget_analyses(self) -> None:
        """Drop what is known of texts, because what their dialects mean has changed."""
        self._whole.clear()
        self._latest.clear()
