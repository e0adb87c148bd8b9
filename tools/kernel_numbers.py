"""What is known of a model's kernels in numbers: what is counted, what bounds them, what is estimated and measured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from mlc.compiler.compilation import Compilation
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ForOp
from mlc.dialects.scan import ScanLike
from mlc.schedules.lone_kernel import lone_kernel
from mlc.support.context import CompilerContext, Remark
from mlc.support.functions import is_private
from mlc.targets.host import can_run
from mlc.targets.machine import resolve_target, words_of_sources
from mlc.targets.machine_file import measured_facts
from mlc.tools.kernel_work import KernelWork, work_of
from mlc.tools.outlined_kernels import outlined_kernels
from mlc.tools.roofline import Roofline, measured, planned
from mlc.tuning.measure import MeasuredTime
from mlc.tuning.stopwatch import Stopwatch

_TOO_GOOD = """\
More than 100% of a bound: the limits were measured while something else ran."""
_ROUNDS = 3
_SECONDS = 0.2
"""How long each kernel is measured in a round."""
_UNSTEADY = 0.2
"""The part by which measurements of a limit may differ without a word."""
_SHARED = 0.8
"""The part of its cores that a limit may be of without a word."""
_ABOVE = 1.05
"""A share that is more than what is possible, beyond the precision of the clock."""


@dataclass(frozen=True)
class KernelNumbers:
    """The numbers of one kernel."""

    name: str
    calls: int
    work: KernelWork
    measured: MeasuredTime | None
    """What calls took; None where the target cannot run."""
    remarks: Sequence[Remark] = ()
    """What the passes said when it was compiled to be measured."""

    @property
    def seconds(self) -> float | None:
        """The shortest measured time of a call; None where the target cannot run."""
        return None if self.measured is None else self.measured.shortest


@dataclass(frozen=True)
class ModelNumbers:
    """Counts and measures kernels of a model at the tensor level, and writes times as they are known."""

    module: ModuleOp
    ctx: CompilerContext
    options: CompileOptions
    roofline: Roofline
    runs_here: bool
    """Whether times are seconds, and measured; else they are cycles, and planned."""
    model: ModuleOp
    """The model as it is compiled: `module` without the kernels that its loops become."""
    calling: ModuleOp
    """What has all calls of kernels."""

    @property
    def kernels(self) -> list[FuncOp]:
        """All kernels, those that loops become last."""
        return [op for op in self.module.ops if isinstance(op, FuncOp) and is_private(op)]

    @staticmethod
    def about(compilation: Compilation, measure: bool = True) -> ModelNumbers:
        """Those of what `compilation` has lowered to the tensor level; measured if that is asked for and possible."""
        options, module = compilation.options, compilation.module
        outlined, calling = outlined_kernels(module, compilation.ctx, options)
        if outlined:
            module = module.clone()
            module.body.block.add_ops(outlined)
        machine = resolve_target(options.target)
        here = measure and can_run(machine.arch, machine.required_cpu_flags)
        roofline = measured(machine, options.threads) if here else planned(machine, options.threads)
        return ModelNumbers(module, compilation.ctx, options, roofline, here, compilation.module, calling)

    def of(
        self,
        kernels: Sequence[FuncOp],
        whole: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> tuple[list[KernelNumbers], MeasuredTime | None]:
        """The numbers of kernels, and the times of the whole model if that is asked for and can be measured.

        All are measured in rounds, and the limits beside them: no quiet or busy moment falls on one of them alone.
        `progress` is told how much of that is done, of how much: each kernel is compiled, and measured in each round.
        """
        calls = count_calls(self.calling)
        works = [work_of(kernel, self.ctx) for kernel in kernels]
        watches: list[Stopwatch] = []

        def told(done: int) -> None:
            if progress is not None:
                progress(done, (len(kernels) + whole) * (1 + _ROUNDS))

        if self.runs_here:
            modules = [*(lone_kernel(self.module, kernel) for kernel in kernels), *([self.model] if whole else [])]
            for module in modules:
                watches.append(Stopwatch(module, self.ctx, self.options))
                told(len(watches))
        levels = dict.fromkeys(level for work in works for level in self.roofline.levels_of(work))
        for round_ in range(_ROUNDS if watches else 0):
            for number, watch in enumerate(watches):
                watch.measure(_SECONDS)
                told(len(watches) * (1 + round_) + number + 1)
            for level in levels:
                self.roofline.refresh(level)
        remarks = [watch.remarks for watch in watches[: len(kernels)]] or [[]] * len(kernels)
        times = [watch.measured for watch in watches] or [None] * len(kernels)
        rows = [
            KernelNumbers(kernel.sym_name.data, calls[kernel.sym_name.data], work, time, said)
            for kernel, work, time, said in zip(kernels, works, times[: len(kernels)], remarks, strict=True)
        ]
        return rows, times[-1] if watches and whole else None

    def time(self, time: float) -> str:
        """A time in the unit of the roofline, in words."""
        return amount(time, "s") if self.runs_here else f"{time:,.0f} cycles"

    def from_cycles(self, cycles: float) -> float:
        """An estimate in the unit of the roofline."""
        return cycles / self.hertz if self.runs_here else cycles

    @property
    def hertz(self) -> float:
        """Cycles per second: where multiply-adds are measured here, as many as start them, else those of the facts."""
        machine, roofline = self.roofline.machine, self.roofline
        if not self.runs_here:
            return machine.frequency_mhz * 1e6
        return roofline.peak() / (roofline.share() * planned(machine, 1).peak() * roofline.cores)

    def cores(self, word: str = "on") -> str:
        """Whose limits the numbers are, if several threads may be used."""
        if self.options.threads == 1:
            return ""
        return f" {word} {self.roofline.cores} cores" if self.roofline.cores > 1 else f" {word} one core"

    @property
    def estimated_for(self) -> str:
        """Who carries out the loops that are estimated."""
        return f"{self.roofline.cores} cores" if self.roofline.cores > 1 else "one core"

    @property
    def facts(self) -> str:
        """Where the numbers that estimates rest on come from, and how to have better ones."""
        machine = self.roofline.machine
        words = words_of_sources(machine)
        if machine.name != "native":
            return f"{words}: of {machine.name} in the table"
        if measured_facts()[0]:
            return words
        return f"{words}: this machine was not measured; `mlc machine measure` does that"

    def print_doubts(self, shares: Sequence[float]) -> None:
        """Say why not to believe what was measured; `shares` are the parts of bounds that kernels reach."""
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


def amount(number: float, unit: str = "") -> str:
    """A number of three digits with a prefix: `1.23 Mflop`, `45.6 us`."""
    space = " " * bool(unit)
    for factor, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1, ""), (1e-3, "m"), (1e-6, "u")):
        if number >= 0.9995 * factor:
            return f"{number / factor:.3g}{space}{prefix}{unit}"
    return f"{number * 1e9:.3g}{space}n{unit}" if number else f"0{space}{unit}"


def spread_words(measured: MeasuredTime) -> str:
    """How far measured times differ."""
    median, upper = amount(measured.median, "s"), amount(measured.upper, "s")
    return f"the median is {median}, a quarter of the calls took {upper} or more"


def count_calls(module: ModuleOp) -> Counter[str]:
    """How often each function runs in one run of a model."""
    calls = Counter[str]()
    for op in module.walk():
        if isinstance(op, CallOp):
            calls[op.callee.string_value()] += _times(op)
    return calls


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
