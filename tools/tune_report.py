"""What `mlc tune` shows: the best schedules so far while it searches, and a table at the end."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from types import TracebackType
from typing import Any, Self

from mlc.schedules.records.record import Record
from mlc.schedules.records.recorded_schedules import PLAIN_GAIN, in_words
from mlc.schedules.records.schedule_texts import schedule_text
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.ranking import LearnedRanker

_HEADINGS = ("kernel", "calls", "before", "best", "ratio", "tried", "dropped")
_MOST_JUDGED = 10
"""Of more kernels it would take long to say how well their times are learnt."""
_USED, _NOT, _OTHER, _RULES = "yes", "no", "other", "-"
"""In the column that says whether compilations use what was found."""


class Board:
    """Shows on standard error what is best so far: a table that changes, or a line for each gain where that cannot be.

    It starts no thread: the processes of candidates are copies of this one.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._start: float | None = None
        self._live: Any = None
        self._told: dict[str, float] = {}

    def __enter__(self) -> Self:
        if sys.stderr.isatty() and "JPY_PARENT_PID" not in os.environ:
            from rich.console import Console
            from rich.live import Live

            self._live = Live(console=Console(stderr=True), auto_refresh=False, transient=True)
            self._live.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, trace: TracebackType | None) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, searches: Sequence[KernelSearch], changed: KernelSearch | None = None) -> None:
        """Show how far the searches are; one of them has `changed`, or they are being started."""
        if changed is not None and self._start is None:
            self._start = time.monotonic()
        if self._live is not None:
            self._live.update(self._table(searches), refresh=True)
        elif changed is not None and changed.ratio < self._told.get(changed.name, 1.0):
            self._told[changed.name] = changed.ratio
            little = " (too little to be used)" if changed.ratio > 1 - PLAIN_GAIN else ""
            steps = schedule_text(changed.best)
            print(f"{changed.name}: {1 / changed.ratio:.2f} times as fast{little}: {steps}", file=sys.stderr)

    def note(self, text: str) -> None:
        """Print a line above what changes."""
        if self._live is not None:
            self._live.console.print(text, markup=False, highlight=False, soft_wrap=True)
        else:
            print(text, file=sys.stderr)

    def _table(self, searches: Sequence[KernelSearch]) -> Any:
        from rich.table import Table

        spent = 0.0 if self._start is None else time.monotonic() - self._start
        table = Table(title=f"{min(spent, self._seconds):.0f} of {self._seconds:.0f} s", box=None)
        for heading in _HEADINGS:
            table.add_column(heading, justify="left" if heading == "kernel" else "right")
        for search in searches:
            table.add_row(*_row(search), str(search.tried), str(search.dropped))
        return table


def print_results(searches: Sequence[KernelSearch], taken: Callable[[KernelSearch], Record | None]) -> None:
    """Print a table of what was found, the kernels that take most of the model's time first.

    `taken` gives the record that compilations take for the kernel of a search; an earlier search may have made it.
    """
    found = [(search, taken(search)) for search in sorted(searches, key=lambda s: -s.calls * s.seconds)]
    rows = [(*_row(search), _use(search, record), _schedule(search)) for search, record in found]
    heads = ("kernel", "calls", "before", "after", "ratio", "used", "schedule")
    widths = [max(len(row[i]) for row in [heads, *rows]) for i in range(len(heads) - 1)]
    for row in [heads, *rows]:
        first, *others = (text.rjust(width) for text, width in zip(row, widths, strict=False))
        print(f"{first.strip():<{widths[0]}}  {'  '.join(others)}  {row[-1]}")
    if any(_use(*each) == _NOT for each in found):
        print(f"not used: what saves less than {PLAIN_GAIN:.0%} of the time; compilations keep to the rules there")
    for search, record in found:
        if record is not None and _use(search, record) == _OTHER:
            print(f"{search.name}: compilations use another record ({in_words(record)}): {record.schedule}")
    tried, dropped = sum(s.tried for s in searches), sum(s.dropped for s in searches)
    print(f"{tried} schedules measured, {dropped} dropped: refused by the loops, wrong, crashed or endless")
    if refused := sum(s.refused for s in searches):
        print(f"{refused} more that the loops do not allow were left out before anything was compiled")
    if repeated := sum(s.repeated for s in searches):
        print(f"{repeated} more have the same loops as others, and were not measured again")
    if useless := sum(s.useless for s in searches):
        print(f"{useless} of those measured are faster alone, and not in the whole model: no compilation uses them")

    if judged := list(_judged(searches)):
        print(f"rank correlation of the learned model with measurements that it had not seen: {', '.join(judged)}")


def _use(search: KernelSearch, record: Record | None) -> str:
    """Whether compilations use the best schedule of a search; that by the rules needs no record."""
    if record is not None:
        is_best = record.kernel == search.key.exact and record.schedule == schedule_text(search.best)
        return _USED if is_best else _OTHER
    return _NOT if search.ratio < 1 else _RULES


def _schedule(search: KernelSearch) -> str:
    return schedule_text(search.best) or "no steps" if search.ratio < 1 else "as by the rules"


def _judged(searches: Sequence[KernelSearch]) -> Iterator[str]:
    """How well the learned models rank, of those kernels that take most of the time."""
    for search in sorted(searches, key=lambda s: -s.cost)[:_MOST_JUDGED]:
        ranker = search.ranker
        if isinstance(ranker, LearnedRanker) and (found := ranker.held_out_correlation()) is not None:
            yield f"{found:.2f} ({search.name}, of {ranker.measurements})"


def _row(search: KernelSearch) -> tuple[str, str, str, str, str]:
    after = search.seconds * search.ratio
    return search.name, str(search.calls), _time(search.seconds), _time(after), f"{1 / search.ratio:.2f}"


def _time(seconds: float) -> str:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= factor:
            return f"{seconds / factor:.3g} {unit}"
    return f"{seconds * 1e9:.3g} ns"
