"""Kernels at the tensor level: schedules in words, loops after each step, estimates of what was taken and what not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields

from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import constant_arguments
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.loop.steps import Step
from mlc.schedules.cost.estimate import Estimate
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.steps.base import Scheduling
from mlc.schedules.trial import StepOutcome, carries_out_schedules, lower_to_plain_loops, outcomes_of
from mlc.targets.machine import Machine
from mlc.tools.explorer.document import NO_TEXT, CandidatePage, Costs, KernelCall, KernelPage, StepPage
from mlc.tools.explorer.limits import bound_of
from mlc.tools.explorer.texts import Texts, places_in
from mlc.tools.kernel_numbers import KernelNumbers, ModelNumbers
from mlc.tools.kernel_text import without_schedule
from mlc.tools.schedule_estimate import candidates_beside, kernel_on_loops, steps_of
from mlc.tools.schedule_text import describe_schedule


def kernel_pages(
    numbers: ModelNumbers,
    rows: Sequence[KernelNumbers],
    texts: Texts,
    called: Sequence[KernelCall],
    progress: Callable[[int, int], None] | None = None,
) -> list[KernelPage]:
    """The pages of all kernels of a model at the tensor level, which stays, without measured times.

    `rows` are the numbers of `numbers.kernels`, and `called` has the places of what the calls of kernels compute;
    `progress` is told how many pages are done, of how many.
    """
    pages = _Pages(numbers, texts)
    places: dict[str, dict[int, None]] = {}
    for each in called:
        places.setdefault(each.kernel, {}).update(dict.fromkeys(each.places))
    made: list[KernelPage] = []
    for kernel, row in zip(numbers.kernels, rows, strict=True):
        if progress is not None:
            progress(len(made), len(rows))
        made.append(pages.page(kernel, row, list(places.get(row.name, ()))))
    return made


class _Pages:
    def __init__(self, numbers: ModelNumbers, texts: Texts) -> None:
        self._ctx, self._options, self._module = numbers.ctx, numbers.options, numbers.module
        self._machine = numbers.roofline.machine
        self._numbers, self._texts = numbers, texts
        self._are_scheduled = carries_out_schedules(numbers.options)

    def page(self, kernel: FuncOp, row: KernelNumbers, places: Sequence[int]) -> KernelPage:
        """All about one kernel."""
        work = row.work
        loops, outcomes, after = self._carried_out(kernel)
        schedule = kernel.attributes.get("schedule")
        costs, candidates = self._estimates(kernel)
        return KernelPage(
            name=row.name,
            places=places or places_in(self._texts, kernel.walk()),
            calls=row.calls,
            flops=work.flops,
            bytes=work.bytes,
            definition=self._texts.add_op(without_schedule(kernel)),
            schedule=str(schedule) if isinstance(schedule, ScheduleAttr) else "",
            loops=loops,
            steps=self._steps(kernel, outcomes, after),
            costs=costs,
            candidates=candidates,
            bound=bound_of(self._numbers, work),
        )

    def _carried_out(self, kernel: FuncOp) -> tuple[int, list[StepOutcome], list[int]]:
        """The text of the loops before the first step, what came of each step, and the texts after each."""
        schedule = kernel.attributes.get("schedule")
        own, alone = self._ctx.clone(), lone_kernel(self._module, kernel)
        if not lower_to_plain_loops(alone, own, self._options):
            return NO_TEXT, [], []
        function = next((op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == kernel.sym_name), None)
        if function is None:  # its caller has taken it in
            return NO_TEXT, [], []
        before = self._texts.add_op(function)
        outcomes: list[StepOutcome] = []
        after: list[int] = []
        steps = schedule.steps if isinstance(schedule, ScheduleAttr) else ()
        for outcome in outcomes_of(steps, function, Scheduling(alone, own, self._options.accuracy)):
            outcomes.append(outcome)
            after.append(self._texts.add_op(function))
        return before, outcomes, after

    def _steps(self, kernel: FuncOp, outcomes: Sequence[StepOutcome], after: Sequence[int]) -> list[StepPage]:
        described = describe_schedule(kernel, constant_arguments(self._module), outcomes)
        return [
            StepPage(
                _kind(step),
                spelling,
                words,
                refused=bool(outcomes) and outcomes[number].refused,
                text=after[number] if after else NO_TEXT,
            )
            for number, (step, (spelling, words)) in enumerate(zip(steps_of(kernel), described, strict=True))
        ]

    def _estimates(self, kernel: FuncOp) -> tuple[Costs | None, list[CandidatePage]]:
        if not self._are_scheduled:
            return None, []
        loops = kernel_on_loops(self._module, kernel, self._ctx, self._options)
        found = loops.estimate(steps_of(kernel))
        if found is None:
            return None, []
        others = candidates_beside(self._module, loops, kernel, self._ctx.clone(), self._machine)
        pages = [CandidatePage(c.change, costs_of(c.estimate, self._machine), c.is_only_shown) for c in others]
        return costs_of(found, self._machine), pages


def _kind(step: Step) -> str:
    """A step without its numbers."""
    words = [value for each in fields(step) if not isinstance(value := getattr(step, each.name), int)]
    return f"{step.name}({', '.join(map(str, words))})"


def costs_of(estimate: Estimate, machine: Machine) -> Costs:
    """An estimate as data."""
    return Costs(
        estimate.cycles,
        estimate.seconds(machine),
        estimate.decided_by,
        estimate.parts,
        estimate.brought,
        estimate.waiting,
        estimate.spilled,
    )
