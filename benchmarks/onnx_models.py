"""Models of ONNX, as people export them, beside ONNX Runtime and OpenVINO.

    python -m benchmarks.onnx_models                                    those that installed packages bring
    python -m benchmarks.onnx_models bert.onnx:ids=1x128 net.onnx       files, with what their inputs leave open
    python -m benchmarks.onnx_models --threads 2 --only resnet

Packages with models: `onnx` (nine light networks, with seeded weights), silero-vad and magika
(`pip install --no-deps …`). Inputs are random, integers from 0 to 99. All engines get the same file; results are
compared with ONNX Runtime's, to 1e-4 of the largest element, and then the engines are measured in turns, as
`python -m benchmarks` does. Each compilation is a process of its own, with an empty cache, with a full one, and with
its peak memory beside the size of the file.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from mlc.benchmarks.environment import cpu_model, default_cores, pin
from mlc.benchmarks.turns import measure_in_turns, ratio_to_best
from mlc.support.bindings import fixed_shapes
from mlc.support.errors import UserError
from mlc.testing.onnx_weights import with_seeded_weights

TOLERANCE = 1e-4
"""The largest error relative to the largest element of an output."""
_ROUNDS, _TURN = 7, 0.025
_LARGEST_INTEGER = 100
_ENGINES = ("mlc", "ONNX Runtime", "OpenVINO")


@dataclass(frozen=True)
class ModelFile:
    """A file, with what its inputs leave open."""

    path: Path
    shapes: Mapping[str, int | tuple[int, ...]] = field(default_factory=dict[str, "int | tuple[int, ...]"])
    values: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def name(self) -> str:
        """The name of the file, or of the model's folder if the file is called `model`, too."""
        return self.path.stem if self.path.stem != "model" else self.path.parent.name

    @staticmethod
    def of(word: str) -> ModelFile:
        """`net.onnx:x=1x3,batch=1`.

        Raises:
            UserError: the shapes have another form.
        """
        path, _, shapes = word.partition(":")
        return ModelFile(Path(path), fixed_shapes(shapes.split(",") if shapes else []))


def packaged() -> Iterator[ModelFile]:
    """The models that installed packages bring."""
    if (folder := _package("onnx")) is not None:
        for path in sorted((folder / "backend" / "test" / "data" / "light").glob("light_*.onnx")):
            yield ModelFile(path)
    if (folder := _package("silero_vad")) is not None:
        one_frame = {"input": (1, 576), "state": (2, 1, 128)}
        for path in sorted((folder / "data").glob("*.onnx")):
            is_sequence = path.stem.endswith("sequence")
            has_rate = not is_sequence and "half" not in path.stem and "openvino" not in path.stem
            yield ModelFile(
                path, {"sequence_length": 4} if is_sequence else one_frame, {"sr": 16000} if has_rate else {}
            )
    if (folder := _package("magika")) is not None:
        yield ModelFile(max((folder / "models").glob("standard_v*")) / "model.onnx", {"bytes": (1, 2048)})


def _package(name: str) -> Path | None:
    found = importlib.util.find_spec(name)
    return Path(found.origin).parent if found is not None and found.origin is not None else None


@dataclass
class Measured:
    """What was found out about a model; seconds per call by engine, one number per round."""

    name: str
    seconds: dict[str, list[float]]
    error: float
    """The largest, of mlc's outputs, relative to the largest element."""
    cold: float
    cached: float
    memory: float
    """The peak of a compilation beyond that of an empty process, by the size of the weights."""
    wrong: list[str] = field(default_factory=list[str])

    def ratio(self) -> float | None:
        """How many times faster mlc is than the best peer: the median over the rounds; None without a peer."""
        return ratio_to_best(self.seconds)


