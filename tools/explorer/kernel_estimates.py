"""What kernels are estimated to take, and other schedules of theirs: several processes share the kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Generic, TypeVar, cast

from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import ModuleConstants
from mlc.compiler.kernel_processes import most_others
from mlc.schedules.cost.estimate import Estimate
from mlc.schedules.kernel_on_loops import KernelOnLoops
from mlc.schedules.trial import carries_out_schedules
from mlc.tools.explorer.changed_steps import changed_steps, spelled_steps
from mlc.tools.explorer.document import CandidatePage, Costs
from mlc.tools.kernel_numbers import ModelNumbers
from mlc.tools.schedule_choice import ScheduleChoice
from mlc.tools.schedule_estimate import RunnerUp, candidates_beside, kernel_on_loops, runners_up, steps_of
from mlc.tuning.isolated import Failure, Job

T = TypeVar("T")

_NEAR = 5
"""How many schedules that differ in one step are shown."""
_LONGEST = 900.0
"""Seconds after which a process that estimates is taken to hang, and what it was to estimate is estimated here."""


@dataclass(frozen=True)
class EstimatedKernel:
    """What a page tells of the estimate of a kernel."""

    costs: Costs | None = None
    """None where its loops cannot be estimated."""
    origin: str = ""
    """Where its schedule is from, in words; empty if that is not known."""
    candidates: Sequence[CandidatePage] = ()


class KernelEstimates:
    """Estimates kernels of a model at the tensor level, which stays."""

    def __init__(self, numbers: ModelNumbers) -> None:
        self._ctx, self._options, self._module = numbers.ctx, numbers.options, numbers.module
        self._machine, self._hertz = numbers.roofline.machine, numbers.hertz
        self._known = ModuleConstants.of(numbers.module)
        self._are_scheduled = carries_out_schedules(numbers.options)

    def of(self, kernels: Sequence[FuncOp]) -> list[EstimatedKernel]:
        """What kernels are estimated to take, with their candidates."""
        return [self._estimated(kernel) for kernel in kernels]

    def near(self, kernels: Sequence[FuncOp]) -> list[list[CandidatePage]]:
        """The cheapest schedules that differ from those of kernels in one step."""
        return [self._near(kernel) for kernel in kernels]

    def _estimated(self, kernel: FuncOp) -> EstimatedKernel:
        if not self._are_scheduled:
            return EstimatedKernel()
        loops = self._loops(kernel)
        found = loops.estimate(steps_of(kernel))
        if found is None:
            return EstimatedKernel()
        chosen = self._choice(kernel, found)
        others = candidates_beside(self._module, loops, kernel, self._ctx.clone(), self._machine, self._known)
        own = spelled_steps(steps_of(kernel))
        candidates = [
            self._page(
                each,
                f"{each.change}: {', '.join(changed_steps(own, spelled_steps(each.steps)))}",
                chosen.why_not(each, is_candidate=True),
            )
            for each in others
        ]
        return EstimatedKernel(costs_of(found, self._hertz), chosen.origin, candidates)

    def _near(self, kernel: FuncOp) -> list[CandidatePage]:
        loops = self._loops(kernel)
        if (found := loops.estimate(steps_of(kernel))) is None:
            return []
        chosen = self._choice(kernel, found)
        return [
            self._page(each, each.change, chosen.why_not(each, is_candidate=False))
            for each in runners_up(loops, kernel, _NEAR)
        ]

    def _loops(self, kernel: FuncOp) -> KernelOnLoops:
        return kernel_on_loops(self._module, kernel, self._ctx, self._options, self._known)

    def _choice(self, kernel: FuncOp, own: Estimate) -> ScheduleChoice:
        return ScheduleChoice.of(kernel, own, self._module, self._ctx, self._machine, self._known)

    def _page(self, other: RunnerUp, words: str, why: str) -> CandidatePage:
        return CandidatePage(words, costs_of(other.estimate, self._hertz), why)


@dataclass
class SharedWork(Generic[T]):
    """Work on kernels that several processes share, from when it is made."""

    work: Callable[[Sequence[FuncOp]], list[T]]
    kernels: Sequence[FuncOp]
    _jobs: list[Job] = field(default_factory=list[Job])

    def __post_init__(self) -> None:
        count = min(1 + most_others(), len(self.kernels))
        self._shares = [self.kernels[first::count] for first in range(count)]
        if count > 1:
            self._jobs = [Job(partial(self.work, share), _LONGEST) for share in self._shares]

    def values(self, progress: Callable[[int, int], None] = lambda done, total: None) -> list[T]:
        """What became of each kernel, in order; `progress` is told of how many it is known, of how many."""
        found: dict[int, T] = {}
        for first, share in enumerate(self._shares):
            progress(len(found), len(self.kernels))
            answer = self._jobs[first].value() if self._jobs else None
            if answer is None or isinstance(answer, Failure):
                known: list[T] = []
                for kernel in share:
                    progress(len(found) + len(known), len(self.kernels))
                    known += self.work([kernel])
            else:
                known = cast(list[T], answer)
            found |= dict(zip(range(first, len(self.kernels), len(self._shares)), known, strict=True))
        return [found[number] for number in range(len(self.kernels))]

    def stop(self) -> None:
        """End the processes."""
        for job in self._jobs:
            job.stop()


def costs_of(estimate: Estimate, hertz: float) -> Costs:
    """An estimate as data, for a core of so many cycles per second."""
    return Costs(
        estimate.cycles,
        estimate.cycles / hertz,
        estimate.decided_by,
        estimate.parts,
        estimate.brought,
        estimate.spent,
        estimate.spilled,
    )
