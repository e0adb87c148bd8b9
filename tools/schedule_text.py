"""The steps of a kernel's schedule in words: `tile(n, 64)` makes three blocks of 64 of 200 columns, and one of 8.

A step that the loops do not allow is not described as done: its words are the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from xdsl.dialects.func import FuncOp

from mlc.dialects.loop import ScheduleAttr, StepAttr
from mlc.dialects.tensor import StructuredOp
from mlc.tools.schedule_trial import Outcome


def describe_schedule(
    kernel: FuncOp, constants: Container[tuple[str, int]], outcomes: Sequence[Outcome] = ()
) -> Iterator[tuple[str, str]]:
    """The steps of the schedule of a kernel at the tensor level, each with what it does here.

    `constants` holds the arguments (name of the kernel, position) that are known when the program is compiled,
    `outcomes` what came of each step; without, all are taken to be allowed.
    """
    schedule = kernel.attributes.get("schedule")
    if not isinstance(schedule, ScheduleAttr):
        return
    loops = _Loops.of(kernel, constants)
    for step, outcome in zip_longest(schedule.steps, outcomes, fillvalue=None):
        assert step is not None
        reasons = "; ".join(outcome.refusals) if outcome else ""
        if outcome and outcome.refused:
            yield step.spelling, f"refused: {reasons}"
        else:
            but = f", but refused in part: {reasons}" if reasons else ""
            yield step.spelling, _WORDS[step.action.data](step, loops) + but


@dataclass
class _Loops:
    """What is known of a kernel's loops while the steps change them."""

    kernel: FuncOp
    constants: Container[tuple[str, int]]
    trips: dict[str, int] = field(default_factory=dict[str, int])
    """The iterations of each loop by name; of blocks, those of the main nest."""
    serial: set[str] = field(default_factory=set[str])
    """The loops that reduce."""
    block: dict[str, int] = field(default_factory=dict[str, int])
    """The block size of each tiled loop."""

    @staticmethod
    def of(kernel: FuncOp, constants: Container[tuple[str, int]]) -> _Loops:
        loops = _Loops(kernel, constants)
        for op in kernel.body.block.ops:
            if isinstance(op, StructuredOp):
                loops.trips.update(zip(op.dim_names, op.dim_sizes, strict=True))
                loops.serial.update(op.dim_names[op.num_parallel :])
        return loops

    def is_constant(self, argument: str) -> bool:
        """Whether the compiler knows the argument that a step calls so."""
        for value in self.kernel.body.block.args:
            if argument == (value.name_hint or f"arg{value.index}"):
                return (self.kernel.sym_name.data, value.index) in self.constants
        return False


def _tile(step: StepAttr, loops: _Loops) -> str:
    (name,), size = step.loop_names, step.sizes.data[0].data
    trips = loops.trips.get(name)
    if name in loops.serial:
        loops.serial.add(f"{name}i")
    loops.block[name] = size
    loops.trips[f"{name}i"] = min(size, trips) if trips else size
    if trips is None:
        return f"blocks of {size}"
    blocks, rest = divmod(trips, size)
    loops.trips[name] = max(blocks, 1)
    if not blocks or (blocks, rest) == (1, 0):
        return f"one block of all {trips}"
    return f"{blocks} block{'s' * (blocks > 1)} of {size}" + (f", and one of {rest}" if rest else "")


def _interchange(step: StepAttr, loops: _Loops) -> str:
    del loops
    outer, *inner = step.loop_names
    return f"{outer} runs around {', '.join(inner)}"


def _unpad(step: StepAttr, loops: _Loops) -> str:
    del loops
    return f"windows at the border along {', '.join(step.loop_names)} stay inside the image, so that none is copied"


def _pack(step: StepAttr, loops: _Loops) -> str:
    argument, loop = step.loop_names
    width = loops.block.get(loop)
    if width:
        loops.trips[f"{argument}_lane"] = width
    who = "the compiler stores" if loops.is_constant(argument) else "the kernel first copies"
    return f"{who} {argument} as panels, one for each block of {loop}, so that it is read front to back"


def _fuse(step: StepAttr, loops: _Loops) -> str:
    del loops
    return f"loops {step.loop_names[0]} that stand side by side become one"


def _vectorize(step: StepAttr, loops: _Loops) -> str:
    (name,) = step.loop_names
    trips = loops.trips.get(name)
    lanes = step.sizes.data[0].data if step.sizes.data else trips
    if lanes is None:
        return "the iterations become the lanes of vectors"
    idle = f", of which {trips} compute" if trips and trips < lanes else ""
    return f"vectors of {lanes} lanes{idle}"


def _vectorize_reduction(step: StepAttr, loops: _Loops) -> str:
    del loops
    return f"{step.sizes.data[0].data} partial results side by side, combined behind the loop"


def _split_reduction(step: StepAttr, loops: _Loops) -> str:
    del loops
    return f"{step.sizes.data[0].data} results that take turns, so that no iteration waits for the one before it"


def _block_sums(step: StepAttr, loops: _Loops) -> str:
    return f"{_tile(step, loops)}, whose sums start from 0"


def _hoist_reduction(step: StepAttr, loops: _Loops) -> str:
    del loops
    return f"{step.loop_names[0]} runs around {step.loop_names[1]}; partial results wait in a buffer"


def _unroll(step: StepAttr, loops: _Loops) -> str:
    (name,) = step.loop_names
    trips = loops.trips.get(name)
    copies = f"{trips} copies" if trips else "a copy for each iteration"
    if trips == 1:
        return "the one iteration without a loop"
    return (
        f"{copies} after each other" if name in loops.serial else f"{copies} side by side, with registers of their own"
    )


def _prefetch(step: StepAttr, loops: _Loops) -> str:
    del loops
    return f"what is read and written behind {step.loop_names[0]} is asked for in front of it"


def _parallel(step: StepAttr, loops: _Loops) -> str:
    del step, loops
    return "the iterations are spread over threads"


_WORDS: dict[str, Callable[[StepAttr, _Loops], str]] = {
    "tile": _tile,
    "interchange": _interchange,
    "unpad": _unpad,
    "pack": _pack,
    "fuse": _fuse,
    "vectorize": _vectorize,
    "vectorize_reduction": _vectorize_reduction,
    "split_reduction": _split_reduction,
    "block_sums": _block_sums,
    "hoist_reduction": _hoist_reduction,
    "unroll": _unroll,
    "prefetch": _prefetch,
    "parallel": _parallel,
}
