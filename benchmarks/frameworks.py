"""Models of PyTorch and functions of JAX, beside what these frameworks make of them themselves.

    python -m benchmarks.frameworks torch                      inference and training: eager torch, inductor, mlc
    python -m benchmarks.frameworks jax --threads 2            functions of JAX: XLA, mlc
    python -m benchmarks.frameworks torch --only 'bert|train'

    pip install torch==2.13.0 torchvision transformers jax flax

Each model is a process of its own, pinned, with an empty cache of mlc's. Results are compared with those of the
framework, to 1e-4 of the largest element. First calls are timed, which compile; then the engines have turns of 50 ms in
each of 7 rounds, of which the fastest batch counts. Ratios are formed within a round; a ratio above 1 says that mlc is
faster than the fastest of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any

from mlc.benchmarks.environment import cpu_model, default_cores

_ROUNDS, _TURN = 7, 0.05
TOLERANCE = 1e-4


def main() -> int:
    """Measure the models one after the other, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("framework", choices=("torch", "jax"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--only", default="", metavar="REGEX", help="models in whose names this is found")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps((_measure_torch if args.framework == "torch" else _measure_jax)(args.one, args.threads)))
        return 0
    names = _names(args.framework)
    print(f"{cpu_model()}, {args.threads} thread(s)\n", flush=True)
    ratios: list[float] = []
    for number, name in enumerate(n for n in names if re.search(args.only, n)):
        found = _apart(args.framework, name, args.threads)
        if "error" in found:
            print(f"| {name} | {found['error']} |", flush=True)
            continue
        engines = list(found["ms"])
        if not number:
            print(f"| model | {' | '.join(f'{e} ms' for e in engines)} | ratio | error | first call, s: mlc | others |")
            print(f"|---|{'---|' * (len(engines) + 4)}")
        times = " | ".join(f"{found['ms'][e]:.3g}" for e in engines)
        others = ", ".join(f"{e} {found['first'][e]:.1f}" for e in engines[1:])
        ratios.append(found["ratio"])
        print(
            f"| {name} | {times} | {found['ratio']:.2f} | {found['error_of']:.0e} | {found['first']['mlc']:.1f} | "
            f"{others} |",
            flush=True,
        )
    if ratios:
        print(f"\ngeometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
    return 0


def _names(framework: str) -> list[str]:
    if framework == "jax":
        from mlc.benchmarks.jax_models import MODELS

        return list(MODELS)
    from mlc.benchmarks.torch_models import cases

    return list(cases())


def _apart(framework: str, name: str, threads: int) -> dict[str, Any]:
    """The numbers of one model, from a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        cores = ",".join(map(str, default_cores(threads)))
        limits = {v: str(threads) for v in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")}
        flags = f"--xla_cpu_multi_thread_eigen={'true' if threads > 1 else 'false'}"
        own = {"MLC_CACHE_DIR": folder, "TORCHINDUCTOR_CACHE_DIR": f"{folder}/inductor", "XLA_FLAGS": flags}
        command = ["taskset", "-c", cores, sys.executable, "-m", "mlc.benchmarks.frameworks", framework]
        done = subprocess.run(
            [*command, "--one", name, "--threads", str(threads)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, **limits, **own},
        )
    lines = done.stdout.strip().splitlines()
    if done.returncode or not lines:
        return {"error": (done.stderr.strip().splitlines() or ["it ended without a word"])[-1]}
    return json.loads(lines[-1])


def _measure_torch(name: str, threads: int) -> dict[str, Any]:
    from mlc.benchmarks.torch_models import cases

    torch: Any = import_module("torch")
    ours: Any = import_module("mlc.torch")
    warnings.simplefilter("ignore")
    torch.set_num_threads(threads)
    function, inputs, trains = cases()[name]()
    parameters = _parameters(function) if trains else []

    def called(f: Callable[..., Any]) -> Callable[[], Any]:
        if not trains:
            return lambda: f(*inputs)

        def step() -> Any:
            value = f(*inputs)
            for p in parameters:
                p.grad = None
            value.backward()
            return [value.detach(), *(p.grad for p in parameters)]

        return step

    engines = {
        "mlc": called(torch.compile(function, backend="mlc", options={"threads": threads})),
        "inductor": called(torch.compile(function)),
        "eager": called(function),
    }
    with torch.set_grad_enabled(trains):
        results: dict[str, Any] = {}
        first: dict[str, float] = {}
        for engine, call in engines.items():
            start = time.perf_counter()
            results[engine] = _tensors(call())
            first[engine] = time.perf_counter() - start
        error = max(map(_error, results["mlc"], results["eager"]))
        if fallbacks := ours.report().fallbacks:
            return {"error": f"stays in torch: {next(iter(fallbacks)).operator}"}
        return _in_turns(engines) | {"error_of": error, "first": first}


def _parameters(function: Any) -> list[Any]:
    """The parameters of the model that a function closes over."""
    return [p for cell in function.__closure__ for p in cell.cell_contents.parameters()]


def _tensors(found: Any) -> list[Any]:
    import numpy as np

    torch: Any = import_module("torch")
    pytree: Any = import_module("torch.utils._pytree")
    tree = found.to_tuple() if hasattr(found, "to_tuple") else found
    return [np.asarray(t.detach()) for t in pytree.tree_leaves(tree) if isinstance(t, torch.Tensor)]


def _measure_jax(name: str, threads: int) -> dict[str, Any]:
    from mlc.benchmarks.jax_models import MODELS

    jax: Any = import_module("jax")
    mlc_jit: Any = import_module("mlc.jax").jit
    function, inputs = MODELS[name]()
    ours, theirs = mlc_jit(function, threads=threads), jax.jit(function)
    engines: dict[str, Callable[[], Any]] = {
        "mlc": lambda: ours(*inputs),
        "XLA": lambda: jax.block_until_ready(theirs(*inputs)),
    }
    results: dict[str, Any] = {}
    first: dict[str, float] = {}
    for engine, call in engines.items():
        start = time.perf_counter()
        results[engine] = jax.tree.leaves(call())
        first[engine] = time.perf_counter() - start
    error = max(map(_error, results["mlc"], results["XLA"]))
    return _in_turns(engines) | {"error_of": error, "first": first}


def _error(found: Any, expected: Any) -> float:
    """The largest difference, relative to the largest element."""
    import numpy as np

    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    if not expected.size:
        return 0.0
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30))


def _in_turns(engines: dict[str, Callable[[], Any]]) -> dict[str, Any]:
    """Medians of the times of a call in ms, and of how much faster mlc is than the fastest other."""
    times: dict[str, list[float]] = {engine: [] for engine in engines}
    for _ in range(_ROUNDS):
        for engine, call in engines.items():
            times[engine].append(_turn(call))
    best = [min(times[e][i] for e in engines if e != "mlc") / times["mlc"][i] for i in range(_ROUNDS)]
    return {"ms": {e: statistics.median(t) * 1e3 for e, t in times.items()}, "ratio": statistics.median(best)}


def _turn(call: Callable[[], Any]) -> float:
    """The seconds that the fastest call of a turn takes."""
    call()
    end, fastest = time.perf_counter() + _TURN, float("inf")
    while time.perf_counter() < end or fastest == float("inf"):
        start = time.perf_counter()
        call()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest


if __name__ == "__main__":
    sys.exit(main())
