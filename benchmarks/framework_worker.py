"""One engine with one model, in a process of its own: no engine's threads, caches or settings disturb another's.

A worker is ready when it has made the model and imported what it needs. Then it takes orders, a line each, and answers
with a line of JSON: `first FILE` for the seconds to the first results, which go to a file, and `turn SECONDS` for the
seconds per call, the fastest batch of a turn. Between orders it sleeps.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from mlc.benchmarks.engines import Call
from mlc.benchmarks.framework_engines import NotMeasuredError, prepare
from mlc.benchmarks.turns import batch_size, turn

_ANSWER = "mlc-bench: "
_LONGEST = 1800.0
"""Seconds after which an order is given up."""


class Worker:
    """The other end of a process.

    Raises:
        NotMeasuredError: by each method, if the engine cannot do it; the message says why.
    """

    def __init__(
        self, framework: str, model: str, engine: str, threads: int, cores: Sequence[int], folder: Path
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._errors = folder / "errors"
        command = ["taskset", "-c", ",".join(map(str, cores)), sys.executable, "-m", "mlc.benchmarks.framework_worker"]
        with self._errors.open("w", encoding="utf-8") as errors:
            self._process = subprocess.Popen(
                [*command, framework, model, engine, str(threads), str(folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                env={**os.environ, **_environment(threads, folder)},
            )
        try:
            self._answer()
        except NotMeasuredError:
            self.close()
            raise

    def first(self, results: Path) -> float:
        """The seconds from the model to its first results, which are left in a file."""
        return self._ask(f"first {results}")["seconds"]

    def turn(self, seconds: float) -> float:
        """The seconds per call, of the fastest batch in a turn of so many seconds."""
        return self._ask(f"turn {seconds}")["seconds"]

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def _ask(self, order: str) -> dict[str, Any]:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{order}\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        limit = threading.Timer(_LONGEST, self._process.kill)
        limit.start()
        try:
            for line in self._process.stdout:
                if line.startswith(_ANSWER):
                    answer = json.loads(line.removeprefix(_ANSWER))
                    if "error" in answer:
                        raise NotMeasuredError(answer["error"])
                    return answer
        finally:
            limit.cancel()
        lines = self._errors.read_text(encoding="utf-8").strip().splitlines()
        raise NotMeasuredError(lines[-1] if lines else f"it ended without a word, or after {_LONGEST:.0f} s")


def _environment(threads: int, folder: Path) -> dict[str, str]:
    """Caches in a folder of their own, and limits for libraries that ask the environment."""
    limits = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), str(threads))
    eigen = f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}"
    caches = {"MLC_CACHE_DIR": str(folder / "mlc"), "TORCHINDUCTOR_CACHE_DIR": str(folder / "inductor")}
    return limits | caches | {"XLA_FLAGS": eigen}


def serve(orders: TextIO, answers: TextIO, start: Callable[[], tuple[Callable[[], Any], Callable[[], Call]]]) -> None:
    """Do what the lines of `orders` say, with what `start` gives: what makes the first results, and what the call."""

    def answer(**words: Any) -> None:
        print(f"{_ANSWER}{json.dumps(words)}", file=answers, flush=True)

    try:
        first, make = start()
        answer(ready=True)
        call: Call | None = None
        size = 1
        for line in orders:
            order, _, argument = line.strip().partition(" ")
            if order == "first":
                begin = time.perf_counter()
                results = first()
                seconds = time.perf_counter() - begin
                np.savez(argument, *results)
                answer(seconds=seconds)
                continue
            if call is None:
                call = make()
                size = batch_size(call)
            call()
            answer(seconds=turn(call, size, float(argument)))
    except Exception as e:  # whatever an engine raises is told, and ends this process alone
        words = " ".join(str(e).split())[:200]
        answer(error=words if isinstance(e, NotMeasuredError) else f"{type(e).__name__}: {words}")


def main(words: Sequence[str]) -> None:
    """The process: framework, model, engine, threads, folder."""
    framework, model, engine, threads, folder = words

    def start() -> tuple[Callable[[], Any], Callable[[], Call]]:
        prepared = prepare(framework, model, engine, int(threads), Path(folder))
        return prepared.first, prepared.call

    serve(sys.stdin, sys.stdout, start)


if __name__ == "__main__":
    main(sys.argv[1:])
