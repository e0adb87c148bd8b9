"""How well estimates of loops rank schedules: candidates of each kernel are estimated, measured, and compared by rank.

    python -m benchmarks.cost_model                      25 schedules of each of 20 kernels, 10 minutes
    python -m benchmarks.cost_model --candidates 5 --only softmax --json FILE
    python -m benchmarks.cost_model --offers         what `schedule` chooses from instead: is its margin wide enough?

Candidates are mutations of the schedule by the rules, of one to three changes each, so that good ones and hopeless ones
are among them. Each is lowered, compiled and measured in a process of its own; what does not end, or is refused, is
left out. Run `mlc machine measure` before: without, numbers of this CPU's memory are those of the table.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from mlc.benchmarks.environment import cpu_model
from mlc.compiler import Compilation, CompileOptions, new_context, parse_verified
from mlc.dialects.loop import ScheduleAttr
from mlc.passes.loop.cost.kernel_on_loops import KernelOnLoops
from mlc.passes.manager import PassManager
from mlc.passes.shared.constant_arguments import constant_arguments
from mlc.passes.shared.kernel_kinds import offers_of
from mlc.passes.shared.schedule_choice import MARGIN
from mlc.passes.tensor.schedule import tensor_kernel
from mlc.support.context import CompilerContext
from mlc.support.functions import is_private
from mlc.support.rank_correlation import rank_correlation
from mlc.targets.machine import resolve_target, words_of_sources
from mlc.tools.lone_kernel import Stopwatch, lone_kernel
from mlc.tools.schedule_estimate import kernel_on_loops
from mlc.tuning.isolated import Failure, Job
from mlc.tuning.kernel_loops import KernelLoops
from mlc.tuning.mutations import Mutator
from mlc.tuning.schedule_texts import Schedule, schedule_text

_SECONDS = 0.05
"""How long a candidate is called."""
_LIMIT = 20.0
"""Seconds after which a candidate is given up."""


def _product(m: int, k: int, n: int) -> str:
    types = f"tensor<{m}x{k}xf32>", f"tensor<{k}x{n}xf32>", f"tensor<{m}x{n}xf32>"
    op = f"%0 = graph.matmul %a, %b : {types[0]}, {types[1]} -> {types[2]}"
    return f"func.func @main(%a: {types[0]}, %b: {types[1]}) -> {types[2]} {{\n{op}\nreturn %0 : {types[2]}\n}}"


def _row(op: str, *shape: int) -> str:
    kind = f"tensor<{'x'.join(map(str, shape))}xf32>"
    return f"func.func @main(%x: {kind}) -> {kind} {{\n%0 = graph.{op} : {kind}\nreturn %0 : {kind}\n}}"


KERNELS = {
    **{f"product {m}x{k}x{n}": _product(m, k, n) for m, k, n in (
        (128, 768, 512), (64, 256, 1024), (33, 100, 70), (512, 512, 512), (1, 2048, 2048), (7, 512, 2048),
        (196, 256, 1024), (16, 64, 64), (1, 512, 512), (300, 17, 40),
    )},
    **{f"softmax {'x'.join(map(str, s))}": _row(f"softmax %x axis {len(s) - 1}", *s) for s in (
        (512, 1024), (64, 4096), (1000, 37), (512, 197), (12, 64, 64),
    )},
    "softmax of columns 12x128x128": _row("softmax %x axis 1", 12, 128, 128),
    "softmax of columns 64x40": _row("softmax %x axis 0", 64, 40),
    "gelu 512x1024": _row("gelu %x", 512, 1024),
    "tanh 200x333": _row("tanh %x", 200, 333),
    "exp 64x64": _row("exp %x", 64, 64),
}  # fmt: skip
"""The kernels, by name, as models of one op."""


@dataclass(frozen=True)
class Candidate:
    """A schedule that was estimated and measured."""

    kernel: str
    schedule: str
    estimated: float
    """Microseconds."""
    measured: float
    """Microseconds."""
    decided_by: str


@dataclass(frozen=True)
class _Kernel:
    """A kernel at the tensor level, scheduled, whose candidates are estimated and measured."""

    name: str
    module: ModuleOp
    function: FuncOp
    ctx: CompilerContext
    on_loops: KernelOnLoops

    @staticmethod
    def of(name: str, text: str) -> _Kernel:
        """The kernel of a model of one op."""
        options, ctx = CompileOptions(records=""), new_context()
        module = parse_verified(text, name, ctx, Path())
        Compilation(module, ctx, options, PassManager(ctx)).lower("tensor")
        function = next(op for op in module.ops if isinstance(op, FuncOp) and is_private(op))
        return _Kernel(name, module, function, ctx, kernel_on_loops(module, function, ctx, options))

    def candidate(self, steps: Schedule) -> Candidate | None:
        """What a schedule takes, as estimated and as measured; None if it is refused, or does not end."""

        def work() -> tuple[float, str, float] | None:
            if (estimate := self.on_loops.estimate(steps)) is None:
                return None
            measured = _measured(self.module, self.function, self.ctx, steps)
            return 1e6 * estimate.seconds(resolve_target("native")), estimate.decided_by, 1e6 * measured

        value = Job(work, _LIMIT).value()
        if value is None or isinstance(value, Failure):
            return None
        estimated, decided_by, measured = value
        return Candidate(self.name, schedule_text(steps), estimated, measured, decided_by)


def offers_measured(name: str, text: str) -> list[Candidate]:
    """What the kind of a kernel offers, the favourite first."""
    kernel = _Kernel.of(name, text)
    constants, machine = constant_arguments(kernel.module), resolve_target("native")
    seen = tensor_kernel(kernel.function, machine, constants, kernel.ctx, {})
    found = [kernel.candidate(offer.steps) for offer in offers_of(seen)] if seen is not None else []
    return [each for each in found if each is not None]


def candidates_of(name: str, text: str, count: int, seed: int) -> list[Candidate]:
    """The schedule of the kernel first, then mutations of it."""
    kernel, options = _Kernel.of(name, text), CompileOptions()
    attribute = kernel.function.attributes.get("schedule")
    rules: Schedule = attribute.steps if isinstance(attribute, ScheduleAttr) else ()
    rng = Random(f"{seed} {name}")
    alone = lone_kernel(kernel.module, kernel.function)
    loops = KernelLoops(alone, kernel.function.sym_name.data, kernel.ctx, options, rng)
    mutator = Mutator(rng, resolve_target(options.target).lanes(32), loops.draw)
    found: list[Candidate] = []
    seen = set[str]()
    for attempt in range(8 * count):
        steps: Schedule | None = rules
        for _ in range(rng.choice((1, 1, 2, 3)) if attempt else 0):
            steps = mutator.propose([steps]) if steps else None
        if not steps or schedule_text(steps) in seen:
            continue
        seen.add(schedule_text(steps))
        if (candidate := kernel.candidate(steps)) is not None:
            found.append(candidate)
        if len(found) == count:
            break
    loops.stop()
    return found


def _measured(module: ModuleOp, kernel: FuncOp, ctx: CompilerContext, steps: Schedule) -> float:
    alone = lone_kernel(module, kernel)
    (function,) = (op for op in alone.ops if isinstance(op, FuncOp) and op.sym_name == kernel.sym_name)
    function.attributes["schedule"] = ScheduleAttr.of(steps)
    watch = Stopwatch(alone, ctx, CompileOptions())
    watch.measure(_SECONDS)
    return watch.shortest


def _late(offer: Candidate, favourite: Candidate) -> float:
    """How many times as long an offer takes as estimated, each by the favourite."""
    return offer.measured / favourite.measured * favourite.estimated / offer.estimated


def main() -> None:
    """Measure and print a line for each kernel."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cost_model", description=__doc__)
    parser.add_argument("--candidates", type=int, default=25, metavar="N", help="schedules of each kernel (25)")
    parser.add_argument("--offers", action="store_true", help="what kinds of kernels offer, instead of mutations")
    parser.add_argument("--only", default="", metavar="TEXT", help="kernels whose names contain this")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", metavar="FILE", help="also write each candidate as a line")
    args = parser.parse_args()
    print(f"{cpu_model()}; facts: {words_of_sources(resolve_target('native'))}")
    print(f"{'kernel':<32} {'n':>3} {'rank':>6} {'estimate':>9} {'rules':>7} {'cheapest':>9}")
    everything: list[Candidate] = []
    coefficients: list[float] = []
    late: list[float] = []
    for name, text in KERNELS.items():
        if args.only not in name:
            continue
        found = offers_measured(name, text) if args.offers else candidates_of(name, text, args.candidates, args.seed)
        if found:
            everything += found
            late += [_late(each, found[0]) for each in found[1:]]
            best = min(c.measured for c in found)
            coefficient = rank_correlation([c.estimated for c in found], [c.measured for c in found])
            coefficients.append(coefficient)
            ratio = float(np.median([c.estimated / c.measured for c in found]))
            cheapest = min(found, key=lambda c: c.estimated)
            print(
                f"{name:<32} {len(found):>3} {coefficient:>6.2f} {ratio:>9.2f} {found[0].measured / best:>7.2f} "
                f"{cheapest.measured / best:>9.2f}",
                flush=True,
            )
            if args.json:
                with Path(args.json).open("a", encoding="utf-8") as file:
                    file.writelines(json.dumps(asdict(c)) + "\n" for c in found)
    if everything:
        pooled = rank_correlation([c.estimated for c in everything], [c.measured for c in everything])
        print(
            f"{len(everything)} candidates: {np.nanmean(coefficients):.2f} averaged over kernels, {pooled:.2f} pooled"
        )
        if args.offers:
            share = np.mean(np.array(late) <= 1 + MARGIN)
            print(
                f"{share:.0%} of {len(late)} offers take at most {MARGIN:.0%} longer than estimated, by the favourite"
            )
        print("estimate: the median of estimated by measured time; rules, cheapest: by the best that was measured")


if __name__ == "__main__":
    main()