def measure(model: ModelFile, threads: int, rounds: int, cores: Sequence[int]) -> Measured:
    """Compile one model on all cores of this process, compare and measure it on `cores`.

    Raises:
        UserError, CompilerBug: mlc cannot compile it.
    """
    import numpy as np

    from mlc.api import compile as compile_model
    from mlc.benchmarks.engines import relative_error
    from mlc.benchmarks.peers import Peer, prepare_onnxruntime, prepare_openvino

    all_cores = os.sched_getaffinity(0)
    cold, cached, memory = _compile_apart(model, threads)
    ours: Any = compile_model(model.path, shapes=model.shapes, values=model.values, threads=threads)
    os.sched_setaffinity(0, cores)  # before the peers start their threads
    rng = np.random.default_rng(0)
    inputs = {spec.name: _random(spec, rng) for spec in ours.inputs}
    outputs = {spec.name: np.zeros(spec.shape, spec.dtype) for spec in ours.outputs}
    steering = {name: np.array(value, np.int64) for name, value in model.values.items()}
    file, given = str(model.path), {**inputs, **steering}
    prepare: dict[str, Callable[[], Peer]] = {
        "ONNX Runtime": lambda: prepare_onnxruntime(file, given, copies(outputs), threads),
        "OpenVINO": lambda: prepare_openvino(file, given, copies(outputs), threads),
    }
    expected: Mapping[str, Any] | None = None
    result = Measured(model.name, {}, math.inf, cold, cached, memory)
    calls: dict[str, Callable[[], object]] = {"mlc": as_c(ours, inputs, outputs)}
    for engine, make in prepare.items():
        try:
            peer = make()
            peer.call()
            found = {name: np.array(array) for name, array in peer.outputs().items()}
        except Exception as e:  # whatever one engine raises must not end the measurement of the others
            result.wrong.append(f"{engine}: {type(e).__name__}: {' '.join(str(e).split())[:100]}")
            continue
        expected = expected or found
        if max(relative_error(found[name], expected[name]) for name in expected) > TOLERANCE:
            result.wrong.append(f"{engine} computes something else than ONNX Runtime")
        else:
            calls[engine] = peer.call
    calls["mlc"]()
    if expected is not None:
        result.error = max(relative_error(outputs[name], expected[name]) for name in expected)
        if result.error > TOLERANCE:
            result.wrong.append("mlc computes something else")
    result.seconds.update(measure_in_turns(calls, rounds, _TURN))
    os.sched_setaffinity(0, all_cores)
    return result


