"""How well schedules are ranked by estimates of their loops, and by what is learnt of these estimates' errors.

    python -m benchmarks.cost_model                      25 schedules of each of 20 kernels, 15 minutes
    python -m benchmarks.cost_model --candidates 5 --only softmax --json FILE
    python -m benchmarks.cost_model --learned            also what trees have learnt, of schedules held out
    python -m benchmarks.cost_model --read FILE          estimates what was measured before

Candidates are what a search would try: the schedule by the rules, and mutations of it, of one to three changes each,
which the loops allow, and whose loops differ. Good ones and hopeless ones are among them. Each is compiled and measured
in a process of its own, twice, with all others of the kernel in between; what does not end is left out. Run
`mlc machine measure` before: without, numbers of this CPU's memory are those of the table.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from math import log2
from pathlib import Path
from random import Random

import numpy as np
from xdsl.dialects.func import FuncOp

from mlc.benchmarks.cost_model_kernels import KERNELS
from mlc.benchmarks.environment import cpu_model
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.pass_manager.manager import PassManager
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.records.recorded_schedules import without_idle_steps
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.support.functions import is_private
from mlc.support.rank_correlation import rank_correlation
from mlc.targets.machine import resolve_target, words_of_sources
from mlc.tuning.description import CYCLES, beside
from mlc.tuning.isolated import Failure, Job
from mlc.tuning.kernel_loops import KernelLoops
from mlc.tuning.mutations import Mutator
from mlc.tuning.ranking import LoopModel, Measured, held_out
from mlc.tuning.stopwatch import Stopwatch
from mlc.tuning.trees import can_learn

_SECONDS = 0.05
"""How long a candidate is called."""
_LIMIT = 20.0
"""Seconds after which a candidate is given up."""
_ATTEMPTS = 20
"""How many mutations are tried for each candidate that is wanted."""


@dataclass(frozen=True)
class MeasuredSchedule:
    """A schedule that was estimated and measured."""

    kernel: str
    schedule: str
    measured: float
    """Microseconds, when it was measured first."""
    again: float
    """Microseconds, when it was measured a second time."""
    estimated: float
    """Microseconds."""
    loops: dict[str, float]
    """How its loops differ from those by the rules."""

    @property
    def time(self) -> float:
        """The shorter one: what disturbs makes times longer."""
        return min(self.measured, self.again)


class _Kernel:
    """A kernel whose schedules are described and measured."""

    def __init__(self, name: str, text: str, seed: int) -> None:
        self.name, self._options, self._ctx = name, CompileOptions(), new_context()
        self._module = parse_verified(text, name, self._ctx, Path())
        Compilation(self._module, self._ctx, self._options, PassManager(self._ctx)).lower("tensor")
        self._kernel = next(op for op in self._module.ops if isinstance(op, FuncOp) and is_private(op))
        given = self._kernel.attributes.get("schedule")
        self.rules: Schedule = ()
        if isinstance(given, ScheduleAttr):
            self.rules = without_idle_steps(given.steps, self._module, self._kernel, self._ctx, self._options)
        self.rng = Random(f"{seed} {name}")
        alone = lone_kernel(self._module, self._kernel)
        self.loops = KernelLoops(alone, self._kernel.sym_name.data, self._ctx, self._options, self.rng, _LIMIT)

    def steps(self, text: str) -> Schedule:
        """The steps of a schedule that was written down."""
        return parse_schedule(text, self._ctx)

    def measured(self, steps: Schedule) -> float | None:
        """Microseconds; None if it does not compile, or does not end."""
        found = Job(lambda: 1e6 * self._seconds(steps), _LIMIT).value()
        return None if isinstance(found, Failure) else found

    def candidate(self, steps: Schedule, measured: float, again: float) -> MeasuredSchedule:
        """A schedule that was measured, with what is estimated of it."""
        numbers, rules = self.loops.describe(steps), self.loops.describe(self.rules)
        assert numbers is not None and rules is not None, f"the loops of {self.name} do not allow what they allowed"
        estimated = 2 ** numbers[CYCLES] / resolve_target(self._options.target).frequency_mhz
        return MeasuredSchedule(self.name, schedule_text(steps), measured, again, estimated, beside(numbers, rules))

    def _seconds(self, steps: Schedule) -> float:
        alone = lone_kernel(self._module, self._kernel)
        (function,) = (op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == self._kernel.sym_name)
        function.attributes["schedule"] = ScheduleAttr.of(steps)
        watch = Stopwatch(alone, self._ctx, self._options)
        watch.measure(_SECONDS)
        return watch.measured.shortest


def measured_schedules(name: str, text: str, count: int, seed: int) -> list[MeasuredSchedule]:
    """The schedule by the rules first, then mutations of it."""
    kernel = _Kernel(name, text, seed)
    mutator = Mutator(kernel.rng, resolve_target("native").lanes(32), kernel.loops.draw)
    first: list[tuple[Schedule, float]] = []
    seen = set[tuple[tuple[str, float], ...]]()
    for attempt in range(_ATTEMPTS * count):
        steps: Schedule | None = kernel.rules
        for _ in range(kernel.rng.choice((1, 1, 2, 3)) if attempt else 0):
            steps = mutator.propose([steps]) if steps else None
        description = kernel.loops.describe(steps) if steps else None
        if not steps or description is None or tuple(description.items()) in seen:
            continue
        seen.add(tuple(description.items()))
        if (time := kernel.measured(steps)) is not None:
            first.append((steps, time))
        if len(first) == count:
            break
    second = [(steps, time, kernel.measured(steps)) for steps, time in first]
    found = [kernel.candidate(steps, time, again) for steps, time, again in second if again is not None]
    kernel.loops.stop()
    return found


def schedules_again(name: str, text: str, measured: Sequence[MeasuredSchedule]) -> list[MeasuredSchedule]:
    """What was measured before, with what is estimated now."""
    kernel = _Kernel(name, text, 0)
    found = [kernel.candidate(kernel.steps(each.schedule), each.measured, each.again) for each in measured]
    kernel.loops.stop()
    return found


def learned(found: Sequence[MeasuredSchedule]) -> tuple[list[float], list[float]]:
    """What models of time that learn say of each candidate, relative to the rules, which have not seen it.

    First those that know four fifths of all others, then those that know the candidates of other kernels only.
    """
    rules = {each.kernel: each.time for each in reversed(found)}
    rows = [Measured({}, each.loops, log2(each.time / rules[each.kernel])) for each in found]

    def model(known: Sequence[Measured]) -> LoopModel:
        return LoopModel(known)

    fifths = held_out(rows, lambda known: lambda asked: model(known)([each.loops or {} for each in asked]))
    others: list[float] = []
    for kernel in dict.fromkeys(each.kernel for each in found):
        known = [row for row, each in zip(rows, found, strict=True) if each.kernel != kernel]
        others += model(known)([each.loops for each in found if each.kernel == kernel])
    return fifths, others


_HEAD = f"{'kernel':<32} {'n':>3} {'again':>6} {'rank':>6} {'estimate':>9} {'rules':>7} {'cheapest':>9}"


def _line(name: str, found: Sequence[MeasuredSchedule]) -> str:
    best = min(c.time for c in found)
    agreement = rank_correlation([c.measured for c in found], [c.again for c in found])
    coefficient = rank_correlation([c.estimated for c in found], [c.time for c in found])
    ratio = float(np.median([c.estimated / c.time for c in found]))
    cheapest = min(found, key=lambda c: c.estimated)
    return (
        f"{name:<32} {len(found):>3} {agreement:>6.2f} {coefficient:>6.2f} {ratio:>9.2f} {found[0].time / best:>7.2f} "
        f"{cheapest.time / best:>9.2f}"
    )


def _print_learned(found: Sequence[MeasuredSchedule]) -> None:
    """A table of rank correlations: of estimates, and of what was learnt."""
    fifths, others = learned(found)
    print(f"\n{'rank correlation':<32} {'again':>8} {'analytic':>8} {'learned':>8} {'of other kernels':>17}")
    columns: list[list[float]] = []
    for kernel in dict.fromkeys(each.kernel for each in found):
        own = [i for i, each in enumerate(found) if each.kernel == kernel]
        times = [found[i].time for i in own]
        row = [
            rank_correlation([found[i].measured for i in own], [found[i].again for i in own]),
            *(
                rank_correlation([numbers[i] for i in own], times)
                for numbers in ([each.estimated for each in found], fifths, others)
            ),
        ]
        columns.append(row)
        print(f"{kernel:<32} {row[0]:>8.2f} {row[1]:>8.2f} {row[2]:>8.2f} {row[3]:>17.2f}")
    for name, of in (("mean", np.nanmean), ("median", np.nanmedian)):
        row = [float(of(np.array(column))) for column in zip(*columns, strict=True)]
        print(f"{name:<32} {row[0]:>8.2f} {row[1]:>8.2f} {row[2]:>8.2f} {row[3]:>17.2f}")
    rules = {each.kernel: each for each in reversed(found)}
    ratios = [each.time / rules[each.kernel].time for each in found]
    row = [
        rank_correlation(
            [c.measured / rules[c.kernel].measured for c in found], [c.again / rules[c.kernel].again for c in found]
        ),
        *(rank_correlation(n, ratios) for n in ([c.loops[CYCLES] for c in found], fifths, others)),
    ]
    print(f"{'all, as parts of the rules':<32} {row[0]:>8.2f} {row[1]:>8.2f} {row[2]:>8.2f} {row[3]:>17.2f}")


def main() -> None:
    """Measure and print a line for each kernel."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_model", description=__doc__)
    parser.add_argument("--candidates", type=int, default=25, metavar="N", help="schedules of each kernel (25)")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose names contain this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", help="also write each candidate as a line")
    parser.add_argument("--read", metavar="FILE", help="take candidates from such a file, and measure nothing")
    parser.add_argument("--learned", action="store_true", help="also say how well what is learnt ranks")
    args = parser.parse_args()
    if args.learned and not can_learn():
        parser.error("found --learned without scikit-learn; pip install 'mlc[tune]'")
    read: list[MeasuredSchedule] = []
    if args.read:
        read = [
            MeasuredSchedule(**json.loads(line)) for line in Path(args.read).read_text(encoding="utf-8").splitlines()
        ]
    print(f"{cpu_model()}; facts: {words_of_sources(resolve_target('native'))}")
    print(_HEAD)
    everything: list[MeasuredSchedule] = []
    coefficients: list[float] = []
    for name, text in KERNELS.items():
        if args.only not in name:
            continue
        if not args.read:
            found = measured_schedules(name, text, args.candidates, args.seed)
        elif not (found := schedules_again(name, text, [each for each in read if each.kernel == name])):
            continue
        everything += found
        coefficients.append(rank_correlation([c.estimated for c in found], [c.time for c in found]))
        print(_line(name, found), flush=True)
        if args.json:
            with Path(args.json).open("a", encoding="utf-8") as file:
                file.writelines(json.dumps(asdict(c)) + "\n" for c in found)
    if everything:
        pooled = rank_correlation([c.estimated for c in everything], [c.time for c in everything])
        print(
            f"{len(everything)} candidates: {np.nanmean(coefficients):.2f} averaged over kernels, {pooled:.2f} pooled"
        )
        print("again: rank correlation of the first and the second measurement; rank: of estimates and measurements")
        print("estimate: the median of estimated by measured time; rules, cheapest: by the best that was measured")
        if args.learned:
            _print_learned(everything)


if __name__ == "__main__":
    main()
