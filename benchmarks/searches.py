"""What a search finds, beside the rules, beside schedules drawn at random, and beside TVM's MetaSchedule.

    python -m benchmarks.searches --budget 30 --random 200          all kernels; an hour
    python -m benchmarks.searches --only softmax --random 0 --tvm /path/to/python

Each kernel is a case of `python -m benchmarks`. `mlc tune` searches for `--budget` seconds; then `--random` legal
schedules are measured in the same way, each made of two to six steps that are drawn for the loops that are there. A
number is the time as a part of that by the rules: measured in turns, and again beside the rules where it won.

`--tvm` names a Python that has apache-tvm with the extra `all`. MetaSchedule gets as many seconds for the same kernel,
one core, and may rearrange weights as mlc does. Its time is the best that its own runner measured.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from mlc.benchmarks.case import Case
from mlc.benchmarks.engines import saved_source
from mlc.benchmarks.environment import cpu_model
from mlc.benchmarks.suite import cases_by_family
from mlc.compiler.compilation import Compilation, new_context, parse_verified
from mlc.compiler.options import CompileOptions
from mlc.pass_manager.manager import PassManager
from mlc.schedules.records.record import Record, TunedMachine
from mlc.schedules.records.schedule_texts import Schedule
from mlc.targets.machine import resolve_target, words_of_sources
from mlc.tuning.executor import LocalExecutor
from mlc.tuning.kernel_search import KernelSearch
from mlc.tuning.mutations import Mutator
from mlc.tuning.start import Searches, tunable_kernels
from mlc.tuning.tuner import Tuner
from mlc.tuning.workplace import Workplace

CASES = (
    "matmul-512x512x512", "linear-128x384x1536", "resnet-3x3-64-64-56x56", "depthwise-3x3-192-28x28",
    "softmax-512x1024", "layer-norm-gelu-512x768", "matmul-17x1000x33", "matmul-12x128x64x128", "linear-128x384x384",
    "linear-64x784x200", "matvec-1x4096x1000", "resnet-1x1-64-256-56x56", "resnet-1x1-512-2048-7x7",
    "resnet-3x3-256-256-28x28-s2", "resnet-3x3-512-512-7x7", "depthwise-3x3-576-14x14", "softmax-12x128x128",
    "max-pool-3x3-64-112x112-s2", "transpose-1024x1024", "sum-columns-2048x2048",
)  # fmt: skip
"""The names of the kernels; `metaschedule_worker` knows the first six."""
_WORKER = Path(__file__).with_name("metaschedule_worker.py")
_LONGEST = 3600.0


class RandomMutator(Mutator):
    """Knows nothing: each proposal is a few steps that are drawn for the loops that are there."""

    def propose(self, elites: Sequence[Schedule]) -> Schedule | None:
        return self._random()


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes:
        ratio: the time of its best schedule as a part of that by the rules.
        schedule: that schedule, in words.
        measured: how many schedules it measured.
        seconds: of a call with the best one.
    """

    ratio: float
    schedule: str
    measured: int
    seconds: float


