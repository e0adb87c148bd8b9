"""One measurement of one schedule of one kernel, as a line of JSON."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal, cast, get_args

from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.support.version import __version__
from mlc.targets import host
from mlc.targets.machine import Machine, resolve_target

Outcome = Literal["ok", "refused", "crash", "hang", "wrong"]
"""What came of a candidate: it was measured; its loops do not allow it; it crashed, or the compiler did; it, or the
compiler, did not end; it computes something else."""


class FormatError(Exception):
    """A line is not a record."""


@dataclass(frozen=True)
class TunedMachine:
    """What is equal where times mean the same."""

    name: str
    """What the CPU calls itself, for people."""
    cpu: str
    facts: str
    """A hash of the instructions and cache sizes that code is made for; what `mlc machine measure` finds is not
    part."""
    threads: int
    opt_level: int

    @staticmethod
    def of(options: PipelineOptions) -> TunedMachine:
        """The machine that is compiled for.

        Raises:
            UserError: the target is unknown.
        """
        machine = resolve_target(options.target)
        name = host.identity()["model"] if options.target == "native" else options.target
        return TunedMachine(name, machine.cpu, _facts(machine), options.threads, options.opt_level)

    def is_like(self, other: TunedMachine) -> bool:
        """Whether schedules of one are schedules of the other; a target may have another name than its CPU."""
        return self._known == other._known

    def other_than(self, other: TunedMachine) -> str:
        """How this one differs from another one, in words."""
        differences = (
            [f"on another machine ({self.name})"] if (self.cpu, self.facts) != (other.cpu, other.facts) else []
        )
        if self.threads != other.threads:
            differences.append(f"for {self.threads} thread{'s' * (self.threads > 1)}, not {other.threads}")
        if self.opt_level != other.opt_level:
            differences.append(f"at -O{self.opt_level}, not -O{other.opt_level}")
        return ", ".join(differences)

    @property
    def _known(self) -> tuple[str, str, int, int]:
        return self.cpu, self.facts, self.threads, self.opt_level


def _facts(machine: Machine) -> str:
    caches = machine.l1_bytes, machine.l2_bytes, machine.l3_bytes
    known = machine.arch, machine.base, machine.features, machine.vector_bits, machine.vector_registers, caches
    return hashlib.sha256(repr(known).encode()).hexdigest()[:12]


@dataclass(frozen=True)
class Record:
    """One measurement."""

    kernel: str
    """`KernelKey.exact`."""
    kind: str
    """`KernelKey.kind`."""
    sizes: tuple[int, ...]
    """`KernelKey.sizes`."""
    spelling: str
    arguments: tuple[str, ...]
    machine: TunedMachine
    schedule: str
    outcome: Outcome
    reason: str = ""
    """Why it was dropped."""
    time_ns: float | None = None
    """Of one call; None if it was not measured."""
    beside: str = ""
    """The schedule that was measured in turns with it."""
    beside_ns: float | None = None
    ratio: float | None = None
    """The time as a part of that of the schedule by the rules: below 1 is faster."""
    noise: float | None = None
    """How far such a ratio moves by chance, as a part."""
    confirmed: bool = False
    """Whether it was measured a second time, at length, beside the schedule by the rules."""
    model_ratio: float | None = None
    """The time of the whole model with it as a part of that without it; None if that was not measured."""
    model_noise: float | None = None
    helps: bool = True
    """Whether it is faster in the whole model, too, as far as that was measured: others are not used."""
    date: str = ""
    mlc: str = __version__
    worker: str = ""
    """The worker that measured it; empty where the search ran."""
    loops: Mapping[str, float] | None = None
    """How its loops differ from those by the rules, by the names of `tuning/description.py`: for models that learn."""

    def line(self) -> str:
        """The record as a line, which ends."""
        known = {name: value for name, value in asdict(self).items() if name in _REQUIRED or value not in (None, "")}
        return json.dumps(known, ensure_ascii=False) + "\n"

    @staticmethod
    def now() -> str:
        """The date of a record that is made now."""
        return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_TYPES: dict[str, tuple[type, ...]] = {
    "kernel": (str,),
    "kind": (str,),
    "sizes": (list,),
    "spelling": (str,),
    "arguments": (list,),
    "machine": (dict,),
    "schedule": (str,),
    "outcome": (str,),
    "reason": (str,),
    "time_ns": (int, float),
    "beside": (str,),
    "beside_ns": (int, float),
    "ratio": (int, float),
    "noise": (int, float),
    "confirmed": (bool,),
    "model_ratio": (int, float),
    "model_noise": (int, float),
    "helps": (bool,),
    "date": (str,),
    "mlc": (str,),
    "worker": (str,),
    "loops": (dict,),
}
_REQUIRED = ("kernel", "kind", "sizes", "arguments", "machine", "schedule", "outcome")


def parse_record(line: str) -> Record:
    """The record that a line holds; fields of later versions of mlc are left out.

    Raises:
        FormatError: it holds none.
    """
    try:
        found = json.loads(line)
    except ValueError:
        raise FormatError("it is not JSON") from None
    if not isinstance(found, dict):
        raise FormatError("it is not a JSON object")
    values = {name: value for name, value in cast(dict[str, Any], found).items() if name in _TYPES}
    for name in _REQUIRED:
        if name not in values:
            raise FormatError(f"it has no '{name}'")
    for name, value in values.items():
        if not isinstance(value, _TYPES[name]) or (isinstance(value, bool) and bool not in _TYPES[name]):
            raise FormatError(f"found '{name}' as {value!r}; required: {' or '.join(t.__name__ for t in _TYPES[name])}")
    if values["outcome"] not in get_args(Outcome):
        raise FormatError(f"found the outcome '{values['outcome']}'; required: one of {', '.join(get_args(Outcome))}")
    if not all(isinstance(size, int) for size in values["sizes"]):
        raise FormatError("found 'sizes' that are not whole numbers")
    if not all(isinstance(number, int | float) for number in values.get("loops", {}).values()):
        raise FormatError("found 'loops' of something else than numbers")
    names = {f.name for f in fields(TunedMachine)}
    if missing := names - values["machine"].keys():
        raise FormatError(f"its machine has no '{min(missing)}'")
    machine = TunedMachine(**{name: values["machine"][name] for name in names})
    sizes, arguments = tuple(values["sizes"]), tuple(map(str, values["arguments"]))
    rest = {"spelling": "", **values, "machine": machine, "sizes": sizes, "arguments": arguments}
    return Record(**cast(dict[str, Any], rest))
