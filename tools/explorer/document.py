"""The document: what is told of one compilation, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from mlc.tools.explorer.document_code import Artifact, MachineCode
from mlc.tools.explorer.document_values import ModelResult, ModelValue, PassValues

FORMAT = 9
"""Of the document, as the viewer knows it."""
NO_TEXT = -1
"""Stands for a text where a function is not there."""
NO_PLACE = -1
"""Stands for a place where none is known."""


@dataclass(frozen=True)
class SourcePlace:
    """A source location."""

    file: str
    line: int
    """From 1; 0 where the file has no lines."""
    column: int
    name: str
    """Of the part of a file without lines, such as a node of ONNX."""
    words: str
    """All of it, as messages spell it."""


@dataclass(frozen=True)
class StoredText:
    """Some text, with the places of its lines."""

    text: str
    places: Sequence[int] = ()
    """Runs of lines: how many, the number of their place, how many, …; nothing where no line has a place."""


@dataclass(frozen=True)
class Change:
    """What a pass did to a function, or to another op of the module."""

    function: str
    before: int
    """The number of its text; `NO_TEXT` if the pass made it."""
    after: int
    """The number of its text; `NO_TEXT` if the pass removed it."""


@dataclass(frozen=True)
class PassRun:
    """One pass of the pipeline."""

    name: str
    spelling: str
    """With its options."""
    level: str
    """The level of the IR when it is done; empty for a pass that is not of the default pipeline."""
    reason: str
    """Why the pipeline has it."""
    seconds: float
    ops: tuple[int, int]
    """How many ops there are before and after."""
    changes: Sequence[Change]
    values: PassValues | None = None
    """None if the pass changed nothing, or no inputs are given."""


@dataclass(frozen=True)
class KernelCall:
    """One call of a kernel."""

    kernel: str
    places: Sequence[int]
    """Of the ops that it computes."""


@dataclass(frozen=True)
class StepPage:
    """A step of a schedule."""

    kind: str
    """What it does to which loops, without its numbers."""
    spelling: str
    words: str
    """What it does here, or why it was refused."""
    refused: bool
    text: int
    """The loops after it."""


@dataclass(frozen=True)
class Costs:
    """The estimate of a schedule."""

    cycles: float
    seconds: float
    """The same at the frequency of the machine: as it was measured, if kernels were."""
    decided_by: str
    parts: dict[str, float]
    """What keeps a core busy, in cycles."""
    brought: dict[str, float]
    """How long lines are on their way from each level of the memory, in cycles."""
    spent: dict[str, float]
    """The cycles by what they are spent on, one after the other: parts of the core in innermost loops, "around" these,
    "waiting", while lines come in bursts, and "arriving", for more lines."""
    spilled: int
    """Registers that a loop needs beyond those that there are, if no operand is read from memory directly."""

    def seconds_of(self, cycles: float) -> float:
        """Cycles of the estimate as a time."""
        return cycles * self.seconds / self.cycles if self.cycles else 0.0


@dataclass(frozen=True)
class CandidatePage:
    """Another schedule that a kernel could have."""

    words: str
    """The difference."""
    costs: Costs
    why: str
    """Why it is not chosen."""


@dataclass(frozen=True)
class KernelTime:
    """What a kernel was measured to take."""

    seconds: float
    """The shortest time of a call of the kernel alone, with random inputs in the nearest cache that holds them."""
    median: float
    upper: float
    """The upper quartile."""
    is_inlined: bool
    """Whether the model has no call of it, as the loop that called it has taken it in: it is not among the shares of
    the model's time."""


@dataclass(frozen=True)
class KernelBound:
    """The least time of a call of a kernel by the roofline of the machine."""

    arithmetic: float
    """The seconds that its operations take at full speed."""
    transfer: float
    """The seconds that what it has to move takes to come from the farthest level of the memory that it waits for."""
    limit: str
    """What takes longer: `compute`, or that level."""


@dataclass(frozen=True)
class KernelReason:
    """Why a call of a kernel takes as long as it does, as measured, or else by estimate."""

    words: str
    parts: Sequence[tuple[str, float]]
    """What it takes, in words and seconds, the least time first; all together they are the time of the call."""


@dataclass(frozen=True)
class Roof:
    """A level of the memory."""

    level: str
    holds: int | None
    """Bytes; None for the main memory."""
    rate: float
    """Bytes per second that are read from it."""
    source: str
    """Where the rate is from, in words."""


@dataclass(frozen=True)
class MachineLimits:
    """The roofline of the machine that the code is for."""

    cores: int
    peak: float
    """Operations per second, if all are multiply-adds of f32, two for each."""
    source: str
    """Where the peak is from, in words."""
    roofs: Sequence[Roof]
    """The nearest level first."""


