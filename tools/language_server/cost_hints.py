"""What kernels are estimated to take, as hints beside their names; estimated again when the texts of kernels change."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mlc.support.errors import UserError
from mlc.tools.kernel_numbers import amount
from mlc.tools.language_server.analysis import AnalysedText
from mlc.tools.language_server.kernel_costs import KernelCost, sound_kernels
from mlc.tools.language_server.outline import outline
from mlc.tools.language_server.tool_runs import ToolRuns

_SECONDS = 60
_NO_MEANING = re.compile(r"//.*|\s+")
"""Comments and spaces between ops."""


class CostHint(NamedTuple):
    """A hint beside the name of a kernel."""

    position: int
    words: str
    more: str


class CostHints:
    """The estimates of all documents, by the texts of kernels and of what is around all kernels, such as the aliases
    that they name: one that stays as it is keeps its estimate."""

    def __init__(self, runs: ToolRuns) -> None:
        self._runs = runs
        self._known: dict[str, dict[str, KernelCost | None]] = {}
        self._dropped: dict[str | None, int] = {}
        """How often what is known of a document was dropped, and of all (None): estimates begun before are too old."""
        self._running = asyncio.Lock()
        self.is_asked_for = False
        """Whether the editor shows hints at all."""

    async def update(self, uri: str, text: AnalysedText, file: Path) -> bool:
        """Estimate the kernels of a text that are without errors; whether anything is known that was not."""
        known = self._known.get(uri, {})
        kernels = {} if not self.is_asked_for else {name: part for name, part, _ in _kernels(text)}
        if all(part in known for part in kernels.values()):
            return False
        async with self._running:
            dropped = self._times_dropped(uri)
            try:
                run = await self._runs.run("kernel-costs", ["%s"], text.text, file, _SECONDS)
                costs: dict[str, list[Any]] = {} if run.status else json.loads(run.output)
            except (UserError, OSError, ValueError):  # it takes too long, or a plugin prints something, too
                return False
        if dropped != self._times_dropped(uri):
            return False
        found = {name: KernelCost(*costs[name]) for name in costs}
        self._known[uri] = {part: found.get(name) for name, part in kernels.items()}
        return True

    def forget(self, uri: str) -> None:
        """Drop what is known of a document that was closed."""
        self._known.pop(uri, None)
        self._dropped[uri] = self._dropped.get(uri, 0) + 1

    def forget_all(self) -> None:
        """Drop all, because plugins have changed."""
        self._known.clear()
        self._dropped[None] = self._dropped.get(None, 0) + 1

    def _times_dropped(self, uri: str) -> tuple[int, int]:
        return self._dropped.get(uri, 0), self._dropped.get(None, 0)

    def hints(self, uri: str, text: AnalysedText, start: int, end: int) -> Iterator[CostHint]:
        """The hints in a part of a text."""
        self.is_asked_for = True
        known = self._known.get(uri)
        for _, part, at in _kernels(text) if known else ():
            cost = known.get(part) if known else None
            if cost is not None and start <= at < end:
                how = "by its schedule" if cost.is_scheduled else "without a schedule"
                more = f"Estimated for one call on {cost.machine}, {how}. Decided by: {cost.decided_by}."
                yield CostHint(at, f"≈ {amount(cost.seconds, 's')}", more)


def _kernels(text: AnalysedText) -> Iterator[tuple[str, str, int]]:
    """The kernels of the outermost module that are without errors: the name, the text with what is around all of them,
    and the position after the name."""
    entries = sorted(outline(text), key=lambda entry: entry.start)
    starts, ends = [entry.start for entry in entries], [entry.end for entry in entries]
    between = (text.text[end:start] for end, start in zip([0, *ends], [*starts, len(text.text)], strict=True))
    around = _NO_MEANING.sub("", "\n".join(between))
    for kernel, entry in sound_kernels(text):
        yield kernel.sym_name.data, text.text[entry.start : entry.end] + around, entry.name_at + len(entry.name)
