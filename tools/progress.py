"""A progress bar on standard error, for compiles that take longer than a second."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

_PATIENCE = 1.0
"""Seconds after which a user wants to see that something happens."""


@contextmanager
def progress_bar(text: str) -> Generator[ProgressBar | None]:
    """A bar about `text`; None if standard error is not a terminal, or one of a notebook, which keeps what is
    erased."""
    if not sys.stderr.isatty() or "JPY_PARENT_PID" in os.environ:
        yield None
        return
    bar = ProgressBar(text)
    try:
        yield bar
    finally:
        bar.stop()


class ProgressBar:
    """Shows a stage of the work, and how much of it is done."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.start = time.perf_counter()
        self.progress: Progress | None = None

    def update(self, stage: str, done: int, total: int) -> None:
        """Show that `done` of `total` parts of a stage are done."""
        if self.progress is None and time.perf_counter() - self.start > _PATIENCE:
            from rich.console import Console
            from rich.progress import Progress

            self.progress = Progress(console=Console(stderr=True), transient=True)
            self.progress.add_task(self.text)
            self.progress.start()
        if self.progress is not None:
            task = self.progress.task_ids[0]
            self.progress.update(task, description=f"{self.text}: {stage}", completed=done, total=total)

    def stop(self) -> None:
        """Take the bar away."""
        if self.progress is not None:
            self.progress.stop()
