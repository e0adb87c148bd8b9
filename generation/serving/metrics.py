"""Counters in Prometheus's text format: https://prometheus.io/docs/instrumenting/exposition_formats."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

_SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 600.0)


@dataclass
class Histogram:
    """How often seconds fell into each interval; the last one has no end."""

    counts: list[int] = field(default_factory=lambda: [0] * (len(_SECONDS) + 1))
    total: float = 0.0

    def add(self, seconds: float) -> None:
        """Count one."""
        self.counts[bisect_left(_SECONDS, seconds)] += 1
        self.total += seconds

    def lines(self, name: str) -> list[str]:
        """The lines of the format."""
        sums = [*accumulate(self.counts)]
        bounds = [*map(str, _SECONDS), "+Inf"]
        rows = [f'{name}_bucket{{le="{bound}"}} {count}' for bound, count in zip(bounds, sums, strict=True)]
        return [*rows, f"{name}_sum {self.total:.6f}", f"{name}_count {sums[-1]}"]


@dataclass
class Metrics:
    """What happened since the server started; used by the event loop alone."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])
    """By path and status; of an answer that nobody waited for, status 499."""
    first: Histogram = field(default_factory=Histogram)
    """Until the first piece of an answer."""
    whole: Histogram = field(default_factory=Histogram)
    """Until the end of an answer."""

    def text(self, counters: Mapping[str, tuple[str, int]], gauges: Mapping[str, tuple[str, int]]) -> str:
        """All of it, with numbers of others: what each counts, and how many."""
        found: list[str] = []
        statuses = [(f'path="{path}",status="{status}"', count) for (path, status), count in self.requests.items()]
        found += _family("mlc_requests_total", "counter", "Requests by path and status.")
        found += [f"mlc_requests_total{{{labels}}} {count}" for labels, count in sorted(statuses)]
        for kind, numbers in ("counter", counters), ("gauge", gauges):
            for name, (words, number) in numbers.items():
                found += [*_family(name, kind, words), f"{name} {number}"]
        times = [("mlc_first_token_seconds", "Seconds until the first text of an answer.", self.first)]
        times += [("mlc_answer_seconds", "Seconds until the end of an answer.", self.whole)]
        for name, words, histogram in times:
            found += [*_family(name, "histogram", words), *histogram.lines(name)]
        return "\n".join([*found, ""])


def _family(name: str, kind: str, words: str) -> Sequence[str]:
    return f"# HELP {name} {words}", f"# TYPE {name} {kind}"
