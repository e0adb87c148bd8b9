"""How long mlc takes from text to a loaded model, with an empty cache and with a full one."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from mlc.api import compile as compile_model
from mlc.benchmarks.case import Case
from mlc.benchmarks.engines import saved_source
from mlc.benchmarks.results import CompileTime

_CACHE = "MLC_CACHE_DIR"


def measure_compile_times(cases: Sequence[Case], target: str, threads: int) -> list[CompileTime]:
    """One compilation of each case with an empty cache, the fastest of three with a full one.

    Python's imports are warm, the compiler's processes start anew. Weights lie in a file before the clock starts.
    """
    before = os.environ.get(_CACHE)
    try:
        if cases:
            _measure(cases[0], target, threads)
        return [_measure(case, target, threads) for case in cases]
    finally:
        os.environ.pop(_CACHE, None)
        if before is not None:
            os.environ[_CACHE] = before


def _measure(case: Case, target: str, threads: int) -> CompileTime:
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
        os.environ[_CACHE] = str(Path(folder) / "cache")
        text = saved_source(case, Path(folder))
        cold, *cached = (_time(text, target, threads) for _ in range(4))
        return CompileTime(case.name, cold, min(cached))


def _time(text: str, target: str, threads: int) -> float:
    start = time.perf_counter()
    compile_model(text, target=target, threads=threads)
    return time.perf_counter() - start
