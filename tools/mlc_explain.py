"""Show what mlc makes of a model's kernels: with KERNEL, what that one computes, its schedule in words, its work, and
its time beside the least one that the machine allows; without, a table of all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from mlc.dialects.loop import ForOp
from mlc.dialects.scan import ScanLike
from mlc.passes.manager import PassManager
from mlc.passes.options import parse_passes
from mlc.passes.pipeline import default_steps
from mlc.passes.registry import suggest
from mlc.passes.shared.constant_arguments import constant_arguments
from mlc.passes.shared.lone_kernel import is_about_caller
from mlc.passes.shared.schedule_choice import MARGIN
from mlc.support.context import Remark
from mlc.support.errors import UserError
from mlc.support.functions import is_private
from mlc.support.locations import location_of
from mlc.targets.host import can_run
from mlc.targets.machine import Machine, resolve_target, words_of_sources
from mlc.tools.compile_arguments import (
    CompileArguments,
    TimedCompilation,
    add_compile_arguments,
    read_model,
    start_compilation,
)
from mlc.tools.driver import ArgumentParser, Namespace, print_remarks
from mlc.tools.kernel_text import text_of
from mlc.tools.kernel_work import KernelWork, work_of
from mlc.tools.lone_kernel import Stopwatch, lone_kernel
from mlc.tools.roofline import Bound, Roofline, measured, planned
from mlc.tools.schedule_estimate import RunnerUp, kernel_on_loops, offers_beside, runners_up, steps_of
from mlc.tools.schedule_text import describe_schedule
from mlc.tools.schedule_trial import carries_out_schedules, try_schedule

_REST = "the rest"
_NOTE = f"""\
A flop is an operation on a number, a multiply-add two; exp and the like count as the formulas that compute them.
Kernels are measured alone, with operands in the nearest cache; '{_REST}' is what the model takes beyond them: operands
that are farther away, code that is cold, calls. Times are the shortest of many calls."""
_INLINED = "inlined"
_INLINED_NOTE = f"""\
What is {_INLINED} is no call any more but a part of the loop that called it; its time is in '{_REST}'."""
_TOO_GOOD = """\
More than 100% of a bound: the limits were measured while something else ran."""
_ROUNDS = 3
_SECONDS = 0.2
"""How long each kernel is measured in a round."""
_UNSTEADY = 0.2
"""The part by which measurements of a limit may differ without a word."""
_SHARED = 0.8
"""The part of its cores that a limit may be of without a word."""
_RUNNERS_UP = 5
"""How many schedules near to that of a kernel are shown."""
_OFFERED = f"offered, and not taken: any but the favourite has to be estimated to take {MARGIN:.0%} less"
_FOR_PEOPLE = "offered to those who measure: nothing is chosen by these estimates, which tell too little here"
_WORTH_SAYING = 0.02
"""The part of an estimate that is worth a word."""
_ABOVE = 1.05
"""A share that is more than what is possible, beyond the precision of the clock."""


@dataclass(kw_only=True)
class Arguments(CompileArguments):
    """The parsed command line."""

    model: str
    kernel: str | None


def add_arguments(parser: ArgumentParser) -> None:
    """Declare the command's options."""
    parser.add_argument("model", help="the model: text, or a file of ONNX or PyTorch; '-' is text on standard input")
    parser.add_argument("kernel", metavar="KERNEL", nargs="?", help="the name of a kernel, as the table shows it")
    add_compile_arguments(parser)


def run(arguments: Namespace) -> None:
    """Compile as far as kernels have schedules, then count, predict and measure."""
    args = Arguments(**vars(arguments))
    args.bindings.require_single("what is explained")
    timed = start_compilation(read_model(args.model), args)
    timed.compilation.lower("tensor")
    timed.compilation.finish()
    explainer = _Explainer.of(timed, args)
    kernels = {f.sym_name.data: f for f in timed.compilation.module.ops if isinstance(f, FuncOp) and is_private(f)}
    if args.kernel is None:
        explainer.print_table(list(kernels.values()))
    elif args.kernel in kernels:
        explainer.print_kernel(kernels[args.kernel])
    else:
        guess = suggest(args.kernel, list(kernels))
        raise UserError(
            f"no kernel '{args.kernel}' in a model with the kernels {', '.join(kernels) or '(none)'}{guess}"
        )
    print_remarks(timed.compilation.ctx, remarks=False)
    timed.report()


@dataclass(frozen=True)
class _Explained:
    """The numbers of one kernel."""

    name: str
    calls: int
    work: KernelWork
    seconds: float | None
    """The measured time of a call; None where the target cannot run."""


