"""Models of PyTorch and functions of JAX, beside what these frameworks make of them themselves.

    python -m benchmarks torch                      inference and training: mlc, inductor, eager torch, ONNX Runtime
    python -m benchmarks jax --threads 2            functions of JAX: mlc, XLA
    python -m benchmarks torch --only 'bert|train' --engines mlc,inductor

    pip install torch==2.13.0 torchvision transformers jax flax onnxruntime onnxscript

Each engine has a model in a process of its own, pinned, with caches of its own that are empty at first. ONNX Runtime
gets what torch.onnx.export makes. First results are timed from the model, when it and all packages are there, to arrays
of NumPy: cold, and warm in a second process that finds the caches of the first. Results are compared with those of the
framework, to 1e-4 of the largest element. Then the second processes have turns of 50 ms in each of 7 rounds, of which
the fastest batch counts. Ratios are formed within a round; a ratio above 1 says that mlc is faster than the fastest of
the others.
"""

from __future__ import annotations

import argparse
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mlc.benchmarks.engines import TOLERANCE, relative_error
from mlc.benchmarks.environment import cpu_model, default_cores
from mlc.benchmarks.framework_engines import COMPILERS, ENGINES, ORACLES, NotMeasuredError, engines_of, names
from mlc.benchmarks.framework_worker import Worker
from mlc.benchmarks.turns import ratio_to_best

_ROUNDS, _TURN = 7, 0.05
_REST = 0.02
"""Seconds between turns, in which the threads of the engine before fall asleep."""


@dataclass
class Measured:
    """What was found out about a model; by engine, those that were measured."""

    name: str
    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """Per call, one number per round."""
    cold: dict[str, float] = field(default_factory=dict[str, float])
    """To the first results, with empty caches."""
    warm: dict[str, float] = field(default_factory=dict[str, float])
    """In a second process."""
    error: float | None = None
    """The largest, of mlc's results, relative to the largest element of the framework's own."""
    wrong: list[str] = field(default_factory=list[str])

    def ratio(self) -> float | None:
        """How many times faster mlc is than the fastest other engine: the median over the rounds."""
        return ratio_to_best(self.seconds)


def measure(
    framework: str, name: str, engines: Sequence[str], threads: int, rounds: int, cores: Sequence[int]
) -> Measured:
    """One model with each engine: cold, warm, then in turns."""
    found = Measured(name)
    results: dict[str, list[Any]] = {}
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mlc-bench-")))
        workers: dict[str, Worker] = {}
        for number, engine in enumerate(engines):
            own, file = folder / str(number), folder / f"{number}.npz"
            try:
                with closing(Worker(framework, name, engine, threads, cores, own)) as worker:
                    found.cold[engine] = worker.first(file)
                results[engine] = _arrays(file)
                workers[engine] = stack.enter_context(closing(Worker(framework, name, engine, threads, cores, own)))
                found.warm[engine] = workers[engine].first(file)
            except NotMeasuredError as e:
                workers.pop(engine, None)
                found.wrong.append(f"{engine}: {e}")
        _compare(found, results, ORACLES[framework])
        try:
            found.seconds.update(_in_turns(workers, rounds))
        except NotMeasuredError as e:
            found.wrong.append(str(e))
    return found


def _arrays(file: Path) -> list[Any]:
    with np.load(file) as archive:
        return [archive[key] for key in archive.files]


def _compare(found: Measured, results: Mapping[str, Sequence[Any]], oracle: str) -> None:
    """Say which engines compute something else than the framework does."""
    if (expected := results.get(oracle)) is None:
        return
    for engine, arrays in results.items():
        pairs = [(np.asarray(a), np.asarray(e)) for a, e in zip(arrays, expected, strict=False) if np.size(e)]
        error = max((relative_error(a.astype(e.dtype), e) for a, e in pairs), default=0.0)
        if len(arrays) != len(expected) or error > TOLERANCE:
            found.wrong.append(f"{engine} computes something else than {oracle}, by {error:.0e}")
        if engine == "mlc":
            found.error = error