def search(case: Case, adapt: Callable[[KernelSearch], None], seconds: float, most: float, seed: int) -> Found:
    """Search for so many seconds, or until so many schedules were measured.

    Args:
        case: a model of one kernel.
        adapt: changes a search before it begins.
    """
    records: list[Record] = []
    measured: set[str] = set()

    def keep(record: Record) -> None:
        records.append(record)
        if record.outcome == "ok":
            measured.add(record.schedule)

    options, ctx = CompileOptions(records=""), new_context()
    searches = Searches(options, (), seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="mlc-search-")))
        stack.callback(searches.stop)
        module = parse_verified(saved_source(case, folder), case.name, ctx, folder)
        compilation = Compilation(module, ctx, options, PassManager(ctx))
        compilation.lower("tensor")
        kernels, _ = tunable_kernels(compilation.module, None, ctx)
        workplace = Workplace(compilation.module, kernels, ctx, options, folder)
        executor = LocalExecutor(workplace, TunedMachine.of(options), 2)
        (site,) = executor.sites()
        (only,) = searches.of(site)
        adapt(only)
        clock = lambda: math.inf if len(measured) >= most else time.monotonic()  # noqa: E731
        Tuner(executor, searches.of, ctx, keep, clock).run(seconds)
        rules = only.seconds
    # One that won is measured again; of what never did the first measurement is all there is.
    again = {r.schedule: r for r in records if r.confirmed and r.ratio is not None}
    first = {r.schedule: r for r in records if r.outcome == "ok" and r.ratio is not None}
    best = min((first | again).values(), key=lambda r: r.ratio or math.inf, default=None)
    if best is None or best.ratio is None:
        return Found(1.0, "by the rules", 0, rules)
    return Found(best.ratio, best.schedule, len(measured), best.ratio * rules)


def draw_at_random(only: KernelSearch) -> None:
    """Let a search know nothing."""
    only.mutator = RandomMutator(only.mutator.rng, only.mutator.lanes, only.mutator.draw)
    only.ranker = None


def metaschedule(python: str, name: str, seconds: float) -> float | None:
    """The seconds per call of the best schedule that MetaSchedule found; None if it cannot do the kernel."""
    command = [python, str(_WORKER), name, str(seconds), resolve_target("native").cpu]
    result = subprocess.run(command, capture_output=True, text=True, timeout=_LONGEST, check=False)
    lines = [line for line in result.stdout.splitlines() if line.startswith("{")]
    if result.returncode or not lines:
        print(f"  MetaSchedule: {(result.stderr.strip().splitlines() or ['nothing'])[-1]}")
        return None
    return float(json.loads(lines[-1])["seconds"])


def main() -> None:
    """Search, and print a line for each kernel."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.searches", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--budget", type=float, default=30.0, metavar="S", help="seconds of `mlc tune` per kernel (30)")
    parser.add_argument("--random", type=int, default=200, metavar="N", help="schedules drawn at random (200)")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose names contain this")
    parser.add_argument("--tvm", metavar="PYTHON", help="a Python with apache-tvm, for the first six kernels")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", help="also write each kernel as a line")
    args = parser.parse_args()
    print(f"{cpu_model()}; facts: {words_of_sources(resolve_target('native'))}; {args.budget:g} s per kernel")
    columns = ["kernel".ljust(30), "rules us", "  tuned", " random", "  of", "tuned/random", "   TVM us", "TVM/tuned"]
    print(*columns)
    known = {case.name: case for _, case in cases_by_family()}
    for number, name in enumerate(CASES):
        if args.only not in name:
            continue
        case = known[name]
        tuned = search(case, lambda _: None, args.budget, math.inf, args.seed)
        drawn = search(case, draw_at_random, _LONGEST, args.random, args.seed) if args.random else None
        other = metaschedule(args.tvm, name, args.budget) if args.tvm and number < 6 else None
        # The schedule by the rules is what a search that finds nothing better keeps.
        kept = min(tuned.ratio, 1.0)
        rules = tuned.seconds / tuned.ratio
        columns = [f"{name:<30} {1e6 * rules:>9.2f} {kept:>7.3f}"]
        columns.append(f"{drawn.ratio:>7.3f} {drawn.measured:>4} {kept / drawn.ratio:>12.3f}" if drawn else " " * 25)
        columns.append(f"{1e6 * other:>9.2f} {other / (kept * rules):>9.2f}" if other else "")
        print(*columns, flush=True)
        if args.json:
            row = {"kernel": name, "rules": rules, "tuned": kept, "schedule": tuned.schedule, "tried": tuned.measured}
            row |= {"random": drawn.ratio, "drawn": drawn.measured, "best_drawn": drawn.schedule} if drawn else {}
            row |= {"metaschedule": other} if other else {}
            with Path(args.json).open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
