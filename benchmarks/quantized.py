"""The families `int4`, `int8` and `bf16`: short numbers, beside ONNX Runtime, OpenVINO and the same models in f32.

    python -m benchmarks --families int8                        all of them, on one core
    python -m benchmarks --families int8 --only resnet-18       one
    python -m benchmarks --families int4,int8,bf16 --list

All engines get the same file of four or eight bits. Its meaning is what ONNX Runtime computes without any optimisation,
operator by operator; engines that skip roundings in between differ from that, about as much as the file differs from
the one of f32. The table shows the largest difference, in steps of the output where it is quantized, else relative to
its largest element. An engine that differs by twice as much, as a root of the mean square, computes something else.

Nobody else computes files of bf16, which mlc compiles with the precision bf16: there, OpenVINO gets the file of f32 and
rounds to bf16, and ONNX Runtime stays in f32.
"""

from __future__ import annotations

import importlib.util
import math
import os
import re
import statistics
import sys
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from mlc.api import compile as compile_model
from mlc.benchmarks.case import Array
from mlc.benchmarks.engines import Call
from mlc.benchmarks.environment import cpu_model
from mlc.benchmarks.onnx_models import as_c, copies
from mlc.benchmarks.peers import Peer, onnxruntime_session, prepare_onnxruntime, prepare_openvino
from mlc.benchmarks.quantized_models import Family, Files, ShortModel, files_of, models
from mlc.benchmarks.tables import Grid
from mlc.benchmarks.turns import measure_in_turns, ratio_to_best
from mlc.support.errors import UserError
from mlc.tuning.measure import aligned

FAMILIES: tuple[Family, ...] = ("int4", "int8", "bf16")
OURS, OURS_IN_F32, PEERS = "mlc", "mlc f32", ("ONNX Runtime", "OpenVINO")
_TURN = 0.025
_ALLOWED_INT8 = 2.0
"""The difference of a result, as a part of what quantization changes; roots of mean squares.

After some layers the roundings of two engines have nothing in common, and what they add is 1.4 times that of one.
"""
_ALLOWED_BF16 = 0.05
"""The difference of a result in bf16, as a part of the result; roots of mean squares."""

Arrays = dict[str, Array]


@dataclass(frozen=True)
class Settings:
    """How to measure."""

    target: str
    threads: int
    all_cores: Collection[int]
    """Those to compile on."""
    rounds: int
    with_peers: bool = True


@dataclass
class Measured:
    """What was found out about a model."""

    name: str
    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    """Per call, one number per round, by engine."""
    difference: dict[str, float] = field(default_factory=dict[str, float])
    """The largest one from what the file means, by engine."""
    in_steps: bool = False
    """Whether differences are in steps of the output; else they are parts of its largest element."""
    compiled: float = math.nan
    """The seconds that mlc took to compile it."""
    wrong: list[str] = field(default_factory=list[str])

    def ratio_to_peer(self) -> float | None:
        """How many times faster mlc is than the best peer: the median over the rounds."""
        return ratio_to_best({name: times for name, times in self.seconds.items() if name != OURS_IN_F32})

    def ratio_to_f32(self) -> float | None:
        """How many times faster mlc is than on the model in f32."""
        return ratio_to_best({name: self.seconds[name] for name in (OURS, OURS_IN_F32) if name in self.seconds})


def measure(family: Family, model: ShortModel, settings: Settings) -> Measured:
    """Make, compile, compare and measure one model.

    Raises:
        UserError: a package is missing, or the user has no cache.
    """
    files, found = files_of(model), Measured(model.name)
    truth = Truth.of(family, files)
    found.in_steps = truth.steps is not None
    calls: dict[str, Call] = {}
    empty = {name: np.zeros_like(array) for name, array in truth.expected.items()}
    for engine, prepare in _engines(family, files, empty, settings, found).items():
        try:
            prepared = prepare()
            prepared.call()
            results = copies(prepared.outputs())
        except Exception as e:  # whatever one engine raises must not end the measurement of the others
            found.wrong.append(f"{engine}: {type(e).__name__}: {' '.join(str(e).split())[:120]}")
            continue
        found.difference[engine] = truth.difference(results)
        if engine != OURS_IN_F32 and not truth.holds(results):
            found.wrong.append(f"{engine} computes something else")
        calls[engine] = prepared.call
    found.seconds.update(measure_in_turns(calls, settings.rounds, _TURN))
    return found


def _engines(
    family: Family, files: Files, outputs: Arrays, settings: Settings, found: Measured
) -> dict[str, Callable[[], Peer]]:
    """What prepares each engine."""
    threads, inputs = settings.threads, files.inputs
    peer_file, precision = (str(files.f32), "bf16") if family == "bf16" else (str(files.short), "f32")

    def ours() -> Peer:
        start = time.perf_counter()
        prepared = _ours(str(files.short), inputs, outputs, settings, precision)
        found.compiled = time.perf_counter() - start
        return prepared

    engines = {OURS: ours, OURS_IN_F32: lambda: _ours(str(files.f32), inputs, outputs, settings)}
    if settings.with_peers:
        runtime, openvino = PEERS
        engines[runtime] = lambda: prepare_onnxruntime(peer_file, inputs, copies(outputs), threads)
        if importlib.util.find_spec("openvino"):
            engines[openvino] = lambda: prepare_openvino(peer_file, inputs, copies(outputs), threads, precision)
    return engines


