"""How long calls of a model take."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.runtime.library import open_library
from mlc.runtime.model import Model
from mlc.support.dtypes import dtype_named
from mlc.support.functions import ALIGNMENT

_SECONDS = 0.5
"""How long to measure, when the number of repetitions is not given."""
_BATCH = 8
"""How many calls, one after the other, make what it takes to start several threads small."""


@dataclass(frozen=True)
class MeasuredTime:
    """What many calls took, in seconds."""

    shortest: float
    """What the code takes: whatever else runs on the machine makes a call longer, never shorter."""
    median: float
    upper: float
    """The upper quartile: a quarter of the calls took as long, or longer."""

    @staticmethod
    def of(times: Sequence[float]) -> MeasuredTime:
        """Of the times of calls, of which there is one at least."""
        _, median, upper = statistics.quantiles(times, n=4, method="inclusive") if len(times) > 1 else 3 * [times[0]]
        return MeasuredTime(min(times), median, upper)

    @property
    def spread(self) -> float:
        """By how much a quarter of the calls were longer than the shortest one, at least."""
        return self.upper - self.shortest


def time_python_call(model: Model, inputs: Sequence[NDArray[Any]], repeat: int | None) -> float:
    """The median time in seconds of `model(*inputs)`."""
    return statistics.median(_times(lambda: model(*inputs), repeat))


def time_function(model: Model, inputs: Sequence[NDArray[Any]], repeat: int | None) -> float:
    """The median time in seconds of the compiled function, through a bare ctypes call (less than a microsecond)."""
    return statistics.median(_times(repeatedly(model, inputs, 1), repeat))


def shortest_time(
    model: Model,
    inputs: Sequence[NDArray[Any]],
    repeat: int | None = None,
    threads: int = 1,
    seconds: float = _SECONDS,
) -> float:
    """The shortest time in seconds in which each of `threads` threads calls the compiled function once.

    There are `repeat` calls, or as many as fit into `seconds`.

    That is what the code takes: whatever else runs on the machine makes a call longer, never shorter. Each of several
    threads has inputs of its own, copies of `inputs`.
    """
    if threads == 1:
        return min(times_of(model, inputs, repeat, seconds))
    calls = [repeatedly(model, [aligned(a) for a in inputs], _BATCH) for _ in range(threads)]
    with ThreadPoolExecutor(threads) as pool:

        def call_all() -> None:
            for done in [pool.submit(call) for call in calls]:
                done.result()

        return min(_times(call_all, repeat, seconds)) / _BATCH


def times_of(
    model: Model, inputs: Sequence[NDArray[Any]], repeat: int | None = None, seconds: float = _SECONDS
) -> list[float]:
    """The times in seconds of calls of the compiled function: `repeat` of them, or as many as fit into `seconds`."""
    return _times(repeatedly(model, inputs, 1), repeat, seconds)


@dataclass(frozen=True)
class Buffers:
    """Where calls of a model leave what they compute; several models of one signature may share them."""

    outputs: Sequence[NDArray[Any]]
    workspace: NDArray[Any]

    @staticmethod
    def of(models: Sequence[Model]) -> Buffers:
        """Buffers that are large enough for each of `models`, which have outputs of the same shapes."""
        outputs = [_aligned_empty(t.shape, dtype_named(t.dtype)) for t in models[0].signature.outputs]
        size = max(model.signature.workspace_bytes for model in models)
        return Buffers(outputs, _aligned_empty((size,), np.dtype(np.uint8)))


def repeatedly(
    model: Model, inputs: Sequence[NDArray[Any]], batch: int, buffers: Buffers | None = None
) -> Callable[[], None]:
    """What calls the compiled function `batch` times in a row, with `buffers` or such of its own."""
    inputs = model.whole_inputs(inputs, {})
    function = open_library(model.path, model.signature.name).function
    own = buffers or Buffers.of([model])
    outputs, memory = own.outputs, own.workspace
    in_pointers = np.array([a.ctypes.data for a in inputs] + [0], np.uintp)
    out_pointers = np.array([a.ctypes.data for a in outputs] + [0], np.uintp)
    ins, outs, workspace = in_pointers.ctypes.data, out_pointers.ctypes.data, memory.ctypes.data

    alive: list[object] = [inputs, outputs, memory, in_pointers, out_pointers]

    def call() -> None:
        assert alive  # as long as this function may be called
        for _ in range(batch):
            function(ins, outs, workspace)

    return call


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    """A contiguous copy that starts at a cache line."""
    copy = _aligned_empty(array.shape, array.dtype)
    copy[...] = array
    return copy


def _aligned_empty(shape: tuple[int, ...], dtype: np.dtype[Any]) -> NDArray[Any]:
    size = prod(shape) * dtype.itemsize
    memory = np.empty(size + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    return memory[start : start + size].view(dtype).reshape(shape)


def _times(call: Callable[[], object], repeat: int | None, seconds: float = _SECONDS) -> list[float]:
    for _ in range(3):
        call()
    times: list[float] = []
    end = time.perf_counter() + seconds
    while len(times) < repeat if repeat else time.perf_counter() < end or not times:
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return times
