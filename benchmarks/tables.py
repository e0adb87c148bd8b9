"""Results as tables: for a terminal and for Markdown."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE
from rich.console import RenderableType
from rich.table import Table

from mlc.benchmarks.results import OURS, OURS_IN_PYTHON, OURS_ON_ONE_THREAD, PEERS, CaseResult, CompileTime, Run

_COMPOSED = ("block", "network")
"""The families whose cases are many kernels."""
_LARGE_FLOPS = 50e6
_LARGE_SECONDS = 1e-3


@dataclass(frozen=True)
class Grid:
    """A table of words, the first column to the left."""

    title: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """As a Markdown table."""
        lines = [self.header, ["---", *["---:"] * (len(self.header) - 1)], *self.rows]
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def rich(self) -> RenderableType:
        """As a table for `rich`."""
        table = Table(title=self.title, box=SIMPLE, title_justify="left")
        for i, name in enumerate(self.header):
            table.add_column(name, justify="right" if i else "left", no_wrap=not i)
        for row in self.rows:
            table.add_row(*row)
        return table


def all_tables(run: Run) -> list[Grid]:
    """The main ones, and the compile times of every case if they were measured."""
    times = compile_table(run.compile_times)
    return [*main_tables(run), *([times] if times.rows else [])]


def main_tables(run: Run) -> list[Grid]:
    """The targets, the machine's limits, and the cases."""
    targets = summary_table(run)
    return [*([targets] if targets.rows else []), limits_table(run), cases_table(run)]


def limits_table(run: Run) -> Grid:
    """The machine's limits."""
    rows = [[name, f"{rate / 1e9:.0f} {'GFLOP/s' if 'FMA' in name else 'GB/s'}"] for name, rate in run.limits.items()]
    return Grid("Limits of the machine", ["limit", "measured"], rows)


def cases_table(run: Run) -> Grid:
    """One row per case."""
    extra = [e for e in (OURS_IN_PYTHON, OURS_ON_ONE_THREAD) if any(e in c.seconds for c in run.cases)]
    peers = [p for p in PEERS if any(p in c.seconds for c in run.cases)]
    header = ["case", "mlc ms", "rate", "% of limit", *[f"{e} ms" for e in (*extra, *peers)], "ratio to best peer"]
    return Grid("Cases", header, [case_row(case, [*extra, *peers]) for case in run.cases])


def case_row(case: CaseResult, others: Iterable[str]) -> list[str]:
    """Name, time, rate, share of the limit, the times of `others`, and the ratio to the best peer."""
    ratio = case.ratio_to_best_peer()
    ours = ["failed", "", ""]
    if OURS in case.seconds:
        unit = "GB/s" if case.is_bandwidth_bound else "GFLOP/s"
        limit = case.level if case.is_bandwidth_bound else "FMA"
        share = f"{case.share_of_limit():.0%} {limit}"
        ours = [_milliseconds(case.time(OURS)), f"{case.rate() / 1e9:.1f} {unit}", share]
    times = [_milliseconds(case.time(e)) if e in case.seconds else "" for e in others]
    return [case.name, *ours, *times, f"{ratio:.2f}" if ratio else ""]


def summary_table(run: Run) -> Grid:
    """The targets, and how the run stands to them."""
    cases = [case for case in run.cases if OURS in case.seconds]
    ratios = [ratio for case in cases if (ratio := case.ratio_to_best_peer())]
    rows: list[list[str]] = []
    native = run.environment["target"] == "native"
    if ratios and native:  # peers use all instructions of the machine
        rows.append(["ratio to the best peer, geometric mean", "1.35", f"{_mean(ratios):.2f}"])
        composed = [r for case in cases if case.family in _COMPOSED and (r := case.ratio_to_best_peer())]
        if composed:
            rows.append(["the same, networks and blocks", "1.05", f"{_mean(composed):.2f}"])
        worst = min(cases, key=lambda case: case.ratio_to_best_peer() or math.inf)
        rows.append(["ratio to the best peer, worst", "0.97", f"{min(ratios):.2f} ({worst.name})"])
    rows += _lowest("share of the FMA peak, large matmuls and convolutions", 0.9, filter(is_large, cases))
    far = (c for c in cases if c.is_bandwidth_bound and c.level not in ("L1", "L2"))
    rows += _lowest("share of the bandwidth, bandwidth-bound and larger than L2", 0.85, far)
    for case in cases:
        if OURS_IN_PYTHON in case.seconds and "ONNX Runtime" in case.seconds and case.name.endswith("-batch-1"):
            found = case.speedup(OURS_IN_PYTHON, "ONNX Runtime")
            rows.append([f"{case.name} through Python, ratio to ONNX Runtime", "1.00", f"{found:.2f}"])
    rows += [*_threads(cases), *_compiling(run)]
    return Grid("Targets", ["measure", "target", "found"], rows)


def is_large(case: CaseResult) -> bool:
    """Whether a matmul or convolution is large enough that arithmetic alone should limit it."""
    return case.kind == "compute" and case.flops > _LARGE_FLOPS and case.family not in _COMPOSED and case.wide


def compile_table(times: Sequence[CompileTime]) -> Grid:
    """How long mlc takes."""
    rows = [[t.name, f"{t.cold:.2f} s", f"{t.cached:.2f} s"] for t in times]
    return Grid("Compile times", ["case", "cold", "cached"], rows)


def _mean(ratios: Sequence[float]) -> float:
    """Geometric."""
    return math.exp(statistics.fmean(map(math.log, ratios)))


def _lowest(what: str, target: float, cases: Iterable[CaseResult]) -> list[list[str]]:
    """How many cases reach a share of their limits, and which is furthest from it."""
    shares = {case.name: case.share_of_limit() for case in cases}
    if not shares:
        return []
    name = min(shares, key=lambda n: shares[n])
    reached = sum(share >= target for share in shares.values())
    return [[what, f"{target:.0%}", f"{reached} of {len(shares)}; lowest {shares[name]:.0%} ({name})"]]


def _threads(cases: Iterable[CaseResult]) -> list[list[str]]:
    def one(case: CaseResult) -> float:
        return case.speedup(OURS, OURS_ON_ONE_THREAD)

    long = [c for c in cases if OURS_ON_ONE_THREAD in c.seconds and c.time(OURS_ON_ONE_THREAD) > _LARGE_SECONDS]
    if not long:
        return []
    worst = min(long, key=one)
    return [["threads against one, cases over 1 ms", "1.8", f"lowest {one(worst):.2f} ({worst.name})"]]


def _compiling(run: Run) -> Iterator[list[str]]:
    composed = {case.name for case in run.cases if case.family in _COMPOSED}
    kernels = [time for time in run.compile_times if time.name not in composed]
    if kernels:
        slowest = max(kernels, key=lambda time: time.cold)
        yield ["compile time of one kernel, empty cache", "0.5 s", f"highest {slowest.cold:.2f} s ({slowest.name})"]
    for time in run.compile_times:
        if time.name == "bert-encoder-layer":
            yield [f"compile time of {time.name}, empty cache", "4 s", f"{time.cold:.2f} s"]
            yield [f"compile time of {time.name}, full cache", "0.3 s", f"{time.cached:.2f} s"]


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.3g}" if seconds < 1 else f"{seconds * 1e3:.0f}"