@dataclass(frozen=True)
class _Explainer:
    module: ModuleOp
    timed: TimedCompilation
    args: Arguments
    roofline: Roofline
    runs_here: bool

    @staticmethod
    def of(timed: TimedCompilation, args: Arguments) -> _Explainer:
        machine = resolve_target(args.target)
        here = can_run(machine.arch, machine.required_cpu_flags)
        roofline = measured(machine, args.threads) if here else planned(machine, args.threads)
        return _Explainer(timed.compilation.module, timed, args, roofline, here)

    def explain(self, kernels: Sequence[FuncOp], whole: bool = False) -> tuple[list[_Explained], float | None]:
        """The numbers of kernels, and the time of the whole model if that is asked for and can be measured.

        All are measured in rounds, and the limits beside them: no quiet or busy moment falls on one of them alone.
        """
        calls = Counter[str]()
        for op in self.module.walk():
            if isinstance(op, CallOp):
                calls[op.callee.string_value()] += _times(op)
        works = [work_of(kernel, self.timed.compilation.ctx) for kernel in kernels]
        watches: list[Stopwatch] = []
        if self.runs_here:
            modules = [*(lone_kernel(self.module, kernel) for kernel in kernels), *([self.module] if whole else [])]
            ctx = self.timed.compilation.ctx
            watches = [Stopwatch(module, ctx, self.args.options) for module in modules]
            for watch in watches[: len(kernels)]:
                ctx.remarks += watch.remarks
        levels = dict.fromkeys(level for work in works for level in self.roofline.levels_of(work))
        for _ in range(_ROUNDS if watches else 0):
            for watch in watches:
                watch.measure(_SECONDS)
            for level in levels:
                self.roofline.refresh(level)
        seconds = [watch.shortest for watch in watches] or [None] * len(kernels)
        rows = [
            _Explained(kernel.sym_name.data, calls[kernel.sym_name.data], work, time)
            for kernel, work, time in zip(kernels, works, seconds[: len(kernels)], strict=True)
        ]
        return rows, watches[-1].shortest if watches and whole else None

    def print_kernel(self, kernel: FuncOp) -> None:
        """All about one kernel."""
        ctx = self.timed.compilation.ctx
        outcomes = try_schedule(self.module, kernel, ctx, self.args.options)
        steps = list(describe_schedule(kernel, constant_arguments(self.module), outcomes))
        is_scheduled = carries_out_schedules(self.args.options)
        ignored = "" if is_scheduled or not steps else f", which -O{self.args.opt_level} does not carry out"
        print(f"{text_of(kernel)}\n\nschedule{ignored}")
        width = max((len(spelling) for spelling, _ in steps), default=0)
        for spelling, words in steps:
            print(f"  {spelling:<{width}}  {words}")
        if not steps:
            print("  none")
        about = [remark for remark in ctx.remarks if _is_about(remark, kernel)]
        known = len(ctx.remarks)
        (explained,), _ = self.explain([kernel])
        about += [remark for remark in ctx.remarks[known:] if not is_about_caller(remark)]
        told = {reason for outcome in outcomes for reason in outcome.refusals}
        if others := [str(remark) for remark in dict.fromkeys(about) if remark.message not in told]:
            print("\nremarks", *others, sep="\n  ")
        work, bound = explained.work, self.roofline.bound(explained.work)
        print("\none call")
        share, zeros = (flops / max(work.flops, 1) for flops in (work.multiply_adds, work.with_padding))
        padding = f", {zeros:.0%} with padding, which need not be computed" if zeros else ""
        print(f"  {'flops':<10} {_amount(work.flops, 'flop')}, {share:.0%} in multiply-adds{padding}")
        print(f"  {'bytes':<10} {_amount(work.bytes, 'B')}: what is read of operands, and results, once each")
        print(f"  {'intensity':<10} {work.intensity:.3g} flop/B")
        print(f"  {'bound by':<10} {self._limit(bound)}")
        print(f"  {'predicted':<10} {self._time(bound.time)} at least{self._cores()}")
        if explained.seconds is None:
            print(f"  {'measured':<10} not here: this machine cannot run code for {self.args.target}")
        else:
            rate = _amount(work.flops / explained.seconds, "flop/s")
            share = bound.time / explained.seconds
            threads = f", on up to {self.args.threads} threads" if self.args.threads > 1 else ""
            time = self._time(explained.seconds)
            print(f"  {'measured':<10} {time}{threads}, {rate}, {share:.0%} of what is possible{self._cores()}")
        if is_scheduled:
            self._print_estimate(kernel)
        else:
            print(f"\nno estimate: -O{self.args.opt_level} carries out no schedules, whose loops are what is estimated")
        if explained.seconds is not None:
            self._print_doubts([bound.time / explained.seconds])

    def _print_estimate(self, kernel: FuncOp) -> None:
        """What this schedule should take, and those near to it."""
        ctx, options, machine = self.timed.compilation.ctx, self.args.options, self.roofline.machine
        loops = kernel_on_loops(self.module, kernel, ctx, options)
        found = loops.estimate(steps_of(kernel))
        if found is None:
            print("\nno estimate: its loops are no function of their own, or too many")
            return

        def time(cycles: float) -> str:
            return self._time(cycles / (machine.frequency_mhz * 1e6) if self.runs_here else cycles)

        def parts(each: Mapping[str, float]) -> str:
            named = sorted(each.items(), key=lambda part: -part[1])
            return ", ".join(
                f"{name} {time(cycles)}" for name, cycles in named if cycles >= _WORTH_SAYING * found.cycles
            )

        who = f"up to {self.args.threads} threads" if self.roofline.cores > 1 else "one core"
        print(f"\nestimated, for {who}, of the loops that the schedule makes")
        print(f"  {'facts':<10} {_facts(machine)}")
        print(f"  {'this one':<10} {time(found.cycles)}, decided by {found.decided_by}")
        print(f"  {'core':<10} {parts(found.parts) or 'next to nothing'}")
        print(f"  {'memory':<10} {parts(found.brought) or 'next to nothing'}")
        if found.waiting >= _WORTH_SAYING * found.cycles:
            print(f"  {'waiting':<10} {time(found.waiting)}, while lines come in bursts and nothing is computed")
        if found.spilled:
            print(f"  {'registers':<10} {found.spilled} more than there are")

        def show(heading: str, schedules: Sequence[RunnerUp]) -> None:
            if schedules:
                print(f"\n{heading}")
            for each in schedules:
                ratio = each.estimate.cycles / max(found.cycles, 1e-9)
                print(f"  {ratio:<10.2f} times as long: {each.change}; {each.estimate.decided_by}")

        offers = offers_beside(self.module, loops, kernel, ctx, machine)
        show(_OFFERED, [offer for offer in offers if not offer.is_only_shown])
        show(_FOR_PEOPLE, [offer for offer in offers if offer.is_only_shown])
        show("one step away", runners_up(loops, kernel, _RUNNERS_UP))

    def _cores(self, word: str = "on") -> str:
        """Whose limits the numbers are, if several threads may be used."""
        if self.args.threads == 1:
            return ""
        return f" {word} {self.roofline.cores} cores" if self.roofline.cores > 1 else f" {word} one core"

    def _limit(self, bound: Bound) -> str:
        """What limits a kernel, and where that number comes from."""
        level = bound.level if bound.limit == "compute" else bound.limit
        times = f"{self._time(bound.arithmetic)} for arithmetic, {self._time(bound.transfer)} for reading from {level}"
        source = "measured here" if self.runs_here else f"planned for {self.roofline.machine.name}"
        source += self._cores()
        per = "/s" if self.runs_here else " per cycle"
        peak = _amount(self.roofline.peak(), "flop" + per)
        speed = _amount(self.roofline.bandwidth(level), "B" + per)
        operations = _amount(self.roofline.operations() / 2, "op" + per)
        return f"{bound.limit}: {times} ({source}: {peak}, {operations}, {speed})"

    def print_table(self, kernels: Sequence[FuncOp]) -> None:
        """A line for each kernel, one for what the model takes beyond them, and one for the model."""
        rows, measured_model = self.explain(kernels, whole=True)
        bounds = [self.roofline.bound(row.work) for row in rows]
        inside = {row.name for row in rows if row.seconds is not None} & self._inlined()
        costs = [
            row.calls * (0 if row.name in inside else bound.time if row.seconds is None else row.seconds)
            for row, bound in zip(rows, bounds, strict=True)
        ]
        model = sum(costs) if measured_model is None else measured_model
        width = max((len(row.name) for row in rows), default=0)
        width = max(width, len(_REST))
        print(
            f"{'kernel':<{width}} {'calls':>5} {'flop':>8} {'bytes':>8} {'flop/B':>7} {'bound by':>8} "
            f"{'predicted':>15} {'measured':>9} {'of bound':>8} {'of model':>8}"
        )
        for row, bound, cost in zip(rows, bounds, costs, strict=True):
            found, reached, part = "-", "-", f"{cost / max(model, 1e-30):.0%}"
            if row.name in inside:
                found, part = _INLINED, "-"
            elif row.seconds is not None:
                found, reached = self._time(row.seconds), f"{bound.time / row.seconds:.0%}"
            print(
                f"{row.name:<{width}} {row.calls:>5} {_amount(row.work.flops):>8} {_amount(row.work.bytes):>8} "
                f"{row.work.intensity:>7.3g} {bound.limit:>8} {self._time(bound.time):>15} {found:>9} "
                f"{reached:>8} {part:>8}"
            )
        if self.runs_here:
            rest = max(0.0, model - sum(costs))  # kernels may be slower alone, by what else runs meanwhile
            print(f"{_REST:<{width}} {'':>48} {self._time(rest):>9} {'':>8} {rest / model:>8.0%}")
        calls, flops = sum(row.calls for row in rows), sum(row.calls * row.work.flops for row in rows)
        predicted = self._time(sum(row.calls * bound.time for row, bound in zip(rows, bounds, strict=True)))
        total = self._time(model) if self.runs_here else "-"
        print(f"{'model':<{width}} {calls:>5} {_amount(flops):>8} {'':>8} {'':>7} {'':>8} {predicted:>15} {total:>9}")
        self._print_notes()
        if inside:
            print(f"\n{_INLINED_NOTE}")
        self._print_doubts([b.time / r.seconds for r, b in zip(rows, bounds, strict=True) if r.seconds])

    def _inlined(self) -> set[str]:
        """The kernels that are no functions any more: parts of the loops that called them."""
        ctx = self.timed.compilation.ctx.clone()
        module = self.module.clone()
        steps = [step.passes for step in default_steps(self.args.opt_level, self.args.threads, "loop", "tensor")]
        deciding = [step for step in steps if step in ("lower-to-loops", "inline-kernels")]
        PassManager(ctx).run(module, parse_passes(",".join(deciding)))
        before, after = ({f.sym_name.data for f in m.ops if isinstance(f, FuncOp)} for m in (self.module, module))
        return before - after

    def _print_notes(self) -> None:
        """What the numbers of a table are."""
        if not self.runs_here:
            print(
                f"\nThis machine cannot run code for {self.args.target}: cycles are planned{self._cores('for')}, "
                "and nothing was measured."
            )
            return
        print(f"\n{_NOTE}")
        if self.args.threads > 1:
            print(f"Measured on up to {self.args.threads} threads, predicted{self._cores()}.")

    def _print_doubts(self, shares: Sequence[float]) -> None:
        """Why not to believe what was measured."""
        if (part := self.roofline.unsteadiness()) > _UNSTEADY:
            print(f"\nThe limits differed by {part:.0%} while they were measured: something else runs on this machine.")
        if (part := self.roofline.share()) < _SHARED:
            cores, reached = self.roofline.cores, part * self.roofline.cores
            print(
                f"\nThe limits are those of fewer cores: {cores} threads at once did {reached:.1f} times the arithmetic"
                " of one.\nSomething else kept cores busy all the time, or threads share one (hyper-threading)."
            )
        if any(share > _ABOVE for share in shares):
            print(f"\n{_TOO_GOOD}")

    def _time(self, time: float) -> str:
        return _amount(time, "s") if self.runs_here else f"{time:,.0f} cycles"


