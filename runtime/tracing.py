"""When the kernels of a model ran, in Python: `mlc.trace`, and files that Chrome and Perfetto show."""

from __future__ import annotations

import ctypes
import json
import os
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mlc.runtime.model import Model

_EVENT = np.dtype([("start", "i8"), ("end", "i8"), ("what", "i4"), ("thread", "i4")])
"""`mlc_trace_event` of mlc.h."""
_OTHERS = {-1: "share of a loop", -2: "wait for threads"}
"""What threads.c records."""
_SECONDS = 2e-3
"""How long the clocks are compared at least."""


@dataclass(frozen=True)
class TracedSpan:
    """Something that ran."""

    name: str
    """The model, a kernel, a share of a loop, or a wait."""
    start: float
    """Seconds since the recording began."""
    seconds: float
    thread: int
    """As the system numbers them."""


@dataclass
class Recording:
    """What ran while `mlc.trace` was open.

    Attributes:
        spans: in order of their starts; complete when the block of `mlc.trace` has ended.
        lost: how many found no room.
        about: what is known of kernels besides, by name, for the file.
    """

    spans: list[TracedSpan] = field(default_factory=list[TracedSpan])
    lost: int = 0
    about: Mapping[str, Mapping[str, object]] = field(default_factory=dict[str, Mapping[str, object]])

    def to_json(self) -> str:
        """The Trace Event Format of Chrome, which Perfetto reads as well; times are in microseconds."""
        events: list[dict[str, object]] = [
            {
                "name": each.name,
                "cat": "wait" if each.name == _OTHERS[-2] else "kernel",
                "ph": "X",
                "ts": each.start * 1e6,
                "dur": each.seconds * 1e6,
                "pid": 1,
                "tid": each.thread,
                "args": dict(self.about.get(each.name, {})),
            }
            for each in self.spans
        ]
        return json.dumps({"displayTimeUnit": "ns", "traceEvents": events, "otherData": {"lost": self.lost}})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a file for chrome://tracing or https://ui.perfetto.dev.

        Raises:
            OSError: it cannot be written.
        """
        Path(path).write_text(self.to_json(), encoding="utf-8")


@contextmanager
def trace(model: Model, most: int = 1 << 20) -> Generator[Recording]:
    """Record what runs of a model, on all threads, until the end of the block; `most` events at most.

    ```python
    model = mlc.compile("mlp.mlir", instrument="kernels")
    with mlc.trace(model) as recorded:
        model(x)
    recorded.save("trace.json")
    ```

    No call may run where the block begins or ends. One recording at a time is made of the models of a library.

    Raises:
        ValueError: the model was not compiled with `instrument="kernels"`, or is one for several shapes.
    """
    signature, library = getattr(model, "signature", None), getattr(model, "library", None)
    if signature is None or library is None:
        raise ValueError(f"found a {type(model).__name__}; required: a model of one shape, mlc.Model")
    if not signature.kernels:
        raise ValueError(
            f"'{model.path}' records nothing; required: a model compiled with --instrument kernels, in Python "
            'instrument="kernels"'
        )
    events, recorded = np.zeros(most, _EVENT), Recording()
    clock = _Clock(library.symbols)
    library.symbols.mlc_trace_to(ctypes.c_void_p(events.ctypes.data), ctypes.c_int64(most))
    try:
        yield recorded
    finally:
        count = _number(library.symbols.mlc_trace_count)
        library.symbols.mlc_trace_to(ctypes.c_void_p(None), ctypes.c_int64(0))
    recorded.lost = max(0, count - most)
    recorded.spans = _spans(events[: min(count, most)], signature.kernels, clock)


class _Clock:
    """The clock of a library, and what its units are in seconds."""

    def __init__(self, symbols: Any) -> None:
        self._ticks = symbols.mlc_trace_ticks
        self.first = _number(self._ticks)
        self._since = time.perf_counter()

    def seconds_per_tick(self) -> float:
        """Measured since the clock was made."""
        while (passed := time.perf_counter() - self._since) < _SECONDS:
            pass
        return passed / max(_number(self._ticks) - self.first, 1)


def _number(function: Any) -> int:
    function.restype = ctypes.c_int64
    return int(function())


def _spans(events: Any, names: Sequence[str], clock: _Clock) -> list[TracedSpan]:
    unit = clock.seconds_per_tick()
    known = {**dict(enumerate(names)), **_OTHERS}
    spans = [
        TracedSpan(
            known[int(what)],
            (int(start) - clock.first) * unit,
            (int(end) - int(start)) * unit,
            int(thread),
        )
        for start, end, what, thread in events.tolist()
    ]
    return sorted(spans, key=lambda span: span.start)
