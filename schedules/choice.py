"""Which candidate of its template a kernel gets: the default, unless another one is plainly cheaper.

A template knows a class of kernels, the estimate knows the loops and the machine; both are wrong at times. So the
estimate overrules the template only by more than it is usually wrong. Time counts, too: an estimate takes some
hundredths of a second, so kernels of next to no work are not looked at, nor those whose loops are long.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from math import prod

from xdsl.dialects.func import CallOp

from mlc.schedules.cost.estimate import Estimate
from mlc.schedules.kernel_on_loops import KernelOnLoops
from mlc.schedules.own_schedules import is_strict
from mlc.schedules.schedule_template import Candidate, TensorKernel
from mlc.support.context import CompilerContext
from mlc.support.errors import CompilerBug, UserError

MARGIN = 0.15
"""By which part another schedule has to be estimated to be cheaper than the default.

Of 493 candidates for 165 kernels, 89% take at most 15% longer than estimated, each by the default for its kernel (AMD
Zen 5, measured facts; `python -m benchmarks.candidates` measures some). Of those that are not only shown, 11
pass; they take 0.65 to 0.96 of its time.
"""
LEAST_POINTS = 4096
"""Kernels that compute fewer points take less than a microsecond."""
MOST_LOOKED_AT = 80
"""Kernels of more ops take too long to estimate."""
_MOST_OPS_OF_LOOPS = 1500
"""And so do schedules that make more ops."""


def choose(
    candidates: Iterator[Candidate], kernel: TensorKernel, ctx: CompilerContext, *, is_own: bool = False
) -> Candidate | None:
    """Which of the `candidates` of its template a kernel gets; a remark says when that is not the first one.

    It depends on the kernel and the facts of the machine alone; of equally cheap ones it is the first.

    Raises:
        CompilerBug: a candidate of a kind that `is_own`, one of mlc's, is wrong, and mistakes of mlc are errors.
    """
    default = next(candidates, None)
    if default is None or not is_estimated(kernel):
        return default
    others = list(takewhile(lambda candidate: not candidate.is_only_shown, candidates))
    if not others:
        return default
    try:
        loops = KernelOnLoops(kernel.function, kernel.constants, ctx, kernel.machine, weights=kernel.weights)
    except UserError:  # an op that nobody lowers, which `convert-tensor-to-loop` will say
        return default
    usual = loops.estimate(default.steps, _MOST_OPS_OF_LOOPS)
    _check(loops, is_own)
    if usual is None:
        return default
    estimates: list[tuple[Candidate, Estimate | None]] = []
    for candidate in others:
        estimates.append((candidate, loops.estimate(candidate.steps, _MOST_OPS_OF_LOOPS)))
        _check(loops, is_own)
        if loops.problem is not None:
            ctx.remark(kernel.function, f"the candidate '{candidate.difference}' is left out: {loops.problem}")
    cycles = {candidate: found.cycles for candidate, found in estimates if found is not None}
    cheapest = min(cycles, key=lambda candidate: cycles[candidate], default=default)
    if cheapest is default or cycles[cheapest] > (1 - MARGIN) * usual.cycles:
        return default
    part = cycles[cheapest] / usual.cycles
    words = f"estimated to take {part:.2f} of the time of the usual schedule"
    ctx.remark(kernel.function, f"scheduled with {cheapest.difference}: {words}, which {usual.decided_by} decides")
    return cheapest


def _check(loops: KernelOnLoops, is_own: bool) -> None:
    """Raises: CompilerBug if the schedule of mlc that was estimated last is wrong, and mistakes of mlc are errors."""
    if is_own and loops.problem is not None and is_strict():
        raise CompilerBug(f"a candidate of mlc's own is wrong: {loops.problem}", "schedule")


def is_estimated(kernel: TensorKernel) -> bool:
    """Whether candidates for a kernel are estimated, so that another one than the default may be taken."""
    points, ops = sum(prod(op.dim_sizes) for op in kernel.ops), list(kernel.function.walk())
    calls = any(isinstance(op, CallOp) for op in ops)  # what is called is not in sight
    return points >= LEAST_POINTS and len(ops) <= MOST_LOOKED_AT and not calls
