"""The process on a worker that compiles and measures one model: `python -m mlc.tuning.measuring_process`.

It reads a `ModelParcel` from standard input and writes what it has found of it, a `Surveyed` or why that is not
possible; then it reads pieces of work and writes their answers, until nobody asks any more. It has one thread, so that
it can be copied for each candidate (`isolated.py`), which a worker of Dask could not.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FrameType
from typing import Any

from mlc.schedules.records.record import TunedMachine
from mlc.support.errors import CompilerBug, UserError
from mlc.support.recursion import deep_recursion
from mlc.targets.host import can_run
from mlc.targets.machine import resolve_target, words_of_sources
from mlc.tuning.isolated import Failure
from mlc.tuning.model_parcel import ModelParcel
from mlc.tuning.service import receive, send
from mlc.tuning.start import tunable_kernels
from mlc.tuning.work import Answer, Lost, Surveyed, Work
from mlc.tuning.workplace import Workplace

_IDLE = 600.0
"""Seconds after which a process that nobody asks anything ends: the process that started it may have crashed."""


class MeasuringProcess:
    """A process that measures a model, as the process that started it sees it. Methods may be called in any thread."""

    def __init__(self, parcel: ModelParcel) -> None:
        command = [sys.executable, "-P", "-m", "mlc.tuning.measuring_process"]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, start_new_session=True
        )
        self._parcel = parcel

    def survey(self) -> Surveyed | Failure:
        """What the model is like on this machine."""
        return self._ask(self._parcel)

    def carry_out(self, work: Work) -> Answer:
        """The answer to a piece of work."""
        found = self._ask(work)
        return Lost(found.reason) if isinstance(found, Failure) else found

    def stop(self) -> None:
        """End the process and all that it has started."""
        self._process.terminate()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _ask(self, question: Any) -> Any:
        asked, told = self._process.stdin, self._process.stdout
        assert asked is not None and told is not None
        try:
            send(asked.fileno(), question)
            return receive(told.fileno())
        except (EOFError, OSError, ValueError):
            return Failure("crash", "the process that measures there has ended")


def main() -> None:
    """Answer what standard input asks."""
    asked, told = os.dup(0), os.dup(1)
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(2, 1)  # what clang or a plugin prints is not an answer
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _end)
    with deep_recursion(), tempfile.TemporaryDirectory(prefix="mlc-tune-") as folder:
        try:
            place, surveyed = _open(receive(asked), Path(folder))
            send(told, surveyed)
            while place is not None:
                send(told, place.carry_out(receive(asked, time.monotonic() + _IDLE)))
        except (EOFError, BrokenPipeError, TimeoutError):
            pass


def _open(parcel: ModelParcel, folder: Path) -> tuple[Workplace | None, Surveyed | Failure]:
    try:
        options = parcel.options
        machine = resolve_target(options.target)
        if not can_run(machine.arch, machine.required_cpu_flags):
            raise UserError(f"it cannot run code for '{options.target}'")
        compilation = parcel.compilation(folder)
        kernels, _ = tunable_kernels(compilation.module, parcel.kernel, compilation.ctx)
        place = Workplace(compilation.module, kernels, compilation.ctx, options, folder)
        return place, Surveyed(TunedMachine.of(options), words_of_sources(machine), tuple(place.survey()))
    except UserError as e:
        return None, Failure("refused", e.message)
    except CompilerBug as e:
        return None, Failure("crash", str(e))


def _end(number: int, frame: FrameType | None) -> None:
    raise SystemExit(0)


if __name__ == "__main__":
    main()