def copies(arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Each array once more."""
    return {name: array.copy() for name, array in arrays.items()}


def _random(spec: Any, rng: Any) -> Any:
    import numpy as np

    if np.dtype(spec.dtype).kind == "f":
        return rng.standard_normal(spec.shape).astype(spec.dtype)
    return rng.integers(0, 2 if spec.dtype == "bool" else _LARGEST_INTEGER, spec.shape).astype(spec.dtype)


def as_c(model: Any, inputs: Mapping[str, Any], outputs: Mapping[str, Any]) -> Callable[[], object]:
    """The compiled function, called as a C program does."""
    import numpy as np

    from mlc.runtime.library import open_library
    from mlc.tuning.measure import aligned

    function = open_library(model.path, model.signature.name).function
    workspace: Any = aligned(np.zeros(int(model.signature.workspace_bytes), np.uint8))
    ins, outs = (np.array([a.ctypes.data for a in side.values()] + [0], np.uintp) for side in (inputs, outputs))
    addresses = ins.ctypes.data, outs.ctypes.data, workspace.ctypes.data
    # The arrays have to live as long as their addresses are used; the model deletes its library when it goes.
    alive = inputs, outputs, ins, outs, workspace, model

    def call(_: object = alive) -> None:
        function(*addresses)

    return call


# ---- compilation, in processes of their own

_CHILD = r"""
import json, re, sys, time
from pathlib import Path
import mlc
start = time.perf_counter()
file, shapes, values, threads = json.loads(sys.argv[1])
shapes = {name: tuple(s) if isinstance(s, list) else s for name, s in shapes.items()}
if file:
    mlc.compile(file, shapes=shapes, values=values, threads=threads)
seconds = time.perf_counter() - start
# getrusage counts what the parent had before exec, too.
print(seconds, re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text()).group(1))
"""


def _compile_apart(model: ModelFile, threads: int) -> tuple[float, float, float]:
    """Seconds with an empty cache and with a full one, and the peak memory by the bytes of the file and its data."""
    with tempfile.TemporaryDirectory(prefix="mlc-bench-") as cache:
        empty = _child(ModelFile(Path()), threads, cache)[1]
        cold, peak = _child(model, threads, cache)
        cached = min(_child(model, threads, cache)[0] for _ in range(3))
    return cold, cached, 1024 * (peak - empty) / model.path.stat().st_size


def _child(model: ModelFile, threads: int, cache: str) -> tuple[float, int]:
    file = str(model.path) if model.path.name else ""
    arguments = json.dumps([file, dict(model.shapes), dict(model.values), threads])
    done = subprocess.run(
        [sys.executable, "-c", _CHILD, arguments],
        env={**os.environ, "MLC_CACHE_DIR": cache},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise UserError(f"{model.name}: {done.stderr.strip().splitlines()[-1][:300]}")
    seconds, kilobytes = done.stdout.split()
    return float(seconds), int(kilobytes)


# ---- the command


def table(results: Sequence[Measured]) -> Iterator[str]:
    """A table in Markdown: milliseconds are medians over the rounds, a ratio above 1 says that mlc is faster."""
    yield f"| model | {' | '.join(f'{e} ms' for e in _ENGINES)} | ratio | error | cold s | cached s | memory |"
    yield f"|---|{'---|' * (len(_ENGINES) + 5)}"
    yield from map(row, results)
    ratios = [ratio for r in results if (ratio := r.ratio()) is not None]
    if ratios:
        yield f"\nGeometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}."
    yield from (f"- {r.name}: {problem}" for r in results for problem in r.wrong)


def row(result: Measured) -> str:
    """One line of the table."""
    times = [f"{1e3 * statistics.median(taken):.3g}" if (taken := result.seconds.get(e)) else "" for e in _ENGINES]
    ratio = "" if result.ratio() is None else f"{result.ratio():.2f}"
    compiled = f"{result.cold:.1f}", f"{result.cached:.2f}", f"{result.memory:.1f}x"
    return f"| {' | '.join([result.name, *times, ratio, f'{result.error:.0e}', *compiled])} |"


def main(words: Sequence[str] | None = None) -> int:
    """The command; 1 if mlc failed on a model."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.onnx_models", description="models of ONNX beside peers")
    parser.add_argument(
        "models", nargs="*", metavar="FILE[:NAME=SHAPE,…]", help="those of installed packages if left out"
    )
    parser.add_argument("--only", default="", metavar="PART", help="models whose name has this part")
    parser.add_argument("--threads", type=int, default=1, choices=(1, 2), help="threads of each engine (1)")
    parser.add_argument("--repeat", type=int, default=_ROUNDS, metavar="N", help=f"rounds of turns ({_ROUNDS})")
    arguments = parser.parse_args(words)
    cores = default_cores(arguments.threads)
    pin(sorted(os.sched_getaffinity(0)), arguments.threads)
    try:
        models = [ModelFile.of(word) for word in arguments.models] or list(packaged())
    except UserError as e:
        print(e, file=sys.stderr)
        return 2
    results: list[Measured] = []
    failed = False
    for model in models:
        if arguments.only not in model.name:
            continue
        with tempfile.TemporaryDirectory(prefix="mlc-bench-") as folder:
            try:
                seeded = replace(model, path=with_seeded_weights(model.path, Path(folder)))
                results.append(measure(seeded, arguments.threads, arguments.repeat, cores))
                print(row(results[-1]), file=sys.stderr)
            except UserError as e:
                failed = True
                print(f"{model.name}: {e}", file=sys.stderr)
    print(f"{cpu_model()}, threads: {arguments.threads}")
    print(*table(results), sep="\n")
    return int(failed or any("mlc" in problem for r in results for problem in r.wrong))


if __name__ == "__main__":
    sys.exit(main())