def _in_turns(workers: Mapping[str, Worker], rounds: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {engine: [] for engine in workers}
    for _ in range(rounds):
        for engine, worker in workers.items():
            time.sleep(_REST)
            times[engine].append(worker.turn(_TURN))
    return times


# ---- the table


def head(engines: Sequence[str]) -> Iterator[str]:
    """The first lines of a table."""
    parts = [f"{engine} {unit}" for unit in ("ms", "cold s", "warm s") for engine in engines]
    columns = [*parts[: len(engines)], "ratio", "error", *parts[len(engines) :]]
    yield f"| model | {' | '.join(columns)} |"
    yield "|---|" + "---|" * len(columns)


def row(found: Measured, engines: Sequence[str]) -> str:
    """The line of a model: milliseconds are medians over the rounds."""
    times = [f"{statistics.median(found.seconds[e]) * 1e3:.3g}" if e in found.seconds else "" for e in engines]
    ratio = "" if (number := found.ratio()) is None else f"{number:.2f}"
    error = "" if found.error is None else f"{found.error:.0e}"
    first = [f"{by[e]:.2f}" if e in by else "" for by in (found.cold, found.warm) for e in engines]
    return f"| {' | '.join([found.name, *times, ratio, error, *first])} |"


def summary(results: Sequence[Measured], compiler: str) -> Iterator[str]:
    """What the table comes to: means, and the worst by name; then what went wrong."""
    training = {"inference": False, "training": True} if any(map(_trains, results)) else {"models": None}
    for kind, wanted in training.items():
        ratios = {r.name: ratio for r in results if wanted in (None, _trains(r)) and (ratio := r.ratio()) is not None}
        if ratios:
            least = min(ratios, key=lambda name: ratios[name])
            mean = statistics.geometric_mean(ratios.values())
            yield f"{kind}: geometric mean {mean:.2f}, least {ratios[least]:.2f} ({least})"
    cold = {r.name: r.cold["mlc"] / r.cold[compiler] for r in results if {"mlc", compiler} <= r.cold.keys()}
    if cold:
        most = max(cold, key=lambda name: cold[name])
        yield f"first results, cold: at most {cold[most]:.2f} of {compiler}'s time ({most})"
    warm = {r.name: r.warm["mlc"] for r in results if "mlc" in r.warm}
    if warm:
        most = max(warm, key=lambda name: warm[name])
        yield f"first results, warm: at most {warm[most]:.2f} s ({most})"
    yield from (f"- {r.name}: {problem}" for r in results for problem in r.wrong)


def _trains(found: Measured) -> bool:
    return found.name.startswith("train")


# ---- the command


def main(words: Sequence[str] | None = None) -> int:
    """The command; 1 if mlc failed on a model, 2 if what is asked for is not there."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("framework", choices=tuple(ENGINES))
    parser.add_argument("--list", action="store_true", help="print the names of the models")
    parser.add_argument("--only", default="", metavar="REGEX", help="models in whose names this is found")
    parser.add_argument("--engines", metavar="LIST", help="mlc,inductor; all that there are if left out")
    parser.add_argument("--threads", type=int, default=1, choices=(1, 2), help="threads of each engine (1)")
    parser.add_argument("--repeat", type=int, default=_ROUNDS, metavar="N", help=f"rounds of turns ({_ROUNDS})")
    arguments = parser.parse_args(words)
    known = ENGINES[arguments.framework]
    wanted = arguments.engines.split(",") if arguments.engines else list(known)
    if unknown := [engine for engine in wanted if engine not in known]:
        print(f"no engine is called {', '.join(unknown)}; found {', '.join(known)}", file=sys.stderr)
        return 2
    try:
        models = [name for name in names(arguments.framework) if re.search(arguments.only, name)]
    except ImportError as e:
        print(f"{e}; pip install {arguments.framework}", file=sys.stderr)
        return 2
    except re.error as e:
        print(f"--only takes a regular expression, found '{arguments.only}': {e}", file=sys.stderr)
        return 2
    if not models:
        print(f"no model is called '{arguments.only}'; --list shows them", file=sys.stderr)
        return 2
    if arguments.list:
        print(*models, sep="\n")
        return 0
    cores = default_cores(arguments.threads)
    print(f"{cpu_model()}, threads: {arguments.threads}\n")
    print(*head(wanted), sep="\n", flush=True)
    results: list[Measured] = []
    for name in models:
        engines = [engine for engine in wanted if engine in engines_of(arguments.framework, name)]
        results.append(measure(arguments.framework, name, engines, arguments.threads, arguments.repeat, cores))
        print(row(results[-1], wanted), flush=True)
    print("", *summary(results, COMPILERS[arguments.framework]), sep="\n")
    return int(any(problem.startswith("mlc") for r in results for problem in r.wrong))


if __name__ == "__main__":
    sys.exit(main())