def _ours(file: str, inputs: Arrays, outputs: Arrays, settings: Settings, precision: str = "f32") -> Peer:
    """A model compiled by mlc, on all cores of the machine, called as a C program does."""
    pinned = os.sched_getaffinity(0)
    os.sched_setaffinity(0, settings.all_cores)
    try:
        model: Any = compile_model(file, target=settings.target, threads=settings.threads, precision=precision)
    finally:
        os.sched_setaffinity(0, pinned)
    # In order: files of other types name them otherwise.
    given = {spec.name: aligned(array) for spec, array in zip(model.inputs, inputs.values(), strict=True)}
    results = {name: aligned(array) for name, array in outputs.items()}
    return Peer(as_c(model, given, results), lambda: results)


@dataclass(frozen=True)
class Truth:
    """What a model means."""

    expected: Arrays
    allowed: Mapping[str, float]
    """How far a result may be from that, as a root of the mean square."""
    steps: Mapping[str, float] | None
    """Of each output, if all are quantized."""

    @staticmethod
    def of(family: Family, files: Files) -> Truth:
        f32 = _plainly(str(files.f32), files.inputs)
        if family == "bf16":
            return Truth(f32, {name: _ALLOWED_BF16 * _size(array) for name, array in f32.items()}, None)
        expected = _plainly(str(files.short), files.inputs)
        allowed = {name: _ALLOWED_INT8 * _size(array - f32[name]) for name, array in expected.items()}
        return Truth(expected, allowed, steps_of(str(files.short)))

    def difference(self, results: Arrays) -> float:
        """The largest one, in steps or relative to the largest element."""

        def largest(name: str) -> float:
            expected = self.expected[name]
            unit = self.steps[name] if self.steps else max(float(np.max(np.abs(expected))), 1e-30)
            return float(np.max(np.abs(results[name] - expected))) / unit

        return max(map(largest, self.expected))

    def holds(self, results: Arrays) -> bool:
        """Whether results are near enough; never if NaN is among them."""
        return all(_size(results[name] - self.expected[name]) <= self.allowed[name] for name in self.expected)


def _plainly(file: str, inputs: Arrays) -> dict[str, Array]:
    session = onnxruntime_session(file, 1, optimized=False)
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, dict(inputs)), strict=True))


def _size(array: Array) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(np.square(array, dtype=np.float64))))


def steps_of(file: str) -> dict[str, float] | None:
    """The distance of neighbouring values of each output; None if one is not the result of a dequantization."""
    onnx: Any = importlib.import_module("onnx")
    graph = onnx.load(file).graph
    scales = {each.name: onnx.numpy_helper.to_array(each) for each in graph.initializer}
    made = {name: node for node in graph.node for name in node.output}
    found: dict[str, float] = {}
    for output in graph.output:
        node = made[output.name]
        if node.op_type != "DequantizeLinear" or (scale := scales.get(node.input[1])) is None or scale.size != 1:
            return None
        found[output.name] = float(scale.reshape(()))
    return found


# ---- the command


def table(family: Family, results: Sequence[Measured]) -> Grid:
    """Milliseconds are medians over the rounds; a ratio above 1 says that mlc is faster."""
    engines = (OURS, *PEERS, OURS_IN_F32)
    header = ["model", *(f"{e} ms" for e in engines), "to best peer", "to own f32", *(f"off: {e}" for e in engines)]
    rows = [
        [
            found.name,
            *(f"{1e3 * statistics.median(found.seconds[e]):.3g}" if e in found.seconds else "" for e in engines),
            *(f"{ratio:.2f}" if ratio else "" for ratio in (found.ratio_to_peer(), found.ratio_to_f32())),
            *(_words(found, engine) for engine in engines),
            f"{found.compiled:.1f}",
        ]
        for found in results
    ]
    return Grid(f"{family}: {cpu_model()}", [*header, "compile s"], rows)


def _words(found: Measured, engine: str) -> str:
    if (value := found.difference.get(engine)) is None:
        return ""
    return f"{value:.0f} steps" if found.in_steps else f"{value:.1%}"


def summary(results: Sequence[Measured]) -> Iterator[str]:
    """Means and worst ratios, and what went wrong."""
    kinds = (("best peer", Measured.ratio_to_peer), ("own f32", Measured.ratio_to_f32))
    for what, ratio in kinds:
        ratios = {found.name: value for found in results if (value := ratio(found)) is not None}
        if ratios:
            worst = min(ratios, key=ratios.__getitem__)
            mean = statistics.geometric_mean(ratios.values())
            yield f"Ratio to the {what}: geometric mean {mean:.2f}, least {ratios[worst]:.2f} ({worst})."
    yield from (f"- {found.name}: {problem}" for found in results for problem in found.wrong)


def selected(families: Sequence[str], pattern: str) -> list[tuple[Family, ShortModel]]:
    """The models of families in whose names the regular expression `pattern` is found."""
    return [(f, m) for f in FAMILIES if f in families for m in models(f) if re.search(pattern, m.name)]


def run(chosen: Sequence[tuple[Family, ShortModel]], settings: Settings, folder: Path) -> int:
    """Measure, print, and write a table for each family; 1 if mlc failed on a model, 2 if a package is missing."""
    failed = False
    for family in FAMILIES:
        if not (own := [model for name, model in chosen if name == family]):
            continue
        results: list[Measured] = []
        for model in own:
            try:
                results.append(measure(family, model, settings))
            except UserError as e:
                print(e, file=sys.stderr)
                return 2
            print(*table(family, results[-1:]).rows[0], sep=" | ", file=sys.stderr)
        text = "\n".join([table(family, results).markdown(), "", *summary(results)])
        print(f"# {family}: {cpu_model()}, threads: {settings.threads}\n\n{text}\n")
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{family}.md").write_text(text + "\n", encoding="utf-8")
        failed |= any(problem.startswith(OURS) for found in results for problem in found.wrong)
    return int(failed)
