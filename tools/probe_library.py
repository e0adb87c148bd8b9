"""Compiling probes in LLVM IR into one library, and how long its functions take."""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mlc.support.errors import CompilerBug, UserError
from mlc.targets.cache import Cache
from mlc.targets.glue import matrices_unit, threads_unit
from mlc.targets.machine import Machine
from mlc.targets.toolchain import find_clang, find_linker
from mlc.targets.units import Compiler, Processes, Unit, clang_flags
from mlc.tools.probe_code import ProbeCode, thread_tasks
from mlc.tuning.measure import aligned

Array = NDArray[Any]


class ProbeLibrary:
    """Probes that are loaded into this process."""

    def __init__(self, machine: Machine, probes: Sequence[ProbeCode]) -> None:
        """Compile `probes`, and the functions of threads; a probe that clang does not know is left out.

        Raises:
            UserError: there is no usable clang or linker.
        """
        cache = Cache.default()
        clang = find_clang(None, cache)
        linker = find_linker(machine.arch, clang, cache)
        compiler = Compiler(clang, clang_flags(machine, 2), cache, Processes())
        self._result = aligned(np.zeros(4096, np.uint8))
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            units = [Unit("tasks", thread_tasks(machine)), threads_unit(2, machine)]
            units += [matrices_unit(machine)] if machine.matrix_registers is not None else []
            files, _ = compiler.compile_all(units, folder, None)
            for probe in probes:
                try:
                    files += compiler.compile_all([Unit(probe.symbol, probe.text)], folder, None)[0]
                except CompilerBug:
                    continue
            library = folder / "probes.so"
            command = [*linker.command, "-shared", "-z", "nodelete", "-o", str(library), *map(str, files)]
            linked = subprocess.run(command, capture_output=True, text=True, check=False)
            if linked.returncode != 0:
                raise UserError(f"cannot link what measures the machine: {linker} says {linked.stderr.strip()}")
            self._library = ctypes.CDLL(str(library))

    def __contains__(self, symbol: str) -> bool:
        return hasattr(self._library, symbol)

    def function(self, symbol: str) -> Callable[[object, int, int], object]:
        """A function, to be called with addresses of memory and of results."""
        found = getattr(self._library, symbol)
        found.restype = None
        found.argtypes = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
        return found

    def answers_0(self, symbol: str) -> bool:
        """Whether a function that stores an i32 as its result stores 0."""
        self.function(symbol)(0, 1, self._result.ctypes.data)
        return int(self._result[:4].view(np.int32)[0]) == 0

    def caller(self, symbol: str, memory: Array, steps: int) -> Callable[[], None]:
        """What calls a function on `memory`; it keeps alive that, and the place for what is computed."""
        function = self.function(symbol)
        result = self._result

        def call() -> None:
            function(memory.ctypes.data, steps, result.ctypes.data)

        return call


def shortest(call: Callable[[], object], batches: int) -> float:
    """The shortest time in seconds of some calls."""
    times: list[float] = []
    for _ in range(batches):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)
