"""What a compilation takes from records: the schedule of a kernel that was plainly faster than the one by the rules."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.pass_manager.pipeline_options import PipelineOptions
from mlc.schedules.records.kernel_key import KernelKey, key_of
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.record_file import read_records
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, with_arguments
from mlc.schedules.trial import StepOutcome, try_schedule
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError

PLAIN_GAIN = 0.05
"""The least part by which a recorded schedule has to be faster to be taken.

A kernel alone and the same one in a model differ by some percent: its results are in another cache when it begins.
"""
_NEAR = 1.0
"""How far those sizes may be away, in doublings of the one that differs most."""
_MOST_TRIED = 4
"""How many schedules of other sizes are tried at most."""


@dataclass
class RecordedSchedules:
    """The records of a file, as the pass `schedule` asks for them."""

    file: Path
    options: PipelineOptions

    @cached_property
    def _machine(self) -> TunedMachine:
        return TunedMachine.of(self.options)

    @cached_property
    def _confirmed(self) -> list[Record]:
        return confirmed(read_records(self.file).records, self._machine)

    def best(
        self, kernel: FuncOp, module: ModuleOp, constants: Container[tuple[str, int]], ctx: CompilerContext
    ) -> Schedule | None:
        """The recorded steps for `kernel`, a function of `module` at the tensor level; None if there are none for it.

        A remark says which were taken, or why those of the kernel were not; warnings name lines that are not records.
        """
        known = read_records(self.file)
        ctx.warnings += [each for each in known.problems if each not in ctx.warnings]
        if not known.records:
            return None
        key = key_of(kernel, constants)
        candidates = list(fastest(self._confirmed, key))
        for record in candidates:
            where = f"of {record.spelling}, " if record.kernel != key.exact else ""
            about = f"{where}{in_words(record)}"
            try:
                steps = steps_of(record, key, ctx)
                if (refusal := refusal_of(steps, module, kernel, ctx, self.options)) is not None:
                    raise UserError(refusal)
            except UserError as e:
                ctx.remark(kernel, f"schedule of a record ({about}) not taken: {e.message}")
                continue
            ctx.remark(kernel, f"schedule of a record: {about}")
            return steps
        own = [r for r in known.records if r.kernel == key.exact]
        if own and not candidates:
            ctx.remark(kernel, why_none(own, self._machine))
        return None


def in_words(record: Record) -> str:
    """When a record was made, and what of."""
    return f"{record.date[:10]}, {1 / (record.ratio or 1):.2f} times as fast as by the rules"


def confirmed(records: Iterable[Record], machine: TunedMachine) -> list[Record]:
    """The records of a machine that compilations trust."""
    return [r for r in records if r.confirmed and r.machine.is_like(machine)]


def record_to_take(records: Iterable[Record], key: KernelKey, machine: TunedMachine) -> Record | None:
    """The record that compilations for a machine take for a kernel, if its loops allow that; None if there is none."""
    return next(fastest(confirmed(records, machine), key), None)


def why_none(records: Sequence[Record], machine: TunedMachine) -> str:
    """Why compilations for a machine take none of these records of one kernel, by the one that came nearest."""
    here = [r for r in records if r.machine.is_like(machine)]
    if not here:
        others = dict.fromkeys(r.machine.other_than(machine) for r in records)
        return f"schedule of a record not taken: all {len(records)} were measured {'; or '.join(others)}"
    trusted = latest(r for r in here if r.confirmed).values() or latest(here).values()
    gains = [(r.ratio, r) for r in trusted if r.outcome == "ok" and r.ratio is not None and r.ratio < 1]
    if not gains:
        return f"schedule of a record not taken: none of {len(here)} is known to be faster than the rules"
    ratio, best = min(gains, key=lambda each: (not each[1].helps, each[0]))
    if ratio > 1 - PLAIN_GAIN:
        reason = f"it saves less than {PLAIN_GAIN:.0%} of the time"
    elif not best.confirmed:
        reason = "it was not confirmed by a second measurement"
    else:
        reason = "the whole model is not faster with it"
    return f"schedule of a record ({in_words(best)}) not taken: {reason}"


def fastest(records: Sequence[Record], key: KernelKey) -> Iterator[Record]:
    """The records to try for a kernel: those of the kernel itself, fastest first, or else of the nearest sizes."""
    own = _plain(latest(r for r in records if r.kernel == key.exact).values())
    if own or any(r.kernel == key.exact for r in records):
        yield from own
        return
    near = _plain(latest(r for r in records if r.kind == key.kind and len(r.sizes) == len(key.sizes)).values())
    close = [(key.distance(r.sizes), r.ratio or 1, i) for i, r in enumerate(near) if key.distance(r.sizes) <= _NEAR]
    yield from (near[i] for _, _, i in sorted(close)[:_MOST_TRIED])


def latest(records: Iterable[Record]) -> Mapping[tuple[str, str], Record]:
    """What was last found of each schedule of each kernel: a later measurement corrects an earlier one."""
    return {(r.kernel, r.schedule): r for r in sorted(records, key=lambda r: r.date)}


def _plain(records: Iterable[Record]) -> list[Record]:
    found = [r for r in records if r.outcome == "ok" and r.helps and (r.ratio or 1) <= 1 - PLAIN_GAIN]
    return sorted(found, key=lambda r: r.ratio or 1)


def steps_of(record: Record, key: KernelKey, ctx: CompilerContext) -> Schedule:
    """The steps of a record in the names of another kernel of its kind.

    Raises:
        UserError: they are not steps here.
    """
    names = dict(zip(record.arguments, key.arguments, strict=False))
    return with_arguments(parse_schedule(record.schedule, ctx), names)


def refusal_of(
    steps: Schedule, module: ModuleOp, kernel: FuncOp, ctx: CompilerContext, options: PipelineOptions
) -> str | None:
    """Why the loops of a kernel do not allow all of the steps; None if each changes something.

    Raises:
        UserError: a step names no loop.
    """
    before = kernel.attributes.get("schedule")
    kernel.attributes["schedule"] = ScheduleAttr(steps)
    try:
        outcomes = try_schedule(module, kernel, ctx, options)
    finally:
        kernel.attributes.pop("schedule")
        if before is not None:
            kernel.attributes["schedule"] = before
    return first_refusal(steps, outcomes)


def first_refusal(steps: Iterable[Step], outcomes: Iterable[StepOutcome]) -> str | None:
    """Why the first step that changes nothing does not; None if each changes something.

    `outcomes` may be computed as they are asked for: after that step nothing is.

    Raises:
        UserError: as computing them does.
    """
    for step, outcome in zip(steps, outcomes, strict=False):
        if not outcome.changed:
            return f"'{step.spelling}': {outcome.refusals[0] if outcome.refusals else 'it changes nothing'}"
    return None


def without_idle_steps(
    steps: Schedule, module: ModuleOp, kernel: FuncOp, ctx: CompilerContext, options: PipelineOptions
) -> Schedule:
    """The steps of a schedule that change something."""
    kernel.attributes["schedule"] = ScheduleAttr(steps)
    outcomes = try_schedule(module, kernel, ctx, options)
    kernel.attributes.pop("schedule")
    return tuple(step for step, outcome in zip(steps, outcomes, strict=True) if outcome.changed)
