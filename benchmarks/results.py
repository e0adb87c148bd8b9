"""What a run measured, and the figures that follow from it."""

from __future__ import annotations

import json
import statistics
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, cast

from mlc.benchmarks.case import Kind

OURS = "mlc"
OURS_IN_PYTHON = "mlc, Python call"
OURS_ON_ONE_THREAD = "mlc, one thread"
PEERS = ("ONNX Runtime", "OpenVINO", "NumPy")


@dataclass(frozen=True)
class CaseResult:
    """One case: all lists have one number per round."""

    name: str
    family: str
    kind: Kind
    flops: int
    bytes: int
    wide: bool
    """Whether the case has enough channels, or columns, that none of a vector's lanes are idle."""
    level: str
    """The nearest level of the memory that holds what the case reads and writes."""
    seconds: dict[str, list[float]]
    """Per call, by engine; those that failed are missing."""
    peak: list[float]
    """FMA peak in flop/s, measured in the same rounds."""
    bandwidth: list[float]
    """Read bandwidth of `level` in byte/s, measured in the same rounds."""
    errors: dict[str, str] = field(default_factory=dict[str, str])
    """What went wrong, by engine."""

    @property
    def is_bandwidth_bound(self) -> bool:
        """Whether to move the bytes takes this machine longer than the arithmetic, for cases that are about bytes.

        A depthwise convolution is about bytes where multiply-adds are fast, and about these where they are not.
        """
        peak, bandwidth = statistics.median(self.peak), statistics.median(self.bandwidth)
        return self.kind == "bandwidth" and self.bytes / bandwidth >= self.flops / peak

    @property
    def peers(self) -> list[str]:
        """The peers that computed the case."""
        return [name for name in PEERS if name in self.seconds]

    @property
    def best_peer(self) -> str | None:
        """The peer with the lowest time."""
        return min(self.peers, key=self.time, default=None)

    def time(self, engine: str) -> float:
        """Seconds per call: the median over the rounds."""
        return statistics.median(self.seconds[engine])

    def rate(self, engine: str = OURS) -> float:
        """In flop/s or byte/s, after what limits the case."""
        return (self.bytes if self.is_bandwidth_bound else self.flops) / self.time(engine)

    def share_of_limit(self, engine: str = OURS) -> float:
        """How much of the machine's limit for this case an engine reaches: of its arithmetic or of its bandwidth."""
        work, limit = (self.bytes, self.bandwidth) if self.is_bandwidth_bound else (self.flops, self.peak)
        return statistics.median(work / t / of for t, of in zip(self.seconds[engine], limit, strict=True))

    def speedup(self, engine: str, over: str) -> float:
        """How many times faster `engine` is than `over`: the median over the rounds."""
        pairs = zip(self.seconds[over], self.seconds[engine], strict=True)
        return statistics.median(theirs / ours for theirs, ours in pairs)

    def ratio_to_best_peer(self) -> float | None:
        """The speedup of mlc over its best peer; None if one of the two is missing."""
        best = self.best_peer
        return self.speedup(OURS, best) if best and OURS in self.seconds else None


@dataclass(frozen=True)
class CompileTime:
    """How long mlc took for one case, in seconds."""

    name: str
    cold: float
    cached: float


@dataclass
class Run:
    """All that one command measured."""

    environment: dict[str, Any]
    """Machine, versions, options, date."""
    limits: dict[str, float]
    """By probe: flop/s or byte/s."""
    cases: list[CaseResult] = field(default_factory=list[CaseResult])
    compile_times: list[CompileTime] = field(default_factory=list[CompileTime])

    def save(self, path: Path) -> None:
        """Write as JSON, a case per line, numbers to five digits."""
        fields = cast(dict[str, Any], _rounded(asdict(self)))
        lines = [f"{json.dumps(name)}: {_json_lines(value)}" for name, value in fields.items()]
        path.write_text("{" + ",\n".join(lines) + "}\n", encoding="utf-8")


def load_run(path: Path) -> Run:
    """What `Run.save` wrote."""
    data = cast(dict[str, Any], json.loads(path.read_text(encoding="utf-8")))
    cases = [CaseResult(**entry) for entry in data["cases"]]
    times = [CompileTime(**entry) for entry in data["compile_times"]]
    return Run(data["environment"], data["limits"], cases, times)


def _rounded(value: object) -> object:
    if isinstance(value, float):
        return float(f"{value:.5g}")
    if isinstance(value, list):
        return [_rounded(v) for v in cast(list[object], value)]
    if isinstance(value, dict):
        return {k: _rounded(v) for k, v in cast(dict[str, object], value).items()}
    return value


def _json_lines(value: object) -> str:
    if not isinstance(value, list):
        return json.dumps(value)
    return "[" + ",\n".join(json.dumps(v) for v in cast(list[object], value)) + "]"
