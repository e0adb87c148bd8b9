"""Kernels at the tensor level: schedules in words, loops after each step, estimates of what was taken and what not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import ModuleConstants
from mlc.dialects.loop import ScheduleAttr
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.steps.base import Scheduling
from mlc.schedules.trial import StepOutcome, lower_to_plain_loops, outcomes_of
from mlc.tools.explorer.changed_steps import spelled_steps
from mlc.tools.explorer.document import NO_TEXT, KernelCall, KernelPage, StepPage
from mlc.tools.explorer.kernel_estimates import KernelEstimates, SharedWork
from mlc.tools.explorer.limits import bound_of
from mlc.tools.explorer.texts import Texts, places_in
from mlc.tools.kernel_numbers import KernelNumbers, ModelNumbers
from mlc.tools.kernel_text import without_schedule
from mlc.tools.schedule_estimate import steps_of
from mlc.tools.schedule_text import describe_schedule

_LOST = 0.01
"""The part of the time of a model that a kernel loses at least whose near schedules are estimated, however many do."""
_MOST = 8
"""So many kernels that lose most have near schedules as well."""


def kernel_pages(
    numbers: ModelNumbers,
    rows: Sequence[KernelNumbers],
    texts: Texts,
    called: Sequence[KernelCall],
    progress: Callable[[str, int, int], None] | None = None,
) -> list[KernelPage]:
    """The pages of all kernels of a model at the tensor level, which stays, without measured times.

    `rows` are the numbers of `numbers.kernels`, and `called` has the places of what the calls of kernels compute;
    `progress` is told what is done now, and for how many kernels it is done, of how many.
    """
    tell = progress or _say_nothing
    estimates, kernels = KernelEstimates(numbers), numbers.kernels
    pages = _Pages(numbers, texts)
    places: dict[str, dict[int, None]] = {}
    for each in called:
        places.setdefault(each.kernel, {}).update(dict.fromkeys(each.places))
    shared = SharedWork(estimates.of, kernels)
    try:
        made: list[KernelPage] = []
        for kernel, row in zip(kernels, rows, strict=True):
            tell("kernels", len(made), len(rows))
            made.append(pages.page(kernel, row, list(places.get(row.name, ()))))
        made = [
            replace(page, costs=found.costs, origin=found.origin, candidates=found.candidates)
            for page, found in zip(made, shared.values(partial(tell, "estimates")), strict=True)
        ]
    finally:
        shared.stop()
    return _with_neighbours(made, rows, kernels, estimates, partial(tell, "schedules one step away"))


def _say_nothing(_stage: str, _done: int, _total: int) -> None:
    """Where nobody waits."""


def _with_neighbours(
    pages: Sequence[KernelPage],
    rows: Sequence[KernelNumbers],
    kernels: Sequence[FuncOp],
    estimates: KernelEstimates,
    progress: Callable[[int, int], None],
) -> list[KernelPage]:
    """The pages with the schedules near to those of kernels that lose much: of all, they take longer than all else."""
    whole = sum(row.calls * _taken(page, row) for page, row in zip(pages, rows, strict=True))
    lost = [0.0 if page.costs is None else row.calls * _lost(page, row) for page, row in zip(pages, rows, strict=True)]
    slow = losers(lost, whole)
    shared = SharedWork(estimates.near, [kernels[number] for number in slow])
    try:
        found = dict(zip(slow, shared.values(progress), strict=True))
    finally:
        shared.stop()
    return [replace(page, neighbours=found.get(number)) for number, page in enumerate(pages)]


def losers(lost: Sequence[float], whole: float) -> list[int]:
    """The numbers of the kernels whose near schedules are estimated, by the seconds that each loses of `whole`."""
    most = sorted(range(len(lost)), key=lambda number: -lost[number])[:_MOST]
    return [number for number, each in enumerate(lost) if each > 0 and (number in most or each >= _LOST * whole)]


def _taken(page: KernelPage, row: KernelNumbers) -> float:
    """The seconds of a call: measured, else estimated; 0 where they are not known."""
    return row.seconds or (0.0 if page.costs is None else page.costs.seconds)


def _lost(page: KernelPage, row: KernelNumbers) -> float:
    """The seconds of a call beyond its bound."""
    least = 0.0 if page.bound is None else max(page.bound.arithmetic, page.bound.transfer)
    return max(0.0, _taken(page, row) - least)


class _Pages:
    def __init__(self, numbers: ModelNumbers, texts: Texts) -> None:
        self._ctx, self._options, self._module = numbers.ctx, numbers.options, numbers.module
        self._numbers, self._texts = numbers, texts
        self._known = ModuleConstants.of(numbers.module)

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
            origin="",
            loops=loops,
            steps=self._steps(kernel, outcomes, after),
            costs=None,
            candidates=(),
            neighbours=None,
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