@dataclass(frozen=True)
class KernelPage:
    """All about one kernel."""

    name: str
    places: Sequence[int]
    """Of the ops that it computes, in all of its calls."""
    calls: int
    flops: int
    bytes: int
    definition: int
    """Its text at the tensor level, in index notation."""
    schedule: str
    """As text; empty if it has none."""
    origin: str
    """Where the schedule is from, in words."""
    loops: int
    """Its text at the loop level before the first step; `NO_TEXT` if no steps are carried out."""
    steps: Sequence[StepPage]
    costs: Costs | None
    """None where its loops cannot be estimated."""
    candidates: Sequence[CandidatePage]
    neighbours: Sequence[CandidatePage] | None
    """The cheapest of the schedules that differ from its own in one step; None where these are not estimated, as it
    loses little of the time of the model."""
    bound: KernelBound | None = None
    """None where a kernel neither computes nor moves anything."""
    measured: KernelTime | None = None
    """None if nothing was measured."""
    reason: KernelReason | None = None
    """None where no time of it is known, or no bound."""


@dataclass(frozen=True)
class GraphNode:
    """An op of the model, an input, or the end."""

    label: str
    kind: str
    """The name of the op; "input" or "output"."""
    type: str
    """That of its results."""
    place: int
    scope: Sequence[str]
    """Parts of its name, outermost first: names that a source writes with slashes or dots."""
    inputs: Sequence[int]
    """The numbers of the nodes that it reads; constants are none."""
    constants: Sequence[str]
    """The types of the constants that it reads, with their names."""
    written: Sequence[str] = ()
    """The ops of its place in the model's own dialect, by name: `onnx.HardSwish`."""
    words: Sequence[str] = ()
    """What people call it by its attributes, beside its name: `depthwise`, `3x3`."""
    calls: Sequence[int] = ()
    """The numbers of the calls of kernels that compute it, the one that does most of it first."""


@dataclass(frozen=True)
class Buffer:
    """A value in the arena of a function, or a workspace for a call."""

    name: str
    offset: int
    size: int
    """In bytes."""
    first: int
    last: int
    """The numbers of the first and the last op of the function that touch it."""
    place: int


@dataclass(frozen=True)
class Arena:
    """The workspace of a function over time."""

    function: str
    size: int
    ops: Sequence[str]
    """Its ops, in words, in order: the axis of time."""
    buffers: Sequence[Buffer]


@dataclass(frozen=True)
class WeightSize:
    """A constant of the artifact."""

    name: str
    type: str
    bytes: int
    digest: str
    """Part of the SHA-256 digest of its bytes, which tells whether two constants are the same to the bit."""


@dataclass(frozen=True)
class RemarkText:
    """What a pass said."""

    kind: str
    """remark or warning"""
    message: str
    place: int
    kernel: str


@dataclass
class Document:
    """One compilation."""

    title: str
    """The file of the model."""
    version: str
    """That of mlc."""
    target: str
    machine: str
    """What the target is, in words."""
    options: Sequence[str] = ()
    """Flags of the command that are not at their defaults, with their values."""
    format: int = FORMAT
    source: int = NO_TEXT
    """The text of the model, if it is one."""
    places: Sequence[SourcePlace] = ()
    texts: Sequence[StoredText] = ()
    functions: Sequence[Change] = ()
    """What the module had at the start."""
    passes: Sequence[PassRun] = ()
    kernels: Sequence[KernelPage] = ()
    calls: Sequence[KernelCall] = ()
    """Those of kernels, in the order of the program."""
    code: Sequence[MachineCode] = ()
    simulator: str = ""
    """Which llvm-mca ran the inner loops, and of which CPU its model is; empty if none did."""
    no_simulator: str = ""
    """Why none did."""
    vector_registers: int = 0
    """How many the machine has."""
    graph: Sequence[GraphNode] = ()
    inputs: str = ""
    """The file of the inputs that values are of, if one is given."""
    values: Sequence[ModelValue] = ()
    """Those of the graph, in order."""
    inputs_digest: str = ""
    """Part of the SHA-256 digest of the bits of these inputs."""
    results: Sequence[ModelResult] = ()
    """What the code computes for them, in the order of the model's outputs."""
    no_results: str = ""
    """Why that is not known, if inputs are given."""
    arenas: Sequence[Arena] = ()
    weights: Sequence[WeightSize] = ()
    limits: MachineLimits | None = None
    """Measured if kernels are, else planned; None if there are no kernels."""
    sources: str = ""
    """Where the numbers of the machine that estimates rest on come from, in words; empty if there are no kernels."""
    measured_seconds: float | None = None
    """The shortest time of a call of the whole model; None if nothing was measured."""
    measured_median: float | None = None
    """The median of these times."""
    artifact: Artifact | None = None
    """None for a target that makes no libraries of ELF."""
    remarks: Sequence[RemarkText] = field(default_factory=tuple[RemarkText, ...])
