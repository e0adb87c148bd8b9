"""How well estimates tell the schedules apart that `schedule` chooses from: is its margin wide enough?

    python -m benchmarks.candidates                    the candidates for each of 20 kernels, five minutes
    python -m benchmarks.candidates --only softmax

Each candidate of the kind of a kernel is estimated, then compiled and measured in a process of its own. Run
`mlc machine measure` before: without, numbers of this CPU's memory are those of the table.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from xdsl.dialects.func import FuncOp

from mlc.analysis.constant_arguments import bytes_of_constants, constant_arguments
from mlc.benchmarks.cost_model_kernels import KERNELS
from mlc.benchmarks.environment import cpu_model
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.pass_manager.manager import PassManager
from mlc.schedules.choice import MARGIN
from mlc.schedules.default_schedule import tensor_kernel
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.schedule_template import Candidate, candidates_of
from mlc.support.functions import is_private
from mlc.targets.machine import resolve_target, words_of_sources
from mlc.tools.schedule_estimate import kernel_on_loops
from mlc.tuning.isolated import Failure, Job
from mlc.tuning.stopwatch import Stopwatch

_SECONDS = 0.05
"""How long a candidate is called."""
_LIMIT = 30.0
"""Seconds after which it is given up."""


@dataclass(frozen=True)
class MeasuredCandidate:
    """A candidate, in microseconds."""

    candidate: Candidate
    estimated: float
    measured: float

    def late(self, default: MeasuredCandidate) -> float:
        """How many times as long it takes as estimated, each by the default."""
        return self.measured / default.measured * default.estimated / self.estimated


def measured_candidates(name: str, text: str) -> Iterator[MeasuredCandidate]:
    """What the kind of the kernel of a model candidates, the default first."""
    options, ctx = CompileOptions(records=""), new_context()
    module = parse_verified(text, name, ctx, Path())
    Compilation(module, ctx, options, PassManager(ctx)).lower("tensor")
    kernel = next(op for op in module.ops if isinstance(op, FuncOp) and is_private(op))
    machine, constants = resolve_target(options.target), constant_arguments(module)
    loops = kernel_on_loops(module, kernel, ctx, options)
    seen = tensor_kernel(kernel, machine, constants, ctx, {}, bytes_of_constants(module))
    for candidate in candidates_of(seen) if seen is not None else ():

        def work(candidate: Candidate = candidate) -> tuple[float, float] | None:
            if (estimate := loops.estimate(candidate.steps)) is None:
                return None
            alone = lone_kernel(module, kernel)
            (function,) = (op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == kernel.sym_name)
            function.attributes["schedule"] = ScheduleAttr.of(candidate.steps)
            watch = Stopwatch(alone, ctx, options)
            watch.measure(_SECONDS)
            return 1e6 * estimate.seconds(machine), 1e6 * watch.measured.shortest

        found = Job(work, _LIMIT).value()
        if found is not None and not isinstance(found, Failure):
            yield MeasuredCandidate(candidate, *found)


def main() -> None:
    """Measure, and print a line for each candidate."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.candidates", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose names contain this")
    args = parser.parse_args()
    print(f"{cpu_model()}; facts: {words_of_sources(resolve_target('native'))}")
    late: list[float] = []
    for name, text in KERNELS.items():
        if args.only not in name:
            continue
        default: MeasuredCandidate | None = None
        for each in measured_candidates(name, text):
            default = default or each
            difference = each.candidate.difference or f"{name}: the default"
            ratios = f"{each.estimated / default.estimated:>6.2f} {each.measured / default.measured:>6.2f}"
            print(f"{difference:<60} {each.estimated:>9.2f} {each.measured:>9.2f} us {ratios}", flush=True)
            if each is not default:
                late.append(each.late(default))
    if late:
        share = np.mean(np.array(late) <= 1 + MARGIN)
        print(f"{share:.0%} of {len(late)} candidates take at most {MARGIN:.0%} longer than estimated, by the default")
    print("microseconds, estimated and measured; the same by the default")


if __name__ == "__main__":
    main()