def _is_about(remark: Remark, kernel: FuncOp) -> bool:
    """Of what passes said before there were kernels, and of ops that none is made of, the place alone is known."""
    if remark.kernel is None:
        return remark.location is not None and remark.location == location_of(kernel)
    return remark.kernel == kernel.sym_name.data


def _facts(machine: Machine) -> str:
    """Where the numbers that estimates rest on come from, and how to have better ones."""
    words = words_of_sources(machine)
    if machine.name != "native":
        return f"{words}: of {machine.name} in the table"
    if any(source.kind == "measured" for source in machine.sources.values()):
        return words
    return f"{words}: this machine was not measured; `mlc machine measure` does that"


def _amount(number: float, unit: str = "") -> str:
    """A number of three digits with a prefix: `1.23 Mflop`, `45.6 us`."""
    space = " " * bool(unit)
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u")):
        if number >= 0.9995 * factor:
            return f"{number / factor:.3g}{space}{prefix}{unit}"
    return f"{number * 1e9:.3g}{space}n{unit}" if number else f"0{space}{unit}"


def _times(call: CallOp) -> int:
    """How often a call runs: once in each step of the loops around it, as far as their steps are known."""
    times, around = 1, call.parent_op()
    while around is not None:
        if isinstance(around, ScanLike):
            times *= around.steps
        elif isinstance(around, ForOp):
            times *= len(around.range)
        around = around.parent_op()
    return times
