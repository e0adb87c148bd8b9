"""Where the kernels of one model are compiled and measured: in this process, or in one that belongs to a worker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from xdsl.dialects.builtin import DenseResourceAttr, ModuleOp
from xdsl.dialects.func import CallOp, FuncOp

from mlc.analysis.constant_arguments import constant_arguments
from mlc.compiler.emit_text import emit_text
from mlc.compiler.options import CompileOptions
from mlc.dialects.loop import ScheduleAttr
from mlc.dialects.tensor import StructuredOp
from mlc.passes.tensor.schedule import candidates_for
from mlc.schedules.lone_kernel import lone_kernel
from mlc.schedules.records.kernel_key import key_of
from mlc.schedules.records.recorded_schedules import without_idle_steps
from mlc.schedules.records.schedule_texts import Schedule, parse_schedule, schedule_text
from mlc.support.context import CompilerContext
from mlc.support.errors import UserError
from mlc.support.resources import Resources
from mlc.support.types import element_type
from mlc.targets.machine import resolve_target
from mlc.tuning.examination import Examination, examine
from mlc.tuning.footprint import bytes_of_others
from mlc.tuning.isolated import Failure, Job
from mlc.tuning.libraries import function_named
from mlc.tuning.whole_model import WholeModel
from mlc.tuning.work import Answer, Build, Lost, TunedKernel, Work
from mlc.tuning.workbench import Workbench

_SECONDS = 60.0
"""The most that a kernel's loops take to be understood."""


class Workplace:
    """Carries out what searches ask for; all in one folder, and measured in processes of their own."""

    def __init__(
        self,
        module: ModuleOp,
        kernels: Sequence[FuncOp],
        ctx: CompilerContext,
        options: CompileOptions,
        folder: Path,
    ) -> None:
        """`kernels` are functions of `module`, which is at the tensor level with the schedules by the rules."""
        self._module, self._kernels, self._ctx, self._options = module, kernels, ctx, options
        self._folder = folder
        self._whole = WholeModel(module, ctx, options, folder)
        self._benches: dict[str, tuple[Workbench, int]] = {}
        self.so_far: Examination | None = None
        """What is known of the schedule that is being measured."""

    def survey(self) -> Iterator[TunedKernel]:
        """The kernels, measured with their schedules by the rules.

        Raises:
            UserError: a kernel cannot be compiled or run as it is.
        """
        module, ctx, options = self._module, self._ctx, self._options
        constants = constant_arguments(module)
        machine = resolve_target(options.target)
        calls = Counter(op.callee.string_value() for op in module.walk() if isinstance(op, CallOp))
        for kernel in self._kernels:
            name = kernel.sym_name.data
            alone = lone_kernel(module, kernel)
            attribute = kernel.attributes.get("schedule")
            rules = attribute.steps if isinstance(attribute, ScheduleAttr) else ()
            candidates = [candidate.steps for candidate in candidates_for(kernel, module, ctx, machine)]
            rules, *others = _effective([rules, *candidates], alone, name, ctx, options)
            times = max(calls.get(name, 0), 1)
            bench = Workbench(alone, name, ctx, options, self._folder, rules, bytes_of_others(module, name))
            self._benches[name] = bench, times
            ops = [op for op in kernel.body.block.ops if isinstance(op, StructuredOp)]
            lanes = machine.lanes(max(map(element_bits, ops), default=32))
            text, key = text_without_weights(alone, ctx), key_of(kernel, constants)
            weights = _weights(alone, ctx)
            beside = tuple(schedule_text(steps) for steps in others if steps)
            rules_text = schedule_text(rules)
            yield TunedKernel(name, key, times, rules_text, beside, bench.seconds, bench.others, lanes, text, weights)

    def carry_out(self, work: Work) -> Answer:
        """The answer to one piece of work on a kernel that was surveyed."""
        bench, calls = self._benches[work.kernel]
        best = self._parsed(work.best)
        if isinstance(work, Build):
            schedules = [self._parsed(text) for text in work.schedules]
            bench.keep([best])
            return tuple(bench.build(schedules))
        schedule = self._parsed(work.schedule)
        failure, of_best = bench.build([schedule, best])  # another place may have found the best one
        if of_best is not None:
            return Lost(f"the best schedule of '{work.kernel}' cannot be built there: {of_best.reason}")
        if failure is not None:
            return Examination(failure)
        check = partial(self._whole.compare, work.kernel)
        found = Examination()
        for found in examine(bench, schedule, best, check, calls * bench.seconds):
            self.so_far = found
        self.so_far = None
        return found

    def _parsed(self, text: str) -> Schedule:
        return parse_schedule(text, self._ctx) if text else ()


def element_bits(op: StructuredOp) -> int:
    """The bits of an element of a result, 32 at least: what is narrower is computed in these."""
    width = getattr(element_type(op.result.type), "bitwidth", 32)
    return max(int(width), 32)


def text_without_weights(module: ModuleOp, ctx: CompilerContext) -> str:
    """The text of a module without its weights."""
    bare = ctx.clone()
    bare.resources = Resources()
    return emit_text(module, bare, "mlir")


def _weights(module: ModuleOp, ctx: CompilerContext) -> tuple[tuple[str, str, tuple[int, ...]], ...]:
    names = used_resources(module)
    return tuple((n, str(ctx.resources.dtype_of(n)), ctx.resources.shape_of(n)) for n in names)


def used_resources(module: ModuleOp) -> list[str]:
    """The names of the weights that a module names."""
    found: dict[str, None] = {}
    for op in module.walk():
        for attribute in (*op.properties.values(), *op.attributes.values()):
            if isinstance(attribute, DenseResourceAttr):
                found[attribute.resource_handle.data] = None
    return list(found)


def _effective(
    schedules: Sequence[Schedule], alone: ModuleOp, name: str, ctx: CompilerContext, options: CompileOptions
) -> list[Schedule]:
    """The steps of schedules that change something, found in a process of its own: steps may be a plugin's.

    No steps of a schedule with one that names no loop, unless it is the first.

    Raises:
        UserError: a step of the first schedule names no loop, or one of any does not end.
    """

    def work() -> list[str]:
        found: list[str] = []
        for steps in schedules:
            copy = alone.clone()
            try:
                changing = without_idle_steps(steps, copy, function_named(copy, name), ctx.clone(), options)
            except UserError:
                if not found:
                    raise
                changing = ()
            found.append(schedule_text(changing))
        return found

    found = Job(work, _SECONDS).value()
    if isinstance(found, Failure):
        raise UserError(f"the schedule of '{name}' by the rules cannot be carried out: {found.reason}")
    return [parse_schedule(text, ctx) if text else () for text in found]
