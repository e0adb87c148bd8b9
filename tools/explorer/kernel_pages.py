"""Kernels at the tensor level: schedules in words, loops after each step, estimates of what was taken and what not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import ModuleConstants
from mlc.compiler.kernel_processes import most_others
from mlc.dialects.loop import ScheduleAttr
from mlc.schedules.cost.estimate import Estimate
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.steps.base import Scheduling
from mlc.schedules.trial import StepOutcome, carries_out_schedules, lower_to_plain_loops, outcomes_of
from mlc.tools.explorer.changed_steps import changed_steps, spelled_steps
from mlc.tools.explorer.document import NO_TEXT, CandidatePage, Costs, KernelCall, KernelPage, StepPage
from mlc.tools.explorer.limits import bound_of
from mlc.tools.explorer.texts import Texts, places_in
from mlc.tools.kernel_numbers import KernelNumbers, ModelNumbers
from mlc.tools.kernel_text import without_schedule
from mlc.tools.schedule_estimate import candidates_beside, kernel_on_loops, steps_of
from mlc.tools.schedule_text import describe_schedule
from mlc.tuning.isolated import Failure, Job

_LONGEST = 900.0
"""Seconds after which a process that estimates is taken to hang, and what it was to estimate is estimated here."""


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
    count = min(1 + most_others(), len(rows))
    shares = [numbers.kernels[first::count] for first in range(count)]
    jobs = [Job(partial(pages.estimates, share), _LONGEST) for share in shares] if count > 1 else []
    try:
        made: list[KernelPage] = []
        for kernel, row in zip(numbers.kernels, rows, strict=True):
            if progress is not None:
                progress(len(made), len(rows))
            made.append(pages.page(kernel, row, list(places.get(row.name, ()))))
        found = [job.value() for job in jobs] or [None] * count
    finally:
        for job in jobs:
            job.stop()
    for first, (share, estimates) in enumerate(zip(shares, found, strict=True)):
        known = pages.estimates(share) if estimates is None or isinstance(estimates, Failure) else estimates
        for number, (costs, candidates) in zip(range(first, len(made), count), cast(_Estimates, known), strict=True):
            made[number] = replace(made[number], costs=costs, candidates=candidates)
    return made


_Estimates = list[tuple[Costs | None, list[CandidatePage]]]


class _Pages:
    def __init__(self, numbers: ModelNumbers, texts: Texts) -> None:
        self._ctx, self._options, self._module = numbers.ctx, numbers.options, numbers.module
        self._machine, self._hertz = numbers.roofline.machine, numbers.hertz
        self._numbers, self._texts = numbers, texts
        self._known = ModuleConstants.of(numbers.module)
        self._are_scheduled = carries_out_schedules(numbers.options)

    def page(self, kernel: FuncOp, row: KernelNumbers, places: Sequence[int]) -> KernelPage:
        """All about one kernel but what it is estimated to take."""
        work = row.work
        loops, outcomes, after = self._carried_out(kernel)
        schedule = kernel.attributes.get("schedule")
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
            costs=None,
            candidates=(),
            bound=bound_of(self._numbers, work),
        )

    def _carried_out(self, kernel: FuncOp) -> tuple[int, list[StepOutcome], list[int]]:
        """The text of the loops before the first step, what came of each step, and the texts after each."""
        schedule = kernel.attributes.get("schedule")
        own, alone = self._ctx.clone(), lone_kernel(self._module, kernel, self._known)
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
        described = describe_schedule(kernel, self._known.arguments, outcomes)
        return [
            StepPage(
                spelled.kind,
                spelled.spelling,
                words,
                refused=bool(outcomes) and outcomes[number].refused,
                text=after[number] if after else NO_TEXT,
            )
            for number, (spelled, (_, words)) in enumerate(zip(spelled_steps(steps_of(kernel)), described, strict=True))
        ]

    def estimates(self, kernels: Sequence[FuncOp]) -> _Estimates:
        """What kernels are estimated to take, and their candidates."""
        return [self._estimates(kernel) for kernel in kernels]

    def _estimates(self, kernel: FuncOp) -> tuple[Costs | None, list[CandidatePage]]:
        if not self._are_scheduled:
            return None, []
        loops = kernel_on_loops(self._module, kernel, self._ctx, self._options, self._known)
        found = loops.estimate(steps_of(kernel))
        if found is None:
            return None, []
        others = candidates_beside(self._module, loops, kernel, self._ctx.clone(), self._machine, self._known)
        own = spelled_steps(steps_of(kernel))
        pages = [
            CandidatePage(
                f"{each.change}: {', '.join(changed_steps(own, spelled_steps(each.steps)))}",
                costs_of(each.estimate, self._hertz),
                each.is_only_shown,
            )
            for each in others
        ]
        return costs_of(found, self._hertz), pages


def costs_of(estimate: Estimate, hertz: float) -> Costs:
    """An estimate as data, for a core of so many cycles per second."""
    return Costs(
        estimate.cycles,
        estimate.cycles / hertz,
        estimate.decided_by,
        estimate.parts,
        estimate.brought,
        estimate.waiting,
        estimate.spilled,
        estimate.around,
    )
